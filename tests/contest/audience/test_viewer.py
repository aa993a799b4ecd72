"""A viewer, however slow: messages in order, each once, and a bounded number of them."""

from __future__ import annotations

import asyncio
import zlib

import pytest

from contest.audience.feed import QUEUE, Viewer
from contest.audience.frames import LONG, Message


def numbered(number: int) -> Message:
    return Message(f"{number}")


async def texts(viewer: Viewer) -> list[str]:
    """What can be had without waiting."""
    found: list[str] = []

    async def listen() -> None:
        while True:
            found.append((await viewer.next()).text)

    listening = asyncio.create_task(listen())
    await asyncio.sleep(0)
    listening.cancel()
    await asyncio.wait([listening])
    return found


async def test_first_all_there_is_then_each_message_once() -> None:
    viewer = Viewer(Message("all"), None)
    assert [viewer.idle, await texts(viewer), viewer.idle] == [False, ["all"], True]
    for n in range(3):
        viewer.put(numbered(n))
    assert await texts(viewer) == ["0", "1", "2"]


async def test_who_falls_behind_begins_anew_when_all_is_sent() -> None:
    viewer = Viewer(Message("all"), None)
    await texts(viewer)
    given: tuple[str, ...] = ("J1",)
    viewer.given = given
    for n in range(QUEUE):
        viewer.put(numbered(n))
    # The first one is being sent when too many wait.
    assert (await viewer.next()).text == "0"
    for n in range(10 * QUEUE):
        viewer.put(numbered(n))
        assert len(viewer._waiting) <= QUEUE
    assert viewer.behind, "and it is still being sent what came first"
    assert not viewer.given
    assert await texts(viewer) == []
    assert viewer.idle
    viewer.start_over(Message("all of it"))
    viewer.put(numbered(7))
    assert await texts(viewer) == ["all of it", "7"]


async def test_a_viewer_waits_for_what_comes() -> None:
    viewer = Viewer(Message("all"), None)
    await viewer.next()
    waiting = asyncio.create_task(viewer.next())
    await asyncio.sleep(0)
    assert not waiting.done()
    viewer.put(numbered(1))
    assert (await waiting).text == "1"


@pytest.mark.parametrize(("length", "gains"), [(LONG - 1, False), (LONG, True), (100_000, True)])
def test_a_long_message_is_compressed_once(length: int, gains: bool) -> None:
    message = Message("é" * length)
    packed = message.packed
    assert (packed is not None) == gains
    if packed is not None:
        assert zlib.decompress(packed, wbits=-zlib.MAX_WBITS).decode() == message.text
        assert message.packed is packed
