"""The entries on the server's own machine: their directories, and a link for each in a process of
its own, which outlives the server (contest/links/local.py)."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from contest.errors import JournalFailed
from contest.links.link import Link
from contest.links.local import LocalLinks, Orders, file_of, read
from contest.links.program import command_line
from contest.setup.settings import EntryTable, Settings
from lpp.directory import rooms_parent


@asynccontextmanager
async def linked(
    folder: Path,
    settings: Settings,
    server: str,
    codes: Mapping[str, str],
    links: Mapping[str, Link],
    over: Callable[[], bool],
    fingerprint: str = "",
) -> AsyncIterator[LocalLinks]:
    """The links' processes of the local entries, while the context is open. A server that is killed
    leaves them as they are, and the next one finds them here.

    Arguments:
        folder: the contest's folder.
        settings: its settings.
        server: where links come in, as `ws://HOST:PORT/link`.
        codes: entry id to the code of its link, of the local ones.
        links: entry id to the server's end of its link.
        over: whether the contest is, and nobody needs the directories any more.
        fingerprint: of the server's certificate; empty where it speaks no TLS.

    Raises:
        BadSettings: if a command can't be read, or a directory not be had.
        Surroundings: if a link can't be started.
    """
    processes = LocalLinks(folder)
    rooms: Path | None = None
    made: list[tuple[EntryTable, Path]] = []
    goes_on = False
    try:
        for entry in settings.entry:
            if entry.id not in codes:
                continue
            before = read(file_of(folder, entry.id))
            if entry.directory:
                directory = Path(entry.directory)
            elif before is not None and _made_again(Path(before.directory)):
                # An entry that has outlived its server has browsed to this one, and browses once.
                directory = Path(before.directory)
            else:
                rooms = rooms or _rooms()
                directory = _directory(entry, rooms)
            if not entry.directory:
                made.append((entry, directory))
            words = command_line(entry.id, entry.command, directory) if entry.command else []
            orders = Orders(
                *(server, codes[entry.id], str(directory), words),
                *(str(_output(folder, entry)), fingerprint),
                patience=60 * settings.links.minutes_without_server,
            )
            processes.start(entry.id, orders)
        yield processes
    except JournalFailed:
        # As if the server had been killed: what is not recorded yet is theirs to keep.
        goes_on = True
        raise
    finally:
        for name in codes:
            links[name].hang_up("the server ends")
        if not goes_on:
            await processes.end()
        for entry, directory in [] if goes_on else made:
            # One whose program somebody else has started goes on when the contest is taken up.
            if over() or entry.command:
                shutil.rmtree(directory, ignore_errors=True)
                _remove_if_empty(directory.parent)


def _rooms() -> Path:
    return Path(tempfile.mkdtemp(prefix="loebner-", dir=rooms_parent()))


def _directory(entry: EntryTable, rooms: Path) -> Path:
    if entry.directory:
        return Path(entry.directory)
    directory = rooms / entry.id
    directory.mkdir()
    return directory


def _made_again(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return True


def _remove_if_empty(directory: Path) -> None:
    with contextlib.suppress(OSError):  # others are in it still
        directory.rmdir()


def _output(folder: Path, entry: EntryTable) -> Path:
    return folder / "logs" / f"{entry.id}.log"
