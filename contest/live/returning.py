"""Waiting for those who have to be here: links when a server begins, everybody when it goes on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager

from contest.links.link import Link
from contest.live.conductor import NOT_BACK, Conductor
from contest.live.standing import StandingClock
from contest.setup.settings import Settings
from contest.tasks import running

#: Seconds of real time for which the clock of a contest that is taken up stands still at most,
#: until those who were here when its server ended are back; then the organizer decides.
RETURN = 10.0
#: Seconds of real time that a new server waits for the links on its own machine.
LINKED = 15.0


async def linked(links: Mapping[str, Link], settings: Settings, conductor: Conductor) -> None:
    """Waits until the links on this machine are here, and their programs are started; one that is
    late is named when a round is to begin, and hinders nobody before.

    Arguments:
        links: those, by their entries' ids.
        settings: which of them have a program in their care.
        conductor: whose seats learn of their coming.
    """
    commands = {entry.id for entry in settings.entry if entry.command}

    def here() -> bool:
        return all(
            link.here and (name not in commands or link.running is not None)
            for name, link in links.items()
        )

    await _until(conductor, here, LINKED)


@asynccontextmanager
async def returning(
    was_here: Collection[str], clock: StandingClock, conductor: Conductor
) -> AsyncIterator[None]:
    """While the context is open: lets the clock of a contest that is taken up go on when those who
    were here are back. Where they do not come in time the contest is paused.

    Arguments:
        was_here: the seats where a console was.
        clock: the contest's.
        conductor: plays it.
    """

    def back() -> bool:
        seats = conductor.seats.seats
        return all(seats[name].outlet is not None for name in was_here if name in seats) and all(
            link.here for link in conductor.links.values()
        )

    async def wait() -> None:
        await _until(conductor, back, RETURN)
        clock.go()
        if not back():
            conductor.pause_ourselves(NOT_BACK)
        conductor.seats.broadcast()
        conductor.seats.changed.set()

    async with running(wait(), "those who were here"):
        yield


async def _until(conductor: Conductor, holds: Callable[[], bool], patience: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(patience):
            await conductor.seats.until(holds)
