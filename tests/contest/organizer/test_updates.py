"""What the board sends: only what has changed, the newest state, and never too often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from contest.organizer import updates as module
from contest.organizer.updates import EVERY, SHARE, SIGN, Live, Picture


class Contest:
    """What is to be seen, and how often it was looked at."""

    def __init__(self) -> None:
        self.parts = {"a": "<p id=a>1</p>", "b": "<p id=b>1</p>"}
        self.left: float | None = None
        self.speed = 0.0
        self.looks = 0
        self.takes = 0.0
        self.now: Callable[[], float] = asyncio.get_running_loop().time
        self.spent = 0.0
        self.asked: list[frozenset[str]] = []

    async def look(self, topics: frozenset[str]) -> dict[str, Picture]:
        self.looks += 1
        self.asked.append(topics)
        self.spent += self.takes
        picture = Picture(dict(self.parts), self.left, self.speed)
        return dict.fromkeys(topics, picture)

    def clock(self) -> float:
        return self.now() + self.spent


@pytest.mark.looptime
async def test_all_is_sent_first_and_then_what_has_changed() -> None:
    contest = Contest()
    live = Live(contest.look, contest.clock)
    async with live.viewer("a") as viewer:
        first = await live.next(viewer)
        assert first == {"parts": contest.parts, "clock": {"left": None, "speed": 0.0}}
        contest.parts["b"] = "<p id=b>2</p>"
        assert await live.next(viewer) == {"parts": {"b": "<p id=b>2</p>"}}
        began = contest.now()
        assert await live.next(viewer) == {}, "a sign of life"
        assert contest.now() - began == pytest.approx(SIGN)


@pytest.mark.looptime
async def test_the_newest_state_wins_for_who_is_slow() -> None:
    contest = Contest()
    live = Live(contest.look, contest.clock)
    async with live.viewer("a") as slow, live.viewer("a") as quick:
        await live.next(slow)
        await live.next(quick)
        for number in range(2, 50):
            contest.parts["a"] = f"<p id=a>{number}</p>"
            assert (await live.next(quick))["parts"] == {"a": f"<p id=a>{number}</p>"}
        assert await live.next(slow) == {"parts": {"a": "<p id=a>49</p>"}}
        assert set(vars(slow)) == {"scene", "sent", "clock", "more"}
        assert slow.sent is slow.scene.picture.parts, "nothing piles up"  # type: ignore[union-attr]


@pytest.mark.looptime
async def test_nobody_looks_where_nobody_wants_to_see() -> None:
    contest = Contest()
    live = Live(contest.look, contest.clock)
    await asyncio.sleep(5)
    assert contest.looks == 0
    async with live.viewer("a"):
        await asyncio.sleep(2)
        seen = contest.looks
        assert 2 / EVERY * 0.8 <= seen <= 2 / EVERY + 2
    await asyncio.sleep(5)
    assert contest.looks == seen


@pytest.mark.looptime
async def test_looks_that_take_long_are_seldom() -> None:
    contest = Contest()
    contest.takes = 0.1
    live = Live(contest.look, contest.clock)
    async with live.viewer("a"):
        await asyncio.sleep(20)
        assert contest.looks <= 20 / (SHARE * contest.takes) + 2


@pytest.mark.looptime
async def test_the_clock_is_sent_when_it_goes_otherwise_than_expected() -> None:
    contest = Contest()
    contest.left, contest.speed = 600.0, 1.0
    began = contest.now()
    live = Live(contest.look, contest.clock)

    def goes() -> None:
        contest.left = 600.0 - (contest.now() - began)

    async with live.viewer("a") as viewer:
        assert (await live.next(viewer))["clock"] == {"left": 600.0, "speed": 1.0}
        for _ in range(100):
            await asyncio.sleep(0.1)
            goes()
        assert "clock" not in await live.next(viewer)
        contest.left, began = 1200.0, contest.now() + 600
        said = await live.next(viewer)
        assert said["clock"]["left"] == pytest.approx(1200.0, abs=0.5)
        contest.speed = 0.0
        assert (await live.next(viewer))["clock"]["speed"] == 0.0
        contest.left = None
        assert (await live.next(viewer))["clock"] == {"left": None, "speed": 0.0}


@pytest.mark.looptime
async def test_a_mistake_of_ours_is_not_kept_quiet_and_the_next_viewer_sees_again() -> None:
    contest = Contest()
    broken = True

    async def look(topics: frozenset[str]) -> dict[str, Picture]:
        if broken and contest.looks:
            raise LookupError("a mistake")
        return await contest.look(topics)

    live = Live(look, contest.clock)
    began = contest.now()
    with pytest.raises(LookupError):
        await watch_for_ever(live)
    assert contest.now() - began == pytest.approx(EVERY), "it is not waited for a sign of life"
    broken = False
    async with live.viewer("a") as viewer:
        assert (await live.next(viewer))["parts"] == contest.parts


async def watch_for_ever(live: Live[str]) -> None:
    async with live.viewer("a") as viewer:
        while True:
            await live.next(viewer)


@pytest.mark.looptime
async def test_there_are_only_so_many_viewers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    live = Live(Contest().look)
    full = [live.full]
    async with live.viewer("a"):
        full.append(live.full)
        async with live.viewer("a"):
            full.append(live.full)
        full.append(live.full)
    assert full == [False, False, True, False]


@pytest.mark.looptime
async def test_each_sees_what_was_asked_for_and_it_is_looked_at_once_for_all() -> None:
    seen: list[frozenset[str]] = []

    async def look(topics: frozenset[str]) -> dict[str, Picture]:
        seen.append(topics)
        return {each: Picture({each: f"{each} {len(seen)}"}, None, 0.0) for each in topics}

    live = Live(look, asyncio.get_running_loop().time)
    async with live.viewer("log") as one, live.viewer("log") as other:
        assert [(await live.next(each))["parts"] for each in (one, other)] == 2 * [{"log": "log 1"}]
        async with live.viewer("result") as third:
            assert (await live.next(third))["parts"] == {"result": "result 2"}
            assert (await live.next(one))["parts"] == {"log": "log 2"}
        await live.next(one)
        await live.next(other)
    assert seen == [{"log"}, {"log", "result"}, {"log"}]


@pytest.mark.looptime
async def test_a_part_that_is_gone_is_sent_when_it_is_there_again() -> None:
    contest = Contest()
    live = Live(contest.look, contest.clock)
    async with live.viewer("a") as viewer:
        await live.next(viewer)
        gone = contest.parts.pop("b")
        assert "parts" not in await live.next(viewer)
        contest.parts["b"] = gone
        assert (await live.next(viewer))["parts"] == {"b": gone}


@pytest.mark.looptime
async def test_who_comes_and_goes_brings_no_more_looks() -> None:
    contest = Contest()
    contest.takes = 0.1
    live = Live(contest.look, contest.clock)
    for _ in range(100):
        async with live.viewer("a"):
            await asyncio.sleep(0.1)
    assert contest.looks <= 10 / (SHARE * contest.takes) + 1
