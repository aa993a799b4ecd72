"""The windows' program beside the contest: what it is told, and every way not to be there."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import msgspec
import pytest

from contest.errors import Surroundings
from contest.setup import folder as folders
from contest.setup.settings import parse
from loebner import demo_play
from loebner.demo_play import Chair, Orders, WindowsProcess, windowed

CHAIRS = (Chair("J1", "J1-AAAA-BBBB-CCCC", "judge", 0, 4),)
ORDERS = Orders("127.0.0.1:1", 2010, 60.0, CHAIRS)


def runs(windows: WindowsProcess) -> bool:
    return windows.running


def program(text: str) -> tuple[str, ...]:
    return (sys.executable, "-c", text)


def test_two_judges_and_a_confederate_have_windows() -> None:
    settings = parse(folders.template())
    seats = [judge.id for judge in settings.judge]
    seats += [confederate.id for confederate in settings.confederate]
    codes = {seat: f"code of {seat}" for seat in seats}
    assert windowed(settings, codes) == (
        Chair("J1", "code of J1", "judge", 0, 4),
        Chair("J2", "code of J2", "judge", 1, 4),
        Chair("C1", "code of C1", "confederate", 0, 4),
    )


async def test_the_program_is_told_on_one_line_and_is_closed_in_the_end(tmp_path: Path) -> None:
    told = tmp_path / "told"
    text = f"""
import sys
open({str(told)!r}, "w").write(sys.stdin.readline())
print("windows", flush=True)
sys.stdin.read()
"""
    windows = WindowsProcess(ORDERS, tmp_path / "logs" / "windows.log", program(text))
    assert not runs(windows)
    await windows.start()
    assert runs(windows)
    assert msgspec.json.decode(told.read_text(), type=Orders) == ORDERS
    windows.stop()
    assert not runs(windows)
    windows.stop()  # once more does no harm


def test_stopping_what_was_never_started(tmp_path: Path) -> None:
    WindowsProcess(ORDERS, tmp_path / "windows.log", ()).stop()
    WindowsProcess(ORDERS, tmp_path / "windows.log", ()).wait()


async def test_the_program_s_last_words_say_why_it_is_not_there(tmp_path: Path) -> None:
    text = "import sys; sys.exit('some noise\\nloebner: no window can be shown here (no display)')"
    windows = WindowsProcess(ORDERS, tmp_path / "windows.log", program(text))
    with pytest.raises(Surroundings) as caught:
        await windows.start()
    assert str(caught.value) == (
        "the windows can't be opened: no window can be shown here (no display)"
    )
    assert not runs(windows)


async def test_a_program_that_says_something_else(tmp_path: Path) -> None:
    text = "import time; print('hello', flush=True); time.sleep(60)"
    windows = WindowsProcess(ORDERS, tmp_path / "windows.log", program(text))
    with pytest.raises(Surroundings, match="can't be opened"):
        await windows.start()
    assert not runs(windows)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
async def test_a_program_that_says_nothing_and_does_not_listen_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_play, "COMING", 1.0)
    monkeypatch.setattr(demo_play, "GOING", 0.1)
    text = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    windows = WindowsProcess(ORDERS, tmp_path / "windows.log", program(text))
    with pytest.raises(Surroundings, match="no answer within 1 seconds"):
        await windows.start()
    assert not runs(windows)


async def test_who_is_interrupted_does_not_wait_for_it(tmp_path: Path) -> None:
    windows = WindowsProcess(
        ORDERS, tmp_path / "windows.log", program("import time; time.sleep(60)")
    )
    starting = asyncio.create_task(windows.start())
    while not runs(windows):  # noqa: ASYNC110 -- a process of its own sets no event
        await asyncio.sleep(0)
    began = time.monotonic()
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not runs(windows)
    assert time.monotonic() - began < demo_play.COMING / 2
