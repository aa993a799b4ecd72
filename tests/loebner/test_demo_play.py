"""The windows' program beside the contest: what it is told, and every way not to be there."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import msgspec
import pytest

from contest.errors import Surroundings
from contest.setup import folder as folders
from contest.setup.settings import parse
from loebner import demo_play
from loebner.demo_play import Chair, Orders, windowed, windows_open

ORDERS = Orders("127.0.0.1:1", 2010, 60.0, (Chair("J1", "J1-AAAA-BBBB-CCCC", "judge", 0),))


def program(text: str) -> tuple[str, ...]:
    return (sys.executable, "-c", text)


def test_two_judges_and_a_confederate_have_windows() -> None:
    settings = parse(folders.template())
    seats = [each.id for each in settings.judge]
    seats += [each.id for each in settings.confederate]
    assert windowed(settings, {seat: f"code of {seat}" for seat in seats}) == (
        Chair("J1", "code of J1", "judge", 0),
        Chair("J2", "code of J2", "judge", 1),
        Chair("C1", "code of C1", "confederate", 0),
    )


async def test_the_program_is_told_on_one_line_and_is_closed_in_the_end(tmp_path: Path) -> None:
    told = tmp_path / "told"
    text = f"""
import sys
open({str(told)!r}, "w").write(sys.stdin.readline())
print("windows", flush=True)
sys.stdin.read()
"""
    async with windows_open(ORDERS, tmp_path / "logs" / "windows.log", program(text)) as process:
        assert process.returncode is None
        assert msgspec.json.decode(told.read_text(), type=Orders) == ORDERS
    assert process.returncode is not None


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import sys; sys.exit('noise\\nloebner: no window can be shown (no display)')",
         r"can't be opened: no window can be shown \(no display\)$"),
        ("import time; print('hello', flush=True); time.sleep(60)", "can't be opened"),
        ("import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)",
         "no answer within 1 seconds"),
    ],
    ids=["its last words", "something else", "nothing, and deaf"],
)  # fmt: skip
async def test_windows_that_do_not_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str
) -> None:
    if why.startswith("no answer"):
        monkeypatch.setattr(demo_play, "OPENING", 1.0)
        monkeypatch.setattr("contest.links.program.GRACE", 0.1)
    with pytest.raises(Surroundings, match=why):
        async with windows_open(ORDERS, tmp_path / "windows.log", program(text)):
            pass


async def test_an_interrupt_does_not_wait_for_it(tmp_path: Path) -> None:
    words = program("import time; time.sleep(60)")
    opening = asyncio.create_task(
        windows_open(ORDERS, tmp_path / "windows.log", words).__aenter__()
    )
    while not (tmp_path / "windows.log").exists():  # noqa: ASYNC110 -- another process's
        await asyncio.sleep(0.01)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(opening, demo_play.OPENING / 2)
