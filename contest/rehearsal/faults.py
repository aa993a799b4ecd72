"""The faults of a rehearsal: what is done to the contest in the middle of a round, and how it is seen
that it was overcome.

To add one, write a function that does it and says what came of it, and give it a line in `FAULTS`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from contest.errors import YoursToFix
from contest.phases import Phase
from contest.rehearsal.chair import Chair, Screens
from contest.rehearsal.entry import Entry
from lpp.wire import Author

if TYPE_CHECKING:
    from contest.rehearsal.play import Rehearsal

#: Seconds between two looks whether something has come about.
LOOK = 0.25
#: Seconds that anything has to come about, or to be overcome.
PATIENCE = 90.0
#: Seconds until a program, a console or a server that died is started again.
RESTART, CONSOLE_RESTART, SERVER_RESTART = 5.0, 8.0, 2.0
#: Seconds that a fault lasts, unless the round is short.
LASTS = 20.0
#: Seconds by which a server that is built anew may be wrong about the time.
CLOCK = 0.5
#: Of the interaction, a fault takes no more than this part.
PART = 1 / 12


class UnknownFault(YoursToFix):
    """A name that no fault has."""


class NotOvercome(Exception):
    """A fault that was not overcome, and in words why."""


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
            NotOvercome.
    """

    id: str
    what: str
    happen: Happen


async def entry_dies(rehearsal: Rehearsal, rng: random.Random, seconds: float) -> Outcome:
    """A program is killed, and its link starts it again."""
    entry = _entry(rehearsal, rng)
    before = entry.lives
    await entry.die()
    await asyncio.sleep(min(RESTART, seconds))
    entry.start()
    took = await _until(
        lambda: not entry.directory.standing(), f"{entry.id} did not read what stood unread"
    )
    return Outcome(
        entry.id,
        f"killed in life {before}, started again after {min(RESTART, seconds):g} s; it had read "
        f"all that stood there {took:.1f} s later",
    )


async def entry_stalls(rehearsal: Rehearsal, rng: random.Random, seconds: float) -> Outcome:
    """A program stops reading and typing for a while."""
    entry = _entry(rehearsal, rng)
    stuck = f"directory of {entry.id}"
    troubles = len(rehearsal.troubles[stuck])
    entry.stall()
    try:
        await _until(entry.directory.standing, f"{entry.id} was told nothing while it stood still")
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
    chair = _chair(rehearsal, rng, "judge")
    await _until(lambda: _in_a_line(chair), f"{chair.seat} typed nothing")
    first = chair.console
    chair.lose_server()
    await asyncio.sleep(seconds)
    typed = chair.console.unconfirmed
    chair.find_server()
    took = await _until(
        lambda: chair.console.connected and not chair.console.unconfirmed,
        f"{chair.seat} did not come back",
    )
    assert chair.console is first
    return Outcome(
        chair.seat,
        f"silent for {seconds:g} s in the middle of a line; {typed} keys typed meanwhile were taken "
        f"within {took:.1f} s of its return",
    )


async def console_restarts(rehearsal: Rehearsal, rng: random.Random, seconds: float) -> Outcome:
    """A confederate's console is ended and started again."""
    chair = _chair(rehearsal, rng, "confederate")
    await _until(lambda: _in_a_line(chair), f"{chair.seat} typed nothing")
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
    entry.lose_server()
    await asyncio.sleep(seconds)
    waiting = rehearsal.server.links[entry.id].unread
    entry.find_server()
    took = await _until(
        lambda: (
            rehearsal.server.links[entry.id].here and not rehearsal.server.links[entry.id].unread
        ),
        f"the link of {entry.id} did not come back",
    )
    return Outcome(
        entry.id,
        f"without the server for {seconds:g} s; {waiting} keys of the judge that waited were made "
        f"within {took:.1f} s",
    )


async def server_stops(rehearsal: Rehearsal, rng: random.Random, seconds: float) -> Outcome:
    """The server stops dead in the middle of somebody's line, and another is built from the record."""
    server = rehearsal.server
    chair = _chair(rehearsal, rng, "judge")
    await _until(lambda: _in_a_line(chair), f"{chair.seat} typed nothing")
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


def choose(names: str | None) -> tuple[Fault, ...]:
    """Faults by their names.

    Arguments:
        names: with commas between them; None for all, `none` for none.

    Raises:
        UnknownFault: if there is no such fault.
    """
    if names is None:
        return tuple(FAULTS.values())
    if names.strip() == "none":
        return ()
    chosen = []
    for name in dict.fromkeys(each.strip() for each in names.split(",")):
        if name not in FAULTS:
            raise UnknownFault(
                f"there is no fault {name!r}; there are {', '.join(FAULTS)}, or none"
            )
        chosen.append(FAULTS[name])
    return tuple(chosen)


@dataclass(frozen=True, slots=True)
class Planned:
    """A fault that is to happen.

    Attributes:
        fault: which.
        round: in which round.
        at: at which part of its interaction, from 0 to 1.
    """

    fault: Fault
    round: int
    at: float


def plan(faults: tuple[Fault, ...], rounds: int, rng: random.Random) -> list[Planned]:
    """Deals faults out to rounds: as many to each, and one after the other within it.

    Arguments:
        faults: which.
        rounds: how many rounds there are.
        rng: where chance comes from.
    """
    by_round: dict[int, list[Fault]] = {}
    for number, fault in enumerate(faults):
        by_round.setdefault(number % rounds + 1, []).append(fault)
    planned = []
    for round_, its in sorted(by_round.items()):
        for place, fault in enumerate(its):
            # Neither at the very beginning, before anything is said, nor at the end.
            share = (place + rng.uniform(0.2, 0.6)) / len(its)
            planned.append(Planned(fault, round_, 0.1 + 0.7 * share))
    return planned


def lasts(interaction: float) -> float:
    """How long a fault lasts in a round.

    Arguments:
        interaction: its length in seconds.

    Returns:
        Seconds; less in a short round, so that it is over before the round is.
    """
    return min(LASTS, interaction * PART)


def _entry(rehearsal: Rehearsal, rng: random.Random) -> Entry:
    return rehearsal.entries[rng.choice([p.entry for p in rehearsal.pairings()])]


def _chair(rehearsal: Rehearsal, rng: random.Random, role: str) -> Chair:
    seats = [getattr(pairing, role) for pairing in rehearsal.pairings()]
    return rehearsal.chairs[rng.choice(seats)]


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
