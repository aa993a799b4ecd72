"""The stage on which the scripts of a check are played: a directory, and possibly a program that
the check starts.

Scripts (acts.py) press keys, wait and listen through the stage; its log is all that they see. The
judge's side removes the entry's keys after a moment, as a judge program does. It leaves the first
key of each life longer, to detect an entry that removes its own keys.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeAlias

from watchdog.events import (
    DirCreatedEvent,
    FileCreatedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from lpp.conformance.log import (
    DIRECTORY,
    FILE,
    LINK,
    NON_EMPTY,
    Kind,
    Log,
    LogFull,
    is_in_rules,
    is_key_like,
)
from lpp.directory import LocalDirectory
from lpp.errors import EnvironmentProblem
from lpp.hints import OBSERVER_TIMEOUT
from lpp.keypress import KeyPress, Side
from lpp.numbers import Numbers
from lpp.program import Program

#: Seconds before we remove a key of the entry, and before we remove the first key of a life.
HOLD, HOLD_FIRST = 0.15, 2.0
#: Seconds that a listed name waits for the system's event about its creation, which a busy machine
#: delays. Without the event, names that appear together would be logged in the wrong order.
SETTLE = 1.0

JUDGE, ENTRY, OTHERS = "judge", "entry", "others"

#: Called on any thread with the name of something created, and the time.
Created: TypeAlias = Callable[[str, float], None]


class WatchedDirectory(LocalDirectory, FileSystemEventHandler):
    """The communications directory, with the kind of each entry.

    Arguments:
        path: the directory's path.

    Attributes:
        poll: seconds between two listings; None if every change is reported.
        ordered: whether the events about creations are correct, complete and in order.

    Raises:
        BadDirectory: if the path is not a directory, or can't be written.
    """

    poll: float | None = 0.005

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path)
        self.check()
        # Only inotify, of watchdog's systems, reports each creation exactly once and in order.
        self.ordered = sys.platform == "linux"

    def what(self, name: str) -> str | None:
        """The kind of an entry: `log.DIRECTORY`, `NON_EMPTY`, `FILE` or `LINK`; None if it is
        gone."""
        target = Path(self.path) / name
        try:
            if target.is_symlink():
                return LINK
            if target.is_file():
                return FILE
            return NON_EMPTY if os.listdir(target) else DIRECTORY
        except FileNotFoundError:
            return None
        except OSError:
            return DIRECTORY

    def plant(self, name: str, what: str) -> None:
        """Creates an entry of any kind. Raises OSError."""
        if what == FILE:
            (Path(self.path) / name).touch(exist_ok=False)
            return
        self.make(name)
        if what == NON_EMPTY:
            (Path(self.path) / name / "note").touch()

    def watch(self, created: Created, changed: Callable[[], None]) -> Callable[[], None]:
        """Starts to report creations, and (if `poll` is None) other changes. If the directory can't
        be watched, the stage relies on listings alone.

        Returns:
            A function that ends the watching.
        """
        self._created = created
        observer = Observer(timeout=OBSERVER_TIMEOUT)
        try:
            kinds = [DirCreatedEvent, FileCreatedEvent]
            observer.schedule(self, self.path, recursive=False, event_filter=kinds)
            observer.start()
        except OSError:
            self.ordered = False
            return lambda: None

        def end() -> None:
            observer.stop()
            observer.join(timeout=5.0)

        return end

    def dispatch(self, event: FileSystemEvent) -> None:
        """Handles an event; called on watchdog's thread."""
        # An exception here would end that thread; the loop may be closed already.
        with contextlib.suppress(RuntimeError):
            self._created(os.path.basename(os.fsdecode(event.src_path)), time.monotonic())


class Stage:
    """The stage for the scripts. It finds out who creates and removes what in the directory, and
    writes it into the log.

    Listings show which names exist. If events about creations are correct and in order (inotify),
    they show in which order names were created, and reveal names that were removed before any
    listing.
    A listed name without an event waits a moment for it, to keep the order of creation.

    Arguments:
        place: the directory.
        program: the program to start; None if the entry is already running.
        numbers: issues our sequence numbers.
        log: the log to write.

    Attributes:
        present: the names that exist as far as we know, with who created them.
    """

    def __init__(
        self, place: WatchedDirectory, program: Program | None, numbers: Numbers, log: Log
    ) -> None:
        self.log = log
        self.place = place
        self.present: dict[str, str] = {}
        self._program = program
        self._numbers = numbers
        self._number = numbers.last()
        self._origin = asyncio.get_running_loop().time()
        self._changed = asyncio.Event()
        self._news = asyncio.Event()
        self._up = False
        # Events about creations, not yet processed.
        self._events: deque[tuple[str, float]] = deque()
        # Names in the log whose events are still to come, with the number of these events.
        self._logged: Counter[str] = Counter()
        # Names listed without an event, with the time when they were first seen.
        self._unreported: dict[str, float] = {}
        # Names of the entry that we will remove, with the time.
        self._holds: dict[str, float] = {}
        self._looked_to = 0
        # The lives in which the entry has typed.
        self._heard: set[int] = set()

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[Stage]:
        """Watches the directory inside this context. At its end, stops the program, and removes
        what we put into the directory."""
        loop = asyncio.get_running_loop()

        def created(name: str, at: float) -> None:
            if self.place.ordered:
                self._events.append((name, at))
            if self._changed.is_set():
                return  # the next look, still to come, will find it
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._changed.set)

        for name in sorted(self.place.names()):
            self.present[name] = OTHERS
            self.log.add(0.0, Kind.EXISTED, name, self.place.what(name) or DIRECTORY)
        end_watch = self.place.watch(created, self._changed.set)
        looking = asyncio.create_task(self._keep_looking(), name="looking")
        try:
            yield self
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
            try:
                await self.stop()
            finally:
                await asyncio.to_thread(end_watch) if self.place.poll else end_watch()
                self.clean_up()

    def now(self) -> float:
        """Seconds since the check began."""
        return asyncio.get_running_loop().time() - self._origin

    async def wait(self, until: Callable[[], bool], seconds: float) -> bool:
        """Waits for a condition, which is checked at each new entry of the log. Only one task may
        wait at a time.

        Arguments:
            until: the condition.
            seconds: the longest time to wait.

        Returns:
            Whether the condition is true.

        Raises:
            LogFull: if the log is full, so that nothing more will be logged.
        """
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                while not until():
                    if self.log.full:
                        raise LogFull
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return until()
        return True

    # The entry's program

    @property
    def alive(self) -> bool:
        """Whether the entry may still be running; always true if we didn't start it."""
        return self._program is None or self._up

    @property
    def has_output(self) -> bool:
        """Whether the program has written any output in this life."""
        return self._program is not None and self._program.has_output

    async def start(self) -> None:
        """Starts a new life. Raises CantStart."""
        self.log.life += 1
        if self._program is not None:
            # Logged first, so that the program's first actions come after its start.
            self.note(Kind.STARTED)
            await self._program.start(self._changed.set)
            self._up = True

    async def stop(self) -> None:
        """Stops the program, if we started one and it runs, even if the directory has gone."""
        if self._program is None:
            return
        with contextlib.suppress(OSError):
            self._look()
        if self._up:
            self._up = False
            self.note(Kind.STOPPED)
        await self._program.stop()
        # Keys that it typed while ending still belong to this life.
        with contextlib.suppress(OSError):
            self._compare()

    # The directory

    def press(self, *keys: str) -> None:
        """Presses keys in order without a pause.

        Raises:
            EnvironmentProblem: if their directories can't be created: disk full, directory gone.
        """
        names = []
        for key in keys:
            self._number = self._numbers.claim(self._number + 1)
            names.append(KeyPress.make(self._number, key, Side.JUDGE).raw)
        try:
            self._make(names, DIRECTORY, Kind.PRESSED)
        except OSError as exc:
            raise EnvironmentProblem(
                f"{self.place.path}: can't create the judge's key presses "
                f"({exc.strerror or exc}); did the entry or another program remove the directory?"
            ) from exc
        self._changed.set()

    def plant(self, name: str, what: str = DIRECTORY) -> None:
        """Puts something that is not a key press of this talk into the directory, unless the name
        already exists."""
        with contextlib.suppress(FileExistsError):
            self._make([name], what, Kind.PLANTED)

    def _make(self, names: list[str], what: str, kind: Kind) -> None:
        # First create all names, as fast as possible, then write the log.
        at = self.now()
        self._logged.update(names)
        made: list[str] = []
        try:
            for name in names:
                self.place.plant(name, what)
                made.append(name)
        finally:
            self._logged.subtract(names[len(made) :])
            for name in made:
                self.present[name] = JUDGE if kind is Kind.PRESSED else OTHERS
                self.log.add(at, kind, name, what)

    def take(self, name: str) -> None:
        """Removes a name for the judge's side; does nothing if the entry has removed it already.
        Raises OSError."""
        what = self.place.what(name)
        if what is not None:
            self.place.remove(name)
            self.log.add(self.now(), Kind.TAKEN, name, what)
            self.present.pop(name, None)

    def unread(self) -> list[str]:
        """Our key presses that are still there. Key names outside the rules are not included,
        because the entry may leave them."""
        return [n for n, owner in self.present.items() if owner == JUDGE and is_in_rules(n)]

    def clean_up(self) -> None:
        """Removes our key presses, what we planted, and the entry's keys, but not what was there
        before the check, or the entry's own files."""
        existed = {event.name for event in self.log.of(Kind.EXISTED)}
        for name, owner in list(self.present.items()):
            ours = owner == JUDGE or (owner == OTHERS and name not in existed)
            if ours or (owner == ENTRY and is_key_like(name)):
                with contextlib.suppress(OSError):
                    self.take(name)
        self._holds.clear()

    def note(self, kind: Kind, detail: str = "") -> None:
        """Writes a moment into the log."""
        self.log.add(self.now(), kind, detail=detail)

    # Looking

    async def _keep_looking(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            begun = loop.time()
            self._changed.clear()
            with contextlib.suppress(OSError):
                self._look()
            pause = self.place.poll
            if pause is not None:
                # If listing takes a long time, leave time for the rest.
                pause = max(pause, 4 * (loop.time() - begun))
            if self._holds:
                due = min(self._holds.values()) - self.now()
                pause = due if pause is None else min(pause, due)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if pause is None else max(0.0005, pause)):
                    await self._changed.wait()

    def _look(self) -> None:
        self._compare()
        if self._up and self._program is not None and not self._program.running:
            self._up = False
            self._compare()
            self.note(Kind.EXITED, self._program.ending)
        now = self.now()
        for name in [name for name, due in self._holds.items() if due <= now]:
            del self._holds[name]
            if self.present.get(name) == ENTRY:
                try:
                    self.take(name)
                except OSError:
                    # Temporarily refused, as happens on Windows: try again in a moment.
                    self._holds[name] = now + HOLD
        if len(self.log.events) > self._looked_to or self.log.full:
            self._looked_to = len(self.log.events)
            self._news.set()

    def _compare(self) -> None:
        """Logs the changes since the last time. Raises OSError."""
        now = self.now()
        # A name with an event before the listing is in the listing, or has been removed.
        for name, at in [self._events.popleft() for _ in range(len(self._events))]:
            if self._logged[name] > 0:
                self._logged[name] -= 1
                continue
            if name in self.present:
                self._gone(name, at - self._origin)
            self._made(name, at - self._origin)
        listed = set(self.place.names())
        for name in sorted(listed - self.present.keys()):
            self._unreported.setdefault(name, now)
            if not self.place.ordered:
                self._made(name, now)
        for name, seen in list(self._unreported.items()):
            # It may have been created and removed between two listings; its event may still arrive.
            if now - seen >= SETTLE:
                self._made(name, seen)
                self._logged[name] += 1
        for name in [name for name in self.present if name not in listed]:
            self._gone(name, now)

    def _made(self, name: str, at: float) -> None:
        self._unreported.pop(name, None)
        self.present[name] = ENTRY
        self.log.add(max(0.0, at), Kind.MADE, name, self.place.what(name) or DIRECTORY)
        if is_key_like(name):
            hold = HOLD if self.log.life in self._heard else HOLD_FIRST
            self._heard.add(self.log.life)
            self._holds[name] = self.now() + hold

    def _gone(self, name: str, at: float) -> None:
        owner = self.present.pop(name)
        self.log.add(at, Kind.GONE, name, detail="" if owner == JUDGE else owner)
