"""The checks of the pre-flight: settings, machine, record, network and entries.

To add a check, write a function from a `Site` to its result with the decorator `_check`. The
function's docstring is the check's description in docs/reference/check-setup.md. The checks run in
this order, quick and decisive ones first.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import errno
import ipaddress
import os
import secrets
import shlex
import shutil
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import get_args

import sqlalchemy as sa

import scheduler
from contest.errors import BadSettings, ContestError, InUse, RecordTrouble
from contest.links.program import command_line
from contest.net import codes
from contest.net.addresses import machine_addresses, reachable_addresses
from contest.net.tls import identity
from contest.preflight.report import Assessment, Inspect, Level, PreflightCheck, Site
from contest.record import database, reading
from contest.record.bodies import ContestOpened
from contest.record.events import Event
from contest.record.season import FinalistsSet, SeasonOpened
from contest.record.store import Record, record_url, sqlite_url
from contest.setup.filenames import is_device
from contest.setup.lock import FILE_NAME as LOCK_FILE
from contest.setup.lock import locked
from contest.setup.planning import schedule_of
from contest.setup.settings import FILE_NAME, EntryTable
from contest.tasks import run_with_signals
from contest.verify.verify import verify, verify_rows
from lpp.conformance.acts import Durations
from lpp.conformance.cases import CheckResult, Outcome, choose
from lpp.conformance.check import Setup, check
from lpp.directory import LocalDirectory, communications_root
from lpp.errors import LPPError
from lpp.keypress import parse
from lpp.mounts import network_kind
from lpp.program import split
from scheduler.checking import KINDS
from scheduler.texts import counted, listed

#: How many pairs a line names; `loebner schedule check` names all.
_NAMED = 6
#: Minutes of interaction and scoring in a round, by the rules of 2010, section 3.
MINUTES_2010 = (25.0, 5.0)
#: Free bytes that a contest's folder should have, and must have. A day like that of 2010 takes
#: about 50 MB.
ENOUGH_SPACE, MIN_SPACE = 1_000_000_000, 200_000_000
#: Free bytes for communications directories in memory; enough for a flood of keys.
_MEMORY_SPACE = 64 * 1024 * 1024
#: Open files of the server itself, of a console or link, and of a local entry with its program and
#: directory.
_OWN, _A_CONNECTION, _AN_ENTRY = 64, 2, 8
#: The number of spectators to have room for.
_SPECTATORS = 200
#: Limits in seconds for the slowest 1 % of commits: above the first, people notice while typing;
#: above the second, talking becomes hard.
NOTICED, TOO_SLOW = 0.05, 0.5
#: How many commits are measured, and the time limit for all of them in seconds.
COMMITS, _PATIENCE = 150, 6.0
#: Parts of paths in folders that are synchronized with a cloud, by programs that touch the files.
_CLOUDS = ("dropbox", "onedrive", "google drive", "googledrive", "icloud", "mobile documents",
           "nextcloud", "owncloud", "pcloud", "box sync", "creative cloud files")  # fmt: skip
#: Time limits in seconds of a short talk: to see that the entry waits, for its answer, and for all.
SHORT = Durations(still=1.5, first=30.0, whole=60.0)
#: The acts that suffice to see whether an entry waits; see lpp.conformance.
_ACTS = {"3/waits": ("waits-empty",)}


red, yellow, green = (partial(Assessment, level) for level in get_args(Level))
#: All checks.
CHECKS: list[PreflightCheck] = []


def _check(id: str, what: str, remedy: str = "") -> Callable[[Inspect], Inspect]:
    """Adds a check to `CHECKS`; see `PreflightCheck`."""

    def add(inspect: Inspect) -> Inspect:
        CHECKS.append(PreflightCheck(id, what, inspect, remedy))
        return inspect

    return add


def _compare(
    amount: float, enough: float, least: float, found: str, remedy: str = ""
) -> Assessment:
    level = red if amount < least else yellow if amount < enough else green
    return level(found, remedy)


def _check_writable(place: Path) -> None:
    """Writes a file into a folder and removes it; raises OSError if that fails."""
    file = place / f".preflight-{secrets.token_hex(4)}"
    file.touch(exist_ok=False)
    file.unlink()


# The settings


@_check(
    "settings",
    "contest.toml",
    "correct the line named in the message; the file of `loebner new` has all options",
)
def settings(site: Site) -> Assessment:
    """`contest.toml` can be read, and all its options are known; else red."""
    if site.loaded is None:
        return red(site.trouble)
    return green(f"{site.folder / FILE_NAME} can be read, and all its options are known")


@_check("facts", "name, venue and day", f"write the day as [contest] date in {FILE_NAME}")
def facts(site: Site) -> Assessment:
    """Name, venue, date and start are set, and the day is not over; else yellow."""
    table = site.settings.contest
    names = ("name", "venue", "date", "start")
    missing = [name for name in names if getattr(table, name) in (None, "")]
    if missing:
        return yellow(
            f"[contest] does not set {listed(missing)}",
            f"set {listed(missing)} in {FILE_NAME}: every page shows them",
        )
    if table.date is not None and table.date < dt.date.today():
        return yellow(f"the date of {table.name!r}, {table.date}, has passed")
    return green(f"{table.name!r}, {table.venue}, {table.date} at {table.start:%H:%M}")


@_check("numbers", "who takes part")
def numbers(site: Site) -> Assessment:
    """Equal numbers of judges, entries and confederates, and rounds of 25 and 5 minutes; else
    yellow, or red if there are none of one kind."""
    rules = site.settings.rules
    people = ("judge", "judges"), ("entry", "entries"), ("confederate", "confederates")
    counts = {one: len(getattr(site.settings, one)) for one, _ in people}
    told = [f"{counts[one]} {one if counts[one] == 1 else many}" for one, many in people]
    minutes = rules.interaction_minutes, rules.scoring_minutes
    hours, rest = divmod(round(rules.rounds * sum(minutes)), 60)
    found = (
        f"{', '.join(told)}, {rules.rounds} round{'s' * (rules.rounds != 1)} of {minutes[0]:g} and "
        f"{minutes[1]:g} minutes: {hours} h {rest} min, and the ranking"
    )
    if nobody := [f"[[{table}]]" for table, count in counts.items() if not count]:
        return red(found, f"add {listed(nobody)} to {FILE_NAME}: a contest needs one")
    if len({*counts.values()}) > 1:
        return yellow(found, "use equal numbers, or accept that some people miss some rounds")
    if minutes != MINUTES_2010:
        return yellow(
            found,
            "the rules of 2010, section 3, have rounds of 25 and 5 minutes; if yours differ, tell "
            "judges and entrants",
        )
    return green(found)


@_check("schedule", "the schedule")
def schedule(site: Site) -> Assessment | None:
    """Every pair meets once; yellow if pairs are missing or repeated, red without a schedule or if
    somebody is in two places at once."""
    given = site.settings
    if not (given.judge and given.entry and given.confederate):
        return None  # `numbers` reports it
    try:
        report = scheduler.check(schedule_of(given, site.folder))
    except (BadSettings, scheduler.SchedulerError) as exc:
        return red(
            str(exc), "correct the schedule, or leave [rules] schedule empty to have one made"
        )
    apart = [frozenset(pair) for pair in given.schedule.wishes().conflicts]
    said = []
    for kind, words in KINDS.items():
        pairs = report.pairs[kind]
        missing = tuple(pair for pair in pairs.missing if frozenset(pair) not in apart)
        for what, which in (("missing", missing), ("repeated", pairs.repeated)):
            named = ", ".join(map("".join, which[:_NAMED]))
            more = f" and {len(which) - _NAMED} more" * (len(which) > _NAMED)
            said += [f"{words} {what}: {named}{more}"] * bool(which)
    if not said:
        return green("every pair that may meet meets exactly once")
    return yellow(
        "; ".join(said),
        f"`loebner schedule make {shlex.quote(str(site.folder))}` shows the best possible "
        "schedule, with a proof; for these numbers and wishes, yours may be the best already",
    )


# The machine


@_check(
    "open-files",
    "open files",
    "raise the limit: `ulimit -n 65536` before the server starts, or LimitNOFILE in its unit",
)
def open_files(site: Site) -> Assessment | None:
    """Enough for seats, entries and 200 spectators; else yellow, or red if not even enough for
    seats and entries."""
    limit = _most_open_files()
    if limit is None:
        return None
    seats = len(site.settings.judge) + len(site.settings.confederate)
    needed = _OWN + _A_CONNECTION * seats + _AN_ENTRY * len(site.settings.entry)
    return _compare(
        *(limit, needed + _SPECTATORS, needed),
        f"{limit:,} files and connections may be open; seats and entries need {needed:,}, which "
        f"leaves {max(0, limit - needed):,} for spectators",
    )


def _most_open_files() -> int | None:
    """How many files this user's process may have open; None for any number."""
    try:
        import resource
    except ImportError:  # Windows, where sockets are not files
        return None
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if soft == resource.RLIM_INFINITY else soft


@_check("folder", "the folder", "give write permission, or move the contest elsewhere")
def folder(site: Site) -> Assessment | None:
    """The folder can be written, and no other server uses it; else red, or yellow on a network
    mount."""
    if site.server:
        return None
    try:
        _check_writable(site.folder)
        # Try the lock only if its file exists, so that this check leaves nothing behind.
        if (site.folder / LOCK_FILE).exists():
            with locked(site.folder):
                pass
    except OSError as exc:
        return red(f"{site.folder} can't be written ({exc.strerror or exc})")
    except InUse as exc:
        return red(str(exc), "end the program that uses it")
    if (kind := network_kind(str(site.folder))) is not None:
        return yellow(
            f"{site.folder} is on a network mount ({kind}), where databases are not safe",
            "move the folder to a disk of this machine",
        )
    return green(f"{site.folder} can be written, and no other server uses it")


@_check(
    "disk-space", "room on the disk", "free space on the disk: when it is full, the contest pauses"
)
def space(site: Site) -> Assessment:
    """At least 1 GB is free; else yellow, or red below 200 MB."""
    free = shutil.disk_usage(site.folder).free
    return _compare(free, ENOUGH_SPACE, MIN_SPACE, f"{format_bytes(free)} are free")


# The record


@_check(
    "disk-speed",
    "speed of the disk",
    "put the record on a faster local disk, and end other programs that write to it",
)
def speed(site: Site) -> Assessment | None:
    """99 of 100 commits of a key take at most 50 ms, in a temporary record; else yellow, or red
    above 500 ms."""
    try:
        url = _address(site)
        if database.file_of(url) is None:
            times = _time_messages(url)
        else:
            with tempfile.TemporaryDirectory(
                prefix=".preflight-", dir=_record_folder(site)
            ) as made:
                times = time_commits(sqlite_url(Path(made) / "record.db"))
    except BadSettings:
        return None  # `record` reports it
    except (RecordTrouble, OSError) as exc:
        return red(
            f"no record can be written: {exc}", "give write permission, or free space on the disk"
        )
    middle, late = times[len(times) // 2], times[int(len(times) * 0.99)]
    return _compare(
        *(-late, -NOTICED, -TOO_SLOW),
        f"a key is durable after {middle * 1000:.1f} ms (median), 99 of 100 within "
        f"{late * 1000:.1f} ms",
    )


@_check("record", "the record")
def record(site: Site) -> Assessment:
    """There is no record yet, or one that can be continued; red if it can't be reached or is
    damaged, if its season has no finalists yet, or if the contest is over."""
    if site.server:
        return green("the server has it open")
    elsewhere = site.serving.database
    try:
        empty = _is_empty(site)
        kinds = _season_of(elsewhere or reading.url_of(site.folder))
        if kinds == {SeasonOpened.kind}:
            return red(
                "the season before the contest has no finalists yet: the server refuses to begin",
                "end the season with `loebner screen finalists`",
            )
        if empty or kinds == {SeasonOpened.kind, FinalistsSet.kind}:
            return green("there is no record yet: a new contest will begin")
        report = (
            verify(site.folder)
            if elsewhere is None
            else verify_rows(reading.read_rows(elsewhere, thorough=True))
        )
    except ContestError as exc:
        return red(str(exc), "do what this line says; if the address is wrong, correct it")
    if not report.ok:
        fault = next(fault for check in report.checks for fault in check.faults)
        return red(
            f"the record is damaged: {fault}",
            "`loebner verify` names all faults; continue the contest from its second copy",
        )
    if report.finished:
        return red("this contest has already been played", "make a new folder: `loebner new`")
    return green(
        f"{report.events:,} intact events of a contest that has begun: the server will continue it"
    )


@_check(
    "copy", "the second copy", f"name a file on another disk as [record] copy_to in {FILE_NAME}"
)
def copy(site: Site) -> Assessment:
    """A second copy is kept on another disk; else yellow, or red if it can't be written or has
    another contest."""
    setting = site.settings.record.copy_to
    if not setting:
        return yellow("no second copy of the record is kept")
    file = site.folder / setting
    try:
        there, here = _disk(file.parent), _disk(_record_folder(site))
        _check_writable(file.parent)
    except OSError as exc:
        return red(
            f"{file} can't be written ({exc.strerror or exc})",
            "make its folder, connect its disk, or name another file",
        )
    if not site.server and file.exists() and file.stat().st_size and _is_empty(site):
        return red(
            f"{file} already holds a contest's record, but this folder has none",
            "continue that contest, or name another file as [record] copy_to",
        )
    if there == here:
        return yellow(f"{file} is on the same disk as the record, and would be lost with it")
    return green(f"{file}, on another disk")


def _disk(place: Path) -> int:
    """A number that is the same for all places on one disk."""
    return os.stat(place).st_dev


@_check(
    "codes",
    "the seats' codes",
    "move it elsewhere: the server makes new codes, and does not overwrite old ones",
)
def seat_codes(site: Site) -> Assessment | None:
    """The folder has no codes of another contest; else red."""
    file = site.folder / codes.FILE_NAME
    if site.server or not file.exists():
        return None
    with suppress(ContestError):  # `record` reports it
        if _is_empty(site):
            return red(f"{file} has codes, but no contest has begun here")
        return green(f"{file} has the codes that were handed out")
    return None


# The network


@_check("port", "the port")
def port(site: Site) -> Assessment:
    """The port is free, or this contest's server uses it; yellow if that server uses another port,
    red if another program uses it."""
    serving = site.serving
    if site.server:
        if serving.port in (0, site.port):
            return green(f"the contest's own server listens on {site.server}")
        return yellow(
f"the contest's server listens on {site.server}, not on port "
              f"{serving.port}",
            "use that port for consoles and links, or restart the server on this one"
        )  # fmt: skip
    shown = _address_text(serving.host, serving.port)
    try:
        _listen(serving.host, serving.port)
    except OSError as exc:
        remedies = {
            errno.EADDRINUSE: "end the other program that listens there, or give another --port",
            errno.EADDRNOTAVAIL: "give an address of this machine as --host, or 0.0.0.0 for all",
            errno.EACCES: "give a --port above 1023",
        }
        return red(
            f"the server can't listen on {shown} ({exc.strerror or exc})",
            remedies.get(exc.errno or 0, "give another --host or --port"),
        )
    return green(f"{shown} is free")


def _listen(host: str, port: int) -> None:
    """Listens on an address for a moment; raises OSError if that fails."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        # Binding is not enough: two sockets with SO_REUSEADDR can be bound to the same port.
        listener.listen(1)


@_check("addresses", "addresses", "connect this machine to the venue's network")
def addresses(site: Site) -> Assessment:
    """This machine has an address that consoles on other machines can reach; else yellow."""
    host = site.serving.host
    place = _address_text(host, site.port)
    if _is_loopback(host):
        return green(
            f"only consoles on this machine can connect to {place}; for others, serve (and check) "
            "with --host 0.0.0.0"
        )
    with suppress(ValueError):  # a name
        own = machine_addresses()
        if ipaddress.ip_address(host).is_unspecified and not own:
            return yellow("this machine has no address that others could reach")
        place = " or ".join(reachable_addresses(place, own, socket.gethostname()))
    return green(f"consoles connect to {place}; try it from a judge's machine")


@_check("tls", "the certificate")
def certificate(site: Site) -> Assessment | None:
    """Certificate and key can be used, else red; yellow without them if other machines can connect,
    or if consoles will refuse the certificate."""
    serving = site.serving
    if serving.certificate is None:
        if _is_loopback(serving.host):
            return None
        return yellow(
            "no certificate: keys and codes are sent over the network without encryption",
            "use a network of your own, or give --cert and --key",
        )
    try:
        shown = identity(serving.certificate, serving.key)
    except BadSettings as exc:
        return red(str(exc), "give the certificate and its key, in PEM")
    if shown.warnings:
        return yellow(
            "; ".join(shown.warnings),
            "if consoles will refuse the certificate, get a new one, or hand out its fingerprint "
            "with the codes; if others can read the key, chmod 600 it",
        )
    names = f"for {listed(shown.names)}" if shown.names else "without names"
    return green(f"{serving.certificate} is {names}; fingerprint {shown.fingerprint}")


@_check("server", "the server", "if it was killed, start it again: it continues where it left off")
def server(site: Site) -> Assessment | None:
    """The contest's server answers, or was not started; else yellow."""
    if site.no_answer:
        return yellow(f"a server was started here, but does not answer: {site.no_answer}")
    if not site.server:
        return None
    return green(f"runs at {site.server}: {site.answer['status']['words']}")


@_check("ready", "the server's check of", "solve this problem before the next round")
def ready(site: Site) -> dict[str, Assessment]:
    """Everything is ready, according to the running server; yellow for a missing console or remote
    link, red if an entry on this machine is not ready."""
    local = {f"entry {entry.id}" for entry in site.local}
    found = {}
    for said in site.answer.get("checks", ()):
        what, level, remedy = said["what"], said["level"], ""
        if level == "red" and what in local:
            restart = f"`loebner control CONTEST restart {what.split()[-1]} REASON`"
            remedy = f"{restart} if its program has ended; restart the server if it has no link"
        elif level == "red":
            level, remedy = "yellow", "a round begins without it only with `start --anyway`"
        found[what] = Assessment(level, said["words"], remedy)
    return found


# The entries


@_check("command", "program of")
def command(site: Site) -> dict[str, Assessment]:
    """Each local entry's program can be run, else red; yellow without a command, because somebody
    must start it."""
    return {entry.id: _program(site, entry) for entry in site.local}


def _program(site: Site, entry: EntryTable) -> Assessment:
    if not entry.command:
        return yellow(
            "has no command: somebody must start it",
            "start it before the first round, or give it a command so that the server starts it",
        )
    try:
        words = command_line(entry.id, entry.command, Path("dir"))
    except BadSettings as exc:
        return red(str(exc), "correct the quotes in its command")
    if shutil.which(words[0]) is None:
        return red(
            f"there is no program {words[0]!r} to run",
            "install it, write its full path, or give permission to run it (chmod +x)",
        )
    return green(f"{entry.command!r} can be started")


@_check("directory", "communications directory of")
def directory(site: Site) -> dict[str, Assessment]:
    """Each local entry has its own directory on this machine; yellow on a network mount, in a cloud
    folder or with other files in it, red if it can't be used."""
    seen, taken = {}, dict[str, str]()
    for entry in site.local:
        other = taken.setdefault(os.path.realpath(entry.directory), entry.id)
        if not entry.directory:
            rooms = communications_root()
            free = shutil.disk_usage(rooms).free
            seen[entry.id] = _compare(
                *(free, _MEMORY_SPACE, _MEMORY_SPACE),
                f"will be made in {rooms}, where {format_bytes(free)} are free",
                "free space there, or name a directory for it",
            )
        elif other != entry.id:
            words = f"{entry.directory} is the directory of {other}, too"
            seen[entry.id] = red(words, "give each entry its own directory")
        else:
            seen[entry.id] = _own_directory(site, Path(entry.directory))
    return seen


def _own_directory(site: Site, path: Path) -> Assessment:
    try:
        place = LocalDirectory(path)
        place.check()
        names = place.names()
    except (LPPError, OSError) as exc:
        return red(str(exc), "make it, or name another directory")
    keys = sum(parse(name) is not None for name in names)
    odd = ""
    if devices := [part for part in path.parts if is_device(part)]:
        odd = f"Windows reserves the name {devices[0]!r} for a device"
    elif (kind := network_kind(str(path))) is not None:
        odd = f"it is on a network mount ({kind}): keys arrive late, or are lost if it fails"
    elif clouds := [part for part in path.parts if _is_cloud(part)]:
        odd = f"it is under {clouds[0]!r}: a program that copies it to a cloud interferes with keys"
    elif len(names) > keys:
        others = counted(len(names) - keys, "file or folder", "files or folders")
        odd = f"besides key presses it has {others} that will stay there"
    if odd:
        return yellow(f"{path}: {odd}", "name an empty directory on a disk of this machine")
    emptied = (
        f"; its {counted(keys, 'key press', 'key presses')} will be removed before a talk"
        * bool(keys)
    )
    return green(f"{path} can be used{emptied}")


def _is_cloud(part: str) -> bool:
    name = part.casefold()
    return any(name == cloud or name.startswith((f"{cloud} ", f"{cloud}-")) for cloud in _CLOUDS)


@_check("start", "a first talk with")
def start(site: Site) -> dict[str, Assessment]:
    """Each local entry is silent until spoken to, and answers within 30 seconds; else red."""
    if site.server or not site.start:
        # Two instances of a program may interfere; the running server reports on its own.
        return {}
    entries = [e for e in site.local if e.command and _program(site, e).level == "green"]
    results = run_with_signals(_test_talks(entries))
    return {
        entry.id: _assess_talk(entry, said) for entry, said in zip(entries, results, strict=True)
    }


async def _test_talks(entries: list[EntryTable]) -> list[CheckResult | BaseException]:
    cases = choose(("3/waits", "3/answers"))
    cases = tuple(case._replace(acts=_ACTS.get(case.id, case.acts)) for case in cases)
    talks = [
        check(Setup(tuple(split(entry.command)), cases=cases, measures=SHORT)) for entry in entries
    ]
    return await asyncio.gather(*talks, return_exceptions=True)


def _assess_talk(entry: EntryTable, result: CheckResult | BaseException) -> Assessment:
    fuller = f"`loebner check-bot -- {entry.command}` gives details"
    if isinstance(result, BaseException):
        return red(f"it can't be tested: {result}", fuller)
    bad = [case for case in result.cases if case.outcome is not Outcome.PASS]
    if not bad:
        seconds = f"{result.seconds:.0f} seconds"
        return green(f"started, waited and answered a first line, in {seconds}")
    said = result.output.strip().splitlines()[-1:] if result.log.trouble else []
    words = [case.observed for case in bad if case.observed]
    found = "; ".join(dict.fromkeys([*words, *(f"it wrote: {line}" for line in said)]))
    return red(found, "; ".join([*filter(None, (case.cause for case in bad)), fuller]))


@_check(
    "link",
    "link of",
    "start the server, then `loebner link` on the entry's machine, and check again",
)
def link(site: Site) -> dict[str, Assessment]:
    """The link of each remote entry is connected; else yellow."""
    status = site.answer.get("status", {})
    here = {entry["entry"] for entry in status.get("entries", ()) if entry["here"]}
    away = "not connected" if site.server else "unknown: no server runs in this folder"
    return {
        entry.id: green("its link is connected")
        if entry.id in here
        else yellow(f"its link is {away}")
        for entry in site.settings.entry
        if entry.link == "remote"
    }


# Helpers


def _address_text(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def time_commits(place: str) -> list[float]:
    """Measures how long commits of one key take.

    Arguments:
        place: the address of an empty database, in which a record is made.

    Returns:
        Seconds, sorted.

    Raises:
        RecordTrouble: if no record can be written.
    """
    at = "2010-10-23T09:30:00.000000Z"
    key = Event(0, "1.1.J1.left", at, 0, "J1", "key", {"key": "H", "n": 1})
    with Record(place, create=True) as record:
        return _measure(lambda: record.append([key]))


def _time_messages(url: sa.URL) -> list[float]:
    """The same for PostgreSQL, by messages in its log: each takes as long as a key, and leaves
    nothing in any table."""
    engine = database.engine_of(url, writes=True)

    def commit() -> None:
        with engine.begin() as connection:
            connection.exec_driver_sql("SELECT pg_logical_emit_message(true, 'key', 'H')")

    try:
        with database.as_record_trouble(url):
            return _measure(commit)
    finally:
        engine.dispose()


def _measure(commit: Callable[[], object]) -> list[float]:
    """Measures repeated commits, in seconds, sorted."""
    times: list[float] = []
    end = time.perf_counter() + _PATIENCE
    while len(times) < COMMITS and (began := time.perf_counter()) < end:
        commit()
        times.append(time.perf_counter() - began)
    return sorted(times)


def _season_of(url: str) -> set[str]:
    """The recorded kinds among those that open a season, set its finalists, and open a contest."""
    kinds = (SeasonOpened.kind, FinalistsSet.kind, ContestOpened.kind)
    with suppress(ContestError):
        return {row.kind for row in reading.read_rows(url, kind=kinds)}
    return set()


def _is_empty(site: Site) -> bool:
    """Whether no contest has begun.

    Raises:
        BadSettings: if the record's address can't be used.
        ContestError: if the database can't be asked, or is another program's.
    """
    url = _address(site)
    if database.is_sqlite(url):
        file = database.file_of(url)
        return file is None or not file.is_file() or not file.stat().st_size
    found = reading.open_reader(url.render_as_string(hide_password=False))
    return not found.exists() or found.last() is None


def _address(site: Site) -> sa.URL:
    """The address of the record's database, which may not exist yet."""
    return database.address(record_url(site.folder, site.settings.record.database))


def _record_folder(site: Site) -> Path:
    """The folder of the record's file; for a database elsewhere, the contest's folder."""
    file = None
    with suppress(BadSettings):
        file = database.file_of(_address(site))
    return site.folder if file is None else file.parent


def format_bytes(number: float) -> str:
    """A number of bytes in words."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"
