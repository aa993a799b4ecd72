"""The faults of a rehearsal: what is done to the contest in the middle of a round, and how it is
seen that it was overcome.

To add one, write a function that does it and says what came of it, and give it a line in `FAULTS`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from contest.rehearsal.chair import Chair, Screens
from contest.rehearsal.entry import Entry
from contest.state.phases import Phase
from lpp.wire import Author

if TYPE_CHECKING:
    from contest.rehearsal.play import Rehearsal

#: Seconds between two looks whether something has come about.
LOOK = 0.25
#: Seconds that anything has to come about, or to be overcome.
PATIENCE = 90.0
#: Seconds until a program, a console or a server that died is started again.
RESTART, CONSOLE_RESTART, SERVER_RESTART = 5.0, 8.0, 2.0
#: Seconds by which a server that is built anew may be wrong about the time.
CLOCK = 0.5


class NotOvercome(Exception):
    """A fault that was not overcome, and in words why."""


class LeftOut(Exception):
    """A fault for which the moment never came, and in words why."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a fault.

    Attributes:
        who: whom it befell.
        words: what happened, and how it was overcome.
    """

    who: str
    words: str


Happen: TypeAlias = Callable[["Rehearsal", random.Random, float], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault.

    Attributes:
        id: its name.
        what: what it is, in words.
        happen: does it in a rehearsal, with chance, and a length in seconds of the contest; raises
            NotOvercome or LeftOut.
    """

    id: str
    what: str
    happen: Happen


async def entry_dies(rehearsal: Rehearsal, rng: random.Random, seconds: float) -> Outcome:
    """A program is killed, and its link starts it again."""
    entry = _entry(rehearsal, rng)
    before = entry.lives
    await entry.die()
    try:
        await _moment(rehearsal, entry.directory.standing, f"nobody told {entry.id} anything")
        await asyncio.sleep(min(RESTART, seconds))
        unread = len(entry.directory.standing())
    finally:
        entry.start()
    took = await _until(
        lambda: not entry.directory.standing(), f"{entry.id} did not read what stood unread"
    )
    return Outcome(
        entry.id,
        f"killed in life {before} and started again; {unread} keys that stood unread by then were "
        f"read within {took:.1f} s",
    )


async def entry_stalls(rehearsal: Rehearsal, rng: random.Random, seconds: float) -> Outcome:
    """A program stops reading and typing for a while."""
    entry = _entry(rehearsal, rng)
    stuck = f"directory of {entry.id}"
    troubles = len(rehearsal.troubles[stuck])
    entry.stall()
    try:
        await _moment(rehearsal, entry.directory.standing, f"nobody told {entry.id} anything")
        await asyncio.sleep(seconds)
        unread = len(entry.directory.standing())
    finally:
        entry.go_on()
    took = await _until(
        lambda: not entry.directory.standing(), f"{entry.id} did not read what stood unread"
    )
    told = rehearsal.troubles[stuck][troubles:]
    alarm = "the alarm was told" if told else "too short for the alarm"
    return Outcome(
        entry.id,
        f"stood still for {seconds:g} s with {unread} keys unread ({alarm}), and read them within "
        f"{took:.1f} s",
    )


async def link_drops(rehearsal: Rehearsal, rng: random.Random, seconds: float) -> Outcome:
    """A judge's network falls silent in the middle of a line."""
    chair = await _typing(rehearsal, rng, "judge")
    chair.lose_server()
    await asyncio.sleep(seconds)
    typed = chair.console.unconfirmed
    chair.find_server()
    took = await _until(
        lambda: chair.console.connected and not chair.console.unconfirmed,
        f"{chair.seat} did not come back",
    )
    return Outcome(
        chair.seat,
        f"silent for {seconds:g} s in the middle of a line; {typed} keys typed meanwhile were "
        f"taken within {took:.1f} s of its return",
    )


async def console_restarts(rehearsal: Rehearsal, rng: random.Random, seconds: float) -> Outcome:
    """A confederate's console is ended and started again."""
    chair = await _typing(rehearsal, rng, "confederate")
    before = chair.screens()
    pause = min(CONSOLE_RESTART, seconds)
    await chair.restart_console(pause)
    took = await _until(
        lambda: chair.console.connected and _holds(chair, before) and not chair.console.unconfirmed,
        f"{chair.seat} did not get its screen back",
    )
    keys = sum(map(len, before.values()))
    return Outcome(
        chair.seat,
        f"the console was ended in the middle of a line and another one started after {pause:g} s; "
        f"its screen, {keys} keys, was back {took:.1f} s later",
    )


async def entry_link_drops(rehearsal: Rehearsal, rng: random.Random, seconds: float) -> Outcome:
    """The link beside an entry loses the server."""
    entry = _entry(rehearsal, rng)
    link = rehearsal.server.links[entry.id]
    entry.lose_server()
    try:
        await _moment(rehearsal, lambda: link.unread, f"nobody told {entry.id} anything")
        await asyncio.sleep(seconds)
        waiting = link.unread
    finally:
        entry.find_server()
    took = await _until(
        lambda: link.here and not link.unread,
        f"the link of {entry.id} did not come back",
    )
    return Outcome(
        entry.id,
        f"without the server for {seconds:g} s; {waiting} keys of the judge that waited were made "
        f"within {took:.1f} s",
    )


async def server_stops(rehearsal: Rehearsal, rng: random.Random, seconds: float) -> Outcome:
    """The server stops dead in the middle of somebody's line; another is built from the record."""
    server = rehearsal.server
    await _typing(rehearsal, rng, "judge")
    screens = {each.seat: each.screens() for each in rehearsal.chairs.values()}
    remaining = server.conductor.status().remaining or 0.0
    await server.die()
    await asyncio.sleep(min(SERVER_RESTART, seconds))
    events, rebuilt = await rehearsal.rebuild()
    took = await _until(rehearsal.everybody_here, "not everybody came back")
    gone = remaining - (server.conductor.status().remaining or 0.0)
    if not -CLOCK <= gone <= took + CLOCK:
        raise NotOvercome(f"{remaining:.1f} s were left before, and {gone:.1f} s less afterwards")
    await _until(
        lambda: not any(each.console.unconfirmed for each in rehearsal.chairs.values()),
        "not every key was taken",
    )
    for each in rehearsal.chairs.values():
        if not _holds(each, screens[each.seat]):
            raise NotOvercome(f"the screen of {each.seat} is not what it was")
    return Outcome(
        "server",
        f"stopped dead, started again after {min(SERVER_RESTART, seconds):g} s and built anew from "
        f"{events:,} events ({rebuilt:.2f} s of this machine's time); everybody was back after "
        f"{took:.1f} s, with the same screens and {remaining:.0f} s left as before",
    )


async def disk_full(rehearsal: Rehearsal, rng: random.Random, seconds: float) -> Outcome:
    """The disk of the record is full for a while."""
    server = rehearsal.server
    server.journal.full = True
    try:
        await _until(
            lambda: server.conductor.status().phase is Phase.PAUSED,
            "the contest did not pause itself",
        )
        left = server.conductor.status().remaining
        await asyncio.sleep(seconds)
        if server.conductor.status().remaining != left:
            raise NotOvercome("the time went on")
    finally:
        server.journal.full = False
    took = await _until(
        lambda: (
            server.conductor.status().phase is Phase.INTERACTION
            and not any(each.console.unconfirmed for each in rehearsal.chairs.values())
        ),
        "the round did not go on",
    )
    return Outcome(
        "record",
        f"nothing could be written for {seconds:g} s: the contest paused itself, the organizer let "
        f"it go on, and {took:.1f} s after there was room again every key was on record",
    )


#: All faults, in the order in which they are dealt out to the rounds.
FAULTS: dict[str, Fault] = {
    fault.id: fault
    for fault in (
        Fault("entry-dies", "a program dies", entry_dies),
        Fault("link-drops", "a judge's network falls silent", link_drops),
        Fault("server-stops", "the server stops dead", server_stops),
        Fault("entry-stalls", "a program stands still", entry_stalls),
        Fault("console-restarts", "a confederate's console is restarted", console_restarts),
        Fault("disk-full", "the record's disk is full", disk_full),
        Fault("entry-link-drops", "an entry's link loses the server", entry_link_drops),
    )
}


def _entry(rehearsal: Rehearsal, rng: random.Random) -> Entry:
    return rehearsal.entries[rng.choice([p.entry for p in rehearsal.pairings()])]


async def _typing(rehearsal: Rehearsal, rng: random.Random, role: str) -> Chair:
    """Somebody who is in the middle of a line, as soon as anybody is.

    Raises:
        LeftOut: if nobody types.
    """
    seats = [getattr(pairing, role) for pairing in rehearsal.pairings()]
    rng.shuffle(seats)
    chairs = [rehearsal.chairs[seat] for seat in seats]
    await _moment(rehearsal, lambda: any(map(_in_a_line, chairs)), f"no {role} typed anything")
    return next(chair for chair in chairs if _in_a_line(chair))


def _in_a_line(chair: Chair) -> bool:
    """Whether the last own key at some place is in the middle of a line."""
    for keys in chair.screens().values():
        own = [key for author, key in keys[-40:] if author == chair.person.own]
        if own and own[-1] not in ("Return", "BackSpace"):
            return True
    return False


def _holds(chair: Chair, before: Screens) -> bool:
    """Whether all that stood on a screen stands there still, each author's keys in their order."""
    now = chair.screens()
    authors: tuple[Author, ...] = ("judge", "entity")
    return all(
        _of(now.get(place, []), author)[: len(old)] == old
        for place, keys in before.items()
        for author in authors
        if (old := _of(keys, author))
    )


def _of(keys: list[tuple[Author, str]], author: Author) -> list[str]:
    return [key for by, key in keys if by == author]


async def _moment(rehearsal: Rehearsal, condition: Callable[[], object], otherwise: str) -> None:
    """Waits for the moment at which a fault is to happen.

    Raises:
        LeftOut: with these words, if it does not come in time, or the interaction is over before.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + PATIENCE
    while not condition():
        if loop.time() > end or rehearsal.server.conductor.status().phase is not Phase.INTERACTION:
            raise LeftOut(otherwise)
        await asyncio.sleep(LOOK)


async def _until(condition: Callable[[], object], otherwise: str) -> float:
    """Waits until something has come about.

    Returns:
        How many seconds that took.

    Raises:
        NotOvercome: with these words, if it does not.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    while not condition():
        if loop.time() - began > PATIENCE:
            raise NotOvercome(otherwise)
        await asyncio.sleep(LOOK)
    return loop.time() - began
