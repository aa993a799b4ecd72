"""Checks of the machine: clocks, memory, power, what may be open and watched, what is installed."""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from contest.preflight.finding import Check, Seen, green, red, yellow
from contest.preflight.ground import Ground, in_bytes
from lpp.directory import rooms_parent

#: Years in which this program may be used, as far as can be said now.
_YEARS = range(2024, 2100)
#: Seconds by which the two clocks may part in a fifth of a second.
_PARTED = 0.05
#: Bytes of memory that should be, and must be, free.
MEMORY, LEAST_MEMORY = 1_000_000_000, 250_000_000
#: Files that a server has open by itself, by a console or link, and by a local entry with its
#: program and directory.
_OWN, _A_CONNECTION, _AN_ENTRY = 64, 2, 8
#: Spectators for whom there should be room.
_SPECTATORS = 200
#: What a server is made of.
_PACKAGES = ("loebner", "sqlalchemy", "starlette", "uvicorn", "websockets", "watchdog", "msgspec")


def wall_clock(ground: Ground) -> Iterator[Seen]:
    """The machine's time is right, and something keeps it so."""
    now = ground.machine.now()
    shown = f"{now:%Y-%m-%d %H:%M:%S}"
    if now.year not in _YEARS:
        yield red(f"it is {shown}, says the clock", "set the machine's clock")
        return
    kept = ground.machine.synchronised()
    if kept is False:
        yield yellow(
            f"{shown}; nothing keeps the clock right",
            "switch on network time (NTP), or set the clock by hand; the contest itself goes by a "
            "clock that can't be set, and the time of day is a label only",
        )
    else:
        known = "kept right by network time" if kept else "the system does not say what keeps it"
        yield green(f"{shown}, {known}")


def monotonic_clock(ground: Ground) -> Iterator[Seen]:
    """The clock that rounds go by runs evenly."""
    ticks = ground.machine.ticks()
    if any(after[0] < before[0] for before, after in pairwise(ticks)):
        yield red(
            "the monotonic clock runs back",
            "use another machine: no remaining time can be relied on here",
        )
        return
    (first, first_wall), (last, last_wall) = ticks[0], ticks[-1]
    parted = abs((last_wall - first_wall) - (last - first))
    if parted > _PARTED:
        yield yellow(
            f"in {last - first:.1f} s the time of day and the clock of the rounds parted by "
            f"{parted * 1000:.0f} ms",
            "let network time settle; on a virtual machine, see to its clock",
        )
    else:
        yield green("the clock of the rounds runs evenly")


def zone(ground: Ground) -> Iterator[Seen]:
    """The time zone, for a person to look at."""
    now = ground.machine.now()
    name = now.tzname() or "nameless"
    yield green(f"{now:%H:%M} in the zone {name} (UTC{now:%z}): is that the venue's?")


def memory(ground: Ground) -> Iterator[Seen]:
    """There is memory."""
    free = ground.machine.memory()
    if free is None:
        yield green("the system does not say how much is free")
        return
    found = f"{in_bytes(free)} can still be had"
    if free < LEAST_MEMORY:
        yield red(found, "end other programs, or use another machine")
    elif free < MEMORY:
        yield yellow(found, "end other programs; entries may need more than they show now")
    else:
        yield green(found)


def power(ground: Ground) -> Iterator[Seen]:
    """The machine is plugged in."""
    mains = ground.machine.on_mains()
    if mains is None:
        yield green("no battery, as far as the system says: a power cut ends the server")
    elif mains:
        yield green("plugged in, with a battery for a power cut")
    else:
        yield yellow("on battery", "plug the machine in")


def watches(ground: Ground) -> Iterator[Seen]:
    """The system tells when a key is pressed, so that nobody waits for the next look."""
    if not ground.machine.platform.startswith("linux"):
        return
    local = sum(entry.link == "local" for entry in ground.set.entry)
    if not local:
        return
    limit = ground.machine.text("/proc/sys/fs/inotify/max_user_watches")
    try:
        with tempfile.TemporaryDirectory(prefix="loebner-check-", dir=rooms_parent()) as place:
            ground.machine.watch(Path(place))
    except OSError as exc:
        yield yellow(
            f"directories can't be watched ({exc.strerror or exc}): each key may be a quarter of a "
            "second late",
            "raise fs.inotify.max_user_instances and max_user_watches (sysctl), or end other "
            "programs that watch files",
        )
    else:
        yield green(
            f"directories can be watched{f', up to {int(limit):,}' if limit else ''}; "
            f"the contest needs {local}"
        )


def open_files(ground: Ground) -> Iterator[Seen]:
    """As many connections may be open as there are seats, links and spectators."""
    limit = ground.machine.open_files()
    if limit is None:
        return
    settings = ground.set
    seats = len(settings.judge) + len(settings.confederate)
    needed = _OWN + _A_CONNECTION * seats + _AN_ENTRY * len(settings.entry)
    found = f"{limit:,} files and connections may be open; seats and entries take {needed:,}"
    remedy = "raise the limit for the server: `ulimit -n 65536` before it, or LimitNOFILE"
    if limit < needed:
        yield red(found, remedy)
    elif limit < needed + _SPECTATORS:
        yield yellow(f"{found}, so that {limit - needed:,} spectators have room", remedy)
    else:
        yield green(f"{found}, and {limit - needed:,} spectators have room")


def versions(ground: Ground) -> Iterator[Seen]:
    """What is installed, and that nothing is missing."""
    found = {package: ground.machine.version(package) for package in _PACKAGES}
    shown = ", ".join(f"{package} {its}" for package, its in found.items() if its)
    python = ".".join(map(str, sys.version_info[:3]))
    missing = [package for package, its in found.items() if its is None and package != "loebner"]
    words = f"Python {python}, SQLite {sqlite3.sqlite_version}, {shown}"
    if missing:
        yield red(
            f"{words}; {', '.join(missing)} missing",
            "install loebner with the extra 'server'",
        )
    else:
        yield green(words)


CHECKS = (
    Check("clock", "the time of day", wall_clock, settings=False),
    Check("steady", "the clock of the rounds", monotonic_clock, settings=False),
    Check("time-zone", "time zone", zone, settings=False),
    Check("memory", "memory", memory, settings=False),
    Check("power", "power", power, settings=False),
    Check("watches", "watched directories", watches),
    Check("open-files", "open files", open_files),
    Check("versions", "versions", versions, settings=False),
)
