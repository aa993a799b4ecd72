"""Hints: what wakes a channel, so that it looks at once and not at the next sweep.

A hint says only "look"; a listing says what is there. Events lose, merge, reorder and mislabel
keys (docs/explanation/transport.md), so none of their content is used.

* `ObserverHint` -- watchdog's observer of this operating system, one for each watch;
* `InotifyHint` -- watchdog's inotify descriptor, read by the loop of the channel, which saves a
  hand-over between threads. The default on Linux;
* `NoHint` -- none: the sweep alone, as for network mounts, which report no one else's changes.

`choose` says which of them a directory gets.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
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


class _SystemWatch(FileSystemEventHandler):
    """A watch of one of the system's hints, and what watchdog's threads call: they must never see
    an exception."""

    def __init__(self, path: str, wake: Wake) -> None:
        self.path = path
        self._wake = wake
        self._identity = identity_of(path)

    def is_there(self) -> bool:
        """Whether the path still leads to the directory that is watched."""
        return self._identity == identity_of(self.path)

    def on_event(self, event: object) -> None:
        """Something was made (InotifyFD)."""
        try:
            self._wake()
        except Exception:
            log.exception("a wake failed")

    def dispatch(self, event: FileSystemEvent) -> None:
        """Something was made (an observer)."""
        self.on_event(event)


class ObserverHint:
    """Wakes by watchdog's observers, whose threads belong to one watch each."""

    def watch(self, path: str, wake: Wake) -> ObserverWatch:
        """See Hint."""
        return ObserverWatch(path, wake)


class ObserverWatch(_SystemWatch):
    """See ObserverHint."""

    def __init__(self, path: str, wake: Wake) -> None:
        super().__init__(path, wake)
        self._observer = Observer(timeout=OBSERVER_TIMEOUT)
        # Without the filter our own listings and removals would wake us too.
        kinds: list[type[FileSystemEvent]] = [DirCreatedEvent]
        try:
            self._observer.schedule(self, path, recursive=False, event_filter=kinds)
            self._observer.start()
        except RuntimeError as exc:  # macOS watches a path once in a process
            raise OSError(errno.EBUSY, str(exc), path) from exc

    def alive(self) -> bool:
        """See Watch."""
        emitters = self._observer.emitters
        threads = [self._observer, *emitters]
        return self.is_there() and bool(emitters) and all(each.is_alive() for each in threads)

    def end(self) -> None:
        """See Watch."""
        self._observer.stop()
        if self._observer.is_alive():
            self._observer.join(timeout=JOIN)


class InotifyHint:
    """Wakes by watchdog's `InotifyFD`, for any number of directories, read by a loop instead of
    watchdog's thread. There is one for each loop that has a watch. It is not the instance that
    observers of this process share: ours ends when it is not needed."""

    def __init__(self) -> None:
        self._readers: dict[asyncio.AbstractEventLoop, _InotifyReader] = {}

    @staticmethod
    def available() -> bool:
        """Whether this system, with this version of watchdog, has it."""
        # The versions of watchdog that it is known in; a test of it is to move the bound.
        return hasattr(inotify_c, "InotifyFD") and version("watchdog").startswith("7.")

    def watch(self, path: str, wake: Wake) -> InotifyWatch:
        """See Hint. To be called, and ended, on a running loop's thread."""
        loop = asyncio.get_running_loop()
        reader = self._readers.get(loop)
        if reader is None:
            reader = self._readers[loop] = _InotifyReader(loop)
        try:
            watch = InotifyWatch(self, reader, path, wake)
        except BaseException:
            self.close_unused(reader)
            raise
        reader.watches.add(watch)
        return watch

    def close_unused(self, reader: _InotifyReader) -> None:
        """Closes a reader without watches."""
        if not reader.watches:
            self._readers.pop(reader.loop, None)
            reader.close()


class _InotifyReader:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.watches: set[InotifyWatch] = set()
        self.inotify: Any = inotify_c.InotifyFD()
        self.loop = loop
        self._descriptor: int = self.inotify._inotify_fd
        # Nobody blocks in a read, so that closing may close the descriptors at once.
        self.inotify._is_reading = False
        try:
            loop.add_reader(self._descriptor, self._read)
        except BaseException:
            self.inotify.close()
            raise

    def _read(self) -> None:
        for event in self.inotify.read_events():
            self.inotify.handle_event(event)

    def close(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, and asks nobody any more
            self.loop.remove_reader(self._descriptor)
        self.inotify.close()


class InotifyWatch(_SystemWatch):
    """See InotifyHint."""

    def __init__(self, hint: InotifyHint, reader: _InotifyReader, path: str, wake: Wake) -> None:
        super().__init__(path, wake)
        self._hint = hint
        self._reader = reader
        mask = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR
        #: What inotify calls the watch; None once the directory has gone.
        self._handle: int | None = reader.inotify.add_callback(
            os.fsencode(path), mask, self, id(self)
        )
        if self._handle == -1:
            # Permission denied is the one error that watchdog says nothing of.
            reader.inotify.remove_callbacks([(-1, id(self))])
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    def alive(self) -> bool:
        """See Watch."""
        return self._handle is not None and self.is_there()

    def end(self) -> None:
        """See Watch."""
        if self in self._reader.watches:
            self._reader.watches.discard(self)
            if self._handle is not None:
                self._reader.inotify.remove_callbacks([(self._handle, id(self))])
            self._hint.close_unused(self._reader)

    def on_watch_deleted(self, wd: object) -> None:
        """The directory went away (InotifyFD)."""
        if self._handle == wd:
            self._handle = None

    def on_queue_overflow(self) -> None:
        """Events were lost (InotifyFD); a look finds all."""
        self.on_event(None)


def identity_of(path: str) -> tuple[int, int] | None:
    """Device and inode of the directory that is at a path; None if none does."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


#: The hints that channels of this process share.
OBSERVER = ObserverHint()
INOTIFY = InotifyHint()


def choose(path: str) -> tuple[Hint, float]:
    """The hint for a directory, and the seconds between looks without a wake."""
    if network_kind(path) is not None:
        return NoHint(), SWEEP_NETWORK
    return (INOTIFY if InotifyHint.available() else OBSERVER), SWEEP
