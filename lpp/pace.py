"""Typing pace: types a text as a person would, with pauses and corrections.

The defaults produce typing within the range of the confederates of the 2012 contest: a median gap
between successive keys of 135 to 259 ms, and 1 to 3 % BackSpace.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from lpp.names import BACKSPACE, NAMES, RETURN, is_strict, keys_of

# Keys hit by mistake: the neighbours on a QWERTY keyboard.
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_NEIGHBOURS: dict[str, str] = {}
for _row in _ROWS:
    for _index, _letter in enumerate(_row):
        _NEIGHBOURS[_letter] = _row[max(0, _index - 1) : _index] + _row[_index + 1 : _index + 2]


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key to press `delay` seconds after the previous one."""

    delay: float
    key: str


@dataclass(frozen=True, slots=True)
class Pace:
    """How somebody types.

    Attributes:
        gap: the median gap between two keys, in seconds.
        spread: how uneven the gaps are: the standard deviation of their logarithm.
        word_pause: seconds added before a word, on average.
        thought: seconds of thought before the first key of a line, on average.
        slips: the probability that a letter is mistyped and corrected with BackSpace.
    """

    gap: float = 0.17
    spread: float = 0.45
    word_pause: float = 0.08
    thought: float = 1.5
    slips: float = 0.015

    def strokes(self, text: str, rng: random.Random) -> Iterator[Stroke]:
        """Types a text.

        Arguments:
            text: the final text; a newline is Return. It may contain only what
                `lpp.names.keys_of` accepts.
            rng: the source of randomness.

        Returns:
            The strokes; pressing their keys in order leaves exactly `text`.

        Raises:
            NotAKey: if the text contains a character that can't be sent as a key press.
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
