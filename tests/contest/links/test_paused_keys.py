"""Tests that the judge gets the keys that an entry typed during a pause after it, in order and in
the entry's rhythm, and that the entry soon catches up."""

from __future__ import annotations

import asyncio
import itertools
from functools import partial

import pytest

from contest.links.link import CATCH_UP, LOOK_EVERY, PACE, PausedKeys
from lpp.clock import LoopClock

pytestmark = pytest.mark.looptime


class PassedKeys:
    """An entry's keys, each with the time in seconds at which it is passed on."""

    def __init__(self) -> None:
        self.paused = False
        self.clock = LoopClock()
        assert self.clock.now() == 0.0  # starts the clock
        self.held = PausedKeys(lambda: self.paused, self.clock)
        self.passed: list[tuple[str, float]] = []
        self.typed_at: list[float] = []

    async def type(self, text: str, gap: float) -> None:
        for char in text:
            await asyncio.sleep(gap)
            self.typed_at.append(self.clock.now())
            self.held.take(partial(self._give, char))

    def _give(self, char: str) -> None:
        self.passed.append((char, round(self.clock.now(), 1)))

    @property
    def text(self) -> str:
        return "".join(char for char, _ in self.passed)


async def test_sentence_typed_during_a_pause_is_passed_on_in_its_rhythm() -> None:
    keys = PassedKeys()
    typing = asyncio.create_task(keys.type("I was just going to say so", 0.2))
    await asyncio.sleep(1.1)
    keys.paused = True
    await asyncio.sleep(60)
    await typing
    assert keys.text == "I was"
    keys.paused = False
    await asyncio.sleep(LOOK_EVERY + CATCH_UP)
    assert keys.text == "I was just going to say so"
    later = [at for _, at in keys.passed[5:]]
    gaps = {round(after - before, 1) for before, after in itertools.pairwise(later)}
    assert gaps == {0.2 * PACE}, "no block of text"


@pytest.mark.parametrize(
    ("gap", "pause"),
    [(0.047, 15.3), (0.2, 100.0), (2.0, 40.0)],
)
async def test_entry_that_types_through_a_pause_catches_up(gap: float, pause: float) -> None:
    keys = PassedKeys()
    text = "abcdefghij" * round((pause + 60) / gap / 10)
    typing = asyncio.create_task(keys.type(text, gap))
    await asyncio.sleep(20)
    keys.paused = True
    began = keys.clock.now()
    await asyncio.sleep(pause)
    keys.paused = False
    ended = keys.clock.now()
    await typing
    await asyncio.sleep(10)
    assert keys.text == text
    for (_, given), at in zip(keys.passed, keys.typed_at, strict=True):
        assert not began < given < ended
        if began <= at <= ended:
            assert given <= ended + LOOK_EVERY + CATCH_UP + 0.1
        elif at > ended + 2 * CATCH_UP + LOOK_EVERY:
            assert given - at <= 0.05 + 1e-9  # times are rounded to tenths


async def test_second_pause_holds_the_remaining_keys() -> None:
    keys = PassedKeys()
    keys.paused = True
    await keys.type("abcd", 1.0)
    keys.paused = False
    await asyncio.sleep(1.4)
    keys.paused = True
    before = keys.text
    assert before in ("a", "ab")
    await asyncio.sleep(60)
    assert keys.text == before
    keys.paused = False
    await asyncio.sleep(60)
    assert keys.text == "abcd"


async def test_end_of_a_talk_passes_all_keys_on_and_end_of_a_link_none() -> None:
    for end, text in ((PausedKeys.release, "abc"), (PausedKeys.drop, "")):
        keys = PassedKeys()
        keys.paused = True
        await keys.type("abc", 0.1)
        end(keys.held)
        assert keys.text == text
        keys.paused = False
        await asyncio.sleep(60)
        assert keys.text == text
