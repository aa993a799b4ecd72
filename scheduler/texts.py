"""Functions for text: quoting untrusted text in messages, comparing and sorting names, and writing
numbers in words."""

import difflib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Self

SHOWN_CHARACTERS = 60
"""The most characters that a message quotes, so that it stays a readable line."""

ID_CHARACTERS = 100
"""The longest id accepted. Ids are labels such as E1; a longer one is probably a misplaced cell."""

_DIGITS = re.compile(r"([0-9]+)")


class Phrase(str):
    """English text that can be translated: it keeps the template and the fields that it was made
    from.

    Arguments:
        template: the text with ``{name}`` for each field.
        fields: the values; they can be phrases, too. A translation may need more than the English
            text does.
    """

    template: str
    fields: Mapping[str, object]

    def __new__(cls, template: str, /, **fields: object) -> Self:
        made = super().__new__(cls, template.format_map(fields))
        made.template, made.fields = template, fields
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], Mapping[str, object]]:
        return (self.template,), self.fields


def joined(parts: Iterable[str], between: str = "; ") -> str:
    """Joins texts, which stay translatable.

    Arguments:
        parts: the texts.
        between: the separator, without braces.
    """
    fields = {f"part{number}": part for number, part in enumerate(parts)}
    return Phrase(between.join(f"{{{name}}}" for name in fields), **fields)


def plain(text: str) -> str:
    """Escapes a text so that it fits on one line.

    Returns:
        The text with control characters, line ends and invisible characters escaped, so that
        nothing in a file can break a line or control a terminal.
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def shown(value: object) -> str:
    """Quotes a value for a message.

    Arguments:
        value: a text, or any other value.

    Returns:
        One line, in quotes if it is text, cut after :data:`SHOWN_CHARACTERS`.
    """
    text = plain(value if isinstance(value, str) else repr(value))
    if len(text) > SHOWN_CHARACTERS:
        text = text[: SHOWN_CHARACTERS - 3] + "..."
    return f"'{text}'" if isinstance(value, str) else text


def listed(items: Iterable[str]) -> str:
    """Joins names in words, such as ``E1, E2 and E3``."""
    *names, last = items
    return Phrase("{names} and {last}", names=joined(names, ", "), last=last) if names else last


def counted(number: int, thing: str, things: str = "") -> str:
    """A number of things, such as ``1 judge`` or ``3 entries``.

    Arguments:
        number: how many.
        thing: the singular.
        things: the plural, if it is irregular.
    """
    several = things or ("entries" if thing == "entry" else f"{thing}s")
    return Phrase(f"{{number}} {thing if number == 1 else several}", number=grouped(number))


def grouped(number: int) -> str:
    """A whole number, 0 or higher, with separators between thousands, such as ``12,500``."""
    high, low = divmod(number, 1000)
    return Phrase("{high},{low}", high=grouped(high), low=f"{low:03}") if high else str(low)


def together(names: Sequence[str], between: str = "/") -> str:
    """Joins the names of a pair or pairing, such as J1E1. Ids that end with a digit need no
    separator; others get one."""
    return ("" if all(name[-1:].isdigit() for name in names) else between).join(names)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggests the known name that the user may have meant.

    Arguments:
        name: the unknown name.

    Returns:
        Text such as ``; did you mean E1?``, or a short list of the known names, or nothing. Names
        are only suggested, never substituted.
    """
    names = list(known)
    folded = {unicodedata.normalize("NFKC", n).casefold().replace(" ", ""): n for n in names}
    wanted = unicodedata.normalize("NFKC", name).casefold().replace(" ", "")
    if wanted in folded:
        return Phrase("; did you mean {name}?", name=plain(folded[wanted]))
    # Short ids such as E9 are similar to all others, so guess only for longer names.
    if len(wanted) > 2 and (close := difflib.get_close_matches(wanted, folded, n=1, cutoff=0.6)):
        return Phrase("; did you mean {name}?", name=plain(folded[close[0]]))
    if not 0 < len(names) <= 12:
        return ""
    return Phrase("; known: {names}", names=listed(plain(name) for name in names))


def natural(name: str) -> tuple[tuple[str | int, ...], str]:
    """A sort key that puts J2 before J10."""
    # re.split alternates text and digits, beginning with text, so that keys can be compared.
    parts = tuple(int(p) if i % 2 else p for i, p in enumerate(_DIGITS.split(name)))
    return parts, name


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """The names without duplicates, in natural order."""
    return tuple(sorted(set(names), key=natural))


def id_problem(name: object) -> str:
    """Checks an id.

    Arguments:
        name: the value given as an id, without surrounding spaces.

    Returns:
        What is wrong and what to do; empty if the id is valid.
    """
    if not isinstance(name, str):
        return Phrase("{text} is not an id; write text such as E1", text=shown(name))
    if not name:
        return Phrase("is empty; write an id such as E1")
    if name != name.strip():
        return Phrase("{text} has spaces around it; remove them", text=shown(name))
    if len(name) > ID_CHARACTERS:
        long = "{text} is longer than {most} characters; use a short id such as E1"
        return Phrase(long, text=shown(name), most=ID_CHARACTERS)
    if not name.isprintable():
        return Phrase("{text} contains an unprintable character; remove it", text=shown(name))
    return ""


def lines(text: str) -> Sequence[str]:
    """Splits a text at LF, CRLF or CR. (``str.splitlines`` would split at form feeds, too.)"""
    return re.split(r"\r\n|\r|\n", text)


def number(value: Fraction | int) -> str:
    """A number for people, such as ``2`` or ``2.25``, or if no short decimal is exact,
    ``2.33 (7/3)``."""
    value = Fraction(value)
    scaled = value * 10_000
    if scaled.denominator == 1:
        whole, part = divmod(abs(scaled.numerator), 10_000)
        digits = f"{part:04d}".rstrip("0")
        return decimal(f"{'-' * (value < 0)}{whole}{'.' * bool(digits)}{digits}")
    exact = f"{value.numerator}/{value.denominator}"
    return Phrase("{value} ({exact})", value=decimal(f"{float(value):.2f}"), exact=exact)


def decimal(text: str) -> str:
    """A number with a decimal point, which is a comma in other languages."""
    whole, _, digits = text.partition(".")
    return Phrase("{whole}.{digits}", whole=whole, digits=digits) if digits else text


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def ordinal(place: int) -> str:
    """A place in words, such as ``first`` or ``21st``."""
    if place <= len(_ORDINALS):
        return _ORDINALS[place - 1]
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10)
    return f"{place}{ending or 'th'}"
