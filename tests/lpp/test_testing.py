"""What ships for tests of others: the scripted peer, the directories in memory and with faults."""

from __future__ import annotations

import asyncio
import errno

import pytest

from lpp.channel import DirectoryChannel
from lpp.hints import Hint
from lpp.keypress import Side
from lpp.testing import MemoryDirectory, ScriptedPeer
from tests.lpp.faulty import FaultyDirectory

pytestmark = pytest.mark.looptime


def both(memory: MemoryDirectory) -> tuple[DirectoryChannel, DirectoryChannel]:
    return DirectoryChannel(memory, side=Side.JUDGE), DirectoryChannel(memory, side=Side.OTHER)


async def test_two_peers_talk() -> None:
    here, there = both(MemoryDirectory())
    async with here, there:
        judge, entry = ScriptedPeer(here), ScriptedPeer(there)
        await judge.say("Hello, Jim.\nHow are you?\n")
        assert await entry.line(timeout=5) == "Hello, Jim."
        assert await entry.line(timeout=5) == "How are you?"
        await entry.say("Fime\b\bne.\n", gap=0.1)
        assert await judge.line(timeout=5) == "Fine."
        assert judge.pane == "Fine.\n"
        assert entry.pane == "Hello, Jim.\nHow are you?\n"


async def test_keys_of_any_name() -> None:
    here, there = both(MemoryDirectory())
    async with here, there:
        await ScriptedPeer(here).press("Shift_L", "apostrophe", "a")
        entry = ScriptedPeer(there)
        assert [(await entry.key(timeout=1)).press.key for _ in range(3)] == [
            "Shift_L",
            "apostrophe",
            "a",
        ]
        assert entry.pane == "'a"


async def test_what_came_before_a_time_out_is_part_of_the_line() -> None:
    here, there = both(MemoryDirectory())
    async with here, there:
        judge, entry = ScriptedPeer(here), ScriptedPeer(there)
        await entry.say("Good m")
        with pytest.raises(TimeoutError):
            await judge.line(timeout=1)
        await entry.say("orning\n")
        assert await judge.line(timeout=1) == "Good morning"


async def test_time_is_the_loop_s() -> None:
    here, there = both(MemoryDirectory())
    loop = asyncio.get_running_loop()
    async with here, there:
        begun = loop.time()
        await ScriptedPeer(there).say("slow", gap=2)
        assert loop.time() - begun == pytest.approx(8)
        with pytest.raises(TimeoutError):
            await ScriptedPeer(there).key(timeout=60)


async def test_a_channel_that_is_closed_is_told() -> None:
    here, there = both(MemoryDirectory())
    peer = ScriptedPeer(there)
    async with here, there:
        await here.send("a")
        await peer.key(timeout=1)
    with pytest.raises(EOFError):
        await peer.key(timeout=1)
    with pytest.raises(EOFError):
        await peer.line(timeout=1)


def test_a_directory_in_memory_is_a_hint_and_one_with_faults_is_not() -> None:
    assert isinstance(MemoryDirectory(), Hint)
    assert not isinstance(FaultyDirectory(MemoryDirectory()), Hint)


def test_faults_come_for_as_long_as_they_are_set() -> None:
    memory = MemoryDirectory("the room")
    faulty = FaultyDirectory(memory)
    assert faulty.path == "the room"
    full = OSError(errno.ENOSPC, "no space left on device")
    faulty.make_error = faulty.list_error = full
    faulty.remove_error = lambda name: full if name == "a" else None
    for act in (lambda: faulty.make("a"), faulty.names, faulty.scan, lambda: faulty.remove("a")):
        with pytest.raises(OSError, match="no space"):
            act()
    assert faulty.remove("b") is None
    faulty.make_error = faulty.list_error = faulty.remove_error = None
    faulty.make("a")
    assert faulty.names() == ["a"]
    assert faulty.remove("a") is None
    assert faulty.removals == 3
    assert memory.entries == set()
