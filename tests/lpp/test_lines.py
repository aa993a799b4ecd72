"""Tests text and lines made of key presses: BackSpace in a pane and in a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpp.lines import Pane, limit_accents
from lpp.names import MARK, NAMES, char_of

some_keys = st.lists(
    st.sampled_from(
        [*NAMES, "a", "Z", "7", "é", "BackSpace", "Return", "BackSpace", "Shift_L", "nonsense", ""]
    ),
    max_size=60,
)


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ([], ""),
        (["H", "i"], "Hi"),
        (["H", "i", "Return"], "Hi\n"),
        (["H", "o", "BackSpace", "i"], "Hi"),
        (["BackSpace", "a"], "a"),
        (["a", "Return", "BackSpace", "b"], "ab"),  # a newline too
        (["a", "Return", "BackSpace", "BackSpace", "b"], "b"),
        (["a", "BackSpace", "BackSpace", "BackSpace", "b"], "b"),
        (["a", "KP_Enter", "tab", "KP_7", "apostrophe", " ", "eacute"], "a\n\t7' é"),
        (["Shift_L", "A", "nonsense", "", "b"], "Ab"),
        (["a", "\x1b", "\u202e", "\b", "\n", "b"], f"a{MARK}{MARK}{MARK}{MARK}b"),
        (["a", "\x1b", "\u200d", "BackSpace", "BackSpace", "b"], "ab"),  # one mark each
    ],
)
def test_pane_text(keys: list[str], text: str) -> None:
    pane = Pane(keys)
    assert pane.text == text
    assert "".join(char_of(keys[at]) or "" for at in pane.standing) == text
    assert "\n".join(pane.lines) == text


@given(some_keys)
def test_a_pane_agrees_with_a_simple_model(keys: list[str]) -> None:
    text = ""
    for key in keys:
        char = char_of(key)
        text = text[:-1] if char == "\b" else text + (char or "")
    assert Pane(keys).text == text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain", "plain"),
        ("e\u0301\u0302", "e\u0301\u0302"),
        ("a" + "\u0301" * 40 + "b" + "\u0301" * 4, "a" + "\u0301" * 4 + "b" + "\u0301" * 4),
        ("\u20dd" * 9 + "x", "\u20dd" * 4 + "x"),
        ("\u0e17\u0e35\u0e48", "\u0e17\u0e35\u0e48"),  # Thai: a vowel and a tone on a letter
        ("\u0915\u093e\u093e\u093e\u093e\u093e", "\u0915" + "\u093e" * 5),  # they take up space
    ],
)
def test_stacked_accents_are_limited(text: str, seen: str) -> None:
    assert limit_accents(text) == seen
