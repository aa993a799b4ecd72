"""Finds what is new in a communications directory, at once and without fail.

A hint (or the sweep) wakes the lookout. It lists the directory twice, and the session says what is
new.

A look at a directory with few names is one step. One with many is taken in turns, between which
the loop serves others; confirmations of removals wait until it has ended, so that a listing never
brings back a name whose removal was confirmed between its making and its reading.

In a burst the hint is only in the way: the watcher's threads would spend their time, and ours, on
events that say what we know. So the lookout stops watching, looks again and again as long as each
look finds something, then watches again and looks once more.
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

#: Seconds between two looks where the hint that was wanted is not available.
SWEEP_BLIND = 0.02
#: Seconds between two checks of a watch, and between two attempts to get one after all.
CHECK, WATCH_AGAIN = 1.0, 5.0
#: Names that are read, or key presses that are taken, in one turn of the loop: 3 to 5 ms.
TURN = 500
#: After a look that took longer than this many seconds, hints have the next one wait for so many
#: times as long, up to the last: while many names are there, looking must leave time to remove.
REST, RESTS, REST_LAST = 0.0005, 2, 0.05
#: Names that one sweep may read at its usual pace; twice as many are swept half as often.
SWEEP_NAMES = 5000
#: Wakes between two looks, or keys in one look, from which on it is a burst.
BURST = 50


class Lookout:
    """Looks at one directory. All methods belong to the loop's thread.

    Arguments:
        directory: where to look.
        session: what says which names are new.
        hint: what wakes us.
        sweep: seconds between looks without a hint.
        deliver: given what is new, in order, in one piece or more.
        report: given names that are no key presses, and the directory's troubles, each once
            until it is over.
        room: how many key presses may be delivered now. While there is none, a look stands still,
            until `go_on`; what it has not taken stays in the directory.
    """

    def __init__(
        self,
        directory: Directory,
        session: Session,
        hint: Hint,
        sweep: float,
        deliver: Callable[[list[Received]], None],
        report: Report,
        room: Callable[[], int] = lambda: TURN,
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
        # Looking
        self._roomy = asyncio.Event()
        self._looking = self._unlistable = self._crowded = False
        self._listed = 0
        self._gone: list[str] = []

    def start(self) -> None:
        """Watches, and begins to look; raises what the hint raises but for OSError."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._begin_watch()
        # What was here before the watch is not reported by any watcher.
        self._woken.set()
        self._task = self._loop.create_task(self._run(), name="lookout")
        self._on_sweep()

    async def stop(self) -> None:
        """Ends, or pauses until the next `start`; nothing is delivered any more, and a look under
        way is given up."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        if self._sweeper is not None:
            self._sweeper.cancel()
        self._end_watch()

    def look(self) -> None:
        """Looks as soon as may be."""
        self._woken.set()

    def go_on(self) -> None:
        """There may be room again: goes on with the look that waits for it, if one does."""
        if not self._roomy.is_set() and self._room() > 0:
            self._roomy.set()

    def gone(self, names: Iterable[str]) -> None:
        """Takes the confirmation that names are gone, for the session."""
        if self._looking:
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
            # A hint is only a hint: without one we look more often, and try again now and then.
            if not self._unwatchable:
                self._unwatchable = True
                self._report(exc)
        self._next_check = self._loop.time() + (WATCH_AGAIN if self._watch is None else CHECK)

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.end()
            self._watch = None

    def _mute(self) -> None:
        if self._watch is not None:
            self._end_watch()
            self._muted = True

    def _wake(self) -> None:
        self._wakes += 1  # not exact between threads, and need not be
        # Many hints, one look: the flag is dropped before the listing, so that none is missed.
        if self._waking or self._task is None or self._loop is None:
            return
        self._waking = True
        try:
            if threading.get_ident() == self._thread:
                self._woken.set()
            else:
                self._loop.call_soon_threadsafe(self._woken.set)
        except RuntimeError:
            log.debug("a hint came after the loop had closed")

    def _on_sweep(self) -> None:
        assert self._loop is not None
        if not self._muted and self._loop.time() >= self._next_check:
            self._next_check = self._loop.time() + CHECK
            if self._watch is None or not self._watch.alive():
                # A directory that has gone is reported by the listing.
                self._unwatchable |= self._watch is not None
                self._end_watch()
                self._begin_watch()
        self._woken.set()
        blind = self._watch is None and not self._muted
        pause = min(self._sweep, SWEEP_BLIND) if blind else self._sweep
        pause *= max(1.0, self._listed / SWEEP_NAMES)
        self._sweeper = self._loop.call_later(pause, self._on_sweep)

    # Looking

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
                taken = await self._look()
                self._unlistable = False
            except OSError as exc:
                if not self._unlistable:
                    self._unlistable = True
                    self._report(exc)
            except Exception as exc:  # noqa: BLE001 -- a bug, which must not make us deaf as well
                self._loop.call_exception_handler({"message": "a look failed", "exception": exc})
            if self._muted:
                if not taken:
                    self._begin_watch()
                self._woken.set()
                await asyncio.sleep(0)
            else:
                rest = min(RESTS * (self._loop.time() - begun), REST_LAST)
                if rest >= REST:
                    await asyncio.sleep(rest)

    async def _look(self) -> int:
        """One look; returns how many key presses it took."""
        look = self._session.look()
        self._looking = True
        try:
            listed = 0
            for names in self._listing():
                look.first(names)
                listed += len(names)
                if look.found >= BURST:
                    self._mute()
                if len(names) == TURN:
                    await asyncio.sleep(0)
            self._listed = listed
            if look.needs_second():
                for names in self._listing():
                    look.second(names)
                    if len(names) == TURN:
                        await asyncio.sleep(0)
            for stray in look.strays:
                self._report(stray)
            return await self._take(look.take())
        finally:
            self._looking = False
            self._session.awaiting_removal.difference_update(self._gone)
            self._gone.clear()

    def _listing(self) -> Iterator[list[str]]:
        names = self._directory.scan()
        while piece := list(islice(names, TURN)):
            yield piece

    async def _take(self, new: Iterator[Received]) -> int:
        taken, waited = 0, False
        while True:
            while (room := self._room()) <= 0:
                waited = True
                await self._wait_for_room()
            wanted = min(room, TURN)
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
            what = "key presses come faster than they are taken in; the rest stays there meanwhile"
            self._report(OSError(errno.ENOBUFS, what, self._directory.path))
        self._roomy.clear()
        await self._roomy.wait()
