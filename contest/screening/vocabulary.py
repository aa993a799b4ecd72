"""The words of papers, "from a dictionary suitable for children or adolescents under the age of 12"
(rules 2010, section 4).

`data/ogden.txt` has the 850 words of Basic English (1930), `data/dolch.txt` 314 words that children
read in their first school years (1936), `data/own.toml` words that both lack, each group with its
reason, names, and irregular forms. Other forms belong to a word by their endings.
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
_ENDINGS = ("s", "es", "d", "ed", "ing", "r", "er", "st", "est", "ly")


def data(name: str) -> str:
    """The text of a file in `data/`."""
    file = resources.files("contest.screening").joinpath("data", name)
    return file.read_text("utf-8")


def outside(text: str) -> list[str]:
    """The words of a text that are not in the vocabulary: each once, as written, in their order."""
    plain = text.replace("\u2019", "'").replace("\u2018", "'")
    return [word for word in dict.fromkeys(_WORD.findall(plain)) if not known(word)]


@lru_cache(maxsize=50_000)
def known(word: str) -> bool:
    """Whether a word, or the word that it is a form of, is in the vocabulary. Single letters are;
    names need their capital."""
    bare = _SHORT.sub("", word)
    return len(word) == 1 or bare in names() or any(each in words() for each in _bases(bare))


def _bases(word: str) -> Iterator[str]:
    """The words that a word may be a form of, itself first; small letters."""
    low = word.lower()
    yield irregular().get(low, low)
    for ending in _ENDINGS:
        base = low.removesuffix(ending)
        if base != low and len(base) > 1:
            yield from (base, base + "e")
            if base[-1] == "i":
                yield base[:-1] + "y"
            if base[-1] == "v":
                yield from (base[:-1] + "f", base[:-1] + "fe")
            if base[-1] == base[-2]:
                yield base[:-1]


@cache
def words() -> frozenset[str]:
    """All words as listed, in small letters."""
    own = " ".join(group["words"] for group in _own()["group"])
    lines = (data("ogden.txt") + data("dolch.txt")).splitlines()
    listed = " ".join(line for line in lines if not line.startswith("#"))
    # Of can't and won't.
    return frozenset(f"{listed} {own} ca wo".lower().split())


@cache
def names() -> frozenset[str]:
    """Names of persons, animals, days and months."""
    return frozenset(" ".join(_own()["names"].values()).split())


@cache
def irregular() -> Mapping[str, str]:
    """Irregular forms, each with its word."""
    return {form: word for word, listed in _own()["irregular"].items() for form in listed.split()}


@cache
def _own() -> dict[str, Any]:
    return tomllib.loads(data("own.toml"))
