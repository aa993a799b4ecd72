"""watchdog's bare inotify descriptor as a hint, for all directories of the process at once.

watchdog 7 keeps inotify in one object, `InotifyFD`, that calls back directly. Its observer puts
threads between that one and us, one of them for each directory; here they are left out. A watch
begun under an asyncio loop has its descriptor read by that very loop, which saves the last
hand-over between threads and with it a third of the time from a key to its reader; all other
watches share the one thread that `InotifyFD` is. Only on Linux, and only where watchdog has it: ask
`available`.
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
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, TypeAlias

from lpp.hints import CHECK, JOIN, Identity, identity_of

try:
    from watchdog.observers import inotify_c
except Exception:  # noqa: BLE001 -- not on Linux; watchdog has its own errors for odd C libraries
    inotify_c = None  # type: ignore[assignment]

log = logging.getLogger(__name__)

#: inotify's own numbers: something was made or moved here; a directory or nothing.
IN_CREATE, IN_MOVED_TO, IN_ONLYDIR = 0x100, 0x80, 0x1000000
_MASK = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR


def available() -> bool:
    """Whether this system, with this version of watchdog, has the shared descriptor."""
    # The versions of watchdog that it is known in; a test of this module is to move the bound.
    return hasattr(inotify_c, "InotifyFD") and version("watchdog").startswith("7.")


@dataclass(slots=True, eq=False)
class _Watch:
    """One watch, and what the reader's thread calls: it must never see an exception."""

    path: str
    wake: Callable[[], None]
    token: int
    #: The loop that reads for it; None for watchdog's thread.
    loop: asyncio.AbstractEventLoop | None
    #: inotify's number; None while the path can't be watched, as when the directory is away.
    descriptor: Any = None
    identity: Identity = field(default=None)

    def on_event(self, event: object) -> None:
        """Something was made."""
        try:
            self.wake()
        except Exception:
            log.exception("a wake failed")

    def on_watch_deleted(self, wd: object) -> None:
        """The directory went away; the sweep says so, and the next check watches its successor."""
        if self.descriptor == wd:
            self.descriptor = None

    def on_queue_overflow(self) -> None:
        """Events were lost; a look finds all."""
        self.on_event(None)


class _ThreadReader:
    """`InotifyFD` as watchdog means it: a thread."""

    def __init__(self) -> None:
        self.inotify: Any = inotify_c.InotifyFD()
        self.inotify.start()

    def alive(self) -> bool:
        return bool(self.inotify.is_alive())

    def end(self) -> None:
        self.inotify.stop()
        if self.inotify.is_alive():
            self.inotify.join(timeout=JOIN)


class _LoopReader:
    """`InotifyFD` without its thread: a loop reads it whenever there is something to read."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.inotify: Any = inotify_c.InotifyFD()
        self._loop = loop
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

    def alive(self) -> bool:
        return True

    def end(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, and asks nobody any more
            self._loop.remove_reader(self._descriptor)
        self.inotify.close()


_Reader: TypeAlias = _ThreadReader | _LoopReader


class InotifyHint:
    """watchdog's `InotifyFD`, opened with the first watch and closed with the last: one for each
    loop that has a channel, and one with a thread for watches begun without a loop.

    Not the instance that observers of this process share: ours ends when it is not needed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readers: dict[asyncio.AbstractEventLoop | None, _Reader] = {}
        self._watches: dict[int, _Watch] = {}
        self._tokens = itertools.count()
        self._next_check = 0.0
        self._well = True

    def watch(self, path: str, wake: Callable[[], None]) -> Callable[[], None]:
        """See lpp.hints.Hint. Under an asyncio loop, to be called and ended on its thread."""
        loop = _loop_that_reads()
        with self._lock:
            if loop not in self._readers:
                self._readers[loop] = _ThreadReader() if loop is None else _LoopReader(loop)
            watch = _Watch(path, wake, next(self._tokens), loop)
            try:
                self._add(watch)
            except BaseException:
                self._end_if_unused(loop)
                raise
            self._watches[watch.token] = watch
        return lambda: self._unwatch(watch.token)

    def healthy(self) -> bool:
        """Whether the descriptors are read and watch the directories that now stand at their
        paths; a dead thread is replaced, and a directory that has come back is watched again.

        Looks once a second at most, and says meanwhile what it saw last.
        """
        now = time.monotonic()
        if now >= self._next_check:
            self._next_check = now + CHECK
            with self._lock:
                self._well = self._check()
        return self._well

    def _add(self, watch: _Watch) -> None:
        identity = identity_of(watch.path)
        watch.descriptor = None
        inotify = self._readers[watch.loop].inotify
        descriptor = inotify.add_callback(os.fsencode(watch.path), _MASK, watch, watch.token)
        if descriptor == -1:
            # Permission denied is the one error that watchdog says nothing of.
            inotify.remove_callbacks([(descriptor, watch.token)])
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), watch.path)
        watch.descriptor, watch.identity = descriptor, identity

    def _drop(self, watch: _Watch) -> None:
        descriptor, watch.descriptor = watch.descriptor, None
        if descriptor is not None:
            self._readers[watch.loop].inotify.remove_callbacks([(descriptor, watch.token)])

    def _check(self) -> bool:
        thread = self._readers.get(None)
        if thread is not None and not thread.alive():
            log.warning("watchdog's thread died; starting a new one")
            try:
                self._readers[None] = _ThreadReader()
            except OSError as exc:
                log.warning("inotify can't be started: %s", exc)
                return False
            thread.end()
            for watch in self._watches.values():
                if watch.loop is None:
                    watch.descriptor = None
        sick = [
            watch
            for watch in self._watches.values()
            if watch.descriptor is None or watch.identity != identity_of(watch.path)
        ]
        for watch in sick:
            try:
                self._drop(watch)
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

    def _end_if_unused(self, loop: asyncio.AbstractEventLoop | None) -> None:
        if not any(watch.loop is loop for watch in self._watches.values()):
            self._readers.pop(loop).end()


def _loop_that_reads() -> asyncio.AbstractEventLoop | None:
    """The loop of this thread if it can read InotifyFD's descriptor."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    return loop if isinstance(loop, asyncio.SelectorEventLoop) else None
