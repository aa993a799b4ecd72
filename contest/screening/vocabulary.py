"""The words that papers are made of: "nouns, adjectives and verbs will come from a dictionary
suitable for children or adolescents under the age of 12" (rules 2010, section 4).

`data/ogden.txt` has the 850 words of Basic English (1930), `data/dolch.txt` 314 words that children
read in their first school years (1936), `data/own.toml` what both lack, each group with its reason,
names, and forms that no rule makes. Other forms belong to a word by the rules of Basic English.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Any

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_SHORT = re.compile(r"(?:n't|'(?:s|m|re|ve|ll|d)?)$")
_VOWELS = "aeiou"


def outside(text: str) -> list[str]:
    """The words of a text that are not in the vocabulary: each once, as written, in their order."""
    plain = text.replace("\u2019", "'").replace("\u2018", "'")
    return [word for word in dict.fromkeys(_WORD.findall(plain)) if not known(word)]


@lru_cache(maxsize=50_000)
def known(word: str) -> bool:
    """Whether a word, or what it is a form of, is in the vocabulary. Single letters are; names need
    their capital."""
    low = word.lower()
    if len(word) == 1 or word in names() or low in ("can't", "won't"):
        return True
    # The word before 's, n't and the like.
    bare = _SHORT.sub("", low)
    return (
        low in words()
        or low in irregular()
        or bare in words()
        or bare in irregular()
        or bare in _forms()
        or _SHORT.sub("", word) in names()
    )


@cache
def words() -> frozenset[str]:
    """All words as listed, in small letters."""
    listed = [
        word.lower()
        for name in ("ogden.txt", "dolch.txt")
        for line in _text(name).splitlines()
        if not line.startswith("#")
        for word in line.split()
    ]
    own = (word for group in _own()["group"] for word in group["words"].split())
    return frozenset([*listed, *own])


@cache
def names() -> frozenset[str]:
    """Names of persons, animals, days and months, which no dictionary needs to hold."""
    return frozenset(name for text in _own()["names"].values() for name in text.split())


@cache
def irregular() -> Mapping[str, str]:
    """Forms that no rule makes, each with the word that it is a form of."""
    return {form: word for word, listed in _own()["irregular"].items() for form in listed.split()}


@cache
def _forms() -> frozenset[str]:
    return frozenset(form for word in words() for form in forms_of(word))


def forms_of(word: str) -> Iterator[str]:
    """The forms of a word, in small letters, by the rules: plural and third person, past, -ing,
    comparison, adverb."""
    last, before = word[-1:], word[-2:-1]
    if last == "y" and before not in _VOWELS:
        yield from (word[:-1] + "i" + ending for ending in ("es", "ed", "er", "est", "ly"))
        yield word + "ing"
        return
    yield word + ("es" if word.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
    yield word + "s"
    if word.endswith(("f", "fe")):
        yield word.removesuffix("e")[:-1] + "ves"
    if last == "e":
        yield from (word + ending for ending in ("d", "r", "st", "ly"))
        yield word[:-1] + "ing"
        return
    for ending in ("ed", "ing", "er", "est"):
        yield word + ending
        if len(word) > 2 and last not in _VOWELS + "wxy" and before in _VOWELS:
            yield word + last + ending
    yield word + "ly"


@cache
def _own() -> dict[str, Any]:
    return tomllib.loads(_text("own.toml"))


def _text(name: str) -> str:
    return resources.files("contest.screening").joinpath("data", name).read_text("utf-8")
