"""Finds what is new in a communications directory, at once and without fail.

A hint (or the sweep) has it look: it lists the directory twice, and the session says what is new.

A look at a directory with few names is one step. One with many is taken in turns, between which
the loop serves others; confirmations of removals wait until it has ended, so that a listing never
brings back a name whose removal was confirmed between its making and its reading.

In a burst the hint only stands in the way: the watcher's threads would spend their time, and ours,
on events that say what we know. So the lookout stops watching, looks again and again as long as
each look finds something, then watches again and looks once more.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeVar

from lpp.directory import Directory
from lpp.hints import Hint
from lpp.removal import Report
from lpp.session import Received, Session

log = logging.getLogger(__name__)

_T = TypeVar("_T")

#: Seconds between two looks where a hint was wanted and can't be had.
SWEEP_BLIND = 0.02
#: Seconds between two attempts to get a hint after all.
WATCH_AGAIN = 5.0
#: Names that are read, or key presses that are taken, in one turn of the loop: 3 to 5 ms.
TURN = 500
#: After a look that took longer than this many seconds, hints have the next one wait for so many
#: times as long, up to the last: while many names stand there, looking must leave time to remove.
REST, RESTS, REST_LAST = 0.0005, 2, 0.05
#: Names that one sweep may read at its usual pace; twice as many are swept half as often.
SWEEP_NAMES = 5000
#: Wakes between two looks, or keys in one look, from which on it is a burst.
BURST = 50

#: What a turn of a look gives when there is more to do, and when it has to wait for room; at its
#: end it gives how many keys it took.
_MORE, _WAIT = -1, -2


class Lookout:
    """Looks at one directory. All methods belong to the loop's thread.

    Arguments:
        directory: where to look.
        session: what says which names are new.
        hint: what wakes us.
        sweep: seconds between looks without a hint.
        deliver: given what is new, in order, in one piece or more.
        report: told of names that are no key presses, and of the directory's troubles, each
            once until it is over.
        room: how many key presses may be delivered now. While it says none, a look stands still,
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
        self._thread = 0
        self._stopped = False
        self._sweeper: asyncio.TimerHandle | None = None
        # Watching
        self._unwatch: Callable[[], None] | None = None
        self._muted = False
        self._watch_again = 0.0
        self._woken = False
        self._wakes = 0
        # Looking
        self._under_way: Iterator[int] | None = None
        self._waiting = self._waited = self._crowded = False
        self._again = False
        self._pauses = 0
        self._listed = 0
        self._begun = self._rested = 0.0
        self._later: asyncio.TimerHandle | None = None
        self._gone: list[str] = []
        self._unlistable = False
        self._unwatchable = False

    def start(self) -> None:
        """Watches, and looks for the first time."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._watch()
        # What stood here before the watch is not reported by any watcher.
        self.look()
        self._set_sweeper()

    def stop(self) -> None:
        """Ends; nothing is delivered any more."""
        self._stopped = True
        for timer in (self._sweeper, self._later):
            if timer is not None:
                timer.cancel()
        self._stop_watching()
        self._end_look()

    def look(self) -> None:
        """Looks now, or as soon as may be."""
        if self._stopped or self._loop is None:
            return
        if self._under_way is not None or self._pauses:
            self._again = True
            return
        self._again = False
        self._begun = self._loop.time()
        self._under_way = self._one_look()
        self._go_on()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """While in this context, nothing is looked at; a look under way is given up."""
        self._pauses += 1
        self._end_look()
        try:
            yield
        finally:
            self._pauses -= 1
            self._look_soon()

    def go_on(self) -> None:
        """There is room again: goes on with the look that waits for it, if one does."""
        if self._waiting and self._loop is not None and self._room() > 0:
            self._waiting = False
            self._loop.call_soon(self._go_on)

    def gone(self, names: list[str]) -> None:
        """Takes the confirmation that names are gone, for the session."""
        if self._under_way is None:
            self._session.gone(names)
        else:
            self._gone.extend(names)

    # Watching

    def _watch(self) -> None:
        assert self._loop is not None
        self._muted = False
        try:
            self._unwatch = self._hint.watch(self._directory.path, self._wake_from_any_thread)
        except OSError as exc:
            # A hint is only a hint: without one we look more often, and try again now and then.
            self._watch_again = self._loop.time() + WATCH_AGAIN
            if not self._unwatchable:
                self._unwatchable = True
                self._report(exc)
        else:
            self._unwatchable = False

    def _stop_watching(self) -> None:
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None

    def _mute(self) -> None:
        if self._unwatch is not None:
            self._stop_watching()
            self._muted = True

    def _wake_from_any_thread(self) -> None:
        self._wakes += 1  # not exact between threads, and need not be
        # Many hints, one look: the flag is dropped before the listing, so that none is missed.
        if self._woken or self._stopped or self._loop is None:
            return
        self._woken = True
        try:
            if threading.get_ident() == self._thread:
                self._loop.call_soon(self._on_hint)
            else:
                self._loop.call_soon_threadsafe(self._on_hint)
        except RuntimeError:
            log.debug("a hint came after the loop had closed")

    def _on_hint(self) -> None:
        self._woken = False
        wakes, self._wakes = self._wakes, 0
        if wakes >= BURST:
            self._mute()
        assert self._loop is not None
        rest = self._rested - self._loop.time()
        if not REST <= rest <= REST_LAST:  # more than the last: a loop whose clock was set back
            self.look()
        elif self._later is None:
            self._later = self._loop.call_later(rest, self._look_later)

    def _look_later(self) -> None:
        self._later = None
        self.look()

    def _set_sweeper(self) -> None:
        assert self._loop is not None
        blind = self._unwatch is None and not self._muted
        pause = min(self._sweep, SWEEP_BLIND) if blind else self._sweep
        pause *= max(1.0, self._listed / SWEEP_NAMES)
        self._sweeper = self._loop.call_later(pause, self._on_sweep)

    def _on_sweep(self) -> None:
        assert self._loop is not None
        self._set_sweeper()
        if self._unwatch is None and not self._muted and self._loop.time() >= self._watch_again:
            self._watch()
        self._hint.healthy()
        self.look()

    # Looking

    def _look_soon(self) -> None:
        if self._loop is not None and not self._stopped:
            self._loop.call_soon(self.look)

    def _go_on(self) -> None:
        """One turn of the look that is under way, if it was not given up meanwhile."""
        assert self._loop is not None
        if self._under_way is None:
            return
        try:
            taken = next(self._under_way)
        except OSError as exc:
            self._end_look()
            if not self._unlistable:
                self._unlistable = True
                self._report(exc)
            return
        except BaseException:
            # A bug, which must not make us deaf as well.
            self._end_look()
            raise
        if taken == _MORE:
            self._loop.call_soon(self._go_on)
            return
        if taken == _WAIT:
            self._wait()
            return
        self._unlistable = False
        self._end_look()
        now = self._loop.time()
        self._rested = now + min(RESTS * (now - self._begun), REST_LAST)
        self._after(taken)

    def _wait(self) -> None:
        self._waiting = self._waited = True
        if not self._crowded:
            self._crowded = True
            what = "key presses come faster than they are taken in; the rest stays there meanwhile"
            self._report(OSError(errno.ENOBUFS, what, self._directory.path))

    def _after(self, taken: int) -> None:
        self._crowded &= self._waited
        self._waited = False
        if self._muted and not taken:
            self._watch()
            self._look_soon()
        elif self._muted or self._again:
            self._look_soon()

    def _one_look(self) -> Iterator[int]:
        """Gives `_MORE` at the end of each turn, and at last how many key presses it took."""
        look = self._session.look()
        listed = taken = 0
        for names in _pieces(self._directory.scan()):
            look.first(names)
            listed += len(names)
            if look.found >= BURST:
                self._mute()
            if len(names) == TURN:
                yield _MORE
        self._listed = listed
        if look.wants_second:
            for names in _pieces(self._directory.scan()):
                look.second(names)
                if len(names) == TURN:
                    yield _MORE
        for stray in look.strays:
            self._report(stray)
        new = look.take()
        while True:
            while (room := self._room()) <= 0:
                yield _WAIT
            wanted = min(room, TURN)
            if received := list(islice(new, wanted)):
                self._deliver(received)
                taken += len(received)
            if len(received) < wanted:
                break
            yield _MORE
        yield taken

    def _end_look(self) -> None:
        self._under_way = None
        self._waiting = False
        self._session.gone(self._gone)
        self._gone.clear()


def _pieces(items: Iterator[_T]) -> Iterator[list[_T]]:
    while piece := list(islice(items, TURN)):
        yield piece
