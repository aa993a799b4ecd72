"""Writer, reader, hints, sweeps and faults in any order, on virtual time: if the writer keeps the
rules, none of its keys is lost, doubled or reordered."""

from __future__ import annotations

import asyncio
import errno
import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpp import channel, removal, scanner, session
from lpp.channel import DirectoryChannel
from lpp.hints import Hint, NoHint
from lpp.keypress import Side
from lpp.numbers import MemoryNumbers
from lpp.session import Received
from lpp.testing import MemoryDirectory
from tests.conftest import virtual_loop
from tests.lpp.faulty import FaultyDirectory, FaultyHint

IN_USE = PermissionError(errno.EACCES, "in use by a virus scanner")
AWAY = OSError(errno.EIO, "the share is away")


#: The kinds of hint, in virtual time.
HINTS: dict[str, Callable[[MemoryDirectory, random.Random], Hint]] = {
    "in memory": lambda memory, rng: memory,
    "faulty": FaultyHint,
    "silent": lambda memory, rng: NoHint(),
    "late": lambda memory, rng: FaultyHint(memory, rng, refused=0, delays=[0.02], copies=[1]),
    "refused": lambda memory, rng: FaultyHint(memory, rng, refused=1),
}


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
    restart: bool


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
    restart=st.sampled_from([False, False, False, True]),
)


class Talk:
    """A writer that follows the rules, and a channel that reads its keys in spite of all faults.

    With `keep`, the reader may be restarted: then it receives the keys still in the directory
    again, and no others.
    """

    def __init__(self, hint: str, rng: random.Random, *, keep: bool) -> None:
        self.hint = hint
        self.memory = MemoryDirectory()
        self.faulty = FaultyDirectory(self.memory)
        self.keep = keep
        self.rng = rng
        self.next = 0
        self.made: list[int] = []
        self.read: list[int] = []
        self.unreleased: list[Received] = []
        self.faulty.scattered = rng.random() < 0.5
        self.channel = self.fresh()

    def fresh(self) -> DirectoryChannel:
        return DirectoryChannel(
            self.faulty,
            side=Side.JUDGE,
            hint=HINTS[self.hint](self.memory, self.rng),
            numbers=MemoryNumbers(),
            keep=self.keep,
            report=lambda _: None,
        )

    async def restart(self) -> None:
        """Ends the reader and starts another, which finds the keys that were not released."""
        await self.channel.close()
        self.faulty.list_error = None  # else there is nothing to open
        standing = {int(name[:10]) for name in self.memory.entries}
        assert set(self.made) - standing <= set(self.read)
        self.made = sorted(standing)
        self.read.clear()
        self.unreleased.clear()
        self.channel = self.fresh()
        await self.channel.__aenter__()

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
        if step.restart and self.keep:
            await self.restart()

    def take(self, came: list[Received], count: int) -> None:
        self.channel._inbox.extend(came[count:])  # unread, as a slow consumer leaves it
        for received in came[:count]:
            assert received.violations == ()
            self.read.append(received.press.number)
            self.unreleased.append(received)
        assert self.read == self.made[: len(self.read)]

    async def end(self) -> None:
        self.faulty.remove_error = self.faulty.list_error = self.faulty.make_error = None
        for _ in range(100 + len(self.made)):
            await asyncio.sleep(0.1)
            self.take(self.channel.receive_now(), len(self.made))
            for received in self.unreleased:
                self.channel.release(received)
            self.unreleased.clear()
            if len(self.read) == len(self.made):
                break
        await asyncio.sleep(1)
        self.take(self.channel.receive_now(), 1)
        assert self.read == self.made
        await self.channel.settled()
        assert self.memory.entries == set()


@pytest.mark.parametrize("hint", list(HINTS))
@settings(max_examples=15, deadline=None)
@given(
    script=st.lists(steps, max_size=12),
    keep=st.booleans(),
    room=st.sampled_from([20, 4096]),
    gathered=st.sampled_from([4, 32_768]),
    seed=st.integers(0, 2**32),
)
def test_nothing_is_lost_repeated_or_reordered(
    hint: str, script: list[Step], keep: bool, room: int, gathered: int, seed: int
) -> None:
    """Reads are short and take few keys at once, so that they interleave with all other actions."""

    async def play() -> None:
        talk = Talk(hint, random.Random(seed), keep=keep)
        await talk.channel.__aenter__()
        for step in script:
            await talk.step(step)
        await talk.end()
        await talk.channel.close()

    with (
        pytest.MonkeyPatch.context() as patch,
        asyncio.Runner(loop_factory=virtual_loop) as runner,
    ):
        patch.setattr(scanner, "BATCH", 7)
        patch.setattr(scanner, "BURST", 10)
        patch.setattr(removal, "BATCH", 5)
        patch.setattr(channel, "UNREAD_LIMIT", room)
        patch.setattr(session, "GATHER_LIMIT", gathered)
        runner.run(play())
