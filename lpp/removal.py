"""Removes names from a communications directory in the background, until they are gone.

Removing can be the slowest step of all, and can be refused for a while, for example because of a
virus scanner. So keys are delivered first. Then directories in memory are removed at once: that
takes no longer than handing the work to a thread. The rest are removed on a thread of the loop's
pool (at most one thread for each communications directory). Refused removals are retried with
growing pauses.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeAlias

from lpp.directory import Directory
from lpp.keypress import Rule, Violation, printable

#: Seconds before a refused removal is retried: the first pause, doubled each time, and the longest.
FIRST_RETRY, LONGEST_RETRY = 0.02, 2.0
#: Names removed in one turn of the loop: 1 ms in memory, about 30 ms on a disk.
BATCH = 250

Report: TypeAlias = Callable[[Violation | OSError], None]


class Remover:
    """Removes names from one directory. Call all methods on the loop's thread.

    Arguments:
        directory: the directory.
        gone: called with the names that are gone.
        report: called with entries that were not empty directories, and with removals that are
            refused for a long time (once for each kind of error, until all are done).

    Attributes:
        known: names that are being removed, or wait to be retried.
    """

    def __init__(
        self, directory: Directory, gone: Callable[[list[str]], None], report: Report
    ) -> None:
        self.known: set[str] = set()
        self._directory = directory
        self._gone = gone
        self._report = report
        self._queue: deque[str] = deque()
        self._pauses: dict[str, float] = {}
        self._later: dict[str, asyncio.TimerHandle] = {}
        self._reported: set[int | None] = set()
        self._work: asyncio.Task[None] | None = None
        self._closed = False
        self._tried = asyncio.Event()
        self._settled = asyncio.Event()
        self._tried.set()
        self._settled.set()

    def remove(self, names: Iterable[str]) -> None:
        """Removes names in the background; names already being removed are skipped."""
        fresh = [name for name in dict.fromkeys(names) if name not in self.known]
        self.known.update(fresh)
        if self._closed and self._work is None:
            # The thread pool may have been shut down, and nobody waits for us any more.
            self._note(fresh, *self._remove(fresh))
        else:
            self._enqueue(fresh)

    async def tried(self) -> None:
        """Waits until each removal has been tried; some may have been refused."""
        await self._tried.wait()

    async def settled(self) -> None:
        """Waits until nothing is left to remove, refused names included."""
        await self._settled.wait()

    async def close(self) -> None:
        """Retries refused removals once, then ends; reports those refused again."""
        if not self._closed:
            self._closed = True
            for timer in self._later.values():
                timer.cancel()
            refused, self._later = list(self._later), {}
            self._enqueue(refused)
        await self._tried.wait()

    def _enqueue(self, names: list[str]) -> None:
        self._queue.extend(names)
        if self._queue and self._work is None:
            self._tried.clear()
            self._settled.clear()
            # Not at once: let the reader get the key first.
            self._work = asyncio.get_running_loop().create_task(self._empty_queue(), name="removal")

    async def _empty_queue(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._queue:
                names = [self._queue.popleft() for _ in range(min(len(self._queue), BATCH))]
                try:
                    slow = [name for name in names if not self._directory.remove_at_once(name)]
                    if slow and self._directory.slow:
                        done = await loop.run_in_executor(None, self._remove, slow)
                    else:
                        done = self._remove(slow)
                except Exception as exc:  # noqa: BLE001 -- a bug, here or in the directory
                    # The session keeps these names as taken: they are lost, but never doubled.
                    self.known.difference_update(names)
                    context = {"message": "removing key presses failed", "exception": exc}
                    loop.call_exception_handler(context)
                else:
                    self._note(names, *done)
                if self._queue:
                    await asyncio.sleep(0)
        finally:
            self._work = None
            self._tried.set()
            if not self._later:
                self._reported.clear()
                self._settled.set()

    def _remove(self, names: list[str]) -> tuple[list[Violation], dict[str, OSError]]:
        """Removes names, on any thread.

        Returns:
            The entries that were not empty directories, and the refused names with their errors.
        """
        odd, refused = [], {}
        for name in names:
            try:
                what = self._directory.remove(name)
            except OSError as exc:
                refused[name] = exc
            else:
                if what is not None:
                    odd.append(Violation(Rule.DIRECTORY, printable(name), what))
        return odd, refused

    def _note(self, names: list[str], odd: list[Violation], refused: dict[str, OSError]) -> None:
        gone = [name for name in names if name not in refused] if refused else names
        self.known.difference_update(gone)
        if self._pauses:
            for name in gone:
                self._pauses.pop(name, None)
        self._gone(gone)
        for violation in odd:
            self._report(violation)
        for name, exc in refused.items():
            self._refuse(name, exc)

    def _refuse(self, name: str, exc: OSError) -> None:
        pause = min(self._pauses.get(name, FIRST_RETRY / 2) * 2, LONGEST_RETRY)
        if (pause == LONGEST_RETRY or self._closed) and exc.errno not in self._reported:
            self._reported.add(exc.errno)
            self._report(exc)
        if self._closed:
            self.known.discard(name)
        else:
            self._pauses[name] = pause
            loop = asyncio.get_running_loop()
            self._later[name] = loop.call_later(pause, self._try_again, name)

    def _try_again(self, name: str) -> None:
        del self._later[name]
        self._enqueue([name])
