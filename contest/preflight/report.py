"""Runs the checks of the pre-flight, and reports their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from contest.errors import BadSettings, ContestError
from contest.net import addresses
from contest.net.addresses import ControlAddress
from contest.setup.settings import EntryTable, Settings, load
from lpp.connection import Untrusted
from scheduler.texts import plain

#: Asks a server for its `check`; raises a ContestError if it does not answer.
Ask: TypeAlias = Callable[[ControlAddress], Mapping[str, Any]]
#: The contest can't be held; needs attention; ready.
Level: TypeAlias = Literal["red", "yellow", "green"]


class NoSettings(Exception):
    """The settings can't be read."""


@dataclass(frozen=True)
class ServeOptions:
    """The options with which the contest will be served.

    Attributes:
        host: the address to listen on.
        port: the port.
        certificate, key: files for TLS, or None.
        database: the record's database; None for the one in the settings.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    certificate: Path | None = None
    key: Path | None = None
    database: str | None = None


@dataclass
class Site:
    """The data for the checks.

    Attributes:
        folder: the contest's folder.
        loaded: its settings; None if they can't be used.
        trouble: why they can't be used, in words.
        serving: the options with which it will be served.
        server: the address of the contest's running server; empty if none answers.
        answer: that server's answer to `check`; see docs/reference/control.md.
        no_answer: why an expected server does not answer; empty otherwise.
        start: whether entries may be started for a short test.
    """

    folder: Path
    loaded: Settings | None = None
    trouble: str = ""
    serving: ServeOptions = field(default_factory=ServeOptions)
    server: str = ""
    answer: Mapping[str, Any] = field(default_factory=dict)
    no_answer: str = ""
    start: bool = True

    @property
    def settings(self) -> Settings:
        """The settings.

        Raises:
            NoSettings: if they can't be read; the check that needs them is skipped.
        """
        if self.loaded is None:
            raise NoSettings
        return self.loaded

    @property
    def local(self) -> list[EntryTable]:
        """The entries on the server's machine."""
        return [entry for entry in self.settings.entry if entry.link == "local"]

    @property
    def port(self) -> int:
        """The port of the running server, or of the one to be started."""
        return int(self.server.rpartition(":")[2].rstrip("/")) if self.server else self.serving.port


class Assessment(NamedTuple):
    """The result of a check: its level, the finding, and the remedy, by default the check's."""

    level: Level
    found: str
    remedy: str = ""


#: Makes a check. Returns one result, or several by id, such as `E1`; None if there is nothing to
#: check.
Inspect: TypeAlias = Callable[[Site], Assessment | Mapping[str, Assessment] | None]


class PreflightCheck(NamedTuple):
    """One check.

    Attributes:
        id: its identifier, for programs.
        what: its subject in words; an id may follow.
        inspect: makes the check.
        remedy: the remedy for anything that is not green, unless `inspect` gives another.
    """

    id: str
    what: str
    inspect: Inspect
    remedy: str = ""


class Finding(msgspec.Struct, frozen=True):
    """One line of the pre-flight.

    Attributes:
        id: the check's identifier, with the id that it concerns, as in `start/E1`.
        level: the level.
        what: the subject.
        found: the finding.
        remedy: what to do; empty if there is nothing to do.
    """

    id: str
    level: Level
    what: str
    found: str
    remedy: str


class PreflightReport(msgspec.Struct, frozen=True):
    """The result of the pre-flight, as printed by `check-setup --json`.

    Attributes:
        checks: its lines, in order.
        ready: whether nothing is red.
    """

    checks: list[Finding]
    ready: bool


def inspect_site(
    folder: Path,
    ask: Ask,
    *,
    serving: ServeOptions | None = None,
    start: bool = True,
) -> Site:
    """Reads a contest's folder, and asks its server if it runs.

    Arguments:
        folder: the contest's folder.
        ask: asks a server for its `check`.
        serving: the options with which the contest will be served.
        start: whether entries may be started for a short test.

    Raises:
        NotAContest: if there is no such folder, or it has no contest.toml.
    """
    site = Site(folder.absolute(), serving=serving or ServeOptions(), start=start)
    try:
        site.loaded = load(folder).recorded_in(site.serving.database)
    except BadSettings as exc:
        site.trouble = str(exc)
    try:
        found = addresses.find_control(folder)
        site.answer = ask(found)
        site.server = found.server
    except (ContestError, Untrusted) as exc:
        if (folder / addresses.CONTROL_FILE).exists():
            site.no_answer = str(exc)
    return site


def run(
    site: Site,
    checks: Sequence[PreflightCheck],
    tell: Callable[[Finding], None] = lambda finding: None,
) -> PreflightReport:
    """Runs checks. If a check itself fails, its line is red, and the others still run.

    Arguments:
        site: the data for the checks.
        checks: the checks.
        tell: called with each line as soon as it is known.
    """
    findings = []
    for check in checks:
        for about, (level, found, remedy) in _seen(check, site).items():
            # Names and paths may have control characters.
            texts = (f"{check.what} {about}", found, "" if level == "green" else remedy)
            words = [plain(" ".join(text.split())) for text in texts]
            finding = Finding(f"{check.id}/{about}" if about else check.id, level, *words)
            findings.append(finding)
            tell(finding)
    return PreflightReport(findings, ready=all(each.level != "red" for each in findings))


def _seen(check: PreflightCheck, site: Site) -> Mapping[str, Assessment]:
    try:
        seen = check.inspect(site)
    except NoSettings:
        return {}  # the line of `settings` says why
    except Exception as exc:  # noqa: BLE001 -- a check that fails must not stop the others
        seen = Assessment(
            "red",
            f"the check itself failed ({type(exc).__name__}: {exc})",
            "check this by hand, and report the error, which may be a bug of ours",
        )
    found = {"": seen} if isinstance(seen, Assessment) else seen or {}
    return {
        about: each if each.remedy else each._replace(remedy=check.remedy)
        for about, each in found.items()
    }
