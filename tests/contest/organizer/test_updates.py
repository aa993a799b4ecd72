"""What the board sends: only what has changed, the newest state, and never too often."""

from __future__ import annotations

import asyncio

import pytest

from contest.organizer.updates import EVERY, SHARE, Live, Picture, Viewer

pytestmark = pytest.mark.looptime


class Contest:
    """What is to be seen, and how often it was looked at."""

    def __init__(self) -> None:
        self.parts = {"a": "<p id=a>1</p>", "b": "<p id=b>1</p>"}
        self.left: float | None = None
        self.speed = 0.0
        self.looks = 0
        self.takes = 0.0
        self.now = asyncio.get_running_loop().time
        self.live = Live(self.look, self.now)

    async def look(self) -> Picture:
        self.looks += 1
        await asyncio.sleep(self.takes)
        return Picture(dict(self.parts), self.left, self.speed)


async def test_all_is_sent_first_and_then_what_has_changed() -> None:
    contest = Contest()
    viewer = Viewer(contest.live)
    assert await viewer.next() == {"parts": contest.parts, "clock": {"left": None, "speed": 0.0}}
    contest.parts["b"] = "<p id=b>2</p>"
    assert await viewer.next() == {"parts": {"b": "<p id=b>2</p>"}}
    gone = contest.parts.pop("b")
    assert await viewer.next() == {}
    contest.parts["b"] = gone
    assert await viewer.next() == {"parts": {"b": gone}}


async def test_the_newest_state_wins_for_a_slow_viewer_and_one_look_is_for_all() -> None:
    contest = Contest()
    slow, quick, third = (Viewer(contest.live) for _ in range(3))
    await asyncio.gather(slow.next(), quick.next(), third.next())
    assert contest.looks == 1
    for number in range(2, 50):
        contest.parts["a"] = f"<p id=a>{number}</p>"
        both = await asyncio.gather(quick.next(), third.next())
        assert [each["parts"] for each in both] == 2 * [{"a": f"<p id=a>{number}</p>"}]
    assert contest.looks == 49
    assert await slow.next() == {"parts": {"a": "<p id=a>49</p>"}}


@pytest.mark.parametrize("takes", [0.0, 0.1])
async def test_looks_are_seldom_however_many_come_and_go(takes: float) -> None:
    contest = Contest()
    contest.takes = takes
    end = contest.now() + 20
    while contest.now() < end:
        await Viewer(contest.live).next()
        await asyncio.sleep(0.01)
    assert contest.looks <= 20 / max(EVERY, SHARE * takes) + 2
    await asyncio.sleep(5)
    assert contest.looks <= 20 / max(EVERY, SHARE * takes) + 2, "nobody looks on"


async def test_the_clock_is_sent_when_it_goes_otherwise_than_was_told() -> None:
    contest = Contest()
    contest.left, contest.speed = 600.0, 1.0
    began, viewer = contest.now(), Viewer(contest.live)
    assert (await viewer.next())["clock"] == {"left": 600.0, "speed": 1.0}
    for _ in range(50):
        await asyncio.sleep(0.1)
        contest.left = 600.0 - (contest.now() - began)
        assert await viewer.next() == {}
    contest.left = 1200.0
    assert (await viewer.next())["clock"] == {"left": 1200.0, "speed": 1.0}
    contest.speed = 0.0
    assert (await viewer.next())["clock"]["speed"] == 0.0
    contest.left = None
    assert (await viewer.next())["clock"] == {"left": None, "speed": 0.0}


async def test_a_mistake_of_ours_is_not_kept_quiet() -> None:
    contest = Contest()

    async def broken() -> Picture:
        raise LookupError("a mistake")

    contest.live = Live(broken, contest.now)
    viewer = Viewer(contest.live)
    for _ in range(2):
        with pytest.raises(LookupError):
            await viewer.next()
