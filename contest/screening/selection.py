"""Who is screened: of the entries that comply, those with the earliest posting.

Order, from the rules (section 1), and where they are silent from us:

1. The date of posting; receipt alone decides nothing.
2. On one day, the time of day on the proof. A proof without one counts as the end of its day.
3. At one moment, receipt, in the same way.
4. After that, the organizer's decision on record. Without one entries share their place, and if the
   cut goes through them all of them are screened.

Until screening begins the next entry moves up for one that is withdrawn or does not comply; from
then on the list stands.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from contest.errors import BadOrder, WrongMoment
from contest.record.season import Form, PriorityDecided, ScreeningBegun
from contest.screening.compliance import COMPLIES, FAILS, Assessment, assess_all
from contest.screening.state import State, Writer, reason_of
from contest.setup.rules import RULES, Finding, changes, date_findings
from scheduler.texts import counted, listed, natural

#: What becomes of an entry.
SCREENED, WAITS, UNTESTED, WITHDRAWN = (
    *("screened", "moves up if another goes", "to be tested", "withdrawn"),
)
FATES = (SCREENED, WAITS, FAILS, UNTESTED, WITHDRAWN)


@dataclass(frozen=True, slots=True)
class Row:
    """An entry's place.

    Attributes:
        assessment: the entry and its checklist.
        fate: what becomes of it, one of `FATES`.
        place: among those that comply, as 1, 2, 2, 4; None for all others.
        tied: those that share its place.
        why: what decided, in words.
    """

    assessment: Assessment
    fate: str
    place: int | None
    tied: tuple[str, ...]
    why: str

    @property
    def id(self) -> str:
        """The entry's id."""
        return self.assessment.entry.id

    @property
    def form(self) -> Form:
        """The entry's form."""
        return self.assessment.entry.form


@dataclass(frozen=True, slots=True)
class Selection:
    """Who is screened.

    Attributes:
        rows: all entries: those that comply by place, then the others by id.
        screened: the ids of those that are screened, by place.
        begun: whether screening has begun, so that the list stands.
        provisional: whether an entry that is still to be tested could change it.
        words: remarks on it, each a sentence.
    """

    rows: tuple[Row, ...]
    screened: tuple[str, ...]
    begun: bool
    provisional: bool
    words: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "screened": list(self.screened),
            "begun": self.begun,
            "provisional": self.provisional,
            "words": list(self.words),
            "entries": [
                {
                    "entry": row.id,
                    "program": row.form.program,
                    "entrant": row.form.entrant,
                    "posted": str(row.form.posted),
                    "posted_at": None if row.form.posted_at is None else str(row.form.posted_at),
                    "received": str(row.form.received),
                    "fate": row.fate,
                    "place": row.place,
                    "tied": list(row.tied),
                    "why": row.why,
                }
                for row in self.rows
            ],
        }


def priority(form: Form) -> tuple[dt.date, dt.time, dt.date, dt.time]:
    """The key of the order: posting and receipt, each with its time. Dates and times are those of
    the place of posting, as the proofs have them."""
    last = dt.time.max
    return form.posted, form.posted_at or last, form.received, form.received_at or last


def select(state: State) -> Selection:
    """Who is screened."""
    known = {each.entry.id: each for each in assess_all(state)}
    complying = {
        id_: each.entry.form
        for id_, each in known.items()
        if not each.entry.withdrawn and each.state == COMPLIES
    }
    places = list(_places(complying, state.priorities))
    by_id = {id_: (place, group) for place, group in places for id_ in group}
    most = state.settings.season.screened
    inside = tuple(id_ for place, group in places if place <= most for id_ in group)
    screened = inside if state.begun is None else state.begun
    rows = tuple(
        _row(known[id_], screened, *by_id.get(id_, (None, ())))
        for id_ in sorted(known, key=lambda id_: (by_id.get(id_, (10**9,))[0], natural(id_)))
    )
    words = _before(state, rows, inside) if state.begun is None else _since(rows, screened)
    dates = [
        *date_findings(state.settings.season, state.settings.contest.date),
        *changes(state.settings.season, state.held),
    ]
    said = (finding.in_full() for finding in dates)
    return Selection(
        rows,
        screened,
        state.begun is not None,
        state.begun is None and any(row.fate == UNTESTED for row in rows),
        (*words, *(f"{text[0].upper()}{text[1:]}." for text in said)),
    )


def _places(
    forms: dict[str, Form], decisions: Sequence[Sequence[str]]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Place to those that have it, the earliest first."""
    place = 1
    ordered = sorted(forms, key=lambda id_: (priority(forms[id_]), natural(id_)))
    for _, equal in groupby(ordered, key=lambda id_: priority(forms[id_])):
        ids = list(equal)
        # The last decision about all of them, if there is one.
        decided = next((each for each in reversed(decisions) if set(each) >= set(ids)), None)
        if decided is None:
            yield place, tuple(ids)
        else:
            for number, id_ in enumerate(sorted(ids, key=decided.index)):
                yield place + number, (id_,)
        place += len(ids)


def _row(
    each: Assessment, screened: Sequence[str], place: int | None, group: tuple[str, ...]
) -> Row:
    id_, form = each.entry.id, each.entry.form
    tied = tuple(other for other in group if other != id_)
    at = "" if form.posted_at is None else f" at {form.posted_at:%H:%M:%S}".removesuffix(":00")
    posted = f"posted on {form.posted}{at}"
    if each.entry.withdrawn:
        return Row(each, WITHDRAWN, None, (), each.entry.steps[-1].reason)
    if id_ in screened:
        return Row(each, SCREENED, place, tied, posted)
    if each.state != COMPLIES:
        return Row(each, FAILS if each.state == FAILS else UNTESTED, None, (), each.why)
    return Row(each, WAITS, place, tied, posted)


def _since(rows: Sequence[Row], screened: Sequence[str]) -> Iterator[str]:
    """Remarks on a list that stands."""
    many = counted(len(screened), "entry")
    yield f"Screening has begun with {many}: the list stands, and nobody moves up any more."
    on_list = [row for row in rows if row.id in screened]
    if gone := [row.id for row in on_list if row.fate == WITHDRAWN]:
        yield f"Withdrawn since: {listed(gone)}."
    for row in on_list:
        if row.fate == SCREENED and row.assessment.state != COMPLIES:
            now = FAILS if row.assessment.state == FAILS else "is to be tested again"
            yield f"{row.id} is on the list and {now} by what is known now."
    latest = max((priority(row.form) for row in on_list), default=None)
    for row in rows:
        if row.fate == WAITS and latest is not None and priority(row.form) < latest:
            yield f"{row.id} is not on the list and was posted before one that is."


def _before(state: State, rows: Sequence[Row], inside: Sequence[str]) -> Iterator[str]:
    """Remarks on a list that may change."""
    table, prizes = state.settings.season, state.settings.prizes
    open_ = [row.id for row in rows if row.fate == UNTESTED]
    if open_:
        yield f"This may change: {listed(open_)} {_are(open_)} still to be tested."
    complying = [row.id for row in rows if row.place is not None]
    if len(complying) > len(inside):
        yield (
            f"{counted(len(complying), 'entry')} comply; those with the earliest posting go on "
            f"({RULES['1/first'].quoted()})."
        )
    if len(inside) > table.screened:
        last = next(row for row in reversed(rows) if row.id in inside)
        yield (
            f"{listed(sorted((last.id, *last.tied), key=natural))} were posted and received at one "
            f"moment, and the cut at {table.screened} goes through them: all of them go on, unless "
            "the organizer decides who goes before whom (`loebner screen go-on CONTEST decide`)."
        )
    if not rows:
        yield "The register is empty."
    elif not inside and not open_:
        money = f"{prizes.currency} {sum(prizes.places)}".strip()
        none = Finding(
            "1/none",
            f"No entry complies: the prize money, {money}, is added to that of the next year, "
            "whose competition is held under these rules",
        )
        yield f"{none.in_full()}."
    elif len(inside) < table.finalists and not open_:
        yield (
            f"{counted(len(inside), 'entry')} {'complies' if len(inside) == 1 else 'comply'}, "
            f"fewer than the {table.finalists} finalists: each that complies is a finalist, and "
            "the other places stay empty, or are taken by publicly available programs "
            f"({RULES['3/open-source'].quoted()})."
        )


def _are(ids: Sequence[str]) -> str:
    return "is" if len(ids) == 1 else "are"


# Steps


def check_decided(state: State, _by: str, body: PriorityDecided) -> None:
    """Raises ContestError if such a decision can't be taken."""
    ids = body.entries
    if state.begun is not None:
        raise WrongMoment("screening has begun: the list stands")
    if len(ids) < 2 or len(set(ids)) < len(ids):
        raise BadOrder("name two entries at least, each once, the first one first")
    moments = {priority(state.find(id_).form) for id_ in ids}
    if len(moments) > 1:
        raise WrongMoment(
            f"{listed(ids)} were not posted and received at one moment: the dates decide"
        )
    left = [
        row.id
        for row in select(state).rows
        if row.fate not in (WITHDRAWN, FAILS)
        and row.id not in ids
        and priority(row.form) in moments
    ]
    if left:
        goes = "it goes" if len(left) == 1 else "they go"
        raise WrongMoment(f"{listed(left)} {_are(left)} equal to these; say where {goes}, too")
    reason_of(body.reason)


def check_begun(state: State, _by: str, body: ScreeningBegun) -> None:
    """Raises ContestError if screening can't begin like this."""
    found = select(state)
    if found.begun:
        raise WrongMoment("screening has begun already: the list stands")
    if found.provisional or not found.screened:
        raise WrongMoment(f"screening can't begin: {found.words[0] if found.words else ''}")
    if tuple(body.entries) != found.screened:
        named = listed(body.entries) if body.entries else "nobody"
        raise BadOrder(
            f"it begins with {named}; by postings and tests there go on: {listed(found.screened)}"
        )


def begin(season: Writer, by: str) -> None:
    """Begins screening: the list stands from here on. Raises WrongMoment if it has begun, an entry
    is still to be tested, or none complies."""
    season.write(by, ScreeningBegun(list(select(season.state).screened)))
