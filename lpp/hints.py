"""Hints: what wakes a channel, so that it looks at once and not at the next sweep.

A hint says only "look"; a listing says what is there. Events themselves lose, merge, reorder and
mislabel keys (docs/explanation/transport.md), so none of their content is used.

* `SystemHint(ObserverReader)` -- watchdog's observer of this operating system;
* `SystemHint(InotifyReader)` -- watchdog's bare inotify descriptor, without the observer's threads:
  the loop of the channel that asked reads it. The default on Linux;
* `NoHint` -- none: the sweep alone, as for network mounts, which report no one else's changes.

`choose` says which of them a directory gets.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import itertools
import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Protocol, TypeAlias, runtime_checkable

from watchdog.events import DirCreatedEvent, FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from lpp.mounts import network_kind

try:
    from watchdog.observers import inotify_c
except Exception:  # noqa: BLE001 -- not on Linux; watchdog has its own errors for odd C libraries
    inotify_c = None  # type: ignore[assignment]

log = logging.getLogger(__name__)

# watchdog calls it a warning that events were lost, and an error that a watch was ended between
# two events. Neither means anything where events only wake.
for _talker in ("watchdog.observers.inotify", "watchdog.observers.inotify_c"):
    logging.getLogger(_talker).setLevel(logging.CRITICAL)

#: Seconds that watchdog's Windows reader may hold events back; its default of 1 s makes a steady
#: typist's keys come in heaps. Without meaning for inotify, whose reader blocks.
OBSERVER_TIMEOUT = 0.02
#: Seconds between two checks of a hint's health, however many channels ask for one.
CHECK = 1.0
#: Seconds to wait for watchdog's threads to end, which they do at once unless they are stuck.
JOIN = 5.0
#: Seconds between two looks when no hint comes; the upper bound of latency where hints fail.
SWEEP = 0.25
#: The same where there is no hint.
SWEEP_NETWORK = 0.02

#: inotify's own numbers: something was made or moved here; a directory or nothing.
IN_CREATE, IN_MOVED_TO, IN_ONLYDIR = 0x100, 0x80, 0x1000000

#: The loop that reads for a watch; None for a thread of watchdog's.
Loop: TypeAlias = asyncio.AbstractEventLoop | None


@runtime_checkable
class Hint(Protocol):
    """Wakes a channel when something may have been made in its directory."""

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


class Watch(FileSystemEventHandler):
    """One watch, and what watchdog's threads call: they must never see an exception."""

    def __init__(self, path: str, wake: Callable[[], None], token: int, loop: Loop) -> None:
        self.path = path
        self.token = token
        self.loop = loop
        #: What the reader calls it; None while the path can't be watched.
        self.handle: Any = None
        #: Which directory is watched: another one may have taken its place.
        self.identity: tuple[int, int] | None = None
        self._wake = wake

    def on_event(self, event: object) -> None:
        """Something was made (InotifyFD)."""
        try:
            self._wake()
        except Exception:
            log.exception("a wake failed")

    def dispatch(self, event: FileSystemEvent) -> None:
        """Something was made (the observer)."""
        self.on_event(event)

    def on_watch_deleted(self, wd: object) -> None:
        """The directory went away (InotifyFD); the next check watches its successor."""
        if self.handle == wd:
            self.handle = None

    def on_queue_overflow(self) -> None:
        """Events were lost (InotifyFD); a look finds all."""
        self.on_event(None)


class ObserverReader:
    """watchdog's observer: a thread for each directory, and one for all."""

    def __init__(self, loop: Loop) -> None:
        self._observer = Observer(timeout=OBSERVER_TIMEOUT)
        self._uses: Counter[object] = Counter()
        self._observer.start()

    @staticmethod
    def loop() -> Loop:
        """Always watchdog's own threads."""
        return None

    def add(self, watch: Watch) -> None:
        """Begins a watch. Raises OSError."""
        # Without the filter our own listings and removals would wake us too.
        kinds: list[type[FileSystemEvent]] = [DirCreatedEvent]
        watch.handle = self._observer.schedule(
            watch, watch.path, recursive=False, event_filter=kinds
        )
        self._uses[watch.handle] += 1

    def drop(self, watch: Watch) -> None:
        """Ends a watch."""
        self._observer.remove_handler_for_watch(watch, watch.handle)
        self._uses[watch.handle] -= 1
        if not self._uses[watch.handle]:
            self._observer.unschedule(watch.handle)

    def watches(self, watch: Watch) -> bool:
        """Whether the watch is alive."""
        return any(e.watch == watch.handle and e.is_alive() for e in self._observer.emitters)

    def alive(self) -> bool:
        """Whether its thread lives."""
        return self._observer.is_alive()

    def end(self) -> None:
        """Ends its threads."""
        self._observer.stop()
        if self._observer.is_alive():
            self._observer.join(timeout=JOIN)


class InotifyReader:
    """watchdog's `InotifyFD`, for any number of directories.

    A loop reads it whenever there is something to read, which saves the last hand-over between
    threads and with it a third of the time from a key to its reader. Without a loop that can read
    descriptors it is the one thread that watchdog means it to be.

    It is not the instance that observers of this process share: ours ends when it is not needed.
    """

    def __init__(self, loop: Loop) -> None:
        self._inotify: Any = inotify_c.InotifyFD()
        self._loop = loop
        if loop is None:
            self._inotify.start()
            return
        self._descriptor: int = self._inotify._inotify_fd
        # Nobody blocks in a read, so that closing may close the descriptors at once.
        self._inotify._is_reading = False
        try:
            loop.add_reader(self._descriptor, self._read)
        except BaseException:
            self._inotify.close()
            raise

    @staticmethod
    def available() -> bool:
        """Whether this system, with this version of watchdog, has it."""
        # The versions of watchdog that it is known in; a test of it is to move the bound.
        return hasattr(inotify_c, "InotifyFD") and version("watchdog").startswith("7.")

    @staticmethod
    def loop() -> Loop:
        """The loop of this thread if it can read the descriptor."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return None
        return loop if isinstance(loop, asyncio.SelectorEventLoop) else None

    def _read(self) -> None:
        for event in self._inotify.read_events():
            self._inotify.handle_event(event)

    def add(self, watch: Watch) -> None:
        """Begins a watch. Raises OSError."""
        mask = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR
        handle = self._inotify.add_callback(os.fsencode(watch.path), mask, watch, watch.token)
        if handle == -1:
            # Permission denied is the one error that watchdog says nothing of.
            self._inotify.remove_callbacks([(handle, watch.token)])
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), watch.path)
        watch.handle = handle

    def drop(self, watch: Watch) -> None:
        """Ends a watch."""
        self._inotify.remove_callbacks([(watch.handle, watch.token)])

    def watches(self, watch: Watch) -> bool:
        """Whether the watch is alive, as far as it has a handle."""
        return True

    def alive(self) -> bool:
        """Whether its thread lives, if it has one."""
        return self._loop is not None or bool(self._inotify.is_alive())

    def end(self) -> None:
        """Closes the descriptor."""
        if self._loop is None:
            self._inotify.stop()
            if self._inotify.is_alive():
                self._inotify.join(timeout=JOIN)
            return
        with contextlib.suppress(RuntimeError):  # the loop is closed, and asks nobody any more
            self._loop.remove_reader(self._descriptor)
        self._inotify.close()


class SystemHint:
    """Wakes by what the operating system reports. A reader is opened with the first watch and
    closed with the last, one for each loop that has a channel.

    Arguments:
        reader: `ObserverReader` or `InotifyReader`.
    """

    def __init__(self, reader: type[ObserverReader] | type[InotifyReader]) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self._readers: dict[Loop, ObserverReader | InotifyReader] = {}
        self._watches: dict[int, Watch] = {}
        self._tokens = itertools.count()
        self._next_check = 0.0
        self._well = True

    def watch(self, path: str, wake: Callable[[], None]) -> Callable[[], None]:
        """See Hint. With `InotifyReader` under an asyncio loop, to be called and ended on its
        thread."""
        loop = self._reader.loop()
        with self._lock:
            if loop not in self._readers:
                self._readers[loop] = self._reader(loop)
            watch = Watch(path, wake, next(self._tokens), loop)
            try:
                self._add(watch)
            except BaseException:
                self._end_if_unused(loop)
                raise
            self._watches[watch.token] = watch
        return lambda: self._unwatch(watch.token)

    def healthy(self) -> bool:
        """Whether the readers live and watch the directories that now stand at their paths; a
        dead one is replaced, and a directory that has come back is watched again.

        Looks once a second at most, and says meanwhile what it saw last.
        """
        now = time.monotonic()
        if now >= self._next_check:
            self._next_check = now + CHECK
            with self._lock:
                self._well = self._check()
        return self._well

    def _add(self, watch: Watch) -> None:
        identity = identity_of(watch.path)
        self._readers[watch.loop].add(watch)
        watch.identity = identity

    def _drop(self, watch: Watch) -> None:
        if watch.handle is not None:
            self._readers[watch.loop].drop(watch)
            watch.handle = None

    def _check(self) -> bool:
        for loop, reader in list(self._readers.items()):
            if reader.alive():
                continue
            log.warning("watchdog's thread died; starting a new one")
            try:
                self._readers[loop] = self._reader(loop)
            except OSError as exc:
                log.warning("watchdog can't be started: %s", exc)
                return False
            reader.end()
            for watch in self._watches.values():
                if watch.loop is loop:
                    watch.handle = None
        sick = [
            watch
            for watch in self._watches.values()
            if watch.handle is None
            or watch.identity != identity_of(watch.path)
            or not self._readers[watch.loop].watches(watch)
        ]
        # First all of them: two watches of one path share what watches it.
        for watch in sick:
            self._drop(watch)
        for watch in sick:
            try:
                self._add(watch)
            except OSError as exc:
                log.debug("%s can't be watched for now: %s", watch.path, exc)
        return not sick

    def _unwatch(self, token: int) -> None:
        with self._lock:
            watch = self._watches.pop(token, None)
            if watch is not None:
                self._drop(watch)
                self._end_if_unused(watch.loop)

    def _end_if_unused(self, loop: Loop) -> None:
        if not any(watch.loop is loop for watch in self._watches.values()):
            self._readers.pop(loop).end()


def identity_of(path: str) -> tuple[int, int] | None:
    """Device and inode of the directory that stands at a path; None if none does."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


#: The hints that channels of this process share.
OBSERVER = SystemHint(ObserverReader)
INOTIFY = SystemHint(InotifyReader)


@dataclass(frozen=True, slots=True)
class Choice:
    """What wakes a channel.

    Attributes:
        hint: what wakes it at once.
        sweep: seconds between looks without a wake.
        reason: why, in words.
    """

    hint: Hint
    sweep: float
    reason: str


def choose(path: str) -> Choice:
    """The hint for a directory, and the pace of looking."""
    kind = network_kind(path)
    if kind is not None:
        return Choice(
            NoHint(),
            SWEEP_NETWORK,
            f"{path} lies on a network mount ({kind}), where no watcher sees what another machine "
            f"makes: it is listed every {SWEEP_NETWORK * 1000:g} ms",
        )
    if InotifyReader.available():
        reason = "watchdog has inotify's shared descriptor: one for all directories"
        return Choice(INOTIFY, SWEEP, f"{path} lies on this machine, and {reason}")
    reason = "watchdog's observer of this system wakes"
    return Choice(OBSERVER, SWEEP, f"{path} lies on this machine: {reason}")
