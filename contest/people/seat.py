"""A place at the contest, as a scripted person needs it.

It is what a console's client offers as well, so that the same person can sit at a real server's
seat and at a table in memory (table.py), and neither knows of the other.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

from lpp.wire import Author, Phase, Place


@runtime_checkable
class Seat(Protocol):
    """A judge's or a confederate's seat.

    Iterating gives the server's frames (`lpp.wire.ToSeat`) and whatever else the seat has to
    tell; it ends when the seat is closed. The view is up to date when a frame comes out, and may
    be further on already.
    """

    @property
    def phase(self) -> Phase:
        """The contest's phase."""

    @property
    def round(self) -> int:
        """The number of the round, from 1; 0 before the first."""

    @property
    def attempt(self) -> int:
        """Which attempt at this round."""

    @property
    def places(self) -> tuple[Place, ...]:
        """The places of this round's talks: left and right for a judge, else only."""

    def remaining(self) -> float | None:
        """What is left of the phase, in seconds of contest time; None without a limit."""

    def keys(self, place: Place) -> Sequence[tuple[Author, str]]:
        """What is shown at a place, as (author, key name), own keys included, in the order of
        showing. It grows at the end, but for a snapshot (a `Talk` frame), which replaces it."""

    async def press(self, place: Place, key: str) -> bool:
        """Presses a key; False if it does not count, for there is no talk now."""

    async def verdict(
        self, human: Literal["left", "right"], confidence: int | None = None, reason: str = ""
    ) -> None:
        """Says where the human sat; confidence from 0 (can't tell) to 100 (sure)."""

    async def rank(self, half_steps: Mapping[str, int]) -> None:
        """Ranks all: label to twice the rank, 2 = first."""

    def __aiter__(self) -> AsyncIterator[object]:
        """What happens."""
