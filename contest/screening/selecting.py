"""Who goes on, of a season as it is kept; and the organizer's steps about it, put on record."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import replace

from contest.errors import BadOrder, WrongMoment
from contest.record.events import Event
from contest.screening.bodies import AnyBody, PriorityDecided, ScreeningBegun, SeasonSet
from contest.screening.compliance import Answers, Assessment, assess_all
from contest.screening.forms import TEXT_LIMIT, one_line
from contest.screening.register import Register, register_of
from contest.screening.season import Season, bodies
from contest.screening.selection import Decisions, Fate, Selection, select
from contest.screening.submission import priority
from contest.setup.calendar import changes, date_findings
from contest.setup.settings import Settings
from scheduler.texts import listed


def assessments_of(events: Iterable[tuple[Event, AnyBody]], settings: Settings) -> list[Assessment]:
    """The checklists of a season's entries, in the order of receipt.

    Arguments:
        events: the season's.
        settings: the contest's.
    """
    register, tests = Register(), Answers()
    for event, body in events:
        register.take(event, body)
        tests.take(event, body)
    return assess_all(register, tests, settings.season)


def selection_of(events: Iterable[tuple[Event, AnyBody]], settings: Settings) -> Selection:
    """Who goes on.

    Arguments:
        events: the season's.
        settings: the contest's.
    """
    kept = list(events)
    decisions = Decisions()
    for event, body in kept:
        decisions.take(event, body)
    found = select(assessments_of(kept, settings), decisions, settings.season, settings.prizes)
    held = [
        (dt.date.fromisoformat(event.at[:10]), body.settings.get("contest", {}))
        for event, body in kept
        if isinstance(body, SeasonSet)
    ]
    dates = (
        *date_findings(settings.season, settings.contest.date),
        *changes(settings.season, held),
    )
    said = (finding.in_full() for finding in dates)
    return replace(found, words=(*found.words, *(f"{text[0].upper()}{text[1:]}." for text in said)))


def decide(season: Season, ids: Sequence[str], by: str, reason: str) -> Selection:
    """Puts on record who goes before whom of entries that posting and receipt tell not apart.

    Arguments:
        season: where.
        ids: those that are equal, in the order decided.
        by: who decides.
        reason: why.

    Raises:
        BadOrder: if there is no such entry, one is named twice, or there is no reason.
        WrongMoment: if they are not equal, or screening has begun.
    """
    kept = list(bodies(season.events()))
    found = selection_of(kept, season.settings)
    if found.begun:
        raise WrongMoment("screening has begun: the list stands")
    register = register_of(kept)
    if len(ids) < 2 or len(set(ids)) < len(ids):
        raise BadOrder("name two entries at least, each once, the first one first")
    moments = {id_: priority(register.find(id_).form) for id_ in ids}
    if len(set(moments.values())) > 1:
        raise WrongMoment(
            f"{listed(ids)} were not posted and received at one moment: the dates decide"
        )
    left = [
        row.id
        for row in found.rows
        if row.fate not in (Fate.WITHDRAWN, Fate.FAILS)
        and row.id not in moments
        and priority(row.assessment.entry.form) in moments.values()
    ]
    if left:
        raise WrongMoment(
            f"{listed(left)} {'is' if len(left) == 1 else 'are'} equal to these; say where "
            f"{'it goes' if len(left) == 1 else 'they go'}, too"
        )
    try:
        why = one_line(reason, TEXT_LIMIT)
    except ValueError as exc:
        raise BadOrder(f"the reason {exc}") from None
    if not why:
        raise BadOrder("a reason is needed: it goes on record")
    season.write(by, PriorityDecided(list(ids), why))
    return selection_of(bodies(season.events()), season.settings)


def begin(season: Season, by: str) -> Selection:
    """Begins screening: the list of those that are screened stands from here on.

    Raises:
        WrongMoment: if it has begun, somebody is still to be tested, or nobody complies.
    """
    found = selection_of(bodies(season.events()), season.settings)
    if found.begun:
        raise WrongMoment("screening has begun already: the list stands")
    if found.provisional or not found.screened:
        raise WrongMoment(f"screening can't begin: {found.words[0] if found.words else ''}")
    season.write(by, ScreeningBegun(list(found.screened)))
    return selection_of(bodies(season.events()), season.settings)
