"""Key names: what is between the two dots of a key press's directory.

`NAMES` holds the 36 names of the appendix (Loebner Prize 2010, "Names for special characters in
LPP"). Letters and digits are sent bare; the seed gives digits no name and every real program sent
them so. Any other printable character is sent as itself, one code point a key press, in NFC; that
is our decision where the rules are silent (rules.md, section 2).

Writing is strict (`name_of`), reading is liberal (`char_of` knows the aliases that real programs
sent), and what is shown has one form (`shown_as`).
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

#: What is shown for a single character that nobody could see: a control character, one that turns
#: the direction of text, one without a width. It stands as one character, and one BackSpace takes
#: it away.
MARK = "\N{REPLACEMENT CHARACTER}"

#: The appendix: key name to the character it types.
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

#: Names seen in practice beside the appendix's: Tk's on X11, the key pad's, two misspellings.
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

# Tk's names of the other signs of Latin-1, and of the euro: keyboards in Europe have keys for them.
_SIGN_NAMES = (
    "exclamdown cent sterling currency yen brokenbar section diaeresis copyright ordfeminine "
    "guillemotleft notsign registered macron degree plusminus twosuperior threesuperior acute "
    "mu paragraph periodcentered cedilla onesuperior masculine guillemotright onequarter onehalf "
    "threequarters questiondown AE ETH multiply Oslash THORN ssharp ae eth division oslash thorn "
    "EuroSign"
)
_SIGNS = dict(zip(_SIGN_NAMES.split(), "¡¢£¤¥¦§¨©ª«¬®¯°±²³´µ¶·¸¹º»¼½¾¿ÆÐ×ØÞßæð÷øþ€", strict=True))

#: Names of keys that type no character: ignored, and on record (lpp-in-practice.md).
SILENT_KEYS = frozenset(
    {
        *("Shift_L", "Shift_R", "Control_L", "Control_R", "Alt_L", "Alt_R", "Meta_L", "Meta_R"),
        *("Super_L", "Super_R", "Caps_Lock", "Num_Lock", "Scroll_Lock", "Mode_switch"),
        *("ISO_Level3_Shift", "Multi_key", "Left", "Right", "Up", "Down", "Home", "End", "Prior"),
        *("Next", "Insert", "Delete", "Escape", "Pause", "Print", "Menu", "Win_L", "Win_R", "App"),
        *(f"F{number}" for number in range(1, 25)),
    }
)

# Tk's names for accented letters are Unicode's names run together: eacute, Adiaeresis, ntilde.
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

# Letters and accents that no font draws (Unicode's Default_Ignorable_Code_Point, as far as they are
# of no category that says so itself): joiners, fillers, variation selectors.
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


@functools.lru_cache(maxsize=4096)  # a record of a million keys has some hundred names
def shown_as(name: str) -> str | None:
    """The one name under which others see a key press, however it was spelt: a judge must not tell
    a program by its `apostrophe` for `quoteright`. Only the record keeps the name as it came.

    Returns:
        A name of the appendix, a letter, a digit, or a single printable character beyond ASCII
        (`MARK` among them); None for a key that types nothing, which is shown to nobody.
    """
    char = char_of(name)
    return None if char is None else _NAME_OF.get(char, char)


def legible(name: str) -> str:
    """A key name for tables, logs and pages: nothing in it is unseen, or steers what shows it.

    Returns:
        `MARK` for a single character that nobody could see; in longer names, which type nothing,
        such characters are escaped, as `\\x1b`. All other names stay as they are.
    """
    if len(name) == 1:
        return MARK if char_of(name) == MARK else name
    return "".join(
        char
        if char.isprintable() and not is_unseen(char)
        else char.encode("unicode_escape").decode("ascii")
        for char in name
    )


def name_of(char: str) -> str:
    """The key name that a strict writer sends for a character.

    Arguments:
        char: one character; a newline is Return, a tab Tab, `BACKSPACE_CHAR` BackSpace.

    Returns:
        A name of the appendix, or the character itself.

    Raises:
        NotAKey: for anything else than one character, and for characters that no key press
            carries: control characters, surrogates, unassigned and private ones, and those that
            nobody can see (`is_unseen`).
    """
    if len(char) == 1 and not char.isascii():
        # Some signs have two code points, one of them for old encodings only; NFC has the other.
        normal = unicodedata.normalize("NFC", char)
        char = normal if len(normal) == 1 else char
    known = _NAME_OF.get(char)
    if known is not None:
        return known
    if len(char) == 1 and is_bare(char):
        return char
    raise NotAKey(f"{char!r} can't be sent as a key press: it is not a single printable character")


def is_bare(char: str) -> bool:
    """Whether a single character is sent as itself: a letter, a digit, or any printable
    character beyond ASCII (rules.md, section 2)."""
    if char.isascii():
        return char.isalnum()
    category = unicodedata.category(char)
    return (category[0] in "LMNPS" or category == "Zs") and not is_unseen(char)


def is_unseen(char: str) -> bool:
    """Whether a single character leaves nothing to be seen on a screen, or only changes others:
    joiners, variation selectors, tags, and those that turn the direction of text.

    A strict writer leaves them out, as in `plain_text`: of an emoji made of several there remain
    its parts. Where one comes all the same, `MARK` is shown.
    """
    if unicodedata.category(char) == "Cf":
        return True
    return any(first <= char <= last for first, last in _UNSEEN_RANGES)


def char_of(name: str) -> str | None:
    """The character that a key name types, read liberally.

    Returns:
        One character (`BACKSPACE_CHAR` for BackSpace, `MARK` for a single character that nobody
        could see), or None for a name that types nothing: unknown, empty, or a key such as Shift.
    """
    if name in NAMES:
        return NAMES[name]
    if not name.isascii():
        # Some file systems take composed characters apart; some characters NFC itself takes apart.
        normal = unicodedata.normalize("NFC", name)
        name = normal if len(normal) == 1 else name
    if len(name) == 1:
        is_seen = name.isprintable() if name.isascii() else is_bare(name)
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
    """Whether a name is one that the rules know: a letter, a digit, or one of the appendix."""
    return name in NAMES or (len(name) == 1 and name.isascii() and name.isalnum())


def is_sendable(name: str) -> bool:
    """Whether a server takes a key name from a person's console: those of the rules, any single
    character beyond ASCII that is printable or unseen, and keys such as Shift that type nothing.
    What others see of it is `shown_as`, as of a program's key."""
    if is_strict(name) or name in SILENT_KEYS:
        return True
    return len(name) == 1 and not name.isascii() and (is_bare(name) or is_unseen(name))


def keys_of(text: str) -> list[str]:
    """The key names that type the `plain_text` of a text, one a code point.

    Raises:
        NotAKey: if the text holds a character that no key press carries.
    """
    return [name_of(char) for char in plain_text(text)]


def plain_text(text: str) -> str:
    """A text as strict writers type it: in NFC, each line end a newline, unseen characters left
    out."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    if lines.isascii():
        return lines
    return unicodedata.normalize("NFC", "".join(char for char in lines if not is_unseen(char)))
