"""Log and result, as their pages show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

import scheduler
from contest.board.history import Filter, History
from contest.board.picture import talk_in_words
from contest.board.words import in_words
from contest.doors.entrance import HOME
from contest.errors import RecordTrouble
from contest.history import timeline
from contest.history.tallying import tally_of
from contest.history.views import ContestView
from contest.record.events import Event
from contest.results.finality import is_settled, state_in_words
from contest.setup.winning import prizes_in
from scheduler.numbers import number


def as_markup(parts: Mapping[str, str]) -> dict[str, Markup]:
    """Parts that our own templates have made, with all that is text in them escaped already."""
    return {name: Markup(html) for name, html in parts.items()}


def log(history: History, wanted: Filter) -> dict[str, Any]:
    """The page of the log; in a thread, for a talk's keys are read from the record."""
    page = history.read(wanted)

    def at(number_: int) -> str:
        query = {"kind": wanted.kind, "who": wanted.who, "text": wanted.text, "talk": wanted.talk}
        return f"{HOME}/log?" + urlencode({**query, "page": number_})

    return {
        "wanted": wanted,
        "log": page,
        "rows": [(event, in_words(event)) for event in page.events],
        "kinds": history.kinds(),
        "talks": [(talk, talk_in_words(talk)) for talk in history.talks()],
        "newer": at(page.number - 1) if page.number > 1 else "",
        "older": at(page.number + 1) if page.number < page.last else "",
    }


def result(events: Sequence[Event]) -> dict[str, Any]:
    """The tally as it stands.

    Arguments:
        events: the record; it may lack keys, which count for nothing here.
    """
    empty: dict[str, Any] = {
        "final": False,
        "open": [],
        "trouble": "",
        "score": [],
        "entries": [],
        "words": [],
        "warnings": [],
    }
    try:
        view = timeline.read(events)
        tally = tally_of(view)
    except RecordTrouble as exc:
        return empty | {"trouble": str(exc)}
    final = is_settled(view, tally)
    prizes = prizes_in(view.settings)
    words = [state_in_words(view, tally), *scheduler.explain_places(tally)]
    words += scheduler.explain_silver(tally, prizes)
    return empty | {
        "final": final,
        "open": _open(view, tally),
        "score": _score(tally),
        "entries": _standings(view, tally),
        "words": words + (scheduler.explain_prizes(tally, prizes) if final else []),
        "warnings": tally.warnings,
    }


def _open(view: ContestView, tally: scheduler.Tally) -> list[str]:
    """What is missing, round by round; of a round that was not played, that it was not."""
    played = {each.number for each in view.rounds if each.counts}
    waiting: dict[int, list[str]] = {}
    for pairing in sorted(tally.open):
        waiting.setdefault(pairing.round, []).append(pairing.judge)
    said = [
        f"round {number}: no verdict of {', '.join(judges)}"
        if number in played
        else f"round {number} was not played to its end"
        for number, judges in waiting.items()
    ]
    ranked = {each.judge for each in view.rankings if each.ranks}
    judges = [p.id for p in view.people.values() if p.role == "judge" and p.id not in ranked]
    return said + ([f"no ballot of {', '.join(judges)}"] if judges else [])


def _score(tally: scheduler.Tally) -> list[tuple[str, list[int | None]]]:
    order = tally.roster.entries
    return [(judge, [row[entry] for entry in order]) for judge, row in tally.table.items()]


def _standings(view: ContestView, tally: scheduler.Tally) -> list[dict[str, Any]]:
    of = {standing.entry: standing for standing in tally.entries}
    return [
        {
            "id": entry,
            "name": view.name(entry),
            "score": of[entry].score,
            "mean": _mean(of[entry].mean_rank),
            "place": of[entry].place,
            "tied": of[entry].tied,
        }
        for entry in tally.roster.entries
    ]


def _mean(rank: Fraction | None) -> str:
    return "–" if rank is None else number(rank)
