"""Tests that any text becomes typable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.typable import typable
from lpp.lines import Pane
from lpp.names import keys_of


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("Hello.", "Hello."),
        ("It\u2019s \u201cfine\u201d \u2013 really\u2026", 'It\'s "fine" - really...'),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("a\x00b\x07c", "a b c"),
        ("rub\b\bout", "rubout"),
        ("caf\u00e9, cafe\u0301", "caf\u00e9, caf\u00e9"),
        ("\ud800 \ue000 \U000e0fff", "? ? ?"),
        ("tab\there", "tab\there"),
        ("\u00a0", " "),
        ("", ""),
    ],
)
def test_text_becomes_typable(said: str, typed: str) -> None:
    assert typable(said) == typed


@given(st.text(alphabet=st.characters()))
def test_any_text_can_be_typed_after_conversion(text: str) -> None:
    typed = typable(text)
    assert Pane(keys_of(typed)).text == typed
    assert typable(typed) == typed
