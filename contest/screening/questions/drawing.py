"""Drawing from a seed, the same on every machine, and in every version of Python."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Chance from a seed.

    Only `random()` is drawn from: of all that `random.Random` gives it alone is promised to stay
    the same from one version of Python to the next.

    Arguments:
        seed: the paper's.
        what: which part of it is drawn, so that one part does not change another.
    """

    def __init__(self, seed: int, what: str) -> None:
        self._rng = random.Random(f"{seed} {what}")
        self._fresh: dict[str, list[str]] = {}

    def below(self, number: int) -> int:
        """A whole number from 0 up to, and without, `number`."""
        return int(self._rng.random() * number)

    def between(self, first: int, last: int) -> int:
        """A whole number, both ends included."""
        return first + self.below(last - first + 1)

    def of(self, things: Sequence[T]) -> T:
        """One of them."""
        return things[self.below(len(things))]

    def some(self, things: Sequence[T], number: int) -> list[T]:
        """Some different ones, in an order of chance; all of them if there are no more."""
        left = list(things)
        return [left.pop(self.below(len(left))) for _ in range(min(number, len(left)))]

    def fresh(self, what: str, things: Sequence[str], number: int) -> list[str]:
        """Some different ones that were not drawn as `what` before, while there are so many.

        Arguments:
            what: a name for the things.
            things: all of them, no fewer than `number`.
            number: how many.
        """
        left = self._fresh.get(what, [])
        if len(left) < number:
            left = self.shuffled(things)
        self._fresh[what] = left[number:]
        return left[:number]

    def shuffled(self, things: Sequence[T]) -> list[T]:
        """All of them, in an order of chance."""
        return self.some(things, len(things))
