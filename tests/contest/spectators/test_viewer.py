"""A viewer, however slow: frames in order, each once, and a bounded number of them."""

from __future__ import annotations

import asyncio

import pytest

from contest.spectators.viewer import QUEUE, Numbered, Viewer


class Source:
    """Gives frames, and all of them together."""

    def __init__(self) -> None:
        self.step = 0
        self.asked = 0

    def whole(self) -> Numbered:
        self.asked += 1
        return Numbered(self.step, f"all to {self.step}")

    def next(self) -> Numbered:
        self.step += 1
        return Numbered(self.step, f"{self.step}")


async def texts(viewer: Viewer) -> list[str]:
    """What can be had without waiting."""
    found = []
    while True:
        try:
            async with asyncio.timeout(0.01):
                found.append(await viewer.next())
        except TimeoutError:
            return found


async def test_first_all_there_is_then_each_frame_once() -> None:
    source = Source()
    source.next()
    viewer = Viewer(source.whole)
    assert await texts(viewer) == ["all to 1"]
    for _ in range(3):
        viewer.put(source.next())
    assert await texts(viewer) == ["2", "3", "4"]


async def test_a_frame_that_is_part_of_the_whole_is_not_sent_again() -> None:
    source = Source()
    viewer = Viewer(source.whole)
    frame = source.next()
    assert await viewer.next() == "all to 1"
    viewer.put(frame)
    viewer.put(Numbered(1, "of the same step"))
    viewer.put(source.next())
    assert await texts(viewer) == ["2"]


async def test_who_falls_behind_gets_the_whole_in_place_of_what_was_missed() -> None:
    source = Source()
    viewer = Viewer(source.whole)
    await viewer.next()
    for _ in range(QUEUE):
        viewer.put(source.next())
    assert await viewer.next() == "1"
    for _ in range(10 * QUEUE):
        viewer.put(source.next())
        assert len(viewer._waiting) <= QUEUE
    assert (await texts(viewer))[0] == f"all to {source.step}"
    assert source.asked == 2


async def test_a_viewer_waits_for_what_comes() -> None:
    source = Source()
    viewer = Viewer(source.whole)
    await viewer.next()
    waiting = asyncio.create_task(viewer.next())
    await asyncio.sleep(0)
    assert not waiting.done()
    viewer.put(source.next())
    assert await waiting == "1"


@pytest.mark.parametrize("count", [1, 1000])
async def test_all_viewers_share_one_text(count: int) -> None:
    source = Source()
    viewers = [Viewer(source.whole) for _ in range(count)]
    for viewer in viewers:
        await viewer.next()
    frame = source.next()
    for viewer in viewers:
        viewer.put(frame)
    assert all([await viewer.next() is frame.text for viewer in viewers])
