"""The faults of a rehearsal: what is done to the contest in the middle of a round, and how the
rehearsal sees that the contest overcame it.

To add one, write a function that does it and says what came of it, and add a row to `FAULTS`.
"""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import scheduler
from contest.errors import YoursToFix
from contest.rehearse.players import Entry, MortalServer, Screens, Sitter
from contest.state.phases import Phase

#: Seconds between two looks at a condition, and until the rehearsal gives up waiting for it.
LOOK, PATIENCE = 0.25, 90.0
#: Seconds until a console, and a server, that died is started again.
CONSOLE_RESTART, SERVER_RESTART = 8.0, 2.0
#: Seconds by which a server that is started again may be wrong about the time.
CLOCK = 0.5


class NotOvercome(Exception):
    """The contest did not overcome a fault, and in words why."""


class LeftOut(Exception):
    """The moment for a fault never came, and in words why."""


@dataclass
class Scene:
    """What faults act on.

    Attributes:
        server: the contest's server.
        schedule: who meets whom.
        sitters, entries: by their ids.
        troubles: place to the troubles of it that are on record.
    """

    server: MortalServer
    schedule: scheduler.Schedule
    sitters: dict[str, Sitter] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    troubles: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def phase(self) -> Phase:
        """The contest's phase."""
        return self.server.now.conductor.status().phase

    @property
    def remaining(self) -> float:
        """Seconds that the phase has left."""
        return self.server.now.conductor.status().remaining or 0.0

    def all_confirmed(self) -> bool:
        """Whether every typed key is on record."""
        return not any(sitter.console.unconfirmed for sitter in self.sitters.values())

    def draw(self, role: str, rng: random.Random) -> list[str]:
        """The ids of this role's players in the present round, in an order by chance."""
        round_ = self.schedule.rounds[self.server.now.conductor.status().round - 1]
        ids = [getattr(pairing, role) for pairing in round_]
        return rng.sample(ids, len(ids))

    async def until(self, condition: Callable[[], object], otherwise: str) -> float:
        """Waits for a condition; returns the seconds that it took.

        Raises:
            NotOvercome: with these words, if it does not come true in time.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        while not condition():
            if loop.time() - began > PATIENCE:
                raise NotOvercome(otherwise)
            await asyncio.sleep(LOOK)
        return loop.time() - began

    async def moment(self, condition: Callable[[], object], otherwise: str) -> None:
        """Waits for the moment at which a fault is to happen.

        Raises:
            LeftOut: with these words, if it does not come in time and in the interaction.
        """
        try:
            await self.until(lambda: condition() or self.phase is not Phase.INTERACTION, otherwise)
        except NotOvercome:
            raise LeftOut(otherwise) from None
        if not condition():
            raise LeftOut(otherwise)

    async def typing(self, rng: random.Random, role: str) -> Sitter:
        """Waits until somebody of a role is in the middle of a line; see `moment`."""
        sitters = [self.sitters[seat] for seat in self.draw(role, rng)]
        await self.moment(lambda: any(map(_in_a_line, sitters)), f"no {role} typed anything")
        return next(sitter for sitter in sitters if _in_a_line(sitter))

    async def back(self, sitter: Sitter, before: Screens) -> float:
        """Waits until a console is connected, with all keys confirmed and all that its screens
        held; see `until`."""
        console = sitter.console
        return await self.until(
            lambda: console.connected and not console.unconfirmed and _holds(sitter, before),
            f"{sitter.seat} did not come back as it was",
        )


def _in_a_line(sitter: Sitter) -> bool:
    """Whether the last own key on some screen is in the middle of a line."""
    for keys in sitter.screens().values():
        own = [key for author, key in keys[-40:] if author == sitter.person.own]
        if own and own[-1] not in ("Return", "BackSpace"):
            return True
    return False


def _holds(sitter: Sitter, before: Screens) -> bool:
    """Whether screens still hold what they held, each author's keys in their order."""
    now = sitter.screens()
    for talk, keys in before.items():
        for author in ("judge", "entity"):
            old = [key for by, key in keys if by == author]
            new = [key for by, key in now.get(talk, []) if by == author]
            if new[: len(old)] != old:
                return False
    return True


#: Does a fault on a scene, with chance, for this many seconds of the contest; returns the id of the
#: one it befell, and what happened in words. Raises NotOvercome or LeftOut.
Happen: TypeAlias = Callable[[Scene, random.Random, float], Awaitable[tuple[str, str]]]


async def entry_dies(scene: Scene, rng: random.Random, seconds: float) -> tuple[str, str]:
    """A program is killed, and its link starts it again."""
    entry = scene.entries[scene.draw("entry", rng)[0]]
    troubles = scene.troubles[f"directory of {entry.id}"]
    before = len(troubles)
    await entry.die()
    try:
        await scene.moment(entry.directory.unread, f"{entry.id} was told nothing")
        await asyncio.sleep(seconds)
        unread = entry.directory.unread()
    finally:
        entry.start()
    took = await scene.until(lambda: not entry.directory.unread(), f"{entry.id} left keys unread")
    alarm = "the organizer was told" if len(troubles) > before else "too short for an alarm"
    return entry.id, (
        f"killed, and started again after {seconds:g} s ({alarm}); {unread} unread keys were read "
        f"within {took:.1f} s"
    )


async def link_drops(scene: Scene, rng: random.Random, seconds: float) -> tuple[str, str]:
    """A judge's network falls silent in the middle of a line."""
    sitter = await scene.typing(rng, "judge")
    scene.server.lose(sitter.seat, silent=True)
    await asyncio.sleep(seconds)
    typed = sitter.console.unconfirmed
    scene.server.away.remove(sitter.seat)
    took = await scene.back(sitter, {})
    return sitter.seat, (
        f"silent for {seconds:g} s in the middle of a line; {typed} keys typed meanwhile were "
        f"taken within {took:.1f} s of its return"
    )


async def console_restarts(scene: Scene, rng: random.Random, seconds: float) -> tuple[str, str]:
    """A confederate's console is closed and started again."""
    sitter = await scene.typing(rng, "confederate")
    before = sitter.screens()
    pause = min(CONSOLE_RESTART, seconds)
    await sitter.restart_console(pause)
    took = await scene.back(sitter, before)
    return sitter.seat, (
        f"the console was closed in the middle of a line and another one started after {pause:g} "
        f"s; its screen, {sum(map(len, before.values()))} keys, was back {took:.1f} s later"
    )


async def entry_link_drops(scene: Scene, rng: random.Random, seconds: float) -> tuple[str, str]:
    """The link beside an entry loses the server."""
    entry = scene.entries[scene.draw("entry", rng)[0]]
    link = scene.server.now.links[entry.id]
    scene.server.lose(entry.id, silent=False)
    try:
        await scene.moment(lambda: link.unread, f"{entry.id} was told nothing")
        await asyncio.sleep(seconds)
        waiting = link.unread
    finally:
        scene.server.away.remove(entry.id)
    took = await scene.until(
        lambda: link.here and not link.unread, f"the link of {entry.id} did not come back"
    )
    return entry.id, (
        f"without the server for {seconds:g} s; {waiting} keys of the judge that waited were made "
        f"within {took:.1f} s"
    )


async def server_stops(scene: Scene, rng: random.Random, seconds: float) -> tuple[str, str]:
    """The server stops dead in the middle of a line; another is built from the record."""
    await scene.typing(rng, "judge")
    screens = {sitter.seat: sitter.screens() for sitter in scene.sitters.values()}
    server, remaining, pause = scene.server, scene.remaining, min(SERVER_RESTART, seconds)
    await server.die()
    await asyncio.sleep(pause)
    await server.start()
    took = await scene.until(server.now.conductor.everybody_here, "not everybody came back")
    gone = remaining - scene.remaining
    if not -CLOCK <= gone <= took + CLOCK:
        raise NotOvercome(f"{remaining:.1f} s were left before, and {gone:.1f} s less afterwards")
    await scene.until(scene.all_confirmed, "not every key was taken")
    for sitter in scene.sitters.values():
        if not _holds(sitter, screens[sitter.seat]):
            raise NotOvercome(f"the screen of {sitter.seat} has changed")
    return "server", (
        f"stopped dead, started again after {pause:g} s from {server.taken_up:,} events; everybody "
        f"was back after {took:.1f} s, with the same screens and {remaining:.0f} s left as before"
    )


async def disk_full(scene: Scene, rng: random.Random, seconds: float) -> tuple[str, str]:
    """The disk of the record is full for a while."""
    scene.server.journal.full = True
    try:
        await scene.until(lambda: scene.phase is Phase.PAUSED, "the contest did not pause itself")
        left = scene.remaining
        await asyncio.sleep(seconds)
        if scene.remaining != left:
            raise NotOvercome("the time went on")
    finally:
        scene.server.journal.full = False
    took = await scene.until(
        lambda: scene.phase is Phase.INTERACTION and scene.all_confirmed(),
        "the round did not go on",
    )
    return "record", (
        f"nothing could be written for {seconds:g} s: the contest paused itself, the organizer "
        f"resumed it, and {took:.1f} s after there was room again every key was on record"
    )


class Fault(NamedTuple):
    """One kind of fault: its name, what it is in words, and the function that does it."""

    id: str
    what: str
    happen: Happen


#: All faults, in the order in which they are dealt out to the rounds.
FAULTS: dict[str, Fault] = {
    fault.id: fault
    for fault in (
        Fault("entry-dies", "a program dies", entry_dies),
        Fault("link-drops", "a judge's network falls silent", link_drops),
        Fault("server-stops", "the server stops dead", server_stops),
        Fault("console-restarts", "a confederate's console is restarted", console_restarts),
        Fault("disk-full", "the record's disk is full", disk_full),
        Fault("entry-link-drops", "an entry's link loses the server", entry_link_drops),
    )
}


def choose(names: str | None) -> tuple[Fault, ...]:
    """Faults by their names.

    Arguments:
        names: separated by commas, one as often as it is to happen; None for all, `none` for none.

    Raises:
        YoursToFix: if there is no such fault.
    """
    if names is None:
        return tuple(FAULTS.values())
    chosen = [] if names.strip() == "none" else [each.strip() for each in names.split(",")]
    for name in chosen:
        if name not in FAULTS:
            raise YoursToFix(f"there is no fault {name!r}; there are {', '.join(FAULTS)}, or none")
    return tuple(FAULTS[name] for name in chosen)


class Planned(NamedTuple):
    """A fault that is to happen: in which round, and at which part of its interaction (0 to 1)."""

    fault: Fault
    round: int
    at: float


def plan(faults: tuple[Fault, ...], rounds: int, rng: random.Random) -> list[Planned]:
    """Deals faults out to rounds: as many to each, one after the other within it, neither at the
    very beginning nor at the end."""
    planned = []
    for round_ in range(1, rounds + 1):
        own = faults[round_ - 1 :: rounds]
        for place, fault in enumerate(own):
            share = (place + rng.uniform(0.2, 0.6)) / len(own)
            planned.append(Planned(fault, round_, 0.1 + 0.7 * share))
    return planned
