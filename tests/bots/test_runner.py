"""The runner on virtual time: when it listens, when it answers, how it types, what it survives."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable

import pytest

from bots import runner as module
from bots.bot import Bot, Context
from bots.runner import EXCUSES, NEW_TALK, PATIENCE, PATIENCE_AFTER_STOP, Outcome, Runner, in_thread
from lpp.clock import LoopClock
from lpp.errors import Surroundings
from lpp.names import BACKSPACE
from lpp.pace import Pace
from tests.bots.talking import FakeKeys, context, inline

pytestmark = pytest.mark.looptime

#: Types without a pause, so that times are those of the runner.
AT_ONCE = Pace(gap=0.0, spread=0.0, word_pause=0.0, thought=0.0, slips=0.0)
EVEN = Pace(gap=0.2, spread=0.0, word_pause=0.0, thought=0.0, slips=0.0)


class Echo(Bot):
    """Says what it is told, and notes what happens to it."""

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

    def overhear(self, line: str) -> None:
        self.events.append(f"overhear {line}")

    def close(self) -> None:
        self.events.append("close")


@contextlib.asynccontextmanager
async def talking(
    bot: Bot,
    *,
    speed: float = 1.0,
    call: module.Call = inline,
    log: Callable[[str], None] | None = None,
) -> AsyncIterator[FakeKeys]:
    keys = FakeKeys()
    runner = Runner(bot, keys, LoopClock(speed), rng=random.Random(1), call=call, log=log)
    running = asyncio.create_task(runner.run())
    try:
        yield keys
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running


async def test_return_ends_a_message() -> None:
    async with talking(Echo(context())) as keys:
        keys.type("Hello.\nHow are you?\n")
        await asyncio.sleep(1)
        assert keys.pane == "<Hello.>\n<How are you?>\n"


async def test_it_is_silent_until_the_judge_begins() -> None:
    bot = Echo(context())
    async with talking(bot) as keys:
        await asyncio.sleep(25 * 60)
        assert keys.sent == []
        assert bot.events == []


async def test_keys_that_type_nothing_begin_no_answer() -> None:
    async with talking(Echo(context())) as keys:
        keys.press("Shift_L", "Caps_Lock", "nonsense", "Return", "Return", "space", "Return")
        await asyncio.sleep(60)
        assert keys.sent == []
        keys.type("still here\n")
        await asyncio.sleep(1)
        assert keys.pane == "<still here>\n"


async def test_unknown_names_leave_the_line_unchanged() -> None:
    async with talking(Echo(context())) as keys:
        keys.press("H", "apostrophe_x", "F1", "Shift_L", "i", "eacuteacute", "Return")
        await asyncio.sleep(1)
        assert keys.pane == "<Hi>\n"


async def test_backspace_edits_within_the_unsent_line() -> None:
    async with talking(Echo(context())) as keys:
        keys.press(BACKSPACE)
        keys.type("one\n")
        keys.press(BACKSPACE, BACKSPACE, "t", "w", "x", BACKSPACE, "o", "Return")
        await asyncio.sleep(1)
        assert keys.lines == ["<one>", "<two>"]


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
async def test_a_judge_who_never_presses_return_is_answered(text: str, patience: float) -> None:
    async with talking(Echo(context())) as keys:
        keys.type(text)
        await asyncio.sleep(patience - 0.1)
        assert keys.sent == []
        await asyncio.sleep(0.2)
        assert keys.pane == f"<{text.strip()}>\n"


async def test_each_key_renews_the_patience() -> None:
    async with talking(Echo(context())) as keys:
        for key in "slowly.":
            keys.type(key)
            await asyncio.sleep(1.0)
        assert keys.sent == []
        keys.type(" On.")
        await asyncio.sleep(2.0)
        assert keys.pane == "<slowly. On.>\n"


async def test_patience_counts_contest_time() -> None:
    async with talking(Echo(context()), speed=10) as keys:
        keys.type("Hello")
        await asyncio.sleep(PATIENCE / 10 + 0.01)
        assert keys.pane == "<Hello>\n"


async def test_a_return_after_a_line_that_was_taken_already_is_no_line() -> None:
    bot = Echo(context())
    async with talking(bot) as keys:
        keys.type("Hello.")
        await asyncio.sleep(5)
        keys.press("Return")
        await asyncio.sleep(5)
        assert bot.events == ["begin", "reply Hello."]
        assert keys.lines == ["<Hello.>"]


async def test_it_types_at_its_pace_and_mends_its_slips() -> None:
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


async def test_it_reads_on_while_it_types_and_answers_afterwards() -> None:
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


async def test_it_never_falls_behind_by_more_than_three_lines() -> None:
    bot = Echo(context())
    bot.pace = EVEN
    async with talking(bot) as keys:
        keys.type("0\n")
        await asyncio.sleep(0.1)
        keys.type("".join(f"{n}\n" for n in range(1, 8)))
        await asyncio.sleep(30)
        assert keys.lines == ["<0>", "<5>", "<6>", "<7>"]
    overheard = [event for event in bot.events if event.startswith("overhear")]
    assert overheard == [f"overhear {n}" for n in range(1, 5)]


async def test_it_reads_on_while_the_bot_thinks() -> None:
    released = asyncio.Event()

    async def slowly(method: Callable[[], Outcome]) -> Outcome:
        await released.wait()
        return method()

    bot = Echo(context())
    async with talking(bot, call=slowly) as keys:
        keys.type("first\nsecond\n")
        await asyncio.sleep(30)
        assert keys.sent == []
        released.set()
        await asyncio.sleep(1)
        assert keys.lines == ["<first>", "<second>"]


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


async def test_its_own_typing_is_no_silence() -> None:
    bot = Echo(context())
    bot.pace = Pace(gap=1.5, spread=0.0, word_pause=0.0, thought=0.0, slips=0.0)
    async with talking(bot) as keys:
        keys.type("x" * 100 + "\n")
        await asyncio.sleep(170)
        keys.type("two\n")
        await asyncio.sleep(20)
        assert bot.events.count("begin") == 1


async def test_what_was_meant_for_the_last_judge_is_not_said_to_the_next() -> None:
    gates = [asyncio.Event(), asyncio.Event()]
    calls = 0

    async def slowly(method: Callable[[], Outcome]) -> Outcome:
        nonlocal calls
        calls += 1
        if calls == 2:  # the first reply
            await gates[0].wait()
        return method()

    async with talking(Echo(context()), call=slowly) as keys:
        keys.type("old\nolder\n")
        await asyncio.sleep(NEW_TALK + 1)
        keys.type("new\n")
        await asyncio.sleep(1)
        gates[0].set()
        await asyncio.sleep(5)
        assert keys.lines == ["<new>"]


async def test_a_half_line_of_the_last_talk_is_forgotten() -> None:
    async with talking(Echo(context())) as keys:
        keys.press("space", "space")
        await asyncio.sleep(NEW_TALK)
        keys.type("new\n")
        await asyncio.sleep(1)
        assert keys.lines == ["<new>"]


class Failing(Echo):
    """Fails in the way that the line names."""

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


async def test_what_a_bot_raises_is_logged_and_excused() -> None:
    logged: list[str] = []
    async with talking(Failing(context()), log=logged.append) as keys:
        keys.type("begin\nstop\nexit\n")
        await asyncio.sleep(1)
        keys.type("number\nstill alive\n")
        await asyncio.sleep(1)
        assert keys.lines == [*EXCUSES, EXCUSES[0], "still alive"]
    assert [text.strip().splitlines()[-1].partition(":")[0] for text in logged] == [
        "ValueError",
        "StopIteration",
        "SystemExit",
        "TypeError",
    ]
    assert "Traceback" in logged[0]


async def test_a_failing_begin_does_not_stop_the_answer() -> None:
    class NoBegin(Echo):
        def begin(self) -> None:
            raise RuntimeError("not today")

    logged: list[str] = []
    async with talking(NoBegin(context()), log=logged.append) as keys:
        keys.type("hello\n")
        await asyncio.sleep(1)
        assert keys.lines == ["<hello>"]
    assert len(logged) == 1


async def test_failures_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    async with talking(Failing(context())) as keys:
        keys.type("begin\n")
        await asyncio.sleep(1)
    captured = capsys.readouterr()
    assert "ValueError: no good" in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("said", [None, "", "  \n "])
async def test_a_bot_may_say_nothing(said: str | None) -> None:
    class Silent(Echo):
        def reply(self, line: str) -> str | None:
            return said

    async with talking(Silent(context())) as keys:
        keys.type("hello\n")
        await asyncio.sleep(60)
        assert keys.sent == []


async def test_several_lines_and_strange_characters_are_typed() -> None:
    class Strange(Echo):
        def reply(self, line: str) -> str:
            return "one\x00\n\n\u201ctwo\u201d\ud800\b"

    async with talking(Strange(context())) as keys:
        keys.type("hello\n")
        await asyncio.sleep(1)
        assert keys.lines == ["one", '"two"?']


@pytest.mark.parametrize("word", ["word ", "x"])
async def test_an_essay_is_cut(word: str) -> None:
    class Essay(Echo):
        def reply(self, line: str) -> str:
            return word * 5000

    async with talking(Essay(context())) as keys:
        keys.type("hello\n")
        await asyncio.sleep(1)
        assert module.ANSWER_LIMIT - 10 < len(keys.pane) <= module.ANSWER_LIMIT + 1
        assert keys.pane.endswith("word\n" if word == "word " else "x\n")


async def test_a_very_long_line_is_given_shortened() -> None:
    bot = Echo(context())
    async with talking(bot) as keys:
        keys.type("y" * (module.LINE_LIMIT + 500) + "\n")
        await asyncio.sleep(1)
    assert bot.events[1] == "reply " + "y" * module.LINE_LIMIT


async def test_closing_the_channel_ends_the_run_and_closes_the_bot() -> None:
    bot, keys = Echo(context()), FakeKeys()
    runner = Runner(bot, keys, LoopClock(), call=inline)
    running = asyncio.create_task(runner.run())
    keys.type("hello\n")
    await asyncio.sleep(1)
    keys.close()
    await asyncio.wait_for(running, 1)
    assert bot.events[-1] == "close"


async def test_the_channels_trouble_ends_the_run() -> None:
    class Full(FakeKeys):
        async def send(self, key: str) -> None:
            raise Surroundings("the disk is full")

    keys = Full()
    runner = Runner(Echo(context()), keys, LoopClock(), call=inline)
    keys.type("hello\n")
    with pytest.raises(Surroundings, match="disk is full"):
        await runner.run()


async def test_a_bot_that_does_not_close_is_left() -> None:
    logged: list[str] = []

    async def stuck_at_close(method: Callable[[], Outcome]) -> Outcome:
        await asyncio.get_running_loop().create_future()
        return method()

    keys = FakeKeys()
    runner = Runner(Echo(context()), keys, LoopClock(), call=stuck_at_close, log=logged.append)
    keys.close()
    await runner.run()
    assert logged == ["echo: did not close within 5 seconds\n"]


async def test_a_whole_round_takes_no_time() -> None:
    bot = Echo(context())
    bot.pace = Pace()
    async with talking(bot) as keys:
        for minute in range(25):
            keys.type(f"minute {minute}\n")
            await asyncio.sleep(60)
        assert keys.lines == [f"<minute {minute}>" for minute in range(25)]


@pytest.mark.looptime(False)
async def test_a_thread_runs_the_method_and_its_outcome_comes_back() -> None:
    import threading

    names: list[str] = []

    def method() -> Outcome:
        names.append(threading.current_thread().name)
        return Outcome("done", None)

    assert await in_thread(method) == Outcome("done", None)
    assert names == ["bot"]
