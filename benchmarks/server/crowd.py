"""The load: all participants of a contest, in a separate process, typing on a schedule.

`Crowd` below runs it as `python -m benchmarks.server.crowd`; the plan and the outcome are one line
of JSON each.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median

import msgspec

from benchmarks.helper import Helper, say
from benchmarks.keys import Tally, tally
from benchmarks.report import Row, Target
from benchmarks.server.participants import DirectoryEntry, LinkedEntry, Seat
from benchmarks.server.streams import Stream, type_all
from benchmarks.server.waiting import until
from lpp.wire import Place

PLACES: tuple[Place, Place] = ("left", "right")
#: The time limit in seconds until all are seated, and until the last keys arrive.
SITTING, LAST = 120.0, 30.0
#: How many may log in at the same time, because checking a code is slow on purpose.
AT_ONCE = 8
#: The names of the four kinds of stream, by direction.
TO_JUDGE = {"person": "person to judge", "program": "program to judge"}
FROM_JUDGE = {"person": "judge to person", "program": "judge to program"}
#: Target: milliseconds between the medians of human and program.
FAIR = Target(2, ratio=False)


def fairness(benchmark: str, delays: Mapping[str, Sequence[float]]) -> Row:
    """The difference between the median delays from person and from program to the judge.

    Arguments:
        benchmark: the benchmark's name.
        delays: kind of stream, as in `TO_JUDGE`, to milliseconds.
    """
    person, program = (median(delays[kind]) for kind in TO_JUDGE.values())
    return Row(
        benchmark,
        "difference between the medians, person to judge and program to judge",
        abs(person - program),
        "ms",
        target=FAIR,
        note=f"the {'program' if program < person else 'person'} is faster",
    )


class Plan(msgspec.Struct, frozen=True):
    """The plan of the load.

    Attributes:
        address: the server's, as HOST:PORT.
        codes: seat, or entry with a link, to its code.
        desks: how many: J1 with E1 and C1, and so on.
        directories: entry to its directory, for entries without a link.
        rate: keys per second from each author in each talk.
        seconds: how long all type.
        warm: seconds of typing before, not counted.
    """

    address: str
    codes: dict[str, str]
    desks: int
    directories: dict[str, str]
    rate: float
    seconds: float
    warm: float


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of the load.

    Attributes:
        delays: kind of stream to the milliseconds from each key's press to its arrival.
        from_due: the same, counted from when the key was due.
        late: milliseconds by which the load itself pressed keys too late.
        pressed: how many keys were pressed in all.
        lost, doubled, out_of_order: how many keys went wrong in this way.
        wrong: how many arrived as another key.
        untaken: how many were not confirmed as durable.
        refused: the server's first refusals.
        seconds: how long they typed.
        share: the share of a core that the load used.
    """

    delays: dict[str, list[float]]
    from_due: dict[str, list[float]]
    late: list[float]
    pressed: int
    lost: int
    doubled: int
    out_of_order: int
    wrong: int
    untaken: int
    refused: list[str]
    seconds: float
    share: float

    @property
    def tally(self) -> Tally:
        """The keys that went wrong, as in other benchmarks."""
        return Tally(self.lost, self.doubled, self.out_of_order)

    def __str__(self) -> str:
        words = [str(self.tally)]
        for count, fault in ((self.wrong, "WRONG KEYS"), (self.untaken, "NOT CONFIRMED DURABLE")):
            if count:
                words.append(f"{count} {fault}")
        return ", ".join(words + self.refused[:3])


class _Desk:
    """A judge with two partners, and the four streams between them."""

    def __init__(self, number: int, plan: Plan) -> None:
        self.judge = Seat(f"J{number}", self._at_judge)
        self.person = Seat(f"C{number}", partial(self._at_other, "person"))
        directory = plan.directories.get(f"E{number}")
        self.program: LinkedEntry | DirectoryEntry
        if directory is None:
            self.program = LinkedEntry(f"E{number}", partial(self._at_other, "program"))
        else:
            self.program = DirectoryEntry(
                f"E{number}", directory, partial(self._at_other, "program")
            )
        # The first key shows who sits where, because nobody tells a judge.
        self._from_judge: dict[str, Stream] = {}
        self._to_judge: dict[str, Stream] = {}
        self._first: str | None = None
        self.streams: list[Stream] = []

    def begin(self) -> None:
        """Presses the judge's first key on the left, to find out which partner is on that side."""
        assert self._first is None
        self.judge.press("left", 1, "a")

    @property
    def known(self) -> bool:
        """Whether it is known who sits where."""
        return bool(self.streams)

    def _at_other(self, who: str, _place: str, n: int, key: str) -> None:
        if self._first is None:
            self._first = who
            other = {"person": "program", "program": "person"}[who]
            for place, whom in zip(PLACES, (who, other), strict=True):
                self._from_judge[whom] = Stream(
                    FROM_JUDGE[whom], partial(self._press, place, place == "left")
                )
                press = (
                    partial(self.person.press, "only") if whom == "person" else self.program.press
                )
                self._to_judge[place] = Stream(TO_JUDGE[whom], press)
            self.streams = [*self._from_judge.values(), *self._to_judge.values()]
            return
        self._from_judge[who].arrived(n - (who == self._first), key)

    def _press(self, place: Place, first: bool, n: int, key: str) -> None:
        self.judge.press(place, n + first, key)

    def _at_judge(self, place: str, n: int, key: str) -> None:
        self._to_judge[place].arrived(n, key)

    def take_stock(self) -> None:
        """Updates the numbers up to which each stream's keys are durable."""
        left = self._first
        for whom, stream in self._from_judge.items():
            place = "left" if whom == left else "right"
            stream.taken = self.judge.taken.get(place, 0) - (whom == left)
        for stream in self._to_judge.values():
            person = stream.kind == TO_JUDGE["person"]
            stream.taken = self.person.taken.get("only", 0) if person else self.program.taken


async def _run(
    plan: Plan,
    seated: Callable[[], None],
    wait_for_parent: Callable[[], object],
    done: Callable[[Outcome], None],
) -> None:
    desks = [_Desk(number, plan) for number in range(1, plan.desks + 1)]
    everybody = [each for desk in desks for each in (desk.judge, desk.person, desk.program)]
    gate = asyncio.Semaphore(AT_ONCE)

    async def sit(who: Seat | LinkedEntry) -> None:
        async with gate:
            await who.sit(plan.address, plan.codes[who.id])
            await until(lambda: who.here or bool(who.refused), SITTING)

    await asyncio.gather(*(sit(who) for who in everybody if not isinstance(who, DirectoryEntry)))
    seated()
    await asyncio.to_thread(wait_for_parent)
    await until(lambda: all(d.judge.on and d.person.on for d in desks), SITTING)
    for desk in desks:
        desk.begin()
    await until(lambda: all(desk.known for desk in desks), LAST)
    streams = [stream for desk in desks for stream in desk.streams]
    # Programs and people wait until the judge begins, so the judges type first, then all.
    judges = [stream for stream in streams if stream.kind in FROM_JUDGE.values()]
    rng = random.Random(1)
    for stream in judges:
        stream.type()
    await until(lambda: all(stream.seen for stream in judges), LAST)
    if plan.warm:
        await type_all(streams, plan.rate, plan.warm, rng)
    counted = [len(stream.sent) for stream in streams]
    begun, work = time.monotonic(), time.process_time()
    await type_all(streams, plan.rate, plan.seconds, rng)
    seconds = time.monotonic() - begun
    share = (time.process_time() - work) / seconds

    def all_there() -> bool:
        if any(len(stream.seen) < len(stream.sent) for stream in streams):
            return False
        for desk in desks:
            desk.take_stock()
        return not any(stream.missing for stream in streams)

    with contextlib.suppress(TimeoutError):  # missing keys are counted
        await until(all_there, LAST)
    for desk in desks:
        desk.take_stock()
    outcome = _outcome(streams, counted, [r for who in everybody for r in who.refused])
    done(msgspec.structs.replace(outcome, seconds=seconds, share=share))
    # They stay connected, even if the server ends, until the parent tells them to stop.
    await asyncio.to_thread(wait_for_parent)


def _outcome(streams: Sequence[Stream], counted: Sequence[int], refused: list[str]) -> Outcome:
    delays: dict[str, list[float]] = {}
    from_due: dict[str, list[float]] = {}
    late: list[float] = []
    lost = doubled = out_of_order = wrong = untaken = 0
    for stream, first in zip(streams, counted, strict=True):
        tallied = tally(stream.numbers, len(stream.sent))
        lost += tallied.lost
        doubled += tallied.doubled
        out_of_order += tallied.out_of_order
        wrong += stream.wrong
        untaken += max(0, len(stream.sent) - stream.taken)
        for number, seen in zip(stream.numbers, stream.seen, strict=True):
            if number >= first:
                sent, due = stream.sent[number], stream.due[number]
                delays.setdefault(stream.kind, []).append(_ms(seen - sent))
                from_due.setdefault(stream.kind, []).append(_ms(seen - due))
                late.append(_ms(sent - due))
    return Outcome(
        delays=delays,
        from_due=from_due,
        late=late,
        pressed=sum(len(stream.sent) for stream in streams),
        lost=lost,
        doubled=doubled,
        out_of_order=out_of_order,
        wrong=wrong,
        untaken=untaken,
        refused=refused[:10],
        seconds=0.0,
        share=0.0,
    )


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)


class Crowd(Helper):
    """A handle on the load's process for its parent; use it in a `with` statement.

    Arguments:
        plan: the plan of the load.
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__("benchmarks.server.crowd")
        self.tell(msgspec.to_builtins(plan))

    def seated(self) -> None:
        """Waits until everybody is seated."""
        self.hear()

    def run(self) -> Outcome:
        """Has them type once the interaction is on, and waits for the outcome."""
        self.tell("type")
        return msgspec.convert(self.hear(), type=Outcome)


def _main() -> None:
    plan = msgspec.convert(json.loads(sys.stdin.readline()), Plan)

    asyncio.run(
        _run(
            plan,
            lambda: say("seated"),
            sys.stdin.readline,
            lambda outcome: say(msgspec.to_builtins(outcome)),
        )
    )


if __name__ == "__main__":
    _main()
