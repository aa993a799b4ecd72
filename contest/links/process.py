"""Entries on the server's own machine: their directories, and for each a link in a separate
process, which outlives the server.

The process does the work of `loebner link` on another machine. If the server is killed, the entry
and its keys survive, and the next server finds the link still running. The link's orders are in a
file in the contest's folder, which only its owner can read. The link reads it before each
connection, because the next server may listen elsewhere, or may want the link to end.

    python -m contest.links.process FILE
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from contest.errors import EnvironmentProblem, InUse, JournalFailed
from contest.links.client import NoServer, run
from contest.links.directory import Checkpoint, LinkedDirectory
from contest.links.ends import LinkRefused
from contest.links.program import command_line
from contest.setup.lock import lock_file
from contest.tasks import cancel_on_signals
from lpp.connection import Trust
from lpp.directory import communications_root
from lpp.errors import LPPError
from lpp.private import replace_private
from lpp.program import OWN_GROUP

if TYPE_CHECKING:
    # The link's process, of which there is one for each entry, does without these.
    from contest.links.link import Link
    from contest.setup.settings import EntryTable, Settings

#: The folder for the links' files in a contest's folder.
FOLDER = "links"
#: Seconds of real time within which links must end.
ENDING = 20.0


class LinkOrders(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The orders for a link.

    Attributes:
        server: the server's address for links, as `ws://HOST:PORT/link`.
        code: the entry's code.
        directory: the entry's communications directory.
        words: the command line of its program; empty if somebody else starts the program.
        output: the file to which the program's output is appended.
        fingerprint: the fingerprint of the server's certificate; empty without TLS.
        end: whether the link must end.
        patience: seconds of real time without a server after which the link ends.
    """

    server: str
    code: str
    directory: str
    words: list[str] = []
    output: str = ""
    fingerprint: str = ""
    end: bool = False
    patience: float = 600.0


def file_of(folder: Path, entry: str) -> Path:
    """The file with the orders of an entry's link."""
    return folder / FOLDER / f"{entry}.json"


def read(file: Path) -> LinkOrders | None:
    """The orders in a file, or None if there are no usable ones."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=LinkOrders)
    except (OSError, msgspec.DecodeError):
        return None


def code_of(folder: Path, entry: str) -> str:
    """The code that an entry's link has from an earlier server, or an empty text. It stays valid;
    otherwise a link that reads its old orders just before they are replaced would be refused
    permanently."""
    orders = read(file_of(folder, entry))
    return "" if orders is None else orders.code


def write(file: Path, orders: LinkOrders) -> None:
    """Writes orders, replacing earlier ones.

    Raises:
        EnvironmentProblem: if they can't be written.
    """
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        replace_private(file, msgspec.json.encode(orders) + b"\n")
    except OSError as exc:
        raise EnvironmentProblem(f"{file}: can't be written ({exc.strerror or exc})") from exc


def start(folder: Path, entry: str, orders: LinkOrders) -> subprocess.Popen[bytes] | None:
    """Runs an entry's link with these orders.

    Returns:
        The process; None if the link of an earlier server still runs, and takes over the orders.

    Raises:
        EnvironmentProblem: if the orders can't be written, or the process can't be started.
    """
    file, log = file_of(folder, entry), folder / "logs" / f"{entry}.link.log"
    before = read(file)
    if before is None or before.directory != orders.directory:
        # The checkpoint of another directory is useless for this one.
        _checkpoint(file).unlink(missing_ok=True)
    write(file, orders)
    if runs(file):
        return None
    try:
        log.parent.mkdir(mode=0o700, exist_ok=True)
        with log.open("ab") as output:
            # Not asyncio's, whose event loop would kill the process at its end.
            return subprocess.Popen(
                [sys.executable, "-P", "-m", "contest.links.process", str(file)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # A Ctrl-C, or closing the terminal, must not end it.
                **OWN_GROUP,
            )
    except OSError as exc:
        raise EnvironmentProblem(
            f"the link of {entry} can't be started ({exc.strerror or exc})"
        ) from exc


async def end(folder: Path, started: Mapping[str, subprocess.Popen[bytes] | None]) -> None:
    """Ends links with their programs, and waits for at most `ENDING` seconds until they have ended;
    `started` maps each entry's id to the result of `start`."""
    files = [file_of(folder, entry) for entry in started]
    ours = [process for process in started.values() if process is not None]
    for file in files:
        order_end(file)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(ENDING):
            # Links that an earlier server started are not our child processes: check their locks.
            while any(each.poll() is None for each in ours) or any(map(runs, files)):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    for process in ours:
        process.kill()
        process.wait()


def order_end(file: Path) -> None:
    """Orders the link with this orders file to end, with its program, before its next
    connection."""
    orders = read(file)
    if orders is not None:
        with contextlib.suppress(EnvironmentProblem):
            write(file, replace(orders, end=True))


def runs(file: Path) -> bool:
    """Whether a link with this orders file is running."""
    if not file.exists():
        return False
    try:
        # Asked in an event loop, which must not wait.
        with lock_file(file.with_suffix(".lock"), wait=0):
            return False
    except (InUse, EnvironmentProblem):
        return True


def _checkpoint(file: Path) -> Path:
    return file.with_suffix(".memory")


@asynccontextmanager
async def run_local_links(
    folder: Path,
    settings: Settings,
    server: str,
    codes: Mapping[str, str],
    links: Mapping[str, Link],
    over: Callable[[], bool],
    fingerprint: str = "",
) -> AsyncIterator[None]:
    """Runs the link processes of the local entries while the context is open. If the server is
    killed, they keep running, and the next server finds them.

    Arguments:
        folder, settings: the contest's.
        server: the server's address for links, as `ws://HOST:PORT/link`.
        codes, links: for each local entry, the code and the server's side of its link.
        over: says whether the contest is over, so that the directories are no longer needed.
        fingerprint: the fingerprint of the server's certificate; empty without TLS.

    Raises:
        BadSettings: if a command can't be read.
        EnvironmentProblem: if a link can't be started.
    """
    started: dict[str, subprocess.Popen[bytes] | None] = {}
    rooms: Path | None = None
    made: list[tuple[EntryTable, Path]] = []
    survive = False
    try:
        for entry in settings.entry:
            if entry.id not in codes:
                continue
            directory, before = Path(entry.directory), read(file_of(folder, entry.id))
            if not entry.directory:
                # An entry that outlived its server still uses that directory, because a program
                # chooses its directory only once.
                directory = Path("" if before is None else before.directory)
                with contextlib.suppress(OSError):
                    directory.mkdir(parents=True, exist_ok=True)
                if before is None or not directory.is_dir():
                    rooms = rooms or Path(
                        tempfile.mkdtemp(prefix="loebner-", dir=communications_root())
                    )
                    directory = rooms / entry.id
                    directory.mkdir()
                made.append((entry, directory))
            orders = LinkOrders(
                *(server, codes[entry.id], str(directory)),
                command_line(entry.id, entry.command, directory) if entry.command else [],
                *(str(folder / "logs" / f"{entry.id}.log"), fingerprint),
                patience=60 * settings.links.minutes_without_server,
            )
            started[entry.id] = start(folder, entry.id, orders)
        yield
    except JournalFailed:
        # As if the server had been killed: the links keep their unrecorded frames.
        survive = True
        raise
    finally:
        for name in codes:
            links[name].close_connection("the server is stopping")
        if not survive:
            await end(folder, started)
            for entry, directory in made:
                # A program that somebody else started keeps its directory until the contest ends.
                if over() or entry.command:
                    shutil.rmtree(directory, ignore_errors=True)
                    with contextlib.suppress(OSError):  # it still has other directories
                        directory.parent.rmdir()


# The process


class _EndOrdered(Exception):
    """The orders say that the link must end."""


def main(file: Path) -> int:
    """Runs a link by the orders in a file until they tell it to end.

    Returns:
        The exit code: 0, or 1 if it can't continue.
    """
    try:
        with lock_file(file.with_suffix(".lock")):
            asyncio.run(_run(file))
    except InUse:
        return 0  # another process runs this link: two servers were started in quick succession
    except (_EndOrdered, asyncio.CancelledError):
        return 0
    except (LPPError, EnvironmentProblem, LinkRefused, NoServer) as exc:
        _say(f"the link ends: {exc}")
        return 1
    return 0


async def _run(file: Path) -> None:
    first = read(file)
    if first is None or first.end:
        return
    cancel_on_signals()
    checkpoint = Checkpoint(_checkpoint(file))
    client = f"loebner {version('loebner')}"
    patience = math.inf

    def where() -> tuple[str, Trust]:
        nonlocal patience
        orders = read(file)
        if orders is None or orders.end:
            raise _EndOrdered
        link.end.code, patience = orders.code, orders.patience
        return orders.server, Trust(fingerprint=orders.fingerprint)

    async with LinkedDirectory(first.directory, checkpoint, first.code, client) as link:
        lock = file.with_suffix(".program.lock")
        await run(link, where, _say, lambda: patience, first.words, Path(first.output), lock)


def _say(what: str) -> None:
    with contextlib.suppress(OSError):  # a full disk for the log must not end the link
        print(what, flush=True)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
