"""Writer, reader, hints, sweeps and faults in any order, on virtual time: of a writer that keeps
to the rules nothing is lost, doubled or reordered."""

from __future__ import annotations

import asyncio
import errno
import random
from collections.abc import Callable
from dataclasses import dataclass

import looptime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpp import lookout, removal
from lpp.channel import DirectoryChannel
from lpp.keypress import Side
from lpp.session import Received
from lpp.testing import FaultyDirectory, MemoryDirectory

IN_USE = PermissionError(errno.EACCES, "in use by a virus scanner")
AWAY = OSError(errno.EIO, "the share is away")


class FaultyHint:
    """Drops wakes, delays them, and doubles them."""

    def __init__(self, inner: MemoryDirectory, rng: random.Random) -> None:
        self._inner = inner
        self._rng = rng
        self._failing = False

    def watch(self, path: str, wake: Callable[[], None]) -> Callable[[], None]:
        if self._rng.random() < 0.2:
            raise OSError(errno.EMFILE, "inotify instance limit reached")

        def faulty_wake() -> None:
            for _ in range(self._rng.choice([0, 1, 1, 2, 60])):
                asyncio.get_running_loop().call_later(self._rng.choice([0, 0, 0.1, 3]), wake)

        return self._inner.watch(path, faulty_wake)

    def healthy(self) -> bool:
        return self._rng.random() < 0.9


@dataclass(frozen=True)
class Step:
    """What happens next: so many keys are written, faults come and go, time passes, keys are
    read."""

    keys: int
    gap: int
    refuse: bool
    away: bool
    full: bool
    seconds: float
    read: int
    release: int


steps = st.builds(
    Step,
    keys=st.sampled_from([0, 1, 1, 2, 5, 60]),
    gap=st.sampled_from([0, 0, 0, 1, 5000]),
    refuse=st.booleans(),
    away=st.sampled_from([False, False, True]),
    full=st.sampled_from([False, False, True]),
    seconds=st.sampled_from([0.0, 0.0, 0.001, 0.1, 1.0, 5.0]),
    read=st.sampled_from([0, 1, 10, 1000]),
    release=st.sampled_from([0, 1, 10, 1000]),
)


class Talk:
    """A writer that keeps to the rules, and a channel that reads it through all faults."""

    def __init__(self, rng: random.Random, *, keep: bool) -> None:
        self.memory = MemoryDirectory()
        self.faulty = FaultyDirectory(self.memory)
        self.keep = keep
        self.rng = rng
        self.next = 0
        self.made: list[int] = []
        self.read: list[int] = []
        self.unreleased: list[Received] = []
        self.channel = DirectoryChannel(
            self.faulty,
            side=Side.JUDGE,
            hint=FaultyHint(self.memory, rng),
            keep=keep,
            report=lambda _: None,
        )

    async def step(self, step: Step) -> None:
        self.faulty.remove_error = IN_USE if step.refuse else None
        self.faulty.list_error = AWAY if step.away else None
        self.faulty.make_error = AWAY if step.full else None
        self.next += step.gap
        for _ in range(step.keys):
            self.memory.make(f"{self.next:010d}.a.other")
            self.made.append(self.next)
            self.next += 1
            if self.rng.random() < 0.1:
                await asyncio.sleep(0)
        await asyncio.sleep(step.seconds)
        self.take(self.channel.receive_now(), step.read)
        for received in self.unreleased[: step.release]:
            self.channel.release(received)
        del self.unreleased[: step.release]

    def take(self, came: list[Received], count: int) -> None:
        self.channel._inbox.extend(came[count:])  # unread, as a slow consumer leaves it
        for received in came[:count]:
            assert received.violations == ()
            self.read.append(received.press.number)
            self.unreleased.append(received)
        assert self.read == self.made[: len(self.read)]

    async def end(self) -> None:
        self.faulty.remove_error = self.faulty.list_error = self.faulty.make_error = None
        await asyncio.sleep(10)
        self.take(self.channel.receive_now(), len(self.made))
        assert self.read == self.made
        if self.keep:
            for received in self.unreleased:
                self.channel.release(received)
        await self.channel.settled()
        assert self.memory.entries == set()


@settings(max_examples=60, deadline=None)
@given(
    script=st.lists(steps, max_size=12),
    keep=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_nothing_is_lost_doubled_or_reordered(script: list[Step], keep: bool, seed: int) -> None:
    """Turns are short, so that looks of many turns meet everything else."""

    async def play() -> None:
        talk = Talk(random.Random(seed), keep=keep)
        async with talk.channel:
            for step in script:
                await talk.step(step)
            await talk.end()

    with (
        pytest.MonkeyPatch.context() as patch,
        asyncio.Runner(loop_factory=looptime.new_event_loop) as runner,
    ):
        patch.setattr(lookout, "TURN", 7)
        patch.setattr(lookout, "BURST", 10)
        patch.setattr(removal, "AT_ONCE", 5)
        runner.run(play())
