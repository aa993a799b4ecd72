"""The checks of the pre-flight: of the contest as it is set, the machine, the record, the network,
and the entries.

To add one, write a function that looks at the site and gives what it has seen, and add a row to
`CHECKS`.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import os
import secrets
import shlex
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import sqlalchemy as sa

import scheduler
from contest.ending import run_in_order
from contest.errors import BadSettings, ContestError, InUse, RecordTrouble
from contest.links.program import command_line
from contest.net import codes
from contest.net.tls import identity
from contest.net.web import Hosts
from contest.preflight.report import Check, Level, Seen, Site, green, red, yellow
from contest.record import database, reading
from contest.record.bodies import ContestOpened
from contest.record.events import Draft
from contest.record.season import FinalistsSet, SeasonOpened
from contest.record.store import Record, record_url, sqlite_url
from contest.setup.filenames import is_device
from contest.setup.lock import FILE_NAME as LOCK_FILE
from contest.setup.lock import locked
from contest.setup.planning import schedule_of
from contest.setup.settings import FILE_NAME, EntryTable
from contest.state.consents import BadPseudonym, accepted
from contest.verify.verify import verify, verify_rows
from lpp.conformance.cases import CheckResult, Outcome, choose
from lpp.conformance.check import Setup, check
from lpp.conformance.talk import Measures
from lpp.directory import LocalDirectory, rooms_parent
from lpp.errors import LPPError
from lpp.keypress import parse
from lpp.program import split
from scheduler.checking import KINDS
from scheduler.texts import listed

#: Pairs that a line names; `loebner schedule check` names all.
_NAMED = 6
#: Minutes of a round in the rules of 2010, section 3: interaction and scoring.
MINUTES_2010 = (25.0, 5.0)
#: Bytes that a contest's folder should have, and must have. A day of 2010's takes some 50 MB.
ROOM, LEAST = 1_000_000_000, 200_000_000
#: Bytes of memory that should be, and must be, free.
MEMORY, LEAST_MEMORY = 1_000_000_000, 250_000_000
#: Years in which this program may be used, as far as can be said now.
_YEARS = range(2024, 2100)
#: Seconds by which the two clocks may part in a fifth of a second.
_PARTED = 0.05
#: Files that a server has open by itself, by a console or link, and by a local entry with its
#: program and directory.
_OWN, _A_CONNECTION, _AN_ENTRY = 64, 2, 8
#: Spectators for whom there should be room.
_SPECTATORS = 200
#: What a server is made of.
_PACKAGES = ("loebner", "sqlalchemy", "aiohttp", "websockets", "watchdog", "msgspec")
#: Seconds that a commit may take, as the 99th of 100: more than this is seen while typing, and more
#: than that makes talking hard.
NOTICED, TOO_SLOW = 0.05, 0.5
#: Commits that are measured, and seconds for all of them.
COMMITS, _PATIENCE = 150, 6.0
#: Parts of paths under which some program keeps a copy in a cloud: it touches what it finds there.
_CLOUDS = ("dropbox", "onedrive", "google drive", "googledrive", "icloud", "mobile documents",
           "nextcloud", "owncloud", "pcloud", "box sync", "creative cloud files")  # fmt: skip
#: What a short talk takes, in seconds: to see that it waits, and to answer; and all of it.
SHORT = Measures(still=1.5, first=30.0, whole=60.0)
#: The acts that are enough to see whether an entry waits; see lpp.conformance.
_ACTS = {"3/waits": ("waits-empty",)}
#: Bytes of memory that the directories need at least: a flood of keys fits in.
_ROOM = 64 * 1024 * 1024


def settings(site: Site) -> Seen | None:
    """contest.toml can be read, and all that stands in it is known."""
    if site.settings is None:
        return red(site.trouble)
    return green(f"{site.folder / FILE_NAME} can be read, and every option in it is known")


def facts(site: Site) -> Seen | None:
    """Name, venue and day are said, and the day is not over."""
    table = site.set.contest
    told = {
        "name": table.name.strip(),
        "venue": table.venue.strip(),
        "date": table.date,
        "start": table.start,
    }
    missing = [name for name, value in told.items() if value is None or value == ""]
    if missing:
        return yellow(
            f"[contest] does not say {listed(missing)}",
            f"write {listed(missing)} into {FILE_NAME}: they stand on every page",
        )
    if table.date is not None and table.date < site.machine.now().date():
        return yellow(
            f"{table.name!r} is to be held on {table.date}, and that day is over",
            f"write the day of the contest as [contest] date into {FILE_NAME}",
        )
    return green(f"{table.name!r}, {table.venue}, {table.date} at {table.start:%H:%M}")


def numbers(site: Site) -> Seen | None:
    """There are judges, entries and confederates, and as many of each."""
    settings = site.set
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
        return red(found, f"add {listed(nobody)} to {FILE_NAME}: a contest needs one at least")
    if len(set(counts.values())) > 1:
        return yellow(
            found, "have as many of each, or some of them sit idle in some rounds; else leave it"
        )
    if (rules.interaction_minutes, rules.scoring_minutes) != MINUTES_2010:
        return yellow(
            found,
            "the rules of 2010, section 3, have rounds of 25 and 5 minutes; where yours are "
            "others, say so to judges and entrants",
        )
    return green(found)


def schedule(site: Site) -> Seen | None:
    """A schedule can be had, nobody is in two places at once, and every pair meets once."""
    settings = site.set
    if not (settings.judge and settings.entry and settings.confederate):
        return None  # which `numbers` says
    try:
        plan = schedule_of(settings, site.folder)
    except (BadSettings, scheduler.SchedulerError) as exc:
        return red(str(exc), "mend the schedule, or leave [rules] schedule empty to have one made")
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
        return yellow(
            "; ".join(said),
            f"`loebner schedule make {shlex.quote(str(site.folder))}` shows one that lacks and "
            "repeats as little as can be, and proves it; with these numbers and wishes there "
            "may be no better one",
        )
    return green(
        "each judge meets each entry and each confederate, and each entry each confederate, "
        "exactly once"
    )


def names(site: Site) -> Seen | None:
    """No judge's or confederate's name reads like a side, a label or somebody else."""
    settings = site.set
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
        return yellow("; ".join(unfit))
    if nameless:
        return yellow(f"{listed(nameless)} {'has' if len(nameless) == 1 else 'have'} no name")
    return green("every judge and confederate has a name that is nobody else's")


def wall_clock(site: Site) -> Seen | None:
    """The machine's time is right, and something keeps it so."""
    now = site.machine.now()
    shown = f"{now:%Y-%m-%d %H:%M:%S}"
    if now.year not in _YEARS:
        return red(f"it is {shown}, says the clock", "set the machine's clock")
    kept = site.machine.synchronised()
    if kept is False:
        return yellow(
            f"{shown}; nothing keeps the clock right",
            "switch on network time (NTP), or set the clock by hand; the contest itself goes by a "
            "clock that can't be set, and the time of day is a label only",
        )
    known = "kept right by network time" if kept else "the system does not say what keeps it"
    return green(f"{shown}, {known}")


def monotonic_clock(site: Site) -> Seen | None:
    """The clock that rounds go by runs evenly."""
    ticks = site.machine.ticks()
    if any(after[0] < before[0] for before, after in pairwise(ticks)):
        return red(
            "the monotonic clock runs back",
            "use another machine: no remaining time can be relied on here",
        )
    (first, first_wall), (last, last_wall) = ticks[0], ticks[-1]
    parted = abs((last_wall - first_wall) - (last - first))
    if parted > _PARTED:
        return yellow(
            f"in {last - first:.1f} s the time of day and the clock of the rounds parted by "
            f"{parted * 1000:.0f} ms",
            "let network time settle; on a virtual machine, see to its clock",
        )
    return green("the clock of the rounds runs evenly")


def zone(site: Site) -> Seen | None:
    """The time zone, for a person to look at."""
    now = site.machine.now()
    name = now.tzname() or "nameless"
    return green(f"{now:%H:%M} in the zone {name} (UTC{now:%z}): is that the venue's?")


def memory(site: Site) -> Seen | None:
    """There is memory."""
    free = site.machine.memory()
    return _enough(free, MEMORY, LEAST_MEMORY)(f"{in_bytes(free)} are available")


def power(site: Site) -> Seen | None:
    """The machine is plugged in."""
    mains = site.machine.on_mains()
    if mains is None:
        return green("no battery, as far as the system says: a power cut ends the server")
    if mains:
        return green("plugged in, with a battery for a power cut")
    return yellow("on battery")


def watches(site: Site) -> Seen | None:
    """The system tells when a key is pressed, so that nobody waits for the next look."""
    if not site.machine.platform.startswith("linux"):
        return None
    local = len(site.local)
    if not local:
        return None
    limit = site.machine.most_watches()
    try:
        with tempfile.TemporaryDirectory(prefix="loebner-check-", dir=rooms_parent()) as place:
            site.machine.watch(Path(place))
    except OSError as exc:
        return yellow(
            f"directories can't be watched ({exc.strerror or exc}): each key may be a quarter of a "
            "second late",
            "raise fs.inotify.max_user_instances and max_user_watches (sysctl), or end other "
            "programs that watch files",
        )
    else:
        return green(
            f"directories can be watched{f', up to {limit:,}' if limit else ''}; "
            f"the contest needs {local}"
        )


def open_files(site: Site) -> Seen | None:
    """As many connections may be open as there are seats, links and spectators."""
    limit = site.machine.open_files()
    if limit is None:
        return None
    settings = site.set
    seats = len(settings.judge) + len(settings.confederate)
    needed = _OWN + _A_CONNECTION * seats + _AN_ENTRY * len(settings.entry)
    found = f"{limit:,} files and connections may be open; seats and entries take {needed:,}"
    if limit >= needed:
        found += f", and {limit - needed:,} spectators have room"
    return _enough(limit, needed + _SPECTATORS, needed)(found)


def versions(site: Site) -> Seen | None:
    """What is installed, and that nothing is missing."""
    found = {package: site.machine.version(package) for package in _PACKAGES}
    shown = ", ".join(f"{package} {its}" for package, its in found.items() if its)
    python = ".".join(map(str, sys.version_info[:3]))
    missing = [package for package, its in found.items() if its is None and package != "loebner"]
    words = f"Python {python}, SQLite {sqlite3.sqlite_version}, {shown}"
    if missing:
        return red(f"{words}; {', '.join(missing)} missing")
    return green(words)


def folder(site: Site) -> Seen | None:
    """No other server holds the folder, and it can be written."""
    if site.running is not None:
        return None
    probe = site.folder / f".preflight-{secrets.token_hex(4)}"
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
        # Who has the lock is asked only where one was ever taken: nothing is to be left behind.
        if (site.folder / LOCK_FILE).exists():
            with locked(site.folder):
                pass
    except OSError as exc:
        return red(
            f"{site.folder} can't be written ({exc.strerror or exc})",
            "give write permission, or move the contest elsewhere",
        )
    except InUse as exc:
        return red(str(exc), "end the program that holds it; `loebner control` may find it")
    else:
        kind = site.machine.network_kind(site.folder)
        if kind is not None:
            return yellow(
                f"{site.folder} lies on a network mount ({kind}): databases are not safe there",
                "move the folder to a disk of this machine",
            )
        return green(f"{site.folder} can be written, and no server holds it")


def space(site: Site) -> Seen | None:
    """There is room on the disk."""
    free = site.machine.free(site.folder)
    return _enough(free, ROOM, LEAST)(f"{in_bytes(free)} are free")


def speed(site: Site) -> Seen | None:
    """A key is durable soon: a small record is written where the contest's is, and thrown away."""
    try:
        if database.file_of(_address(site)) is None:
            return None  # a database elsewhere shows its delays on the organizer's board
        with tempfile.TemporaryDirectory(prefix=".preflight-", dir=_record_folder(site)) as made:
            times = commits(sqlite_url(Path(made) / "record.db"))
    except BadSettings:
        return None  # which `record` says
    except (RecordTrouble, OSError) as exc:
        return red(f"no record can be written: {exc}", "give write permission, or free the disk")
    middle, late = times[len(times) // 2], times[int(len(times) * 0.99)]
    found = f"a key is durable after {middle * 1000:.1f} ms, 99 of 100 after {late * 1000:.1f} ms"
    return (red if late > TOO_SLOW else yellow if late > NOTICED else green)(found)


def record(site: Site) -> Seen | None:
    """The record can be had: there is none yet, or one that can be taken up."""
    if site.running is not None:
        return green("the server has it open")
    try:
        elsewhere = site.serving.database
        kinds = _season_of(elsewhere or reading.place_of(site.folder))
        if kinds == {SeasonOpened.kind}:
            return red(
                "the season before the contest has no finalists yet: the server refuses to begin",
                "end the season with `loebner screen finalists`",
            )
        if _is_empty(site) or kinds == {SeasonOpened.kind, FinalistsSet.kind}:
            return green("there is none yet: a new contest begins")
        report = (
            verify(site.folder)
            if elsewhere is None
            else verify_rows(reading.rows_at(elsewhere, thorough=True))
        )
    except ContestError as exc:
        return red(str(exc), "mend [record] database, or start the database")
    if not report.ok:
        fault = next(fault for check in report.checks for fault in check.faults)
        return red(
            f"it is damaged: {fault}",
            "`loebner verify` names everything; take the contest up from its second copy",
        )
    if report.finished:
        return red("this contest was played already", "make a new folder: `loebner new`")
    return green(
        f"{report.events:,} events of a contest that was begun, all whole: "
        "the server goes on where it was"
    )


def copy(site: Site) -> Seen | None:
    """A second copy of the record is kept, on another disk."""
    setting = site.set.record.copy_to
    if not setting:
        return yellow(
            "no second copy of the record is kept",
            f"name a file on another disk as [record] copy_to in {FILE_NAME}",
        )
    file = site.folder / setting
    try:
        there, here = site.machine.disk(file.parent), site.machine.disk(_record_folder(site))
        probe = file.with_name(f".preflight-{secrets.token_hex(4)}")
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as exc:
        return red(
            f"{file} can't be written ({exc.strerror or exc})",
            "make its folder, or plug its disk in, or name another file",
        )
    if site.running is None and file.exists() and file.stat().st_size and _is_empty(site):
        return red(
            f"{file} holds a contest already, and the folder holds none",
            "take that contest up, or name another file as [record] copy_to",
        )
    if there == here:
        return yellow(
            f"{file} lies on the same disk as the record",
            "name a file on another disk: both would be lost with this one",
        )
    return green(f"{file}, on another disk")


def seat_codes(site: Site) -> Seen | None:
    """No codes of another contest are in the way."""
    file = site.folder / codes.FILE_NAME
    if site.running is not None or not file.exists():
        return None
    try:
        begun = not _is_empty(site)
    except ContestError:
        return None  # which `record` says
    if begun:
        return green(f"{file} holds the codes that were handed out")
    return red(
        f"{file} holds codes, but no contest was begun here",
        "move it away: the server makes new codes and overwrites none",
    )


def port(site: Site) -> Seen | None:
    """The port is free, or the contest's own server has it."""
    serving = site.serving
    shown = f"{_bracketed(serving.host)}:{serving.port}"
    if site.running is not None:
        where = site.running.server
        if serving.port in (0, site.running.port):
            return green(f"the contest's own server listens at {where}")
        return yellow(
            f"the contest's server listens at {where}, and not at port {serving.port}",
            "tell consoles and links that port, or end the server and start it at this one",
        )
    try:
        site.machine.listen(serving.host, serving.port)
    except OSError as exc:
        remedies = {
            errno.EADDRINUSE: "end the other program that listens there, or take another --port",
            errno.EADDRNOTAVAIL: "give an address of this machine as --host, or 0.0.0.0 for all",
            errno.EACCES: "take a --port above 1023",
        }
        return red(
            f"nobody can listen at {shown} ({exc.strerror or exc})",
            remedies.get(exc.errno or 0, "give another --host or --port"),
        )
    else:
        return green(f"{shown} is free")


def addresses(site: Site) -> Seen | None:
    """Where consoles connect to, and from where."""
    serving = site.serving
    port = serving.port if site.running is None else site.running.port
    try:
        bound = ipaddress.ip_address(serving.host)
    except ValueError:
        return green(f"consoles connect to {serving.host}:{port}")
    if bound.is_loopback:
        return green(
            f"consoles on this machine alone connect to {_bracketed(serving.host)}:{port}; "
            "for others, serve (and check) with --host 0.0.0.0"
        )
    found = [str(bound)]
    if bound.is_unspecified:
        found = [each for each in site.machine.addresses() if bound.version == 6 or "." in each]
    if not found:
        return yellow(
            "this machine has no address that others could reach",
            "plug the network in, or join the venue's",
        )
    names = [f"{_bracketed(each)}:{port}" for each in found]
    if bound.is_unspecified:
        names.append(f"{site.machine.host_name()}:{port}")
    return green(f"consoles connect to {' or '.join(names)}; try one from a judge's terminal")


def hosts(site: Site) -> Seen | None:
    """By which names browsers may ask for the server."""
    own = Hosts(site.set.server.names, site.machine.host_name()).names
    return green(
        f"browsers may ask for {listed(['its addresses', *sorted(own)])}; any other name is "
        "refused, unless it is in names of [server], or the certificate is for it"
    )


def certificate(site: Site) -> Seen | None:
    """The files for TLS fit together, and consoles will believe the certificate."""
    serving = site.serving
    if serving.certificate is None:
        if not _at_home(serving.host):
            return yellow(
                "no certificate: what is typed, and the codes, go over the network as they are",
                "keep to a network of your own, or give --cert and --key",
            )
        return None
    try:
        shown = identity(serving.certificate, serving.key)
    except BadSettings as exc:
        return red(str(exc), "give the certificate and its key, in PEM")
    if shown.warnings:
        return yellow(
            "; ".join(shown.warnings),
            "have a new certificate made, or hand its fingerprint out with the codes",
        )
    names = f"for {listed(shown.names)}" if shown.names else "of no name"
    return green(f"{serving.certificate} is {names}; fingerprint {shown.fingerprint}")


def server(site: Site) -> Seen | None:
    """A server runs in the folder, or nothing is left of one."""
    if site.door_trouble:
        return yellow(
            f"a server was here, and does not answer: {site.door_trouble}",
            "if it was killed, start it again: it goes on where it was",
        )
    if site.running is None:
        return None
    return green(f"runs at {site.running.server}: {site.running.status['words']}")


def ready(site: Site) -> dict[str, Seen]:
    """What the running server says of seats, entries and itself."""
    local = {f"entry {entry.id}" for entry in site.local}
    return {
        str(said["what"]): _word(str(said["what"]), said, local)
        for said in (site.running.checks if site.running is not None else ())
    }


def _word(what: str, said: Mapping[str, Any], local: Collection[str]) -> Seen:
    words, is_red = str(said["words"]), said["level"] == Level.RED.value
    if said["level"] == Level.GREEN.value:
        return green(words)
    if is_red and what in local:
        return red(words, f"`loebner control` can start it anew: restart {what.split()[-1]}")
    if is_red:
        return yellow(words, "a round does not begin before it is here, unless told")
    return yellow(words, "look at it before the next round")


def command(site: Site) -> dict[str, Seen]:
    """The program of each local entry is there and may be run."""
    return {entry.id: _program(site, entry) for entry in site.local}


def _program(site: Site, entry: EntryTable) -> Seen:
    if not entry.command:
        return yellow(
            "has no command: it is started by hand",
            "start it before the first round, or give it a command, and the server starts it",
        )
    try:
        words = command_line(entry.id, entry.command, Path("dir"), site.machine.platform)
    except BadSettings as exc:
        return red(str(exc), "mend the quotes in its command")
    if not words:
        return red("its command is empty", "write which program to start")
    if site.machine.program(words[0]) is None:
        return red(
            f"there is no program {words[0]!r} that may be run",
            "install it, write its whole path, or give permission to run it (chmod +x)",
        )
    return green(f"{entry.command!r} can be started")


def directory(site: Site) -> dict[str, Seen]:
    """Each local entry's communications directory can be used, and lies on this machine."""
    seen, taken = {}, dict[str, str]()
    for entry in site.local:
        path = Path(entry.directory)
        other = taken.setdefault(os.path.realpath(path), entry.id)
        if not entry.directory:
            rooms = rooms_parent()
            free = site.machine.free(rooms)
            seen[entry.id] = green(f"one is made in {rooms}")
            if free < _ROOM:
                seen[entry.id] = red(
                    f"one is made in {rooms}, where {in_bytes(free)} are free",
                    "free room there, or name a directory of its own",
                )
        elif other != entry.id:
            words = f"{path} is the directory of {other}, too"
            seen[entry.id] = red(words, "give each entry its own")
        else:
            seen[entry.id] = _given(site, path)
    return seen


def _given(site: Site, path: Path) -> Seen:
    try:
        place = LocalDirectory(path)
        place.check()
        names = place.names()
    except (LPPError, OSError) as exc:
        return red(str(exc), "make it, or name another directory")
    if devices := [part for part in path.parts if is_device(part)]:
        return yellow(
            f"{path}: {devices[0]!r} is a device of Windows, where no directory can be called so",
            "name another directory",
        )
    if (kind := site.machine.network_kind(path)) is not None:
        return yellow(
            f"{path} lies on a network mount ({kind}): keys are found by listing it again and "
            "again, and are lost with the network",
            "name a directory on this machine, or have `loebner link` run beside the entry",
        )
    if clouds := [part for part in path.parts if _is_cloud(part)]:
        return yellow(
            f"{path} lies under {clouds[0]!r}: a program that copies it to a cloud meddles with "
            "keys",
            "name a directory that nothing synchronises",
        )
    keys = sum(parse(name) is not None for name in names)
    if len(names) > keys:
        return yellow(
            f"{path} holds {len(names) - keys} things that are no key presses",
            "name a directory of its own; what is no key press stays there",
        )
    emptied = f"; the {keys} key presses that stand there are taken away before a talk" * bool(keys)
    return green(f"{path} can be used{emptied}")


def _is_cloud(part: str) -> bool:
    name = part.casefold()
    return any(name == cloud or name.startswith((f"{cloud} ", f"{cloud}-")) for cloud in _CLOUDS)


def start(site: Site) -> dict[str, Seen]:
    """Each local entry is started for a moment, waits, and answers a first line."""
    if site.running is not None or not site.start:
        # Two of one program may be in each other's way; the server says how its own do.
        return {}
    entries = [e for e in site.local if e.command and _program(site, e).level is Level.GREEN]
    results = run_in_order(_talked(entries))
    return {entry.id: _heard(entry, said) for entry, said in zip(entries, results, strict=True)}


async def _talked(entries: list[EntryTable]) -> list[CheckResult | BaseException]:
    cases = choose(("3/waits", "3/answers"))
    cases = tuple(case._replace(acts=_ACTS.get(case.id, case.acts)) for case in cases)
    talks = [
        check(Setup(tuple(split(entry.command)), cases=cases, measures=SHORT)) for entry in entries
    ]
    return await asyncio.gather(*talks, return_exceptions=True)


def _heard(entry: EntryTable, result: CheckResult | BaseException) -> Seen:
    fuller = f"`loebner check-bot -- {entry.command}` tells more"
    if isinstance(result, BaseException):
        return red(f"it can't be tried: {result}", fuller)
    bad = [case for case in result.cases if case.outcome is not Outcome.PASS]
    if not bad:
        seconds = f"{result.seconds:.0f} seconds"
        return green(f"started, waited and answered a first line, in {seconds}")
    said = result.output.strip().splitlines()[-1:] if result.log.trouble else []
    words = [case.observed for case in bad if case.observed]
    found = "; ".join(dict.fromkeys([*words, *(f"it wrote: {line}" for line in said)]))
    causes = [case.cause for case in bad if case.cause]
    return red(found, "; ".join([*causes, fuller]))


def link(site: Site) -> dict[str, Seen]:
    """The link of each entry on another machine is here."""
    entries = site.running.status.get("entries", ()) if site.running else ()
    here = {entry["entry"] for entry in entries if entry["here"]}
    told = "not here" if site.running else "not known: no server runs in this folder"
    away = yellow(
        f"its link is {told}",
        "start the server, then `loebner link` beside the entry, and look again",
    )
    return {
        entry.id: green("its link is here") if entry.id in here else away
        for entry in site.set.entry
        if entry.link == "remote"
    }


def _enough(number: float, comfortable: float, least: float) -> Callable[[str], Seen]:
    return red if number < least else yellow if number < comfortable else green


def _many(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def _hours(minutes: float) -> str:
    hours, rest = divmod(round(minutes), 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _at_home(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def commits(database: str) -> list[float]:
    """How long commits of one key take.

    Arguments:
        database: the address of an empty one; a record is made in it.

    Returns:
        Seconds, sorted.

    Raises:
        RecordTrouble: if none can be written.
    """
    key = Draft("1.1.J1.left", "2010-10-23T09:30:00.000000Z", 0, "J1", "key", {"key": "H", "n": 1})
    times: list[float] = []
    with Record(database, create=True) as record:
        end = time.perf_counter() + _PATIENCE
        while len(times) < COMMITS and time.perf_counter() < end:
            began = time.perf_counter()
            record.append([key])
            times.append(time.perf_counter() - began)
    return sorted(times)


def _season_of(url: str) -> set[str]:
    """Of the kinds that open a season, name its finalists, and open a contest, those on record."""
    kinds = (SeasonOpened.kind, FinalistsSet.kind, ContestOpened.kind)
    with contextlib.suppress(ContestError):
        return {row.kind for row in reading.rows_at(url, kinds=kinds)}
    return set()


def _is_empty(site: Site) -> bool:
    """Whether no contest was begun.

    Raises:
        BadSettings: if the record's address can't be used.
        ContestError: if the database can't be asked, or is another program's.
    """
    url = _address(site)
    if database.is_sqlite(url):
        file = database.file_of(url)
        return file is None or not file.is_file() or not file.stat().st_size
    found = reading.opened(url.render_as_string(hide_password=False))
    return not found.is_begun() or found.last() is None


def _address(site: Site) -> sa.URL:
    """Where the record is, or will be; the contest's folder if the settings can't be read."""
    setting = site.settings.record.database if site.settings is not None else ""
    return database.address(record_url(site.folder, setting))


def _record_folder(site: Site) -> Path:
    """The folder of the record's file; of a database elsewhere, the contest's."""
    try:
        file = database.file_of(_address(site))
    except BadSettings:
        file = None
    return site.folder if file is None else file.parent


def in_bytes(number: float) -> str:
    """A number of bytes in words."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"


#: All checks, in the order in which they are made: what is quick and decides most comes first.
CHECKS: tuple[Check, ...] = (
    Check(
        *("settings", "contest.toml", settings),
        "mend the line that it names; every option is in `loebner new`",
        settings=False,
    ),
    Check("facts", "name, venue and day", facts),
    Check("numbers", "who takes part", numbers),
    Check("schedule", "the schedule", schedule),
    Check(
        *("names", "names", names),
        "give everybody a name, or a pseudonym, of their own in contest.toml",
    ),
    Check("clock", "the time of day", wall_clock, settings=False),
    Check("steady", "the clock of the rounds", monotonic_clock, settings=False),
    Check("time-zone", "time zone", zone, settings=False),
    Check("memory", "memory", memory, "end other programs, or use another machine", settings=False),
    Check("power", "power", power, "plug the machine in", settings=False),
    Check("watches", "watched directories", watches),
    Check(
        *("open-files", "open files", open_files),
        "raise the limit for the server: `ulimit -n 65536` before it, or LimitNOFILE",
    ),
    Check(
        "versions", "versions", versions, "install loebner with the extra 'server'", settings=False
    ),
    Check("folder", "the folder", folder, settings=False),
    Check(
        *("disk-space", "room on the disk", space),
        "free the disk: a contest pauses itself when it is full",
        settings=False,
    ),
    Check(
        *("disk-speed", "speed of the disk", speed),
        "put the record on a faster disk, near by, and end what else writes to it",
        settings=False,
    ),
    Check("record", "the record", record),
    Check("copy", "the second copy", copy),
    Check("codes", "the seats' codes", seat_codes),
    Check("port", "the port", port, settings=False),
    Check("addresses", "addresses", addresses, settings=False),
    Check("hosts", "the server's names", hosts),
    Check("tls", "the certificate", certificate, settings=False),
    Check("server", "the server", server),
    Check("ready", "the server's word", ready, joint="on"),
    Check("command", "program", command),
    Check("directory", "communications directory", directory),
    Check("start", "a first talk", start),
    Check("link", "link", link),
)
