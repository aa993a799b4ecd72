"""Command lines taken apart without a shell."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.adapters.base import BadSetting
from bots.adapters.words import split, split_windows


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
