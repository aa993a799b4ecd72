"""Tests the meaning of keyboard events, including the cases in which the contest's own judge
programs failed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from judge_console.views.keys import Command, Meaning, Typed, meaning, typed
from lpp.names import char_of, is_sendable

Modifier = Qt.KeyboardModifier
NONE, SHIFT, CTRL, ALT, META = (
    Modifier.NoModifier,
    Modifier.ShiftModifier,
    Modifier.ControlModifier,
    Modifier.AltModifier,
    Modifier.MetaModifier,
)


def meaning_of(
    text: str, symbol: str = "", modifiers: Qt.KeyboardModifier = NONE, repeated: bool = False
) -> Meaning:
    key = Qt.Key[f"Key_{symbol or 'unknown'}"]
    return meaning(QKeyEvent(QEvent.Type.KeyPress, key, modifiers, text, repeated))


def keys(*names: str) -> Typed:
    return Typed(names)


@pytest.mark.parametrize(
    ("text", "modifiers", "meant"),
    [
        ("a", NONE, keys("a")),
        ("A", SHIFT, keys("A")),
        ("7", NONE, keys("7")),
        (" ", NONE, keys("space")),
        # Regardless of X11's names.
        ("'", NONE, keys("quoteright")),
        ("`", NONE, keys("quoteleft")),
        ("é", NONE, keys("é")),
        ("ß", NONE, keys("ß")),
        ("😀", NONE, keys("😀")),
        ("\U0001f469\u200d\U0001f467", NONE, keys("\U0001f469", "\U0001f467")),
        ("\u200b", NONE, None),
        # AltGr as Windows reports it, also with Shift.
        ("@", CTRL | ALT, keys("at")),
        ("€", CTRL | ALT, keys("€")),
        ("{", CTRL | ALT, keys("braceleft")),
        ("ą", CTRL | ALT, keys("ą")),
        ("Ą", CTRL | ALT | SHIFT, keys("Ą")),
        # The Option key of some keyboards.
        ("@", ALT, keys("at")),
        ("–", ALT, keys("–")),
        # Shortcuts, with and without the control character that some systems send.
        ("a", CTRL, None),
        ("\x01", CTRL, None),
        ("A", CTRL | SHIFT, None),
        ("+", CTRL, None),
        ("f", ALT, None),
        ("1", ALT, None),
        (" ", ALT, None),
        ("l", META, None),
        ("@", META | ALT, None),
        # Control characters of keys that have no text.
        ("\x1b", NONE, None),
        ("\x7f", NONE, None),
        ("\x00", NONE, None),
        ("\x14", CTRL | ALT, None),
        ("", NONE, None),
        ("", SHIFT, None),
    ],
)
def test_the_text_of_a_keyboard_event_counts(
    text: str, modifiers: Qt.KeyboardModifier, meant: Meaning
) -> None:
    assert meaning_of(text, "", modifiers) == meant


@pytest.mark.parametrize(
    ("text", "symbol", "modifiers", "meant"),
    [
        ("\b", "Backspace", NONE, keys("BackSpace")),
        ("\b", "Backspace", SHIFT, keys("BackSpace")),
        ("\x7f", "Backspace", CTRL, None),
        ("\r", "Return", NONE, keys("Return")),
        ("\r", "Return", SHIFT, keys("Return")),
        ("\r", "Return", ALT, None),
        ("\t", "Tab", NONE, keys("Tab")),
        ("\t", "Tab", ALT, None),
        ("", "Backtab", SHIFT, None),
        ("", "F6", NONE, Command.SWITCH),
        ("\t", "Tab", CTRL, Command.SWITCH),
        ("", "Backtab", CTRL | SHIFT, Command.SWITCH),
        ("", "F6", SHIFT, Command.READ),
        ("\x03", "C", CTRL, Command.COPY),
        ("\x16", "V", CTRL, Command.PASTE),
        ("", "Insert", SHIFT, Command.PASTE),
        ("", "Insert", NONE, None),
        ("v", "V", NONE, keys("v")),
        ("V", "V", SHIFT, keys("V")),
        ("\x01", "A", CTRL, Command.SELECT_ALL),
        ("", "Up", NONE, Command.LINE_UP),
        ("", "PageDown", NONE, Command.PAGE_DOWN),
        ("", "Home", NONE, None),
        ("", "End", CTRL, Command.TO_END),
    ],
)
def test_keys_without_text_are_recognized(
    text: str, symbol: str, modifiers: Qt.KeyboardModifier, meant: Meaning
) -> None:
    assert meaning_of(text, symbol, modifiers) == meant


@pytest.mark.parametrize(
    ("text", "symbol", "modifiers", "counts"),
    [
        ("a", "", NONE, True),
        ("\b", "Backspace", NONE, True),
        ("\r", "Return", NONE, False),
        ("\t", "Tab", NONE, False),
        ("", "F6", NONE, False),
        ("\x16", "V", CTRL, False),
        ("", "Up", NONE, True),
    ],
)
def test_which_keys_repeat_when_held_down(
    text: str, symbol: str, modifiers: Qt.KeyboardModifier, counts: bool
) -> None:
    once = meaning_of(text, symbol, modifiers)
    assert once is not None
    assert meaning_of(text, symbol, modifiers, repeated=True) == (once if counts else None)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("e\u0301", keys("é")),
        ("日本", keys("日", "本")),
        ("\ud83d\ude00", keys("😀")),
        ("a\r\nb\n", keys("a", "Return", "b", "Return")),
        ("a\tb", keys("a", "Tab", "b")),
        ("a\x07b\x08", Typed(("a", "b"), "\x07")),
        ("\ud83d", Typed((), "\ud83d")),
        ("\ue000", Typed((), "\ue000")),
        ("", keys()),
    ],
)
def test_text_from_input_methods_is_typed(text: str, meant: Typed) -> None:
    assert typed(text) == meant


@given(
    st.text(max_size=5),
    st.sampled_from(["", "Backspace", "Return", "Tab", "Backtab", "Up", "Home", "F6", "C"]),
    st.sampled_from([NONE, SHIFT, CTRL, ALT, META, CTRL | ALT, CTRL | SHIFT]),
    st.booleans(),
)
def test_typed_keys_can_always_be_sent(
    text: str, symbol: str, modifiers: Qt.KeyboardModifier, repeated: bool
) -> None:
    meant = meaning_of(text, symbol, modifiers, repeated)
    if isinstance(meant, Typed):
        assert meant.keys or meant.unsendable
        assert all(is_sendable(key) and char_of(key) is not None for key in meant.keys)
