"""Tests the runner on virtual time: listening, answering, typing, and failures of bots."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable

import pytest

from bots import runner as module
from bots.bot import Bot, Context
from bots.runner import EXCUSES, NEW_TALK, PATIENCE, PATIENCE_AFTER_STOP, Outcome, Runner
from lpp.clock import LoopClock
from lpp.names import BACKSPACE
from lpp.pace import Pace
from tests.bots.talking import FakeKeys, context, inline

pytestmark = pytest.mark.looptime

#: Types without pauses, so that all waiting is the runner's.
AT_ONCE = Pace(gap=0.0, spread=0.0, word_pause=0.0, thought=0.0, slips=0.0)
EVEN = Pace(gap=0.2, spread=0.0, word_pause=0.0, thought=0.0, slips=0.0)


class Echo(Bot):
    """Repeats each line, and records the calls of its methods."""

    name = "echo"
    pace = AT_ONCE

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.events: list[str] = []

    def begin(self) -> None:
        self.events.append("begin")

    def reply(self, line: str) -> str | None:
        self.events.append(f"reply {line}")
        return f"<{line}>"

    def close(self) -> None:
        self.events.append("close")


@contextlib.asynccontextmanager
async def talking(
    bot: Bot, *, speed: float = 1.0, call: module.Call = inline
) -> AsyncIterator[FakeKeys]:
    keys = FakeKeys()
    runner = Runner(bot, keys, LoopClock(speed), rng=random.Random(1), call=call)
    running = asyncio.create_task(runner.run())
    try:
        yield keys
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running


async def test_it_is_silent_until_the_judge_begins() -> None:
    bot = Echo(context())
    async with talking(bot) as keys:
        await asyncio.sleep(25 * 60)
        assert keys.sent == []
        assert bot.events == []


@pytest.mark.parametrize(
    ("text", "patience"),
    [
        ("Hello.", PATIENCE_AFTER_STOP),
        ("Well?", PATIENCE_AFTER_STOP),
        ("No! ", PATIENCE_AFTER_STOP),
        ("Hello", PATIENCE),
        ("one, ", PATIENCE),
    ],
)
async def test_a_judge_who_never_presses_return_gets_answers(text: str, patience: float) -> None:
    async with talking(Echo(context())) as keys:
        keys.type(text)
        await asyncio.sleep(patience - 0.1)
        assert keys.sent == []
        await asyncio.sleep(0.2)
        assert keys.pane == f"<{text.strip()}>\n"


async def test_it_types_at_its_pace_and_corrects_its_slips() -> None:
    class Slow(Echo):
        pace = Pace(slips=0.3)

        def reply(self, line: str) -> str:
            return "The quick brown fox jumps over the lazy dog."

    async with talking(Slow(context())) as keys:
        keys.type("Go on.\n")
        await asyncio.sleep(120)
    assert keys.pane == "The quick brown fox jumps over the lazy dog.\n"
    pressed = [key for _, key in keys.sent]
    assert pressed[-1] == "Return"
    assert pressed.count(BACKSPACE) > 3
    seconds = keys.sent[-1][0] - keys.sent[0][0]
    assert 0.1 < seconds / len(pressed) < 0.6


async def test_it_reads_while_it_types_and_answers_afterwards() -> None:
    bot = Echo(context())
    bot.pace = EVEN
    async with talking(bot) as keys:
        keys.type("first\n")
        await asyncio.sleep(0.5)
        keys.type("second\n")
        await asyncio.sleep(0.1)
        keys.type("third\n")
        await asyncio.sleep(10)
        assert keys.lines == ["<first>", "<second>", "<third>"]


async def test_a_long_silence_begins_a_new_talk() -> None:
    bot = Echo(context())
    async with talking(bot) as keys:
        keys.type("one\n")
        await asyncio.sleep(NEW_TALK - 1)
        keys.type("two\n")
        await asyncio.sleep(NEW_TALK)
        keys.type("three\n")
        await asyncio.sleep(1)
        assert bot.events == ["begin", "reply one", "reply two", "begin", "reply three"]


class Failing(Echo):
    """Fails in the way that the line says."""

    def reply(self, line: str) -> str | None:
        if line == "stop":
            next(iter(()))
        if line == "exit":
            raise SystemExit(3)
        if line == "number":
            return 7  # type: ignore[return-value]
        if line == "begin":
            raise ValueError("no good")
        return line


async def test_a_bots_exception_is_logged_and_replaced_by_an_excuse(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with talking(Failing(context())) as keys:
        keys.type("begin\nstop\nexit\n")
        await asyncio.sleep(1)
        keys.type("number\nstill alive\n")
        await asyncio.sleep(1)
        assert keys.lines == [*EXCUSES, EXCUSES[0], "still alive"]
    first, *logged = capsys.readouterr().err.split("Traceback")
    assert first == ""
    assert [text.strip().splitlines()[-1].partition(":")[0] for text in logged] == [
        "ValueError",
        "StopIteration",
        "SystemExit",
        "TypeError",
    ]


async def test_a_bot_that_does_not_close_is_abandoned(
    capsys: pytest.CaptureFixture[str],
) -> None:

    async def stuck_at_close(method: Callable[[], Outcome]) -> Outcome:
        await asyncio.get_running_loop().create_future()
        return method()

    keys = FakeKeys()
    runner = Runner(Echo(context()), keys, LoopClock(), call=stuck_at_close)
    keys.close()
    await runner.run()
    assert capsys.readouterr().err == "echo: did not close within 5 seconds\n"


async def test_at_most_three_lines_wait_for_an_answer() -> None:
    bot = Echo(context())
    bot.pace = EVEN
    async with talking(bot) as keys:
        keys.type("0\n")
        await asyncio.sleep(0.1)
        keys.type("".join(f"{n}\n" for n in range(1, 8)))
        await asyncio.sleep(30)
        assert keys.lines == ["<0>", "<1", "2", "3", "4", "5>", "<6>", "<7>"]
