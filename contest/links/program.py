"""Runs an entry's program for its link, and restarts it when it ends.

Its output goes straight to a file, so that the program survives if the link is killed. The program
inherits a lock and holds it while it runs. So the next link finds out that it is still running, and
does not start a second one for the same directory.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from contest.errors import BadSettings
from contest.links import linkwire
from contest.links.ends import TEXT
from lpp.errors import UserError
from lpp.keypress import printable
from lpp.program import KILL, OWN_GROUP, cant_start, in_directory, signal_group, split

#: Seconds for a program to end before it is killed.
GRACE = 5.0
#: The first and longest pause in seconds before a program is restarted; it doubles each time that
#: the program ends soon.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
#: A program that ends within this many seconds counts as having ended soon.
RUNS = 10.0
#: Seconds between two checks whether an earlier link's program still runs.
LOOK_EVERY = 0.2
#: The bytes in a lock file for the program's process id.
PID = 20


def command_line(entry: str, command: str, directory: Path) -> list[str]:
    """Splits a command of contest.toml into the words that start an entry's program.

    Arguments:
        entry: the entry's id.
        command: the command; `{dir}` stands for the directory, and `loebner` as the first word for
            this installation.
        directory: the entry's communications directory.

    Raises:
        BadSettings: if the command can't be split into words.
    """
    try:
        return in_directory(split(command), str(directory))
    except ValueError as exc:
        raise BadSettings(f"the command of {entry} can't be read ({exc}): {command}") from exc


async def end_process(process: asyncio.subprocess.Process) -> None:
    """Ends a program of `OWN_GROUP`, and kills it after `GRACE`, with all its child processes."""
    if process.returncode is None:
        signal_group(process.pid, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE):
                await process.wait()
    # Child processes that outlive it would type into the directory alongside the restarted program.
    # Windows has no process groups, and the id of an ended process may belong to another by now.
    if process.returncode is None or sys.platform != "win32":
        signal_group(process.pid, KILL)
    await process.wait()


class Program:
    """An entry's program, run by its link.

    Arguments:
        words: its command line.
        output: the file to which its output is appended.
        lock: the lock file that shows the next link that it is running.
        report, say: called at each start and end, for the record and for a person.
    """

    def __init__(
        self,
        words: Sequence[str],
        output: Path,
        lock: Path,
        report: Callable[..., None],
        say: Callable[[str], None],
    ) -> None:
        self._words, self._output, self._lock = words, output, lock
        self._report, self._say = report, say
        self._restart_wanted = asyncio.Event()

    async def keep(self) -> None:
        """Runs the program, restarting it whenever it ends, until cancelled; then ends it.

        Raises:
            UserError: if the first start fails.
        """
        await self._wait_for_earlier()
        pause, first, now = FIRST_PAUSE, True, asyncio.get_running_loop().time
        while True:
            began = now()
            self._restart_wanted.clear()
            try:
                code = await self._run()
            except OSError as exc:
                words = cant_start(self._words, exc)
                if first:
                    raise UserError(words) from exc
                self._say(words)
            else:
                self._report(linkwire.Exited, code)
                self._say(f"the program ended with code {code}; see {self._output}")
            lived, first = now() - began, False
            pause = FIRST_PAUSE if lived > RUNS else min(2 * pause, LONGEST_PAUSE)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._restart_wanted.wait()
                    pause = FIRST_PAUSE

    def restart(self) -> None:
        """Restarts the program now, even if it has ended and is waiting for its restart."""
        self._restart_wanted.set()

    async def _run(self) -> int:
        """Starts it, waits until it ends or must be restarted, and returns its exit code."""
        self._lock.parent.mkdir(parents=True, exist_ok=True)
        with _locked(self._lock) as lock, self._output.open("ab") as output:
            process = await asyncio.create_subprocess_exec(
                *self._words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=asyncio.subprocess.STDOUT,
                pass_fds=() if lock is None else (lock,),
                **OWN_GROUP,
            )
            if lock is not None:
                os.pwrite(lock, str(process.pid).encode().ljust(PID), 0)
            words = [printable(word)[:TEXT] for word in self._words[:20]]
            self._report(linkwire.Started, words)
            self._say(f"started {shlex.join(self._words)}")
            waits = [asyncio.create_task(each.wait()) for each in (process, self._restart_wanted)]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                await end_process(process)
                for task in waits:
                    task.cancel()
            return await process.wait()

    async def _wait_for_earlier(self) -> None:
        """Waits until the program of an earlier link has ended; ends it if a restart is wanted."""
        pid = running(self._lock)
        if pid is None:
            return
        self._say(f"keeping the program of an earlier link, which still runs (process {pid})")
        try:
            while running(self._lock) is not None:
                if self._restart_wanted.is_set():
                    self._restart_wanted.clear()
                    _terminate(pid)
                await asyncio.sleep(LOOK_EVERY)
        except asyncio.CancelledError:
            _terminate(pid)
            raise


def _terminate(pid: int) -> None:
    if pid:  # 0 means that the id is unknown, and would signal our own process group
        signal_group(pid, signal.SIGTERM)


@contextlib.contextmanager
def _locked(file: Path) -> Iterator[int | None]:
    """Takes a lock that a child process inherits. It is released when all its holders have ended.

    Returns:
        Its descriptor; None on Windows, where such locks can't be inherited.
    """
    if sys.platform == "win32":
        yield None
        return
    import fcntl

    lock = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Reserve the space before the program starts: on a full disk, it must not run without its
        # process id in the file.
        os.pwrite(lock, b" " * PID, 0)
        yield lock
    finally:
        os.close(lock)


def running(lock: Path) -> int | None:
    """The id of the process that holds a lock file, 0 if its id is unknown, or None if there is
    none. Always None on Windows, where a person must end the program of a killed link."""
    if sys.platform == "win32":
        return None
    import fcntl

    with contextlib.suppress(OSError), lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            text = file.read(PID).strip()
            return int(text) if text.isdigit() else 0
    return None
