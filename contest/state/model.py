"""The state of a contest: plain data that `contest.state.reducer` builds from events.

msgspec can encode all of it. Times are nanoseconds of the contest's clock. Dictionaries are keyed
by names such as `2.1` (round and attempt), `2.1.J3` (a judge's desk in that attempt) and
`2.1.J3.left` (a talk).
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from msgspec import Struct, field

from contest.record import bodies
from contest.record.bodies import Author, Place
from contest.record.events import Event


class Attempt(Struct):
    """An attempt at a round, with the clock of its pairings. Times are None until they are known.

    Attributes:
        number: the round.
        opened_ns, started_ns: when it was prepared; when the interaction began.
        ended_ns: when the end of the interaction was recorded; by the clock, the interaction may
            have ended a moment earlier.
        closed_ns: when it was closed, with the heads of its talks.
        cut_ns, shut_ns: when the organizer ended the interaction, or the scoring, early.
        seconds: how long the interaction lasts, with all extensions.
        end_reason: `time`, or the organizer's reason.
        pauses: (from, to, reason) each; `to` is None while the pause lasts. They do not overlap.
        paused_by: who made the last pause: an event's actor, such as `server` or `organizer`.
        extensions: (when, seconds, reason) each.
        reason: why the clock is stopped, or was stopped early.
        counts: whether this is the round's attempt that counts: the last one that was closed and
            not voided.
        voided: why the organizer voided it, or None.
        talks: the ids of its talks, in the order in which they were opened.
    """

    number: int
    attempt: int
    opened_ns: int
    started_ns: int | None = None
    ended_ns: int | None = None
    closed_ns: int | None = None
    cut_ns: int | None = None
    shut_ns: int | None = None
    seconds: int | None = None
    end_reason: str = ""
    pauses: list[tuple[int, int | None, str]] = field(default_factory=list)
    paused_by: str = ""
    extensions: list[tuple[int, int, str]] = field(default_factory=list)
    reason: str = ""
    counts: bool = False
    voided: str | None = None
    talks: list[str] = field(default_factory=list)

    def offset_ns(self, mono_ns: int) -> int | None:
        """The interaction's own time at a moment: nanoseconds since it began, without the pauses.
        Negative before it began; None if it never did."""
        if self.started_ns is None:
            return None
        out = sum(
            max(0, (mono_ns if to is None else min(to, mono_ns)) - since)
            for since, to, _ in self.pauses
        )
        return mono_ns - self.started_ns - out


class Talk(Struct):
    """A talk: a judge with one entity.

    Attributes:
        id: its name, which is also the name of its chain.
        side: where the entity sits.
        opened_ns, closed_ns: when its chain began and was closed.
        turns: the persons at the judge's and the entity's seat, by their turns; see `consents`.
        voided: why the organizer voided it, or None.
        shown: the author, and the name that others receive, of each key that is shown, in order.
        shown_ns: when each of these keys was received.
        seqs: the numbers of their events, by author.
        accepted: the highest number of a person's key that was accepted from each author.
        last_number: the number of the entry's last key; -1 before the first.
        untimed: the event numbers of keys in phase whose times are not recorded yet.
        begun: whether the judge has pressed a key that types something.
    """

    id: str
    round: int
    attempt: int
    judge: str
    entity: str
    side: Place
    opened_ns: int = 0
    closed_ns: int | None = None
    turns: tuple[int, int] = (0, 0)
    voided: str | None = None
    shown: list[tuple[Author, str]] = field(default_factory=list)
    shown_ns: list[int] = field(default_factory=list)
    seqs: dict[Author, list[int]] = field(default_factory=lambda: {"judge": [], "entity": []})
    accepted: dict[Author, int] = field(default_factory=lambda: {"judge": 0, "entity": 0})
    last_number: int = -1
    untimed: set[int] = field(default_factory=set)
    begun: bool = False

    @property
    def open(self) -> bool:
        """Whether its round is not closed yet."""
        return self.closed_ns is None


_Decision = TypeVar("_Decision")


class Latest(Struct, Generic[_Decision], frozen=True):
    """A person's valid verdict, ranking or answer about publication, which is the one with the
    highest version: its event's contents, and whether part of it must not be published."""

    seq: int
    at: str
    mono_ns: int
    redacted: bool
    body: _Decision


Verdict = Latest[bodies.VerdictGiven]
Ranking = Latest[bodies.RankingGiven]
Consent = Latest[bodies.ConsentGiven]


class Occupant(Struct):
    """A person at a seat: the name, from the settings or, for a replacement, from the organizer;
    the valid answer about publication."""

    name: str
    consent: Consent | None = None


class Proposal(Struct, frozen=True):
    """An order that the `organizer` or the `witness` proposed."""

    by: str
    body: bodies.OrderProposed


class Incident(Struct, frozen=True):
    """Something that went wrong, or something that a person did about it.

    Attributes:
        event: its event, or the first event if it covers several; without hashes.
        who: an id or a place.
        count: how many events it covers.
    """

    event: Event
    who: str
    count: int = 1


class State(Struct):
    """The state of a contest, as recorded so far.

    Attributes:
        contest_id: identifies this contest among all others.
        schedule: in its JSON form, with all changes so far.
        first_at, first_ns: real time and the contest's clock at the first event.
        attempts: the attempts that were opened, in order, by round and attempt.
        again: whether the last attempt's round will be played again.
        stopped: the last round that is played, and why the organizer stopped the contest after it.
        last_close: the number of the event that closed the last attempt.
        seals, verdicts: by desk.
        excluded: judge to the organizer's reason for excluding the judge's ballot.
        persons: seat to the persons who sat there, in turn.
        ranking_opened, ranking_closed: when the judges were asked to rank; why the organizer closed
            the ranking early.
        asked: the judges who were asked to rank, because they met somebody.
        shown: the steps of the result that were shown to the public, in order.
        final, final_by: the event body that declared the result final; who declared it and, where
            two persons are needed, who confirmed it.
        proposals: orders that one person proposed and a second must confirm, by number.
        settled: the outcome of the other proposals, in words.
        connected: the seats with a connected console.
        used_codes: the seats and entries whose current code was used.
        programs: entry to whether its program runs.
        program_used_in: entry to the round of its last talk, unless its program was started since.
        names: entry to the names of its directories recorded since the last attempt was opened: the
            latest ones, as many as a link remembers.
        differing_desks: the desks for which a difference of delays was recorded.
        repeated: for each entry, rule and talk, the index of the incident that counts its breaches.
        last_talk: entity to its last talk.
    """

    opened: bodies.ContestOpened | None = None
    contest_id: str = ""
    schedule: dict[str, Any] = field(default_factory=dict)
    scoring_ns: int = 0
    ranking_ns: int = 0
    first_at: str = ""
    first_ns: int = 0
    last_seq: int = 0
    last_ns: int = 0
    attempts: dict[str, Attempt] = field(default_factory=dict)
    talks: dict[str, Talk] = field(default_factory=dict)
    again: bool = False
    stopped: tuple[int, str] | None = None
    last_close: int = 0
    seals: dict[str, str] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    rankings: dict[str, Ranking] = field(default_factory=dict)
    excluded: dict[str, str] = field(default_factory=dict)
    entries: set[str] = field(default_factory=set)
    persons: dict[str, list[Occupant]] = field(default_factory=dict)
    ranking_opened: int | None = None
    asked: set[str] = field(default_factory=set)
    ranking_closed: str | None = None
    revealed: bool = False
    result: bodies.Result | None = None
    shown: list[str] = field(default_factory=list)
    final: bodies.DeclaredFinal | None = None
    final_by: list[str] = field(default_factory=list)
    closed: bool = False
    proposals: dict[int, Proposal] = field(default_factory=dict)
    settled: dict[int, str] = field(default_factory=dict)
    connected: set[str] = field(default_factory=set)
    used_codes: set[str] = field(default_factory=set)
    programs: dict[str, bool] = field(default_factory=dict)
    program_used_in: dict[str, int] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    differing_desks: set[str] = field(default_factory=set)
    incidents: list[Incident] = field(default_factory=list)
    repeated: dict[str, int] = field(default_factory=dict)
    last_talk: dict[str, str] = field(default_factory=dict)

    @property
    def attempt(self) -> Attempt | None:
        """The attempt that was opened last."""
        return next(reversed(self.attempts.values()), None)

    def void_reason(
        self, number: int, attempt: int, judge: str, side: Place | None = None
    ) -> str | None:
        """Why an attempt was voided, or a judge's talk in it on this side (by default, on either);
        None if neither was."""
        found = self.attempts.get(f"{number}.{attempt}")
        if found is not None and found.voided is not None:
            return found.voided
        for each in ("left", "right") if side is None else (side,):
            talk = self.talks.get(bodies.talk_id(number, attempt, judge, each))
            if talk is not None and talk.voided is not None:
                return talk.voided
        return None


def desk(number: int, attempt: int, judge: str) -> str:
    """The name of a judge's desk in an attempt, such as `2.1.J3`."""
    return f"{number}.{attempt}.{judge}"


def people_in(settings: dict[str, Any], *roles: str) -> dict[str, dict[str, Any]]:
    """The settings' tables of the participants with these roles, by id, in order.

    Arguments:
        settings: contest.toml as recorded; malformed tables are left out.
        roles: some of `judge`, `entry` and `confederate`.
    """
    found: dict[str, dict[str, Any]] = {}
    for role in roles:
        tables = settings.get(role)
        for table in tables if isinstance(tables, list | tuple) else ():
            if isinstance(table, dict) and isinstance(table.get("id"), str):
                found[table["id"]] = table
    return found
