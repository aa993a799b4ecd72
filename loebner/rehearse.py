"""`loebner rehearse`: plays the contest with scripted people and faults, on a virtual clock.

It passes the players to `contest.rehearse`: the consoles of judges and confederates, with
connections in memory, and the bundled bots in this process.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import random
from functools import partial
from importlib.metadata import version
from pathlib import Path

import click

from bots.bot import Context
from bots.entry import wall_clock
from bots.registry import BOTS, find
from bots.runner import Runner
from contest.rehearse.play import parse_faults
from contest.rehearse.play import rehearse as play_rehearsal
from contest.rehearse.players import Connect, EntryProgram
from contest.rehearse.report import clock
from contest.setup.settings import EntryTable, Settings
from judge_console.client import SeatClient
from judge_console.memory import KeyMemory
from loebner.options import json_option, print_json
from lpp.channel import DirectoryChannel
from lpp.clock import LoopClock
from lpp.program import split

#: The default seed.
SEED = 2010


@click.command(epilog="Exit code: 0 all checks passed, 1 a check failed, 2 no contest to rehearse.")
@click.argument("contest", type=click.Path(path_type=Path))
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=SEED,
    show_default=True,
    help="Random seed for sides, faults, and what people and programs say.",
)
@click.option(
    "--faults",
    metavar="LIST",
    help="The faults to inject, separated by commas, or none.  [default: all]",
)
@json_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Keep the rehearsal as a contest folder in this new or empty directory.",
)
def rehearse(
    contest: Path,
    seed: int,
    faults: str | None,
    as_json: bool,
    out: Path | None,
) -> int:
    """Rehearse the contest of the folder CONTEST, with its names, schedule and times.

    Scripted judges and confederates and the bundled bots play all rounds on a virtual clock, in
    less than a minute, while programs die, links drop, the disk fills up and the server is killed.
    At the end, what everybody saw is compared with the record. Changes nothing in CONTEST.
    """

    def tell(seconds: float, words: str) -> None:
        if not as_json:
            click.echo(f"{clock(seconds):>8}  {words}")

    report = play_rehearsal(
        contest,
        console,
        partial(program, seed),
        parse_faults(faults),
        seed=seed,
        version=f"loebner {version('loebner')} rehearse, seed {seed}",
        out=out,
        tell=tell,
    )
    if as_json:
        print_json(report)
    else:
        click.echo()
        for line in report.lines():
            click.echo(line)
    return 0 if report.ok else 1


def console(seat: str, connect: Connect, folder: Path) -> SeatClient:
    """A console at a rehearsal's server.

    Arguments:
        seat: the seat's id.
        connect: connects to it.
        folder: where the seat's own keys are stored in case of a crash.
    """
    return SeatClient(
        f"the rehearsal, {seat}",
        seat,
        client="rehearsal",
        monotonic=lambda: asyncio.get_running_loop().time(),
        memory=KeyMemory(folder),
        connection=connect,
    )


def program(seed: int, settings: Settings, entry: EntryTable) -> EntryProgram:
    """The bundled bot that plays an entry: its own, or another one in its place.

    Arguments:
        seed: the random seed for what it says.
        settings: the contest's settings.
        entry: the entry.
    """
    at = settings.contest
    begins = dt.datetime.combine(at.date or dt.date(2010, 10, 23), at.start or dt.time(9, 30))
    try:
        words = split(entry.command)
    except ValueError:
        words = []
    own = words[:2] == ["loebner", "bot"] and words[2:3] and words[2] in BOTS
    bot = words[2] if own else list(BOTS)[settings.entry.index(entry) % len(BOTS)]
    name = f"loebner bot {bot}" + ("" if own else ", in its place")
    return EntryProgram(name, partial(_live, bot, f"{seed}/{entry.id}", begins))


async def _live(
    bot: str, seed: str, begins: dt.datetime, keys: DirectoryChannel, life: int
) -> None:
    """One life of a bundled bot."""
    loop = asyncio.get_running_loop()
    context = Context(random.Random(f"{seed}/{life}"), wall_clock(begins, 1.0, loop.time))
    typing = random.Random(f"typing {seed}/{life}")

    async def call(function):  # type: ignore[no-untyped-def]
        return function()  # on the loop's thread: thinking takes no time on a virtual clock

    await Runner(find(bot)(context), keys, LoopClock(), rng=typing, call=call).run()
