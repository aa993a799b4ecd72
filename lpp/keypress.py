"""A key press, and the name of its directory: `sequence.keyname.extension`.

Writing is strict (`KeyPress.make`). Reading is liberal (`parse`: any number of digits, any single
character, any case of the extension) and reports which rules a name breaks. A protocol violation by
the other side is data, a `Violation`, never an exception: the talk goes on. The rules have the
names of the conformance checks (docs/reference/lpp.md), so that the record of a talk and the report
of a check use the same terms.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from lpp.names import is_sent_as_itself, is_strict

#: Digits of a written sequence number; enough for 21 years at 15 keys a second.
WIDTH = 10

#: The maximum number of UTF-8 bytes in a written key name: file systems allow 255 for the
#: directory's whole name.
KEY_LIMIT = 200


class Rule(enum.Enum):
    """A rule of the protocol that a name, or the moment of its arrival, can break."""

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


#: The names of the rules that a number which is not greater than the last one breaks.
NOT_GROWING = frozenset({Rule.UNIQUE.value, Rule.NUMERIC.value})


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach of the protocol.

    Attributes:
        rule: the broken rule.
        name: the name of the offending directory entry, as found.
        detail: what was observed, in words.
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
    """One key press in a communications directory.

    Key presses sort in the order in which a reader takes them: by number, then by the name's text.

    Attributes:
        number: the sequence number; at least 0.
        raw: the directory's whole name, as found or as it will be created.
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
            number: 0 to 9,999,999,999.
            key: a key name, as `lpp.names.name_of` gives it.
            side: who writes.

        Raises:
            ValueError: if the number does not fit ten digits, or the key name can't be in the name
                of a directory.
        """
        if not 0 <= number < 10**WIDTH:
            raise ValueError(f"sequence number {number} does not fit {WIDTH} digits")
        if not key or len(key.encode("utf-8", "replace")) > KEY_LIMIT or not _is_portable(key):
            raise ValueError(f"key name {key!r} can't be part of a directory's name")
        return KeyPress(number, f"{number:0{WIDTH}d}.{key}.{side.value}", key, side)


# Characters that Windows forbids in names (there a colon would create a hidden stream of a file).
_FORBIDDEN = '/\\<>:"|?*'

# Digits are ASCII digits. A key name is everything between the first and the last dot; it may be
# empty or ".", because programs have sent both.
_FORM = re.compile(r"([0-9]{1,40})\.(.*)\.([A-Za-z]{5})", re.DOTALL)
_EXTENSIONS = {side.value: side for side in Side}


def parse(name: str) -> tuple[KeyPress, tuple[Violation, ...]] | None:
    """Reads the name of an entry in a communications directory.

    Returns:
        The key press and the violations in its name, or None if it is not a key press.
    """
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
        # The official judge program used 18 digits: seconds and microseconds.
        broken.append(Violation(Rule.WIDTH, shown, f"the number has {len(digits)} digits"))
    if not is_strict(key) and not (len(key) == 1 and not key.isascii() and is_sent_as_itself(key)):
        broken.append(Violation(Rule.NAME, shown, f"{key!r} is not a key name of the appendix"))
    if extension != side.value:
        broken.append(Violation(Rule.EXTENSION, shown, f"the extension is {extension!r}"))
    return KeyPress(int(digits), name, key, side), tuple(broken)


def printable(name: str) -> str:
    """A name as text that can be encoded: bytes that are not UTF-8 become `\\xNN`.

    Names in file systems need not be valid text. Python lists such names with lone surrogates,
    which neither JSON nor a database accepts.
    """
    try:
        as_bytes = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # Windows: half of a UTF-16 surrogate pair, which represents no byte.
        as_bytes = name.encode("utf-8", "surrogatepass")
    return as_bytes.decode("utf-8", "backslashreplace")


def _is_portable(key: str) -> bool:
    """Whether the file systems of all platforms accept it. Names that Windows reserves, such as
    "con", and trailing dots and blanks are harmless between a number and an extension."""
    return not any(
        char in _FORBIDDEN or ord(char) < 32 or "\ud800" <= char <= "\udfff" for char in key
    )
