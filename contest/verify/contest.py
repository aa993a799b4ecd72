"""What the events of a contest say, held against each other: who met whom by the schedule, rounds
and keys played again, seals, the result.

This is the witness: it reads events by its own means and asks `contest.state` nothing.

Which keys were shown is computed again from the order of the record: an entity waits for the
judge's first key, nobody types before the start, in a pause, or after the end. Where the server had
to decide in the instant between two events (the start is written, then shown; the end comes by the
clock, then is written), either marking is right as long as no key around it says otherwise.
"""

from __future__ import annotations

import hashlib
import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import groupby
from typing import Any

import scheduler
from contest.errors import RecordTrouble
from contest.record import bodies, season
from contest.record.bodies import AnyBody, talk_id
from contest.record.events import Event
from contest.setup.settings import rules_in
from contest.verify.findings import KEPT, Check, Fault, Faults, quoted, several
from lpp.keypress import Rule
from lpp.names import shown_as
from scheduler.checking import KINDS

#: Round, attempt, judge.
_Desk = tuple[int, int, str]

_SECOND = 1_000_000_000
#: A clock's reading is rounded to nanoseconds on its way from a float.
_SLACK_NS = 1000
_NUMBER = re.compile(r"([0-9]+)\.(.*)\.([A-Za-z]+)", re.DOTALL)
_NONCE = re.compile(r"[0-9a-f]{32}")
_NOT_GROWING = {Rule.UNIQUE.value, Rule.NUMERIC.value}
_OPPOSITE = {"left": "right", "right": "left"}

#: What an attempt has to be before a step, and what it is afterwards; empty: what it was.
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
    #: Keys marked as after the end, of which the end is not on record yet.
    after_end: list[Event] = field(default_factory=list)

    @property
    def end_ns(self) -> int:
        return self.started_ns + self.seconds * _SECOND + self.paused_ns - _SLACK_NS


@dataclass
class _Talk:
    body: bodies.TalkOpened
    #: Whether the judge has pressed a key; and one that types something, which the talk begins with
    #: today. Earlier versions took any key for the first one, so between them both are right.
    touched: bool = False
    begun: bool = False
    closed: bool = False
    voided: bool = False
    numbers: dict[tuple[str, bool], int] = field(default_factory=dict)
    #: Of each key the event's number; and when it was received, the lowest bit being whether it was
    #: shown. 16 bytes a key: a record has millions.
    seqs: array[int] = field(default_factory=lambda: array("q"))
    received: array[int] = field(default_factory=lambda: array("q"))


class ContestCheck:
    """Takes all events of a record in their order; `checks` says what was found."""

    def __init__(self) -> None:
        self._faults = {name: Faults() for name in ("schedule", "replay", "seals", "tally")}
        self._notes: list[Fault] = []
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
            event: it.
            body: its body; None where all of it is redacted.
        """
        if event.kind in season.KINDS:
            return
        if not self._begun and not isinstance(body, bodies.ContestOpened):
            self._at("schedule", event, "the record does not begin with the opening of a contest")
        self._begun = True
        if event.talk is not None:
            self._take_of_talk(event, event.talk, body)
        elif body is not None:
            self._take_of_contest(event, body)

    def _take_of_talk(self, event: Event, name: str, body: AnyBody | None) -> None:
        talk = self._talks.get(name)
        if isinstance(body, bodies.TalkOpened):
            self._open_talk(event, body)
        elif name not in self._chains:
            what = "its talk's chain does not begin with the talk's opening"
            self._at("schedule", event, what)
        elif talk is not None:
            match body:
                case bodies.Key():
                    self._key(event, body, talk)
                case bodies.Times():
                    self._times(event, body, talk)
                case bodies.TalkClosed():
                    talk.closed = True
        self._chains.add(name)

    def _take_of_contest(self, event: Event, body: AnyBody) -> None:
        if event.kind in _STEPS:
            self._step(event, body)
        if self._reveal is not None:
            self._after_reveal(event, body)
        match body:
            case bodies.ContestOpened():
                self._open(event, body)
            case bodies.ScheduleChanged():
                self._change(event, body)
            case bodies.RoundOpened():
                self._open_round(event, body)
            case bodies.TalkOpened():
                self._open_talk(event, body)
            case bodies.RoundStarted():
                self._require_seals(event, body)
            case bodies.RoundClosed():
                self._require_talks(event, body)
            case bodies.RoundsStopped() if self._last_attempt:
                self._stopped = max(self._last_attempt)
            case bodies.SideSealed():
                desk = (body.round, body.attempt, body.judge)
                if desk in self._seals:
                    self._at("seals", event, f"the sides of {_named(desk)} were sealed before")
                self._seals.setdefault(desk, body.seal)
            case bodies.VerdictGiven():
                self._verdict(event, body)
            case bodies.RankingGiven():
                self._ranking(event, body)
            case bodies.BallotExcluded():
                if body.judge not in self._rankings:
                    self._at("schedule", event, f"{quoted(body.judge)} has given no ballot by then")
                self._excluded.add(body.judge)
            case bodies.ConsentGiven():
                self._version(event, body.version, ("consent", body.seat))
            case bodies.Voided():
                self._void(event, body)
            case bodies.SidesRevealed():
                self._reveal = event
                for side in body.sides:
                    self._open_seal(event, side)
            case bodies.Result():
                self._check_result(event, body)
            case bodies.KeyInDoubt() if len(self._notes) < KEPT:
                self._notes.append(Fault.of(event, self._doubt(body)))

    def checks(self) -> list[Check]:
        """What was found. A schedule that lacks pairs is not a fault; the summary says it."""
        said = "no schedule"
        if self._schedule is not None:
            report = scheduler.check(self._schedule)
            covered = ", ".join(
                f"{words} {report.pairs[kind].covered} of {report.pairs[kind].of}"
                for kind, words in KINDS.items()
            )
            said = (
                f"{several(len(self._schedule.pairings), 'pairing')} ({covered}); "
                f"{several(len(self._talks), 'talk')} and "
                f"{several(len(self._verdicts), 'verdict')} agree with it"
            )
        rounds = several(len(self._attempts), "round or attempt", "rounds and attempts")
        opened = f"{len(self._revealed)} opened" if self._reveal else "not opened yet"
        result = "no official result yet"
        if self._result is not None:
            won = ", ".join(self._result.winners) or "nobody"
            result = f"the official result, computed again, is the same: {won} won"
        summaries = {
            "schedule": said,
            "replay": f"{rounds} played again, {several(self._keys, 'key')}, {self._hidden} of "
            "them out of phase",
            "seals": f"{several(len(self._seals), 'seal')}, {opened}",
            "tally": result,
        }
        found = [faults.check(name, summaries[name]) for name, faults in self._faults.items()]
        return [
            replace(check, notes=tuple(self._notes)) if check.name == "replay" else check
            for check in found
        ]

    def _at(self, check: str, event: Event, what: str) -> None:
        self._faults[check].at(event, what)

    def _doubt(self, body: bodies.KeyInDoubt) -> str:
        where = f"talk {body.talk}"
        if 0 < body.talk <= len(self._attempts):
            round_, attempt = list(self._attempts)[body.talk - 1]
            where = f"round {round_}, attempt {attempt}"
        return f"{quoted(body.entry)} may have had key {body.n} of its judge twice ({where})"

    # Who meets whom

    def _open(self, event: Event, body: bodies.ContestOpened) -> None:
        if self._opened is not None:
            self._at("schedule", event, "the contest was opened before")
            return
        self._opened = body
        if not 1 <= body.format <= bodies.FORMAT:
            what = f"its format is {body.format}; this program knows 1 to {bodies.FORMAT}"
            self._at("schedule", event, what)
        self._plan = body.schedule
        self._use_plan(event)

    def _change(self, event: Event, body: bodies.ScheduleChanged) -> None:
        begun = sorted(number for number in self._last_attempt if number >= body.round)
        if begun:
            what = f"it changes round {begun[0]}, which was begun before"
            self._at("schedule", event, what)
        rounds = self._plan.get("rounds")
        before = list(rounds) if isinstance(rounds, list) else []
        after = [*before[: max(0, body.round - 1)], *body.rounds]
        if len(after) != len(before) or body.round < 1:
            self._at("schedule", event, "it changes how many rounds there are")
        self._plan = {**self._plan, "rounds": after}
        self._use_plan(event)

    def _use_plan(self, event: Event) -> None:
        try:
            schedule = scheduler.read_schedule(json.dumps(self._plan), "its schedule")
        except scheduler.SchedulerError as exc:
            self._at("schedule", event, str(exc))
            return
        if not isinstance(schedule, scheduler.Schedule):
            self._at("schedule", event, "its schedule has no rounds")
            return
        self._schedule = schedule
        self._pairings = {(p.round, p.judge): p for p in schedule.pairings}
        self._confederates.update(p.confederate for p in schedule.pairings)
        for clash in scheduler.check(schedule).clashes:
            what = f"its schedule has somebody in two places at once: {clash}"
            self._at("schedule", event, what)

    def _open_round(self, event: Event, body: bodies.RoundOpened) -> None:
        expected = self._last_attempt.get(body.round, 0) + 1
        if body.attempt != expected:
            what = f"it opens attempt {body.attempt} of round {body.round}, not {expected}"
            self._at("schedule", event, what)
        self._last_attempt[body.round] = max(body.attempt, expected)
        if not any(number == body.round for number, _ in self._pairings):
            self._at("schedule", event, f"round {body.round} is not in the schedule")
        self._attempts[body.round, body.attempt] = _Attempt()

    def _open_talk(self, event: Event, body: bodies.TalkOpened) -> None:
        name = talk_id(body.round, body.attempt, body.judge, body.side)
        judge, entity = quoted(body.judge), quoted(body.entity)
        if event.talk != name:
            self._at("schedule", event, f"it opens the talk {quoted(name)} in another's chain")
            return
        if name in self._talks:
            self._at("schedule", event, "the talk was opened before")
            return
        self._talks[name] = _Talk(body)
        pairing = self._pairings.get((body.round, body.judge))
        if pairing is None:
            self._at("schedule", event, self._plays_nobody(body.judge, body.round))
        elif body.entity not in (pairing.entry, pairing.confederate):
            what = f"{judge} talks with {entity}; the schedule has {pairing.label} there"
            self._at("schedule", event, what)
        if body.attempt != self._last_attempt.get(body.round):
            what = f"attempt {body.attempt} of round {body.round} is not open"
            self._at("schedule", event, what)
        other = self._talk_of((body.round, body.attempt, body.judge), _OPPOSITE[body.side])
        if other is not None and other.body.entity == body.entity:
            self._at("schedule", event, f"{entity} sits at both sides")

    def _require_talks(self, event: Event, body: bodies.RoundClosed) -> None:
        met = {
            (talk.body.judge, talk.body.entity) for talk in self._talks_in(body.round, body.attempt)
        }
        for (number, judge), pairing in self._pairings.items():
            for entity in (pairing.entry, pairing.confederate):
                if number == body.round and (judge, entity) not in met:
                    what = f"the round lacks the talk of {judge} with {entity}"
                    self._at("schedule", event, what)

    def _verdict(self, event: Event, body: bodies.VerdictGiven) -> None:
        if (body.round, body.judge) not in self._pairings:
            self._at("schedule", event, self._plays_nobody(body.judge, body.round))
        self._require_attempt(event, body)
        desk = (body.round, body.attempt, body.judge)
        if self._version(event, body.version, desk):
            self._verdicts[desk] = body

    def _ranking(self, event: Event, body: bodies.RankingGiven) -> None:
        if self._version(event, body.version, body.judge):
            self._rankings[body.judge] = body
        if body.ranks.keys() != body.talks.keys():
            self._at("schedule", event, "it ranks other labels than it explains")
        for label, rank in body.ranks.items():
            if not 2 <= rank <= 2 * len(body.ranks):
                self._at("schedule", event, f"the rank of {quoted(label)} is out of range")
        for label, names in body.talks.items():
            talks = [self._talks[name].body for name in names if name in self._talks]
            own = [talk for talk in talks if talk.judge == body.judge]
            if not names or len(own) != len(names):
                what = f"{quoted(label)} stands for talks that are not this judge's"
                self._at("schedule", event, what)
            elif len({talk.entity for talk in own}) != 1:
                self._at("schedule", event, f"{quoted(label)} stands for several participants")

    def _void(self, event: Event, body: bodies.Voided) -> None:
        self._require_attempt(event, body)
        talk = self._talks.get(body.talk)
        if not body.talk:
            if (attempt := self._attempts.get((body.round, body.attempt))) is not None:
                attempt.voided = True
        elif talk is None or talk not in self._talks_in(body.round, body.attempt):
            self._at("schedule", event, f"no talk of that attempt is called {quoted(body.talk)}")
        else:
            talk.voided = True

    def _require_attempt(self, event: Event, body: bodies.VerdictGiven | bodies.Voided) -> None:
        if not 1 <= body.attempt <= self._last_attempt.get(body.round, 0):
            what = f"attempt {body.attempt} of round {body.round} was never opened"
            self._at("schedule", event, what)

    def _version(self, event: Event, version: int, of: Hashable) -> bool:
        """Whether a version is the highest by now; they have to count up."""
        before = self._versions.get(of, 0)
        if version != before + 1:
            self._at("schedule", event, f"its version is {version}, not {before + 1}")
        self._versions[of] = max(before + 1, version)
        return version >= before

    def _plays_nobody(self, judge: str, number: int) -> str:
        return f"{quoted(judge)} plays nobody in round {number} of the schedule"

    def _talks_in(self, number: int, attempt: int) -> Iterator[_Talk]:
        return (
            talk
            for talk in self._talks.values()
            if (talk.body.round, talk.body.attempt) == (number, attempt)
        )

    def _talk_of(self, desk: _Desk, side: str) -> _Talk | None:
        return self._talks.get(talk_id(*desk, side))

    # Rounds and keys

    def _step(self, event: Event, body: Any) -> None:
        attempt = self._attempts.get((body.round, body.attempt))
        if attempt is None:
            what = f"attempt {body.attempt} of round {body.round} was not opened"
            self._at("replay", event, what)
            return
        before, after = _STEPS[event.kind]
        if attempt.stage not in before:
            self._at("replay", event, f"it comes while the round is {attempt.stage}")
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
                        what = "it is marked as after the end, which was later"
                        self._at("replay", key, what)
                attempt.after_end.clear()

    def _key(self, event: Event, body: bodies.Key, talk: _Talk) -> None:
        shown, opened = body.out_of_phase is None, talk.body
        self._keys += 1
        self._hidden += not shown
        if not talk.seqs or event.seq > talk.seqs[-1]:  # else the chain's check names it
            talk.seqs.append(event.seq)
            talk.received.append(event.mono_ns << 1 | shown)
        if body.side != opened.side:
            self._at("replay", event, f"its side is {body.side}, its talk's {opened.side}")
        if event.actor != (opened.judge if body.author == "judge" else opened.entity):
            what = f"it is by {quoted(event.actor)}, who is not its {body.author}"
            self._at("replay", event, what)
        self._number(event, body, talk)
        attempt = self._attempts.get((opened.round, opened.attempt))
        if attempt is None:
            return
        if wrong := _wrong_phase(event, body, talk, attempt):
            self._at("replay", event, wrong)
        if shown:
            attempt.shown = True
            if body.author == "judge":
                talk.touched = True
                talk.begun = talk.begun or shown_as(body.key) is not None
            for early in attempt.after_end:
                what = "it is marked as after the end, but keys came after it"
                self._at("replay", early, what)
            attempt.after_end.clear()

    def _number(self, event: Event, body: bodies.Key, talk: _Talk) -> None:
        source = (body.author, body.raw is not None)
        match = None if body.raw is None else _NUMBER.fullmatch(body.raw)
        number = body.n if match is None else int(match[1][:40])
        last = talk.numbers.get(source)
        talk.numbers[source] = number
        if body.raw is None:
            expected = (last or 0) + 1
            if body.n != expected:
                self._at("replay", event, f"its number is {body.n}, not {expected}")
            return
        if last is not None and number <= last and not _NOT_GROWING & set(body.rules):
            what = f"its number {number} does not grow (from {last}), and no rule says so"
            self._at("replay", event, what)
        if match is None or min(number, bodies.LARGEST) != body.n or match[2] != body.key:
            what = f"its name {quoted(body.raw)} is not that of its number and key"
            self._at("replay", event, what)

    def _times(self, event: Event, body: bodies.Times, talk: _Talk) -> None:
        for row in body.keys:
            match row:
                case [int(seq), int() | None as durable, int() | None as shown]:
                    wrong = _wrong_times(seq, durable, shown, talk)
                case _:
                    wrong = "it holds times that are not [seq, durable, shown]"
            if wrong:
                self._at("replay", event, wrong)

    # Seals

    def _require_seals(self, event: Event, body: bodies.RoundStarted) -> None:
        for talk in self._talks_in(body.round, body.attempt):
            desk = (body.round, body.attempt, talk.body.judge)
            if desk not in self._seals:
                self._at("seals", event, f"the sides of {_named(desk)} were not sealed before")
                self._seals[desk] = ""

    def _after_reveal(self, event: Event, body: AnyBody) -> None:
        match body:
            case bodies.VerdictGiven() | bodies.RankingGiven():
                self._at("seals", event, "it was given after the sides were revealed")
            case bodies.Voided():
                self._at("seals", event, "it was voided after the sides were revealed")
            case bodies.BallotExcluded():
                self._at("seals", event, "the ballot was excluded after the sides were revealed")

    def _open_seal(self, event: Event, side: dict[str, Any]) -> None:
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
                what = f"it reveals something that is not a side: {quoted(side)}"
                self._at("seals", event, what)
                return
        self._revealed.add(desk)
        seal = self._seals.get(desk)
        if seal != hashlib.sha256(f"{human}:{nonce}".encode()).hexdigest():
            why = "was never sealed" if seal is None else "is not what was sealed"
            self._at("seals", event, f"the side that it reveals for {_named(desk)} {why}")
        talk = self._talk_of(desk, human)
        if talk is not None and talk.body.entity not in self._confederates:
            entity = quoted(talk.body.entity)
            what = f"it has the human of {_named(desk)} at the {human}, where {entity} sat"
            self._at("seals", event, what)

    # The result

    def _check_result(self, event: Event, given: bodies.Result) -> None:
        """Compares all but the warnings: these are words, which may be put better one day."""
        closed = self._closed_attempts(voided=True)
        for desk in self._seals:
            if self._reveal and closed.get(desk[0]) == desk[1] and desk not in self._revealed:
                what = f"it does not reveal the side of {_named(desk)}"
                self._at("seals", self._reveal, what)
        self._result = given
        try:
            found = self._tallied()
        except (RecordTrouble, scheduler.SchedulerError) as exc:
            self._at("tally", event, f"the tally can't be computed again: {exc}")
            return
        for part, value in found.items():
            if getattr(given, part) != value:
                self._at("tally", event, f"its {part} is not what the verdicts and rankings give")

    def _closed_attempts(self, *, voided: bool) -> dict[int, int]:
        """Round to the last attempt that was closed; where `voided` is false, and not voided."""
        return {
            number: attempt
            for (number, attempt), found in sorted(self._attempts.items())
            if found.stage == "closed" and (voided or not found.voided)
        }

    def _tallied(self) -> dict[str, Any]:
        """The result by the verdicts and ballots on record."""
        if self._opened is None or self._schedule is None:
            raise RecordTrouble("no schedule that can be used is on record")
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
        tally = scheduler.tally(
            verdicts,
            [ballot for ballot in ballots if ballot.ranks],
            self._schedule,
            rules,
            [index + 1 for index in not_played],
        )
        return {
            "table": {judge: dict(row) for judge, row in tally.table.items()},
            "entries": [_standing(each, tally.rules) for each in tally.entries],
            "winners": list(tally.winners),
            "silver": [dict(medal.as_json()) for medal in tally.silver],
        }

    def _ballot(self, given: bodies.RankingGiven) -> scheduler.Ballot:
        """A ballot by participants. One whom the judge ranked under several labels gets the mean of
        these ranks, and the whole ballot is ranked again by such means: ties share the middle."""
        ranks: dict[str, list[Fraction]] = {}
        for label, doubled in given.ranks.items():
            names = given.talks.get(label, ())
            for who in {self._talks[name].body.entity for name in names if name in self._talks}:
                ranks.setdefault(who, []).append(Fraction(doubled, 2))
        means = {who: sum(each, Fraction(0)) / len(each) for who, each in ranks.items()}
        if any(len(each) > 1 for each in ranks.values()):
            order, place = sorted(means, key=lambda who: means[who]), 0
            for _, same in groupby(order, key=dict(means).__getitem__):
                sharing = list(same)
                means.update(dict.fromkeys(sharing, place + Fraction(len(sharing) + 1, 2)))
                place += len(sharing)
        excluded = "excluded" if given.judge in self._excluded else ""
        return scheduler.Ballot.of(given.judge, means, excluded)


def _standing(standing: scheduler.Standing, rules: scheduler.Rules) -> dict[str, Any]:
    found: dict[str, Any] = {
        "entry": standing.entry,
        "score": standing.score,
        "mean_rank": None if standing.mean_rank is None else str(standing.mean_rank),
        "place": standing.place,
        "tied": standing.tied,
    }
    if rules != scheduler.RULES_2010:  # these need no more than score and mean rank
        values = standing.values
        found["values"] = {k: None if value is None else str(value) for k, value in values}
    return found


def _wrong_phase(event: Event, body: bodies.Key, talk: _Talk, attempt: _Attempt) -> str:
    """What is wrong with whether a key was shown, in words; empty if nothing is."""
    stage = attempt.stage
    match body.out_of_phase:
        case None:
            if stage != "on" or talk.closed:
                return f"it was shown, but the round was {stage}"
            if body.author == "entity" and not talk.touched:
                return "it was shown, but the judge had not begun"
        case Rule.WAITS.value:
            if body.author == "judge" or talk.begun:
                return "it is marked as too early, but the judge had begun"
        case Rule.NOT_ON.value:
            if stage == "on" and attempt.shown:
                return "it is marked as while nothing was on, but keys had been shown"
            if stage in ("ended", "closed"):
                return "it is marked as while nothing was on, but the round had ended"
        case Rule.AFTER_END.value:
            if stage not in ("ended", "closed") and not talk.closed:
                attempt.after_end.append(event)
        case other:
            return f"it is marked by no rule of ours: {quoted(other)}"
    return ""


def _wrong_times(seq: int, durable: int | None, shown: int | None, talk: _Talk) -> str:
    """What is wrong with the times of a key, in words; empty if nothing is."""
    at = bisect_left(talk.seqs, seq)
    if at == len(talk.seqs) or talk.seqs[at] != seq:
        return f"it has times of event {seq}, no key of this talk before it"
    received, was_shown = talk.received[at] >> 1, talk.received[at] & 1
    if durable is not None and durable < received:
        return f"key {seq} was durable before it was received"
    if shown is not None and not was_shown:
        return f"key {seq} was out of phase, but has a time of being shown"
    if shown is not None and shown < (received if durable is None else durable):
        return f"key {seq} was shown before it was durable"
    return ""


def _named(desk: _Desk) -> str:
    number, attempt, judge = desk
    return f"round {number}, attempt {attempt}, {quoted(judge)}"
