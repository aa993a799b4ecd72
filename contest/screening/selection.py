"""Who goes on: of the entries that comply, those with the earliest posting are screened.

Order, from the rules (section 1) and where they are silent from us:

1. The date of posting; receipt alone decides nothing.
2. Of those posted on one day the time of day that the proof has. A proof without one counts as the
   end of its day: an earlier time is the entrant's to prove.
3. Of those posted at one moment, receipt, in the same way.
4. Of those that even so are equal, the organizer's decision on record. Where there is none they
   share their place, and if the cut goes through them all of them go on.

Until screening begins the next one moves up for one that is withdrawn, or does not comply after
all; from then on the list stands. Pure functions; `decide` and `begin` put steps on record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby

from contest.record.events import Event
from contest.screening.bodies import AnyBody, PriorityDecided, ScreeningBegun
from contest.screening.compliance import Assessment, State
from contest.screening.submission import priority
from contest.setup.calendar import SeasonTable
from contest.setup.rules import RULES, Finding
from contest.setup.winning import PrizesTable
from scheduler.texts import listed, natural


class Fate(Enum):
    """What becomes of an entry."""

    SCREENED = "screened"
    WAITS = "moves up if another goes"
    FAILS = "does not comply"
    OPEN = "to be tested"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Row:
    """An entry's place.

    Attributes:
        assessment: the entry and its checklist.
        fate: what becomes of it.
        place: among those that comply, 1 the earliest, shared places as 1, 2, 2, 4; None for all
            others.
        tied: those that share its place.
        why: what decided, in words.
    """

    assessment: Assessment
    fate: Fate
    place: int | None
    tied: tuple[str, ...]
    why: str

    @property
    def id(self) -> str:
        """The entry's id."""
        return self.assessment.entry.id

    def as_json(self) -> dict[str, object]:
        """For programs."""
        form = self.assessment.entry.form
        return {
            "entry": self.id,
            "program": form.program,
            "entrant": form.entrant,
            "posted": str(form.posted),
            "posted_at": None if form.posted_at is None else str(form.posted_at),
            "received": str(form.received),
            "fate": self.fate.value,
            "place": self.place,
            "tied": list(self.tied),
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class Selection:
    """Who goes on.

    Attributes:
        rows: all entries: those that comply by their places, then the others by their ids.
        screened: the ids of those that go on, by their places.
        begun: whether screening has begun, so that the list stands.
        provisional: whether an entry that is still to be tested could change it.
        words: what is to be said of it, each a sentence.
    """

    rows: tuple[Row, ...]
    screened: tuple[str, ...]
    begun: bool
    provisional: bool
    words: tuple[str, ...]

    @property
    def to_ask(self) -> tuple[str, ...]:
        """Those that go on and are not withdrawn."""
        return tuple(row.id for row in self.rows if row.fate is Fate.SCREENED)

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "screened": list(self.screened),
            "begun": self.begun,
            "provisional": self.provisional,
            "words": list(self.words),
            "entries": [row.as_json() for row in self.rows],
        }


@dataclass
class Decisions:
    """What the organizer has decided: who goes before whom of those that are equal, and the list
    with which screening has begun; None until then."""

    orders: list[tuple[str, ...]] = field(default_factory=list)
    begun: tuple[str, ...] | None = None

    def take(self, event: Event, body: AnyBody) -> None:
        """Takes an event in; those that decide nothing change nothing."""
        match body:
            case PriorityDecided():
                self.orders.append(tuple(body.entries))
            case ScreeningBegun():
                self.begun = tuple(body.entries)

    def rank(self, tied: Sequence[str]) -> Mapping[str, int]:
        """The order of entries that are equal: that of the last decision about all of them, else
        one number for all."""
        for order in reversed(self.orders):
            if set(order) >= set(tied):
                return {id_: number for number, id_ in enumerate(order)}
        return dict.fromkeys(tied, 0)


def select(
    assessments: Iterable[Assessment],
    decisions: Decisions,
    table: SeasonTable,
    prizes: PrizesTable,
) -> Selection:
    """Who goes on.

    Arguments:
        assessments: of all entries, in any order.
        decisions: the organizer's.
        table: `[season]`.
        prizes: `[prizes]`.
    """
    known = {each.entry.id: each for each in assessments}
    running = [each for each in known.values() if not each.entry.withdrawn]
    places = _places([each for each in running if each.state is State.COMPLIES], decisions)
    by_id = {id_: (place, tied) for place, tied in places for id_ in tied}
    inside = tuple(id_ for place, tied in places if place <= table.screened for id_ in tied)
    screened = inside if decisions.begun is None else decisions.begun
    rows = [
        _row(each, screened, by_id.get(id_), decisions)
        for id_, each in sorted(
            known.items(), key=lambda pair: (*_order(pair[0], by_id), natural(pair[0]))
        )
    ]
    open_ = [row.id for row in rows if row.fate is Fate.OPEN]
    return Selection(
        tuple(rows),
        screened,
        decisions.begun is not None,
        decisions.begun is None and bool(open_),
        tuple(_words(rows, screened, inside, decisions, open_, table, prizes)),
    )


def _order(id_: str, by_id: Mapping[str, tuple[int, tuple[str, ...]]]) -> tuple[int, int]:
    return (0, by_id[id_][0]) if id_ in by_id else (1, 0)


def _places(
    complying: Sequence[Assessment], decisions: Decisions
) -> list[tuple[int, tuple[str, ...]]]:
    """Place to those that have it, the earliest first."""

    def moment(each: Assessment) -> tuple[object, ...]:
        return priority(each.entry.form)

    found: list[tuple[int, tuple[str, ...]]] = []
    place = 1
    # The id last, so that nobody's place hangs on the order in which they were given.
    for _, equal in groupby(
        sorted(complying, key=lambda each: (priority(each.entry.form), natural(each.entry.id))),
        key=moment,
    ):
        ids = [each.entry.id for each in equal]
        rank = decisions.rank(ids)
        for _, tied in groupby(sorted(ids, key=rank.__getitem__), key=rank.__getitem__):
            group = tuple(tied)
            found.append((place, group))
            place += len(group)
    return found


def _row(
    each: Assessment,
    screened: Sequence[str],
    placed: tuple[int, tuple[str, ...]] | None,
    decisions: Decisions,
) -> Row:
    id_ = each.entry.id
    place, group = placed if placed is not None else (None, ())
    tied = tuple(other for other in group if other != id_)
    if each.entry.withdrawn:
        reason = each.entry.steps[-1].reason
        return Row(each, Fate.WITHDRAWN, None, (), reason)
    if id_ in screened:
        return Row(each, Fate.SCREENED, place, tied, _moment(each))
    if each.state is State.FAILS:
        reasons = (answer.reason or answer.item.words for answer in each.broken)
        return Row(each, Fate.FAILS, None, (), "; ".join(reasons))
    if each.state is State.OPEN:
        asked = ", ".join(item.id for item in each.open)
        return Row(each, Fate.OPEN, None, (), f"not answered yet: {asked}")
    return Row(each, Fate.WAITS, place, tied, _moment(each))


def _moment(each: Assessment) -> str:
    form = each.entry.form
    at = "" if form.posted_at is None else f" at {form.posted_at:%H:%M:%S}".removesuffix(":00")
    return f"posted on {form.posted}{at}"


def _words(
    rows: Sequence[Row],
    screened: Sequence[str],
    inside: Sequence[str],
    decisions: Decisions,
    open_: Sequence[str],
    table: SeasonTable,
    prizes: PrizesTable,
) -> Iterable[str]:
    if decisions.begun is not None:
        yield from _since(rows, screened)
        return
    if open_:
        yield (
            f"This may change: {listed(open_)} {'is' if len(open_) == 1 else 'are'} still to be "
            "tested."
        )
    complying = [row.id for row in rows if row.place is not None]
    if len(complying) > len(inside):
        yield (
            f"{_many(len(complying))} comply; those with the earliest posting go on "
            f"({RULES['1/first'].quoted()})."
        )
    if len(inside) > table.screened:
        last = next(row for row in reversed(rows) if row.id in inside)
        yield (
            f"{listed(sorted((last.id, *last.tied), key=natural))} were posted and received at one "
            f"moment, and the cut at {table.screened} goes through them: all of them go on, unless "
            "the organizer decides who goes before whom (`loebner screen go-on CONTEST decide`)."
        )
    if rows:
        yield from _few(inside, open_, table, prizes)
    else:
        yield "The register is empty."


def _since(rows: Sequence[Row], screened: Sequence[str]) -> Iterable[str]:
    """What is to be said of a list that stands."""
    yield (
        f"Screening has begun with {_many(len(screened))}: the list stands, and nobody moves up "
        "any more."
    )
    on_list = [row for row in rows if row.id in screened]
    gone = [row.id for row in on_list if row.fate is Fate.WITHDRAWN]
    if gone:
        yield f"Withdrawn since: {listed(gone)}."
    for row in on_list:
        if row.fate is Fate.SCREENED and row.assessment.state in _NOW:
            yield f"{row.id} is on the list and {_NOW[row.assessment.state]} by what is known now."
    latest = max((priority(row.assessment.entry.form) for row in on_list), default=None)
    for row in rows:
        if (
            row.fate is Fate.WAITS
            and latest is not None
            and priority(row.assessment.entry.form) < latest
        ):
            yield f"{row.id} is not on the list and was posted before one that is."


_NOW = {State.FAILS: "does not comply", State.OPEN: "is to be tested anew"}


def _few(
    inside: Sequence[str], open_: Sequence[str], table: SeasonTable, prizes: PrizesTable
) -> Iterable[str]:
    if inside or open_:
        if len(inside) < table.finalists and not open_:
            yield (
                f"{_many(len(inside))} {'complies' if len(inside) == 1 else 'comply'}, fewer than "
                f"the {table.finalists} finalists: whoever complies is a finalist, and the other "
                "places stay empty, or are taken by programs that anybody can have "
                f"({RULES['3/open-source'].quoted()})."
            )
        return
    money = f"{prizes.currency} {sum(prizes.places)}".strip()
    none = Finding(
        "1/none",
        f"No entry complies: the prize money, {money}, is added to that of the next year, whose "
        "competition is held under these rules",
    )
    yield f"{none.in_full()}."


def _many(number: int) -> str:
    return f"{number} entr{'y' if number == 1 else 'ies'}"
