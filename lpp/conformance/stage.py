"""The stage: a directory, and perhaps a program that we start, for scripts to play on.

Scripts (talk.py) press keys, wait and listen through the stage; what they see is in its log alone.
Our side removes what the entry types after a moment, as a judge program does, but lets the first
key of each life stand longer, so that an entry which removes its own keys is seen.
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
    FULL,
    LINK,
    Full,
    Kind,
    Log,
    is_in_rules,
    is_key_like,
)
from lpp.directory import LocalDirectory
from lpp.errors import Surroundings
from lpp.hints import OBSERVER_TIMEOUT
from lpp.keypress import KeyPress, Side
from lpp.numbers import Numbers
from lpp.program import Program

#: Seconds that a key of the entry stays before we remove it; the first of a life.
HOLD, HOLD_FIRST = 0.15, 2.0
#: Seconds that a listed name waits until the system has told of its creation.
SETTLE = 0.02

JUDGE, ENTRY, OTHERS = "judge", "entry", "others"

#: Told that something of this name was made, and when; from any thread.
Created: TypeAlias = Callable[[str, float], None]


class Place(LocalDirectory, FileSystemEventHandler):
    """The communications directory, raw, with the kind of each entry.

    Arguments:
        path: where it is.

    Attributes:
        poll: seconds between two looks; None where nothing happens without being told.
        ordered: whether what is told of creations is true, complete and in order.

    Raises:
        BadDirectory: if it is not one, or can't be written.
    """

    poll: float | None = 0.005

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path)
        self.check()
        # Of the systems that watchdog knows, inotify alone tells each creation, once and in order.
        self.ordered = sys.platform == "linux"

    def what(self, name: str) -> str | None:
        """The kind of an entry: `log.DIRECTORY`, `FULL`, `FILE` or `LINK`; None if it is gone."""
        target = Path(self.path) / name
        try:
            if target.is_symlink():
                return LINK
            if target.is_file():
                return FILE
            return FULL if os.listdir(target) else DIRECTORY
        except FileNotFoundError:
            return None
        except OSError:
            return DIRECTORY

    def plant(self, name: str, what: str) -> None:
        """Makes an entry of any kind. Raises OSError."""
        if what == FILE:
            (Path(self.path) / name).touch(exist_ok=False)
            return
        self.make(name)
        if what == FULL:
            (Path(self.path) / name / "note").touch()

    def watch(self, created: Created, changed: Callable[[], None]) -> Callable[[], None]:
        """Begins to tell of creations, and (without a poll) of other changes; returns what ends
        it. Where the directory can't be watched, listings alone must do."""
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
        """What watchdog's thread calls."""
        # An exception here would end that thread; the loop may be closed by now.
        with contextlib.suppress(RuntimeError):
            self._created(os.path.basename(os.fsdecode(event.src_path)), time.monotonic())


class Stage:
    """What scripts play on. It finds out who makes and removes what in the directory, and writes
    it into the log.

    Listings say what is there; where creations are told truly and in order (inotify), they say in
    which order names came, and show names that were gone before any listing. A listed name of which
    nothing was told yet waits a moment for that, so that order is the directory's own.

    Arguments:
        place: the directory.
        program: what we start; None if the entry was running.
        numbers: what gives our sequence numbers.
        log: where all is written.

    Attributes:
        standing: names that are there as far as we know, with who made them.
    """

    def __init__(self, place: Place, program: Program | None, numbers: Numbers, log: Log) -> None:
        self.log = log
        self.place = place
        self.standing: dict[str, str] = {}
        self._program = program
        self._numbers = numbers
        self._number = numbers.last()
        self._origin = asyncio.get_running_loop().time()
        self._changed = asyncio.Event()
        self._news = asyncio.Event()
        self._up = False
        # Creations that were told and not yet looked at; how often a name will be told of that is
        # in the log already; names that were listed and not told, and when they were seen first.
        self._told: deque[tuple[str, float]] = deque()
        self._logged: Counter[str] = Counter()
        self._untold: dict[str, float] = {}
        # Names of the entry's that we shall remove, and when.
        self._holds: dict[str, float] = {}
        self._looked_to = 0
        # The lives in which the entry has typed.
        self._heard: set[int] = set()

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[Stage]:
        """Watches the directory while in this context; at its end the program is stopped, and
        what we put into the directory is gone."""
        loop = asyncio.get_running_loop()

        def created(name: str, at: float) -> None:
            if self.place.ordered:
                self._told.append((name, at))
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._changed.set)

        for name in sorted(self.place.names()):
            self.standing[name] = OTHERS
            self.log.add(0.0, Kind.STOOD, name, self.place.what(name) or DIRECTORY)
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
                self.sweep()

    def now(self) -> float:
        """Seconds since the check began."""
        return asyncio.get_running_loop().time() - self._origin

    async def wait(self, until: Callable[[], bool], seconds: float) -> bool:
        """Waits until something holds, asked again at each new entry of the log; one at a time.

        Arguments:
            until: what must hold.
            seconds: how long to wait at most.

        Returns:
            Whether it holds.

        Raises:
            Full: if the log is full: there is nothing more to be seen.
        """
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                while not until():
                    if self.log.full:
                        raise Full
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return until()
        return True

    # The entry's program

    @property
    def alive(self) -> bool:
        """Whether the entry may still be there: True for one that we did not start."""
        return self._program is None or self._up

    @property
    def spoke(self) -> bool:
        """Whether the program has written to its standard output in this life."""
        return self._program is not None and self._program.spoke

    async def start(self) -> None:
        """Begins a new life. Raises CantStart."""
        self.log.life += 1
        if self._program is not None:
            # Noted first: what the program does at once comes after its start.
            self.note(Kind.STARTED)
            await self._program.start(self._changed.set)
            self._up = True

    async def stop(self) -> None:
        """Ends the program, if we started one and it runs, whatever has become of the directory."""
        if self._program is None:
            return
        with contextlib.suppress(OSError):
            self._look()
        if self._up:
            self._up = False
            self.note(Kind.STOPPED)
        await self._program.stop()
        # Keys may come while it ends: they belong to this life still.
        with contextlib.suppress(OSError):
            self._compare()

    # The directory

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other without a pause.

        Raises:
            Surroundings: if their directories can't be made: disk full, directory gone.
        """
        names = []
        for key in keys:
            self._number = self._numbers.claim(self._number + 1)
            names.append(KeyPress.make(self._number, key, Side.JUDGE).raw)
        try:
            self._make(names, DIRECTORY, Kind.PRESSED)
        except OSError as exc:
            raise Surroundings(
                f"{self.place.path}: the judge's key presses can't be made "
                f"({exc.strerror or exc}); does the entry, or anybody, remove the directory?"
            ) from exc
        self._changed.set()

    def plant(self, name: str, what: str = DIRECTORY) -> None:
        """Puts something into the directory that is not a key press of this talk; if there is
        something of that name already, nothing happens."""
        with contextlib.suppress(FileExistsError):
            self._make([name], what, Kind.PLANTED)

    def _make(self, names: list[str], what: str, kind: Kind) -> None:
        # First all of it, as much at once as can be, then the entries of the log.
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
                self.standing[name] = JUDGE if kind is Kind.PRESSED else OTHERS
                self.log.add(at, kind, name, what)

    def take(self, name: str) -> None:
        """Removes something ourselves; if it is gone already, the entry removed it.
        Raises OSError."""
        what = self.place.what(name)
        if what is not None:
            self.place.remove(name)
            self.log.add(self.now(), Kind.TAKEN, name, what)
            self.standing.pop(name, None)

    def unread(self) -> list[str]:
        """Our key presses that are still there, of names that the rules have: others may be
        left."""
        return [n for n, owner in self.standing.items() if owner == JUDGE and is_in_rules(n)]

    def sweep(self) -> None:
        """Removes our key presses, what we planted, and what the entry typed; not what was there
        before us, nor files of the entry's own."""
        stood = {event.name for event in self.log.of(Kind.STOOD)}
        for name, owner in list(self.standing.items()):
            ours = owner == JUDGE or (owner == OTHERS and name not in stood)
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
                # A directory that takes long to list must not take all our time.
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
            if self.standing.get(name) == ENTRY:
                try:
                    self.take(name)
                except OSError:
                    # Refused for a while, as on Windows: again in a moment.
                    self._holds[name] = now + HOLD
        if len(self.log.events) > self._looked_to or self.log.full:
            self._looked_to = len(self.log.events)
            self._news.set()

    def _compare(self) -> None:
        """Writes down what is new since the last time. Raises OSError."""
        now = self.now()
        # What was told before a listing is made is in it, or has gone.
        for name, at in [self._told.popleft() for _ in range(len(self._told))]:
            if self._logged[name] > 0:
                self._logged[name] -= 1
                continue
            if name in self.standing:
                self._gone(name, at - self._origin)
            self._made(name, at - self._origin)
        listed = set(self.place.names())
        for name in sorted(listed - self.standing.keys()):
            self._untold.setdefault(name, now)
            if not self.place.ordered:
                self._made(name, now)
        for name, seen in list(self._untold.items()):
            # It may have come and gone between two looks; what tells of it may still come.
            if now - seen >= SETTLE:
                self._made(name, seen)
                self._logged[name] += 1
        for name in [name for name in self.standing if name not in listed]:
            self._gone(name, now)

    def _made(self, name: str, at: float) -> None:
        self._untold.pop(name, None)
        self.standing[name] = ENTRY
        self.log.add(max(0.0, at), Kind.MADE, name, self.place.what(name) or DIRECTORY)
        if is_key_like(name):
            hold = HOLD if self.log.life in self._heard else HOLD_FIRST
            self._heard.add(self.log.life)
            self._holds[name] = self.now() + hold

    def _gone(self, name: str, at: float) -> None:
        owner = self.standing.pop(name)
        self.log.add(at, Kind.GONE, name, detail="" if owner == JUDGE else owner)
