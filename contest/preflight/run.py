"""The whole pre-flight: its table of checks, and what they come to.

To add a check, write a function that looks at the ground and gives what it has seen, and give it a
row in `CHECKS`. A check that fails itself is a red line, and no traceback: the others are still of
use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from contest.errors import BadSettings, ContestError, Surroundings
from contest.net import door
from contest.preflight import entry_checks as entries
from contest.preflight import record_checks as records
from contest.preflight import setup_checks as setup
from contest.preflight.findings import (
    Ask,
    Check,
    Finding,
    Ground,
    Level,
    Report,
    Running,
    Seen,
    Serving,
)
from contest.preflight.machine import Machine
from contest.setup.settings import load
from lpp.trust import Untrusted

_BIGGER = "end other programs, or use another machine"
_FASTER = "put the record on a faster disk, near by, and end what else writes to it"
_NAMES = "give everybody a name, or a pseudonym, of their own in contest.toml"
_FILES = "raise the limit for the server: `ulimit -n 65536` before it, or LimitNOFILE"

#: All checks, in the order in which they are made: what is quick and decides most comes first. Each
#: with its identifier, what it looks at, the function, the usual remedy, and whether it is of use
#: only with settings that can be read.
CHECKS: tuple[Check, ...] = (
    Check(
        *("settings", "contest.toml", setup.settings),
        *("mend the line that it names; every option is in `loebner new`", False),
    ),
    Check("facts", "name, venue and day", setup.facts),
    Check("numbers", "who takes part", setup.numbers),
    Check("schedule", "the schedule", setup.schedule),
    Check("names", "names", setup.names, _NAMES),
    Check("clock", "the time of day", setup.wall_clock, settings=False),
    Check("steady", "the clock of the rounds", setup.monotonic_clock, settings=False),
    Check("time-zone", "time zone", setup.zone, settings=False),
    Check("memory", "memory", setup.memory, _BIGGER, settings=False),
    Check("power", "power", setup.power, "plug the machine in", settings=False),
    Check("watches", "watched directories", setup.watches),
    Check("open-files", "open files", setup.open_files, _FILES),
    Check("versions", "versions", setup.versions, "install loebner with the extra 'server'", False),
    Check("folder", "the folder", setup.folder, settings=False),
    Check(
        *("disk-space", "room on the disk", setup.space),
        *("free the disk: a contest pauses itself when it is full", False),
    ),
    Check("disk-speed", "speed of the disk", records.speed, _FASTER, settings=False),
    Check("record", "the record", records.record),
    Check("copy", "the second copy", records.copy),
    Check("codes", "the seats' codes", records.seat_codes),
    Check("port", "the port", setup.port, settings=False),
    Check("addresses", "addresses", setup.addresses, settings=False),
    Check("hosts", "the server's names", setup.hosts),
    Check("tls", "the certificate", setup.certificate, settings=False),
    Check("server", "the server", setup.server),
    Check("ready", "the server's word", setup.ready, joint="on"),
    Check("command", "program", entries.command),
    Check("directory", "communications directory", entries.directory),
    Check("start", "a first talk", entries.start),
    Check("link", "link", entries.link),
)


def look(
    folder: Path,
    ask: Ask,
    *,
    serving: Serving | None = None,
    start: bool = True,
    machine: Machine | None = None,
) -> Ground:
    """Looks at a contest's folder, and whether its server runs.

    Arguments:
        folder: the contest's folder.
        ask: asks a server for its `check`.
        serving: how the contest is to be served.
        start: whether entries may be started for a moment.
        machine: what it all stands on; this machine if left out.

    Raises:
        NotAContest: if there is no such folder, or it holds no contest.toml.
    """
    ground = Ground(folder.absolute(), serving=serving or Serving(), start=start)
    if machine is not None:
        ground.machine = machine
    try:
        ground.settings = load(folder).recorded_in(ground.serving.database)
    except BadSettings as exc:
        ground.trouble = str(exc)
    try:
        found = door.find(folder)
    except Surroundings as exc:
        if (folder / door.FILE_NAME).exists():
            ground.door_trouble = str(exc)
        return ground
    try:
        answer = ask(found)
        ground.running = Running(found.server, tuple(answer["checks"]), answer["status"])
    except (ContestError, Untrusted, LookupError, TypeError) as exc:
        ground.door_trouble = str(exc)
    return ground


def run(
    ground: Ground,
    tell: Callable[[Finding], None] = lambda finding: None,
    checks: Sequence[Check] = CHECKS,
) -> Report:
    """Makes all checks.

    Arguments:
        ground: what to look at.
        tell: given each line as soon as it is known.
        checks: which checks.
    """
    findings = []
    for check in checks:
        if check.settings and ground.settings is None:
            continue  # the line of `settings` says why
        for seen in _seen(check, ground):
            finding = Finding.of(check, seen)
            findings.append(finding)
            tell(finding)
    return Report(findings, ready=all(each.level is not Level.RED for each in findings))


def _seen(check: Check, ground: Ground) -> Iterator[Seen]:
    try:
        yield from check.look(ground)
    except Exception as exc:  # noqa: BLE001 -- one check that fails must not take the others along
        yield Seen(
            Level.RED,
            f"this check failed itself ({type(exc).__name__}: {exc})",
            "look at it by hand, and report this: it may be a fault of ours",
        )
