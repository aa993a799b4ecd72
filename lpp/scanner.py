"""Finds new key presses in a communications directory, promptly and reliably.

A hint (or the sweep) wakes the scanner. It lists the directory twice, and the session tells which
key presses are new.

A scan of a directory with few names is one step. A scan of one with many names is split into
batches, so that the loop can serve other tasks in between. Confirmations of removals wait until the
scan has ended. Otherwise a listing could bring back a name whose removal was confirmed after the
listing was made and before it was read.

In a burst, hints only cost time: the watcher's threads would report events that say nothing new. So
the scanner stops watching, and scans again and again as long as each scan finds something. Then it
watches again, and scans once more.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from lpp.directory import Directory
from lpp.hints import Hint, Watch
from lpp.removal import Report
from lpp.session import Received, Session

log = logging.getLogger(__name__)

#: Seconds between two scans if the hint can't watch the directory.
UNWATCHED_SWEEP_INTERVAL = 0.02
#: Seconds between two checks of a watch, and between two attempts to start a failed one.
WATCH_CHECK, WATCH_RETRY = 1.0, 5.0
#: Names read, or key presses taken, in one turn of the loop: 3 to 5 ms.
BATCH = 500
#: A rest after each scan: REST_FACTOR times as long as the scan took, but at most LONGEST_REST
#: seconds, and none below SHORTEST_REST seconds. In a full directory this leaves time for removals.
SHORTEST_REST, REST_FACTOR, LONGEST_REST = 0.0005, 2, 0.05
#: The most names with which the sweep runs at its usual pace; with twice as many it runs half as
#: often.
NAMES_PER_SWEEP = 5000
#: Wakes between two scans, or keys in one scan, that count as a burst.
BURST = 50


class Scanner:
    """Watches one directory for key presses. Call all methods on the loop's thread.

    Arguments:
        directory: the directory.
        session: tells which names are new.
        hint: wakes the scanner.
        sweep: seconds between scans without a hint.
        deliver: called with new key presses, in order, in one or more batches.
        report: called with names that are not key presses, and with errors of the directory. Each
            is reported once, and again if it comes back after it was gone.
        room: tells how many key presses may be delivered now. While it returns 0, a scan waits for
            `resume`; key presses not taken yet stay in the directory.
    """

    def __init__(
        self,
        directory: Directory,
        session: Session,
        hint: Hint,
        sweep: float,
        deliver: Callable[[list[Received]], None],
        report: Report,
        room: Callable[[], int] = lambda: BATCH,
    ) -> None:
        self._directory = directory
        self._session = session
        self._hint = hint
        self._sweep = sweep
        self._deliver = deliver
        self._report = report
        self._room = room
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._thread = 0
        self._sweeper: asyncio.TimerHandle | None = None
        # Watching
        self._watch: Watch | None = None
        self._muted = self._unwatchable = False
        self._next_check = 0.0
        self._woken = asyncio.Event()
        self._waking = False
        self._wakes = 0
        # Scanning
        self._roomy = asyncio.Event()
        self._scanning = self._unlistable = self._crowded = False
        self._listed = 0
        self._gone: list[str] = []

    def start(self) -> None:
        """Starts to watch and scan. Raises what the hint raises, except for OSError."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._begin_watch()
        # Watchers don't report what was here before they started.
        self._woken.set()
        self._task = self._loop.create_task(self._run(), name="scanner")
        self._on_sweep()

    async def stop(self) -> None:
        """Stops until the next `start`. Nothing more is delivered; a scan in progress is
        abandoned."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        if self._sweeper is not None:
            self._sweeper.cancel()
        self._end_watch()

    def scan(self) -> None:
        """Scans as soon as possible."""
        self._woken.set()

    def resume(self) -> None:
        """Continues a scan that is waiting for room, if there is room now."""
        if not self._roomy.is_set() and self._room() > 0:
            self._roomy.set()

    def gone(self, names: Iterable[str]) -> None:
        """Tells the session that these names have been removed, at the end of the current scan."""
        if self._scanning:
            self._gone.extend(names)
        else:
            self._session.awaiting_removal.difference_update(names)

    # Watching

    def _begin_watch(self) -> None:
        assert self._loop is not None
        self._muted = False
        try:
            self._watch = self._hint.watch(self._directory.path, self._wake)
            self._unwatchable = False
        except OSError as exc:
            # Hints are optional: without one we scan more often, and retry the hint regularly.
            if not self._unwatchable:
                self._unwatchable = True
                self._report(exc)
        self._next_check = self._loop.time() + (WATCH_RETRY if self._watch is None else WATCH_CHECK)

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.end()
            self._watch = None

    def _mute(self) -> None:
        if self._watch is not None:
            self._end_watch()
            self._muted = True

    def _wake(self) -> None:
        self._wakes += 1  # not thread-safe, but it need not be exact
        # Many hints cause one scan. The flag is cleared before the listing, so that none is missed.
        if self._waking or self._task is None or self._loop is None:
            return
        self._waking = True
        try:
            if threading.get_ident() == self._thread:
                self._woken.set()
            else:
                self._loop.call_soon_threadsafe(self._woken.set)
        except RuntimeError:
            log.debug("a hint came after the loop was closed")

    def _on_sweep(self) -> None:
        assert self._loop is not None
        if not self._muted and self._loop.time() >= self._next_check:
            self._next_check = self._loop.time() + WATCH_CHECK
            if self._watch is None or not self._watch.alive():
                # If the directory has gone, the listing will report it.
                self._unwatchable |= self._watch is not None
                self._end_watch()
                self._begin_watch()
        self._woken.set()
        blind = self._watch is None and not self._muted
        pause = min(self._sweep, UNWATCHED_SWEEP_INTERVAL) if blind else self._sweep
        pause *= max(1.0, self._listed / NAMES_PER_SWEEP)
        self._sweeper = self._loop.call_later(pause, self._on_sweep)

    # Scanning

    async def _run(self) -> None:
        assert self._loop is not None
        while True:
            await self._woken.wait()
            self._woken.clear()
            self._waking = False
            if self._wakes >= BURST:
                self._mute()
            self._wakes = 0
            begun, taken = self._loop.time(), 0
            try:
                taken = await self._scan()
                self._unlistable = False
            except OSError as exc:
                if not self._unlistable:
                    self._unlistable = True
                    self._report(exc)
            except Exception as exc:  # noqa: BLE001 -- a bug must not stop us from receiving keys
                self._loop.call_exception_handler({"message": "a scan failed", "exception": exc})
            if self._muted:
                if not taken:
                    self._begin_watch()
                self._woken.set()
                await asyncio.sleep(0)
            else:
                rest = min(REST_FACTOR * (self._loop.time() - begun), LONGEST_REST)
                if rest >= SHORTEST_REST:
                    await asyncio.sleep(rest)

    async def _scan(self) -> int:
        """One scan; returns how many key presses it took."""
        scan = self._session.scan()
        self._scanning = True
        try:
            listed = 0
            for names in self._listing():
                scan.first(names)
                listed += len(names)
                if scan.found >= BURST:
                    self._mute()
                if len(names) == BATCH:
                    await asyncio.sleep(0)
            self._listed = listed
            if scan.needs_second():
                for names in self._listing():
                    scan.second(names)
                    if len(names) == BATCH:
                        await asyncio.sleep(0)
            for stray in scan.strays:
                self._report(stray)
            return await self._take(scan.take())
        finally:
            self._scanning = False
            self._session.awaiting_removal.difference_update(self._gone)
            self._gone.clear()

    def _listing(self) -> Iterator[list[str]]:
        names = self._directory.iter_names()
        while piece := list(islice(names, BATCH)):
            yield piece

    async def _take(self, new: Iterator[Received]) -> int:
        taken, waited = 0, False
        while True:
            while (room := self._room()) <= 0:
                waited = True
                await self._wait_for_room()
            wanted = min(room, BATCH)
            if received := list(islice(new, wanted)):
                self._deliver(received)
                taken += len(received)
            if len(received) < wanted:
                self._crowded &= waited
                return taken
            await asyncio.sleep(0)

    async def _wait_for_room(self) -> None:
        if not self._crowded:
            self._crowded = True
            what = "key presses arrive faster than they are read; the rest stay there for now"
            self._report(OSError(errno.ENOBUFS, what, self._directory.path))
        self._roomy.clear()
        await self._roomy.wait()
