"""`loebner practice`: an entrant plays the judge against a bot, with the wire log beside it."""

from __future__ import annotations

import asyncio
import contextlib
import math
import shlex
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import click
from rich.console import Console

from bots.entry import told_to_end
from bots.registry import BOTS, find
from loebner.practising import LOOK, Practice, Screen, by_keys, by_lines, prefixed
from lpp.directory import LocalDirectory, rooms_parent
from lpp.errors import LPPError
from lpp.numbers import ForgetfulNumbers
from lpp.program import Program

#: The bot that is talked to unless another is named: it needs no library.
DEFAULT_BOT = "therapist"
#: Seconds that a bundled bot, or a program of which nothing is known, has to say that it is
#: ready before the first key: a program that is silent loses nothing if it reads what stands there.
READY_BOT, READY_PROGRAM = 15.0, 2.0
#: Seconds in which a dying program's last keys come in.
LAST_KEYS = 0.3


class ProgramEnded(LPPError):
    """The program ended by itself while it was talked to."""

    exit_code = 1


@click.command(
    epilog="Exit code: 0 you ended it, 1 the program ended by itself, 2 usage error.",
)
@click.option(
    "--bot",
    "bot_name",
    metavar="NAME",
    help=f"A bundled bot: {', '.join(BOTS)}. Without anything else, {DEFAULT_BOT}.",
)
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The directory in which a program is already running.",
)
@click.option(
    "--quiet",
    metavar="SECONDS",
    type=float,
    default=5.0,
    show_default=True,
    callback=lambda _ctx, _param, value: _seconds(value),
    help="With piped input: seconds of silence that end a turn, and at the end the practice.",
)
@click.argument("words", metavar="[-- PROGRAM ARGS]", nargs=-1, type=click.UNPROCESSED)
def practice(
    bot_name: str | None, directory: Path | None, quiet: float, words: tuple[str, ...]
) -> None:
    """Play the judge against your bot, a bundled one, or one that is already running.

    On a terminal, each key that you type goes out at once, and the wire log runs beside the talk;
    Ctrl-D or Ctrl-C ends it. If standard input or output is not a terminal, it types the lines that
    it reads, and prints plain text.

    \b
        loebner practice -- python my_bot.py {dir}     ({dir}: a fresh directory)
        loebner practice --bot screening
        printf 'Hello.\\n' | loebner practice --quiet 3 -- ./my_bot {dir}
    """
    if sum((bot_name is not None, directory is not None, bool(words))) > 1:
        raise click.UsageError("give only one of --bot NAME, --dir DIR and -- PROGRAM ARGS")
    if directory is None and not words:
        bot_name = bot_name if bot_name is not None else DEFAULT_BOT
        find(bot_name)  # reports in one line what is wrong with it
        words = ("loebner", "bot", bot_name, "--dir", "{dir}")
    name = bot_name or (directory.name if directory is not None else _called(words))
    ready = READY_BOT if bot_name is not None else READY_PROGRAM
    asyncio.run(_practise(words, directory, name, ready, quiet))


def _called(words: tuple[str, ...]) -> str:
    """What a program is called: what starts it and its file, without paths and options."""
    told = [Path(word).name for word in words if "{dir}" not in word and not word.startswith("-")]
    return " ".join(told[:2])


async def _practise(
    words: tuple[str, ...], directory: Path | None, name: str, ready: float, quiet: float
) -> None:
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    with told_to_end() as end, _place(directory) as place:
        local = LocalDirectory(place)
        local.check()
        async with _started(words, place) as program:
            # A fresh directory is never seen again: its numbers need not be remembered.
            practice = Practice(local, program, ForgetfulNumbers() if directory is None else None)
            if on_terminal:
                console = Console()
                talking = partial(by_keys, practice, Screen(practice, name, console), console)
            else:
                practice.on_wire = lambda row: _print(prefixed("wire", row.line))
                talking = partial(by_lines, practice, sys.stdin.fileno(), quiet, _print)
            async with practice:
                if words and not any("{dir}" in word for word in words):
                    _print(
                        prefixed(
                            "note",
                            f"the command has no {{dir}}: choose {place} in the program yourself",
                        )
                    )
                if program is not None and not on_terminal:
                    await _spoken(program, ready)
                await _until_end(asyncio.create_task(talking()), end, practice)
                if on_terminal:
                    _print_closing(name, practice)
            died = practice.died
            if program is not None:
                ending = program.ending
                await program.stop()
                if died or not on_terminal:
                    for line in program.output.splitlines():
                        _print(prefixed("program", line))
                if died:
                    raise ProgramEnded(f"{shlex.join(program.words)} ended by itself: {ending}")


async def _until_end(talking: asyncio.Task[None], end: asyncio.Event, talk: Practice) -> None:
    """Waits until the talk has ended, the person ends it, or the program has died."""
    try:
        while not talking.done() and not end.is_set() and not talk.died:
            await asyncio.wait({talking}, timeout=LOOK)
        if talk.died and not talking.done():
            await asyncio.wait({talking}, timeout=LAST_KEYS)
    finally:
        talking.cancel()
        await asyncio.wait({talking})
    if not talking.cancelled():
        talking.result()


async def _spoken(program: Program, patience: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(patience):
            while program.running and not program.spoke:  # noqa: ASYNC110 -- another process's
                await asyncio.sleep(LOOK)


@contextlib.contextmanager
def _place(directory: Path | None) -> Iterator[Path]:
    """The directory of the talk: the one that was named, or a fresh one, removed at the end."""
    if directory is not None:
        yield directory
        return
    fresh = Path(tempfile.mkdtemp(prefix="loebner-practice-", dir=rooms_parent()))
    try:
        yield fresh
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


@contextlib.asynccontextmanager
async def _started(words: tuple[str, ...], place: Path) -> AsyncIterator[Program | None]:
    """The program, started; None where there is none to start."""
    if not words:
        yield None
        return
    program = Program(list(words), str(place))
    try:
        await program.start(lambda: None)
        yield program
    finally:
        await program.stop()
        program.close()


def _print_closing(name: str, talk: Practice) -> None:
    for who, pane in (("you", talk.you), (name, talk.entity)):
        for line in pane.text.splitlines():
            _print(f"{who}: {line}")
    for line in talk.advice():
        _print(line)
    _print(f"keys typed: {len(talk.you.typed)}, keys seen of {name}: {len(talk.entity.typed)}")


def _print(line: str) -> None:
    print(line, flush=True)


def _seconds(value: float) -> float:
    if not 0 < value < math.inf:
        raise click.BadParameter(f"{value:g} is not a time; give seconds above 0")
    return value
