"""An entry's program beside its link: started, watched, and started again when it ends.

Its output goes straight to a file, so that it goes on talking where the link is killed; the link
that is started next finds it still running, by a lock that it holds for as long as it lives, and
starts no second one into the same directory.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from contest.errors import BadSettings
from lpp.errors import YoursToFix
from lpp.program import in_directory, split

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
    """The words that start an entry's program.

    Arguments:
        entry: its id, for messages.
        command: as in contest.toml; `{dir}` stands for the communications directory, and a first
            word `loebner` for this very installation.
        directory: the communications directory.
        platform: as `sys.platform`: whose rules hold for blanks and quotes.

    Raises:
        BadSettings: if the command can't be split into words.
    """
    try:
        words = split(command, platform)
    except ValueError as exc:
        raise BadSettings(f"the command of {entry} can't be read ({exc}): {command}") from exc
    return in_directory(words, str(directory))


async def end_process(process: asyncio.subprocess.Process) -> None:
    """Asks a program to end, waits until it has, and kills one that takes longer than `GRACE`."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(GRACE):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


class Program:
    """The program of an entry in its link's care.

    Arguments:
        words: what starts it.
        output: the file that its output is added to; made if it is not there.
        lock: the file by which the next link knows that it runs.
        started: told of each start, with the words.
        exited: told of each end, with the exit code, negative for a signal.
        say: told, for a person's eyes, of both.
    """

    def __init__(
        self,
        words: Sequence[str],
        output: Path,
        lock: Path,
        started: Callable[[Sequence[str]], None],
        exited: Callable[[int], None],
        say: Callable[[str], None],
    ) -> None:
        self._words = list(words)
        self._output, self._lock = output, lock
        self._started, self._exited, self._say = started, exited, say
        self._wish = asyncio.Event()
        self._again = False

    async def keep(self) -> None:
        """Runs it, and runs it again whenever it ends, until this is cancelled; then ends it.

        Raises:
            YoursToFix: if it can't be started at first.
        """
        await self._wait_for_earlier()
        pause, first, loop = FIRST_PAUSE, True, asyncio.get_running_loop()
        while True:
            began = loop.time()
            try:
                process, lock = await self._start()
            except OSError as exc:
                words = f"{shlex.join(self._words)} can't be started ({exc.strerror or exc})"
                if first:
                    raise YoursToFix(f"the program {words}") from exc
                self._say(words)
            else:
                try:
                    code = await self._watch(process)
                except asyncio.CancelledError:
                    await end_process(process)
                    raise
                finally:
                    lock.close()
                self._exited(code)
                self._say(f"the program ended with code {code}; see {self._output}")
            first = False
            if self._again:
                self._again, pause = False, FIRST_PAUSE
                continue
            lived = loop.time() - began
            pause = FIRST_PAUSE if lived > RUNS else min(2 * pause, LONGEST_PAUSE)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._wish.wait()

    def restart(self) -> None:
        """Has it ended, and started anew at once; one that has ended by itself is not waited for
        any longer."""
        self._again = True
        self._wish.set()

    async def _watch(self, process: asyncio.subprocess.Process) -> int:
        self._wish.clear()
        self._again = False
        ended = asyncio.create_task(process.wait())
        wished = asyncio.create_task(self._wish.wait())
        try:
            await asyncio.wait({ended, wished}, return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                await end_process(process)
            return await ended
        finally:
            for task in (ended, wished):
                task.cancel()

    async def _start(self) -> tuple[asyncio.subprocess.Process, _Lock]:
        self._lock.parent.mkdir(parents=True, exist_ok=True)
        lock = _Lock(self._lock)
        try:
            with self._output.open("ab") as output:
                process = await asyncio.create_subprocess_exec(
                    *self._words,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=output,
                    stderr=asyncio.subprocess.STDOUT,
                    # A Ctrl-C is for the link, which ends the program in order.
                    start_new_session=True,
                    pass_fds=lock.inherited,
                )
        except BaseException:
            lock.close()
            raise
        lock.note(process.pid)
        self._started(self._words)
        self._say(f"started {shlex.join(self._words)}")
        return process, lock

    async def _wait_for_earlier(self) -> None:
        pid = running(self._lock)
        if pid is None:
            return
        self._say(f"the program of an earlier link runs still (process {pid}), and is kept")
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
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGTERM)


class _Lock:
    """A lock that a child process inherits, and that is free when all who have it are gone."""

    def __init__(self, file: Path) -> None:
        self._fd = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        self.inherited: tuple[int, ...] = ()
        if sys.platform != "win32":
            import fcntl

            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Take the room before the program is started: where the disk is full, it must not
                # run without its number being noted.
                os.pwrite(self._fd, b" " * PID, 0)
            except OSError:
                self.close()
                raise
            self.inherited = (self._fd,)

    def note(self, pid: int) -> None:
        """Writes down whose it is."""
        os.pwrite(self._fd, str(pid).encode().ljust(PID), 0) if sys.platform != "win32" else None

    def close(self) -> None:
        """Lets go of it here; a child may hold it on."""
        os.close(self._fd)


def running(lock: Path) -> int | None:
    """The process that holds a lock file, or None. On Windows, which hands down no such locks,
    always None: end what a killed link has left there by hand."""
    if sys.platform == "win32":
        return None
    import fcntl

    try:
        fd = os.open(lock, os.O_RDWR)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        text = os.pread(fd, PID, 0).strip()
        return int(text) if text.isdigit() else 0
    else:
        return None
    finally:
        os.close(fd)
