"""From what a keyboard gives to what it means: key presses of the protocol, a command, or nothing.

The rules:

1. What counts is the text that a keyboard gives, whatever it calls the key: an apostrophe is
   `quoteright` on X11 too. AltGr comes as Ctrl+Alt on Windows, with a text of its own, and that
   text is typed; Ctrl with a letter is a shortcut, and so is Alt with a letter or a digit.
2. Dead keys and input methods give their text when it is complete (`typed`): in NFC, a key press
   for each code point.
3. BackSpace, Tab and Return are key presses, the Enter of the key pad too. Shift, Ctrl, arrows,
   function keys, Delete and their like send nothing.
4. A key that is held down repeats its character or its BackSpace, as at any terminal; a Return, a
   Tab or a command that is held counts once.
5. What can't be sent, such as a control character, is not sent. What nobody could see, such as the
   joiners between the parts of an emoji, is left out: the parts are sent.
6. Tab is sent, so another key changes the side: F6, or Ctrl+Tab.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import Enum, Flag, auto
from typing import Final, TypeAlias

from lpp.errors import NotAKey
from lpp.names import BACKSPACE, RETURN, TAB, name_of, plain_text


class Modifier(Flag):
    """What is held down beside a key."""

    NONE = 0
    SHIFT = auto()
    CTRL = auto()
    ALT = auto()
    META = auto()


class Command(Enum):
    """What a key does instead of being sent."""

    SWITCH = auto()  # type to the other side
    READ = auto()  # put the caret into the talk, to go through it
    COPY = auto()
    PASTE = auto()
    SELECT_ALL = auto()
    LINE_UP = auto()
    LINE_DOWN = auto()
    PAGE_UP = auto()
    PAGE_DOWN = auto()
    TO_BEGINNING = auto()
    TO_END = auto()


@dataclass(frozen=True, slots=True)
class Typed:
    """Key presses to send.

    Attributes:
        keys: their names, in order.
        unsendable: the first character that no key press carries; empty if there is none. The
            others are sent.
    """

    keys: tuple[str, ...]
    unsendable: str = ""


Meaning: TypeAlias = Typed | Command | None

#: By the names that Qt gives to keys, without its `Key_`.
_SENT: Final = {
    "Backspace": Typed((BACKSPACE,)),
    "Return": Typed((RETURN,)),
    "Enter": Typed((RETURN,)),
    "Tab": Typed((TAB,)),
}

_COMMANDS: Final = {
    ("F6", Modifier.NONE): Command.SWITCH,
    ("Tab", Modifier.CTRL): Command.SWITCH,
    ("Backtab", Modifier.CTRL | Modifier.SHIFT): Command.SWITCH,
    ("F6", Modifier.SHIFT): Command.READ,
    ("C", Modifier.CTRL): Command.COPY,
    ("Insert", Modifier.CTRL): Command.COPY,
    ("V", Modifier.CTRL): Command.PASTE,
    ("Insert", Modifier.SHIFT): Command.PASTE,
    ("A", Modifier.CTRL): Command.SELECT_ALL,
    ("Up", Modifier.NONE): Command.LINE_UP,
    ("Down", Modifier.NONE): Command.LINE_DOWN,
    ("PageUp", Modifier.NONE): Command.PAGE_UP,
    ("PageDown", Modifier.NONE): Command.PAGE_DOWN,
    ("Home", Modifier.CTRL): Command.TO_BEGINNING,
    ("End", Modifier.CTRL): Command.TO_END,
}

#: Commands that go on while their key is held down.
_GOING_ON: Final = frozenset(
    {Command.LINE_UP, Command.LINE_DOWN, Command.PAGE_UP, Command.PAGE_DOWN}
)


def meaning_of(
    text: str,
    key: str = "",
    modifiers: Modifier = Modifier.NONE,
    repeated: bool = False,
) -> Meaning:
    """What a key of the keyboard means.

    Arguments:
        text: what it types; empty if nothing.
        key: its name.
        modifiers: what is held down beside it.
        repeated: whether it comes from a key that is held down.

    Returns:
        Key presses to send, a command, or None for nothing.
    """
    command = _COMMANDS.get((key, modifiers))
    if command is not None:
        return command if not repeated or command in _GOING_ON else None
    if key in _SENT:
        if modifiers & ~Modifier.SHIFT or (repeated and key != "Backspace"):
            return None
        return _SENT[key]
    if not text or _is_shortcut(text, modifiers):
        return None
    meant = typed(text)
    # A key gives a control character where it gives no text, so nobody meant to send it.
    is_meant = meant.keys or (meant.unsendable and not _is_control(meant.unsendable))
    return meant if is_meant else None


def typed(text: str) -> Typed:
    """What a text means that an input method or a dead key gives.

    Arguments:
        text: it; of its line ends each is a Return.

    Returns:
        Its key presses, in NFC.
    """
    keys, unsendable = [], ""
    for char in plain_text(_whole(text)):
        try:
            # BackSpace is a key, and never a text.
            key = name_of(char if char != "\b" else "\0")
        except NotAKey:
            unsendable = unsendable or char
        else:
            keys.append(key)
    return Typed(tuple(keys), unsendable)


def _whole(text: str) -> str:
    """A text whose halves of UTF-16 are put together; a half alone stays what it is."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _is_shortcut(text: str, modifiers: Modifier) -> bool:
    if modifiers & Modifier.META:
        return True
    ctrl, alt = bool(modifiers & Modifier.CTRL), bool(modifiers & Modifier.ALT)
    if ctrl and alt:
        return False
    return ctrl or (alt and text.isascii() and (text.isalnum() or text.isspace()))


def _is_control(char: str) -> bool:
    return unicodedata.category(char) == "Cc"
