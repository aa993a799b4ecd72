"""The communications directory as the checker needs it: raw, with the kind of each entry.

`LocalPlace` is a directory of this machine, `MemoryPlace` one in memory, for tests.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeAlias

from watchdog.events import (
    DirCreatedEvent,
    FileCreatedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from lpp.conformance.log import DIRECTORY, FILE, FULL, LINK
from lpp.directory import LocalDirectory
from lpp.hints import OBSERVER_TIMEOUT

#: Told that something of this name was made, and when; from any thread.
Created: TypeAlias = Callable[[str, float], None]


class Place(Protocol):
    """A communications directory."""

    @property
    def path(self) -> str:
        """Where it is."""

    @property
    def poll(self) -> float | None:
        """Seconds between two looks; None where nothing happens without being told."""

    @property
    def ordered(self) -> bool:
        """Whether what is told of creations is true, complete and in order."""

    def names(self) -> list[str]:
        """All names in it. Raises OSError."""

    def what(self, name: str) -> str:
        """The kind of an entry: `log.DIRECTORY`, `FULL`, `FILE` or `LINK`; of one that is gone
        already, `DIRECTORY`."""

    def make(self, name: str, what: str = DIRECTORY) -> None:
        """Makes an entry. Raises OSError."""

    def remove(self, name: str) -> str | None:
        """Removes an entry of any kind; returns its kind, or None if it was gone already.
        Raises OSError."""

    def watch(self, created: Created) -> Callable[[], None]:
        """Begins to tell of creations; returns what ends it."""


class LocalPlace:
    """A directory of this machine.

    Arguments:
        path: where it is.

    Raises:
        BadDirectory: if it is none, or can't be written.
    """

    poll: float | None = 0.005
    # Of the systems that watchdog knows, inotify alone tells each creation, once and in order.
    ordered = sys.platform == "linux"

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._directory = LocalDirectory(path)
        self._directory.check()
        self.path = self._directory.path

    def names(self) -> list[str]:
        """See Place."""
        return os.listdir(self.path)

    def what(self, name: str) -> str:
        """See Place."""
        target = self._target(name)
        try:
            if os.path.islink(target):
                return LINK
            if os.path.isfile(target):
                return FILE
            return FULL if os.listdir(target) else DIRECTORY
        except OSError:
            return DIRECTORY

    def make(self, name: str, what: str = DIRECTORY) -> None:
        """See Place."""
        target = self._target(name)
        if what == FILE:
            target.touch(exist_ok=False)
            return
        target.mkdir()
        if what == FULL:
            (target / "note").touch()

    def remove(self, name: str) -> str | None:
        """See Place."""
        target = self._target(name)
        try:
            os.rmdir(target)
        except FileNotFoundError:
            return None
        except OSError:
            what = self.what(name)
            if what in (FILE, LINK):
                target.unlink(missing_ok=True)
            elif what == FULL:
                shutil.rmtree(target, ignore_errors=True)
            else:
                raise
            return what
        return DIRECTORY

    def watch(self, created: Created) -> Callable[[], None]:
        """See Place. Where the directory can't be watched, looks alone must do."""
        observer = Observer(timeout=OBSERVER_TIMEOUT)
        try:
            observer.schedule(
                _Handler(created),
                self.path,
                recursive=False,
                event_filter=[DirCreatedEvent, FileCreatedEvent],
            )
            observer.start()
        except OSError:
            self.ordered = False
            return lambda: None

        def end() -> None:
            observer.stop()
            observer.join(timeout=5.0)

        return end

    def _target(self, name: str) -> Path:
        return Path(self.path) / name


class _Handler(FileSystemEventHandler):
    def __init__(self, created: Created) -> None:
        self._created = created

    def dispatch(self, event: FileSystemEvent) -> None:
        # An exception here would end watchdog's thread; the loop may be closed by now.
        with contextlib.suppress(RuntimeError):
            self._created(os.path.basename(os.fsdecode(event.src_path)), time.monotonic())


class MemoryPlace:
    """A directory in memory; tells of creations at once.

    Attributes:
        entries: what stands in it, by kind.
    """

    poll: float | None = None
    ordered = True

    def __init__(self, now: Callable[[], float], path: str = "memory") -> None:
        self.path = path
        self.entries: dict[str, str] = {}
        self.changed: Callable[[], None] = lambda: None
        self._now = now
        self._created: list[Created] = []

    def names(self) -> list[str]:
        """See Place."""
        return list(self.entries)

    def what(self, name: str) -> str:
        """See Place."""
        return self.entries.get(name, DIRECTORY)

    def make(self, name: str, what: str = DIRECTORY) -> None:
        """See Place."""
        if name in self.entries:
            raise FileExistsError(17, "File exists", name)
        self.entries[name] = what
        for created in self._created:
            created(name, self._now())

    def remove(self, name: str) -> str | None:
        """See Place."""
        what = self.entries.pop(name, None)
        if what is not None:
            self.changed()
        return what

    def watch(self, created: Created) -> Callable[[], None]:
        """See Place."""
        self._created.append(created)
        return lambda: self._created.remove(created)
