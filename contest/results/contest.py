"""A contest according to its record: who met whom, the keys of each talk, the tally, and whether
the result is final.

    contest = Contest.load(folder)        # as it may be published
    for talk in contest.talks:
        contest.keys(talk.id)
    contest.tally, contest.is_final

Everything except the keys comes from the state (`contest.state`), which here holds only what may be
published, so code that uses it need not check. An unfinished record is read up to its last event.

Judges see sides and labels; the tally counts entries and confederates. A verdict `left` means that
the judge took the entity on the left for the human. A ballot's labels refer to participants.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

import scheduler
from contest.errors import RecordTrouble
from contest.record import bodies, reading
from contest.record.bodies import Author
from contest.record.events import GENESIS, LARGEST, Event
from contest.record.reading import EventLog
from contest.setup.settings import prizes_in, rules_in
from contest.state.consents import withholds, withholds_talk
from contest.state.model import Attempt, Incident, State, Talk, Verdict, desk, people_in
from contest.state.publication import Published
from contest.state.reducer import body_of, take
from contest.state.schedules import read_schedule
from scheduler.texts import joined, listed
from texts import Sentence

#: Why a ballot does not count, in an official result.
_EXCLUDED = Sentence("result.excluded")
_EPOCH = dt.datetime.fromtimestamp(0, dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)

#: The schedule, the verdicts and the ballots that count.
Counted: TypeAlias = tuple[
    scheduler.Schedule, Sequence[scheduler.Verdict], Sequence[scheduler.Ballot]
]


def steps_of(state: State) -> list[str]:
    """The steps in which the result is revealed to the public, in order; none before the result is
    on record. They are `names` (who sat where), `table` (of the judges), then the places from last
    to first, shared ones together, as `place 4`, `place 2`, `place 1`, and `prizes`."""
    if state.result is None:
        return []
    places = sorted({each["place"] for each in state.result.entries}, reverse=True)
    return ["names", "table", *(f"place {place}" for place in places), "prizes"]


def shown_steps(state: State) -> list[str]:
    """The steps that the public may see now: those that the organizer has shown, or all once the
    contest is closed. Don't show anything of the other steps anywhere."""
    return [step for step in steps_of(state) if state.closed or step in state.shown]


class Key(msgspec.Struct, gc=False):
    """A key press of a talk.

    Attributes:
        seq: its event's number.
        mono_ns: when it was received, by the contest's clock, in nanoseconds.
        at_us: the same by the server's real clock, in microseconds since 1970, UTC.
        author, key, n, raw, rules, out_of_phase: see `contest.record.bodies.Key`.
        durable_ns: when it became durable, or None if that is not on record.
        shown_ns: when it was shown, or None if it was not shown or the time is not on record.
    """

    seq: int
    mono_ns: int
    at_us: int
    author: Author
    key: str
    n: int
    raw: str | None
    rules: tuple[str, ...]
    out_of_phase: str | None
    durable_ns: int | None = None
    shown_ns: int | None = None


class Contest:
    """A contest, up to the end of its record.

    Arguments:
        state: the fold of the record.
        log: the record, from which the keys of a talk are read on demand: a talk's keys fit into
            memory, a contest's may not.
        head: the hash of the last event of the contest's own chain.

    Attributes:
        state, log, head: the arguments.
        settings: contest.toml as recorded.

    Raises:
        RecordTrouble: if no event opens a contest.
    """

    def __init__(self, state: State, log: EventLog, head: str = GENESIS) -> None:
        if state.opened is None:
            raise RecordTrouble(Sentence("result.not_begun"))
        self.state, self.log, self.head = state, log, head
        self.settings: Mapping[str, Any] = state.opened.settings
        # Caches both talks of a desk, which are often needed together.
        self.keys = functools.lru_cache(maxsize=2)(self._keys)

    @classmethod
    def of(cls, log: EventLog) -> Contest:
        """A record's contest as it may be published. The record is read again for keys, so it must
        stay where it is.

        Raises:
            RecordTrouble: if no event opens a contest, or a body is malformed.
        """
        public = Published(log)
        state, head = State(), GENESIS
        for event in public.events(keys=False):
            take(state, event)
            if event.talk is None:
                head = event.hash
        return cls(state, public, head)

    @classmethod
    def load(cls, folder: Path) -> Contest:
        """The contest in a folder, as it may be published.

        Raises:
            NotAContest: if there is no such folder, or no record in it.
            RecordTrouble: if the record can't be read.
        """
        return cls.of(reading.open_log(folder))

    # Rounds, talks and keys

    @cached_property
    def attempts(self) -> Sequence[Attempt]:
        """All attempts at all rounds, in order."""
        return sorted(self.state.attempts.values(), key=lambda each: (each.number, each.attempt))

    @cached_property
    def talks(self) -> Sequence[Talk]:
        """All talks, in the order of rounds, attempts, judges and sides."""
        return sorted(
            self.state.talks.values(), key=lambda t: (t.round, t.attempt, t.judge, t.side)
        )

    @property
    def desks(self) -> list[list[Talk]]:
        """The talks of each judge in each attempt, in the same order."""
        by_desk = groupby(self.talks, key=lambda talk: (talk.round, talk.attempt, talk.judge))
        return [list(talks) for _, talks in by_desk]

    def attempt(self, talk: Talk) -> Attempt | None:
        """The attempt that a talk belongs to."""
        return self.state.attempts.get(f"{talk.round}.{talk.attempt}")

    def row(self, talk: Talk) -> dict[str, Any]:
        """The fields that identify a talk in tables and documents."""
        names = ("round", "attempt", "judge", "entity", "side")
        role = "entry" if self.is_entry(talk.entity) else "confederate"
        return {"talk": talk.id, **{name: getattr(talk, name) for name in names}, "role": role}

    def withheld(self, talk: Talk) -> bool:
        """Whether a talk is withheld at a participant's request; it then has no keys."""
        return withholds_talk(self.state, talk)

    def voided(self, talk: Talk) -> str | None:
        """Why the organizer voided a talk or its attempt; None if it is not void."""
        return self.state.void_reason(talk.round, talk.attempt, talk.judge, talk.side)

    def counts(self, talk: Talk) -> bool:
        """Whether a talk's attempt counts, and the talk was not voided."""
        attempt = self.attempt(talk)
        return attempt is not None and attempt.counts and talk.voided is None

    def verdict(self, talk: Talk) -> Verdict | None:
        """The judge's last verdict on the desk of a talk."""
        return self.state.verdicts.get(desk(talk.round, talk.attempt, talk.judge))

    def taken_for_human(self, talk: Talk) -> bool | None:
        """Whether the judge took the entity of a talk for the human; None without a verdict."""
        verdict = self.verdict(talk)
        return None if verdict is None else verdict.body.human == talk.side

    def shown(self, talk: Talk, author: Author | None = None) -> list[Key]:
        """The keys of a talk that were shown (those in phase), by one author or by both."""
        keys = self.keys(talk.id)
        return [k for k in keys if k.out_of_phase is None and author in (None, k.author)]

    def offset_ns(self, talk: Talk, mono_ns: int) -> int:
        """Converts a time by the contest's clock to nanoseconds since the interaction began, not
        counting pauses; or since the talk was opened, if no interaction is on record."""
        attempt = self.attempt(talk)
        offset = None if attempt is None else attempt.offset_ns(mono_ns)
        return mono_ns - talk.opened_ns if offset is None else offset

    def offset_ms(self, talk: Talk, mono_ns: int) -> int:
        """`offset_ns` in whole milliseconds."""
        return self.offset_ns(talk, mono_ns) // 1_000_000

    def length_ms(self, talk: Talk) -> int | None:
        """How long a talk's interaction lasted: until its end or, if it has none, its last key;
        None if it never began."""
        attempt = self.attempt(talk)
        if attempt is None or attempt.started_ns is None:
            return None
        keys = self.keys(talk.id)
        last = keys[-1].mono_ns if keys else attempt.started_ns
        return max(0, self.offset_ms(talk, last if attempt.ended_ns is None else attempt.ended_ns))

    def _keys(self, talk: str) -> Sequence[Key]:
        """The keys of a talk in the order of the record, including those out of phase; keys before
        the event that opens the talk are skipped.

        Raises:
            RecordTrouble: if they can't be read.
        """
        keys: dict[int, Key] = {}
        opened = False
        for event in self.log.events(talk):
            try:
                match body_of(event):
                    case bodies.TalkOpened():
                        opened = True
                    case bodies.Key() as body if opened:
                        keys[event.seq] = _key(event, body)
                    case bodies.Times(keys=rows) if opened:
                        for row in rows:
                            _add_times(keys, row)
                    case _:
                        pass
            except ValueError as exc:
                raise RecordTrouble(
                    f"event {event.seq} can't be used ({exc}); run `loebner verify` on this contest"
                ) from exc
        return list(keys.values())

    # People and times

    @cached_property
    def people(self) -> Mapping[str, Mapping[str, Any]]:
        """Id to table of the settings with a `role` added (`judge`, `entry` or `confederate`),
        ordered by role."""
        return {
            who: {**table, "role": role}
            for role in ("judge", "entry", "confederate")
            for who, table in people_in(dict(self.settings), role).items()
        }

    def names(self, who: str) -> list[tuple[str, bool]]:
        """The name to show for each successive person at a seat, and whether that person's data is
        withheld; the name is then the id."""
        first = self.people.get(who, {}).get("name") or who
        later = (each.name or who for each in self.state.persons.get(who, ())[1:])
        named = enumerate((str(first), *later))
        return [(name, withholds(self.state, who, turn)) for turn, name in named]

    def name(self, who: str) -> str:
        """The name to show for an id: that of the current person, or the id itself if unknown."""
        return self.names(who)[-1][0]

    def name_in(self, talk: Talk, who: str) -> str:
        """The name to show for the judge or the entity of a talk: the person's at the time."""
        names = self.names(who)
        return names[min(talk.turns[who != talk.judge], len(names) - 1)][0]

    def is_entry(self, who: str) -> bool:
        """Whether an id belongs to an entry."""
        return who in self.state.entries

    @property
    def speed(self) -> int:
        """The speed at which the contest was played, in thousandths of real time."""
        return 1000 if self.state.opened is None else self.state.opened.speed

    def wall(self, mono_ns: int) -> dt.datetime:
        """Converts a time by the contest's clock to wall time, in UTC: the first event's wall time
        plus the clock's difference. So the times of a contest at a higher speed are consistent."""
        first = dt.datetime.fromisoformat(self.state.first_at)
        return first + (mono_ns - self.state.first_ns) // 1000 * _MICROSECOND

    def wall_text(self, mono_ns: int) -> str:
        """`wall` as text in the record's format: RFC 3339, UTC, microseconds."""
        return time_text(self.wall(mono_ns))

    @property
    def incidents(self) -> list[Incident]:
        """The incidents, in the order of the record. Programs and seats that leave after the last
        round are not incidents."""
        farewells = (bodies.EntryExited.kind, bodies.SeatLeft.kind) if self.state.closed else ()
        return [
            each
            for each in self.state.incidents
            if each.event.kind not in farewells or each.event.seq < self.state.last_close
        ]

    # The tally

    @cached_property
    def schedule(self) -> scheduler.Schedule:
        """The schedule, with all changes.

        Raises:
            RecordTrouble: if the record's schedule can't be used; this applies to all below.
        """
        return read_schedule(self.state.schedule)

    @property
    def not_played(self) -> range:
        """The rounds of the schedule that will not be played because the contest was stopped."""
        if self.state.stopped is None:
            return range(0)
        return range(self.state.stopped[0] + 1, len(self.state.schedule["rounds"]) + 1)

    @cached_property
    def counted(self) -> Counted:
        """The schedule, the last verdict of each pairing in the attempt that counts, and the last
        ballot of each judge."""
        pairings = {(p.round, p.judge): p for p in self.schedule.pairings}
        verdicts = []
        for given in self.verdicts:
            body = given.body
            attempt = self.state.attempts.get(f"{body.round}.{body.attempt}")
            if attempt is None or not attempt.counts or self.void_reason(given) is not None:
                continue
            talk = bodies.talk_id(body.round, body.attempt, body.judge, body.human)
            taken = self.state.talks[talk].entity if talk in self.state.talks else None
            pairing = pairings.get((body.round, body.judge))
            # Skip a verdict that matches no pairing in the schedule; `verify` reports it.
            if pairing is not None and taken in (pairing.entry, pairing.confederate):
                entry = taken == pairing.entry
                choice = scheduler.Choice.ENTRY if entry else scheduler.Choice.CONFEDERATE
                verdicts.append(scheduler.Verdict(pairing, choice))
        ballots = [self._ballot(judge) for judge in sorted(self.state.rankings)]
        return self.schedule, verdicts, [ballot for ballot in ballots if ballot.ranks]

    @property
    def verdicts(self) -> list[Verdict]:
        """The last verdict on each desk, in the order of rounds, attempts and judges."""
        verdicts = self.state.verdicts.values()
        return sorted(verdicts, key=lambda v: (v.body.round, v.body.attempt, v.body.judge))

    def void_reason(self, given: Verdict) -> str | None:
        """Why a verdict does not count: its attempt, or one of its two talks, was voided."""
        return self.state.void_reason(given.body.round, given.body.attempt, given.body.judge)

    @cached_property
    def tally(self) -> scheduler.Tally:
        """The tally by the contest's own rules, up to the end of the record.

        Raises:
            RecordTrouble: if the record's schedule or rules can't be used, or its verdicts and
                ballots contradict the schedule.
        """
        tally = self._count()
        void = (Sentence("result.left_out", what=what, why=why) for what, why in self._left_out())
        return replace(tally, warnings=(*tally.warnings, *void))

    @cached_property
    def prizes(self) -> scheduler.Prizes:
        """The prizes that the settings offer."""
        return prizes_in(self.settings)

    def result(self) -> bodies.Result:
        """The official result, for the record: exact mean ranks as fractions in text ("13/4").

        Raises:
            RecordTrouble: see `tally`.
        """
        # Leave out the organizer's reasons, which may contain names that have to be withheld; an
        # official result can't be withheld.
        tally = self._count(reasons=False)
        exact = tally.as_json(str)
        return bodies.Result(
            **{part: exact[part] for part in ("table", "entries", "winners", "silver")},
            warnings=[*tally.warnings, *(what for what, _ in self._left_out())],
        )

    def _count(self, *, reasons: bool = True) -> scheduler.Tally:
        schedule, verdicts, ballots = self.counted
        rules = rules_in(self.settings)
        if not reasons:
            ballots = [replace(b, excluded=_EXCLUDED if b.excluded else "") for b in ballots]
        try:
            tally = scheduler.tally(verdicts, ballots, schedule, rules, self.not_played)
        except scheduler.SchedulerError as exc:
            raise RecordTrouble(Sentence("result.untallied", why=exc.args[0])) from exc
        if not self.state.revealed:
            return tally
        # A voided pairing that has not been played again stays without a verdict, so it isn't open.
        void = {(t.round, t.judge) for t in self.talks if self.voided(t) is not None}
        return replace(tally, open=tuple(p for p in tally.open if (p.round, p.judge) not in void))

    def _left_out(self) -> list[tuple[Sentence, str]]:
        """The verdicts on voided talks and the rounds that were not played, in words, each with the
        reason why it does not count."""
        found = []
        if self.state.stopped is not None and (rounds := [str(at) for at in self.not_played]):
            last, why = self.state.stopped
            fields = {"last": last, "n": len(rounds), "rounds": listed(rounds)}
            found = [(Sentence("result.stopped", **fields), why)]
        # The verdicts of an attempt that was replaced by a later one are not mentioned.
        played = {each.number: each.attempt for each in self.attempts if each.closed_ns is not None}
        for given in self.verdicts:
            void_reason = self.void_reason(given)
            if void_reason is not None and played.get(given.body.round) == given.body.attempt:
                where = {"judge": given.body.judge, "round": given.body.round}
                found.append((Sentence("result.voided", **where), void_reason))
        return found

    def _ballot(self, judge: str) -> scheduler.Ballot:
        body = self.state.rankings[judge].body
        ranks: dict[str, list[Fraction]] = {}
        for label, doubled in body.ranks.items():
            talks = (self.state.talks.get(talk) for talk in body.talks.get(label, ()))
            for who in sorted({talk.entity for talk in talks if talk is not None}):
                ranks.setdefault(who, []).append(Fraction(doubled, 2))
        return scheduler.Ballot.merged(judge, ranks, self.state.excluded.get(judge) or "")

    # Provisional or final

    @property
    def is_final(self) -> bool:
        """Whether the result is final. It is provisional until everything is in and the organizer
        has declared it final. A contest that runs without an organizer is final when it is closed
        with nothing open."""
        return self.state.closed and (not self.tally.open or self.state.final is not None)

    def state_in_words(self) -> str:
        """Whether the result is provisional or final, and why: a sentence that begins with
        `Provisional` or `Final`."""
        final = self.state.final
        if final is not None:
            by, *confirmed = (_person(who) for who in self.state.final_by)
            declared = Sentence("result.declared", by=by)
            for who in confirmed:
                declared = Sentence("result.confirmed", declared=declared, by=who)
            key, open_ = "final_open" if final.open else "final", "; ".join(final.open)
            return Sentence(f"result.{key}", declared=declared, reason=final.reason, open=open_)
        open_ = joined(self.still_open())
        key = "complete" if self.is_final else "provisional"
        return Sentence(f"result.{key}_open" if open_ else f"result.{key}", open=open_)

    def still_open(self) -> list[str]:
        """The items missing from the result, one string each: verdicts, round by round, and
        ballots of judges who have played. Rounds that will not be played are not missing."""
        played = {each.number for each in self.attempts if each.counts}
        waiting: dict[int, list[str]] = {}
        for pairing in sorted(self.tally.open):
            waiting.setdefault(pairing.round, []).append(pairing.judge)
        said: list[str] = [
            Sentence("result.no_verdict", round=number, judges=listed(judges))
            for number, judges in waiting.items()
            if number in played
        ]
        if rounds := [str(number) for number in waiting if number not in played]:
            said.append(Sentence("result.unplayed", n=len(rounds), rounds=listed(rounds)))
        ranked = {judge for judge, given in self.state.rankings.items() if given.body.ranks}
        lacking = {talk.judge for talk in self.talks if self.counts(talk)} - ranked
        if without := [judge for judge in self.tally.roster.judges if judge in lacking]:
            said.append(Sentence("result.no_ballot", judges=listed(without)))
        return said


def _person(who: str) -> str:
    """One of the two persons who can declare a result final; their roles are translated."""
    return Sentence(f"board.roles.{who}") if who in ("organizer", "witness") else who


def time_text(moment: dt.datetime) -> str:
    """A time in the record's format: RFC 3339, UTC, microseconds."""
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _key(event: Event, body: bodies.Key) -> Key:
    at_us = (dt.datetime.fromisoformat(event.at) - _EPOCH) // _MICROSECOND
    _require_small(event.seq, event.mono_ns, body.n)
    of = (body.author, body.key, body.n, body.raw, tuple(body.rules), body.out_of_phase)
    return Key(event.seq, event.mono_ns, at_us, *of)


def _add_times(keys: Mapping[int, Key], row: Sequence[int | None]) -> None:
    match row:
        case [int(seq), int() | None as durable, int() | None as shown]:
            _require_small(durable or 0, shown or 0)
            if (key := keys.get(seq)) is not None:
                key.durable_ns = key.durable_ns if durable is None else durable
                key.shown_ns = key.shown_ns if shown is None else shown
        case _:
            raise ValueError("the times of a key are [seq, durable, shown]")


def _require_small(*values: int) -> None:
    if any(abs(value) > LARGEST for value in values):
        raise ValueError("a number is beyond 2**53")
