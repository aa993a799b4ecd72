"""What the checks of the pre-flight look at: a contest's folder, how it is to be served, and the
machine under it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from contest.doors.door import Door
from contest.preflight.machine import Machine
from contest.setup.settings import Settings

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
        status: where the contest is; see contest.control.overview.
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


def in_bytes(number: float) -> str:
    """A number of bytes in words."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"
