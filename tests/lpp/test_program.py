"""Command lines taken apart without a shell."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpp.program import split, split_windows


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
def test_posix_words(command: str, words: list[str]) -> None:
    assert split(command, "linux") == words


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (r"C:\bots\bot.exe -x", [r"C:\bots\bot.exe", "-x"]),
        (r'"C:\my bots\bot.exe" a', [r"C:\my bots\bot.exe", "a"]),
        (r'bot a\"b "c \"d\" e"', ["bot", 'a"b', 'c "d" e']),
        (r'bot "a\\" b\\c', ["bot", "a\\", r"b\\c"]),
        ("bot 'a b'", ["bot", "'a", "b'"]),
        ('bot ""', ["bot", ""]),
        ("bot\ta\\", ["bot", "a\\"]),
    ],
)
def test_windows_words(command: str, words: list[str]) -> None:
    assert split(command, "win32") == words


@given(st.lists(st.text(st.sampled_from("ab \\\"'\t|"), max_size=8), min_size=1, max_size=4))
def test_windows_words_are_those_that_the_standard_library_writes(words: list[str]) -> None:
    assert split_windows(subprocess.list2cmdline(words)) == words


@pytest.mark.parametrize("platform", ["linux", "win32"])
def test_blanks_alone_have_no_words(platform: str) -> None:
    assert split("  ", platform) == []


@pytest.mark.parametrize("platform", ["linux", "win32"])
def test_a_quotation_has_an_end(platform: str) -> None:
    with pytest.raises(ValueError, match="No closing quotation"):
        split('bot "a', platform)
