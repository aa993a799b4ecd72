"""The entries on the server's own machine: their directories, their links and their programs.

In a contest that an organizer has in hand each has a link in a process of its own, which outlives
the server (contest/links/local.py). A contest that plays by itself is over when its server is, and
has directories and programs in its own hands.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from contest.errors import BadSettings, JournalFailed
from contest.links.entrylink import EntryLink
from contest.links.link import Link
from contest.links.local import LocalLinks, Orders, file_of, read
from contest.links.program import Program, command_line
from contest.links.program_in_hand import EntryProgram
from contest.links.remote import RemoteLink
from contest.record.journal import Journal
from contest.setup.settings import EntryTable, Settings
from contest.talks.hub import Hub
from lpp.directory import rooms_parent


@asynccontextmanager
async def in_hand(
    folder: Path, settings: Settings, journal: Journal, hub: Hub
) -> AsyncIterator[tuple[dict[str, Link], dict[str, Program]]]:
    """The local entries of a contest that plays by itself, while the context is open.

    Arguments:
        folder: the contest's folder.
        settings: its settings.
        journal: the record.
        hub: where keys go.

    Returns:
        Entry id to its link, and to its program.

    Raises:
        BadSettings: if a program can't be started, or ends at once.
    """
    async with AsyncExitStack() as stack:
        rooms = _rooms()
        stack.callback(shutil.rmtree, rooms, ignore_errors=True)
        links: dict[str, Link] = {}
        programs: dict[str, EntryProgram] = {}
        for entry in settings.entry:
            if entry.link == "remote":
                continue
            directory = _directory(entry, rooms)
            links[entry.id] = await stack.enter_async_context(
                EntryLink(entry.id, directory, journal, hub)
            )
            if entry.command:
                words = command_line(entry.id, entry.command, directory)
                output = _output(folder, entry)
                programs[entry.id] = await stack.enter_async_context(
                    EntryProgram(entry.id, words, output, journal)
                )
        await asyncio.gather(*(each.spoken() for each in programs.values()))
        for name, program in programs.items():
            if not program.running:
                raise BadSettings(
                    f"the program of {name} ended as soon as it was started; "
                    f"see {folder / 'logs' / (name + '.log')}"
                )
        yield links, dict(programs)


@asynccontextmanager
async def linked(
    folder: Path,
    settings: Settings,
    server: str,
    codes: Mapping[str, str],
    links: Mapping[str, RemoteLink],
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
