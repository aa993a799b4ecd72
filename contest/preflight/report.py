"""What the pre-flight looks at, how its checks are run, and what they come to."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

from contest.errors import BadSettings, ContestError, Surroundings
from contest.net import door
from contest.net.door import Door
from contest.preflight.machine import Machine
from contest.setup.settings import EntryTable, Settings, load
from lpp.connection import Untrusted
from scheduler.texts import plain

#: Asks the server behind a door for its `check`; raises a ContestError if it does not answer.
Ask: TypeAlias = Callable[[Door], Mapping[str, Any]]


@dataclass(frozen=True)
class Serving:
    """How the contest is to be served.

    Attributes:
        host: the address to listen at.
        port: the port.
        certificate, key: files for TLS; None for none.
        database: of the record, in place of the settings'; None for the settings'.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    certificate: Path | None = None
    key: Path | None = None
    database: str | None = None


@dataclass(frozen=True)
class Running:
    """The server that runs in the folder.

    Attributes:
        server: where, as `http://HOST:PORT`.
        checks: what it says of seats, entries and itself: `what`, `level`, `words` each.
        status: where the contest is; see contest.organizer.status.
    """

    server: str
    checks: tuple[Mapping[str, Any], ...]
    status: Mapping[str, Any]

    @property
    def port(self) -> int:
        """The port at which it listens."""
        return int(self.server.rpartition(":")[2].rstrip("/"))


@dataclass
class Site:
    """All that the checks look at.

    Attributes:
        folder: the contest's folder.
        settings: its settings; None if they can't be used.
        trouble: why not, in words.
        serving: how it is to be served.
        running: the server that runs there; None if none does, or none answers.
        door_trouble: why a server that should be there does not answer; empty for none.
        start: whether entries are started for a moment.
        machine: the machine.
    """

    folder: Path
    settings: Settings | None = None
    trouble: str = ""
    serving: Serving = field(default_factory=Serving)
    running: Running | None = None
    door_trouble: str = ""
    start: bool = True
    machine: Machine = field(default_factory=Machine)

    @property
    def set(self) -> Settings:
        """The settings, for checks that are made only where they can be read."""
        assert self.settings is not None
        return self.settings

    @property
    def local(self) -> list[EntryTable]:
        """The entries on the server's machine."""
        return [entry for entry in self.set.entry if entry.link == "local"]


class Level(enum.Enum):
    """Ready; worth a look; no contest can be held so."""

    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"


class Seen(NamedTuple):
    """What a check has seen: how it is, in words, and what to do about it; if that is left out, the
    check says it."""

    level: Level
    found: str
    remedy: str = ""


def green(found: str) -> Seen:
    """All is well."""
    return Seen(Level.GREEN, found)


def yellow(found: str, remedy: str = "") -> Seen:
    """A contest can be held, but this is worth a look."""
    return Seen(Level.YELLOW, found, remedy)


def red(found: str, remedy: str = "") -> Seen:
    """No contest can be held so."""
    return Seen(Level.RED, found, remedy)


class Check(NamedTuple):
    """One check.

    Attributes:
        id: its identifier, for programs.
        what: what it looks at, for people.
        look: looks, and gives what it has seen: one thing; several, by whom each is about, such as
            `E1`; or None where there is nothing to look at.
        remedy: what to do about anything that is not green, unless `look` says otherwise.
        settings: whether it is of use only with settings that can be read.
        joint: the word between `what` and whom it is about.
    """

    id: str
    what: str
    look: Callable[[Site], Seen | Mapping[str, Seen] | None]
    remedy: str = ""
    settings: bool = True
    joint: str = "of"


class Finding(msgspec.Struct, frozen=True):
    """One line of the pre-flight.

    Attributes:
        id: the check's, with whom it is about, as in `start/E1`.
        level: how it is.
        what: what was looked at.
        found: what was found.
        remedy: what to do; empty where nothing is to be done.
    """

    id: str
    level: Level
    what: str
    found: str
    remedy: str = ""

    @classmethod
    def of(cls, check: Check, seen: Seen, about: str = "") -> Finding:
        """The line of what a check has seen, maybe about an entry or a seat. Names and paths in it
        are text and nothing else."""
        remedy = "" if seen.level is Level.GREEN else seen.remedy or check.remedy
        return cls(
            f"{check.id}/{about}" if about else check.id,
            seen.level,
            plain(f"{check.what} {check.joint} {about}" if about else check.what),
            plain(" ".join(seen.found.split())),
            plain(" ".join(remedy.split())),
        )


class Report(msgspec.Struct, frozen=True):
    """What the pre-flight came to, as `check-setup --json` prints it.

    Attributes:
        checks: its lines, in order.
        ready: whether nothing is red.
    """

    checks: list[Finding]
    ready: bool

    def of(self, level: Level) -> list[Finding]:
        """The lines of a level."""
        return [finding for finding in self.checks if finding.level is level]


def look(
    folder: Path,
    ask: Ask,
    *,
    serving: Serving | None = None,
    start: bool = True,
    machine: Machine | None = None,
) -> Site:
    """Looks at a contest's folder, and whether its server runs.

    Arguments:
        folder: the contest's folder.
        ask: asks a server for its `check`.
        serving: how the contest is to be served.
        start: whether entries may be started for a moment.
        machine: this machine if left out.

    Raises:
        NotAContest: if there is no such folder, or it holds no contest.toml.
    """
    site = Site(folder.absolute(), serving=serving or Serving(), start=start)
    if machine is not None:
        site.machine = machine
    try:
        site.settings = load(folder).recorded_in(site.serving.database)
    except BadSettings as exc:
        site.trouble = str(exc)
    try:
        found = door.find(folder)
    except Surroundings as exc:
        if (folder / door.FILE_NAME).exists():
            site.door_trouble = str(exc)
        return site
    try:
        answer = ask(found)
        site.running = Running(found.server, tuple(answer["checks"]), answer["status"])
    except (ContestError, Untrusted, LookupError, TypeError) as exc:
        site.door_trouble = str(exc)
    return site


def run(
    site: Site,
    checks: Sequence[Check],
    tell: Callable[[Finding], None] = lambda finding: None,
) -> Report:
    """Makes checks. One that fails itself is a red line; the others are of use all the same.

    Arguments:
        site: what to look at.
        checks: which checks.
        tell: called with each line as soon as it is known.
    """
    findings = []
    for check in checks:
        if check.settings and site.settings is None:
            continue  # the line of `settings` says why
        for about, seen in _seen(check, site).items():
            finding = Finding.of(check, seen, about)
            findings.append(finding)
            tell(finding)
    return Report(findings, ready=all(each.level is not Level.RED for each in findings))


def _seen(check: Check, site: Site) -> Mapping[str, Seen]:
    try:
        seen = check.look(site)
    except Exception as exc:  # noqa: BLE001 -- one check that fails must not take the others along
        seen = red(
            f"this check failed itself ({type(exc).__name__}: {exc})",
            "look at it by hand, and report this: it may be a fault of ours",
        )
    return {"": seen} if isinstance(seen, Seen) else seen or {}
