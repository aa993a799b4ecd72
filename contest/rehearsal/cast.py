"""Who plays in a rehearsal, as it is handed in: consoles and entries' programs are other packages',
which know how to be one in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from contest.rehearsal.wires import Line
from contest.scripted import Seat
from contest.setup.settings import EntryTable
from lpp import wire
from lpp.session import Received

SeatLine: TypeAlias = Line[wire.ToServer, wire.ToSeat]
#: Connects a console to its seat, given its hello; raises Unreachable if nobody answers.
Connect: TypeAlias = Callable[[wire.Hello], SeatLine]


class Console(Seat, Protocol):
    """A console at a seat: what a scripted person needs, and what a rehearsal does to it."""

    @property
    def attempt(self) -> int:
        """The number of the attempt at this round."""

    @property
    def connected(self) -> bool:
        """Whether the present connection was greeted."""

    @property
    def unconfirmed(self) -> int:
        """Own keys that the server has not confirmed, in the talks that are on."""

    def open(self) -> None:
        """Begins to live: to connect, and to come back for ever after."""

    async def close(self) -> None:
        """Ends, as a window that is closed; what was typed is kept for the next console."""

    async def agree(self, publish: bool, pseudonym: str = "") -> None:
        """Answers what people are asked to agree to."""


class Keys(Protocol):
    """The key presses of a communications directory, as an entry's program has them."""

    async def send(self, key: str) -> object:
        """Presses a key, by its name."""

    def __aiter__(self) -> AsyncIterator[Received]:
        """The judge's key presses, as they come."""


@dataclass(frozen=True, slots=True)
class Program:
    """What plays an entry.

    Attributes:
        name: what the report calls it.
        live: one life of it, over its keys; the second argument counts the lives from 1. It ends
            when it is cancelled.
    """

    name: str
    live: Callable[[Keys, int], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays.

    Attributes:
        console: makes a console for a seat, which keeps what is typed in a folder of its own.
        program: makes what plays an entry.
    """

    console: Callable[[str, Connect, Path], Console]
    program: Callable[[EntryTable], Program]
