"""Runs a bot over a channel of key presses: listens, ends lines, gets answers, and types them.

Three tasks run at the same time, so that the bot keeps reading while it thinks or types:

* the *reader* receives key presses and assembles them into lines (`lpp.lines.LineEditor`);
* the *line timer* ends a line if the judge never presses Return, because some judge programs never
  send one; real entries did the same;
* the *speaker* passes lines to the bot, one after the other, and types its answers.

A talk begins with the judge's first key, and a new one with the first key after a long silence. The
bot types nothing before the judge's first key ("Both human and entry program must wait until the
judge starts the interaction").
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import random
import sys
import threading
import traceback
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from itertools import cycle
from typing import Protocol, TypeAlias, TypeVar

from bots.bot import Bot
from bots.typable import typable_lines
from lpp.clock import Clock
from lpp.lines import LineEditor
from lpp.session import Received

_T = TypeVar("_T")

#: Seconds without a key after which an unsent line counts as ended: after a full stop, question
#: mark or exclamation mark, and after anything else. Real entries waited for this long.
PATIENCE_AFTER_STOP = 1.5
PATIENCE = 3.5

#: Seconds of silence on both sides after which the next key begins a new talk. Each round has five
#: minutes without interaction (rules 2010, 3), while people in a talk are rarely silent for two.
NEW_TALK = 120.0

#: The most lines that wait for an answer. Older ones are joined to the next line, because a bot
#: that types at a human pace would otherwise fall minutes behind a fast judge.
MAX_WAITING = 3

#: The most lines kept, and the most characters of a line passed to a bot, to limit memory.
LINES_KEPT = 100
LINE_LIMIT = 2000

#: The most characters of an answer that are typed: about three minutes.
ANSWER_LIMIT = 1000

#: Seconds that a bot may take to close.
CLOSE_TIMEOUT = 5.0

#: A key may be this many seconds early to make up for late keys. This keeps the average speed at
#: that of the pace, without a burst after a long stop.
CATCH_UP = 0.5

#: Answers that are typed when a bot fails, used in turn.
EXCUSES = (
    "Sorry, I lost my thread there. What were you saying?",
    "Hm, my mind went blank for a moment.",
    "Sorry, say that again in other words?",
)

# Times closer than this count as equal, because a floating-point clock may not advance by less.
_INSTANT = 1e-6


#: The result of a bot's method: what it said, and what it raised.
Outcome: TypeAlias = tuple[str | None, BaseException | None]
Call: TypeAlias = Callable[[Callable[[], Outcome]], Awaitable[Outcome]]


class Keys(Protocol):
    """The part of a channel, such as `lpp.channel.DirectoryChannel`, that the runner uses."""

    async def send(self, key: str) -> object:
        """Presses a key, given its name."""

    def __aiter__(self) -> AsyncIterator[Received]:
        """Yields the other side's key presses as they arrive, until the channel is closed."""


class Runner:
    """Runs a bot in a talk.

    Arguments:
        bot: the bot that answers.
        keys: the open channel to the judge.
        clock: the clock for all waiting, in contest time.
        rng: randomness for the typing, separate from the bot's.
        call: runs a bot's method without blocking the loop; in a thread by default.
    """

    def __init__(
        self,
        bot: Bot,
        keys: Keys,
        clock: Clock,
        *,
        rng: random.Random | None = None,
        call: Call | None = None,
    ) -> None:
        self._bot = bot
        self._keys = keys
        self._clock = clock
        self._rng = rng if rng is not None else random.Random()
        self._call = call if call is not None else in_thread
        self._editor = LineEditor()
        self._pressed = asyncio.Event()
        self._last_key = 0.0
        self._last_sound: float | None = None
        self._talk = 0
        self._lines: deque[tuple[int, str]] = deque(maxlen=LINES_KEPT)
        self._arrived = asyncio.Event()
        self._excuses = cycle(EXCUSES)

    async def run(self) -> None:
        """Talks until the channel is closed, or this task is cancelled.

        Raises:
            LPPError: if the channel fails.
        """
        tasks = [
            asyncio.create_task(work, name=name)
            for work, name in (
                (self._read(), "reader"),
                (self._end_stale_lines(), "line timer"),
                (self._speak(), "speaker"),
            )
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._close_bot()

    # Listening

    async def _read(self) -> None:
        async for received in self._keys:
            self._hear(received.press.key)

    def _hear(self, key: str) -> None:
        now = self._clock.now()
        if self._last_sound is None or now - self._last_sound >= NEW_TALK:
            self._talk += 1
            self._lines.clear()
            self._editor = LineEditor()
        self._last_key = self._last_sound = now
        line = self._editor.press(key)
        if line is not None:
            self._take(line)
        self._pressed.set()

    def _take(self, line: str) -> None:
        # A quarter of the lines in the logs of 2012 are empty: these are not questions.
        if line.strip():
            self._lines.append((self._talk, line.strip()[:LINE_LIMIT]))
            self._arrived.set()

    async def _end_stale_lines(self) -> None:
        while True:
            await self._pressed.wait()
            self._pressed.clear()
            while unsent := self._editor.unsent.rstrip():
                patience = PATIENCE_AFTER_STOP if unsent[-1] in ".?!" else PATIENCE
                left = self._last_key + patience - self._clock.now()
                if left <= _INSTANT:
                    self._take(self._editor.take())
                else:
                    await self._clock.sleep(left)

    # Speaking

    async def _speak(self) -> None:
        begun, late = 0, ""
        while True:
            while not self._lines:
                self._arrived.clear()
                await self._arrived.wait()
            talk, line = self._lines.popleft()
            if talk != begun:
                begun, late = talk, ""
                await self._ask(self._bot.begin)
            if len(self._lines) >= MAX_WAITING:
                late = f"{late}{line}\n"[-LINE_LIMIT:]
                continue
            answer, late = await self._answer(late + line), ""
            # An answer for the last judge is not typed to the next one.
            if talk == self._talk:
                await self._type(answer)

    async def _answer(self, line: str) -> str:
        answer, error = await self._ask(partial(self._bot.reply, line))
        if error is not None:
            return next(self._excuses)
        return answer or ""

    async def _ask(self, method: Callable[[], object]) -> Outcome:
        said, error = await self._call(partial(_attempt, method))
        if error is not None:
            traceback.print_exception(error)
        return said, error

    async def _type(self, answer: str) -> None:
        text = "".join(f"{line}\n" for line in typable_lines(answer))
        if len(text) > ANSWER_LIMIT:
            cut = text[:ANSWER_LIMIT]
            text = (cut.rpartition(" ")[0] or cut).rstrip() + "\n"
        due = self._clock.now()
        for stroke in self._bot.pace.strokes(text, self._rng):
            due = max(due, self._clock.now() - CATCH_UP) + stroke.delay
            await self._clock.sleep(due - self._clock.now())
            await self._keys.send(stroke.key)
            self._last_sound = self._clock.now()

    async def _close_bot(self) -> None:
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT):
                await self._ask(self._bot.close)
        except TimeoutError:
            late = f"{self._bot.name}: did not close within {CLOSE_TIMEOUT:g} seconds"
            print(late, file=sys.stderr, flush=True)


def _attempt(method: Callable[[], object]) -> Outcome:
    # All exceptions of a bot are caught here, in its thread: SystemExit would end the process, and
    # a future can't carry StopIteration.
    try:
        value = method()
        if value is not None and not isinstance(value, str):
            raise TypeError(f"a bot's reply is a str or None, not {type(value).__name__}")
    except BaseException as error:  # noqa: BLE001
        return None, error
    return value, None


async def in_thread(function: Callable[[], Outcome]) -> Outcome:
    """Runs a function that never raises in a separate thread, and returns its result."""
    return await asyncio.wrap_future(in_daemon(function))


def in_daemon(function: Callable[[], _T]) -> concurrent.futures.Future[_T]:
    """Runs a function that may hang, in a daemon thread.

    A thread pool would wait for its threads at exit, so a bot that never returns from a reply could
    not be stopped. A daemon thread is simply abandoned.
    """
    future: concurrent.futures.Future[_T] = concurrent.futures.Future()

    def work() -> None:
        try:
            future.set_result(function())
        except BaseException as error:  # noqa: BLE001 -- raised where it is waited for
            future.set_exception(error)

    threading.Thread(target=work, name="bot", daemon=True).start()
    return future
