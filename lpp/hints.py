"""Hints: what wakes a channel, so that it looks at once and not at the next sweep.

A hint says only "look"; what is there, a listing says. Events themselves lose, merge, reorder and
mislabel keys (docs/explanation/transport.md), so none of their content is used.

* `WatchdogHint` -- watchdog's observer of this operating system, one for all its directories;
* `NoHint` -- none: the sweep alone, as for network mounts, which report no one else's changes.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Protocol

from watchdog.events import DirCreatedEvent, FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

log = logging.getLogger(__name__)

#: Seconds that watchdog's Windows reader may hold events back; its default of 1 s makes a steady
#: typist's keys come in heaps.
OBSERVER_TIMEOUT = 0.02


class Hint(Protocol):
    """Wakes whoever watches a path when something may have been made there."""

    def watch(self, path: str, wake: Callable[[], None]) -> Callable[[], None]:
        """Begins to watch.

        Arguments:
            path: a directory.
            wake: called on any thread, with nothing, as often as it likes; must not block.

        Returns:
            What ends the watch.

        Raises:
            OSError: if the path can't be watched.
        """

    def healthy(self) -> bool:
        """Whether wakes still come, as far as the hint can tell; mends itself if it can."""


class NoHint:
    """Never wakes anybody."""

    def watch(self, path: str, wake: Callable[[], None]) -> Callable[[], None]:
        """See Hint."""
        return lambda: None

    def healthy(self) -> bool:
        """Always."""
        return True


class _Waker(FileSystemEventHandler):
    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake

    def dispatch(self, event: FileSystemEvent) -> None:
        # An exception here would end watchdog's thread for all directories.
        try:
            self._wake()
        except RuntimeError:  # the loop that wanted to be woken is closed
            log.debug("a wake came too late")


class WatchdogHint:
    """watchdog's observer, started with the first watch and stopped with the last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._observer: BaseObserver | None = None
        self._watches: dict[int, tuple[str, Callable[[], None], ObservedWatch, _Waker]] = {}
        self._next = 0

    def watch(self, path: str, wake: Callable[[], None]) -> Callable[[], None]:
        """See Hint."""
        with self._lock:
            if self._observer is None:
                self._observer = Observer(timeout=OBSERVER_TIMEOUT)
                self._observer.start()
            token = self._next
            self._next += 1
            try:
                self._watches[token] = self._schedule(self._observer, path, wake)
            except BaseException:
                self._stop_if_unused()
                raise
        return lambda: self._unwatch(token)

    def healthy(self) -> bool:
        """Whether the observer's threads live; a dead observer is replaced by a new one."""
        with self._lock:
            observer = self._observer
            if observer is None:
                return True
            alive = observer.is_alive() and all(each.is_alive() for each in observer.emitters)
            if not alive:
                log.warning("watchdog's threads died; starting new ones")
                self._end(observer)
                self._observer = Observer(timeout=OBSERVER_TIMEOUT)
                self._observer.start()
                for token, (path, wake, _, _) in list(self._watches.items()):
                    try:
                        self._watches[token] = self._schedule(self._observer, path, wake)
                    except OSError as exc:
                        log.warning("%s can't be watched any more: %s", path, exc)
            return alive

    @staticmethod
    def _schedule(
        observer: BaseObserver, path: str, wake: Callable[[], None]
    ) -> tuple[str, Callable[[], None], ObservedWatch, _Waker]:
        waker = _Waker(wake)
        # Without the filter our own listings and removals would wake us too.
        watch = observer.schedule(waker, path, recursive=False, event_filter=[DirCreatedEvent])
        return path, wake, watch, waker

    def _unwatch(self, token: int) -> None:
        with self._lock:
            path, _, watch, waker = self._watches.pop(token, (None, None, None, None))
            if path is None or watch is None or waker is None or self._observer is None:
                return
            self._observer.remove_handler_for_watch(waker, watch)
            if not any(other[2] == watch for other in self._watches.values()):
                self._observer.unschedule(watch)
            self._stop_if_unused()

    def _stop_if_unused(self) -> None:
        if not self._watches and self._observer is not None:
            self._end(self._observer)
            self._observer = None

    @staticmethod
    def _end(observer: BaseObserver) -> None:
        observer.stop()
        if observer.is_alive():
            observer.join(timeout=5)


#: The one that channels of this process share unless told otherwise.
SHARED = WatchdogHint()
