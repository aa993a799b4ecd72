"""Converts any text into one that can be typed.

A bot's words may come from anywhere: a file, a library, another program. Characters that can't be
sent as key presses (lpp.names) are replaced here, so that no answer can stop the runner.
"""

from __future__ import annotations

import unicodedata

from lpp.errors import NotAKey
from lpp.names import BACKSPACE_CHAR, name_of, plain_text

#: Typographic characters with a plain equivalent in the appendix, which people type instead.
_PLAIN = str.maketrans(
    "\u2018\u2019\u201a\u201c\u201d\u201e\u2010\u2011\u2012\u2013\u2014\u00a0\u2028\u2029\u0085\v\f",
    '\'\',"""----- \n\n\n\n\n',
) | {0x2026: "..."}

#: Replaces a character that can't be typed and isn't white space.
REPLACEMENT = "?"


def typable(text: str) -> str:
    """The closest text that can be typed.

    Arguments:
        text: any text.

    Returns:
        A text in NFC that `lpp.names.keys_of` accepts. Typographic characters become plain ones,
        control characters become spaces, invisible characters are removed, and all others that
        can't be typed become `REPLACEMENT`. BackSpace is removed, too: it would delete what the bot
        has just said.
    """
    normal = plain_text(text.translate(_PLAIN))
    # A replacement may separate or join characters, so normalize the result again.
    return unicodedata.normalize("NFC", "".join(map(_typable_char, normal)))


def typable_lines(text: str) -> list[str]:
    """The lines of a bot's answer, made typable, without blank ones."""
    lines = (line.strip() for line in typable(text).split("\n"))
    return [line for line in lines if line]


def _typable_char(char: str) -> str:
    if char == BACKSPACE_CHAR:
        return ""
    try:
        name_of(char)
    except NotAKey:
        return " " if unicodedata.category(char) in ("Cc", "Zs", "Zl", "Zp") else REPLACEMENT
    return char
