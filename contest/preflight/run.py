"""The whole pre-flight: which checks there are, and what they come to.

A check is a function that looks at the ground and tells what it has seen. To add one, write it and
give it a line in `CHECKS` of its module. One that fails itself is a red line, and no traceback: the
others are still of use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contest.doors import door
from contest.errors import BadSettings, ContestError, Surroundings
from contest.preflight import (
    contest_checks,
    disk_checks,
    entry_checks,
    machine_checks,
    network_checks,
    record_checks,
)
from contest.preflight.finding import Check, Finding, Level, Seen
from contest.preflight.ground import Ask, Ground, Running, Serving
from contest.preflight.machine import Machine
from contest.setup.settings import load
from lpp.trust import Untrusted

#: All checks, in the order in which they are made: what is quick and decides most comes first.
CHECKS: tuple[Check, ...] = (
    *contest_checks.CHECKS,
    *machine_checks.CHECKS,
    *disk_checks.CHECKS,
    *record_checks.CHECKS,
    *network_checks.CHECKS,
    *entry_checks.CHECKS,
)


@dataclass(frozen=True, slots=True)
class Report:
    """What the pre-flight came to.

    Attributes:
        findings: its lines, in order.
    """

    findings: tuple[Finding, ...]

    @property
    def ready(self) -> bool:
        """Whether nothing is red."""
        return not self.of(Level.RED)

    def of(self, level: Level) -> list[Finding]:
        """The lines of a level."""
        return [finding for finding in self.findings if finding.level is level]

    def as_json(self) -> dict[str, Any]:
        """The document of `check-setup --json`."""
        return {"checks": [finding.as_json() for finding in self.findings], "ready": self.ready}


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
    return Report(tuple(findings))


def _seen(check: Check, ground: Ground) -> Iterator[Seen]:
    try:
        yield from check.look(ground)
    except Exception as exc:  # noqa: BLE001 -- one check that fails must not take the others along
        yield Seen(
            Level.RED,
            f"this check failed itself ({type(exc).__name__}: {exc})",
            "look at it by hand, and report this: it may be a fault of ours",
        )
