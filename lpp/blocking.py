"""A talk for plain scripts: no asyncio, no callbacks.

    with Talk(directory) as talk:
        for line in talk:
            talk.say(f"You said: {line}\\n")

A thread of its own runs the asyncio channel (channel.py), so that all its rules hold here too, and
so that keys are read and removed while the script thinks ("the reader removes", rules 2010, 2.B).
The thread lives from `with` to the end of it; a script that is interrupted by Ctrl-C leaves the
`with` like any other.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import random
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from types import TracebackType
from typing import Any, Self, TypeVar

from lpp.channel import DirectoryChannel
from lpp.directory import Directory
from lpp.hints import Hint
from lpp.keypress import KeyPress, Side
from lpp.lines import LineEditor
from lpp.names import keys_of
from lpp.numbers import Numbers
from lpp.pace import Pace
from lpp.removal import Report
from lpp.session import Received

_T = TypeVar("_T")

#: Seconds of one wait. Windows can't interrupt a wait for another thread, so that Ctrl-C is
#: noticed between two of them.
SLICE = 0.1
#: Keys that are pressed before the channel's thread has time for what comes in.
IN_A_ROW = 50


class Talk:
    """One side of a talk in a communications directory, by calls that wait.

    Opened and closed once, by `with`. One thread at a time may use it, but for `close`, which
    any thread may call to end another's waiting.

    Wherever there is a `timeout`, it is in seconds, and without end if left out.

    Arguments:
        place: the directory's path, or a Directory.
        side: which side we are; an entry is `Side.OTHER`.
        hint, numbers, sweep: as `lpp.channel.DirectoryChannel` has them.
        report: as there; called on the talk's thread.
        rng: where the chance of `typing` comes from.
    """

    def __init__(
        self,
        place: str | os.PathLike[str] | Directory,
        *,
        side: Side = Side.OTHER,
        hint: Hint | None = None,
        numbers: Numbers | None = None,
        sweep: float | None = None,
        report: Report | None = None,
        rng: random.Random | None = None,
    ) -> None:
        self._channel = DirectoryChannel(
            place, side=side, hint=hint, numbers=numbers, sweep=sweep, report=report
        )
        self._rng = rng if rng is not None else random.Random()
        self._editor = LineEditor()
        self._left: deque[Received] = deque()  # what had come at the end, and was not asked for
        self._opened: concurrent.futures.Future[None] = concurrent.futures.Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing: asyncio.Event | None = None
        self._failure: BaseException | None = None
        # A daemon, for a script that never leaves its `with` must still be able to end.
        self._thread = threading.Thread(target=self._work, name="lpp talk", daemon=True)

    # Life

    def __enter__(self) -> Self:
        """Opens the talk. Raises as `DirectoryChannel` does."""
        if self._thread.ident is not None:
            raise RuntimeError("a talk is opened once")
        self._thread.start()
        try:
            self._result(self._opened)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the talk: what was read is removed, and waiting ends after what has come. Closing
        again does nothing."""
        if self._thread.ident is None or threading.current_thread() is self._thread:
            return
        while self._thread.is_alive():
            # Told in each turn: the thread may not have come so far at the first.
            if self._loop is not None and self._closing is not None:
                with contextlib.suppress(RuntimeError):  # of a loop that has just been closed
                    self._loop.call_soon_threadsafe(self._closing.set)
            self._thread.join(SLICE)
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    # Speaking

    def press(self, key: str) -> KeyPress:
        """Presses one key, by its name; see `DirectoryChannel.send`.

        Raises:
            RuntimeError: if the talk is not open. EOFError: if it is closed meanwhile.
        """
        return self._run(self._channel.send(key))

    def say(self, text: str) -> None:
        """Types a text as fast as it goes; a newline is Return.

        Raises:
            NotAKey: if the text holds a character that no key press carries; nothing of it has
                been typed then.
            BadDirectory, Surroundings: as for `press`.
        """
        self._run(self._press_all(keys_of(text)))

    def typing(self, text: str, pace: Pace | None = None) -> None:
        """Types a text as a person would (`lpp.pace`), which takes a person's time. Raises as
        `say`."""
        keys_of(text)
        due = time.monotonic()
        for stroke in (pace if pace is not None else Pace()).strokes(text, self._rng):
            due = max(due, time.monotonic() - SLICE) + stroke.delay
            time.sleep(max(0.0, due - time.monotonic()))
            self.press(stroke.key)

    # Listening

    def key(self, timeout: float | None = None) -> Received:
        """The next key press of the other side. What is taken so belongs to no `line` any more.

        Raises:
            TimeoutError: if none came in that time.
            EOFError: if the talk was closed.
        """
        try:
            return self._run(_within(self._next, timeout))
        except TimeoutError:
            raise TimeoutError(f"no key came within {timeout:g} seconds") from None
        except (RuntimeError, EOFError):
            if self._thread.ident is None:
                raise
            if self._left:
                return self._left.popleft()
            raise EOFError("the talk was closed") from None

    def line(self, timeout: float | None = None) -> str:
        """The next line of the other side, as it stands at its Return, without the newline.

        What came before a time-out is part of the line that is asked for next; `unsent` shows it,
        and `take` ends the line there, for a judge who never presses Return.

        Raises:
            TimeoutError: if no Return came in that time.
            EOFError: if the talk was closed.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                received = self.key(left)
            except TimeoutError:
                raise TimeoutError(f"no line came within {timeout:g} seconds") from None
            line = self._editor.press(received.press.key)
            if line is not None:
                return line

    def __iter__(self) -> Iterator[str]:
        """The lines of the other side, empty ones too, until the talk is closed."""
        with contextlib.suppress(EOFError):
            while True:
                yield self.line()

    @property
    def unsent(self) -> str:
        """The other side's line before its Return, as far as `line` has read it."""
        return self._editor.unsent

    def take(self) -> str:
        """Ends the other side's line where it stands, and gives it."""
        return self._editor.take()

    def settled(self, timeout: float | None = None) -> None:
        """Waits until all that was read is removed. Raises TimeoutError."""
        self._run(_within(self._channel.settled, timeout))

    # The talk's thread

    def _work(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as exc:  # noqa: BLE001 -- raised where the talk is used
            if self._opened.done():
                self._failure = exc
            else:
                self._opened.set_exception(exc)

    async def _serve(self) -> None:
        self._closing = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        async with self._channel:
            self._opened.set_result(None)
            await self._closing.wait()
        self._left.extend(self._channel.receive_now())

    async def _next(self) -> Received:
        try:
            return await anext(self._channel)
        except StopAsyncIteration:
            raise EOFError from None

    async def _press_all(self, keys: Iterable[str]) -> None:
        for count, key in enumerate(keys, 1):
            await self._channel.send(key)
            if count % IN_A_ROW == 0:
                await asyncio.sleep(0)

    def _run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Has the talk's thread do something, and waits for it."""
        try:
            if self._loop is None:
                raise RuntimeError
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:  # there is no loop yet, or it has been closed
            work.close()
            raise RuntimeError("the talk is not open") from None
        try:
            return self._result(future)
        except BaseException:
            future.cancel()
            raise

    def _result(self, future: concurrent.futures.Future[_T]) -> _T:
        while not concurrent.futures.wait([future], SLICE).done:
            if not self._thread.is_alive() and not future.done():
                # It came too late: the loop had ended.
                future.cancel()
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise EOFError("the talk was closed") from None


async def _within(work: Callable[[], Awaitable[_T]], timeout: float | None) -> _T:
    async with asyncio.timeout(timeout):
        return await work()
