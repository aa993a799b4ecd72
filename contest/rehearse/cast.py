"""The players of a rehearsal: scripted people at consoles.

Consoles and entries' programs are other packages', which hand them in as a `Cast`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from contest.links import linkwire
from contest.net.memory import MemoryConnection
from contest.rehearse.loop import ended
from contest.scripted import Person, Seat
from contest.setup.settings import EntryTable
from lpp import wire
from lpp.clock import Clock
from lpp.session import Received
from lpp.wire import Author, Place

SeatLine: TypeAlias = MemoryConnection[wire.Hello, wire.ToServer, wire.ToSeat]
LinkLine: TypeAlias = MemoryConnection[linkwire.Hello, linkwire.ToServer, linkwire.ToLink]
#: Connects a console to its seat; raises OSError if no server answers.
Connect: TypeAlias = Callable[[], SeatLine]
#: (round, attempt, place) to the keys on a screen there, as (author, key name).
Screens: TypeAlias = dict[tuple[int, int, Place], list[tuple[Author, str]]]


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
        """Own keys that the server has not confirmed, in the present talks."""

    def open(self) -> None:
        """Connects, and reconnects from now on."""

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


class Program(NamedTuple):
    """An entry's program: its name, and one life of it over its keys, which ends when it is
    cancelled; the second argument counts the lives from 1."""

    name: str
    live: Callable[[Keys, int], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Cast:
    """Makes consoles, from the seat, its connection and a folder of its own; and programs."""

    console: Callable[[str, Connect, Path], Console]
    program: Callable[[EntryTable], Program]


class Chair:
    """A scripted person at a seat.

    Arguments:
        seat: the seat's id.
        person: who sits there.
        make: makes a console.
        connect: connects a console to the seat; raises OSError if no server answers.
        folder: where consoles of this seat keep what is typed.
        clock: the person's own.
    """

    def __init__(
        self,
        seat: str,
        person: Person,
        make: Callable[[str, Connect, Path], Console],
        connect: Callable[[str], SeatLine],
        folder: Path,
        clock: Clock,
    ) -> None:
        self.seat = seat
        self.person = person
        #: Whether the console's network is gone.
        self.away = False
        self._make = partial(make, seat, self._dial, folder)
        self._connect = connect
        self._clock = clock
        self._line: SeatLine | None = None
        self.console = self._make()
        self.playing: asyncio.Task[None] | None = None

    async def sit(self) -> None:
        """Sits down at the console."""
        self.console.open()
        await self.console.agree(True)
        self.playing = asyncio.create_task(
            self.person.play(self.console, self._clock), name=f"person at {self.seat}"
        )

    async def leave(self) -> None:
        """Gets up, and closes the console."""
        if self.playing is not None:
            await ended(self.playing)
        await self.console.close()

    async def restart_console(self, pause: float) -> None:
        """Closes the console, and starts another one after this many seconds."""
        await self.leave()
        await asyncio.sleep(pause)
        self.console = self._make()
        await self.sit()

    def lose_server(self) -> None:
        """The console's network falls silent, until `away` is unset."""
        self.away = True
        if self._line is not None:
            self._line.fall_silent()

    def screens(self) -> Screens:
        """The screen now."""
        at = self.console
        return {(at.round, at.attempt, place): list(at.keys(place)) for place in at.places}

    def _dial(self) -> SeatLine:
        if self.away:
            raise OSError("the network is gone")
        self._line = self._connect(self.seat)
        return self._line
