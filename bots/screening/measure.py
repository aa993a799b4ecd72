"""Comparisons of things by their figures: which of these is larger, whether one is faster than
another, what is heavier than a horse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bots.english import as_sentence
from bots.screening.knowledge import Knowledge, Thing
from bots.screening.scales import MIDDLE, Degree, figure_of, find_degree, opposite_of
from bots.screening.wording import bare

ALIKE = "They are about the same, I would say."


class Measures:
    """Compares what the bot knows figures of.

    Arguments:
        knowledge: the things.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    def choose(self, options: Sequence[str], degree: Degree) -> str | None:
        """Which of the options is the most; None if no figure is known of any."""
        known = self._known(options, degree)
        if not known:
            return None
        if len(known) < len(options):
            guess = self._guess(options, known, degree)
            return f"I am not sure, but I would say {self._named(guess)}."
        best = max(known, key=lambda option: known[option] * degree.sign)
        if list(known.values()).count(known[best]) > 1:
            return ALIKE
        form = degree.comparative if len(options) == 2 else f"the {degree.superlative}"
        return as_sentence(f"{self._is(best)} {form}")

    def compare(self, one: str, other: str, degree: Degree) -> str | None:
        """Whether one is more than the other: a sentence with yes or no."""
        known = self._known((one, other), degree)
        if len(known) < 2:
            return None
        difference = (known[one] - known[other]) * degree.sign
        if difference == 0:
            return ALIKE
        first, second = (one, other) if difference > 0 else (other, one)
        compared = f"{self._is(first)} {degree.comparative} than {self._named(second)}"
        return f"{'Yes' if difference > 0 else 'No'}, {compared}."

    def equally(self, one: str, other: str, degree: Degree) -> str | None:
        """Whether one is as big as the other."""
        known = self._known((one, other), degree)
        if len(known) < 2:
            return None
        difference = (known[one] - known[other]) * degree.sign
        if difference == 0:
            return ALIKE
        if difference > 0:
            return f"Yes, {self._is(one)} even {degree.comparative}."
        return f"No, {self._is(other)} {degree.comparative}."

    def beyond(self, other: str, degree: Degree, kind: str | None) -> str | None:
        """Something that is more than a thing, of a kind if one was asked for."""
        thing = self._knowledge.find(other)
        limit = figure_of(thing, degree.scale, degree.word) if thing is not None else None
        if thing is None or limit is None:
            return None
        found = self._of_kind(kind if kind is not None else thing.kind, degree)
        more = [pair for pair in found if (pair[0] - limit) * degree.sign > 0]
        if not more:
            return f"I can't think of one that is {degree.comparative} than {self._named(other)}."
        # Not the nearest one, which others may see otherwise, but one that is clearly more.
        more.sort(key=lambda pair: abs(pair[0] - limit))
        return as_sentence(f"{self._is(more[len(more) * 3 // 4][1].name)} {degree.comparative}")

    def most(self, kind: str, degree: Degree) -> str | None:
        """The one of a kind that is the most."""
        found = self._of_kind(kind, degree)
        if not found:
            return None
        best = max(found, key=lambda pair: pair[0] * degree.sign)[1]
        named = self._knowledge.kind_name(kind)
        return as_sentence(f"{self._is(best.name)} the {degree.superlative} {named} I can think of")

    def ordered(self, options: Sequence[str], degree: Degree) -> str | None:
        """The options in their order, the most first; None unless all figures are known."""
        known = self._known(options, degree)
        if len(known) < len(options) or len(known) < 2:
            return None
        ordered = sorted(known, key=lambda option: -known[option] * degree.sign)
        return as_sentence(", ".join(map(bare, ordered)))

    def plainly(self, what: str, word: str) -> str | None:
        """Whether a thing is big, fast, hot and so on as things go."""
        degree = find_degree(word, compared=False)
        thing = self._knowledge.find(what)
        if degree is None or thing is None or degree.scale not in MIDDLE:
            return None
        figure = figure_of(thing, degree.scale, degree.word)
        if figure is None:
            return None
        if (figure > MIDDLE[degree.scale]) == (degree.sign > 0):
            return f"Yes, {self._is(what)} {word}."
        return f"No, {self._is(what)} rather {opposite_of(word)}."

    def counted(self, options: Sequence[str], what: str, more: bool) -> str | None:
        """Which of the options has more legs, wheels or whatever is counted."""
        known: dict[str, float] = {}
        for option in options:
            thing = self._knowledge.find(option)
            figure = thing.figure(what, f"{what}s") if thing is not None else None
            if figure is None:
                return None
            known[option] = figure
        if len(known) < 2:
            return None
        if len(set(known.values())) == 1:
            return "They have the same number."
        best = (max if more else min)(known, key=lambda option: known[option])
        return as_sentence(f"{self._named(best)} has {'more' if more else 'fewer'} {what}")

    def _guess(self, options: Sequence[str], known: Mapping[str, float], degree: Degree) -> str:
        # A guess is better than nothing: the one that is known, if it is rather big (fast, hot)
        # as things go, else the one that is not.
        best = max(known, key=lambda option: known[option] * degree.sign)
        middle = MIDDLE.get(degree.scale, known[best])
        if (known[best] - middle) * degree.sign > 0:
            return best
        return next(option for option in options if option not in known)

    def _known(self, options: Sequence[str], degree: Degree) -> dict[str, float]:
        known = {}
        for option in options:
            thing = self._knowledge.find(option)
            figure = figure_of(thing, degree.scale, degree.word) if thing is not None else None
            if figure is not None:
                known[option] = figure
        return known

    def _of_kind(self, kind: str, degree: Degree) -> list[tuple[float, Thing]]:
        return [
            (figure, thing)
            for thing in self._knowledge.of_kind(kind)
            if (figure := figure_of(thing, degree.scale, degree.word)) is not None
        ]

    def _is(self, option: str) -> str:
        return f"{self._named(option)} {'are' if self._knowledge.is_plural(option) else 'is'}"

    def _named(self, option: str) -> str:
        if option.lower().startswith("the ") or self._knowledge.find(option) is None:
            return option
        return self._knowledge.named(option)
