"""The stage: a directory, and perhaps a program that we start, for scripts to play on.

Scripts (`acts`) press keys, wait and listen through it; what they see is in its log alone. Our
side removes what the entry types after a moment, as a judge program does, but lets the first key
of each life stand longer, so that an entry which removes its own keys is seen.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from lpp.conformance.log import DIRECTORY, Full, Kind, Log, is_in_rules, is_key_like
from lpp.conformance.places import Place
from lpp.conformance.watch import ENTRY, JUDGE, OTHERS, Watch
from lpp.errors import Surroundings
from lpp.keypress import KeyPress, Side
from lpp.numbers import Numbers

#: Seconds that a key of the entry stands before we remove it; the first of a life.
HOLD, HOLD_FIRST = 0.15, 2.0


class Program(Protocol):
    """A program that we start and stop."""

    async def start(self, changed: Callable[[], None]) -> None:
        """Starts it; `changed` is called when it ends. Raises CantStart."""

    async def stop(self) -> None:
        """Ends it, and all that it started."""

    @property
    def running(self) -> bool:
        """Whether it, or anything that it started, still runs."""

    @property
    def ending(self) -> str:
        """How it ended, in words."""

    @property
    def spoke(self) -> bool:
        """Whether it has written anything to its standard output since its start."""


class Stage:
    """What scripts play on.

    Arguments:
        place: the directory.
        program: what we start; None if the entry was running.
        numbers: what gives our sequence numbers.
    """

    def __init__(self, place: Place, program: Program | None, numbers: Numbers) -> None:
        self.log = Log()
        self.place = place
        self._program = program
        self._numbers = numbers
        self._number = numbers.last()
        self._origin = asyncio.get_running_loop().time()
        self._watch = Watch(place, self.log, lambda at: max(0.0, at - self._origin))
        self._changed = asyncio.Event()
        self._waiters: list[asyncio.Event] = []
        self._holds: dict[str, float] = {}
        self._looked_to = 0
        self._first_of: set[int] = set()
        self._up = False

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[Stage]:
        """Watches the directory while in this context; at its end the program is stopped, and
        what we put into the directory is gone."""
        loop = asyncio.get_running_loop()

        def wake() -> None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._changed.set)

        def created(name: str, at: float) -> None:
            self._watch.created(name, at)
            wake()

        hook = getattr(self.place, "changed", None)
        if hook is not None:
            self.place.changed = self._changed.set  # type: ignore[attr-defined]
        self._watch.begin()
        end_watch = self.place.watch(created)
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

    # Time

    def now(self) -> float:
        """Seconds since the check began."""
        return asyncio.get_running_loop().time() - self._origin

    async def sleep(self, seconds: float) -> None:
        """Waits."""
        await asyncio.sleep(seconds)

    async def wait(self, until: Callable[[], bool], seconds: float) -> bool:
        """Waits until something holds, asked again at each new entry of the log.

        Arguments:
            until: what must hold.
            seconds: how long to wait at most.

        Returns:
            Whether it holds.

        Raises:
            Full: if the log is full: there is nothing more to be seen.
        """
        change = asyncio.Event()
        self._waiters.append(change)
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                while not until():
                    if self.log.full:
                        raise Full
                    change.clear()
                    await change.wait()
        except TimeoutError:
            return until()
        finally:
            self._waiters.remove(change)
        return True

    # The entry's program

    @property
    def restartable(self) -> bool:
        """Whether the program can be started again."""
        return self._program is not None

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
            self.log.add(self.now(), Kind.STARTED)
            await self._program.start(self._changed.set)
            self._up = True

    async def stop(self) -> None:
        """Ends the program, if we started one and it runs."""
        if self._program is None:
            return
        if self._up:
            # The program is to be stopped whatever has become of the directory.
            with contextlib.suppress(OSError):
                self._look()
        if self._up:
            self._up = False
            self.log.add(self.now(), Kind.STOPPED)
        await self._program.stop()
        # Keys may come while it ends: they belong to this life still.
        with contextlib.suppress(OSError):
            self._watch.look(self.now() + self._origin)

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
            self._watch.make(names, DIRECTORY, Kind.PRESSED, self.now() + self._origin)
        except OSError as exc:
            raise Surroundings(
                f"{self.place.path}: the judge's key presses can't be made "
                f"({exc.strerror or exc}); does the entry, or anybody, remove the directory?"
            ) from exc
        self._changed.set()

    def plant(self, name: str, what: str = DIRECTORY) -> None:
        """Puts something into the directory that is no key press of this talk; if there is
        something of that name already, nothing happens."""
        with contextlib.suppress(FileExistsError):
            self._watch.make([name], what, Kind.PLANTED, self.now() + self._origin)

    def unread(self) -> list[str]:
        """Our key presses that still stand, of names that the rules have: others may be left."""
        standing = self._watch.standing.items()
        return [name for name, owner in standing if owner == JUDGE and is_in_rules(name)]

    def sweep(self) -> None:
        """Removes our key presses, what we planted, and what the entry typed; not what stood
        there before us, nor files of the entry's own."""
        stood = {event.name for event in self.log.of(Kind.STOOD)}
        for name, owner in list(self._watch.standing.items()):
            ours = owner == JUDGE or (owner == OTHERS and name not in stood)
            if ours or (owner == ENTRY and is_key_like(name)):
                with contextlib.suppress(OSError):
                    self._watch.take(name, self.now() + self._origin)
        self._holds.clear()

    def act(self, name: str) -> None:
        """Says that a script begins."""
        self.log.act = name
        self.log.add(self.now(), Kind.ACT, detail=name)

    def note(self, kind: Kind, detail: str) -> None:
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
                due = min(self._holds.values()) - loop.time()
                pause = due if pause is None else min(pause, due)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if pause is None else max(0.0005, pause)):
                    await self._changed.wait()

    def _look(self) -> None:
        now = asyncio.get_running_loop().time()
        self._watch.look(now)
        if self._up and self._program is not None and not self._program.running:
            self._up = False
            self._watch.look(now)
            self.note(Kind.EXITED, self._program.ending)
        for event in self.log.events[self._looked_to :]:
            if event.kind is Kind.MADE and is_key_like(event.name):
                first = event.life not in self._first_of
                self._first_of.add(event.life)
                self._holds[event.name] = now + (HOLD_FIRST if first else HOLD)
        for name in [name for name, due in self._holds.items() if due <= now]:
            del self._holds[name]
            if self._watch.standing.get(name) == ENTRY:
                self._take(name, now)
        if len(self.log.events) > self._looked_to or self.log.full:
            self._looked_to = len(self.log.events)
            for waiter in self._waiters:
                waiter.set()

    def _take(self, name: str, now: float) -> None:
        try:
            self._watch.take(name, now)
        except OSError:
            # Refused for a while, as on Windows: again in a moment.
            self._holds[name] = now + HOLD
