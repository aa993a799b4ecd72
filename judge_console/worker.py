"""The thread in which a seat lives: asyncio and sockets there, the window here.

A window must never wait for a network, and Qt's loop has no sockets of asyncio. So the seat has a
thread and a loop of its own; what happens there comes out as `Update`s, which the window takes
when it is ready to draw, and what the person does goes in as calls that return at once.

No Qt here: `on_news` is called in the worker's thread, once until `take` has been called, and is
meant to do nothing but wake the window (session.py: a queued signal).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from judge_console.model import Human
from judge_console.seat import Lost, Seat
from judge_console.updates import Differences, Picture, Update
from lpp.errors import Surroundings, YoursToFix
from lpp.wire import Key, Place, Taken, Welcome

log = logging.getLogger(__name__)

#: Seconds that a seat has to leave in good order before its thread is left alone.
LEAVING = 5.0
#: Seconds within which keys are said together: far less than the beat of a screen.
TOGETHER = 0.004


class Hands(Protocol):
    """What a session lets a seat do: a `Worker`, or a test's stand-in (testing.py)."""

    def start(self) -> None:
        """Begins to live."""

    def stop(self, saving: float = 0.0) -> None:
        """Leaves the seat; `saving` seconds at most for what is not confirmed yet."""

    def take(self) -> list[Update]:
        """All updates since the last time, in their order."""

    def press(self, place: Place, key: str) -> None:
        """See `Seat.press`."""

    def paste(self, place: Place, text: str) -> None:
        """See `Seat.paste`."""

    def verdict(self, human: Human, confidence: int | None, reason: str) -> None:
        """See `Seat.verdict`."""

    def rank(self, half_steps: Mapping[str, int]) -> None:
        """See `Seat.rank`."""

    def agree(self, publish: bool, pseudonym: str) -> None:
        """See `Seat.agree`."""

    def read(self, round_: int, attempt: int, place: Place) -> None:
        """See `Seat.read`."""

    def end(self) -> None:
        """See `Seat.end`."""

    def painted(self, heard: Mapping[Place, int]) -> None:
        """See `Seat.painted`."""


class Worker:
    """A seat in a thread of its own.

    Arguments:
        make: makes the seat; called in the worker's loop.
        on_news: called in the worker's thread when there is something to take.
    """

    def __init__(self, make: Callable[[], Seat], on_news: Callable[[], None]) -> None:
        self._make = make
        self._on_news = on_news
        self._lock = threading.Lock()
        self._updates: deque[Update] = deque()
        self._told = False
        self._seat: Seat | None = None
        self._lost = Lost("")
        self._ended: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leave: asyncio.Event | None = None
        self._acts: set[asyncio.Task[None]] = set()
        self._later: asyncio.TimerHandle | None = None
        self._said_at = float("-inf")
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="seat", daemon=True)

    # For the window

    def start(self) -> None:
        """Begins to live."""
        self._thread.start()
        self._ready.wait()

    def stop(self, saving: float = 0.0) -> None:
        """Leaves the seat, and waits until it is left.

        Arguments:
            saving: seconds to wait at most for what is not confirmed or saved yet.
        """
        if self._thread.ident is None:
            return  # it never began
        self._call(self._start_leaving, saving)
        self._thread.join(LEAVING + saving)

    def take(self) -> list[Update]:
        """All updates since the last time, in their order."""
        with self._lock:
            updates = list(self._updates)
            self._updates.clear()
            self._told = False
        return updates

    def press(self, place: Place, key: str) -> None:
        """See `Seat.press`."""
        self._do(lambda seat: seat.press(place, key), picture=False)

    def paste(self, place: Place, text: str) -> None:
        """See `Seat.paste`."""
        self._do(lambda seat: seat.paste(place, text))

    def verdict(self, human: Human, confidence: int | None, reason: str) -> None:
        """See `Seat.verdict`."""
        self._do(lambda seat: seat.verdict(human, confidence, reason))

    def rank(self, half_steps: Mapping[str, int]) -> None:
        """See `Seat.rank`."""
        self._do(lambda seat: seat.rank(half_steps))

    def agree(self, publish: bool, pseudonym: str) -> None:
        """See `Seat.agree`."""
        self._do(lambda seat: seat.agree(publish, pseudonym))

    def read(self, round_: int, attempt: int, place: Place) -> None:
        """See `Seat.read`."""
        self._do(lambda seat: seat.read(round_, attempt, place))

    def end(self) -> None:
        """See `Seat.end`."""
        self._do(lambda seat: seat.end())

    def painted(self, heard: Mapping[Place, int]) -> None:
        """See `Seat.painted`."""
        seat = self._seat
        if seat is not None:
            self._call(seat.painted, heard)

    def _do(self, act: Callable[[Seat], Awaitable[object]], *, picture: bool = True) -> None:
        self._call(self._begin, act, picture)

    def _call(self, what: Callable[..., object], *arguments: object) -> None:
        """Has something done in the worker's thread; nothing is done where that has ended."""
        if self._loop is not None:
            # It may be closed, at this very moment too.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(what, *arguments)

    # In the worker's thread

    def _begin(self, act: Callable[[Seat], Awaitable[object]], picture: bool) -> None:
        async def carry_out(seat: Seat) -> None:
            try:
                await act(seat)
            except YoursToFix as exc:  # the forms let nothing through that the model refuses
                log.warning("not done: %s", exc)
            self._tell(picture=picture)

        if self._seat is not None:
            # Tasks begin in the order in which they were made, and no act waits for anything
            # before it has done its work: keys stay in their order.
            task = asyncio.get_running_loop().create_task(carry_out(self._seat))
            self._acts.add(task)
            task.add_done_callback(self._acts.discard)

    def _start_leaving(self, saving: float) -> None:
        async def leave() -> None:
            end = time.monotonic() + saving
            # What is waited for changes with the frames of the other end, a few a second.
            while self._waits() and time.monotonic() < end:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            if self._leave is not None:
                self._leave.set()

        task = asyncio.get_running_loop().create_task(leave())
        self._acts.add(task)
        task.add_done_callback(self._acts.discard)

    def _waits(self) -> bool:
        seat = self._seat
        return (
            seat is not None
            and seat.connected
            and (bool(seat.unsaved) or any(t.unconfirmed for t in seat.model.talks.values()))
        )

    def _run(self) -> None:
        try:
            asyncio.run(self._live())
        except Exception as exc:
            if not isinstance(exc, YoursToFix | Surroundings):
                log.exception("the seat's thread has died: this is a bug of ours")
            self._put(Update(Picture(ended=exc), (), ()))
        finally:
            self._ready.set()

    async def _live(self) -> None:
        self._loop, self._leave = asyncio.get_running_loop(), asyncio.Event()
        # Before the seat is made: that may look at directories, and a share that hangs is not to
        # hold the window up.
        self._ready.set()
        seat = self._make()
        self._differences = Differences(seat.model, seat.can_end)
        self._seat = seat
        async with self._seat as seat:
            watching = asyncio.create_task(self._watch(seat))
            leaving = asyncio.create_task(self._leave.wait())
            try:
                # Where the seat has ended, the window is told, and says when to go.
                await leaving
            finally:
                for task in (watching, leaving):
                    task.cancel()
                await asyncio.wait([watching, leaving])

    async def _watch(self, seat: Seat) -> None:
        try:
            async for event in seat:
                if isinstance(event, Lost):
                    self._lost = event
                elif isinstance(event, Welcome):
                    self._lost = Lost("")
                self._tell(picture=not isinstance(event, Key | Taken))
        except Exception as exc:
            if not isinstance(exc, YoursToFix | Surroundings):
                log.exception("the seat has ended: this is a bug of ours")
            self._ended = exc
            self._tell(picture=True)

    def _tell(self, *, picture: bool) -> None:
        """Says what is new: at once, but keys that follow each other closely are said together,
        for each word to the window takes the interpreter from it."""
        loop = asyncio.get_running_loop()
        if picture or loop.time() >= self._said_at + TOGETHER:
            self._say(picture=picture)
        elif self._later is None:
            self._later = loop.call_at(self._said_at + TOGETHER, self._say)

    def _say(self, *, picture: bool = False) -> None:
        seat = self._seat
        assert seat is not None
        if self._later is not None:
            self._later.cancel()
            self._later = None
        self._said_at = asyncio.get_running_loop().time()
        streams = self._differences.streams()
        if not picture and not streams:
            return
        whole = None
        if picture:
            whole = self._differences.picture(seat.connected, self._lost, self._ended)
        self._put(Update(whole, streams, tuple(seat.model.talks)))

    def _put(self, update: Update) -> None:
        with self._lock:
            self._updates.append(update)
            tell, self._told = not self._told, True
        if tell:
            self._on_news()
