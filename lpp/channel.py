"""A communications directory as an asyncio channel of key presses.

How a key comes in: a hint (or the sweep) wakes the channel, it lists the directory twice, the
session says what is new, that is delivered, and the directories are removed in the background.
A removal that fails for a moment, as under a virus scanner, is tried again with growing pauses;
the key is delivered once all the same.

The two listings and their reading are one step on the loop's thread and confirmations of removals
run on the same thread, so a listing can never bring back a name whose removal was confirmed
between its making and its reading.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TypeAlias

from lpp.directory import Directory, LocalDirectory, as_directory
from lpp.errors import BadDirectory, Surroundings
from lpp.hints import SHARED, Hint, NoHint
from lpp.keypress import KeyPress, Side, parse, printable
from lpp.numbers import ForgetfulNumbers, Numbers, StoredNumbers
from lpp.session import Received, Session
from lpp.violations import Violation

log = logging.getLogger(__name__)

#: Seconds between two looks when no hint comes; the upper bound of latency where hints fail.
SWEEP = 0.25
#: Seconds before a failed removal is tried again; doubled each time, up to the last.
RETRY_FIRST, RETRY_LAST = 0.02, 2.0

#: Names that are gone, and names that are not, each with the reason.
_Removals: TypeAlias = tuple[list[str], list[tuple[str, OSError]]]

Report: TypeAlias = Callable[[Violation | OSError], None]


class DirectoryChannel:
    """One side of a talk in a communications directory.

    Use as `async with DirectoryChannel(path, side=Side.OTHER) as channel:`, then
    `await channel.send(key)` and `async for received in channel`.

    Arguments:
        place: the directory's path, or a Directory.
        side: which side we are.
        hint: what wakes us; watchdog's observer if left out, for a path.
        numbers: what remembers our sequence numbers; a file of this user if left out, for a path.
        sweep: seconds between looks without a hint.
        report: told of breaches that belong to no key press, and of the directory's troubles;
            they are logged if left out.
        keep: if true, a key press is removed only after `release`, so that it can be made
            durable first.
    """

    def __init__(
        self,
        place: str | os.PathLike[str] | Directory,
        *,
        side: Side,
        hint: Hint | None = None,
        numbers: Numbers | None = None,
        sweep: float = SWEEP,
        report: Report | None = None,
        keep: bool = False,
    ) -> None:
        self.directory = as_directory(place)
        self.side = side
        local = isinstance(self.directory, LocalDirectory)
        self._hint: Hint = hint if hint is not None else (SHARED if local else NoHint())
        self._numbers = numbers
        self._sweep = sweep
        self._report = report if report is not None else _log_report
        self._keep = keep
        self.session = Session(side)
        self._inbox: deque[Received] = deque()
        self._arrived = asyncio.Event()
        self._closed = False
        self._unwatch: Callable[[], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sweeper: asyncio.TimerHandle | None = None
        self._woken = False
        self._to_remove: list[str] = []
        self._remover: ThreadPoolExecutor | None = None
        self._removing = False
        self._retries: dict[str, float] = {}
        self._timers: set[asyncio.TimerHandle] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    # Life

    async def __aenter__(self) -> DirectoryChannel:
        """Opens the channel.

        Raises:
            BadDirectory: if the directory is none, or can't be written.
        """
        self.directory.check()
        if self._numbers is None:
            local = isinstance(self.directory, LocalDirectory)
            self._numbers = (
                StoredNumbers.of(self.directory.path, self.side) if local else ForgetfulNumbers()
            )
        self.session.continue_after(self._numbers.last())
        self._continue_after_left_overs(self.directory.names())
        self._loop = asyncio.get_running_loop()
        self._unwatch = self._hint.watch(self.directory.path, self._wake_from_any_thread)
        # What stood here before the watch is not reported by any watcher: look once.
        self._look()
        self._sweeper = self._loop.call_later(self._sweep, self._on_sweep)
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the channel: removals that are under way are finished, iteration stops."""
        if self._closed:
            return
        self._closed = True
        if self._sweeper is not None:
            self._sweeper.cancel()
        if self._unwatch is not None:
            self._unwatch()
        for timer in self._timers:
            timer.cancel()
        self._to_remove.extend(self._retries)
        self._retries.clear()
        self._remove_some()
        await self._idle.wait()
        if self._remover is not None:
            self._remover.shutdown(wait=True)
        self._arrived.set()

    # Writing

    async def send(self, key: str) -> KeyPress:
        """Presses a key.

        Arguments:
            key: a key name, as `lpp.names.name_of` gives it.

        Returns:
            The key press that now stands in the directory.

        Raises:
            BadDirectory: if we may not write there.
            Surroundings: if the directory can't be made: disk full, share gone.
        """
        if self._numbers is None or self._closed:
            raise RuntimeError("the channel is not open")
        while True:
            press = self.session.press(key)
            self._numbers.issued(press.number)
            try:
                self.directory.make(press.raw)
            except FileExistsError:
                # Somebody writes for our side too, or a left-over came in between: go past it.
                continue
            except PermissionError as exc:
                raise BadDirectory(
                    f"{self.directory.path}: can't make sub-directories here; "
                    "give write permission, or name another directory"
                ) from exc
            except OSError as exc:
                raise Surroundings(
                    f"{self.directory.path}: the key press {press.raw} can't be made "
                    f"({exc.strerror or exc}); free the disk or mend the share"
                ) from exc
            return press

    # Reading

    def __aiter__(self) -> AsyncIterator[Received]:
        return self

    async def __anext__(self) -> Received:
        while not self._inbox:
            if self._closed:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        return self._inbox.popleft()

    def receive_now(self) -> list[Received]:
        """All that has come and was not yet taken, without waiting."""
        taken = list(self._inbox)
        self._inbox.clear()
        return taken

    def release(self, received: Received) -> None:
        """With `keep`: this key press is safe, its directory may go."""
        self._enqueue_removal([received.press.raw])

    def look(self) -> None:
        """Looks now, as a hint would make it."""
        if not self._closed:
            self._look()

    async def settled(self) -> None:
        """Waits until no removal is under way or waiting for another try."""
        while not self._idle.is_set() or self._retries:
            await self._idle.wait()
            if self._retries:
                await asyncio.sleep(RETRY_FIRST)

    async def empty(self) -> list[str]:
        """Removes all that stands in the directory, both sides' key presses and left-overs alike.

        Returns:
            The names that stood there, sorted, as printable text.
        """
        self.receive_now()
        await self.settled()
        names = sorted(self.directory.names())
        for name in names:
            with contextlib.suppress(OSError):
                self.directory.remove(name)
            self.session.removed(name)
        self.session.forget_strange(())
        self.receive_now()
        return [printable(name) for name in names]

    def _wake_from_any_thread(self) -> None:
        # Many hints, one look: the flag is dropped before the listing, so none is missed.
        if self._woken or self._closed or self._loop is None:
            return
        self._woken = True
        self._loop.call_soon_threadsafe(self._on_hint)

    def _on_hint(self) -> None:
        self._woken = False
        if not self._closed:
            self._look()

    def _on_sweep(self) -> None:
        assert self._loop is not None
        self._sweeper = self._loop.call_later(self._sweep, self._on_sweep)
        self._hint.healthy()
        self._look()

    def _look(self) -> None:
        try:
            up_to = self.session.highest_new(self.directory.names())
            if up_to is None:
                return
            received, strays = self.session.receive(self.directory.names(), up_to)
        except OSError as exc:
            self._report(exc)
            return
        for stray in strays:
            self._report(stray)
        if received:
            self._inbox.extend(received)
            self._arrived.set()
            if not self._keep:
                self._enqueue_removal([item.press.raw for item in received])

    def _continue_after_left_overs(self, names: list[str]) -> None:
        for name in names:
            parsed = parse(name)
            if parsed is not None and parsed[0].side is self.side:
                self.session.continue_after(parsed[0].number)

    # Removing

    def _enqueue_removal(self, raws: list[str]) -> None:
        self._to_remove.extend(raws)
        self._remove_some()

    def _remove_some(self) -> None:
        if self._removing or not self._to_remove:
            return
        if self._remover is None:
            self._remover = ThreadPoolExecutor(1, "lpp-remover")
        batch, self._to_remove = self._to_remove, []
        self._removing = True
        self._idle.clear()
        work = asyncio.get_running_loop().run_in_executor(self._remover, self._remove, batch)
        work.add_done_callback(self._on_removed)

    def _remove(self, batch: list[str]) -> _Removals:
        gone, left = [], []
        for raw in batch:
            try:
                self.directory.remove(raw)
            except OSError as exc:
                left.append((raw, exc))
            else:
                gone.append(raw)
        return gone, left

    def _on_removed(self, work: asyncio.Future[_Removals]) -> None:
        gone, left = work.result()
        for raw in gone:
            self._retries.pop(raw, None)
            self.session.removed(raw)
        for raw, exc in left:
            self._retry_later(raw, exc)
        self._removing = False
        self._remove_some()
        if not self._removing:
            self._idle.set()

    def _retry_later(self, raw: str, exc: OSError) -> None:
        if self._closed:
            return
        pause = self._retries.get(raw, 0.0) * 2 or RETRY_FIRST
        if pause >= RETRY_LAST:
            pause = RETRY_LAST
            self._report(exc)
        self._retries[raw] = pause

        def again() -> None:
            self._timers.discard(timer)
            self._enqueue_removal([raw])

        timer = asyncio.get_running_loop().call_later(pause, again)
        self._timers.add(timer)


def _log_report(what: Violation | OSError) -> None:
    if isinstance(what, Violation):
        log.warning("%s: %s (%s)", what.rule.value, what.name, what.detail)
    else:
        log.warning("%s", what)
