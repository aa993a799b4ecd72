"""Hints: what wakes a channel, so that it looks at once and not at the next sweep.

A hint says only "look"; a listing says what is there. Events lose, merge, reorder and mislabel
keys (docs/explanation/transport.md), so none of their content is used.

* `SystemHint(ObserverReader)` -- watchdog's observer of this operating system;
* `SystemHint(InotifyReader)` -- watchdog's inotify descriptor, read by the loop of the channel,
  which saves a hand-over between threads. The default on Linux;
* `NoHint` -- none: the sweep alone, as for network mounts, which report no one else's changes.

`choose` says which of them a directory gets.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import threading
from collections.abc import Callable
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
#: Seconds to wait for watchdog's threads to end, which they do at once unless they are stuck.
JOIN = 5.0
#: Seconds between two looks when no hint comes; the upper bound of latency where hints fail.
SWEEP = 0.25
#: The same where there is no hint.
SWEEP_NETWORK = 0.02

#: inotify's own numbers: something was made or moved here; a directory or nothing.
IN_CREATE, IN_MOVED_TO, IN_ONLYDIR = 0x100, 0x80, 0x1000000

Wake: TypeAlias = Callable[[], None]
#: The loop that reads for a watch; None for a thread of watchdog's.
Loop: TypeAlias = asyncio.AbstractEventLoop | None


class Watch(Protocol):
    """A directory that is being watched."""

    def alive(self) -> bool:
        """Whether wakes still come, as far as the hint can tell. One that is not alive is to be
        ended, and another begun in its place."""

    def end(self) -> None:
        """Ends it; a second call does nothing."""


@runtime_checkable
class Hint(Protocol):
    """Wakes a channel when something may have been made in its directory."""

    def watch(self, path: str, wake: Wake) -> Watch:
        """Begins to watch.

        Arguments:
            path: a directory.
            wake: called on any thread, as often as the hint likes; must not block.

        Raises:
            OSError: if the path can't be watched.
        """


class NoHint:
    """Never wakes anybody; its one watch is itself."""

    def watch(self, path: str, wake: Wake) -> NoHint:
        """See Hint."""
        return self

    def alive(self) -> bool:
        """Always."""
        return True

    def end(self) -> None:
        """Does nothing."""


class ObserverReader:
    """watchdog's observer: a thread for each directory, and one for all."""

    def __init__(self, loop: Loop) -> None:
        self._observer = Observer(timeout=OBSERVER_TIMEOUT)
        # Watches of one path share a thread.
        self._sharing: dict[str, list[SystemWatch]] = {}
        self._observer.start()

    @staticmethod
    def loop() -> Loop:
        """None: watchdog's own threads read."""
        return None

    def add(self, watch: SystemWatch) -> Any:
        """Begins a watch; returns its handle. Raises OSError."""
        sharing = self._sharing.get(watch.path, [])
        if sharing and not sharing[0].alive():
            # Another directory stands at the path now.
            self._observer.unschedule(sharing[0].handle)
            self._sharing.pop(watch.path)
        # Without the filter our own listings and removals would wake us too.
        kinds: list[type[FileSystemEvent]] = [DirCreatedEvent]
        handle = self._observer.schedule(watch, watch.path, recursive=False, event_filter=kinds)
        self._sharing.setdefault(watch.path, []).append(watch)
        return handle

    def drop(self, watch: SystemWatch) -> None:
        """Ends a watch."""
        sharing = self._sharing.get(watch.path, [])
        if watch in sharing and self.running:
            sharing.remove(watch)
            self._observer.remove_handler_for_watch(watch, watch.handle)
            if not sharing:
                del self._sharing[watch.path]
                self._observer.unschedule(watch.handle)

    def alive(self, watch: SystemWatch) -> bool:
        """Whether the threads of a watch live."""
        emitters = self._observer.emitters
        return (
            self.running
            and watch in self._sharing.get(watch.path, [])
            and any(each.watch == watch.handle and each.is_alive() for each in emitters)
        )

    @property
    def running(self) -> bool:
        """Whether it can take further watches."""
        return self._observer.is_alive()

    def close(self) -> None:
        """Ends its threads."""
        self._observer.stop()
        if self._observer.is_alive():
            self._observer.join(timeout=JOIN)


class InotifyReader:
    """watchdog's `InotifyFD`, for any number of directories, read by a loop instead of watchdog's
    thread. It is not the instance that observers of this process share: ours ends when it is not
    needed."""

    def __init__(self, loop: Loop) -> None:
        assert loop is not None
        self._loop = loop
        self._inotify: Any = inotify_c.InotifyFD()
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
        """The loop of this thread."""
        return asyncio.get_running_loop()

    def _read(self) -> None:
        for event in self._inotify.read_events():
            self._inotify.handle_event(event)

    def add(self, watch: SystemWatch) -> Any:
        """Begins a watch; returns its handle. Raises OSError."""
        mask = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR
        handle: int = self._inotify.add_callback(os.fsencode(watch.path), mask, watch, id(watch))
        if handle == -1:
            # Permission denied is the one error that watchdog says nothing of.
            self._inotify.remove_callbacks([(handle, id(watch))])
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), watch.path)
        return handle

    def drop(self, watch: SystemWatch) -> None:
        """Ends a watch."""
        self._inotify.remove_callbacks([(watch.handle, id(watch))])

    def alive(self, watch: SystemWatch) -> bool:
        """Always: the loop reads."""
        return True

    running = True

    def close(self) -> None:
        """Closes the descriptor."""
        with contextlib.suppress(RuntimeError):  # the loop is closed, and asks nobody any more
            self._loop.remove_reader(self._descriptor)
        self._inotify.close()


Reader: TypeAlias = ObserverReader | InotifyReader


class SystemHint:
    """Wakes by what the operating system reports. A reader is opened with the first watch and
    closed with the last, with `InotifyReader` one for each loop that has a channel.

    Arguments:
        kind: `ObserverReader` or `InotifyReader`.
    """

    def __init__(self, kind: type[Reader]) -> None:
        self._kind = kind
        self._lock = threading.Lock()
        self._readers: dict[Loop, Reader] = {}
        self._uses: dict[Reader, int] = {}

    def watch(self, path: str, wake: Wake) -> SystemWatch:
        """See Hint. With `InotifyReader` to be called, and ended, on a running loop's thread."""
        loop = self._kind.loop()
        with self._lock:
            reader = self._readers.get(loop)
            if reader is None or not reader.running:
                # One whose thread has died is closed when its last watch is ended.
                reader = self._readers[loop] = self._kind(loop)
            self._uses[reader] = self._uses.get(reader, 0) + 1
            watch = SystemWatch(self, reader, path, wake)
            try:
                watch.handle = reader.add(watch)
            except BaseException:
                self._leave(reader)
                raise
            return watch

    def end(self, watch: SystemWatch) -> None:
        """Ends a watch of this hint's."""
        with self._lock:
            if watch.handle is not None:
                watch.reader.drop(watch)
            self._leave(watch.reader)

    def _leave(self, reader: Reader) -> None:
        self._uses[reader] -= 1
        if not self._uses[reader]:
            del self._uses[reader]
            self._readers = {loop: each for loop, each in self._readers.items() if each != reader}
            reader.close()


class SystemWatch(FileSystemEventHandler):
    """One watch, and what watchdog's threads call: they must never see an exception.

    Attributes:
        reader: what reads the events.
        path: the directory.
        handle: what the reader calls the watch; None once the directory has gone.
    """

    def __init__(self, hint: SystemHint, reader: Reader, path: str, wake: Wake) -> None:
        self.reader = reader
        self.path = path
        self.handle: Any = None
        self._hint = hint
        self._wake = wake
        self._ended = False
        self._identity = identity_of(path)

    def alive(self) -> bool:
        """See Watch; also whether the path still leads to the directory that is watched."""
        same = self.handle is not None and self._identity == identity_of(self.path)
        return same and self.reader.alive(self)

    def end(self) -> None:
        """See Watch."""
        if not self._ended:
            self._ended = True
            self._hint.end(self)

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
        """The directory went away (InotifyFD)."""
        if self.handle == wd:
            self.handle = None

    def on_queue_overflow(self) -> None:
        """Events were lost (InotifyFD); a look finds all."""
        self.on_event(None)


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


def choose(path: str) -> tuple[Hint, float]:
    """The hint for a directory, and the seconds between looks without a wake."""
    if network_kind(path) is not None:
        return NoHint(), SWEEP_NETWORK
    return (INOTIFY if InotifyReader.available() else OBSERVER), SWEEP
