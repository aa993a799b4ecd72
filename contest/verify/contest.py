"""Verification that a contest's events agree with each other: who met whom by the schedule, rounds
and keys replayed, seals, the result.

This is an independent check: it interprets the events itself and does not use `contest.state`.

Which keys were shown is recomputed from the order of the record: an entity waits for the judge's
first key, and nobody types before the start, in a pause, or after the end. Sometimes the server has
to decide in the instant between two events: the start is written and then shown, the end is reached
by the clock and then written. A key in that instant may be marked either way, as long as no key
near it contradicts the marking.
"""

from __future__ import annotations

import hashlib
import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import scheduler
from contest.errors import RecordTrouble
from contest.record import bodies, season
from contest.record.bodies import AnyBody, talk_id
from contest.record.events import LARGEST, Event
from contest.setup.settings import rules_in
from contest.verify.findings import Check, quoted
from lpp.keypress import NOT_GROWING, Rule
from lpp.names import shown_as
from scheduler.checking import KINDS
from scheduler.texts import counted

#: Round, attempt, judge.
_Desk = tuple[int, int, str]

_SECOND = 1_000_000_000
#: The clock gives a float, which is rounded to nanoseconds.
_SLACK_NS = 1000
_NUMBER = re.compile(r"([0-9]+)\.(.*)\.([A-Za-z]+)", re.DOTALL)
_NONCE = re.compile(r"[0-9a-f]{32}")
_OPPOSITE = {"left": "right", "right": "left"}

#: The stages that an attempt may be in before a step, and its stage afterwards; empty: unchanged.
_STEPS: dict[str, tuple[tuple[str, ...], str]] = {
    bodies.RoundStarted.kind: (("opened",), "on"),
    bodies.RoundPaused.kind: (("on",), "paused"),
    bodies.RoundResumed.kind: (("paused",), "on"),
    bodies.RoundExtended.kind: (("on", "paused"), ""),
    bodies.RoundEnded.kind: (("on", "paused"), "ended"),
    bodies.ScoringClosed.kind: (("ended",), "ended"),
    bodies.RoundClosed.kind: (("ended",), "closed"),
    bodies.RoundAgain.kind: (("on", "paused", "ended", "closed"), ""),
}

#: Events that may not follow the reveal of the sides, and how a fault names them.
_BEFORE_REVEAL = {
    bodies.VerdictGiven.kind: "it was given",
    bodies.RankingGiven.kind: "it was given",
    bodies.Voided.kind: "it was voided",
    bodies.BallotExcluded.kind: "the ballot was excluded",
}


@dataclass
class _Attempt:
    stage: str = "opened"
    started_ns: int = 0
    seconds: int = 0
    paused_ns: int = 0
    pause_began: int | None = None
    #: Whether a key was shown.
    shown: bool = False
    voided: bool = False
    #: Keys marked as after the end, while the end is not on record yet.
    after_end: list[Event] = field(default_factory=list)

    @property
    def end_ns(self) -> int:
        return self.started_ns + self.seconds * _SECOND + self.paused_ns - _SLACK_NS


@dataclass
class _Talk:
    body: bodies.TalkOpened
    #: `touched`: the judge has pressed a key; `begun`: one that types something, with which a talk
    #: begins today. Earlier versions began it with any key, so between the two either is right.
    touched: bool = False
    begun: bool = False
    closed: bool = False
    voided: bool = False
    numbers: dict[tuple[str, bool], int] = field(default_factory=dict)
    #: For each key, the event's number, and when it was received, with the lowest bit saying
    #: whether it was shown. This takes 16 bytes per key: a record may have millions.
    seqs: array[int] = field(default_factory=lambda: array("q"))
    received: array[int] = field(default_factory=lambda: array("q"))


class ContestCheck:
    """Checks all events of a record, given in order; `checks` returns the findings."""

    def __init__(self) -> None:
        self._checks = {name: Check(name) for name in ("schedule", "replay", "seals", "tally")}
        self._opened: bodies.ContestOpened | None = None
        self._begun = False
        self._plan: dict[str, Any] = {}
        self._schedule: scheduler.Schedule | None = None
        self._pairings: dict[tuple[int, str], scheduler.Pairing] = {}
        self._confederates: set[str] = set()
        self._last_attempt: dict[int, int] = {}
        self._attempts: dict[tuple[int, int], _Attempt] = {}
        self._chains: set[str] = set()
        self._talks: dict[str, _Talk] = {}
        self._versions: dict[Hashable, int] = {}
        self._verdicts: dict[_Desk, bodies.VerdictGiven] = {}
        self._rankings: dict[str, bodies.RankingGiven] = {}
        self._excluded: set[str] = set()
        self._stopped: int | None = None
        self._seals: dict[_Desk, str] = {}
        self._revealed: set[_Desk] = set()
        self._reveal: Event | None = None
        self._result: bodies.Result | None = None
        self._keys = self._hidden = 0

    def take(self, event: Event, body: AnyBody | None) -> None:
        """Takes the next event.

        Arguments:
            event: the event.
            body: its body; None if it is redacted.
        """
        if event.kind in season.KINDS:
            return
        if not self._begun and not isinstance(body, bodies.ContestOpened):
            self._at("schedule", event, "the record does not begin with the opening of a contest")
        self._begun = True
        for check, wrong in self._faults_by_check(event, body):
            for what in wrong:
                self._at(check, event, what)
        if event.talk is not None:
            self._chains.add(event.talk)

    def _faults_by_check(
        self, event: Event, body: AnyBody | None
    ) -> Iterator[tuple[str, Iterable[str]]]:
        """The faults of an event, for each check that concerns it."""
        if event.talk is not None and not isinstance(body, bodies.TalkOpened):
            if event.talk not in self._chains:
                what = "the chain of its talk does not begin with the talk's opening"
                yield "schedule", [what]
            elif (talk := self._talks.get(event.talk)) is not None:
                match body:
                    case bodies.Key():
                        yield "replay", self._key(event, body, talk)
                    case bodies.Times():
                        yield "replay", _times(body, talk)
                    case bodies.TalkClosed():
                        talk.closed = True
            return
        if event.kind in _STEPS:
            yield "replay", self._step(event, body)
        if self._reveal is not None and event.kind in _BEFORE_REVEAL:
            yield "seals", [f"{_BEFORE_REVEAL[event.kind]} after the sides were revealed"]
        match body:
            case bodies.ContestOpened():
                yield "schedule", self._open(body)
            case bodies.ScheduleChanged():
                yield "schedule", self._change(body)
            case bodies.RoundOpened():
                yield "schedule", self._open_round(body)
            case bodies.TalkOpened():
                yield "schedule", self._open_talk(event, body)
            case bodies.RoundStarted():
                yield "seals", self._require_seals(body)
            case bodies.RoundClosed():
                yield "schedule", self._require_talks(body)
            case bodies.RoundsStopped() if self._last_attempt:
                self._stopped = max(self._last_attempt)
            case bodies.SideSealed():
                desk = (body.round, body.attempt, body.judge)
                if desk in self._seals:
                    yield "seals", [f"the sides of {_named(desk)} were already sealed"]
                self._seals.setdefault(desk, body.seal)
            case bodies.VerdictGiven():
                yield "schedule", self._verdict(body)
            case bodies.RankingGiven():
                yield "schedule", self._ranking(body)
            case bodies.BallotExcluded():
                if body.judge not in self._rankings:
                    yield "schedule", [f"{quoted(body.judge)} had given no ballot by then"]
                self._excluded.add(body.judge)
            case bodies.ConsentGiven():
                yield "schedule", self._version(body.version, ("consent", body.seat))
            case bodies.Voided():
                yield "schedule", self._void(body)
            case bodies.SidesRevealed():
                self._reveal = event
                for side in body.sides:
                    yield "seals", self._open_seal(side)
            case bodies.Result():
                self._result = body
                self._require_sides()
                yield "tally", self._check_result(body)
            case bodies.KeyInDoubt():
                self._checks["replay"].note(event, self._doubt(body))

    def checks(self) -> list[Check]:
        """The findings; none if no contest has begun. A schedule that lacks pairs is not a fault,
        but the summary says so."""
        if not self._begun:
            return []
        said = "no schedule"
        if self._schedule is not None:
            report = scheduler.check(self._schedule)
            covered = ", ".join(
                f"{words} {report.pairs[kind].covered} of {report.pairs[kind].of}"
                for kind, words in KINDS.items()
            )
            said = (
                f"{counted(len(self._schedule.pairings), 'pairing')} ({covered}); "
                f"{counted(len(self._talks), 'talk')} and "
                f"{counted(len(self._verdicts), 'verdict')} agree with it"
            )
        rounds = counted(len(self._attempts), "round or attempt", "rounds and attempts")
        opened = f"{len(self._revealed)} opened" if self._reveal else "not opened yet"
        result = "no official result yet"
        if self._result is not None:
            won = ", ".join(self._result.winners) or "nobody"
            result = f"the official result is the same when recomputed: {won} won"
        summaries = {
            "schedule": said,
            "replay": f"{rounds} replayed, {counted(self._keys, 'key')}, {self._hidden} of them "
            "out of phase",
            "seals": f"{counted(len(self._seals), 'seal')}, {opened}",
            "tally": result,
        }
        return [check.with_summary(summaries[name]) for name, check in self._checks.items()]

    def _at(self, check: str, event: Event, what: str) -> None:
        self._checks[check].at(event, what)

    def _doubt(self, body: bodies.KeyInDoubt) -> str:
        where = f"talk {body.talk}"
        if 0 < body.talk <= len(self._attempts):
            round_, attempt = list(self._attempts)[body.talk - 1]
            where = f"round {round_}, attempt {attempt}"
        return f"{quoted(body.entry)} may have received key {body.n} of its judge twice ({where})"

    # Who meets whom

    def _open(self, body: bodies.ContestOpened) -> Iterator[str]:
        if self._opened is not None:
            yield "the contest was already opened"
            return
        self._opened = body
        if not 1 <= body.format <= bodies.FORMAT:
            yield f"its format is {body.format}; this program knows 1 to {bodies.FORMAT}"
        yield from self._use_plan(body.schedule)

    def _change(self, body: bodies.ScheduleChanged) -> Iterator[str]:
        if begun := sorted(number for number in self._last_attempt if number >= body.round):
            yield f"it changes round {begun[0]}, which had already begun"
        rounds = self._plan.get("rounds")
        before = list(rounds) if isinstance(rounds, list) else []
        after = [*before[: max(0, body.round - 1)], *body.rounds]
        if len(after) != len(before) or body.round < 1:
            yield "it changes how many rounds there are"
        yield from self._use_plan({**self._plan, "rounds": after})

    def _use_plan(self, plan: dict[str, Any]) -> Iterator[str]:
        self._plan = plan
        try:
            schedule = scheduler.read_schedule(json.dumps(plan), "its schedule")
        except scheduler.SchedulerError as exc:
            yield str(exc)
            return
        if not isinstance(schedule, scheduler.Schedule):
            yield "its schedule has no rounds"
            return
        self._schedule = schedule
        self._pairings = {(p.round, p.judge): p for p in schedule.pairings}
        self._confederates.update(p.confederate for p in schedule.pairings)
        for clash in scheduler.check(schedule).clashes:
            yield f"its schedule puts somebody in two places at once: {clash}"

    def _open_round(self, body: bodies.RoundOpened) -> Iterator[str]:
        expected = self._last_attempt.get(body.round, 0) + 1
        if body.attempt != expected:
            yield f"it opens attempt {body.attempt} of round {body.round}, not {expected}"
        self._last_attempt[body.round] = max(body.attempt, expected)
        if not any(number == body.round for number, _ in self._pairings):
            yield f"round {body.round} is not in the schedule"
        self._attempts[body.round, body.attempt] = _Attempt()

    def _open_talk(self, event: Event, body: bodies.TalkOpened) -> Iterator[str]:
        name = talk_id(body.round, body.attempt, body.judge, body.side)
        judge, entity = quoted(body.judge), quoted(body.entity)
        if event.talk != name:
            yield f"it opens the talk {quoted(name)} in the chain of another talk"
            return
        if name in self._talks:
            yield "the talk was already opened"
            return
        self._talks[name] = _Talk(body)
        pairing = self._pairings.get((body.round, body.judge))
        if pairing is None:
            yield _no_pairing(body.judge, body.round)
        elif body.entity not in (pairing.entry, pairing.confederate):
            yield f"{judge} talks with {entity}, but the schedule has {pairing.label} there"
        if body.attempt != self._last_attempt.get(body.round):
            yield f"attempt {body.attempt} of round {body.round} is not open"
        other = self._talk_of((body.round, body.attempt, body.judge), _OPPOSITE[body.side])
        if other is not None and other.body.entity == body.entity:
            yield f"{entity} is on both sides"

    def _require_talks(self, body: bodies.RoundClosed) -> Iterator[str]:
        talks = self._talks_in(body.round, body.attempt)
        met = {(talk.body.judge, talk.body.entity) for talk in talks}
        for (number, judge), pairing in self._pairings.items():
            for entity in (pairing.entry, pairing.confederate):
                if number == body.round and (judge, entity) not in met:
                    yield f"the round lacks the talk of {judge} with {entity}"

    def _verdict(self, body: bodies.VerdictGiven) -> Iterator[str]:
        if (body.round, body.judge) not in self._pairings:
            yield _no_pairing(body.judge, body.round)
        yield from self._require_attempt(body)
        desk = (body.round, body.attempt, body.judge)
        if body.version >= self._versions.get(desk, 0):
            self._verdicts[desk] = body
        yield from self._version(body.version, desk)

    def _ranking(self, body: bodies.RankingGiven) -> Iterator[str]:
        if body.version >= self._versions.get(body.judge, 0):
            self._rankings[body.judge] = body
        yield from self._version(body.version, body.judge)
        if body.ranks.keys() != body.talks.keys():
            yield "the ranked labels differ from the labels that have talks"
        for label, rank in body.ranks.items():
            if not 2 <= rank <= 2 * len(body.ranks):
                yield f"the rank of {quoted(label)} is out of range"
        for label, names in body.talks.items():
            talks = [self._talks[name].body for name in names if name in self._talks]
            own = [talk for talk in talks if talk.judge == body.judge]
            if not names or len(own) != len(names):
                yield f"{quoted(label)} refers to talks that are not this judge's"
            elif len({talk.entity for talk in own}) != 1:
                yield f"{quoted(label)} refers to several participants"

    def _void(self, body: bodies.Voided) -> Iterator[str]:
        yield from self._require_attempt(body)
        talk = self._talks.get(body.talk)
        if not body.talk:
            if (attempt := self._attempts.get((body.round, body.attempt))) is not None:
                attempt.voided = True
        elif talk is None or talk not in self._talks_in(body.round, body.attempt):
            yield f"no talk of that attempt is called {quoted(body.talk)}"
        else:
            talk.voided = True

    def _require_attempt(self, body: bodies.VerdictGiven | bodies.Voided) -> Iterator[str]:
        if not 1 <= body.attempt <= self._last_attempt.get(body.round, 0):
            yield f"attempt {body.attempt} of round {body.round} was never opened"

    def _version(self, version: int, of: Hashable) -> Iterator[str]:
        """Versions must count up from 1."""
        before = self._versions.get(of, 0)
        if version != before + 1:
            yield f"its version is {version}, not {before + 1}"
        self._versions[of] = max(before + 1, version)

    def _talks_in(self, number: int, attempt: int) -> Iterator[_Talk]:
        return (
            talk
            for talk in self._talks.values()
            if (talk.body.round, talk.body.attempt) == (number, attempt)
        )

    def _talk_of(self, desk: _Desk, side: str) -> _Talk | None:
        return self._talks.get(talk_id(*desk, side))

    # Rounds and keys

    def _step(self, event: Event, body: Any) -> Iterator[str]:
        attempt = self._attempts.get((body.round, body.attempt))
        if attempt is None:
            yield f"attempt {body.attempt} of round {body.round} was not opened"
            return
        before, after = _STEPS[event.kind]
        if attempt.stage not in before:
            yield f"it comes while the round is {attempt.stage}"
        attempt.stage = after or attempt.stage
        match body:
            case bodies.RoundStarted():
                attempt.started_ns, attempt.seconds = event.mono_ns, body.seconds
            case bodies.RoundPaused():
                attempt.pause_began = event.mono_ns
            case bodies.RoundResumed() if attempt.pause_began is not None:
                attempt.paused_ns += event.mono_ns - attempt.pause_began
                attempt.pause_began = None
            case bodies.RoundExtended():
                attempt.seconds += body.seconds
            case bodies.RoundEnded():
                for key in attempt.after_end:
                    if body.reason == "time" and key.mono_ns < attempt.end_ns:
                        self._at("replay", key, "it is marked as after the end, but came before it")
                attempt.after_end.clear()

    def _key(self, event: Event, body: bodies.Key, talk: _Talk) -> Iterator[str]:
        shown, opened = body.out_of_phase is None, talk.body
        self._keys += 1
        self._hidden += not shown
        if not talk.seqs or event.seq > talk.seqs[-1]:  # else the check of the chain reports it
            talk.seqs.append(event.seq)
            talk.received.append(event.mono_ns << 1 | shown)
        if body.side != opened.side:
            yield f"its side is {body.side}, its talk's {opened.side}"
        if event.actor != (opened.judge if body.author == "judge" else opened.entity):
            yield f"it is by {quoted(event.actor)}, who is not the talk's {body.author}"
        yield from _number(body, talk)
        attempt = self._attempts.get((opened.round, opened.attempt))
        if attempt is None:
            return
        yield from _phase(event, body, talk, attempt)
        if shown:
            attempt.shown = True
            if body.author == "judge":
                talk.touched = True
                talk.begun = talk.begun or shown_as(body.key) is not None
            for early in attempt.after_end:
                self._at("replay", early, "it is marked as after the end, but keys came after it")
            attempt.after_end.clear()

    # Seals

    def _require_seals(self, body: bodies.RoundStarted) -> Iterator[str]:
        for talk in self._talks_in(body.round, body.attempt):
            desk = (body.round, body.attempt, talk.body.judge)
            if desk not in self._seals:
                yield f"the sides of {_named(desk)} were not sealed before"
                self._seals[desk] = ""

    def _open_seal(self, side: dict[str, Any]) -> Iterator[str]:
        match side:
            case {
                "round": int(number),
                "attempt": int(attempt),
                "judge": str(judge),
                "human": ("left" | "right") as human,
                "nonce": str(nonce),
            } if _NONCE.fullmatch(nonce):
                desk = (number, attempt, judge)
            case _:
                yield f"it reveals something that is not a side: {quoted(side)}"
                return
        self._revealed.add(desk)
        seal = self._seals.get(desk)
        if seal != hashlib.sha256(f"{human}:{nonce}".encode()).hexdigest():
            why = "was never sealed" if seal is None else "is not what was sealed"
            yield f"the side that it reveals for {_named(desk)} {why}"
        talk = self._talk_of(desk, human)
        if talk is not None and talk.body.entity not in self._confederates:
            entity = quoted(talk.body.entity)
            yield f"it says the human of {_named(desk)} was on the {human}, where {entity} was"

    def _require_sides(self) -> None:
        closed = self._closed_attempts(voided=True)
        for desk in self._seals:
            if self._reveal and closed.get(desk[0]) == desk[1] and desk not in self._revealed:
                self._at("seals", self._reveal, f"it does not reveal the side of {_named(desk)}")

    # The result

    def _check_result(self, given: bodies.Result) -> Iterator[str]:
        """Compares everything except the warnings, whose wording may change between versions."""
        try:
            found = self._tallied()
        except (RecordTrouble, scheduler.SchedulerError) as exc:
            yield f"the tally can't be recomputed: {exc}"
            return
        for part in ("table", "entries", "winners", "silver"):
            if getattr(given, part) != found[part]:
                yield f"its field {part} does not match the verdicts and rankings"

    def _closed_attempts(self, *, voided: bool) -> dict[int, int]:
        """Round to its last closed attempt; voided attempts are included only if `voided`."""
        return {
            number: attempt
            for (number, attempt), found in sorted(self._attempts.items())
            if found.stage == "closed" and (voided or not found.voided)
        }

    def _tallied(self) -> dict[str, Any]:
        """The result according to the verdicts and ballots on record."""
        if self._opened is None or self._schedule is None:
            raise RecordTrouble("the record has no usable schedule")
        rules = rules_in(self._opened.settings)
        counting = self._closed_attempts(voided=False)
        verdicts = []
        for desk, verdict in self._verdicts.items():
            talks = [self._talk_of(desk, side) for side in ("left", "right")]
            pairing, taken = self._pairings.get((desk[0], desk[2])), talks[verdict.human == "right"]
            void = any(talk is not None and talk.voided for talk in talks)
            if counting.get(desk[0]) != desk[1] or void or pairing is None or taken is None:
                continue
            if taken.body.entity == pairing.entry:
                verdicts.append(scheduler.Verdict(pairing, scheduler.Choice.ENTRY))
            elif taken.body.entity == pairing.confederate:
                verdicts.append(scheduler.Verdict(pairing, scheduler.Choice.CONFEDERATE))
        ballots = [self._ballot(given) for given in self._rankings.values()]
        rounds = len(self._plan.get("rounds") or ())
        not_played = range(rounds if self._stopped is None else self._stopped, rounds)
        return scheduler.tally(
            verdicts,
            [ballot for ballot in ballots if ballot.ranks],
            self._schedule,
            rules,
            [index + 1 for index in not_played],
        ).as_json(str)

    def _ballot(self, given: bodies.RankingGiven) -> scheduler.Ballot:
        ranks: dict[str, list[Fraction]] = {}
        for label, doubled in given.ranks.items():
            names = given.talks.get(label, ())
            for who in {self._talks[name].body.entity for name in names if name in self._talks}:
                ranks.setdefault(who, []).append(Fraction(doubled, 2))
        excluded = "excluded" if given.judge in self._excluded else ""
        return scheduler.Ballot.merged(given.judge, ranks, excluded)


def _phase(event: Event, body: bodies.Key, talk: _Talk, attempt: _Attempt) -> Iterator[str]:
    """Faults in whether a key was shown."""
    stage = attempt.stage
    match body.out_of_phase:
        case None:
            if stage != "on":
                yield f"it was shown, but the round was {stage}"
            elif talk.closed:
                yield "it was shown, but the talk was closed"
            elif body.author == "entity" and not talk.touched:
                yield "it was shown, but the judge had not begun"
        case Rule.WAITS.value:
            if body.author == "judge" or talk.begun:
                yield "it is marked as too early, but the judge had begun"
        case Rule.NOT_ON.value:
            if stage == "on" and attempt.shown:
                yield "it is marked as outside the interaction, but keys had been shown"
            if stage in ("ended", "closed"):
                yield "it is marked as outside the interaction, but the round had ended"
        case Rule.AFTER_END.value:
            if stage not in ("ended", "closed") and not talk.closed:
                attempt.after_end.append(event)
        case other:
            yield f"it is marked with an unknown rule: {quoted(other)}"


def _number(body: bodies.Key, talk: _Talk) -> Iterator[str]:
    """Faults in the number and the name of a key."""
    source = (body.author, body.raw is not None)
    match = None if body.raw is None else _NUMBER.fullmatch(body.raw)
    number = body.n if match is None else int(match[1][:40])
    last = talk.numbers.get(source)
    talk.numbers[source] = number
    if body.raw is None:
        if body.n != (last or 0) + 1:
            yield f"its number is {body.n}, not {(last or 0) + 1}"
        return
    if last is not None and number <= last and NOT_GROWING.isdisjoint(body.rules):
        yield (
            f"its number {number} is not greater than the last one, {last}, and no broken rule is "
            "recorded"
        )
    if match is None or min(number, LARGEST) != body.n or match[2] != body.key:
        yield f"its name {quoted(body.raw)} does not match its number and key"


def _times(body: bodies.Times, talk: _Talk) -> Iterator[str]:
    """Faults in the times of keys."""
    for row in body.keys:
        match row:
            case [int(seq), int() | None as durable, int() | None as shown]:
                at = bisect_left(talk.seqs, seq)
            case _:
                yield "it has times that are not [seq, durable, shown]"
                continue
        if at == len(talk.seqs) or talk.seqs[at] != seq:
            yield f"it has times of event {seq}, which is not an earlier key of this talk"
            continue
        received, was_shown = talk.received[at] >> 1, talk.received[at] & 1
        if durable is not None and durable < received:
            yield f"key {seq} was durable before it was received"
        elif shown is not None and not was_shown:
            yield f"key {seq} was out of phase, but has a time at which it was shown"
        elif shown is not None and shown < (received if durable is None else durable):
            yield f"key {seq} was shown before it was durable"


def _no_pairing(judge: str, number: int) -> str:
    return f"{quoted(judge)} has no pairing in round {number} of the schedule"


def _named(desk: _Desk) -> str:
    number, attempt, judge = desk
    return f"round {number}, attempt {attempt}, {quoted(judge)}"
