"""Checks of the contest as it is set, of the machine, its disk and its network."""

from __future__ import annotations

import errno
import ipaddress
import secrets
import shlex
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import scheduler
from contest.errors import BadSettings, InUse
from contest.history.pseudonyms import BadPseudonym, accepted
from contest.net.tls import identity
from contest.net.web import Hosts
from contest.preflight.findings import Ground, Level, Seen, green, in_bytes, red, yellow
from contest.setup.lock import FILE_NAME as LOCK_FILE
from contest.setup.lock import locked
from contest.setup.planning import schedule_of
from contest.setup.settings import FILE_NAME
from lpp.directory import rooms_parent
from scheduler.checking import KINDS
from scheduler.texts import listed

#: Pairs that a line names; `loebner schedule check` names all.
_NAMED = 6
#: Bytes that a contest's folder should have, and must have. A day of 2010's takes some 50 MB.
ROOM, LEAST = 1_000_000_000, 200_000_000
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
_PACKAGES = ("loebner", "sqlalchemy", "aiohttp", "websockets", "watchdog", "msgspec")


#: Minutes of a round as the rules of 2010, section 3, have them: interaction and scoring.
MINUTES_2010 = (25.0, 5.0)


def settings(ground: Ground) -> Iterator[Seen]:
    """contest.toml can be read, and all that stands in it is known."""
    if ground.settings is None:
        yield red(ground.trouble)
    else:
        yield green(f"{ground.folder / FILE_NAME} can be read, and every option in it is known")


def facts(ground: Ground) -> Iterator[Seen]:
    """Name, venue and day are said, and the day is not over."""
    table = ground.set.contest
    told = {
        "name": table.name.strip(),
        "venue": table.venue.strip(),
        "date": table.date,
        "start": table.start,
    }
    missing = [name for name, value in told.items() if value is None or value == ""]
    if missing:
        yield yellow(
            f"[contest] does not say {listed(missing)}",
            f"write {listed(missing)} into {FILE_NAME}: they stand on every page",
        )
    elif table.date is not None and table.date < ground.machine.now().date():
        yield yellow(
            f"{table.name!r} is to be held on {table.date}, and that day is over",
            f"write the day of the contest as [contest] date into {FILE_NAME}",
        )
    else:
        yield green(f"{table.name!r}, {table.venue}, {table.date} at {table.start:%H:%M}")


def numbers(ground: Ground) -> Iterator[Seen]:
    """There are judges, entries and confederates, and as many of each."""
    settings = ground.set
    counts: dict[str, int] = {
        "judge": len(settings.judge),
        "entry": len(settings.entry),
        "confederate": len(settings.confederate),
    }
    rules = settings.rules
    minutes = rules.rounds * (rules.interaction_minutes + rules.scoring_minutes)
    found = (
        f"{_many(counts['judge'], 'judge', 'judges')}, {_many(counts['entry'], 'entry', 'entries')}"
        f", {_many(counts['confederate'], 'confederate', 'confederates')}, "
        f"{_many(rules.rounds, 'round', 'rounds')} of {rules.interaction_minutes:g} and "
        f"{rules.scoring_minutes:g} minutes: {_hours(minutes)}, and the ranking"
    )
    nobody = [f"[[{table}]]" for table, count in counts.items() if not count]
    if nobody:
        yield red(found, f"add {listed(nobody)} to {FILE_NAME}: a contest needs one at least")
    elif len(set(counts.values())) > 1:
        yield yellow(
            found, "have as many of each, or some of them sit idle in some rounds; else leave it"
        )
    elif (rules.interaction_minutes, rules.scoring_minutes) != MINUTES_2010:
        yield yellow(
            found,
            "the rules of 2010, section 3, have rounds of 25 and 5 minutes; where yours are "
            "others, say so to judges and entrants",
        )
    else:
        yield green(found)


def schedule(ground: Ground) -> Iterator[Seen]:
    """A schedule can be had, nobody is in two places at once, and every pair meets once."""
    settings = ground.set
    if not (settings.judge and settings.entry and settings.confederate):
        return  # which `numbers` says
    try:
        plan = schedule_of(settings, ground.folder)
    except (BadSettings, scheduler.SchedulerError) as exc:
        yield red(str(exc), "mend the schedule, or leave [rules] schedule empty to have one made")
        return
    report = scheduler.check(plan)
    apart = [frozenset(pair) for pair in settings.schedule.wishes().conflicts]
    said = []
    for kind, words in KINDS.items():
        pairs = report.pairs[kind]
        missing = tuple(pair for pair in pairs.missing if frozenset(pair) not in apart)
        for what, which in (("missing", missing), ("repeated", pairs.repeated)):
            if which:
                named = ", ".join("".join(pair) for pair in which[:_NAMED])
                more = len(which) - _NAMED
                said.append(f"{words} {what}: {named}{f' and {more} more' * (more > 0)}")
    if said:
        yield yellow(
            "; ".join(said),
            f"`loebner schedule make {shlex.quote(str(ground.folder))}` shows one that lacks and "
            "repeats as little as can be, and proves it; with these numbers and wishes there "
            "may be no better one",
        )
    else:
        yield green(
            "each judge meets each entry and each confederate, and each entry each confederate, "
            "exactly once"
        )


def names(ground: Ground) -> Iterator[Seen]:
    """No judge's or confederate's name reads like a side, a label or somebody else."""
    settings = ground.set
    people = {judge.id: judge.name for judge in settings.judge}
    people |= {confederate.id: confederate.name for confederate in settings.confederate}
    everybody = people | {entry.id: entry.name for entry in settings.entry}
    unfit = []
    for seat, name in people.items():
        try:
            accepted(name, seat, everybody, {})
        except BadPseudonym as exc:
            unfit.append(f"{name!r} of {seat}: {exc}")
    nameless = [seat for seat, name in people.items() if not name.strip()]
    if unfit:
        yield yellow("; ".join(unfit))
    elif nameless:
        yield yellow(f"{listed(nameless)} {'has' if len(nameless) == 1 else 'have'} no name")
    else:
        yield green("every judge and confederate has a name that is nobody else's")


def _enough(number: float, comfortable: float, least: float) -> Callable[[str], Seen]:
    return red if number < least else yellow if number < comfortable else green


def _many(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def _hours(minutes: float) -> str:
    hours, rest = divmod(round(minutes), 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"


def folder(ground: Ground) -> Iterator[Seen]:
    """No other server holds the folder, and it can be written."""
    if ground.running is not None:
        return
    probe = ground.folder / f".preflight-{secrets.token_hex(4)}"
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
        # Who has the lock is asked only where one was ever taken: nothing is to be left behind.
        if (ground.folder / LOCK_FILE).exists():
            with locked(ground.folder):
                pass
    except OSError as exc:
        yield red(
            f"{ground.folder} can't be written ({exc.strerror or exc})",
            "give write permission, or move the contest elsewhere",
        )
    except InUse as exc:
        yield red(str(exc), "end the program that holds it; `loebner control` may find it")
    else:
        kind = ground.machine.network_kind(ground.folder)
        if kind is not None:
            yield yellow(
                f"{ground.folder} lies on a network mount ({kind}): databases are not safe there",
                "move the folder to a disk of this machine",
            )
        else:
            yield green(f"{ground.folder} can be written, and no server holds it")


def space(ground: Ground) -> Iterator[Seen]:
    """There is room on the disk."""
    free = ground.machine.free(ground.folder)
    yield _enough(free, ROOM, LEAST)(f"{in_bytes(free)} are free")


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
    yield _enough(free, MEMORY, LEAST_MEMORY)(f"{in_bytes(free)} are available")


def power(ground: Ground) -> Iterator[Seen]:
    """The machine is plugged in."""
    mains = ground.machine.on_mains()
    if mains is None:
        yield green("no battery, as far as the system says: a power cut ends the server")
    elif mains:
        yield green("plugged in, with a battery for a power cut")
    else:
        yield yellow("on battery")


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
    if limit >= needed:
        found += f", and {limit - needed:,} spectators have room"
    yield _enough(limit, needed + _SPECTATORS, needed)(found)


def versions(ground: Ground) -> Iterator[Seen]:
    """What is installed, and that nothing is missing."""
    found = {package: ground.machine.version(package) for package in _PACKAGES}
    shown = ", ".join(f"{package} {its}" for package, its in found.items() if its)
    python = ".".join(map(str, sys.version_info[:3]))
    missing = [package for package, its in found.items() if its is None and package != "loebner"]
    words = f"Python {python}, SQLite {sqlite3.sqlite_version}, {shown}"
    if missing:
        yield red(f"{words}; {', '.join(missing)} missing")
    else:
        yield green(words)


def port(ground: Ground) -> Iterator[Seen]:
    """The port is free, or the contest's own server has it."""
    serving = ground.serving
    shown = f"{_bracketed(serving.host)}:{serving.port}"
    if ground.running is not None:
        where = ground.running.server
        if serving.port in (0, ground.running.port):
            yield green(f"the contest's own server listens at {where}")
        else:
            yield yellow(
                f"the contest's server listens at {where}, and not at port {serving.port}",
                "tell consoles and links that port, or end the server and start it at this one",
            )
        return
    try:
        ground.machine.listen(serving.host, serving.port)
    except OSError as exc:
        remedies = {
            errno.EADDRINUSE: "end the other program that listens there, or take another --port",
            errno.EADDRNOTAVAIL: "give an address of this machine as --host, or 0.0.0.0 for all",
            errno.EACCES: "take a --port above 1023",
        }
        yield red(
            f"nobody can listen at {shown} ({exc.strerror or exc})",
            remedies.get(exc.errno or 0, "give another --host or --port"),
        )
    else:
        yield green(f"{shown} is free")


def addresses(ground: Ground) -> Iterator[Seen]:
    """Where consoles connect to, and from where."""
    serving = ground.serving
    port = serving.port if ground.running is None else ground.running.port
    try:
        bound = ipaddress.ip_address(serving.host)
    except ValueError:
        yield green(f"consoles connect to {serving.host}:{port}")
        return
    if bound.is_loopback:
        yield green(
            f"consoles on this machine alone connect to {_bracketed(serving.host)}:{port}; "
            "for others, serve (and check) with --host 0.0.0.0"
        )
        return
    found = [str(bound)]
    if bound.is_unspecified:
        found = [each for each in ground.machine.addresses() if bound.version == 6 or "." in each]
    if not found:
        yield yellow(
            "this machine has no address that others could reach",
            "plug the network in, or join the venue's",
        )
        return
    names = [f"{_bracketed(each)}:{port}" for each in found]
    if bound.is_unspecified:
        names.append(f"{ground.machine.host_name()}:{port}")
    yield green(f"consoles connect to {' or '.join(names)}; try one from a judge's terminal")


def hosts(ground: Ground) -> Iterator[Seen]:
    """By which names browsers may ask for the server."""
    own = Hosts(ground.set.server.names, ground.machine.host_name()).names
    yield green(
        f"browsers may ask for {listed(['its addresses', *sorted(own)])}; any other name is "
        "refused, unless it is in names of [server], or the certificate is for it"
    )


def certificate(ground: Ground) -> Iterator[Seen]:
    """The files for TLS fit together, and consoles will believe the certificate."""
    serving = ground.serving
    if serving.certificate is None:
        if not _at_home(serving.host):
            yield yellow(
                "no certificate: what is typed, and the codes, go over the network as they are",
                "keep to a network of your own, or give --cert and --key",
            )
        return
    try:
        shown = identity(serving.certificate, serving.key)
    except BadSettings as exc:
        yield red(str(exc), "give the certificate and its key, in PEM")
        return
    if shown.warnings:
        yield yellow(
            "; ".join(shown.warnings),
            "have a new certificate made, or hand its fingerprint out with the codes",
        )
    else:
        names = f"for {listed(shown.names)}" if shown.names else "of no name"
        yield green(f"{serving.certificate} is {names}; fingerprint {shown.fingerprint}")


def server(ground: Ground) -> Iterator[Seen]:
    """A server runs in the folder, or nothing is left of one."""
    if ground.door_trouble:
        yield yellow(
            f"a server was here, and does not answer: {ground.door_trouble}",
            "if it was killed, start it again: it goes on where it was",
        )
    if ground.running is None:
        return
    yield green(f"runs at {ground.running.server}: {ground.running.status['words']}")


def ready(ground: Ground) -> Iterator[Seen]:
    """What the server says that runs in the folder: of seats, entries and itself."""
    if ground.running is None:
        return
    local = {f"entry {entry.id}" for entry in ground.set.entry if entry.link == "local"}
    for said in ground.running.checks:
        what, words = str(said["what"]), str(said["words"])
        if said["level"] == Level.GREEN.value:
            yield green(words, of=what)
        elif said["level"] == Level.RED.value and what in local:
            yield red(
                words, f"`loebner control` can start it anew: restart {what.split()[-1]}", of=what
            )
        elif said["level"] == Level.RED.value:
            yield yellow(words, "a round does not begin before it is here, unless told", of=what)
        else:
            yield yellow(words, "look at it before the next round", of=what)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _at_home(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
