"""What a record says, as frozen values: rounds with their attempts, talks with their keys,
verdicts, rankings. `contest.history.timeline` reads them out of events.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from contest.record.bodies import Author, Place, Result
from contest.state.model import Attempt, Incident


@dataclass(frozen=True, slots=True)
class KeyView:
    """A key press of a talk.

    Attributes:
        seq: its event's number.
        mono_ns: when it was received, by the contest's clock, in nanoseconds.
        at_us: the same by the server's real clock, in microseconds since 1970, UTC.
        author, side, key, n, raw, rules, out_of_phase: see `contest.record.bodies.Key`.
        durable_ns: when it was durable, or None where that is not on record.
        shown_ns: when it was shown, or None if it was not, or that is not on record.
    """

    seq: int
    mono_ns: int
    at_us: int
    author: Author
    side: Place
    key: str
    n: int
    raw: str | None
    rules: tuple[str, ...]
    out_of_phase: str | None
    durable_ns: int | None
    shown_ns: int | None


@dataclass(frozen=True, slots=True)
class TalkView:
    """A talk: a judge with one entity at one side.

    Attributes:
        id: its name, and its chain's.
        round, attempt: which.
        counts: whether its attempt counts, and it was not voided.
        judge, entity: who.
        side: where the entity sits.
        timing: the attempt that it belongs to.
        load: gives the talk's keys; see `keys`.
        opened_ns, closed_ns: when its chain began and was closed.
        withheld: whether it is left out at the wish of a participant; it has no keys then.
        voided: why the organizer took it, or its attempt, out of the count, or None.
        turns: who sat at the judge's and at the entity's seat: how many persons did before.
    """

    id: str
    round: int
    attempt: int
    counts: bool
    judge: str
    entity: str
    side: Place
    timing: Attempt | None
    load: Callable[[], Sequence[KeyView]] = field(repr=False, compare=False)
    opened_ns: int
    closed_ns: int | None
    withheld: bool = False
    voided: str | None = None
    turns: tuple[int, int] = (0, 0)

    @property
    def keys(self) -> Sequence[KeyView]:
        """The keys in the order of the record, those out of phase among them. They are read when
        they are asked for: a contest's may not fit into memory, a talk's do.

        Raises:
            RecordTrouble: if they can't be read.
        """
        return self.load()

    @property
    def started_ns(self) -> int | None:
        """When the interaction began."""
        return None if self.timing is None else self.timing.started_ns

    @property
    def ended_ns(self) -> int | None:
        """When it ended."""
        return None if self.timing is None else self.timing.ended_ns

    def shown(self, author: Author | None = None) -> list[KeyView]:
        """The keys that were shown: those in phase, of one author or of both."""
        return [k for k in self.keys if k.out_of_phase is None and author in (None, k.author)]


@dataclass(frozen=True, slots=True)
class VerdictView:
    """A judge's last word on an attempt; see `contest.record.bodies.VerdictGiven`. `reason` is
    None, and `confidence` may be, where it may not be published. It does not count where its
    attempt does not, or one of both talks was voided; `voided` is why, then, or None."""

    seq: int
    round: int
    attempt: int
    counts: bool
    judge: str
    human: Place
    version: int
    confidence: int | None
    reason: str | None
    voided: str | None = None


@dataclass(frozen=True, slots=True)
class RankingView:
    """A judge's last ballot; see `contest.record.bodies.RankingGiven`. `excluded` is why the
    organizer has taken it out of the count, or None."""

    seq: int
    judge: str
    version: int
    ranks: Mapping[str, int]
    talks: Mapping[str, tuple[str, ...]]
    excluded: str | None = None


@dataclass(frozen=True, slots=True)
class SideView:
    """A side that was sealed; `human` and `nonce` are None before the reveal."""

    round: int
    attempt: int
    judge: str
    seal: str
    human: Place | None
    nonce: str | None


@dataclass(frozen=True, slots=True)
class Person:
    """A judge, an entry or a confederate, as the settings of the record have them.

    Attributes:
        id: such as J1, E1, C1.
        role: `judge`, `entry` or `confederate`.
        name: to be shown; the id where no name is set.
        entrant: of an entry, who entered it.
        withheld: whether nothing of this person is published; the name is the id then.
        before: who sat at this seat before, and was replaced, the first one first.
    """

    id: str
    role: str
    name: str
    entrant: str = ""
    withheld: bool = False
    before: tuple[Person, ...] = ()


@dataclass(frozen=True, slots=True)
class ContestView:
    """A whole contest, as far as its record goes.

    Attributes:
        settings: contest.toml as the record has it.
        schedule: the schedule in its JSON form, with all changes that were made.
        program: the program that kept the record.
        speed: thousandths of real time at which it was played.
        people: id to person, judges, entries and confederates in the order of the settings.
        rounds: all attempts at all rounds, in their order.
        talks: all talks, in the order of rounds, attempts, judges and sides.
        verdicts: the last of each judge in each attempt.
        rankings: the last of each judge.
        sides: where the humans sit, sealed or revealed.
        revealed: whether the sides were revealed.
        result: the last official result on record, or None.
        shown: the steps of the result that the organizer has shown to the public; see
            `contest.results.revealing`, which also knows of contests that show all at their end.
        final: why the organizer declared the result final, or None; `open_at_end` is what was open
            then and is not waited for, in words, and `final_by` who declared it, and who
            confirmed that where it takes two.
        incidents: in the order of the record.
        events: how many events there are.
        head: the hash of the last event of the contest's own chain.
        first_at, first_ns: wall time and contest's clock of the first event.
        last_ns: the contest's clock at the last event.
        is_closed: whether the contest was closed.
        stopped: the last round that is played, and why the organizer stopped the contest after it;
            None if all rounds of the schedule are to be played.
    """

    settings: Mapping[str, Any]
    schedule: Mapping[str, Any]
    program: str
    speed: int
    people: Mapping[str, Person]
    rounds: tuple[Attempt, ...]
    talks: tuple[TalkView, ...]
    verdicts: tuple[VerdictView, ...]
    rankings: tuple[RankingView, ...]
    sides: tuple[SideView, ...]
    revealed: bool
    result: Result | None
    incidents: tuple[Incident, ...]
    events: int
    head: str
    first_at: str
    first_ns: int
    last_ns: int
    is_closed: bool
    shown: tuple[str, ...] = ()
    final: str | None = None
    open_at_end: tuple[str, ...] = ()
    final_by: tuple[str, ...] = ()
    stopped: tuple[int, str] | None = None

    @property
    def not_played(self) -> range:
        """The rounds of the schedule that will not be played, as the contest was stopped."""
        if self.stopped is None:
            return range(0)
        return range(self.stopped[0] + 1, len(self.schedule["rounds"]) + 1)

    def name(self, who: str) -> str:
        """The name to show for an id, of who sits there now; the id itself for one that the
        settings do not know."""
        person = self.people.get(who)
        return who if person is None else person.name

    def name_in(self, talk: TalkView, who: str) -> str:
        """The name to show for the judge or the entity of a talk: of who sat there then."""
        person = self.people.get(who)
        if person is None:
            return who
        turn = talk.turns[0 if who == talk.judge else 1]
        return (*person.before, person)[min(turn, len(person.before))].name

    def is_entry(self, who: str) -> bool:
        """Whether an id is an entry's."""
        person = self.people.get(who)
        return person is not None and person.role == "entry"

    def wall(self, mono_ns: int) -> dt.datetime:
        """The wall time of a moment by the contest's clock, in UTC: the first event's, plus what
        the clock says has passed. So the times of a contest at a higher speed are consistent."""
        first = dt.datetime.fromisoformat(self.first_at)
        return first + dt.timedelta(microseconds=(mono_ns - self.first_ns) // 1000)

    def wall_text(self, mono_ns: int) -> str:
        """The same as the record writes times: RFC 3339, UTC, microseconds."""
        return self.wall(mono_ns).isoformat(timespec="microseconds").replace("+00:00", "Z")


def people_of(settings: Mapping[str, Any]) -> dict[str, Person]:
    """All whom a contest's settings name, by their ids: judges, entries, confederates.

    Arguments:
        settings: contest.toml as the record has it; what is not of its form is left out.
    """
    people: dict[str, Person] = {}
    for role in ("judge", "entry", "confederate"):
        tables = settings.get(role)
        for table in tables if isinstance(tables, list | tuple) else ():
            if isinstance(table, dict) and isinstance(table.get("id"), str):
                name = str(table.get("name") or table["id"])
                entrant = str(table.get("entrant") or "")
                people[table["id"]] = Person(table["id"], role, name, entrant)
    return people
