"""Text from outside: quoted in messages, compared, put in order, never interpreted; and numbers in
words."""

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from fractions import Fraction

SHOWN_CHARACTERS = 60
"""A message quotes no more than this: it has to stay one line that a person can read."""

ID_CHARACTERS = 100
"""The longest id accepted. Ids are labels such as E1; a longer one is a cell that slipped."""

_DIGITS = re.compile(r"([0-9]+)")


def plain(text: str) -> str:
    """Text on one line: whatever does not print is escaped.

    Returns:
        The same with control characters, line ends and invisible characters as escapes, so that
        nothing in a file can break a line or steer a terminal.
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def shown(value: object) -> str:
    """A value as a message quotes it.

    Arguments:
        value: text, or what else was in the place of it.

    Returns:
        One line, in quotes if it is text, cut after :data:`SHOWN_CHARACTERS`.
    """
    text = plain(value if isinstance(value, str) else repr(value))
    if len(text) > SHOWN_CHARACTERS:
        text = text[: SHOWN_CHARACTERS - 3] + "..."
    return f"'{text}'" if isinstance(value, str) else text


def listed(items: Iterable[str]) -> str:
    """Names in words.

    Returns:
        Such as ``E1, E2 and E3``.
    """
    names = list(items)
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def counted(number: int, thing: str, things: str = "") -> str:
    """A number of things.

    Arguments:
        number: how many.
        thing: what one is called.
        things: what several are called, if it is more than an ending.

    Returns:
        Such as ``1 judge`` or ``3 entries``.
    """
    several = things or ("entries" if thing == "entry" else f"{thing}s")
    return f"{number:,} {thing if number == 1 else several}"


def together(names: Sequence[str], between: str = "/") -> str:
    """Names that belong together, such as J1E1: ids such as these can be told apart without
    anything between them, others may not."""
    return ("" if all(name[-1:].isdigit() for name in names) else between).join(names)


def near(name: str, known: Iterable[str]) -> str:
    """The known name that somebody may have meant.

    Arguments:
        name: the unknown one.

    Returns:
        Such as ``; did you mean E1?``, or nothing when none is near. Ids stay exact: what is near
        is said, never taken.
    """
    names = list(known)
    folded = {unicodedata.normalize("NFKC", n).casefold().replace(" ", ""): n for n in names}
    wanted = unicodedata.normalize("NFKC", name).casefold().replace(" ", "")
    if wanted in folded:
        return f"; did you mean {plain(folded[wanted])}?"
    # Short ids such as E9 are near to all others: only a name of some length is worth a guess.
    if len(wanted) > 2 and (close := difflib.get_close_matches(wanted, folded, n=1, cutoff=0.6)):
        return f"; did you mean {plain(folded[close[0]])}?"
    return f"; known: {listed(plain(n) for n in names)}" if 0 < len(names) <= 12 else ""


def natural(name: str) -> tuple[tuple[str | int, ...], str]:
    """A key that sorts J2 before J10.

    Returns:
        Something to compare with other keys of this function.
    """
    # re.split gives text and digits by turns, always text first, so that keys compare.
    parts = tuple(int(p) if i % 2 else p for i, p in enumerate(_DIGITS.split(name)))
    return parts, name


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Names once each, in natural order."""
    return tuple(sorted(set(names), key=natural))


def id_problem(name: object) -> str:
    """What is wrong with an id.

    Arguments:
        name: what is in the place of an id, without the spaces around it.

    Returns:
        What is wrong and what to do; empty if nothing is.
    """
    if not isinstance(name, str):
        return f"{shown(name)} is not an id; write a text such as E1"
    if not name:
        return "is empty; write an id such as E1"
    if name != name.strip():
        return f"{shown(name)} has spaces around it; remove them"
    if len(name) > ID_CHARACTERS:
        return f"{shown(name)} is longer than {ID_CHARACTERS} characters; use a short id such as E1"
    if not name.isprintable():
        return f"{shown(name)} has a character that does not print; remove it"
    return ""


def lines(text: str) -> Sequence[str]:
    """The lines of a text, ended by LF, CRLF or CR.

    Returns:
        The lines without their ends. (``str.splitlines`` would split at form feeds, too.)
    """
    return re.split(r"\r\n|\r|\n", text)


def number(value: Fraction | int) -> str:
    """A number as people read it.

    Returns:
        Such as ``2``, ``2.25``, or where no short decimal is exact, ``2.33 (7/3)``.
    """
    value = Fraction(value)
    scaled = value * 10_000
    if scaled.denominator == 1:
        whole, part = divmod(abs(scaled.numerator), 10_000)
        digits = f"{part:04d}".rstrip("0")
        return f"{'-' * (value < 0)}{whole}{'.' * bool(digits)}{digits}"
    return f"{float(value):.2f} ({value.numerator}/{value.denominator})"


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def ordinal(place: int) -> str:
    """A place in words.

    Returns:
        Such as ``first`` or ``21st``.
    """
    if place <= len(_ORDINALS):
        return _ORDINALS[place - 1]
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10)
    return f"{place}{ending or 'th'}"
