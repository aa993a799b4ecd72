"""What the pre-flight looks at, how its checks are run, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from contest.errors import BadSettings, ContestError
from contest.net import door
from contest.net.door import Door
from contest.setup.settings import EntryTable, Settings, load
from lpp.connection import Untrusted
from scheduler.texts import plain

#: Asks the server behind a door for its `check`; raises a ContestError if it does not answer.
Ask: TypeAlias = Callable[[Door], Mapping[str, Any]]
#: Ready; worth a look; no contest can be held so.
Level: TypeAlias = Literal["green", "yellow", "red"]


class NoSettings(Exception):
    """The settings can't be read."""


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


@dataclass
class Site:
    """All that the checks look at.

    Attributes:
        folder: the contest's folder.
        given: its settings; None if they can't be used.
        trouble: why not, in words.
        serving: how it is to be served.
        server: the address of the server that runs there; empty if none answers.
        answer: what that server has answered to `check`: see docs/reference/control.md.
        silent: why a server that should be there does not answer; empty for none.
        start: whether entries are started for a moment.
    """

    folder: Path
    given: Settings | None = None
    trouble: str = ""
    serving: Serving = field(default_factory=Serving)
    server: str = ""
    answer: Mapping[str, Any] = field(default_factory=dict)
    silent: str = ""
    start: bool = True

    @property
    def settings(self) -> Settings:
        """The settings.

        Raises:
            NoSettings: if they can't be read. The check that needs them is left out.
        """
        if self.given is None:
            raise NoSettings
        return self.given

    @property
    def local(self) -> list[EntryTable]:
        """The entries on the server's machine."""
        return [entry for entry in self.settings.entry if entry.link == "local"]

    @property
    def port(self) -> int:
        """The port of the server that runs, or is to run."""
        return int(self.server.rpartition(":")[2].rstrip("/")) if self.server else self.serving.port


class Seen(NamedTuple):
    """What a check has seen: its level, what was found, and what to do about it; if that is left
    out, the check says it."""

    level: Level
    found: str
    remedy: str = ""


class Check(NamedTuple):
    """One check.

    Attributes:
        id: its identifier, for programs.
        what: what it looks at, for people; whom it is about is put behind it.
        look: looks, and gives what it has seen: one thing; several, by whom each is about, such as
            `E1`; or None where there is nothing to look at.
        remedy: what to do about anything that is not green, unless `look` says otherwise.
    """

    id: str
    what: str
    look: Callable[[Site], Seen | Mapping[str, Seen] | None]
    remedy: str = ""


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
    remedy: str


class Report(msgspec.Struct, frozen=True):
    """What the pre-flight came to, as `check-setup --json` prints it.

    Attributes:
        checks: its lines, in order.
        ready: whether nothing is red.
    """

    checks: list[Finding]
    ready: bool


def look(
    folder: Path,
    ask: Ask,
    *,
    serving: Serving | None = None,
    start: bool = True,
) -> Site:
    """Looks at a contest's folder, and whether its server runs.

    Arguments:
        folder: the contest's folder.
        ask: asks a server for its `check`.
        serving: how the contest is to be served.
        start: whether entries may be started for a moment.

    Raises:
        NotAContest: if there is no such folder, or it holds no contest.toml.
    """
    site = Site(folder.absolute(), serving=serving or Serving(), start=start)
    try:
        site.given = load(folder).recorded_in(site.serving.database)
    except BadSettings as exc:
        site.trouble = str(exc)
    try:
        found = door.find(folder)
        site.answer = ask(found)
        site.server = found.server
    except (ContestError, Untrusted) as exc:
        if (folder / door.FILE_NAME).exists():
            site.silent = str(exc)
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
        for about, (level, found, remedy) in _seen(check, site).items():
            # Names and paths are text and nothing else.
            texts = (f"{check.what} {about}", found, "" if level == "green" else remedy)
            words = [plain(" ".join(text.split())) for text in texts]
            finding = Finding(f"{check.id}/{about}" if about else check.id, level, *words)
            findings.append(finding)
            tell(finding)
    return Report(findings, ready=all(each.level != "red" for each in findings))


def _seen(check: Check, site: Site) -> Mapping[str, Seen]:
    try:
        seen = check.look(site)
    except NoSettings:
        return {}  # the line of `settings` says why
    except Exception as exc:  # noqa: BLE001 -- one check that fails must not take the others along
        seen = Seen(
            "red",
            f"this check failed itself ({type(exc).__name__}: {exc})",
            "look at it by hand, and report this: it may be a fault of ours",
        )
    found = {"": seen} if isinstance(seen, Seen) else seen or {}
    return {
        about: each if each.remedy else each._replace(remedy=check.remedy)
        for about, each in found.items()
    }
