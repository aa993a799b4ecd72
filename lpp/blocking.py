"""A talk for plain scripts: no asyncio, no callbacks.

    with Talk(directory) as talk:
        for line in talk:
            talk.say(f"You said: {line}\\n")

A separate thread runs the asyncio channel (channel.py). So the same rules apply here, and keys are
read and removed while the script computes ("the reader removes", rules 2010, 2.B).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import threading
import time
from collections.abc import Coroutine, Iterator
from types import TracebackType
from typing import Any, Self, TypeVar

from lpp.channel import UNREAD_LIMIT, DirectoryChannel
from lpp.directory import Directory
from lpp.keypress import KeyPress, Side
from lpp.lines import LineEditor
from lpp.names import keys_of
from lpp.numbers import Numbers
from lpp.session import Received

_T = TypeVar("_T")

#: Longest single wait, in seconds. Windows can't interrupt a wait for another thread, so Ctrl-C is
#: noticed only between two waits.
SLICE = 0.1
#: Keys sent in a row before the channel's thread may receive others.
SENT_IN_A_ROW = 50


class Talk:
    """One side of a talk in a communications directory, with blocking calls.

    Open and close it once, using `with`. Only one thread at a time may use it, except for `close`,
    which any thread may call to end another's wait. A `timeout` is in seconds; without one, calls
    wait forever.

    Arguments:
        place: the directory's path, or a Directory.
        side: the side of the talk that this is; an entry is `Side.OTHER`.
        numbers: as for `lpp.channel.DirectoryChannel`.
    """

    def __init__(
        self,
        place: str | os.PathLike[str] | Directory,
        *,
        side: Side = Side.OTHER,
        numbers: Numbers | None = None,
    ) -> None:
        self._channel = DirectoryChannel(place, side=side, numbers=numbers)
        self._editor = LineEditor()
        self._received: queue.SimpleQueue[Received | None] = queue.SimpleQueue()
        self._opened = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._failure: BaseException | None = None
        # A daemon thread, so that a script that never leaves its `with` can still exit.
        self._thread = threading.Thread(target=self._work, name="lpp talk", daemon=True)

    def __enter__(self) -> Self:
        """Opens the talk. Raises as `DirectoryChannel` does."""
        if self._thread.ident is not None:
            raise RuntimeError("a talk can be opened only once")
        self._thread.start()
        while not self._opened.wait(SLICE):
            pass
        if self._loop is None:
            self.close()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the talk. Removes the key presses that were read. Waiting calls first return what
        was received, and then end. A second call does nothing."""
        if self._thread.ident is None:
            return
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed already
                self._loop.call_soon_threadsafe(self._closing.set)
        while self._thread.is_alive():
            self._thread.join(SLICE)
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def press(self, key: str) -> KeyPress:
        """Presses one key, given its name; see `DirectoryChannel.send`. Raises RuntimeError if the
        talk is not open."""
        return self._run(self._channel.send(key))

    def say(self, text: str) -> None:
        """Types a text as fast as possible; a newline is Return.

        Raises:
            NotAKey: if the text contains a character that can't be sent as a key press; then
                nothing is typed.
            RuntimeError, BadDirectory, EnvironmentProblem: as for `press`.
        """
        self._run(self._press_all(keys_of(text)))

    def key(self, timeout: float | None = None) -> Received:
        """The next key press of the other side. Key presses taken this way are no longer part of
        any `line`.

        Raises:
            TimeoutError: if none came within that time.
            EOFError: if the talk was closed.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = SLICE if deadline is None else min(SLICE, deadline - time.monotonic())
            try:
                received = self._received.get(timeout=max(0.0, left))
            except queue.Empty:
                if deadline is not None and time.monotonic() >= deadline:
                    raise TimeoutError(f"no key came within {timeout:g} seconds") from None
                continue
            if received is None:
                self._received.put(None)  # for the next call
                raise EOFError("the talk was closed")
            return received

    def line(self, timeout: float | None = None) -> str:
        """The next line of the other side as edited up to its Return, without the newline. After a
        timeout, the keys received so far are kept for the next call. Raises as `key` does."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                line = self._editor.press(self.key(left).press.key)
            except TimeoutError:
                raise TimeoutError(f"no line came within {timeout:g} seconds") from None
            if line is not None:
                return line

    def __iter__(self) -> Iterator[str]:
        """Yields the lines of the other side, including empty ones, until the talk is closed."""
        with contextlib.suppress(EOFError):
            while True:
                yield self.line()

    # The talk's thread

    def _work(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as exc:  # noqa: BLE001 -- raised where the talk is used
            self._failure = exc
        finally:
            self._received.put(None)
            self._opened.set()

    async def _serve(self) -> None:
        self._closing = asyncio.Event()
        async with self._channel:
            self._loop = asyncio.get_running_loop()
            self._opened.set()
            reading = asyncio.create_task(self._read())
            await self._closing.wait()
        await reading

    async def _read(self) -> None:
        async for received in self._channel:
            self._received.put(received)
            # The script has fallen behind: leave the rest in the directory for now.
            while self._received.qsize() >= UNREAD_LIMIT and not self._closing.is_set():  # noqa: ASYNC110
                await asyncio.sleep(SLICE)

    async def _press_all(self, keys: list[str]) -> None:
        for count, key in enumerate(keys, 1):
            await self._channel.send(key)
            if count % SENT_IN_A_ROW == 0:
                await asyncio.sleep(0)

    def _run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Runs a coroutine on the talk's thread, and waits for its result."""
        try:
            if self._loop is None:
                raise RuntimeError
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:  # never opened, or the loop is closed
            work.close()
            raise RuntimeError("the talk is not open") from None
        while True:
            try:
                return future.result(SLICE)
            except TimeoutError:
                if not self._thread.is_alive():
                    future.cancel()
                    raise RuntimeError("the talk is not open") from None
