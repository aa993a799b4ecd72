"""Salts: random bits that nobody can guess, one for each event that may have to be withheld.

They are drawn many at a time. Each drawing is a call of the system, in which the interpreter's lock
is given away; with thousands of keys a second that is more than making all the rest of the event.
"""

from __future__ import annotations

import os
from collections.abc import Callable

#: Bytes of a salt: 128 bits.
SIZE = 16


class Salts:
    """Gives salts.

    Arguments:
        draw: gives so many random bytes, by default the system's.
        many: how many salts are drawn at once.
    """

    def __init__(self, draw: Callable[[int], bytes] = os.urandom, many: int = 256) -> None:
        self._draw = draw
        self._many = many
        self._drawn: list[str] = []

    def next(self) -> str:
        """A salt, in hex; none is given twice."""
        if not self._drawn:
            text = self._draw(SIZE * self._many).hex()
            self._drawn = [text[at : at + 2 * SIZE] for at in range(0, len(text), 2 * SIZE)]
        return self._drawn.pop()
