"""An answer's text as tokens that can be compared: contractions written out, numbers as figures,
words without their endings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from contest.screening.vocabulary import irregular

_MARKS = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "`": "'", "\u2013": "-"})
_TOKEN = re.compile(
    # A time, but no part of a date such as 23.10.2010.
    r"(?<![\d.:])\d{1,2}[:.]\d{2}(?!\d|[.:]\d)|\d+|[^\W\d_]+(?:'[^\W\d_]+)*"
)
#: Where a sentence ends: not within 10.17 or a.m.
_END = re.compile(r"(?<!\b[apAP])(?<!\b[apAP]\.[mM])[.!?]+(?=\s|$)|\n+")
_HALF_DAY = re.compile(r"\b([ap])\.\s?m\b\.?", re.IGNORECASE)
#: AM and PM, and th and its like, that stick to their number.
_STUCK = re.compile(r"(?<=\d)(?=[ap]\.?m\b)|(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)

_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    *("tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth"),
    *("seventeenth", "eighteenth", "nineteenth", "twentieth"),
)
_NUMBERS = (
    {word: number for number, word in enumerate(_UNITS)}
    | {word: number for number, word in enumerate(_ORDINALS, 1)}
    | {word: 10 * number for number, word in enumerate(_TENS, 2)}
    | {"thirtieth": 30, "dozen": 12, "hundred": 100}
)
_SHORT = {
    "can't": "can not",
    "cannot": "can not",
    "won't": "will not",
    "o'clock": "o'clock",
    "dont": "do not",
    "didnt": "did not",
    "isnt": "is not",
    "hasnt": "has not",
    "midnight": "12 night",
    "midday": "noon",
}


def sentences(text: str) -> list[tuple[str, bool]]:
    """The sentences of a text, each with whether a question mark ends it."""
    found = []
    start = 0
    plain = text.translate(_MARKS)
    for end in [*_END.finditer(plain), None]:
        stop = end.start() if end else len(plain)
        sentence = plain[start:stop].strip()
        if re.search(r"\w", sentence):
            found.append((sentence, end is not None and "?" in end[0]))
        if end is not None:
            start = end.end()
    return found


def tokens(text: str) -> list[str]:
    """The tokens of a text: lower case, numbers as figures (also where they are words, ordinals
    too), times as 10:17, words without their endings.

    "A hammer's nails weren't hit at ten." gives hammer, nail, be, not, hit, at, 10 (and articles).
    """
    plain = unicodedata.normalize("NFKC", text).translate(_MARKS).casefold()
    plain = _STUCK.sub(lambda match: " " if not match[0] else "", _HALF_DAY.sub(r"\1m ", plain))
    raw: list[str] = []
    for token in _TOKEN.findall(plain):
        token = _SHORT.get(token, token)
        if token.endswith("n't"):
            token = f"{token[:-3]} not"
        for ending in ("'s", "'re", "'ve", "'ll", "'d", "'m"):
            token = token.removesuffix(ending)
        raw += token.split()
    return _figures(raw)


def _figures(raw: Sequence[str]) -> list[str]:
    found: list[str] = []
    tens = False
    for word in raw:
        number = _NUMBERS.get(word)
        if word == "am" and found[-1:] == ["i"]:
            found.append(stem("be"))
        elif number is None:
            found.append(_time(word) if word[0].isdigit() else stem(word))
        elif tens and 0 < number < 10:
            found[-1] = str(int(found[-1]) + number)
        else:
            found.append(str(number))
        tens = word in _TENS
    return found


def _time(word: str) -> str:
    if not word.isdigit():
        hour, minute = re.split("[:.]", word)
        return f"{int(hour)}:{minute}"
    # Python refuses to read numbers of thousands of digits.
    return word.lstrip("0") or "0"


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without its ending, the same for all its forms; not always a word itself."""
    word = irregular().get(word, word)
    for ending in ("ies", "ied"):
        if len(word) > 4 and word.endswith(ending):
            return word[:-3] + "i"
    if len(word) > 5 and word.endswith("ing"):
        word = _single(word[:-3])
    elif len(word) > 4 and word.endswith("ed"):
        word = _single(word[:-2])
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
        if word.endswith(("she", "che", "xe", "sse", "ze")):
            word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        return word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


def _single(word: str) -> str:
    """Running is of run, calling of call."""
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz"
    return word[:-1] if doubled else word


def find(pattern: str, said: Sequence[str]) -> int | None:
    """Where a pattern stands in tokens: the index of its first one, or None.

    A pattern's words stand side by side and in its order; `...` stands for up to six others.
    """
    parts = _parts(pattern)
    if not parts:
        return None
    for start in range(len(said)):
        if _follows(parts, said, start):
            return start
    return None


@lru_cache(maxsize=20_000)
def _parts(pattern: str) -> tuple[tuple[str, ...], ...]:
    """The pattern's words, parted where others may stand between."""
    return tuple(tuple(part) for part in map(tokens, pattern.split("...")) if part)


def _follows(parts: Sequence[Sequence[str]], said: Sequence[str], start: int) -> bool:
    part, rest = parts[0], parts[1:]
    end = start + len(part)
    if tuple(said[start:end]) != tuple(part):
        return False
    return not rest or any(
        _follows(rest, said, following) for following in range(end, min(end + 7, len(said)))
    )
