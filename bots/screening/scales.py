"""Adjectives and their scales: that "larger" is more of size, and "cheapest" least of price; the
opposites of words; and the figures of things on a scale.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from bots.screening.knowledge import Thing
from bots.screening.wording import word_lists


@dataclass(frozen=True, slots=True)
class Degree:
    """An adjective, compared.

    Attributes:
        scale: what it measures, such as "size".
        sign: 1 for more of it, -1 for less.
        form: "positive", "comparative" or "superlative".
        word: as it stood in the sentence: "larger", "most expensive".
        start, end: where it stood.
    """

    scale: str
    sign: int
    form: str
    word: str
    start: int
    end: int

    @property
    def superlative(self) -> str:
        """The superlative to say: "largest"."""
        return _form(self.word, "superlative")

    @property
    def comparative(self) -> str:
        """The comparative to say: "larger"."""
        return _form(self.word, "comparative")


# More and less that is said by a verb or a noun.
_PHRASES = (
    (r"(?:weighs?|weigh) (?:the )?(?P<way>more|less|most|least)", "weight", "heavy"),
    (r"(?:is|are) worth (?:the )?(?P<way>more|less|most|least)", "price", "expensive"),
    (r"costs? (?:the )?(?P<way>more|less|most|least)", "price", "expensive"),
    (r"(?:makes?|make) (?P<way>more|less|the most|the least) noise", "noise", "loud"),
    (r"has (?P<way>more|less|the most|the least) money", "wealth", "rich"),
    (r"(?:lasts?|takes?) (?:the )?(?P<way>longer|longest|shorter|shortest)", "length", "long"),
)


@functools.cache
def adjective_forms() -> dict[str, tuple[str, int, str, str]]:
    """Every adjective of the scales, in each of its forms: its scale, sign, form, and base."""
    table = word_lists()
    forms: dict[str, tuple[str, int, str, str]] = {}
    for scale, ends in table["scales"].items():
        for end, sign in (("more", 1), ("less", -1)):
            for base in ends[end].split():
                forms.setdefault(base, (scale, sign, "positive", base))
                comparative, superlative = _inflected(base)
                forms.setdefault(comparative, (scale, sign, "comparative", base))
                forms.setdefault(superlative, (scale, sign, "superlative", base))
    for word, where in table["also"].items():
        scale, mark = where.split()
        form = "superlative" if word.endswith("st") else "comparative"
        forms[word] = (scale, 1 if mark == "+" else -1, form, word)
    return forms


def _inflected(base: str) -> tuple[str, str]:
    irregular = word_lists()["irregular"].get(base)
    if irregular is not None:
        return irregular[0], irregular[1]
    if len(re.findall(r"[aeiou]+", base.removesuffix("e"))) > 1 and not base.endswith(("y", "ow")):
        return f"more {base}", f"most {base}"
    stem = base
    if base.endswith("e"):
        stem = base[:-1]
    elif base.endswith("y") and base[-2] not in "aeiou":
        stem = base[:-1] + "i"
    elif re.fullmatch(r".*[^aeiou][aeiou][bdgmnpt]", base):
        stem = base + base[-1]
    return f"{stem}er", f"{stem}est"


def _form(word: str, form: str) -> str:
    base = adjective_forms().get(word.lower(), (None, None, None, word))[3]
    least = word.startswith(("less ", "least "))
    if least:
        base = word.split()[-1]
        return f"{'less' if form == 'comparative' else 'least'} {base}"
    return _inflected(base)[0 if form == "comparative" else 1]


def find_degree(text: str, compared: bool = True) -> Degree | None:
    """The first comparative or superlative in a text, or the first adjective of a scale.

    Arguments:
        text: lower case.
        compared: False to look for plain adjectives only ("big").
    """
    if not compared:
        return next(
            (
                Degree(*found[:3], word[0], word.start(), word.end())
                for word in re.finditer(r"[a-z]+", text)
                if (found := adjective_forms().get(word[0])) is not None and found[2] == "positive"
            ),
            None,
        )
    for pattern, scale, base in _PHRASES:
        match = re.search(rf"\b{pattern}\b", text)
        if match is not None:
            way = match["way"].removeprefix("the ")
            sign = 1 if way in ("more", "most", "longer", "longest") else -1
            form = (
                "superlative" if way in ("most", "least", "longest", "shortest") else "comparative"
            )
            word = base if sign > 0 else {"heavy": "light", "expensive": "cheap"}.get(base, base)
            return Degree(scale, sign, form, word, match.start(), match.end())
    for match in re.finditer(r"\b(?:(more|most|less|least) )?([a-z]+)\b", text):
        how, word = match[1], match[2]
        found = adjective_forms().get(word)
        if found is None:
            continue
        scale, sign, form, _ = found
        if form == "positive" and how is not None:
            form = "comparative" if how in ("more", "less") else "superlative"
            sign = sign if how in ("more", "most") else -sign
            said = word if how in ("more", "most") else match[0]
            return Degree(scale, sign, form, said, match.start(), match.end())
        if form != "positive":
            return Degree(scale, sign, form, word, match.start(2), match.end())
    return None


def figure_of(thing: Thing, scale: str, word: str) -> float | None:
    """A thing's figure on a scale, or None if we know none.

    Arguments:
        thing: what to measure.
        scale: a scale of words.toml.
        word: the adjective: tall is measured by height, long by length.
    """
    if scale == "length":
        tall = word.startswith(("tall", "high", "low"))
        return thing.figure("height", "size") if tall else thing.figure("length", "size")
    if scale in ("size", "width", "thickness", "depth"):
        return thing.figure("size")
    return thing.figure(scale)


#: Above this a thing is big, fast, hot and so on, when one asks without comparing.
MIDDLE = {
    "size": 100.0,
    "length": 150.0,
    "weight": 30_000.0,
    "speed": 25.0,
    "age": 20.0,
    "heat": 30.0,
    "price": 200.0,
    "hardness": 4.5,
    "noise": 5.0,
    "strength": 5.0,
    "sweetness": 4.5,
    "light": 5.0,
    "danger": 5.0,
}


@functools.cache
def _opposites() -> dict[str, str]:
    opposites: dict[str, str] = {}
    for pair in word_lists()["opposites"]["pairs"].split(","):
        one, other = pair.split()
        opposites.setdefault(one, other)
        opposites.setdefault(other, one)
    return opposites


def opposite_of(word: str) -> str | None:
    """The opposite of a word, from the list of pairs, or the other end of an adjective's scale."""
    listed = _opposites().get(word)
    if listed is not None:
        return listed
    found = adjective_forms().get(word)
    if found is None:
        return None
    scale, sign, form, _ = found
    ends = word_lists()["scales"][scale]
    other: str = ends["less" if sign > 0 else "more"].split()[0]
    if form == "positive":
        return other
    compared = _inflected(other)
    return compared[0] if form == "comparative" else compared[1]


def same_as(word: str) -> str | None:
    """Another word for a word, or None."""
    groups: str = word_lists()["same"]["groups"]
    for group in groups.split(","):
        words = group.split()
        if word in words:
            return next(other for other in words if other != word)
    return None
