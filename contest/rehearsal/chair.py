"""A scripted person at a console, and what becomes of the console."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from contest.rehearsal.cast import Console, SeatLine
from contest.rehearsal.loop import ended
from contest.rehearsal.wires import Unreachable
from contest.scripted import Person
from lpp import wire
from lpp.clock import Clock
from lpp.wire import Author, Place

#: (round, attempt, place) to what stands on a screen there, as (author, key name).
Screens: TypeAlias = dict[tuple[int, int, Place], list[tuple[Author, str]]]
#: What makes a console: the seat, how it connects, its folder.
MakeConsole: TypeAlias = Callable[[str, Callable[[wire.Hello], SeatLine], Path], Console]


class Chair:
    """A person at a seat.

    Arguments:
        seat: the seat's id.
        person: who sits there.
        make: makes a console.
        connect: connects a console to the seat; raises Unreachable if nobody answers.
        folder: where consoles of this seat keep what is typed.
        clock: the person's own.
    """

    def __init__(
        self,
        seat: str,
        person: Person,
        make: MakeConsole,
        connect: Callable[[str, wire.Hello], SeatLine],
        folder: Path,
        clock: Clock,
    ) -> None:
        self.seat = seat
        self.person = person
        self._make = make
        self._connect = connect
        self._folder = folder
        self._clock = clock
        self._away = False
        self._line: SeatLine | None = None
        self.console = self._new()
        self._playing: asyncio.Task[None] | None = None

    async def sit(self) -> None:
        """Sits down at the console that is there."""
        self.console.open()
        await self.console.agree(True)
        self._playing = asyncio.create_task(
            self.person.play(self.console, self._clock), name=f"person at {self.seat}"
        )

    async def leave(self) -> None:
        """Gets up, and closes the console."""
        if self._playing is not None:
            await ended(self._playing)
        await self.console.close()

    async def played(self) -> None:
        """Waits until the contest is over for this person.

        Raises:
            whatever the console has died of.
        """
        while (playing := self._playing) is not None:
            await asyncio.wait([playing])
            if playing is self._playing and not playing.cancelled():
                playing.result()
                return
            await asyncio.sleep(1.0)

    async def restart_console(self, pause: float) -> None:
        """The console is ended, and another one started after so many seconds."""
        await self.leave()
        await asyncio.sleep(pause)
        self.console = self._new()
        await self.sit()

    def lose_server(self) -> None:
        """The console's network falls silent."""
        self._away = True
        if self._line is not None:
            self._line.fall_silent()

    def find_server(self) -> None:
        """The network is back."""
        self._away = False

    @property
    def failed(self) -> BaseException | None:
        """What the person or the console has died of."""
        if self._playing is None or not self._playing.done() or self._playing.cancelled():
            return None
        return self._playing.exception()

    def screens(self) -> Screens:
        """What stands on the screen now."""
        console = self.console
        return {
            (console.round, console.attempt, place): list(console.keys(place))
            for place in console.places
        }

    def _new(self) -> Console:
        return self._make(self.seat, self._dial, self._folder)

    def _dial(self, hello: wire.Hello) -> SeatLine:
        if self._away:
            raise Unreachable("the network is gone")
        self._line = self._connect(self.seat, hello)
        return self._line
