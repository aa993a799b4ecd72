"""Hints: what wakes a channel, so that it looks at once and not at the next sweep.

A hint says only "look"; what is there, a listing says. Events themselves lose, merge, reorder and
mislabel keys (docs/explanation/transport.md), so none of their content is used.

* `WatchdogHint` -- watchdog's observer of this operating system, one for all its directories;
* `lpp.inotify.InotifyHint` -- the same without its threads, on Linux; the default there;
* `NoHint` -- none: the sweep alone, as for network mounts, which report no one else's changes.
"""

from __future__ import annotations

import itertools
import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

from watchdog.events import DirCreatedEvent, FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, ObservedWatch

log = logging.getLogger(__name__)

# watchdog calls it a warning that events were lost, and an error that a watch was ended between
# two events. Neither means anything where events only wake.
for _talker in ("watchdog.observers.inotify", "watchdog.observers.inotify_c"):
    logging.getLogger(_talker).setLevel(logging.CRITICAL)

#: Seconds that watchdog's Windows reader may hold events back; its default of 1 s makes a steady
#: typist's keys come in heaps. Without meaning for inotify, whose reader blocks.
OBSERVER_TIMEOUT = 0.02
#: Seconds between two checks of an observer's health, however many channels ask for one.
CHECK = 1.0
#: Seconds to wait for watchdog's threads to end, which they do at once unless they are stuck.
JOIN = 5.0

#: What tells a directory from another that has taken its place: device and inode.
Identity: TypeAlias = tuple[int, int] | None


@runtime_checkable
class Hint(Protocol):
    """Wakes whoever watches a path when something may have been made there."""

    def watch(self, path: str, wake: Callable[[], None]) -> Callable[[], None]:
        """Begins to watch.

        Arguments:
            path: a directory.
            wake: called on any thread, with nothing, as often as it likes; must not block.

        Returns:
            What ends the watch; calling it again does nothing.

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
        except Exception:
            log.exception("a wake failed")


@dataclass(slots=True)
class _Watch:
    path: str
    waker: _Waker
    #: None while the path can't be watched, as when the directory is away.
    observed: ObservedWatch | None = None
    identity: Identity = field(default=None)


class WatchdogHint:
    """watchdog's observer, started with the first watch and stopped with the last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._observer: BaseObserver | None = None
        self._watches: dict[int, _Watch] = {}
        self._tokens = itertools.count()
        self._next_check = 0.0
        self._well = True

    def watch(self, path: str, wake: Callable[[], None]) -> Callable[[], None]:
        """See Hint."""
        watch = _Watch(path, _Waker(wake))
        with self._lock:
            if self._observer is None:
                self._observer = Observer(timeout=OBSERVER_TIMEOUT)
                self._observer.start()
            try:
                self._schedule(self._observer, watch)
            except BaseException:
                self._stop_if_unused()
                raise
            token = next(self._tokens)
            self._watches[token] = watch
        return lambda: self._unwatch(token)

    def healthy(self) -> bool:
        """Whether the observer's threads live and watch the directories that now stand at their
        paths; dead ones are replaced, and a directory that has come back is watched again.

        Looks once a second at most, and says meanwhile what it saw last.
        """
        now = time.monotonic()
        if now >= self._next_check:
            self._next_check = now + CHECK
            with self._lock:
                self._well = self._check()
        return self._well

    def _check(self) -> bool:
        if self._observer is None:
            return True
        if not self._observer.is_alive():
            log.warning("watchdog's thread died; starting a new one")
            try:
                fresh = Observer(timeout=OBSERVER_TIMEOUT)
                fresh.start()
            except OSError as exc:
                log.warning("watchdog can't be started: %s", exc)
                return False
            self._end(self._observer)
            for watch in self._watches.values():
                watch.observed = None
            self._observer = fresh
        alive = {emitter.watch for emitter in self._observer.emitters if emitter.is_alive()}
        sick = {
            watch.path
            for watch in self._watches.values()
            if watch.observed not in alive or watch.identity != identity_of(watch.path)
        }
        for path in sick:
            self._mend(self._observer, path)
        return not sick

    def _mend(self, observer: BaseObserver, path: str) -> None:
        watches = [watch for watch in self._watches.values() if watch.path == path]
        for observed in {watch.observed for watch in watches if watch.observed is not None}:
            observer.unschedule(observed)
        for watch in watches:
            watch.observed = None
        try:
            for watch in watches:
                self._schedule(observer, watch)
        except OSError as exc:
            log.debug("%s can't be watched for now: %s", path, exc)

    @staticmethod
    def _schedule(observer: BaseObserver, watch: _Watch) -> None:
        identity = identity_of(watch.path)
        # Without the filter our own listings and removals would wake us too.
        watch.observed = observer.schedule(
            watch.waker, watch.path, recursive=False, event_filter=[DirCreatedEvent]
        )
        watch.identity = identity

    def _unwatch(self, token: int) -> None:
        with self._lock:
            watch = self._watches.pop(token, None)
            if watch is None or self._observer is None:
                return
            observed = watch.observed
            if observed is not None:
                self._observer.remove_handler_for_watch(watch.waker, observed)
                if not any(other.observed == observed for other in self._watches.values()):
                    self._observer.unschedule(observed)
            self._stop_if_unused()

    def _stop_if_unused(self) -> None:
        if not self._watches and self._observer is not None:
            self._end(self._observer)
            self._observer = None

    @staticmethod
    def _end(observer: BaseObserver) -> None:
        observer.stop()
        if observer.is_alive():
            observer.join(timeout=JOIN)


def identity_of(path: str) -> Identity:
    """Which directory stands at a path; None if none does."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


#: The one that channels of this process share unless told otherwise.
SHARED = WatchdogHint()
