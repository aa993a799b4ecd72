"""A bot as an entry of its own: a process that talks in a communications directory.

`main(MyBot)` at the end of a script makes the script an entry with the options of
`loebner bot`; `run_entry` is the same as a function.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import datetime
import math
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from bots.bot import Bot, Context
from bots.browse import browse
from bots.runner import Runner
from lpp.channel import DirectoryChannel
from lpp.clock import LoopClock
from lpp.errors import LPPError
from lpp.keypress import Side
from lpp.pace import Pace

_F = TypeVar("_F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--dir",
        "directory",
        type=click.Path(path_type=Path),
        help="The communications directory; without it a dialog opens to choose one.",
    ),
    click.option(
        "--speed",
        type=float,
        callback=lambda _ctx, _param, value: _above_zero(value),
        default=1.0,
        show_default=True,
        help="How many times faster than normal the bot waits and types.",
    ),
    click.option("--seed", type=int, help="Seed that makes the bot repeatable."),
    click.option(
        "--clock",
        "start",
        metavar="ISO-DATETIME",
        callback=lambda _ctx, _param, value: _moment(value),
        help="The bot's clock at the start, such as 2010-10-23T09:30. Default: the machine's.",
    ),
    click.option(
        "--keys-per-minute",
        type=float,
        metavar="N",
        callback=lambda _ctx, _param, value: _above_zero(value),
        help="The mean typing speed within a line. Default: the bot's own pace.",
    ),
)

#: The most that can be asked for: keys a minute, and times faster than life.
FASTEST = 60_000.0

#: Letters of a word with the space behind it, in English: for the mean of a pace.
_WORD = 5.5


def entry_options(command: _F) -> _F:
    """Decorates a click command with the options of an entry: `directory`, `speed`, `seed`,
    `start` and `keys_per_minute`, as `run_entry` takes them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def run_entry(
    make_bot: Callable[[Context], Bot],
    *,
    directory: Path | None = None,
    speed: float = 1.0,
    seed: int | None = None,
    start: datetime.datetime | None = None,
    keys_per_minute: float | None = None,
) -> None:
    """Runs a bot until the process gets the signal to end (SIGTERM, SIGINT, Ctrl-C).

    Prints `listening in DIR` on standard output once the bot listens.

    Arguments:
        make_bot: the bot's class.
        directory: the communications directory; a dialog asks if left out.
        speed: seconds of contest time in a second; above 0.
        seed: makes chance repeatable.
        start: the bot's wall clock at the start; the machine's if left out.
        keys_per_minute: how fast the bot types within a line; its own pace if left out.

    Raises:
        NoChoice: if no directory was given and none was chosen.
        BadDirectory: if the path is not a directory, or can't be written.
        Surroundings: if the directory fails while the bot talks.
    """
    place = directory if directory is not None else browse()

    async def talk() -> None:
        with told_to_end() as end:
            async with DirectoryChannel(place, side=Side.OTHER) as channel:
                bot = make_bot(Context(random.Random(seed), wall_clock(start, speed)))
                if keys_per_minute is not None:
                    bot.pace = at_speed(bot.pace, keys_per_minute)
                typing = random.Random(None if seed is None else f"typing {seed}")
                runner = Runner(bot, channel, LoopClock(speed), rng=typing)
                running = asyncio.create_task(runner.run())
                ending = asyncio.create_task(end.wait())
                print(f"listening in {place}", flush=True)
                await asyncio.wait({running, ending}, return_when=asyncio.FIRST_COMPLETED)
                ending.cancel()
                if end.is_set():
                    running.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await running

    asyncio.run(talk())


def at_speed(pace: Pace, keys_per_minute: float) -> Pace:
    """A pace made faster or slower: gaps and pauses between words in proportion.

    Thought before a line, and the share of slips, stay as they are.

    Arguments:
        pace: how somebody types.
        keys_per_minute: the mean within a line of English words without slips; above 0.

    Returns:
        The same way of typing at that speed.
    """
    # The mean of a lognormal gap is above its median.
    mean = pace.gap * math.exp(pace.spread**2 / 2) + pace.word_pause / _WORD
    if mean <= 0:
        return dataclasses.replace(pace, gap=60 / keys_per_minute)
    factor = 60 / keys_per_minute / mean
    return dataclasses.replace(pace, gap=pace.gap * factor, word_pause=pace.word_pause * factor)


def main(make_bot: type[Bot], args: Sequence[str] | None = None) -> None:
    """Makes a script an entry: reads the command line, runs the bot, exits the process.

    Exit codes: 0 told to end, 1 the directory failed, 2 wrong use, an unusable directory, or a
    class that lacks a method.

    Arguments:
        make_bot: the bot's class.
        args: the words of the command line; the process's own if left out.
    """
    if missing := getattr(make_bot, "__abstractmethods__", None):
        print(
            f"{Path(sys.argv[0]).name}: the class {make_bot.__name__} has no {', '.join(missing)}: "
            "write `def reply(self, line)`, which gets a line of the judge's and returns what to "
            "say",
            file=sys.stderr,
        )
        sys.exit(2)

    @click.command(help=make_bot.summary or make_bot.__doc__)
    @entry_options
    def command(**options: Any) -> None:
        try:
            run_entry(make_bot, **options)
        except LPPError as exc:
            print(f"{Path(sys.argv[0]).name}: {exc}", file=sys.stderr)
            sys.exit(exc.exit_code)

    command.main(args=None if args is None else list(args))


def wall_clock(
    start: datetime.datetime | None, speed: float, seconds: Callable[[], float] = time.monotonic
) -> Callable[[], datetime.datetime]:
    """The contest's wall clock, from a moment on, running at a speed.

    Unlike `lpp.clock` it may be read from any thread, for bots answer in threads of their own.

    Arguments:
        start: what it shows now; the machine's local time if left out.
        speed: its seconds in a second.
        seconds: a monotonic clock.

    Returns:
        A function that gives the local time without a zone.
    """
    if start is None and speed == 1.0:
        return datetime.datetime.now
    first = (start if start is not None else datetime.datetime.now()).replace(tzinfo=None)
    origin = seconds()

    def now() -> datetime.datetime:
        return first + datetime.timedelta(seconds=(seconds() - origin) * speed)

    return now


@contextlib.contextmanager
def told_to_end() -> Iterator[asyncio.Event]:
    """An event that Ctrl-C, or a request to terminate, sets while the context lasts."""
    loop = asyncio.get_running_loop()
    end = asyncio.Event()
    signals = (signal.SIGTERM, signal.SIGINT)
    before = [signal.getsignal(number) for number in signals]
    for number in signals:
        try:
            loop.add_signal_handler(number, end.set)
        except NotImplementedError:
            # Windows' loops have no handlers of their own.
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(end.set))
    try:
        yield end
    finally:
        for number, handler in zip(signals, before, strict=True):
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(number)
            signal.signal(number, handler)


def _above_zero(value: float | None) -> float | None:
    if value is not None and not 0 < value <= FASTEST:
        raise click.BadParameter(f"{value:g} is out of range; give a number above 0 to {FASTEST:g}")
    return value


def _moment(text: str | None) -> datetime.datetime | None:
    if text is None:
        return None
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not a date and time such as 2010-10-23T09:30"
        ) from None
