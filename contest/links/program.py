"""An entry's program beside its link: started, watched, and started again when it ends.

Its output goes straight to a file, so that it goes on where the link is killed. The program
inherits a lock and holds it as long as it lives; by that the next link finds it still running, and
starts no second one into the same directory.
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
from lpp.errors import YoursToFix
from lpp.keypress import printable
from lpp.program import KILL, OWN_GROUP, in_directory, signal_group, split

#: Seconds that a program has to end after it was asked to.
GRACE = 5.0
#: Seconds before a program that has ended is started again; doubled for one that ends at once.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
#: Seconds after which a program counts as one that runs.
RUNS = 10.0
#: Seconds between two looks whether an earlier link's program still runs.
LOOK_EVERY = 0.2
#: Bytes of a lock's file, which hold the number of the program's process.
PID = 20


def command_line(
    entry: str, command: str, directory: Path, platform: str = sys.platform
) -> list[str]:
    """The words that start an entry's program in its communications directory: of a command as in
    contest.toml, with `{dir}` for the directory, and a first word `loebner` for this installation.
    `platform` says whose rules hold for blanks and quotes.

    Raises:
        BadSettings: if the command can't be split into words.
    """
    try:
        return in_directory(split(command, platform), str(directory))
    except ValueError as exc:
        raise BadSettings(f"the command of {entry} can't be read ({exc}): {command}") from exc


async def end_process(process: asyncio.subprocess.Process) -> None:
    """Ends a program of `OWN_GROUP` with all that it started; kills it after `GRACE`."""
    if process.returncode is not None:
        return
    signal_group(process.pid, signal.SIGTERM)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GRACE):
            await process.wait()
            return
    signal_group(process.pid, KILL)
    await process.wait()


class Program:
    """The program of an entry in its link's care.

    Arguments:
        words: what starts it.
        output: the file that its output is added to.
        lock: the file by which the next link knows that it runs.
        report, say: told of each start and end, for the record and for a person's eyes.
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
        self._wish = asyncio.Event()

    async def keep(self) -> None:
        """Runs it, and runs it again whenever it ends, until this is cancelled; then ends it.

        Raises:
            YoursToFix: if it can't be started at first.
        """
        await self._wait_for_earlier()
        pause, first, now = FIRST_PAUSE, True, asyncio.get_running_loop().time
        while True:
            began = now()
            self._wish.clear()
            try:
                code = await self._run()
            except OSError as exc:
                words = f"{shlex.join(self._words)} can't be started ({exc.strerror or exc})"
                if first:
                    raise YoursToFix(f"the program {words}") from exc
                self._say(words)
            else:
                self._report(linkwire.Exited, code)
                self._say(f"the program ended with code {code}; see {self._output}")
            lived, first = now() - began, False
            pause = FIRST_PAUSE if lived > RUNS else min(2 * pause, LONGEST_PAUSE)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._wish.wait()
                    pause = FIRST_PAUSE

    def restart(self) -> None:
        """Has it ended and started again at once, also where it has ended and a pause is on."""
        self._wish.set()

    async def _run(self) -> int:
        """Starts it, and waits until it has ended, or is to be started again; its exit code."""
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
            waits = [asyncio.create_task(each.wait()) for each in (process, self._wish)]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                await end_process(process)
                for task in waits:
                    task.cancel()
            return await process.wait()

    async def _wait_for_earlier(self) -> None:
        """Waits until the program of an earlier link has ended; ends it where that is wished."""
        pid = running(self._lock)
        if pid is None:
            return
        self._say(f"the program of an earlier link still runs (process {pid}), and is kept")
        try:
            while running(self._lock) is not None:
                if self._wish.is_set():
                    self._wish.clear()
                    _terminate(pid)
                await asyncio.sleep(LOOK_EVERY)
        except asyncio.CancelledError:
            _terminate(pid)
            raise


def _terminate(pid: int) -> None:
    if pid:  # 0, where the number was not noted, would be our own group of processes
        signal_group(pid, signal.SIGTERM)


@contextlib.contextmanager
def _locked(file: Path) -> Iterator[int | None]:
    """Takes a lock that a child process inherits, and that is free when all who have it are gone.

    Returns:
        Its descriptor; None on Windows, which hands down no such locks.
    """
    if sys.platform == "win32":
        yield None
        return
    import fcntl

    lock = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Take the room before the program is started: where the disk is full, it must not run
        # without its number being noted.
        os.pwrite(lock, b" " * PID, 0)
        yield lock
    finally:
        os.close(lock)


def running(lock: Path) -> int | None:
    """The process that holds a lock file, 0 if its number is not known, or None. On Windows always
    None: what a killed link has left there has to be ended by hand."""
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
