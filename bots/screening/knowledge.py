"""What the screening bot knows of things, out of things.toml: their kinds, sizes, uses, places.

All figures are rough ones for a common specimen; they serve to compare, not to be told.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from bots.english import with_article, words_of
from bots.screening.wording import bare, empty_words, singular, verb_base

# Tables of things.toml that hold no things.
_TABLES = ("kinds", "kind_names", "kind_parts", "no_article")


@functools.cache
def common_knowledge() -> Knowledge:
    """The one Knowledge that there is; it never changes, and takes a while to read."""
    return Knowledge()


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing, an animal, a person with a job.

    Attributes:
        name: as one says it, without an article.
        kind: the table of things.toml that it stands in.
        facts: its entry there.
    """

    name: str
    kind: str
    facts: Mapping[str, Any]

    def text(self, fact: str) -> str:
        """A fact in words, or ""."""
        value = self.facts.get(fact, "")
        return value if isinstance(value, str) else ""

    def figure(self, *facts: str) -> float | None:
        """The first of these facts that is known as a number."""
        for fact in facts:
            value = self.facts.get(fact)
            if isinstance(value, (int, float)):
                return float(value)
        return None


class Knowledge:
    """All things, to be found by name, by kind and by description."""

    def __init__(self) -> None:
        file = resources.files("bots.screening").joinpath("things.toml")
        table: dict[str, dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))
        self._kinds: dict[str, str] = table["kinds"]
        self._kind_names: dict[str, str] = table["kind_names"]
        self._kind_parts: dict[str, str] = table["kind_parts"]
        self._no_article = frozenset(table["no_article"]["names"].split())
        self._the = frozenset(table["no_article"]["the"].split())
        self._by_name: dict[str, Thing] = {}
        self._things: list[Thing] = []
        for kind, entries in table.items():
            if kind in _TABLES:
                continue
            for key, facts in entries.items():
                thing = Thing(key.replace("_", " "), kind, facts)
                self._things.append(thing)
                self._by_name[thing.name] = thing
        for thing in self._things:
            for other in thing.text("also").split("|"):
                if other:
                    self._by_name.setdefault(other, thing)
        self._described = [(thing, self._description(thing)) for thing in self._things]

    def find(self, phrase: str) -> Thing | None:
        """The thing that a noun phrase names: "the big red balls" is the ball."""
        words = bare(phrase).split()
        if " ".join(words) not in self._by_name and "of" in words[1:]:
            # "a bucket of water" is a bucket; "a pair of shoes" is shoes.
            cut = words.index("of")
            words = words[cut + 1 :] if words[0] in ("pair", "piece", "kind") else words[:cut]
        for start in range(min(len(words), 4)):
            rest = " ".join(words[start:])
            for name in (rest, singular(rest)):
                if name in self._by_name:
                    return self._by_name[name]
        return None

    def names(self) -> list[str]:
        """All names of one word, and their plurals by rule."""
        single = [name for name in self._by_name if " " not in name]
        return [*single, *(f"{name}s" for name in single)]

    def named(self, phrase: str) -> str:
        """A noun phrase as one says it of the thing in general: with a, an, the or nothing."""
        noun = bare(phrase)
        head = noun.split()[-1] if noun else ""
        if noun in self._the:
            return f"the {noun}"
        if noun in self._no_article or head in self._no_article:
            return noun
        if singular(head) != head:
            return noun
        return with_article(noun)

    def is_plural(self, phrase: str) -> bool:
        """Whether a noun phrase takes "are"."""
        head = bare(phrase).split()[-1:] or [""]
        known = head[0] in self._by_name and not head[0].endswith("s")
        return not known and (singular(head[0]) != head[0] or head[0] in ("scissors", "stairs"))

    def kind_of(self, phrase: str) -> str | None:
        """The kind that a word names ("fruits" is fruit), or None if it names none."""
        words = bare(phrase).split()
        for start in range(len(words)):
            word = singular(" ".join(words[start:]))
            word = _KIND_WORDS.get(word, word)
            if word in self._kinds or word in self._kinds.values():
                return word
        return None

    def is_a(self, thing: Thing, kind: str) -> bool:
        """Whether a thing is of a kind, or of one that belongs to it."""
        here: str | None = thing.kind
        while here is not None:
            if here == kind:
                return True
            here = self._kinds.get(here)
        return False

    def kind_name(self, kind: str) -> str:
        """How a kind is called in a sentence."""
        return self._kind_names.get(kind, kind)

    def of_kind(self, kind: str) -> Iterator[Thing]:
        """All things of a kind, in the order of the file."""
        return (thing for thing in self._things if self.is_a(thing, kind))

    def parts(self, thing: Thing) -> str:
        """What a thing has, its own parts first, or ""."""
        here: str | None = thing.kind
        found = [thing.text("parts")]
        while here is not None:
            found.append(self._kind_parts.get(here, ""))
            here = self._kinds.get(here)
        return ", ".join(filter(None, found))

    def described(self, words: Sequence[str], kind: str | None = None) -> Thing | None:
        """The thing that a description fits best.

        Arguments:
            words: the description, lower case.
            kind: only things of this kind, if given.

        Returns:
            The thing, or None if nothing fits well: two thirds of the words that tell anything.
            Of two that fit alike the first in the file, where the common ones come first.
        """
        wanted = _telling(words)
        if not wanted:
            return None
        best, best_fit = None, 0.0
        for thing, description in self._described:
            if kind is not None and not self.is_a(thing, kind):
                continue
            shared = wanted & description.keys()
            fit = sum(description[word] for word in shared) / len(wanted)
            if len(shared) * 3 >= len(wanted) * 2 and fit > best_fit:
                best, best_fit = thing, fit
        return best

    def _description(self, thing: Thing) -> dict[str, float]:
        # What a thing is for tells more of it than where it is kept.
        weights = {"use": 1.0, "does": 1.0, "gives": 1.0, "sound": 1.0, "parts": 0.9, "can": 0.9}
        weights |= {"color": 0.8, "eats": 0.8, "place": 0.8, "made": 0.7}
        found: dict[str, float] = {}
        for fact, weight in weights.items():
            for word in _telling(words_of(thing.text(fact))):
                found[word] = max(weight, found.get(word, 0.0))
        for word in _telling(words_of(self.parts(thing))):
            found.setdefault(word, 0.5)
        return found


_KIND_WORDS = {
    "clothes": "clothing",
    "garment": "clothing",
    "piece of clothing": "clothing",
    "piece of furniture": "furniture",
    "musical instrument": "instrument",
    "living being": "living thing",
    "job": "job",
    "profession": "job",
    "creature": "animal",
    "beverage": "drink",
    "machine": "device",
    "body part": "body",
    "part of the body": "body",
    "colour": "color",
    "meal": "food",
    "bug": "insect",
    "veggie": "vegetable",
    "plaything": "toy",
    "metal": "material",
}


@functools.cache
def _stem(word: str) -> str:
    return verb_base(word) or singular(word)


def _telling(words: Iterable[str]) -> set[str]:
    # The base forms of those words that tell anything.
    empty = empty_words()
    return {stem for word in words if (stem := _stem(word)) not in empty and word not in empty}
