"""Tests the board's updates: only changes are sent, always the newest state, and never too
often."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from contest.organizer.updates import HEARTBEAT, MIN_INTERVAL, PAUSE_FACTOR, LivePage, Rendering

pytestmark = pytest.mark.looptime


class Contest:
    """A page's parts, and how often they were rendered."""

    def __init__(self) -> None:
        self.parts = {"a": "<p id=a>1</p>", "b": "<p id=b>1</p>"}
        self.left: float | None = None
        self.speed = 0.0
        self.renderings = 0
        self.takes = 0.0
        self.now = asyncio.get_running_loop().time
        self.live = LivePage(self.render, self.now)

    async def render(self) -> Rendering:
        self.renderings += 1
        await asyncio.sleep(self.takes)
        return Rendering(dict(self.parts), self.left, self.speed)


async def test_everything_is_sent_first_then_only_changes() -> None:
    contest = Contest()
    changes = contest.live.changes()
    clock = {"left": None, "speed": 0.0}
    assert await anext(changes) == {"parts": contest.parts, "clock": clock}
    contest.parts["b"] = "<p id=b>2</p>"
    assert await anext(changes) == {"parts": {"b": "<p id=b>2</p>"}, "clock": clock}
    gone = contest.parts.pop("b")
    assert await anext(changes) == {}
    contest.parts["b"] = gone
    assert (await anext(changes))["parts"] == {"b": gone}
    contest.left, contest.speed = 600.0, 1.0
    until = contest.now() + HEARTBEAT + 2 * MIN_INTERVAL
    signs = [said async for said in some(changes, contest, until) if said]
    assert signs == [{"parts": {}, "clock": {"left": 600.0, "speed": 1.0}}]


async def some(
    changes: AsyncIterator[dict[str, Any]], contest: Contest, until: float
) -> AsyncIterator[dict[str, Any]]:
    while contest.now() < until:
        yield await anext(changes)


async def test_slow_viewers_get_the_newest_state_and_share_renderings() -> None:
    contest = Contest()
    slow, quick, third = (contest.live.changes() for _ in range(3))
    await asyncio.gather(*map(anext, (slow, quick, third)))
    assert contest.renderings == 1
    for number in range(2, 50):
        contest.parts["a"] = f"<p id=a>{number}</p>"
        both = await asyncio.gather(anext(quick), anext(third))
        assert [each["parts"] for each in both] == 2 * [{"a": f"<p id=a>{number}</p>"}]
    assert contest.renderings == 49
    assert (await anext(slow))["parts"] == {"a": "<p id=a>49</p>"}


@pytest.mark.parametrize("takes", [0.0, 0.1])
async def test_the_number_of_viewers_does_not_affect_the_rendering_rate(takes: float) -> None:
    contest = Contest()
    contest.takes = takes
    end = contest.now() + 20
    while contest.now() < end:
        await anext(contest.live.changes())
        await asyncio.sleep(0.01)
    assert contest.renderings <= 20 / max(MIN_INTERVAL, PAUSE_FACTOR * takes) + 2
    await asyncio.sleep(5)
    assert contest.renderings <= 20 / max(MIN_INTERVAL, PAUSE_FACTOR * takes) + 2, (
        "no rendering without viewers"
    )


async def test_errors_in_rendering_are_raised() -> None:
    contest = Contest()

    async def broken() -> Rendering:
        raise LookupError("a mistake")

    contest.live = LivePage(broken, contest.now)
    for _ in range(2):
        with pytest.raises(LookupError):
            await anext(contest.live.changes())
