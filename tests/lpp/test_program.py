"""Tests splitting command lines into words without a shell."""

from __future__ import annotations

import pytest

from lpp.program import split


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("bot", ["bot"]),
        ("  bot  -x  'a b' ", ["bot", "-x", "a b"]),
        ('bot "a $HOME" | cat > x; & *', ["bot", "a $HOME", "|", "cat", ">", "x;", "&", "*"]),
        ("bot ''", ["bot", ""]),
        ("python größe.py", ["python", "größe.py"]),
    ],
)
def test_split_by_posix_rules(command: str, words: list[str]) -> None:
    assert split(command, "linux") == words


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (r"C:\bots\bot.exe -x", [r"C:\bots\bot.exe", "-x"]),
        (r'"C:\my bots\bot.exe" a', [r"C:\my bots\bot.exe", "a"]),
        (r'bot "C:\my dir\" --x="a b"', ["bot", "C:\\my dir\\", "--x=a b"]),
        ("bot 'a b'", ["bot", "'a", "b'"]),
        ('bot ""', ["bot", ""]),
        ("bot\ta\\", ["bot", "a\\"]),
    ],
)
def test_split_by_windows_rules(command: str, words: list[str]) -> None:
    assert split(command, "win32") == words


@pytest.mark.parametrize("platform", ["linux", "win32"])
def test_a_missing_closing_quote_is_refused(platform: str) -> None:
    with pytest.raises(ValueError, match="No closing quotation"):
        split('bot "a', platform)
