"""Entries on the server's own machine: their directories, and a link for each in a separate
process, which outlives the server.

The process does what `loebner link` does on another machine. A server that is killed takes neither
entry nor keys with it, and the next one finds the link still there. What the process has to know is
in a file in the contest's folder, which only its owner can read, and which it reads again before it
connects: the next server may listen elsewhere, or may want it to end.

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

from contest.errors import InUse, JournalFailed, Surroundings
from contest.links.client import NoServer, run
from contest.links.directory import Checkpoint, LinkedDirectory
from contest.links.ends import LinkRefused
from contest.links.program import command_line
from contest.setup.lock import hold
from contest.setup.settings import EntryTable, Settings
from contest.tasks import end_on_terminate
from lpp.connection import Trust
from lpp.directory import rooms_parent
from lpp.errors import LPPError
from lpp.private import replace_private
from lpp.program import OWN_GROUP

if TYPE_CHECKING:
    from contest.links.link import Link

#: In a contest's folder, where the links' files stand.
FOLDER = "links"
#: Seconds of real time that links may take to end.
ENDING = 20.0


class Orders(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a link has to know.

    Attributes:
        server: where links come in, as `ws://HOST:PORT/link`.
        code: the entry's.
        directory: its communications directory.
        words: what starts its program; none for one that somebody else starts.
        output: the file that the program's output is added to.
        fingerprint: of the server's certificate; empty where it speaks no TLS.
        end: whether the link is to end.
        patience: seconds of real time without a server after which it ends by itself.
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
    """Where the orders of an entry's link stand."""
    return folder / FOLDER / f"{entry}.json"


def read(file: Path) -> Orders | None:
    """The orders in a file, or None where there are none that can be used."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=Orders)
    except (OSError, msgspec.DecodeError):
        return None


def code_of(folder: Path, entry: str) -> str:
    """The code that an entry's link has from the server before, or an empty text. It goes on to
    hold, or a link that comes back before it reads its orders would be turned away for good."""
    orders = read(file_of(folder, entry))
    return "" if orders is None else orders.code


def write(file: Path, orders: Orders) -> None:
    """Writes orders, in the place of those that are there.

    Raises:
        Surroundings: if they can't be written.
    """
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        replace_private(file, msgspec.json.encode(orders) + b"\n")
    except OSError as exc:
        raise Surroundings(f"{file}: can't be written ({exc.strerror or exc})") from exc


def start(folder: Path, entry: str, orders: Orders) -> subprocess.Popen[bytes] | None:
    """Has an entry's link run by these orders: a new one, or the one that an earlier server has
    left (None).

    Raises:
        Surroundings: if the orders can't be written, or no process can be started.
    """
    file, log = file_of(folder, entry), folder / "logs" / f"{entry}.link.log"
    before = read(file)
    if before is None or before.directory != orders.directory:
        # What is remembered of another directory is worth nothing in this one.
        _checkpoint(file).unlink(missing_ok=True)
    write(file, orders)
    if runs(file):
        return None
    try:
        log.parent.mkdir(mode=0o700, exist_ok=True)
        with log.open("ab") as output:
            # Not asyncio's: a loop that ends kills its processes, and these may outlive it.
            return subprocess.Popen(
                [sys.executable, "-P", "-m", "contest.links.process", str(file)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # Neither a Ctrl-C nor a terminal that is closed is meant for it.
                **OWN_GROUP,
            )
    except OSError as exc:
        raise Surroundings(f"the link of {entry} can't be started ({exc.strerror or exc})") from exc


async def end(folder: Path, started: Mapping[str, subprocess.Popen[bytes] | None]) -> None:
    """Has links end, with their programs, and waits until they have, for `ENDING` seconds at most;
    `started` is entry id to what `start` gave."""
    files = [file_of(folder, entry) for entry in started]
    ours = [process for process in started.values() if process is not None]
    for file in files:
        tell_to_end(file)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(ENDING):
            # Those that an earlier server started are not ours to wait for, but to be seen.
            while any(each.poll() is None for each in ours) or any(map(runs, files)):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    for process in ours:
        process.kill()
        process.wait()


def tell_to_end(file: Path) -> None:
    """Has the link that runs by the orders of a file end, with its program, when it looks for its
    server again."""
    orders = read(file)
    if orders is not None:
        with contextlib.suppress(Surroundings):
            write(file, replace(orders, end=True))


def runs(file: Path) -> bool:
    """Whether a link runs by the orders of a file."""
    if not file.exists():
        return False
    try:
        with hold(file.with_suffix(".lock")):
            return False
    except (InUse, Surroundings):
        return True


def _checkpoint(file: Path) -> Path:
    return file.with_suffix(".memory")


@asynccontextmanager
async def entries_here(
    folder: Path,
    settings: Settings,
    server: str,
    codes: Mapping[str, str],
    links: Mapping[str, Link],
    over: Callable[[], bool],
    fingerprint: str = "",
) -> AsyncIterator[None]:
    """The links' processes of the local entries, while the context is open. A server that is killed
    leaves them as they are, and the next one finds them here.

    Arguments:
        folder, settings: the contest's.
        server: where links come in, as `ws://HOST:PORT/link`.
        codes, links: of the local entries, the code and the server's end of each link.
        over: whether the contest is, and nobody needs the directories any more.
        fingerprint: of the server's certificate; empty where it speaks no TLS.

    Raises:
        BadSettings: if a command can't be read, or a directory not be had.
        Surroundings: if a link can't be started.
    """
    started: dict[str, subprocess.Popen[bytes] | None] = {}
    rooms: Path | None = None
    made: list[tuple[EntryTable, Path]] = []
    goes_on = False
    try:
        for entry in settings.entry:
            if entry.id not in codes:
                continue
            directory, before = Path(entry.directory), read(file_of(folder, entry.id))
            if not entry.directory:
                # An entry that outlived its server has browsed to that directory, and browses once.
                directory = Path("" if before is None else before.directory)
                with contextlib.suppress(OSError):
                    directory.mkdir(parents=True, exist_ok=True)
                if before is None or not directory.is_dir():
                    rooms = rooms or Path(tempfile.mkdtemp(prefix="loebner-", dir=rooms_parent()))
                    directory = rooms / entry.id
                    directory.mkdir()
                made.append((entry, directory))
            orders = Orders(
                *(server, codes[entry.id], str(directory)),
                command_line(entry.id, entry.command, directory) if entry.command else [],
                *(str(folder / "logs" / f"{entry.id}.log"), fingerprint),
                patience=60 * settings.links.minutes_without_server,
            )
            started[entry.id] = start(folder, entry.id, orders)
        yield
    except JournalFailed:
        # As if the server had been killed: links keep what is not recorded yet.
        goes_on = True
        raise
    finally:
        for name in codes:
            links[name].hang_up("the server ends")
        if not goes_on:
            await end(folder, started)
            for entry, directory in made:
                # Where somebody else has started the program, it goes on when the contest does.
                if over() or entry.command:
                    shutil.rmtree(directory, ignore_errors=True)
                    with contextlib.suppress(OSError):  # others are still in it
                        directory.parent.rmdir()


# The process


class _ToEnd(Exception):
    """The server wants the link to end."""


def main(file: Path) -> int:
    """Runs a link by the orders of a file until they say that it is to end.

    Returns:
        The exit code: 0, or 1 if it can't go on.
    """
    try:
        with hold(file.with_suffix(".lock")):
            asyncio.run(_run(file))
    except InUse:
        return 0  # another one has it: two servers were started one after another
    except (_ToEnd, asyncio.CancelledError):
        return 0
    except (LPPError, Surroundings, LinkRefused, NoServer) as exc:
        _say(f"the link ends: {exc}")
        return 1
    return 0


async def _run(file: Path) -> None:
    first = read(file)
    if first is None or first.end:
        return
    end_on_terminate()
    checkpoint = Checkpoint(_checkpoint(file))
    client = f"loebner {version('loebner')}"
    patience = math.inf

    def where() -> tuple[str, Trust]:
        nonlocal patience
        orders = read(file)
        if orders is None or orders.end:
            raise _ToEnd
        link.end.code, patience = orders.code, orders.patience
        return orders.server, Trust(fingerprint=orders.fingerprint)

    async with LinkedDirectory(first.directory, checkpoint, first.code, client) as link:
        lock = file.with_suffix(".program.lock")
        await run(link, where, _say, lambda: patience, first.words, Path(first.output), lock)


def _say(what: str) -> None:
    with contextlib.suppress(OSError):  # the disk under the log is full: no reason to end
        print(what, flush=True)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
