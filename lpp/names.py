"""Key names: the part between the two dots in the name of a key press's directory.

`NAMES` holds the 36 names of the appendix (Loebner Prize 2010, "Names for special characters in
LPP"). Letters and digits are sent as themselves; the rules give digits no name, and every real
program sent them this way. Any other printable character is sent as itself, one code point per key
press, in NFC. The rules don't say so; it is our decision (docs/reference/lpp.md).

Writing is strict (`name_of`). Reading is liberal (`char_of` knows the aliases that real programs
sent). Every key is shown in one form (`shown_as`).
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from lpp.errors import NotAKey

BACKSPACE = "BackSpace"
RETURN = "Return"
TAB = "Tab"

#: The character that stands for the BackSpace key in a text of key presses.
BACKSPACE_CHAR = "\b"

#: Shown instead of a single invisible character: a control character, a zero-width character, or
#: one that changes the direction of text. It counts as one character; one BackSpace deletes it.
MARK = "\N{REPLACEMENT CHARACTER}"

#: The appendix: maps each key name to the character that it types.
NAMES: Mapping[str, str] = MappingProxyType(
    {
        "braceleft": "{",
        "braceright": "}",
        "bracketleft": "[",
        "bracketright": "]",
        "parenleft": "(",
        "parenright": ")",
        "space": " ",
        "comma": ",",
        "period": ".",
        "greater": ">",
        "less": "<",
        "slash": "/",
        "backslash": "\\",
        "bar": "|",
        "quotedbl": '"',
        "quoteright": "'",
        TAB: "\t",
        "equal": "=",
        "underscore": "_",
        "plus": "+",
        "minus": "-",
        "exclam": "!",
        "at": "@",
        "numbersign": "#",
        "dollar": "$",
        "percent": "%",
        "asterisk": "*",
        "asciicircum": "^",
        "asciitilde": "~",
        "quoteleft": "`",
        "ampersand": "&",
        RETURN: "\n",
        "colon": ":",
        "semicolon": ";",
        "question": "?",
        BACKSPACE: BACKSPACE_CHAR,
    }
)

#: Names seen in practice that are not in the appendix: Tk's on X11, the keypad's, two misspellings.
ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "apostrophe": "'",
        "grave": "`",
        "quotedble": '"',
        "quotedl": '"',
        "tab": "\t",
        "KP_Enter": "\n",
        "KP_Space": " ",
        "KP_Add": "+",
        "KP_Subtract": "-",
        "KP_Multiply": "*",
        "KP_Divide": "/",
        "KP_Decimal": ".",
        "KP_Separator": ",",
        "KP_Equal": "=",
        "KP_Tab": "\t",
        "ISO_Left_Tab": "\t",
        "Linefeed": "\n",
        "nobreakspace": "\u00a0",
        **{f"KP_{digit}": digit for digit in "0123456789"},
    }
)

# Tk's names for the other symbols of Latin-1 and the euro: European keyboards have keys for them.
_SIGN_NAMES = (
    "exclamdown cent sterling currency yen brokenbar section diaeresis copyright ordfeminine "
    "guillemotleft notsign registered macron degree plusminus twosuperior threesuperior acute "
    "mu paragraph periodcentered cedilla onesuperior masculine guillemotright onequarter onehalf "
    "threequarters questiondown AE ETH multiply Oslash THORN ssharp ae eth division oslash thorn "
    "EuroSign"
)
_SIGNS = dict(zip(_SIGN_NAMES.split(), "¡¢£¤¥¦§¨©ª«¬®¯°±²³´µ¶·¸¹º»¼½¾¿ÆÐ×ØÞßæð÷øþ€", strict=True))

#: Names of keys that type no character: recorded, but otherwise ignored.
SILENT_KEYS = frozenset(
    {
        *("Shift_L", "Shift_R", "Control_L", "Control_R", "Alt_L", "Alt_R", "Meta_L", "Meta_R"),
        *("Super_L", "Super_R", "Caps_Lock", "Num_Lock", "Scroll_Lock", "Mode_switch"),
        *("ISO_Level3_Shift", "Multi_key", "Left", "Right", "Up", "Down", "Home", "End", "Prior"),
        *("Next", "Insert", "Delete", "Escape", "Pause", "Print", "Menu", "Win_L", "Win_R", "App"),
        *(f"F{number}" for number in range(1, 25)),
    }
)

# Tk joins a letter and the Unicode name of its accent into one word: eacute, Adiaeresis, ntilde.
_ACCENTS = {
    "grave": "\u0300",
    "acute": "\u0301",
    "circumflex": "\u0302",
    "tilde": "\u0303",
    "diaeresis": "\u0308",
    "ring": "\u030a",
    "cedilla": "\u0327",
}

_NAME_OF = {char: name for name, char in NAMES.items()}

# Letters and accents that no font draws: joiners, fillers, variation selectors. (Those of Unicode's
# Default_Ignorable_Code_Point whose category doesn't already show this.)
_UNSEEN_RANGES = (
    ("\u034f", "\u034f"),
    ("\u115f", "\u1160"),
    ("\u17b4", "\u17b5"),
    ("\u180b", "\u180f"),
    ("\u3164", "\u3164"),
    ("\ufe00", "\ufe0f"),
    ("\uffa0", "\uffa0"),
    ("\U000e0100", "\U000e01ef"),
)


@functools.lru_cache(maxsize=4096)  # a record of a million keys has a few hundred names
def shown_as(name: str) -> str | None:
    """The one name under which others see a key press, however the program spelt it. Otherwise a
    judge could recognize a program because it sends `apostrophe` for `quoteright`. Only the record
    keeps the name as received.

    Returns:
        A name of the appendix, a letter, a digit, or a single printable non-ASCII character
        (possibly `MARK`); None for a key that types nothing, which is shown to nobody.
    """
    char = char_of(name)
    return None if char is None else _NAME_OF.get(char, char)


def legible(name: str) -> str:
    """A key name that is safe in tables, logs and pages: without invisible or control characters.

    Returns:
        `MARK` for a single invisible character. In longer names, which type nothing, invisible
        characters are escaped, such as `\\x1b`. All other names are returned unchanged.
    """
    if len(name) == 1:
        return MARK if char_of(name) == MARK else name
    return "".join(
        char
        if char.isprintable() and not is_invisible(char)
        else char.encode("unicode_escape").decode("ascii")
        for char in name
    )


def name_of(char: str) -> str:
    """The key name that a strict writer sends for a character.

    Arguments:
        char: one character; a newline is Return, a tab is Tab, `BACKSPACE_CHAR` is BackSpace.

    Returns:
        A name of the appendix, or the character itself.

    Raises:
        NotAKey: for anything other than one character, and for characters that can't be sent as a
            key press: control characters, surrogates, unassigned and private-use characters, and
            invisible ones (`is_invisible`).
    """
    if len(char) == 1 and not char.isascii():
        # Some symbols have a second code point for old encodings; NFC maps it to the usual one.
        normal = unicodedata.normalize("NFC", char)
        char = normal if len(normal) == 1 else char
    known = _NAME_OF.get(char)
    if known is not None:
        return known
    if len(char) == 1 and is_sent_as_itself(char):
        return char
    raise NotAKey(f"{char!r} can't be sent as a key press: it is not a single printable character")


def is_sent_as_itself(char: str) -> bool:
    """Whether a single character is sent as itself: a letter, a digit, or any printable
    non-ASCII character (docs/reference/lpp.md)."""
    if char.isascii():
        return char.isalnum()
    category = unicodedata.category(char)
    return (category[0] in "LMNPS" or category == "Zs") and not is_invisible(char)


def is_invisible(char: str) -> bool:
    """Whether a single character is invisible on a screen, or only changes others: joiners,
    variation selectors, tags, and characters that change the direction of text.

    A strict writer leaves them out, as in `plain_text`, so an emoji composed of several characters
    becomes its parts. If one is received anyway, `MARK` is shown.
    """
    if unicodedata.category(char) == "Cf":
        return True
    return any(first <= char <= last for first, last in _UNSEEN_RANGES)


def char_of(name: str) -> str | None:
    """The character that a key name types, read liberally.

    Returns:
        One character (`BACKSPACE_CHAR` for BackSpace, `MARK` for a single invisible character), or
        None for a name that types nothing: unknown, empty, or a key such as Shift.
    """
    if name in NAMES:
        return NAMES[name]
    if not name.isascii():
        # Some file systems decompose composed characters; NFC itself decomposes a few.
        normal = unicodedata.normalize("NFC", name)
        name = normal if len(normal) == 1 else name
    if len(name) == 1:
        is_seen = name.isprintable() if name.isascii() else is_sent_as_itself(name)
        return name if is_seen else MARK
    if name in ALIASES:
        return ALIASES[name]
    if name in _SIGNS:
        return _SIGNS[name]
    return _accented(name)


def _accented(name: str) -> str | None:
    composed = None
    if len(name) > 1 and name[0].isascii() and name[0].isalpha():
        accent = _ACCENTS.get(name[1:])
        if accent is not None:
            composed = unicodedata.normalize("NFC", name[0] + accent)
    return composed if composed is not None and len(composed) == 1 else None


def is_strict(name: str) -> bool:
    """Whether the rules define a name: a letter, a digit, or one of the appendix."""
    return name in NAMES or (len(name) == 1 and name.isascii() and name.isalnum())


def is_sendable(name: str) -> bool:
    """Whether a server accepts a key name from a person's console: a name of the rules, any single
    non-ASCII character that is printable or invisible, or a key such as Shift that types nothing.
    Others see it in the form of `shown_as`, as they do a program's key."""
    if is_strict(name) or name in SILENT_KEYS:
        return True
    return len(name) == 1 and not name.isascii() and (is_sent_as_itself(name) or is_invisible(name))


def keys_of(text: str) -> list[str]:
    """The key names that type the `plain_text` of a text, one per code point.

    Raises:
        NotAKey: if the text contains a character that can't be sent as a key press.
    """
    return [name_of(char) for char in plain_text(text)]


def plain_text(text: str) -> str:
    """A text as strict writers type it: in NFC, with newlines as line ends and without invisible
    characters."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    if lines.isascii():
        return lines
    return unicodedata.normalize("NFC", "".join(char for char in lines if not is_invisible(char)))
