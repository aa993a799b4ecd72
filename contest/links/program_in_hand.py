"""An entry's program as the server's own child: it ends with the contest that plays by itself."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
from pathlib import Path
from types import TracebackType
from typing import Self

from contest.errors import BadSettings
from contest.links.program import end_process
from contest.record.bodies import EntryExited, EntryStarted
from contest.record.journal import Journal

#: Seconds that a program has to print that it is ready, before the contest goes on without.
READY = 10.0


class EntryProgram:
    """A running entry.

    Arguments:
        entry: its id.
        words: what starts it.
        log_file: where its output goes.
        journal: the record, for its start and end.
    """

    def __init__(self, entry: str, words: list[str], log_file: Path, journal: Journal) -> None:
        self.entry = entry
        self._words = words
        self._log_file = log_file
        self._journal = journal
        self._process: asyncio.subprocess.Process | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._spoke = asyncio.Event()

    async def __aenter__(self) -> Self:
        """Starts it.

        Raises:
            BadSettings: if there is no such program.
        """
        await self._start()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._stop()

    async def restart(self) -> None:
        """Ends it, if it runs, and starts it anew.

        Raises:
            BadSettings: if there is no such program any more.
        """
        await self._stop()
        await self._start()

    async def _start(self) -> None:
        self._log_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                # A Ctrl-C meant for us must not end the entries before their talks are closed.
                start_new_session=True,
            )
        except OSError as exc:
            raise BadSettings(
                f"the program of {self.entry} can't be started ({exc.strerror or exc}): "
                f"{shlex.join(self._words)}"
            ) from exc
        self._journal.write(None, "server", EntryStarted(self.entry, self._words))
        self._watcher = asyncio.create_task(self._watch(), name=f"program of {self.entry}")

    async def _stop(self) -> None:
        process = self._process
        if process is not None and process.returncode is None:
            await end_process(process)
        if self._watcher is not None:
            await self._watcher

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process is not None and self._process.returncode is None

    async def spoken(self, patience: float = READY) -> bool:
        """Waits until it has printed something, as programs do when they are ready, or has ended.

        Arguments:
            patience: seconds of real time to wait at most; a silent program is no fault.

        Returns:
            Whether it did.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._spoke.wait()
        return self._spoke.is_set()

    async def _watch(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        with self._log_file.open("ab") as log_file:
            while output := await self._process.stdout.read(65536):
                log_file.write(output)
                log_file.flush()
                self._spoke.set()
        code = await self._process.wait()
        self._spoke.set()
        self._journal.write(None, self.entry, EntryExited(self.entry, code))
