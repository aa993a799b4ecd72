"""Tests the tools that ship for others' tests: the scripted peer, and the directories in memory and
with faults."""

from __future__ import annotations

import pytest

from lpp.channel import DirectoryChannel
from lpp.keypress import Side
from lpp.testing import MemoryDirectory
from tests.peer import ScriptedPeer

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


async def test_keys_before_a_time_out_belong_to_the_next_line() -> None:
    here, there = both(MemoryDirectory())
    async with here, there:
        judge, entry = ScriptedPeer(here), ScriptedPeer(there)
        await entry.say("Good m")
        with pytest.raises(TimeoutError):
            await judge.line(timeout=1)
        await entry.say("orning\n")
        assert await judge.line(timeout=1) == "Good morning"


async def test_a_closed_channel_is_an_error() -> None:
    here, there = both(MemoryDirectory())
    peer = ScriptedPeer(there)
    async with here, there:
        await here.send("a")
        await peer.key(timeout=1)
    with pytest.raises(EOFError):
        await peer.key(timeout=1)
    with pytest.raises(EOFError):
        await peer.line(timeout=1)
