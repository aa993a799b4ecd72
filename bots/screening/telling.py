"""Reads what a statement says of an order: "Tom is taller than Ann but shorter than Bob", "Sue is
not as old as Joe", "Tom is 12 years old", "Ann finished before Bob", "Sam has 3 apples".

A statement is broken into pieces at commas and conjunctions; a piece without a subject has the
subject of the piece before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bots.screening.scales import Degree, find_degree
from bots.screening.wording import gender, number, verb_base

#: Scale of who came in before whom; more of it is later.
RACE = "order"

_UNITS = (
    r"years?|months?|feet|foot|inch(?:es)?|meters?|centimeters?|miles?|pounds?|kilos?|kilograms?|"
    r"dollars?|cents?|minutes?|days?|lot|bit|little"
)
_MODIFIERS = re.compile(
    rf"(?:\s*\b(?:much|far|slightly|even|still|way|just|also|quite|very|(?:\w+|\d+) (?:{_UNITS})|"
    r"a|an|the|one|not|n't)\b)+\s*$"
)
_BREAK = re.compile(
    r"\s*[,;:]\s*(?:(?:and|but|while|whereas)\b)?\s*|\s+(?:and|but|while|whereas)\s+"
    r"|\s+(?=who is\b)"
)
_RACED = re.compile(
    r"^(?P<one>.+?) (?:came|comes|finished|arrived|got there|got up|ended|crossed the line|was|is)"
    r"(?: home| in)? (?P<way>before|ahead of|after|behind) (?P<other>.+)$"
)
_BEAT = re.compile(r"^(?P<one>.+?) (?:beat|beats|defeated|outran)(?P<way>) (?P<other>.+)$")
_HAS_MORE = re.compile(
    r"^(?P<who>.+?) (?:has|have|had|got|ate|eats|owns|owned|made|found|bought|won|read) "
    r"(?:many |much |far |a lot |two |three )?(?P<way>more|fewer|less) (?P<what>[a-z]+) than "
    r"(?P<other>.+?)(?: (?:has|does|did|had))?$"
)
_PARENTS = r"(?:mother|father|grandmother|grandfather|parent|mom|dad|aunt|uncle)"
_CHILDREN = r"(?:son|daughter|child|grandson|granddaughter|baby|nephew|niece)"
_KIN = re.compile(
    rf"^(?P<one>.+?) is (?:the (?P<kin>{_PARENTS}|{_CHILDREN}) of (?P<other>.+)"
    rf"|(?P<owner>.+?)(?:'s)? (?P<kin2>{_PARENTS}|{_CHILDREN}))$"
)
_EQUAL = re.compile(r"\b(?P<not>not )?(?:as|so) (?P<word>[a-z]+) as\b")
_COUNTED = re.compile(
    r"^(?P<who>.+?) (?P<verb>is|was|are|am|weighs?|costs?|has|have|had) "
    r"(?:only |about |just |exactly )?(?P<count>\d+|[a-z]+(?:-[a-z]+)?)"
    r"(?: (?P<unit>[a-z]+))?(?: (?P<what>old|tall|high|long|wide|deep))?$"
)
_UNIT_SCALES = {
    "age": ("year", "years", "month", "months"),
    "weight": ("pound", "pounds", "kilo", "kilos", "kilogram", "kilograms"),
    "price": ("dollar", "dollars", "cent", "cents"),
    "length": ("foot", "feet", "inch", "inches", "meter", "meters", "centimeters", "miles"),
}
_FEMALE = frozenset({"she", "her"})
_MALE = frozenset({"he", "him"})
_PRONOUNS = _FEMALE | _MALE | {"it", "they", "them", "who", "which", "that", ""}


@dataclass(frozen=True, slots=True)
class Relation:
    """`more` have more on a scale than `less`; each as it was said."""

    scale: str
    more: tuple[str, ...]
    less: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """`who` have so much on a scale; what is counted is a scale of its own, "count apple"."""

    scale: str
    who: tuple[str, ...]
    amount: float


class Teller:
    """Reads statements one after the other; pronouns mean whom the one before spoke of."""

    def __init__(self) -> None:
        self._subjects: list[str] = []
        self._others: list[str] = []
        self._counted = ""

    def read(self, sentence: str) -> list[Relation | Figure]:
        """What a statement says of orders.

        Arguments:
            sentence: contractions written out, without its full stop.
        """
        told: list[Relation | Figure] = []
        last: Degree | None = None
        loose: list[str] = []
        for piece in filter(None, map(str.strip, _BREAK.split(sentence))):
            found = (
                self._read_race(piece)
                or self._read_figure(piece)
                or self._read_more_of(piece)
                or self._read_kin(piece)
            )
            if found is not None:
                told.append(found)
                loose, last = [], None
                continue
            degree, relation = self._read_comparison(piece, loose)
            if relation is not None:
                told.append(relation)
                loose, last = [], degree
            elif last is not None and not _has_verb(piece):
                # "John is older than Mary and Sarah": one more at the lower end.
                told.append(_relation(last, self._subjects, self._names(piece)))
            elif not _has_verb(piece):
                # "Tom and Ann are taller than Bob": the break fell between the subjects.
                loose += self._names(piece)
        return [one for one in told if isinstance(one, Figure) or (one.more and one.less)]

    def _read_comparison(
        self, piece: str, loose: list[str]
    ) -> tuple[Degree | None, Relation | None]:
        low = piece.lower()
        equal = _EQUAL.search(low)
        if equal is not None:
            degree = find_degree(equal["word"], compared=False)
            if degree is None or not equal["not"]:
                return None, None
            # "not as old as": what is denied of the one holds of the other.
            subject, other = piece[: _subject_end(low[: equal.start()])], piece[equal.end() :]
            degree = Degree(degree.scale, -degree.sign, "comparative", degree.word, 0, 0)
        else:
            degree = find_degree(low)
            than = low.find(" than ")
            if degree is None or degree.form != "comparative" or than < degree.start:
                return None, None
            subject, other = piece[: _subject_end(low[: degree.start])], piece[than + 6 :]
        self._subjects = loose + self._names(subject)
        self._others = self._names(re.sub(r"\s+(?:is|are|was|does|do|did|has)$", "", other))
        if self._subjects:
            # "the red box is heavier than the blue one"
            noun = self._subjects[0].split()[-1]
            self._others = [re.sub(r"(?<= )one$", noun, name) for name in self._others]
        if equal is None and re.search(r"\bnot\b", low[: degree.start]):
            return None, None
        return degree, _relation(degree, self._subjects, self._others)

    def _read_race(self, piece: str) -> Relation | None:
        low = piece.lower()
        match = _RACED.match(low) or _BEAT.match(low)
        if match is None:
            return None
        one, other = piece[: match.end("one")], piece[match.start("other") :]
        # "I came before noon" is no race: only names and things with "the" run one.
        if not (other[0].isupper() or low[match.start("other") :].startswith(("the ", "my "))):
            return None
        self._subjects, self._others = self._names(one), self._names(other)
        pair = (tuple(self._subjects), tuple(self._others))
        more, less = pair if match["way"] in ("after", "behind") else pair[::-1]
        return Relation(RACE, more, less)

    def _read_more_of(self, piece: str) -> Relation | None:
        match = _HAS_MORE.match(piece.lower())
        if match is None:
            return None
        self._subjects = self._names(piece[: match.end("who")])
        self._others = self._names(piece[match.start("other") : match.end("other")])
        pair = (tuple(self._subjects), tuple(self._others))
        more, less = pair if match["way"] == "more" else pair[::-1]
        return Relation(f"count {match['what'].removesuffix('s')}", more, less)

    def _read_kin(self, piece: str) -> Relation | None:
        # A mother is older than her son.
        match = _KIN.match(piece.lower())
        if match is None:
            return None
        whose = "other" if match["other"] else "owner"
        other = piece[match.start(whose) : match.end(whose)]
        if other.lower() == "my":
            other = "I"
        elder = re.fullmatch(_PARENTS, match["kin"] or match["kin2"]) is not None
        pair = ((piece[: match.end("one")],), (other,))
        more, less = pair if elder else pair[::-1]
        return Relation("age", more, less)

    def _read_figure(self, piece: str) -> Figure | None:
        match = _COUNTED.match(piece.lower())
        if match is None or match["count"] in ("a", "an"):
            return None
        count, unit = number(match["count"]), match["unit"] or ""
        if count is None:
            return None
        plain = find_degree(match["what"] or "", compared=False)
        if match["verb"] in ("has", "have", "had"):
            scale = f"count {unit.removesuffix('s')}" if unit else self._counted
            self._counted = scale
        elif match["verb"].startswith("weigh"):
            scale = "weight"
        elif match["verb"].startswith("cost"):
            scale = "price"
        elif plain is not None:
            scale = plain.scale
        else:
            scale = next((name for name, units in _UNIT_SCALES.items() if unit in units), "")
            scale = scale or ("age" if not unit else "")
        if not scale:
            return None
        self._subjects = self._names(piece[: match.end("who")])
        return Figure(scale, tuple(self._subjects), count)

    def _names(self, phrase: str) -> list[str]:
        text = phrase.strip(" ,.;:")
        pronoun = text.lower()
        if pronoun not in _PRONOUNS:
            return [name for name in re.split(r"\s*,\s*|\s+and\s+", text) if name]
        if pronoun in ("who", "which", "that"):
            return self._others[-1:]
        if pronoun in ("", "they", "them", "it"):
            return list(self._subjects)
        wanted = "female" if pronoun in _FEMALE else "male"
        for name in [*self._others[::-1], *self._subjects]:
            if gender(name.split()[-1]) in (wanted, None):
                return [name]
        return list(self._subjects)


def _relation(degree: Degree, one: Sequence[str], other: Sequence[str]) -> Relation:
    more, less = (one, other) if degree.sign > 0 else (other, one)
    return Relation(degree.scale, tuple(more), tuple(less))


def _has_verb(piece: str) -> bool:
    words = piece.lower().split()
    return any(verb_base(word) == "be" for word in words) or (
        len(words) > 2 and any(verb_base(word) for word in words[1:])
    )


def _subject_end(before: str) -> int:
    # What stands before a comparative is the subject, the verb, and how much: "two years".
    text = _MODIFIERS.sub("", before).rstrip()
    words = text.split()
    while words and (verb_base(words[-1]) or words[-1] in ("can", "will", "does", "did", "not")):
        text = text[: len(text) - len(words.pop())].rstrip()
        if words and verb_base(words[-1]) not in ("be", "have", "do", None):
            break
    return len(text)
