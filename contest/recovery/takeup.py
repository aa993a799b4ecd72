"""Taking a contest up again: what the record says of where it was when its server ended.

`Begun` takes the events of a record one after another, and is then all that the server needs to go
on: rounds, talks as everybody saw them, what was decided, who was there. It computes from the
events alone, without any I/O; `contest.serving.set_up` builds the contest anew from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import msgspec

import scheduler
from contest.errors import RecordTrouble
from contest.history.phases import RoundTimes
from contest.history.swapping import schedule_after
from contest.record import bodies
from contest.record.bodies import AnyBody
from contest.record.body import Body
from contest.record.events import Event
from contest.setup.settings import FILE_NAME, Settings
from contest.talks.decisions import Decision
from contest.talks.hub import Talk, restore_key, restore_times

_SECOND = 1_000_000_000
#: Tables of the settings that are this machine's own, and can be mended in the middle of a contest.
_OWN = ("links", "record", "server", "spectators")
#: Names of an entry's directories that its link remembers.
REMEMBERED = 50_000

_OF_RESULT = (bodies.Result, bodies.Revealed, bodies.DeclaredFinal)
_DECISIONS = (
    bodies.VerdictGiven,
    bodies.RankingGiven,
    bodies.ConsentGiven,
    bodies.PersonReplaced,
)


@dataclass
class Attempt:
    """An attempt at a round that was opened.

    Attributes:
        times: what has happened in it, in seconds of the contest's clock.
        scored: whether the end of its interaction is on record.
        closed: whether the end of its scoring is, with the heads of its talks.
        talks: of each talk that was opened, its name.
        sealed: judges whose side is sealed in the record.
        reason: of the pause that lasts.
    """

    round: int
    attempt: int
    times: RoundTimes
    scored: bool = False
    closed: bool = False
    talks: list[str] = field(default_factory=list)
    sealed: set[str] = field(default_factory=set)
    reason: str = ""


@dataclass
class Begun:
    """What is known of a contest that was begun: all of it plain data, which
    `contest.recovery.snapshot` writes down and reads.

    Attributes:
        attempts: those that were opened, in the order of the record.
        talks: name to talk, as the hub had it.
        again: whether the last attempt is to be followed by another.
        stopped: whether no more rounds are to be played.
        voided: what was taken out of the count.
        ranking_opened: when, in seconds of the contest's clock; None before.
        ranking_closed: whether the organizer has closed the ranking.
        revealed: whether the sides are revealed.
        has_result: whether the result is on record.
        closed: whether the record is.
        here: the seats where a console was.
        names: entry id to the names of its directories that are on record since the last attempt
            was opened: the latest, as many as a link remembers.
        programs: entry id to whether its program ran.
        kept: all events but key presses and their times.
        last_seq: the number of the last event.
        last_ns: its time by the contest's clock.
        contest: the contest as it was set; None before it is opened.
        contest_id: what tells this contest from any other.
    """

    attempts: list[Attempt] = field(default_factory=list)
    talks: dict[str, Talk] = field(default_factory=dict)
    again: bool = False
    stopped: bool = False
    voided: set[str] = field(default_factory=set)
    ranking_opened: float | None = None
    ranking_closed: bool = False
    revealed: bool = False
    has_result: bool = False
    closed: bool = False
    here: set[str] = field(default_factory=set)
    names: dict[str, list[str]] = field(default_factory=dict)
    programs: dict[str, bool] = field(default_factory=dict)
    kept: list[Event] = field(default_factory=list)
    last_seq: int = 0
    last_ns: int = 0
    contest: bodies.ContestOpened | None = None
    contest_id: str = ""

    @classmethod
    def of(cls, events: Iterable[Event]) -> Begun:
        """What the events of a record say.

        Raises:
            RecordTrouble: if one of them is of no known kind or form.
        """
        begun = cls()
        for event in events:
            begun.take(event)
        return begun

    @property
    def opened(self) -> bodies.ContestOpened:
        """The contest as it was set.

        Raises:
            RecordTrouble: if no event has opened a contest.
        """
        if self.contest is None:
            raise RecordTrouble("the record holds no event that opens a contest")
        return self.contest

    @property
    def ended(self) -> list[AnyBody]:
        """The result, and what the organizer has shown of it and said to it, in order."""
        return [bodies.from_json(event.kind, event.body) for event in self._kept(_OF_RESULT)]

    @property
    def changes(self) -> list[bodies.ScheduleChanged]:
        """Of the schedule, in order."""
        kept = self._kept((bodies.ScheduleChanged,))
        return [msgspec.convert(event.body, bodies.ScheduleChanged) for event in kept]

    @property
    def decided(self) -> list[tuple[Event, Decision]]:
        """All that judges and confederates have decided, and where one of them was replaced, in
        the order of the record."""
        structs: dict[str, type[Decision]] = {struct.kind: struct for struct in _DECISIONS}
        kept = self._kept(_DECISIONS)
        return [(event, msgspec.convert(event.body, structs[event.kind])) for event in kept]

    def _kept(self, structs: Iterable[type[Body]]) -> Iterator[Event]:
        kinds = {struct.kind for struct in structs}
        return (event for event in self.kept if event.kind in kinds)

    @property
    def now(self) -> float:
        """Where the contest's clock was, in seconds."""
        return self.last_ns / _SECOND

    def take(self, event: Event) -> None:
        """Takes the next event.

        Raises:
            RecordTrouble: if it is of no known kind or form.
        """
        try:
            body = bodies.from_json(event.kind, event.body)
        except ValueError as exc:
            raise RecordTrouble(
                f"event {event.seq} of the record can't be used ({exc}); "
                "run `loebner verify` on this contest"
            ) from exc
        if event.kind not in (bodies.Key.kind, bodies.Times.kind):
            self.kept.append(event)
        self.last_seq = event.seq
        self.last_ns = max(self.last_ns, event.mono_ns)
        if event.talk is None:
            self._take_contest(event, body)
        else:
            self._take_talk(event.talk, event, body)

    # A talk

    def _take_talk(self, name: str, event: Event, body: AnyBody) -> None:
        if isinstance(body, bodies.TalkOpened):
            talk = Talk(name, body.round, body.attempt, body.judge, body.entity, body.side)
            self.talks[name] = talk
            attempt = self._attempt(body.round, body.attempt)
            attempt.talks.append(name)
            return
        talk = self._talk(name, event)
        match body:
            case bodies.Key():
                restore_key(talk, event, body)
                if body.raw is not None:
                    self._name(talk.entity, body.raw)
            case bodies.Times():
                restore_times(talk, body)
            case bodies.TalkClosed():
                talk.open = False
                talk.times.clear()  # what is not on record by now is not known
            case _:
                pass

    def _talk(self, name: str, event: Event) -> Talk:
        if name not in self.talks:
            raise RecordTrouble(f"event {event.seq} of the record: talk {name} was never opened")
        return self.talks[name]

    # The contest

    def _take_contest(self, event: Event, body: AnyBody) -> None:
        now = event.mono_ns / _SECOND
        match body:
            case bodies.ContestOpened():
                if self.contest is None:
                    self.contest, self.contest_id = body, event.hash[:16]
            case bodies.SeatJoined():
                self.here.add(body.seat)
            case bodies.SeatLeft():
                self.here.discard(body.seat)
            case bodies.EntryStarted():
                self.programs[body.entry] = True
            case bodies.EntryExited():
                self.programs[body.entry] = False
            case bodies.Breach():
                self._name(body.entry, body.name)
            case bodies.SideSealed():
                self._attempt(body.round, body.attempt).sealed.add(body.judge)
            case bodies.Voided():
                self.voided.add(body.talk or f"{body.round}.{body.attempt}")
            case bodies.BallotExcluded():
                self.voided.add(body.judge)
            case bodies.RoundsStopped():
                self.stopped = True
                if not self.attempts or self.attempts[-1].closed:
                    self.again = False
            case bodies.RankingOpened():
                self.ranking_opened = now
            case bodies.RankingClosed():
                self.ranking_closed = True
            case bodies.SidesRevealed():
                self.revealed = True
            case bodies.Result() | bodies.Revealed() | bodies.DeclaredFinal():
                self.has_result = True
            case bodies.ContestClosed():
                self.closed = True
            case _:
                self._take_round(event, now, body)

    def _take_round(self, event: Event, now: float, body: AnyBody) -> None:
        match body:
            case bodies.RoundOpened():
                self.attempts.append(Attempt(body.round, body.attempt, RoundTimes(opened=now)))
                self.again = False
                self.names.clear()
            case bodies.RoundStarted():
                attempt = self._attempt(body.round, body.attempt)
                attempt.times = replace(attempt.times, started=now)
            case bodies.RoundPaused():
                attempt = self._attempt(body.round, body.attempt)
                attempt.times, attempt.reason = attempt.times.paused(now), body.reason
            case bodies.RoundResumed():
                attempt = self._attempt(body.round, body.attempt)
                attempt.times, attempt.reason = attempt.times.resumed(now), ""
            case bodies.RoundExtended():
                attempt = self._attempt(body.round, body.attempt)
                extended = attempt.times.extended + body.seconds
                attempt.times = replace(attempt.times, extended=extended)
            case bodies.RoundEnded():
                attempt = self._attempt(body.round, body.attempt)
                attempt.scored = True
                if event.actor != "server":  # who ends it before its time is the organizer
                    attempt.times, attempt.reason = _ended(attempt.times, now), body.reason
            case bodies.ScoringClosed():
                attempt = self._attempt(body.round, body.attempt)
                attempt.times, attempt.reason = _closed(attempt.times, now), body.reason
            case bodies.RoundClosed():
                attempt = self._attempt(body.round, body.attempt)
                attempt.times, attempt.closed = _closed(attempt.times, now), True
            case bodies.RoundAgain():
                self.again = True
                attempt = self._attempt(body.round, body.attempt)
                if not attempt.closed:
                    ended = attempt.times if attempt.scored else _ended(attempt.times, now)
                    attempt.times, attempt.reason = _closed(ended, now), body.reason
            case _:
                pass

    def _name(self, entry: str, name: str) -> None:
        names = self.names.setdefault(entry, [])
        names.append(name)
        if len(names) >= 2 * REMEMBERED:
            del names[:-REMEMBERED]

    def _attempt(self, round_: int, attempt: int) -> Attempt:
        for each in reversed(self.attempts):
            if (each.round, each.attempt) == (round_, attempt):
                return each
        raise RecordTrouble(
            f"the record tells of round {round_}, attempt {attempt}, which was never opened; "
            "run `loebner verify` on this contest"
        )


def _ended(times: RoundTimes, now: float) -> RoundTimes:
    return replace(times, ended=now if times.ended is None else times.ended)


def _closed(times: RoundTimes, now: float) -> RoundTimes:
    return replace(times, closed=now if times.closed is None else times.closed)


def schedule_in(begun: Begun) -> scheduler.Schedule:
    """The schedule that a contest was opened with.

    Raises:
        RecordTrouble: if it is none.
    """
    try:
        rounds = schedule_after(begun.opened.schedule, begun.changes)
        schedule = scheduler.read_schedule(json.dumps(rounds), "the record")
    except scheduler.SchedulerError as exc:
        raise RecordTrouble(str(exc)) from exc
    if not isinstance(schedule, scheduler.Schedule):
        raise RecordTrouble("the schedule in the record has no rounds")
    return schedule


def settings_of(begun: Begun, file: Settings) -> tuple[Settings, list[str]]:
    """The settings that a contest goes on with: those that it was opened with, but for what belongs
    to this machine, and to those who look on.

    Arguments:
        begun: what the record says.
        file: what contest.toml says now: from there come where the record is, and how entries are
            started.

    Returns:
        The settings, and in words what contest.toml says otherwise and does not hold.

    Raises:
        RecordTrouble: if the record's settings can't be used.
    """
    try:
        kept = msgspec.convert(dict(begun.opened.settings), Settings, strict=False)
    except msgspec.ValidationError as exc:
        raise RecordTrouble(f"the settings in the record can't be used ({exc})") from exc
    ways = {entry.id: entry for entry in file.entry}
    entries = tuple(
        msgspec.structs.replace(
            entry,
            command=ways[entry.id].command,
            directory=ways[entry.id].directory,
            link=ways[entry.id].link,
        )
        if entry.id in ways
        else entry
        for entry in kept.entry
    )
    own = {name: getattr(file, name) for name in file.__struct_fields__ if name in _OWN}
    settings = msgspec.structs.replace(kept, entry=entries, **own)
    # The text that people agree to stands in the record even where the file has none.
    said = msgspec.structs.replace(file.publication, text=kept.publication.text)
    now = msgspec.structs.replace(file, publication=said)
    names = [name for name in settings.__struct_fields__ if name not in _OWN]
    return settings, [
        f"{FILE_NAME} says something else under {name!r} than the contest was opened with; "
        "that does not hold any more"
        for name in names
        if getattr(settings, name) != getattr(now, name)
    ]
