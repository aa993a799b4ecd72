"""Connections in memory: in order, cut, fallen silent, and those of a server that died."""

from __future__ import annotations

import asyncio

import pytest

from contest.rehearsal.wires import CONSOLE_NOTICES, SERVER_NOTICES, Line, LineEnded

pytestmark = pytest.mark.looptime


class Ends:
    """A line, and what its server has heard."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.over: list[tuple[float, str]] = []
        self.line: Line[str, str] = Line(str.upper, self.heard.append, self._ended)

    def _ended(self, why: str) -> None:
        self.over.append((asyncio.get_running_loop().time(), why))


async def ended(line: Line[str, str]) -> LineEnded:
    with pytest.raises(LineEnded) as caught:
        await line.receive()
    return caught.value


async def test_frames_go_both_ways_and_an_end_in_order_comes_after_them() -> None:
    ends = Ends()
    ends.line.say("a")
    ends.line.send("b")
    ends.line.close("enough")
    ends.line.send("c")
    assert ends.heard == ["a"]
    assert await ends.line.receive() == "B"
    assert (await ended(ends.line)).in_order
    await asyncio.sleep(0)
    assert [why for _, why in ends.over] == ["enough"]


async def test_what_is_cut_arrives_at_neither_end() -> None:
    ends = Ends()
    ends.line.send("b")
    ends.line.cut("the cable is out")
    ends.line.say("a")
    assert not (await ended(ends.line)).in_order
    await asyncio.sleep(0)
    assert ends.heard == []
    assert [why for _, why in ends.over] == ["the cable is out"]


async def test_silence_is_noticed_by_each_end_in_its_time() -> None:
    ends = Ends()
    began = asyncio.get_running_loop().time()
    ends.line.fall_silent()
    ends.line.send("b")
    ends.line.say("a")
    assert not (await ended(ends.line)).in_order
    assert asyncio.get_running_loop().time() - began == pytest.approx(CONSOLE_NOTICES)
    ends.line.hang_up()  # of which the server hears nothing
    await asyncio.sleep(SERVER_NOTICES)
    assert ends.heard == []
    assert [at - began for at, _ in ends.over] == [pytest.approx(SERVER_NOTICES)]


async def test_a_server_that_closes_a_silent_line_is_not_heard() -> None:
    ends = Ends()
    began = asyncio.get_running_loop().time()
    ends.line.fall_silent()
    ends.line.close("another console took this seat over")
    await asyncio.sleep(0)
    assert [why for _, why in ends.over] == ["another console took this seat over"]
    await ended(ends.line)
    assert asyncio.get_running_loop().time() - began == pytest.approx(CONSOLE_NOTICES)
    await asyncio.sleep(SERVER_NOTICES)
    assert len(ends.over) == 1


async def test_a_server_that_died_hears_of_nothing() -> None:
    ends = Ends()
    ends.line.die()
    assert not (await ended(ends.line)).in_order
    ends.line.hang_up()
    await asyncio.sleep(1)
    assert ends.over == []
