"""The words that start an entry's program."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from contest.errors import BadSettings
from contest.links.program import command_line

PLACE = Path("a room/E1")


def test_quotes_of_windows_are_no_part_of_a_program() -> None:
    command = r'"C:\my bots\bot.exe" --table "two words" --dir {dir}'
    assert command_line("E1", command, PLACE, "win32") == [
        r"C:\my bots\bot.exe",
        "--table",
        "two words",
        "--dir",
        str(PLACE),
    ]


def test_the_shells_rules_hold_elsewhere() -> None:
    words = command_line("E1", "bot 'a b' c\\ d {dir}", PLACE, "linux")
    assert words == ["bot", "a b", "c d", str(PLACE)]


@pytest.mark.parametrize("platform", ["linux", "win32"])
def test_loebner_is_this_very_installation(platform: str) -> None:
    words = command_line("E1", "loebner bot therapist --dir={dir}", PLACE, platform)
    assert words == [sys.executable, "-m", "loebner", "bot", "therapist", f"--dir={PLACE}"]


@pytest.mark.parametrize("platform", ["linux", "win32"])
def test_a_quotation_without_an_end_is_said_with_the_entry(platform: str) -> None:
    with pytest.raises(BadSettings, match=r"E7.*No closing quotation"):
        command_line("E7", 'bot "{dir}', PLACE, platform)
