"""Verification by playing the record again: phases, and every key in its phase and order.

Which keys were shown is computed anew from the order of the record: an entity waits for the
judge's first key, nobody types before the start, in a pause, or after the end. Where the server
had to decide in the instant between two events (the start is written, then told; the end comes by
the clock, then is written), either marking is right as long as no key around it says otherwise.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from array import array
from bisect import bisect_left
from dataclasses import dataclass, field, replace
from typing import IO

from contest.record import bodies
from contest.record.bodies import AnyBody
from contest.record.events import Event
from contest.verify.findings import KEPT, Check, Fault, Faults, quoted, several
from lpp.keypress import Rule
from lpp.names import shown_as

_SECOND = 1_000_000_000
#: A clock's reading is rounded to nanoseconds on its way from a float.
_SLACK_NS = 1000
_NUMBER = re.compile(r"([0-9]+)\.(.*)\.([A-Za-z]+)", re.DOTALL)
_NOT_GROWING = {Rule.UNIQUE.value, Rule.NUMERIC.value}


@dataclass
class _Round:
    state: str = "opened"
    started_ns: int = 0
    seconds: int = 0
    paused_ns: int = 0
    pause_began: int | None = None
    shown: bool = False
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
    numbers: dict[tuple[str, bool], int] = field(default_factory=dict)
    keys: _Keys = field(default_factory=lambda: _Keys())


class _Keys:
    """When the keys of a talk were received, and whether they were shown: 16 bytes a key, which can
    be put aside into a file. A record may hold more keys than memory."""

    def __init__(self) -> None:
        self._numbers = array("q")
        # The lowest bit is whether the key was shown.
        self._received = array("q")
        self._aside: tuple[IO[bytes], int, int] | None = None

    def add(self, number: int, received: int, shown: bool) -> None:
        """Takes the key of an event of that number."""
        self._take_back()
        value = received << 1 | shown
        if not self._numbers or number > self._numbers[-1]:
            self._numbers.append(number)
            self._received.append(value)
            return
        at = bisect_left(self._numbers, number)
        if self._numbers[at] == number:
            self._received[at] = value
        else:
            self._numbers.insert(at, number)
            self._received.insert(at, value)

    def of(self, number: int) -> tuple[int, bool] | None:
        """When the key of that number was received, and whether it was shown; None if there is
        none."""
        self._take_back()
        at = bisect_left(self._numbers, number)
        if at == len(self._numbers) or self._numbers[at] != number:
            return None
        value = self._received[at]
        return value >> 1, bool(value & 1)

    def put_aside(self, file: IO[bytes]) -> None:
        """Keeps them in a file until somebody asks again; where the disk is full, in memory."""
        self._take_back()
        with contextlib.suppress(OSError):
            place = file.seek(0, 2)
            file.write(self._numbers.tobytes())
            file.write(self._received.tobytes())
            file.flush()
            self._aside = (file, place, len(self._numbers))
            self._numbers, self._received = array("q"), array("q")

    def _take_back(self) -> None:
        if self._aside is not None:
            file, place, count = self._aside
            file.seek(place)
            for numbers in (self._numbers, self._received):
                numbers.frombytes(file.read(count * numbers.itemsize))
            self._aside = None


#: What a round has to be before a step, and what it is afterwards; empty: what it was.
_STEPS: dict[type[AnyBody], tuple[tuple[str, ...], str]] = {
    bodies.RoundStarted: (("opened",), "on"),
    bodies.RoundPaused: (("on",), "paused"),
    bodies.RoundResumed: (("paused",), "on"),
    bodies.RoundExtended: (("on", "paused"), ""),
    bodies.RoundEnded: (("on", "paused"), "ended"),
    bodies.ScoringClosed: (("ended",), "ended"),
    bodies.RoundClosed: (("ended",), "closed"),
    bodies.RoundAgain: (("on", "paused", "ended", "closed"), ""),
}


class ReplayCheck:
    """Takes all events in their order; `check` says what was found."""

    def __init__(self) -> None:
        self._faults = Faults()
        self._rounds: dict[tuple[int, int], _Round] = {}
        self._talks: dict[str, _Talk] = {}
        self._keys = 0
        self._hidden = 0
        self._in_doubt: list[Fault] = []
        self._file: IO[bytes] | None = None

    def take(self, event: Event, body: AnyBody | None) -> None:
        """Takes the next event."""
        match body:
            case bodies.RoundOpened():
                self._rounds[body.round, body.attempt] = _Round()
            case (
                bodies.RoundStarted()
                | bodies.RoundPaused()
                | bodies.RoundResumed()
                | bodies.RoundExtended()
                | bodies.RoundEnded()
                | bodies.ScoringClosed()
                | bodies.RoundClosed()
                | bodies.RoundAgain()
            ):
                self._step(event, body)
            case bodies.TalkOpened() if event.talk is not None:
                self._talks[event.talk] = _Talk(body)
            case bodies.Key() if event.talk in self._talks:
                self._key(event, body, self._talks[event.talk])
            case bodies.Times() if event.talk in self._talks:
                self._times(event, body, self._talks[event.talk])
            case bodies.TalkClosed() if event.talk in self._talks:
                self._talks[event.talk].closed = True
            case bodies.KeyInDoubt() if len(self._in_doubt) < KEPT:
                self._in_doubt.append(Fault.of(event, self._doubt(body)))
            case _:
                pass

    def check(self) -> Check:
        """What was found."""
        if self._file is not None:
            self._file.close()
        rounds = several(len(self._rounds), "round or attempt", "rounds and attempts")
        keys = several(self._keys, "key")
        check = self._faults.check(
            "replay", f"{rounds} played again, {keys}, {self._hidden} of them out of phase"
        )
        return replace(check, notes=tuple(self._in_doubt))

    def _doubt(self, body: bodies.KeyInDoubt) -> str:
        where = f"talk {body.talk}"
        if 0 < body.talk <= len(self._rounds):
            round_, attempt = list(self._rounds)[body.talk - 1]
            where = f"round {round_}, attempt {attempt}"
        return f"{quoted(body.entry)} may have had key {body.n} of its judge twice ({where})"

    # Rounds

    def _step(
        self,
        event: Event,
        body: bodies.RoundStarted
        | bodies.RoundPaused
        | bodies.RoundResumed
        | bodies.RoundExtended
        | bodies.RoundEnded
        | bodies.ScoringClosed
        | bodies.RoundClosed
        | bodies.RoundAgain,
    ) -> None:
        round_ = self._rounds.get((body.round, body.attempt))
        if round_ is None:
            self._faults.at(event, f"attempt {body.attempt} of round {body.round} was not opened")
            return
        before, after = _STEPS[type(body)]
        if round_.state not in before:
            self._faults.at(event, f"it comes while the round is {round_.state}")
        round_.state = after or round_.state
        match body:
            case bodies.RoundStarted():
                round_.started_ns, round_.seconds = event.mono_ns, body.seconds
            case bodies.RoundPaused():
                round_.pause_began = event.mono_ns
            case bodies.RoundResumed() if round_.pause_began is not None:
                round_.paused_ns += event.mono_ns - round_.pause_began
                round_.pause_began = None
            case bodies.RoundExtended():
                round_.seconds += body.seconds
            case bodies.RoundClosed():
                self._put_aside(body)
            case bodies.RoundEnded():
                for key in round_.after_end:
                    if body.reason == "time" and key.mono_ns < round_.end_ns:
                        self._faults.at(key, "it is marked as after the end, which was later")
                round_.after_end.clear()
            case _:
                pass

    def _put_aside(self, closed: bodies.RoundClosed) -> None:
        """Puts the keys of a round aside when it is closed: hardly any time of one comes later."""
        with contextlib.suppress(OSError):
            self._file = self._file or tempfile.TemporaryFile()  # noqa: SIM115
            for talk in self._talks.values():
                if (talk.body.round, talk.body.attempt) == (closed.round, closed.attempt):
                    talk.keys.put_aside(self._file)

    # Keys

    def _key(self, event: Event, body: bodies.Key, talk: _Talk) -> None:
        self._keys += 1
        self._hidden += body.out_of_phase is not None
        talk.keys.add(event.seq, event.mono_ns, body.out_of_phase is None)
        opened = talk.body
        if body.side != opened.side:
            self._faults.at(event, f"its side is {body.side}, its talk's {opened.side}")
        by = opened.judge if body.author == "judge" else opened.entity
        if event.actor != by:
            self._faults.at(event, f"it is by {quoted(event.actor)}, who is not its {body.author}")
        self._number(event, body, talk)
        round_ = self._rounds.get((opened.round, opened.attempt))
        if round_ is None:
            return
        wrong = self._wrong_phase(event, body, talk, round_)
        if wrong:
            self._faults.at(event, wrong)
        if body.out_of_phase is None:
            round_.shown = True
            if body.author == "judge":
                talk.touched = True
                talk.begun = talk.begun or shown_as(body.key) is not None
            for early in round_.after_end:
                self._faults.at(early, "it is marked as after the end, but keys came after it")
            round_.after_end.clear()

    def _number(self, event: Event, body: bodies.Key, talk: _Talk) -> None:
        source = (body.author, body.raw is not None)
        match = None if body.raw is None else _NUMBER.fullmatch(body.raw)
        number = body.n if match is None else int(match[1][:40])
        last = talk.numbers.get(source)
        talk.numbers[source] = number
        if body.raw is None:
            expected = (last or 0) + 1
            if body.n != expected:
                self._faults.at(event, f"its number is {body.n}, not {expected}")
            return
        if last is not None and number <= last and not _NOT_GROWING & set(body.rules):
            self._faults.at(
                event, f"its number {number} does not grow (from {last}), and no rule says so"
            )
        if match is None or min(number, bodies.LARGEST) != body.n or match[2] != body.key:
            self._faults.at(event, f"its name {quoted(body.raw)} is not that of its number and key")

    def _wrong_phase(
        self, event: Event, body: bodies.Key, talk: _Talk, round_: _Round
    ) -> str | None:
        match body.out_of_phase:
            case None:
                if round_.state != "on" or talk.closed:
                    return f"it was shown, but the round was {round_.state}"
                if body.author == "entity" and not talk.touched:
                    return "it was shown, but the judge had not begun"
            case Rule.WAITS.value:
                if body.author == "judge" or talk.begun:
                    return "it is marked as too early, but the judge had begun"
            case Rule.NOT_ON.value:
                if round_.state == "on" and round_.shown:
                    return "it is marked as while nothing was on, but keys had been shown"
                if round_.state in ("ended", "closed"):
                    return "it is marked as while nothing was on, but the round had ended"
            case Rule.AFTER_END.value:
                if round_.state not in ("ended", "closed") and not talk.closed:
                    round_.after_end.append(event)
            case other:
                return f"it is marked by no rule of ours: {quoted(other)}"
        return None

    def _times(self, event: Event, body: bodies.Times, talk: _Talk) -> None:
        for row in body.keys:
            match row:
                case [int(seq), int() | None as durable, int() | None as shown]:
                    self._times_of(event, seq, durable, shown, talk)
                case _:
                    self._faults.at(event, "it holds times that are not [seq, durable, shown]")

    def _times_of(
        self, event: Event, seq: int, durable: int | None, shown: int | None, talk: _Talk
    ) -> None:
        key = talk.keys.of(seq)
        if key is None:
            self._faults.at(event, f"it has times of event {seq}, no key of this talk before it")
            return
        received, was_shown = key
        if durable is not None and durable < received:
            self._faults.at(event, f"key {seq} was durable before it was received")
        elif shown is not None and not was_shown:
            self._faults.at(event, f"key {seq} was out of phase, but has a time of being shown")
        elif shown is not None and shown < (received if durable is None else durable):
            self._faults.at(event, f"key {seq} was shown before it was durable")
