"""Removes names of a communications directory in the background, until they are gone.

Removing can be the slowest step of all, and can be refused for a while, as under a virus scanner.
So keys are delivered first. Then directories in memory are removed at once: that takes no longer
than handing the work to a thread would. All else is removed on a thread of the loop's own pool (at
most one for each communications directory), and what was refused is tried again with growing
pauses.
"""

from __future__ import annotations

import asyncio
import heapq
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from lpp.directory import Directory
from lpp.keypress import printable
from lpp.violations import Rule, Violation

#: Seconds before a refused removal is tried again; doubled each time, up to the last.
RETRY_FIRST, RETRY_LAST = 0.02, 2.0
#: Names that are tried at once, on the loop's thread, in one turn: 2 ms where removing is quick.
AT_ONCE = 500
#: Seconds that one turn of removing may take before it says what it has done.
TURN = 0.02

Report: TypeAlias = Callable[[Violation | OSError], None]


@dataclass(slots=True)
class _Turn:
    """What one turn of removing came to."""

    gone: list[str] = field(default_factory=list)
    odd: list[Violation] = field(default_factory=list)
    refused: list[tuple[str, OSError]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


class Remover:
    """Removes names of one directory. All methods belong to the loop's thread.

    Arguments:
        directory: whose names.
        gone: told of names that are gone.
        report: told of entries that were no empty directories, and of a removal that is refused
            for long (once for each kind of error, until all is well again).
    """

    def __init__(
        self, directory: Directory, gone: Callable[[list[str]], None], report: Report
    ) -> None:
        self._directory = directory
        self._gone = gone
        self._report = report
        self._known: set[str] = set()
        self._queue: deque[str] = deque()
        self._pauses: dict[str, float] = {}
        self._later: list[tuple[float, str]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._told: set[int | None] = set()
        self._busy = False
        self._closed = False
        self._tried = asyncio.Event()
        self._settled = asyncio.Event()
        self._tried.set()
        self._settled.set()

    def remove(self, names: Iterable[str]) -> None:
        """Has names removed; one that is being removed already is not removed twice."""
        fresh = [name for name in dict.fromkeys(names) if name not in self._known]
        self._known.update(fresh)
        if self._closed and not self._busy:
            # The pool of threads may be gone by now, and nobody waits for us any more.
            self._end_turn(self._turn(_Turn(left=fresh)))
        else:
            self._queue.extend(fresh)
            self._start()

    @property
    def known(self) -> frozenset[str]:
        """Names that are being removed, or wait to be tried again."""
        return frozenset(self._known)

    @property
    def waiting(self) -> int:
        """How many they are."""
        return len(self._known)

    async def tried(self) -> None:
        """Waits until each name has been tried; some may have been refused."""
        await self._tried.wait()

    async def settled(self) -> None:
        """Waits until nothing is left to remove, refused names included."""
        await self._settled.wait()

    async def close(self) -> None:
        """Tries once more what was refused, and ends; what is refused again is reported."""
        if not self._closed:
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
            self._queue.extend(name for _, name in self._later)
            self._later.clear()
            self._start()
        await self._tried.wait()

    def _start(self) -> None:
        if self._busy or not self._queue:
            return
        self._busy = True
        self._tried.clear()
        self._settled.clear()
        # Not at once: whoever was just told of a key goes first.
        asyncio.get_running_loop().call_soon(self._begin_turn)

    def _begin_turn(self) -> None:
        names = [self._queue.popleft() for _ in range(min(len(self._queue), AT_ONCE))]
        turn = _Turn()
        try:
            for name in names:
                (turn.gone if self._directory.remove_at_once(name) else turn.left).append(name)
            if turn.left and self._directory.slow:
                work = asyncio.get_running_loop().run_in_executor(None, self._turn, turn)
                work.add_done_callback(lambda work: self._end_work(work, names))
                return
            turn = self._turn(turn)
        except Exception as exc:  # noqa: BLE001 -- goes the way of a thread's exceptions
            self._fail(exc, names)
        else:
            self._end_turn(turn)

    def _turn(self, turn: _Turn) -> _Turn:
        """Removes what is left to do, as far as the time goes; runs on any thread."""
        end = time.monotonic() + TURN
        names, turn.left = turn.left, []
        for number, name in enumerate(names, 1):
            try:
                oddity = self._directory.remove(name)
            except OSError as exc:
                turn.refused.append((name, exc))
            else:
                turn.gone.append(name)
                if oddity is not None:
                    turn.odd.append(Violation(Rule.DIRECTORY, printable(name), oddity))
            if time.monotonic() > end:
                turn.left = names[number:]
                break
        return turn

    def _end_work(self, work: asyncio.Future[_Turn], names: list[str]) -> None:
        exc = asyncio.CancelledError() if work.cancelled() else work.exception()
        if exc is None:
            self._end_turn(work.result())
        else:
            self._fail(exc, names)

    def _fail(self, exc: BaseException, names: list[str]) -> None:
        # A bug, here or in the directory. The names stay taken: lost to us, never doubled.
        asyncio.get_running_loop().call_exception_handler(
            {"message": "removing key presses failed", "exception": exc}
        )
        self._known.difference_update(names)
        self._end_turn(_Turn())

    def _end_turn(self, turn: _Turn) -> None:
        self._busy = False
        self._finish(turn)
        self._start()
        if not self._busy:
            self._tried.set()
            if not self._later:
                self._told.clear()
                self._settled.set()

    def _finish(self, turn: _Turn) -> None:
        self._queue.extendleft(reversed(turn.left))
        self._known.difference_update(turn.gone)
        if self._pauses:
            for name in turn.gone:
                self._pauses.pop(name, None)
        self._gone(turn.gone)
        for violation in turn.odd:
            self._report(violation)
        for name, exc in turn.refused:
            self._refused(name, exc)
        self._set_timer()

    def _refused(self, name: str, exc: OSError) -> None:
        pause = min(self._pauses.get(name, RETRY_FIRST / 2) * 2, RETRY_LAST)
        if (pause == RETRY_LAST or self._closed) and exc.errno not in self._told:
            self._told.add(exc.errno)
            self._report(exc)
        if self._closed:
            self._known.discard(name)
            return
        self._pauses[name] = pause
        heapq.heappush(self._later, (asyncio.get_running_loop().time() + pause, name))

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._later:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(self._later[0][0], self._on_timer)

    def _on_timer(self) -> None:
        # A little ahead of time, so that what was refused together is tried together.
        due = asyncio.get_running_loop().time() + RETRY_FIRST / 4
        while self._later and self._later[0][0] <= due:
            self._queue.append(heapq.heappop(self._later)[1])
        self._set_timer()
        self._start()
