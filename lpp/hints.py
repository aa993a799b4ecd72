"""Hints wake a channel, so that it scans its directory at once and not at the next sweep.

A hint only says "scan now"; a listing shows what the directory contains. File system events get
lost, merged, reordered and mislabelled (docs/explanation/transport.md), so their content is not
used.

* `ObserverHint` -- one watchdog observer for all directories, on any system;
* `InotifyHint` -- Linux's inotify, read by the channel's loop, which avoids switching threads. The
  default on Linux;
* `NoHint` -- no hints, only the sweep: for network mounts, which don't report the changes of other
  machines.

`choose` selects the hint for a directory.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import logging
import os
import struct
import sys
import threading
from collections.abc import Callable
from typing import Protocol, TypeAlias, runtime_checkable

from watchdog.events import DirCreatedEvent, FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from lpp.mounts import network_kind

log = logging.getLogger(__name__)

# watchdog logs a warning when events are lost, and an error when a watch ends between two events.
# Neither matters here, because events are only used as hints.
for _talker in ("watchdog.observers.inotify", "watchdog.observers.inotify_c"):
    logging.getLogger(_talker).setLevel(logging.CRITICAL)

#: Seconds that watchdog's Windows reader may hold events back; with its default of 1 s, a steady
#: typist's keys arrive in bursts. Not used by the inotify reader, which blocks.
OBSERVER_TIMEOUT = 0.02
#: Seconds to wait for watchdog's threads to end; they end at once unless they are stuck.
JOIN_TIMEOUT = 5.0
#: Seconds between two scans if no hint arrives; the maximum latency if hints fail.
SWEEP_INTERVAL = 0.25
#: Seconds between two scans on a network mount, which has no hints.
NETWORK_SWEEP_INTERVAL = 0.02

#: inotify's constants (inotify(7)). The mask: report what is created in or moved into the
#: directory, and fail if it is not a directory. inotify also reports lost events and ended watches.
_ASKED = 0x100 | 0x80 | 0x1000000
_OVERFLOW, _IGNORED = 0x4000, 0x8000
#: An event: watch, what happened, a cookie (unused here), the length of the name that follows.
_EVENT = struct.Struct("iIII")
#: Bytes read at once.
_READ = 65536

Wake: TypeAlias = Callable[[], None]


class Watch(Protocol):
    """A directory that is being watched."""

    def alive(self) -> bool:
        """Whether this watch still works, as far as the hint can tell. If not, end it and begin a
        new one."""

    def end(self) -> None:
        """Ends the watch; a second call does nothing."""


@runtime_checkable
class Hint(Protocol):
    """Wakes a channel when something may have been created in its directory."""

    def watch(self, path: str, wake: Wake) -> Watch:
        """Starts watching.

        Arguments:
            path: a directory.
            wake: called on any thread and any number of times; must not block.

        Raises:
            OSError: if the path can't be watched.
        """


class NoHint:
    """Never wakes the channel. Serves as its own watch."""

    def watch(self, path: str, wake: Wake) -> NoHint:
        """See Hint."""
        return self

    def alive(self) -> bool:
        """Always true."""
        return True

    def end(self) -> None:
        """Does nothing."""


class ObserverHint:
    """Wakes channels by one watchdog observer, which runs while there are watches. It has its own
    threads, and one for each directory."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.watches: set[ObserverWatch] = set()
        self._observer: BaseObserver | None = None

    def watch(self, path: str, wake: Wake) -> ObserverWatch:
        """See Hint."""
        with self.lock:
            if self._observer is None:
                self._observer = Observer(timeout=OBSERVER_TIMEOUT)
                self._observer.start()
            try:
                watch = ObserverWatch(self, self._observer, path, wake)
                self.watches.add(watch)
            finally:
                self.close_unused()
            return watch

    def close_unused(self) -> None:
        """Stops the observer if nothing is watched."""
        if self._observer is not None and not self.watches:
            self._observer.stop()
            self._observer.join(timeout=JOIN_TIMEOUT)
            self._observer = None


class ObserverWatch(FileSystemEventHandler):
    """See ObserverHint."""

    def __init__(self, hint: ObserverHint, observer: BaseObserver, path: str, wake: Wake) -> None:
        self._hint, self._observer, self._path, self._wake = hint, observer, path, wake
        self._identity = identity_of(path)
        # Without the filter, our own listings and removals would wake us, too.
        kinds: list[type[FileSystemEvent]] = [DirCreatedEvent]
        self._watched = observer.schedule(self, path, recursive=False, event_filter=kinds)
        self.emitter = next(each for each in observer.emitters if each.watch == self._watched)

    def alive(self) -> bool:
        """See Watch."""
        lives = self.emitter.is_alive() and self.emitter in self._observer.emitters
        return lives and self._identity == identity_of(self._path)

    def end(self) -> None:
        """See Watch."""
        hint = self._hint
        with hint.lock:
            if self not in hint.watches:
                return
            hint.watches.discard(self)
            # If another watch shares the emitter, keep it running, unless the emitter is dead.
            if any(each.emitter is self.emitter for each in hint.watches) and self.alive():
                self._observer.remove_handler_for_watch(self, self._watched)
            elif self.emitter in self._observer.emitters:
                self._observer.unschedule(self._watched)
            hint.close_unused()

    def dispatch(self, event: FileSystemEvent) -> None:
        """Wakes the channel. Exceptions must not reach watchdog's thread."""
        try:
            self._wake()
        except Exception:
            log.exception("waking a channel failed")


class InotifyHint:
    """Wakes channels by inotify, for any number of directories, without a thread: the loop reads a
    descriptor. Each loop with a watch has one descriptor, which is closed when no longer needed."""

    def __init__(self) -> None:
        self._readers: dict[asyncio.AbstractEventLoop, _Inotify] = {}

    @staticmethod
    def available() -> bool:
        """Whether this system has inotify."""
        return sys.platform == "linux"

    def watch(self, path: str, wake: Wake) -> InotifyWatch:
        """See Hint. Call this, and end the watch, on the thread of a running loop."""
        loop = asyncio.get_running_loop()
        reader = self._readers.get(loop)
        if reader is None:
            reader = self._readers[loop] = _Inotify(loop)
        try:
            return InotifyWatch(self, reader, path, wake)
        finally:
            self.close_unused(reader)

    def close_unused(self, reader: _Inotify) -> None:
        """Closes a reader that has no watches."""
        if not reader.watches and self._readers.get(reader.loop) is reader:
            del self._readers[reader.loop]
            reader.close()


class _Inotify:
    """An inotify descriptor.

    Attributes:
        watches: by inotify's watch number; watches of one directory share it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.watches: dict[int, set[InotifyWatch]] = {}
        self.loop = loop
        self._descriptor = _call("inotify_init1", os.O_NONBLOCK | os.O_CLOEXEC)
        loop.add_reader(self._descriptor, self._read)

    def add(self, watch: InotifyWatch, path: str) -> int:
        number = _call("inotify_add_watch", self._descriptor, os.fsencode(path), _ASKED)
        self.watches.setdefault(number, set()).add(watch)
        return number

    def remove(self, watch: InotifyWatch, number: int) -> None:
        sharing = self.watches.get(number, set())
        sharing.discard(watch)
        if not sharing and self.watches.pop(number, None) is not None:
            with contextlib.suppress(OSError):  # its directory has just been removed
                _call("inotify_rm_watch", self._descriptor, number)

    def _read(self) -> None:
        data = os.read(self._descriptor, _READ)
        at = 0
        while at < len(data):
            number, what, _, name_bytes = _EVENT.unpack_from(data, at)
            at += _EVENT.size + name_bytes
            if what & _OVERFLOW:
                for sharing in self.watches.values():
                    for watch in sharing:
                        watch.wake()
            elif what & _IGNORED:
                self.watches.pop(number, None)
            else:
                for watch in self.watches.get(number, ()):
                    watch.wake()

    def close(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is already closed
            self.loop.remove_reader(self._descriptor)
        os.close(self._descriptor)


def _call(function: str, *arguments: object) -> int:
    """Calls an inotify function of the C library. Raises OSError."""
    result: int = getattr(ctypes.CDLL(None, use_errno=True), function)(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


class InotifyWatch:
    """See InotifyHint."""

    def __init__(self, hint: InotifyHint, reader: _Inotify, path: str, wake: Wake) -> None:
        self.wake = wake
        self._hint, self._reader, self._path = hint, reader, path
        self._identity = identity_of(path)
        self._number = reader.add(self, path)

    def alive(self) -> bool:
        """See Watch."""
        is_watched = self in self._reader.watches.get(self._number, ())
        return is_watched and self._identity == identity_of(self._path)

    def end(self) -> None:
        """See Watch."""
        self._reader.remove(self, self._number)
        self._hint.close_unused(self._reader)


def identity_of(path: str) -> tuple[int, int] | None:
    """Device and inode of the directory at a path; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


#: The hints that all channels of this process share.
OBSERVER = ObserverHint()
INOTIFY = InotifyHint()


def choose(path: str) -> tuple[Hint, float]:
    """The hint for a directory, and the seconds between scans without a hint."""
    if network_kind(path) is not None:
        return NoHint(), NETWORK_SWEEP_INTERVAL
    return (INOTIFY if InotifyHint.available() else OBSERVER), SWEEP_INTERVAL
