"""The words that start an entry's program."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from contest.errors import BadSettings
from contest.links.program import command_line

PLACE = Path("a room/E1")


@pytest.mark.parametrize("platform", ["linux", "win32"])
def test_a_command_is_split_by_the_platform_s_rules(platform: str) -> None:
    words = command_line("E1", 'loebner bot "a b" --dir={dir}', PLACE, platform)
    assert words == [sys.executable, "-m", "loebner", "bot", "a b", f"--dir={PLACE}"]


@pytest.mark.parametrize("platform", ["linux", "win32"])
def test_a_quotation_without_an_end_is_said_with_the_entry(platform: str) -> None:
    with pytest.raises(BadSettings, match=r"E7.*No closing quotation"):
        command_line("E7", 'bot "{dir}', PLACE, platform)
