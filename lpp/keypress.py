"""A key press, and the name of the directory that is one: `sequence.keyname.extension`.

Writing is strict (`KeyPress.make`). Reading is liberal (`parse`: any number of digits, any single
character, any case of the extension) and says which rule a name breaks. What the other side does
against the protocol is data, a `Violation`, never an exception: the talk goes on. The rules' names
are those of the conformance checks (docs/reference/lpp.md), so that the record of a talk and the
report of a check speak of the same things.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from lpp.names import is_bare, is_strict

#: Digits of a written sequence number: 21 years at 15 keys a second.
WIDTH = 10

#: Bytes of UTF-8 that a written key name may have: file systems take 255 for the whole name.
KEY_LIMIT = 200


class Rule(enum.Enum):
    """A rule of the protocol that a name, or its coming, can break."""

    UNIQUE = "2.A.a/unique"
    LEXICAL = "2.A.a/lexical"
    NUMERIC = "2.A.a/numeric"
    WIDTH = "2.A.a/width"
    NAME = "2.A.b/name"
    EXTENSION = "2.A.c/extension"
    DIRECTORY = "2.A.d/directory"
    REMOVES = "2.B/removes"
    WAITS = "3/waits"
    AFTER_END = "3/after-end"
    NOT_ON = "3/not-on"


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach.

    Attributes:
        rule: which rule.
        name: the name of the directory entry that shows it, as found.
        detail: what was seen, in words.
    """

    rule: Rule
    name: str
    detail: str


class Side(enum.Enum):
    """Who makes a key press; the value is the extension of its directory (rules 2010, 2.A.c, 2.B).

    `OTHER` is the entry, or the confederate; `JUDGE` is the judge.
    """

    OTHER = "other"
    JUDGE = "judge"

    @property
    def opposite(self) -> Side:
        """The side that reads and removes this side's key presses."""
        return Side.JUDGE if self is Side.OTHER else Side.OTHER


@dataclass(frozen=True, slots=True, order=True)
class KeyPress:
    """One key press as it was in a communications directory.

    Ordered as a reader takes them: by number, then by the name's text.

    Attributes:
        number: the sequence number; at least 0.
        raw: the directory's whole name, as found or as to be made.
        key: the key name between the dots.
        side: who made it.
    """

    number: int
    raw: str
    key: str
    side: Side

    @staticmethod
    def make(number: int, key: str, side: Side) -> KeyPress:
        """The key press that a strict writer makes.

        Arguments:
            number: 0 up to 9,999,999,999.
            key: a key name, as `lpp.names.name_of` gives it.
            side: who writes.

        Raises:
            ValueError: if the number does not fit ten digits, or the key name can't be in the name
                of a directory.
        """
        if not 0 <= number < 10**WIDTH:
            raise ValueError(f"sequence number {number} does not fit {WIDTH} digits")
        if not key or len(key.encode("utf-8", "replace")) > KEY_LIMIT or not _can_stand(key):
            raise ValueError(f"key name {key!r} can't stand in the name of a directory")
        return KeyPress(number, f"{number:0{WIDTH}d}.{key}.{side.value}", key, side)


# What no name may hold, on Windows if not here; a colon would make a hidden stream of a file there.
_NOWHERE = '/\\<>:"|?*'

# Digits are ASCII's; a key name is whatever is between the first and the last dot, empty and "."
# included, for programs have sent both.
_FORM = re.compile(r"([0-9]{1,40})\.(.*)\.([A-Za-z]{5})", re.DOTALL)
_EXTENSIONS = {side.value: side for side in Side}


def parse(name: str) -> tuple[KeyPress, tuple[Violation, ...]] | None:
    """Reads the name of an entry of a communications directory: the key press with the rules that
    the name breaks, or None if it is not one."""
    match = _FORM.fullmatch(name)
    if match is None:
        return None
    digits, raw_key, extension = match.groups()
    key = printable(raw_key)
    side = _EXTENSIONS.get(extension.lower())
    if side is None:
        return None
    broken = []
    shown = printable(name)
    if len(digits) != WIDTH and len(digits) != 18:
        # 18 digits are the official judge program's own: seconds and microseconds.
        broken.append(Violation(Rule.WIDTH, shown, f"the number has {len(digits)} digits"))
    if not is_strict(key) and not (len(key) == 1 and not key.isascii() and is_bare(key)):
        broken.append(Violation(Rule.NAME, shown, f"{key!r} is not a key name of the appendix"))
    if extension != side.value:
        broken.append(Violation(Rule.EXTENSION, shown, f"the extension is {extension!r}"))
    return KeyPress(int(digits), name, key, side), tuple(broken)


def printable(name: str) -> str:
    """A name as text that any encoding carries: bytes that are no UTF-8 become `\\xNN`.

    File systems hold names that are no text; Python lists them with lone surrogates, which
    neither JSON nor a database takes.
    """
    try:
        as_bytes = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # Windows: half of a pair of UTF-16, which stands for no byte.
        as_bytes = name.encode("utf-8", "surrogatepass")
    return as_bytes.decode("utf-8", "backslashreplace")


def _can_stand(key: str) -> bool:
    """Whether every system's file system takes it. Names that Windows keeps to itself, such as
    "con", and dots and blanks at its end do no harm between a number and an extension."""
    return not any(
        char in _NOWHERE or ord(char) < 32 or "\ud800" <= char <= "\udfff" for char in key
    )
