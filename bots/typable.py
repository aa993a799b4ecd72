"""Makes any text one that can be typed.

What a bot says may come from anywhere: a file, a library, another program. Characters that no
key press carries (lpp.names) are replaced here, so that nothing a bot says can stop its runner.
"""

from __future__ import annotations

import unicodedata

from lpp.errors import NotAKey
from lpp.names import BACKSPACE_CHAR, name_of, plain_text

#: Typographic marks that the appendix has a plain key for; people in a contest type the plain one.
_PLAIN = str.maketrans(
    "\u2018\u2019\u201a\u201c\u201d\u201e\u2010\u2011\u2012\u2013\u2014\u00a0\u2028\u2029\u0085\v\f",
    '\'\',"""----- \n\n\n\n\n',
) | {0x2026: "..."}

#: What stands for a character that can't be typed and isn't white space.
REPLACEMENT = "?"


def typable(text: str) -> str:
    """The nearest text that key presses can carry.

    Arguments:
        text: anything.

    Returns:
        A text in NFC that `lpp.names.keys_of` takes: typographic marks made plain, control
        characters made spaces, what nobody can see left out, all else that is not a key press made
        `REPLACEMENT`. BackSpace is left out too: it would rub out what the bot has just said.
    """
    normal = plain_text(text.translate(_PLAIN))
    # Replaced characters part or join others, so what comes out is brought to NFC once more.
    return unicodedata.normalize("NFC", "".join(map(_typable_char, normal)))


def spoken_lines(text: str) -> list[str]:
    """The lines of a text that a bot says, each typable, without blank ones.

    Arguments:
        text: anything.
    """
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
