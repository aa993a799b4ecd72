"""Orders that a judge tells: "John is older than Mary, and Mary is older than Sarah. Which of
them is the oldest?" (rules 2010, section 4, set 3).

What was told is kept as a graph a scale, an arrow from more to less, and as figures. Nothing is
answered that does not follow: where two could be the oldest, both are named.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bots.english import as_sentence, joined, to_listener
from bots.screening.scales import Degree
from bots.screening.telling import Figure, Relation, Teller

#: Names that are kept; a judge tells of a dozen.
NAMES = 100

UNSURE = "That does not follow from what you told me."


@dataclass(slots=True)
class _Scale:
    more: dict[str, set[str]] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)
    latest: str = ""

    def known(self) -> list[str]:
        below = itertools.chain.from_iterable(sorted(names) for names in self.more.values())
        return list(dict.fromkeys([*self.more, *below, *self.figures]))

    def below(self, name: str) -> set[str]:
        seen: set[str] = set()
        waiting = [name]
        while waiting:
            here = waiting.pop()
            lower = set(self.more.get(here, ()))
            if here in self.figures:
                lower |= {n for n, f in self.figures.items() if f < self.figures[here]}
            waiting.extend(lower - seen)
            seen |= lower
        return seen

    def lower(self, name: str, sign: int) -> set[str]:
        if sign > 0:
            return self.below(name)
        return {other for other in self.known() if name in self.below(other)}

    def group(self) -> list[str]:
        # All that hang together with what was told last.
        links = [{one, *below} for one, below in self.more.items()]
        links.append(set(self.figures))
        linked = {self.latest}
        while touching := [link for link in links if link & linked and not link <= linked]:
            linked = linked.union(*touching)
        return [name for name in self.known() if name in linked]

    def ranked(self, group: Sequence[str], sign: int) -> list[str]:
        # Only where each follows from the one before; else nothing.
        ordered = sorted(group, key=lambda name: -len(self.lower(name, sign) & set(group)))
        pairs = itertools.pairwise(ordered)
        return ordered if all(less in self.lower(more, sign) for more, less in pairs) else []


class Orders:
    """What was told of who is more than whom."""

    def __init__(self) -> None:
        self._teller = Teller()
        self._scales: dict[str, _Scale] = {}
        self._shown: dict[str, str] = {}
        self._last_scale = ""

    def tell(self, sentence: str) -> bool:
        """Takes in what a statement says of an order.

        Arguments:
            sentence: contractions written out, without its full stop.

        Returns:
            Whether it said anything of that sort.
        """
        told = self._teller.read(sentence)
        for one in told:
            here = self._scales.setdefault(one.scale, _Scale())
            self._last_scale = one.scale
            if isinstance(one, Figure):
                for name in self._keys(one.who):
                    here.figures[name] = one.amount
                    here.latest = name
            else:
                self._relate(here, one)
        return bool(told)

    def _relate(self, here: _Scale, told: Relation) -> None:
        less = self._keys(told.less)
        for more in self._keys(told.more):
            # What contradicts an earlier statement replaces it.
            for name in less:
                here.more.get(name, set()).discard(more)
            here.more.setdefault(more, set()).update(name for name in less if name != more)
            here.latest = more

    def knows(self, scale: str) -> bool:
        """Whether anything was told on a scale."""
        return scale in self._scales

    def all_known(self, scale: str, names: Iterable[str]) -> bool:
        """Whether all of these were told of on a scale."""
        here = self._scales.get(scale)
        return here is not None and {key_of(name) for name in names} <= set(here.known())

    def top(self, degree: Degree, options: Sequence[str]) -> str | None:
        """Who is the most, or the more of two.

        Arguments:
            degree: what is asked for.
            options: those to choose from; all that were told of together if empty.

        Returns:
            The answer, or None if they were not told of.
        """
        here = self._scales.get(degree.scale)
        if here is None or not self.all_known(degree.scale, options):
            return None
        group = list(dict.fromkeys(map(key_of, options))) or here.group()
        tops = [n for n in group if not any(n in here.lower(o, degree.sign) for o in group)]
        two = len(group) == 2 and degree.form == "comparative"
        form = degree.comparative if two else f"the {degree.superlative}"
        if len(tops) == 1:
            return as_sentence(f"{self._is(tops[0])} {form}")
        return f"I can't tell: it could be {joined([self._say(name) for name in tops], 'or')}."

    def nth(self, degree: Degree, rank: int) -> str | None:
        """Who is the second oldest (rank 2), or in the middle (rank 0)."""
        here = self._scales.get(degree.scale)
        if here is None:
            return None
        ordered = here.ranked(here.group(), degree.sign)
        place = len(ordered) // 2 if rank == 0 else rank - 1
        return as_sentence(self._say(ordered[place])) if place < len(ordered) else UNSURE

    def middle(self) -> str | None:
        """Who is in the middle of what was told last."""
        if not self._last_scale:
            return None
        return self.nth(Degree(self._last_scale, 1, "superlative", "", 0, 0), 0)

    def listed(self, degree: Degree) -> str | None:
        """All of them, the most first."""
        here = self._scales.get(degree.scale)
        if here is None:
            return None
        ordered = here.ranked(here.group(), degree.sign)
        return as_sentence(", ".join(map(self._say, ordered))) if ordered else UNSURE

    def compare(self, degree: Degree, one: str, other: str) -> str | None:
        """Whether one is more than the other: a sentence with yes or no, or None if not told."""
        if not self.all_known(degree.scale, (one, other)):
            return None
        here = self._scales[degree.scale]
        first, second = key_of(one), key_of(other)
        if second in here.lower(first, degree.sign):
            return f"Yes, {self._is(first)} {degree.comparative} than {self._say(second)}."
        if first in here.lower(second, degree.sign):
            return f"No, {self._is(second)} {degree.comparative} than {self._say(first)}."
        return UNSURE

    def beyond(self, degree: Degree, other: str) -> str | None:
        """Who is more than somebody: "Who is older than Mary?" """
        if not self.all_known(degree.scale, (other,)):
            return None
        here, key = self._scales[degree.scale], key_of(other)
        found = [n for n in here.known() if key in here.lower(n, degree.sign)]
        if not found:
            return f"Nobody that you told me of is {degree.comparative} than {self._say(key)}."
        names = joined([self._say(name) for name in found])
        verb = "is" if len(found) == 1 and found != ["i"] else "are"
        return as_sentence(f"{names} {verb} {degree.comparative} than {self._say(key)}")

    def who_has(self, what: str, more: bool) -> str | None:
        """Who has more, or fewer, of what people were told to have so many of."""
        here = self._scales.get(f"count {what.removesuffix('s')}")
        group = here.group() if here is not None else []
        if here is None or len(group) < 2:
            return None
        names = here.ranked(group, 1 if more else -1)
        if not names:
            return UNSURE
        two = len(names) == 2
        form = ("more" if two else "the most") if more else ("fewer" if two else "the fewest")
        verb = "have" if names[0] == "i" else "has"
        return as_sentence(f"{self._say(names[0])} {verb} {form} {what}")

    def _keys(self, names: Iterable[str]) -> list[str]:
        keys = []
        for name in names:
            key = key_of(name)
            if key and (key in self._shown or len(self._shown) < NAMES):
                self._shown.setdefault(key, "I" if key == "i" else _shown(name))
                keys.append(key)
        return keys

    def _say(self, name: str) -> str:
        said = to_listener(self._shown.get(name, name))
        return said[0].lower() + said[1:] if name == "i" or name.startswith("my ") else said

    def _is(self, name: str) -> str:
        return f"{self._say(name)} {'are' if name == 'i' else 'is'}"


def key_of(phrase: str) -> str:
    """A name or noun phrase as it is remembered: lower case, without an article."""
    words = phrase.lower().strip(" ,.;:?!").split()
    while len(words) > 1 and words[0] in ("a", "an", "the", "either", "both"):
        words = words[1:]
    return "i" if words in (["me"], ["myself"]) else " ".join(words)


def _shown(phrase: str) -> str:
    text = phrase.strip(" ,.;:?!")
    first, _, rest = text.partition(" ")
    if first.lower() in ("a", "an", "the"):
        return f"the {rest}"
    return text if first.lower() != "my" else f"my {rest}"
