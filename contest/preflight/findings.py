"""What the pre-flight looks at, and what its checks find."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

from contest.net.door import Door
from contest.preflight.machine import Machine
from contest.setup.settings import Settings
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
        database: of the record, in the place of the settings' one; None for that one.
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
class Ground:
    """All that is looked at.

    Attributes:
        folder: the contest's folder.
        settings: its settings; None if they can't be used.
        trouble: why not, in words.
        serving: how it is to be served.
        running: the server that runs there; None if none does, or none answers.
        door_trouble: why a server that should be there does not answer; empty for none.
        start: whether entries are started for a moment.
        machine: what it all stands on.
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


class Level(enum.Enum):
    """How a thing is: ready; worth a look; a contest can't be held so."""

    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"


class Seen(NamedTuple):
    """What a check has seen: how it is, in words, what to do about it if not what the table says,
    and whom it is about, such as `E1`, where a check is about several."""

    level: Level
    found: str
    remedy: str = ""
    of: str = ""


def green(found: str, *, of: str = "") -> Seen:
    """All is well."""
    return Seen(Level.GREEN, found, "", of)


def yellow(found: str, remedy: str = "", *, of: str = "") -> Seen:
    """A contest can be held, but this is worth a look."""
    return Seen(Level.YELLOW, found, remedy, of)


def red(found: str, remedy: str = "", *, of: str = "") -> Seen:
    """No contest can be held so."""
    return Seen(Level.RED, found, remedy, of)


class Check(NamedTuple):
    """One check.

    Attributes:
        id: its identifier, for programs.
        what: what it looks at, for people.
        look: looks, and gives what it has seen; nothing where the thing is not there.
        remedy: what to do about anything that is not green, unless `look` says otherwise.
        settings: whether it is of use only with settings that can be read.
        joint: the word between `what` and whom it is about.
    """

    id: str
    what: str
    look: Callable[[Ground], Iterable[Seen]]
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
    def of(cls, check: Check, seen: Seen) -> Finding:
        """The line of what a check has seen. Names and paths in it are text and nothing else."""
        remedy = "" if seen.level is Level.GREEN else seen.remedy or check.remedy
        return cls(
            f"{check.id}/{seen.of}" if seen.of else check.id,
            seen.level,
            plain(f"{check.what} {check.joint} {seen.of}" if seen.of else check.what),
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


def in_bytes(number: float) -> str:
    """A number of bytes in words."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"
