"""The checks of the pre-flight: of the contest as it is set, the machine, the record, the network,
and the entries.

To add one, write a function that looks at the site and gives what it has seen, and add a row to
`CHECKS`.
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
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa

import scheduler
from contest.errors import BadSettings, ContestError, InUse, RecordTrouble
from contest.links.program import command_line
from contest.net import codes
from contest.net.door import machine_addresses, reached_at
from contest.net.tls import identity
from contest.preflight.report import Check, Level, Seen, Site
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
from contest.tasks import run_in_order
from contest.verify.verify import verify, verify_rows
from lpp.conformance.cases import CheckResult, Outcome, choose
from lpp.conformance.check import Setup, check
from lpp.conformance.talk import Measures
from lpp.directory import LocalDirectory, rooms_parent
from lpp.errors import LPPError
from lpp.keypress import parse
from lpp.mounts import network_kind
from lpp.program import split
from scheduler.checking import KINDS
from scheduler.texts import listed

#: Pairs that a line names; `loebner schedule check` names all.
_NAMED = 6
#: Minutes of a round in the rules of 2010, section 3: interaction and scoring.
MINUTES_2010 = (25.0, 5.0)
#: Bytes that a contest's folder should have, and must have. A day of 2010's takes some 50 MB.
ROOM, LEAST = 1_000_000_000, 200_000_000
#: Bytes that communications directories in memory need: a flood of keys fits in.
_FLOOD = 64 * 1024 * 1024
#: Files that a server has open by itself, by a console or link, and by a local entry with its
#: program and directory.
_OWN, _A_CONNECTION, _AN_ENTRY = 64, 2, 8
#: Spectators for whom there should be room.
_SPECTATORS = 200
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


def _graded(amount: float, enough: float, least: float) -> Level:
    return "red" if amount < least else "yellow" if amount < enough else "green"


def _probe(place: Path) -> None:
    """Writes a file into a folder and removes it; raises OSError if that can't be done."""
    file = place / f".preflight-{secrets.token_hex(4)}"
    file.touch(exist_ok=False)
    file.unlink()


# The contest as it is set


def settings(site: Site) -> Seen:
    """`contest.toml` can be read, and every option in it is known."""
    if site.given is None:
        return Seen("red", site.trouble)
    return Seen("green", f"{site.folder / FILE_NAME} can be read, and every option in it is known")


def facts(site: Site) -> Seen:
    """Name, venue, date and start are set, and the day is not over; else yellow."""
    table = site.settings.contest
    names = ("name", "venue", "date", "start")
    missing = [name for name in names if getattr(table, name) in (None, "")]
    if missing:
        return Seen(
            "yellow",
            f"[contest] does not say {listed(missing)}",
            f"write {listed(missing)} into {FILE_NAME}: they stand on every page",
        )
    if table.date is not None and table.date < dt.date.today():
        return Seen("yellow", f"{table.name!r} is to be held on {table.date}, which is over")
    return Seen("green", f"{table.name!r}, {table.venue}, {table.date} at {table.start:%H:%M}")


def numbers(site: Site) -> Seen:
    """As many judges as entries and confederates, 25 and 5 minutes; else yellow, red without any of
    one kind."""
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
        return Seen("red", found, f"add {listed(nobody)} to {FILE_NAME}: a contest needs one")
    if len({*counts.values()}) > 1:
        return Seen(
            "yellow", found, "use equal numbers, or accept that some people sit out some rounds"
        )
    if minutes != MINUTES_2010:
        return Seen(
            *("yellow", found),
            "the rules of 2010, section 3, have rounds of 25 and 5 minutes; where yours are "
            "others, say so to judges and entrants",
        )
    return Seen("green", found)


def schedule(site: Site) -> Seen | None:
    """Every pair meets once; yellow if pairs are missing or repeated, red without a schedule, or if
    somebody is in two places at once."""
    given = site.settings
    if not (given.judge and given.entry and given.confederate):
        return None  # which `numbers` says
    try:
        report = scheduler.check(schedule_of(given, site.folder))
    except (BadSettings, scheduler.SchedulerError) as exc:
        return Seen(
            *("red", str(exc)),
            "mend the schedule, or leave [rules] schedule empty to have one made",
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
        return Seen("green", "every judge, entry and confederate meet each other exactly once")
    return Seen(
        *("yellow", "; ".join(said)),
        f"`loebner schedule make {shlex.quote(str(site.folder))}` shows one that lacks and repeats "
        "as little as can be, and proves it; with these numbers and wishes there may be none "
        "better",
    )


# The machine


def open_files(site: Site) -> Seen | None:
    """Room for seats, entries and 200 spectators; else yellow, red if not even for seats and
    entries."""
    limit = _most_open_files()
    if limit is None:
        return None
    seats = len(site.settings.judge) + len(site.settings.confederate)
    needed = _OWN + _A_CONNECTION * seats + _AN_ENTRY * len(site.settings.entry)
    return Seen(
        _graded(limit, needed + _SPECTATORS, needed),
        f"{limit:,} files and connections may be open; seats and entries take {needed:,}, which "
        f"leaves {max(0, limit - needed):,} to spectators",
    )


def _most_open_files() -> int | None:
    """How many files this user's process may have open; None for any number."""
    try:
        import resource
    except ImportError:  # Windows, whose sockets are no files
        return None
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if soft == resource.RLIM_INFINITY else soft


def folder(site: Site) -> Seen | None:
    """The folder can be written and no other program holds it; else red, on a network mount
    yellow."""
    if site.server:
        return None
    try:
        _probe(site.folder)
        # Who has the lock is asked only where one was taken: nothing is to be left behind.
        if (site.folder / LOCK_FILE).exists():
            with locked(site.folder):
                pass
    except OSError as exc:
        return Seen("red", f"{site.folder} can't be written ({exc.strerror or exc})")
    except InUse as exc:
        return Seen("red", str(exc), "end the program that uses it")
    if (kind := network_kind(str(site.folder))) is not None:
        return Seen(
            *("yellow", f"{site.folder} is on a network mount ({kind}): databases are not safe "),
            "move the folder to a disk of this machine",
        )
    return Seen("green", f"{site.folder} can be written, and no server uses it")


def space(site: Site) -> Seen:
    """1 GB is free; else yellow, under 200 MB red."""
    free = shutil.disk_usage(site.folder).free
    return Seen(_graded(free, ROOM, LEAST), f"{in_bytes(free)} are free")


# The record


def speed(site: Site) -> Seen | None:
    """99 of 100 commits of a key take up to 50 ms, in a record of its own, which is removed; else
    yellow, over 500 ms red."""
    try:
        url = _address(site)
        if database.file_of(url) is None:
            times = _commits_of_messages(url)
        else:
            with tempfile.TemporaryDirectory(
                prefix=".preflight-", dir=_record_folder(site)
            ) as made:
                times = commits(sqlite_url(Path(made) / "record.db"))
    except BadSettings:
        return None  # which `record` says
    except (RecordTrouble, OSError) as exc:
        return Seen(
            "red", f"no record can be written: {exc}", "give write permission, or free the disk"
        )
    middle, late = times[len(times) // 2], times[int(len(times) * 0.99)]
    return Seen(
        _graded(-late, -NOTICED, -TOO_SLOW),
        f"a key is durable after {middle * 1000:.1f} ms, 99 of 100 after {late * 1000:.1f} ms",
    )


def record(site: Site) -> Seen:
    """There is none yet, or one that can be continued; red if it can't be reached, is damaged, or
    the contest is over."""
    if site.server:
        return Seen("green", "the server has it open")
    elsewhere = site.serving.database
    try:
        empty = _is_empty(site)
        kinds = _season_of(elsewhere or reading.place_of(site.folder))
        if kinds == {SeasonOpened.kind}:
            return Seen(
                "red",
                "the season before the contest has no finalists yet: the server refuses to begin",
                "end the season with `loebner screen finalists`",
            )
        if empty or kinds == {SeasonOpened.kind, FinalistsSet.kind}:
            return Seen("green", "there is none yet: a new contest begins")
        report = (
            verify(site.folder)
            if elsewhere is None
            else verify_rows(reading.rows_at(elsewhere, thorough=True))
        )
    except ContestError as exc:
        return Seen("red", str(exc), "mend [record] database, or start the database")
    if not report.ok:
        fault = next(fault for check in report.checks for fault in check.faults)
        return Seen(
            *("red", f"it is damaged: {fault}"),
            "`loebner verify` names everything; take the contest up from its second copy",
        )
    if report.finished:
        return Seen("red", "this contest was played already", "make a new folder: `loebner new`")
    return Seen(
        "green",
        f"{report.events:,} events of a contest that was begun, all whole: "
        "the server goes on where it was",
    )


def copy(site: Site) -> Seen:
    """A second copy is kept on another disk; else yellow, red if it can't be written or holds
    another contest."""
    setting = site.settings.record.copy_to
    if not setting:
        return Seen("yellow", "no second copy of the record is kept")
    file = site.folder / setting
    try:
        there, here = _disk(file.parent), _disk(_record_folder(site))
        _probe(file.parent)
    except OSError as exc:
        return Seen(
            *("red", f"{file} can't be written ({exc.strerror or exc})"),
            "make its folder, or plug its disk in, or name another file",
        )
    if not site.server and file.exists() and file.stat().st_size and _is_empty(site):
        return Seen(
            *("red", f"{file} already has a contest, and the folder has none"),
            "take that contest up, or name another file as [record] copy_to",
        )
    if there == here:
        return Seen(
            "yellow", f"{file} is on the same disk as the record, and would be lost with it"
        )
    return Seen("green", f"{file}, on another disk")


def _disk(place: Path) -> int:
    """A number that is the same for all places on one disk."""
    return os.stat(place).st_dev


def seat_codes(site: Site) -> Seen | None:
    """No codes without their contest are in the folder; else red."""
    file = site.folder / codes.FILE_NAME
    if site.server or not file.exists():
        return None
    with suppress(ContestError):  # which `record` says
        if _is_empty(site):
            return Seen("red", f"{file} has codes, but no contest has begun here")
        return Seen("green", f"{file} has the codes that were handed out")
    return None


# The network


def port(site: Site) -> Seen:
    """The port is free, or this contest's server has it; yellow if that server has another one, red
    if another program has it."""
    serving = site.serving
    if site.server:
        if serving.port in (0, site.port):
            return Seen("green", f"the contest's own server listens at {site.server}")
        return Seen(
            *("yellow", f"the contest's server listens at {site.server}, and not at port "
              f"{serving.port}"),
            "tell consoles and links that port, or end the server and start it at this one",
        )  # fmt: skip
    shown = _place(serving.host, serving.port)
    try:
        _listen(serving.host, serving.port)
    except OSError as exc:
        remedies = {
            errno.EADDRINUSE: "end the other program that listens there, or take another --port",
            errno.EADDRNOTAVAIL: "give an address of this machine as --host, or 0.0.0.0 for all",
            errno.EACCES: "take a --port above 1023",
        }
        return Seen(
            *("red", f"nobody can listen at {shown} ({exc.strerror or exc})"),
            remedies.get(exc.errno or 0, "give another --host or --port"),
        )
    return Seen("green", f"{shown} is free")


def _listen(host: str, port: int) -> None:
    """Listens at an address for a moment; raises OSError if that can't be had."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        # Binding is not enough: two sockets that reuse a port may both be bound to it.
        listener.listen(1)


def addresses(site: Site) -> Seen:
    """Consoles on other machines can reach an address; else yellow."""
    host = site.serving.host
    place = _place(host, site.port)
    if _at_home(host):
        return Seen(
            "green",
            f"consoles on this machine alone connect to {place}; for others, serve (and check) "
            "with --host 0.0.0.0",
        )
    with suppress(ValueError):  # a name
        own = machine_addresses()
        if ipaddress.ip_address(host).is_unspecified and not own:
            return Seen("yellow", "this machine has no address that others could reach")
        place = " or ".join(reached_at(place, own, socket.gethostname()))
    return Seen("green", f"consoles connect to {place}; try one from a judge's terminal")


def certificate(site: Site) -> Seen | None:
    """Certificate and key fit, else red; yellow without them if others can connect, or if consoles
    will refuse them."""
    serving = site.serving
    if serving.certificate is None:
        if _at_home(serving.host):
            return None
        return Seen(
            "yellow",
            "no certificate: what is typed, and the codes, go over the network as they are",
            "keep to a network of your own, or give --cert and --key",
        )
    try:
        shown = identity(serving.certificate, serving.key)
    except BadSettings as exc:
        return Seen("red", str(exc), "give the certificate and its key, in PEM")
    if shown.warnings:
        return Seen(
            *("yellow", "; ".join(shown.warnings)),
            "get a new certificate, or hand out its fingerprint with the codes",
        )
    names = f"for {listed(shown.names)}" if shown.names else "of no name"
    return Seen("green", f"{serving.certificate} is {names}; fingerprint {shown.fingerprint}")


def server(site: Site) -> Seen | None:
    """The server runs, or none was killed; else yellow."""
    if site.silent:
        return Seen("yellow", f"a server was here, and does not answer: {site.silent}")
    if not site.server:
        return None
    return Seen("green", f"runs at {site.server}: {site.answer['status']['words']}")


def ready(site: Site) -> dict[str, Seen]:
    """All that the running server says is ready; yellow for a missing console or remote link, red
    for an entry on this machine."""
    local = {f"entry {entry.id}" for entry in site.local}
    found = {}
    for said in site.answer.get("checks", ()):
        what, level, remedy = said["what"], said["level"], ""
        if level == "red" and what in local:
            remedy = f"`loebner control` can start it again: restart {what.split()[-1]}"
        elif level == "red":
            level, remedy = "yellow", "a round begins without it only with `start --anyway`"
        found[what] = Seen(level, said["words"], remedy)
    return found


# The entries


def command(site: Site) -> dict[str, Seen]:
    """Each local entry's program may be run, else red; yellow without a command, because it is
    started by hand."""
    return {entry.id: _program(site, entry) for entry in site.local}


def _program(site: Site, entry: EntryTable) -> Seen:
    if not entry.command:
        return Seen(
            *("yellow", "has no command: it is started by hand"),
            "start it before the first round, or give it a command, and the server starts it",
        )
    try:
        words = command_line(entry.id, entry.command, Path("dir"), sys.platform)
    except BadSettings as exc:
        return Seen("red", str(exc), "mend the quotes in its command")
    if shutil.which(words[0]) is None:
        return Seen(
            *("red", f"there is no program {words[0]!r} to run"),
            "install it, write its whole path, or give permission to run it (chmod +x)",
        )
    return Seen("green", f"{entry.command!r} can be started")


def directory(site: Site) -> dict[str, Seen]:
    """Each local entry's own directory is on this machine; yellow on a network mount, in a cloud's
    folder or with other files, red if it can't be used."""
    seen, taken = {}, dict[str, str]()
    for entry in site.local:
        other = taken.setdefault(os.path.realpath(entry.directory), entry.id)
        if not entry.directory:
            rooms = rooms_parent()
            free = shutil.disk_usage(rooms).free
            seen[entry.id] = Seen(
                _graded(free, _FLOOD, _FLOOD),
                f"one is made in {rooms}, where {in_bytes(free)} are free",
                "free room there, or name a directory of its own",
            )
        elif other != entry.id:
            words = f"{entry.directory} is the directory of {other}, too"
            seen[entry.id] = Seen("red", words, "give each entry its own")
        else:
            seen[entry.id] = _given(site, Path(entry.directory))
    return seen


def _given(site: Site, path: Path) -> Seen:
    try:
        place = LocalDirectory(path)
        place.check()
        names = place.names()
    except (LPPError, OSError) as exc:
        return Seen("red", str(exc), "make it, or name another directory")
    keys = sum(parse(name) is not None for name in names)
    odd = ""
    if devices := [part for part in path.parts if is_device(part)]:
        odd = f"{devices[0]!r} is a device of Windows, where no directory can be called so"
    elif (kind := network_kind(str(path))) is not None:
        odd = f"it is on a network mount ({kind}): keys come late, and are lost with the network"
    elif clouds := [part for part in path.parts if _is_cloud(part)]:
        odd = f"it lies under {clouds[0]!r}: a program that copies it to a cloud disturbs keys"
    elif len(names) > keys:
        odd = f"it holds {len(names) - keys} things that are not key presses; they stay there"
    if odd:
        return Seen("yellow", f"{path}: {odd}", "name an empty directory on a disk of this machine")
    emptied = f"; the {keys} key presses that stand there are taken away before a talk" * bool(keys)
    return Seen("green", f"{path} can be used{emptied}")


def _is_cloud(part: str) -> bool:
    name = part.casefold()
    return any(name == cloud or name.startswith((f"{cloud} ", f"{cloud}-")) for cloud in _CLOUDS)


def start(site: Site) -> dict[str, Seen]:
    """Each local entry is silent until spoken to and answers within 30 seconds; else red."""
    if site.server or not site.start:
        # Two of one program may be in each other's way; the server says how its own do.
        return {}
    entries = [e for e in site.local if e.command and _program(site, e).level == "green"]
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
        return Seen("red", f"it can't be tried: {result}", fuller)
    bad = [case for case in result.cases if case.outcome is not Outcome.PASS]
    if not bad:
        seconds = f"{result.seconds:.0f} seconds"
        return Seen("green", f"started, waited and answered a first line, in {seconds}")
    said = result.output.strip().splitlines()[-1:] if result.log.trouble else []
    words = [case.observed for case in bad if case.observed]
    found = "; ".join(dict.fromkeys([*words, *(f"it wrote: {line}" for line in said)]))
    return Seen("red", found, "; ".join([*filter(None, (case.cause for case in bad)), fuller]))


def link(site: Site) -> dict[str, Seen]:
    """The link of each remote entry is here; else yellow."""
    status = site.answer.get("status", {})
    here = {entry["entry"] for entry in status.get("entries", ()) if entry["here"]}
    away = "not here" if site.server else "not known: no server runs in this folder"
    return {
        entry.id: Seen("green", "its link is here")
        if entry.id in here
        else Seen("yellow", f"its link is {away}")
        for entry in site.settings.entry
        if entry.link == "remote"
    }


# What they have in common


def _place(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _at_home(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def commits(place: str) -> list[float]:
    """How long commits of one key take.

    Arguments:
        place: the address of an empty database; a record is made in it.

    Returns:
        Seconds, sorted.

    Raises:
        RecordTrouble: if none can be written.
    """
    at = "2010-10-23T09:30:00.000000Z"
    key = Event(0, "1.1.J1.left", at, 0, "J1", "key", {"key": "H", "n": 1})
    with Record(place, create=True) as record:
        return _timed(lambda: record.append([key]))


def _commits_of_messages(url: sa.URL) -> list[float]:
    """The same of a PostgreSQL, in whose log a message is as long under way as a key is, and leaves
    nothing in any table."""
    engine = database.engine_of(url, writes=True)

    def commit() -> None:
        with engine.begin() as connection:
            connection.exec_driver_sql("SELECT pg_logical_emit_message(true, 'key', 'H')")

    try:
        with database.troubles(url):
            return _timed(commit)
    finally:
        engine.dispose()


def _timed(commit: Callable[[], object]) -> list[float]:
    """How long it takes each time, in seconds, sorted."""
    times: list[float] = []
    end = time.perf_counter() + _PATIENCE
    while len(times) < COMMITS and (began := time.perf_counter()) < end:
        commit()
        times.append(time.perf_counter() - began)
    return sorted(times)


def _season_of(url: str) -> set[str]:
    """Of the kinds that open a season, name its finalists, and open a contest, those on record."""
    kinds = (SeasonOpened.kind, FinalistsSet.kind, ContestOpened.kind)
    with suppress(ContestError):
        return {row.kind for row in reading.rows_at(url, kind=kinds)}
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
    """Where the record is, or will be."""
    return database.address(record_url(site.folder, site.settings.record.database))


def _record_folder(site: Site) -> Path:
    """The folder of the record's file; of a database elsewhere, the contest's."""
    file = None
    with suppress(BadSettings):
        file = database.file_of(_address(site))
    return site.folder if file is None else file.parent


def in_bytes(number: float) -> str:
    """A number of bytes in words."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"


#: All checks, in the order in which they are made: what is quick and decides most comes first; and
#: what to do where they are not green, unless they say it themselves.
CHECKS: tuple[Check, ...] = (
    Check(
        *("settings", "contest.toml", settings),
        "mend the line that it names; every option is in `loebner new`",
    ),
    Check("facts", "name, venue and day", facts, f"write the day as [contest] date in {FILE_NAME}"),
    Check("numbers", "who takes part", numbers),
    Check("schedule", "the schedule", schedule),
    Check(
        *("open-files", "open files", open_files),
        "raise the limit for the server: `ulimit -n 65536` before it, or LimitNOFILE",
    ),
    Check("folder", "the folder", folder, "give write permission, or move the contest elsewhere"),
    Check(
        *("disk-space", "room on the disk", space),
        "free the disk: a contest pauses itself when it is full",
    ),
    Check(
        *("disk-speed", "speed of the disk", speed),
        "put the record on a faster disk, near by, and end what else writes to it",
    ),
    Check("record", "the record", record),
    Check(
        *("copy", "the second copy", copy),
        f"name a file on another disk as [record] copy_to in {FILE_NAME}",
    ),
    Check(
        *("codes", "the seats' codes", seat_codes),
        "move it away: the server makes new codes and overwrites none",
    ),
    Check("port", "the port", port),
    Check("addresses", "addresses", addresses, "plug the network in, or join the venue's"),
    Check("tls", "the certificate", certificate),
    Check(
        *("server", "the server", server),
        "if it was killed, start it again: it goes on where it was",
    ),
    Check("ready", "the server's word on", ready, "look at it before the next round"),
    Check("command", "program of", command),
    Check("directory", "communications directory of", directory),
    Check("start", "a first talk with", start),
    Check(
        *("link", "link of", link),
        "start the server, then `loebner link` beside the entry, and look again",
    ),
)
