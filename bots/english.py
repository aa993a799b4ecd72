"""English grammar that several bots need: contractions, sentences, persons, articles.

All functions work on plain text and don't depend on any bot.
"""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from typing import NamedTuple

_MARKS = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "`": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-"}
)

_TABLE = tomllib.loads(resources.files("bots").joinpath("english.toml").read_text("utf-8"))
_SHORT: dict[str, str] = _TABLE["short"] | {
    f"{word}{ending}": f"{word} {row['full']}"
    for ending, row in _TABLE["endings"].items()
    for word in row["words"].split()
}

#: A word, with its apostrophes.
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# A full stop ends a sentence unless it belongs to a title, an initial, a time or a number.
_STOP = re.compile(
    r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bvs)(?<!\ba\.m)(?<!\bp\.m)"
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\b[A-Z])\.(?![\w.])|[!?]+|\.{2,}|\n+"
)


class Sentence(NamedTuple):
    """A sentence, and whether it ends with a question mark."""

    text: str
    asked: bool


def plain(text: str) -> str:
    """The text with plain quotes and dashes instead of typographic ones."""
    return text.translate(_MARKS)


def expand(text: str) -> str:
    """Writes out contractions: "I'm" becomes "I am", "dont" becomes "do not".

    A form that could be a possessive ("John's") is left unchanged.
    """

    def write_out(match: re.Match[str]) -> str:
        word = match[0]
        full = _SHORT.get(word.lower())
        if full is None:
            return word
        return full[0].upper() + full[1:] if word[0].isupper() else full

    return WORD.sub(write_out, plain(text))


def sentences(text: str) -> list[Sentence]:
    """Splits a text at full stops, question marks and exclamation marks; drops blank pieces."""
    found = []
    start = 0
    for stop in _STOP.finditer(text):
        found.append(Sentence(text[start : stop.start()].strip(), "?" in stop[0]))
        start = stop.end()
    found.append(Sentence(text[start:].strip(), False))
    return [sentence for sentence in found if WORD.search(sentence.text)]


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case, without punctuation."""
    return [word.lower() for word in WORD.findall(plain(text))]


def with_article(noun: str) -> str:
    """A noun with "a" or "an" before it, unless it has an article or possessive already."""
    first = noun.split()[0].lower() if noun.split() else ""
    if not first or first in {"a", "an", "the", "some", "my", "your"}:
        return noun
    silent_or_glide = first.startswith(("hour", "honest", "uni", "use", "euro", "one"))
    vowel = (first[0] in "aeiou") != silent_or_glide
    return f"{'an' if vowel else 'a'} {noun}"


def to_listener(text: str) -> str:
    """A text as repeated to the person who said it: "I lost my key" becomes "you lost your key"."""
    said: list[str] = []
    tokens = re.findall(r"[^\W_]+(?:['-][^\W_]+)*|[^\w\s]+|_|\s+", plain(text))
    before = ""
    for index, token in enumerate(tokens):
        word = token.lower()
        if word == "you":
            token = "me" if before in _TABLE["object"]["after"].split() else "I"
        elif word == "are" and before == "you":
            token = "am"
        elif word == "were" and before == "you":
            token = "was"
        elif word == "was" and before == "i":
            token = "were"
        elif word in _TABLE["listener"]:
            swapped = _TABLE["listener"][word]
            token = swapped.capitalize() if index == 0 and token[0].isupper() else swapped
        said.append(token)
        if not token.isspace():
            before = word
    return "".join(said)


def join_words(parts: list[str], last: str = "and") -> str:
    """Joins parts as in a sentence: "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def as_sentence(text: str) -> str:
    """Capitalizes a text and adds a full stop, unless it already ends with punctuation."""
    text = text.strip()
    if not text:
        return text
    return text[0].upper() + text[1:] + ("" if text[-1] in ".?!" else ".")
