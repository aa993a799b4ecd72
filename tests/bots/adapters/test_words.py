"""The command of an adapted program: its words, and what is said of one that has none."""

from __future__ import annotations

import pytest

from bots.adapters.base import BadSetting
from bots.adapters.words import split


def test_words_go_by_the_platform() -> None:
    command = "bot \"C:\\my bots\\a\" 'a b'"
    assert split(command, "linux") == ["bot", r"C:\my bots\a", "a b"]
    assert split(command, "win32") == ["bot", r"C:\my bots\a", "'a", "b'"]


@pytest.mark.parametrize("platform", ["linux", "win32"])
@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ('""', "is empty"),
        ('bot "a', "no closing quotation"),
        ("bot \0", "no program's name"),
    ],
)
def test_what_is_no_command(platform: str, command: str, complaint: str) -> None:
    with pytest.raises(BadSetting, match=complaint) as caught:
        split(command, platform)
    assert "\n" not in str(caught.value)
