"""Runs a bot as an entry: a process that talks in a communications directory.

`main(MyBot)` at the end of a script makes the script an entry with the options of
`loebner bot`; `run_entry` does the same as a function.
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
        help="The communications directory. If omitted, a dialog asks for it.",
    ),
    click.option(
        "--speed",
        type=float,
        callback=lambda _ctx, _param, value: _above_zero(value),
        default=1.0,
        show_default=True,
        help="Make the bot wait and type this many times faster.",
    ),
    click.option("--seed", type=int, help="Random seed, to make the bot's behaviour repeatable."),
    click.option(
        "--clock",
        "start",
        metavar="ISO-DATETIME",
        callback=lambda _ctx, _param, value: _moment(value),
        help="The time on the bot's clock at its start, such as 2010-10-23T09:30. Default: now.",
    ),
    click.option(
        "--keys-per-minute",
        type=float,
        metavar="N",
        callback=lambda _ctx, _param, value: _above_zero(value),
        help="The average typing speed within a line. Default: the bot's own pace.",
    ),
)

#: The upper limit for --keys-per-minute and for --speed.
FASTEST = 60_000.0

#: The average length of an English word with the space after it: for the average of a pace.
_WORD = 5.5


def entry_options(command: _F) -> _F:
    """Decorates a click command with the options of an entry: `directory`, `speed`, `seed`,
    `start` and `keys_per_minute`, as `run_entry` expects them."""
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
    """Runs a bot until the process gets a signal to end (SIGTERM, SIGINT, Ctrl-C).

    Prints `listening in DIR` on standard output once the bot listens.

    Arguments:
        make_bot: makes the bot: its class, or a function that takes its context.
        directory: the communications directory; if None, a dialog asks for it.
        speed: seconds of contest time per second; above 0.
        seed: makes the bot's random choices repeatable.
        start: the bot's wall clock at the start; the machine's time by default.
        keys_per_minute: how fast the bot types within a line; its own pace by default.

    Raises:
        NoChoice: if no directory was given, and the user chose none.
        BadDirectory: if the path is not a directory, or can't be written.
        EnvironmentProblem: if the directory fails while the bot talks.
    """
    place = directory if directory is not None else browse()

    async def talk() -> None:
        with termination_event() as end:
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
    """Makes a pace faster or slower by scaling the gaps and the pauses between words.

    The thought before a line and the share of slips don't change.

    Arguments:
        pace: the pace to change.
        keys_per_minute: the average within a line of English words without slips; above 0.

    Returns:
        The same pace at that speed.
    """
    # The mean of a lognormal gap is larger than its median.
    mean = pace.gap * math.exp(pace.spread**2 / 2) + pace.word_pause / _WORD
    if mean <= 0:
        return dataclasses.replace(pace, gap=60 / keys_per_minute)
    factor = 60 / keys_per_minute / mean
    return dataclasses.replace(pace, gap=pace.gap * factor, word_pause=pace.word_pause * factor)


def main(make_bot: type[Bot], args: Sequence[str] | None = None) -> None:
    """Makes a script an entry: reads the command line, runs the bot, exits the process.

    Exit codes: 0 ended by a signal, 1 the directory failed, 2 usage error, an unusable directory,
    or a class that lacks a method.

    Arguments:
        make_bot: the bot's class.
        args: the command-line arguments; by default those of this process.
    """
    if missing := getattr(make_bot, "__abstractmethods__", None):
        print(
            f"{Path(sys.argv[0]).name}: the class {make_bot.__name__} has no {', '.join(missing)}: "
            "write `def reply(self, line)`, which gets a line from the judge and returns what to "
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
    """The contest's wall clock, which starts at a given time and runs at a given speed.

    Unlike `lpp.clock`, it may be read from any thread, because bots answer in separate threads.

    Arguments:
        start: the time that it shows now; the machine's local time by default.
        speed: its seconds per second.
        seconds: a monotonic clock.

    Returns:
        A function that returns the local time without a zone.
    """
    if start is None and speed == 1.0:
        return datetime.datetime.now
    first = (start if start is not None else datetime.datetime.now()).replace(tzinfo=None)
    origin = seconds()

    def now() -> datetime.datetime:
        return first + datetime.timedelta(seconds=(seconds() - origin) * speed)

    return now


@contextlib.contextmanager
def termination_event() -> Iterator[asyncio.Event]:
    """An event that Ctrl-C or a termination signal sets while this context is active."""
    loop = asyncio.get_running_loop()
    end = asyncio.Event()
    signals = (signal.SIGTERM, signal.SIGINT)
    before = [signal.getsignal(number) for number in signals]
    for number in signals:
        try:
            loop.add_signal_handler(number, end.set)
        except NotImplementedError:
            # Loops on Windows don't support signal handlers.
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
        raise click.BadParameter(
            f"{value:g} is out of range; give a number above 0, at most {FASTEST:g}"
        )
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
