"""Checks of the entries: their programs, their directories, and whether they talk."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

from contest.ending import run_in_order
from contest.errors import BadSettings
from contest.links.program import command_line
from contest.preflight.findings import Ground, Seen, green, in_bytes, red, yellow
from contest.setup.filenames import is_device
from contest.setup.settings import EntryTable
from lpp.conformance.cases import Case, CheckResult, Outcome, choose
from lpp.conformance.check import Setup, check
from lpp.conformance.talk import Measures
from lpp.directory import LocalDirectory, rooms_parent
from lpp.errors import LPPError
from lpp.keypress import parse
from lpp.program import split

#: Parts of paths under which some program keeps a copy in a cloud: it touches what it finds there.
_CLOUDS = ("dropbox", "onedrive", "google drive", "googledrive", "icloud", "mobile documents",
           "nextcloud", "owncloud", "pcloud", "box sync", "creative cloud files")  # fmt: skip
#: What a short talk takes, in seconds: to see that it waits, and to answer; and all of it.
SHORT = Measures(still=1.5, first=30.0, whole=60.0)
#: The acts that are enough to see whether an entry waits; see lpp.conformance.
_ACTS = {"3/waits": ("waits-empty",)}
#: Bytes of memory that the directories need at least: a flood of keys fits in.
_ROOM = 64 * 1024 * 1024


def command(ground: Ground) -> Iterator[Seen]:
    """The program of each local entry is there and may be run."""
    for entry in _local(ground):
        if not entry.command:
            yield yellow(
                "has no command: it is started by hand",
                "start it before the first round, or give it a command, and the server starts it",
                of=entry.id,
            )
            continue
        try:
            words = command_line(entry.id, entry.command, Path("dir"), ground.machine.platform)
        except BadSettings as exc:
            yield red(str(exc), "mend the quotes in its command", of=entry.id)
            continue
        if not words:
            yield red("its command is empty", "write which program to start", of=entry.id)
        elif ground.machine.program(words[0]) is None:
            yield red(
                f"there is no program {words[0]!r} that may be run",
                "install it, write its whole path, or give permission to run it (chmod +x)",
                of=entry.id,
            )
        else:
            yield green(f"{entry.command!r} can be started", of=entry.id)


def directory(ground: Ground) -> Iterator[Seen]:
    """Each local entry's communications directory can be used, and lies on this machine."""
    taken: dict[str, str] = {}
    for entry in _local(ground):
        if not entry.directory:
            yield _made(ground, entry)
            continue
        path = Path(entry.directory)
        real = os.path.realpath(path)
        if real in taken:
            yield red(
                f"{path} is the directory of {taken[real]}, too",
                "give each entry its own",
                of=entry.id,
            )
            continue
        taken[real] = entry.id
        yield _given(ground, entry, path)


def _made(ground: Ground, entry: EntryTable) -> Seen:
    rooms = rooms_parent()
    free = ground.machine.free(rooms)
    if free < _ROOM:
        return red(
            f"one is made in {rooms}, where {in_bytes(free)} are free",
            "free room there, or name a directory of its own",
            of=entry.id,
        )
    return green(f"one is made in {rooms}", of=entry.id)


def _given(ground: Ground, entry: EntryTable, path: Path) -> Seen:
    try:
        place = LocalDirectory(path)
        place.check()
        standing = place.names()
    except (LPPError, OSError) as exc:
        return red(str(exc), "make it, or name another directory", of=entry.id)
    devices = [part for part in path.parts if is_device(part)]
    if devices:
        return yellow(
            f"{path}: {devices[0]!r} is a device of Windows, where no directory can be called so",
            "name another directory",
            of=entry.id,
        )
    kind = ground.machine.network_kind(path)
    if kind is not None:
        return yellow(
            f"{path} lies on a network mount ({kind}): keys are found by listing it again and "
            "again, and are lost with the network",
            "name a directory on this machine, or have `loebner link` run beside the entry",
            of=entry.id,
        )
    cloud = next((part for part in path.parts if _is_cloud(part)), None)
    if cloud is not None:
        return yellow(
            f"{path} lies under {cloud!r}: a program that copies it to a cloud meddles with keys",
            "name a directory that nothing synchronises",
            of=entry.id,
        )
    keys = sum(parse(name) is not None for name in standing)
    if len(standing) > keys:
        return yellow(
            f"{path} holds {len(standing) - keys} things that are no key presses",
            "name a directory of its own; what is no key press stays there",
            of=entry.id,
        )
    emptied = f"; the {keys} key presses that stand there are taken away before a talk" * bool(keys)
    return green(f"{path} can be used{emptied}", of=entry.id)


def _is_cloud(part: str) -> bool:
    name = part.casefold()
    return any(name == cloud or name.startswith((f"{cloud} ", f"{cloud}-")) for cloud in _CLOUDS)


def start(ground: Ground) -> Iterator[Seen]:
    """Each local entry is started for a moment, waits, and answers a first line."""
    entries = [entry for entry in _local(ground) if entry.command]
    if ground.running is not None or not ground.start:
        # Two of one program may be in each other's way; the server says how its own do.
        return
    ready = [
        entry
        for entry in entries
        if (words := _words(ground, entry)) and ground.machine.program(words[0]) is not None
    ]
    for entry, result in zip(ready, run_in_order(_talked(ready)), strict=True):
        yield _heard(entry, result)


def _words(ground: Ground, entry: EntryTable) -> list[str]:
    try:
        return command_line(entry.id, entry.command, Path("dir"), ground.machine.platform)
    except BadSettings:
        return []  # which `command` says


async def _talked(entries: list[EntryTable]) -> list[CheckResult | BaseException]:
    cases = tuple(_shortened(case) for case in choose(("3/waits", "3/answers")))
    talks = [
        check(Setup(tuple(split(entry.command)), cases=cases, measures=SHORT)) for entry in entries
    ]
    return await asyncio.gather(*talks, return_exceptions=True)


def _shortened(case: Case) -> Case:
    return case._replace(acts=_ACTS.get(case.id, case.acts))


def _heard(entry: EntryTable, result: CheckResult | BaseException) -> Seen:
    fuller = f"`loebner check-bot -- {entry.command}` tells more"
    if isinstance(result, BaseException):
        return red(f"it can't be tried: {result}", fuller, of=entry.id)
    bad = [case for case in result.cases if case.outcome is not Outcome.PASS]
    if not bad:
        return green(
            f"started, waited and answered a first line, in {result.seconds:.0f} seconds",
            of=entry.id,
        )
    said = result.output.strip().splitlines()[-1:] if result.log.trouble else []
    words = [case.observed for case in bad if case.observed]
    found = "; ".join(dict.fromkeys([*words, *([f"it wrote: {said[0]}"] if said else [])]))
    causes = [case.cause for case in bad if case.cause]
    return red(found, "; ".join([*causes, fuller]), of=entry.id)


def link(ground: Ground) -> Iterator[Seen]:
    """The link of each entry on another machine is here."""
    here = {
        entry["entry"]: bool(entry["here"])
        for entry in (ground.running.status.get("entries", ()) if ground.running else ())
    }
    for entry in ground.set.entry:
        if entry.link != "remote":
            continue
        if here.get(entry.id):
            yield green("its link is here", of=entry.id)
        else:
            told = "not here" if ground.running else "not known: no server runs in this folder"
            yield yellow(
                f"its link is {told}",
                "start the server, then `loebner link` beside the entry, and look again",
                of=entry.id,
            )


def _local(ground: Ground) -> list[EntryTable]:
    return [entry for entry in ground.set.entry if entry.link == "local"]
