"""A contest's server in a separate process: its folder, its start, and its use of the machine."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmarks.server.load import work_of
from contest.errors import EnvironmentProblem
from contest.net import addresses, codes
from contest.record import reading
from contest.setup.settings import FILE_NAME
from loebner.common import send

#: The time limit in seconds for the server to start: each seat's code is hashed slowly on purpose.
STARTING = 120.0
_LOG = "server.log"

#: Linux's place for files in memory.
MEMORY = "/dev/shm"


@contextmanager
def folder(*, memory: bool = False) -> Iterator[Path]:
    """A new folder, removed afterwards.

    Arguments:
        memory: whether it is in memory, if the system has a place for that (Linux). Use it for
            measurements that don't concern the disk, because a disk sometimes pauses.
    """
    place = MEMORY if memory and Path(MEMORY).is_dir() else None
    path = Path(tempfile.mkdtemp(prefix="loebner-bench-", dir=place))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def furnish(
    place: Path,
    desks: int,
    directories: Mapping[str, str] | None = None,
    more: str = "",
    rounds: int = 1,
) -> Path:
    """Makes a contest's folder, with a schedule of `pairings`.

    Arguments:
        place: the folder in which to make it.
        desks: how many judges there are, and as many entries and confederates.
        directories: entry to its communications directory; the others have links.
        more: additional tables of settings.
        rounds: how many.

    Returns:
        The folder.
    """
    path = place / "contest"
    path.mkdir()
    lines = [
        f'[contest]\nname = "Benchmark"\n[rules]\nrounds = {rounds}\ninteraction_minutes = 600\n'
        f'schedule = "schedule.csv"\n{more}'
    ]
    rows = ["round,judge,entry,confederate"]
    for n in range(1, desks + 1):
        directory = (directories or {}).get(f"E{n}")
        where = 'link = "remote"' if directory is None else f'directory = "{directory}"'
        lines.append(
            f'[[judge]]\nid = "J{n}"\n[[confederate]]\nid = "C{n}"\n'
            f'[[entry]]\nid = "E{n}"\n{where}\n'
        )
    for number in range(1, rounds + 1):
        rows += [f"{number},J{n},E{e},C{c}" for n, e, c in pairings(number, desks)]
    (path / FILE_NAME).write_text("".join(lines), encoding="utf-8")
    (path / "schedule.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def pairings(number: int, desks: int) -> list[tuple[int, int, int]]:
    """The pairings of a round as numbers of judge, entry and confederate. In the first round J1
    meets E1 and C1, and so on; then entries move on by one, and confederates by two."""
    moved = number - 1
    return [
        (n, (n + moved - 1) % desks + 1, (n + 2 * moved - 1) % desks + 1)
        for n in range(1, desks + 1)
    ]


class Server:
    """`loebner serve` in a separate process; use it in a `with` statement, which kills it.

    Arguments:
        contest: the contest's folder.
        port: the port to listen on; 0 means any free port.
        profile: a file for cProfile's profile of the loop's thread.
    """

    def __init__(self, contest: Path, port: int = 0, profile: Path | None = None) -> None:
        self._contest = contest
        # Remove the file of a killed server, which must not be taken for this server's.
        (contest / addresses.CONTROL_FILE).unlink(missing_ok=True)
        words = [sys.executable]
        if profile is not None:
            words += ["-m", "cProfile", "-o", str(profile)]
        words += ["-m", "loebner", "serve", str(contest), "--port", str(port)]
        with (contest.parent / _LOG).open("ab") as log:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def listens(self) -> str:
        """Waits until it listens.

        Returns:
            The address, as HOST:PORT.

        Raises:
            RuntimeError: if it ends instead, with its output.
        """
        deadline = time.monotonic() + STARTING
        while True:
            with suppress(EnvironmentProblem):
                return addresses.find_control(self._contest).server.removeprefix("http://")
            if self.process.poll() is not None or time.monotonic() > deadline:
                said = (self._contest.parent / _LOG).read_text("utf-8", "replace")
                raise RuntimeError(f"the server does not start:\n{said}")
            time.sleep(0.01)

    def codes(self) -> dict[str, str]:
        """Seat, or entry with a link, to its code."""
        text = (self._contest / codes.FILE_NAME).read_text(encoding="utf-8")
        lines = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
        return {words[0]: words[1] for words in lines}

    def order(self, action: str, **more: object) -> dict[str, Any]:
        """Gives an organizer's order."""
        return send(addresses.find_control(self._contest), {"action": action, **more})

    def work(self) -> float:
        """Processor seconds that it has used so far, in all threads."""
        return work_of(self.process.pid)

    def memory(self) -> float:
        """Its peak memory, in MB."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def end(self) -> None:
        """Stops it cleanly, as Ctrl-C does."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def kill(self) -> None:
        """Kills it, and waits until it has ended."""
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()


def keys_on_record(contest: Path) -> int:
    """How many key presses the record of a contest's folder holds."""
    return reading.open_log(contest).count(kind="key")
