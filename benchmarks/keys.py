"""The key presses that the benchmarks write, and the check that all arrived once and in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from lpp.keypress import KeyPress, Side
from lpp.names import keys_of

#: The text that is typed again and again.
KEYS = keys_of("Hello, Jim.\nHow are you? ")


def name_of_number(number: int) -> str:
    """The directory name of the key press with this number."""
    return KeyPress.make(number, KEYS[number % len(KEYS)], Side.OTHER).raw


def number_of_name(name: str) -> int:
    """The number in a name from `name_of_number`."""
    return int(name[:10])


@dataclass(frozen=True, slots=True)
class Tally:
    """How many keys went wrong on the way."""

    lost: int
    doubled: int
    out_of_order: int

    @property
    def faults(self) -> int:
        """The total."""
        return self.lost + self.doubled + self.out_of_order

    def __str__(self) -> str:
        if not self.faults:
            return "none lost, doubled or out of order"
        return f"{self.lost} LOST, {self.doubled} DOUBLED, {self.out_of_order} OUT OF ORDER"


def tally(numbers: Sequence[int], count: int) -> Tally:
    """Compares the keys that arrived with those written.

    Arguments:
        numbers: the numbers that arrived, in order of arrival.
        count: how many were written, from 0 on.
    """
    seen = set(numbers)
    return Tally(
        lost=len(set(range(count)) - seen),
        doubled=len(numbers) - len(seen),
        out_of_order=sum(a > b for a, b in pairwise(numbers)),
    )
