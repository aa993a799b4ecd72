"""Typing pace: a text as the key presses of a person, with pauses and corrections.

The figures are set so that what comes out lies among the confederates of the contest of 2012:
medians of the gaps between successive keys of 135 to 259 ms, about one BackSpace in forty keys.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from lpp.names import BACKSPACE, NAMES, RETURN, is_strict, keys_of

# Where a finger lands by mistake: the neighbours on a QWERTY board.
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_NEIGHBOURS: dict[str, str] = {}
for _row in _ROWS:
    for _index, _letter in enumerate(_row):
        _NEIGHBOURS[_letter] = _row[max(0, _index - 1) : _index] + _row[_index + 1 : _index + 2]


@dataclass(frozen=True, slots=True)
class Stroke:
    """One key, to be pressed `delay` seconds after the one before it."""

    delay: float
    key: str


@dataclass(frozen=True, slots=True)
class Pace:
    """How somebody types.

    Attributes:
        gap: the median gap between two keys, in seconds.
        spread: how uneven the gaps are: the standard deviation of their logarithm.
        word_pause: seconds added, in the mean, before a word begins.
        thought: seconds of thought before the first key of a line, in the mean.
        slips: the chance that a letter is mistyped and corrected with BackSpace.
    """

    gap: float = 0.17
    spread: float = 0.45
    word_pause: float = 0.08
    thought: float = 1.5
    slips: float = 0.015

    def strokes(self, text: str, rng: random.Random) -> Iterator[Stroke]:
        """Types a text.

        Arguments:
            text: what is to be in the end; a newline is Return. It may hold only what
                `lpp.names.keys_of` takes.
            rng: where chance comes from.

        Returns:
            The strokes; pressing their keys one after the other leaves exactly `text`.

        Raises:
            NotAKey: if the text holds a character that no key press carries.
        """
        at_line_start = True
        before = RETURN
        for key in keys_of(text):
            delay = self._gap(rng)
            if at_line_start:
                delay += rng.expovariate(1 / self.thought) if self.thought > 0 else 0.0
            elif before == "space" and self.word_pause > 0:
                delay += rng.expovariate(1 / self.word_pause)
            if not at_line_start and rng.random() < self.slips:
                wrong = self._slip(key, rng)
                if wrong is not None:
                    yield Stroke(delay, wrong)
                    yield Stroke(self._gap(rng) + rng.uniform(0.15, 0.6), BACKSPACE)
                    delay = self._gap(rng) + rng.uniform(0.05, 0.2)
            yield Stroke(delay, key)
            at_line_start = key == RETURN
            before = key

    def _gap(self, rng: random.Random) -> float:
        return self.gap * rng.lognormvariate(0.0, self.spread)

    def _slip(self, key: str, rng: random.Random) -> str | None:
        neighbours = _NEIGHBOURS.get(key.lower()) if is_strict(key) and key not in NAMES else None
        return rng.choice(neighbours) if neighbours else None
