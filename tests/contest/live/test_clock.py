"""Tests the contest's clock: it stops, skips gaps, and is restored after the server was killed."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from contest.live.clock import GAP, SAVE_EVERY, ContestClock, saved_time, saving_clock
from contest.rehearse.loop import VirtualLoop
from lpp.clock import LoopClock


@pytest.mark.looptime
async def test_time_does_not_pass_before_the_clock_starts() -> None:
    clock = ContestClock(LoopClock(60), 1000.0)
    slept = asyncio.create_task(clock.sleep(120))
    await asyncio.sleep(3600)
    assert clock.now() == 1000.0
    assert not slept.done()
    clock.start()
    await asyncio.sleep(1)
    assert clock.now() == pytest.approx(1060)
    assert not slept.done()
    await slept
    assert clock.now() == pytest.approx(1120)
    clock.start()
    assert clock.now() == pytest.approx(1120), "it is already running"


class StoppedLoop(VirtualLoop):
    """A loop in a process that can be stopped, as by SIGSTOP."""

    def stop_process(self, seconds: float) -> None:
        """Lets time pass without running anything."""
        self.now += seconds


@pytest.mark.parametrize("speed", [0.5, 1, 60])
def test_gap_does_not_count_as_contest_time(speed: float, tmp_path: Path) -> None:
    async def play() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, StoppedLoop)
        clock = ContestClock(LoopClock(speed), 1000.0)
        told: list[float] = []
        clock.start()
        async with saving_clock(tmp_path / "clock.json", "c", clock.now):
            with clock.watched(told.append):
                slept = asyncio.create_task(clock.sleep(5 * speed))
                await asyncio.sleep(3)
                before = clock.now()
                assert before == pytest.approx(1000 + 3 * speed)
                loop.stop_process(GAP)
                await asyncio.sleep(0)
                assert clock.now() == pytest.approx(before + GAP * speed), "too short for a gap"
                loop.stop_process(10)
                assert clock.now() == pytest.approx(before + GAP * speed), (
                    "the first reading is right"
                )
                assert told == [], "the callback runs later"
                assert not slept.done()
                await slept
                assert clock.now() == pytest.approx(1000 + 5 * speed)
                assert told == [pytest.approx(10)]
                loop.stop_process(10)
                await clock.sleep(3 * speed)
                assert clock.now() == pytest.approx(1000 + 8 * speed)
            await asyncio.sleep(SAVE_EVERY)
            last = clock.now()
            loop.stop_process(10)
            assert clock.now() == pytest.approx(last + 10 * speed), "no longer watched"
        assert saved_time(tmp_path / "clock.json", "c") == pytest.approx(
            last * 1e9, abs=SAVE_EVERY * speed * 1e9
        )
        assert told == [pytest.approx(10)] * 2

    with asyncio.Runner(loop_factory=StoppedLoop) as runner:
        runner.run(play())


@pytest.mark.looptime
async def test_clock_time_is_written_to_the_file_repeatedly(tmp_path: Path) -> None:
    file = tmp_path / "clock.json"
    clock = LoopClock()
    clock.now()
    await asyncio.sleep(5)
    async with saving_clock(file, "0123456789abcdef", clock.now):
        await asyncio.sleep(10)
    assert saved_time(file, "0123456789abcdef") == pytest.approx(15e9, abs=2 * SAVE_EVERY * 1e9)
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600
    # Another contest's time is ignored.
    assert saved_time(file, "another") == 0


@pytest.mark.parametrize("text", ["", "[]", '{"contest": "c"}', '{"contest": "c", "at_ns": "x"}'])
def test_unreadable_clock_file_is_ignored(tmp_path: Path, text: str) -> None:
    file = tmp_path / "clock.json"
    assert saved_time(file, "c") == 0
    file.write_text(text, encoding="utf-8")
    assert saved_time(file, "c") == 0
