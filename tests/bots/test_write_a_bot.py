"""Runs the code in the how-to "write a bot", and checks the numbers on the pages."""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path

import pytest

from bots import runner
from lpp.channel import DirectoryChannel
from lpp.keypress import Side
from tests.bots.test_process import ended, running
from tests.peer import ScriptedPeer

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "write-a-bot.md"

(CODE,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
TALK = (
    ("Do you know my name?", "You have not told me."),
    ("My name is Jim.", r"(I see|Go on|Really), Jim\."),
    ("What is my name?", "You are Jim."),
    ("What time is it?", r"It is (09|10):\d\d\."),
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="ends by signals of POSIX")


async def test_the_code_on_the_page_runs(room: Path, tmp_path: Path) -> None:
    script = tmp_path / "my_bot.py"
    script.write_text(CODE, encoding="utf-8")
    # Not faster, because two minutes of silence (8 seconds at this speed) begin a new talk.
    words = [str(script), "--dir", str(room), "--speed", "15", "--clock", "2010-10-23T09:30"]
    with running(*words) as process:
        async with DirectoryChannel(room, side=Side.JUDGE) as judge:
            peer = ScriptedPeer(judge)
            for said, answered in TALK:
                await peer.say(f"{said}\n")
                assert re.fullmatch(answered, await peer.line(timeout=20))
        assert ended(process, signal.SIGTERM) == (0, "")


def test_the_pages_give_the_numbers_of_the_runner() -> None:
    reference = (ROOT / "docs" / "reference" / "bundled-bots.md").read_text("utf-8")
    for seconds in (runner.PATIENCE_AFTER_STOP, runner.PATIENCE, runner.NEW_TALK):
        assert f"{seconds:g} s" in reference
    assert f"{runner.ANSWER_LIMIT:,} characters" in PAGE.read_text("utf-8")
    assert runner.MAX_WAITING == 3
