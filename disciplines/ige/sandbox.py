"""Runs untrusted code of games in confined processes.

A program gets one process for all of its seeds. On Linux the kernel refuses each system call that
could reach a file, a socket or another process, and limits the memory (`disciplines.ige.child`).
This module limits the time and the size of the output. docs/explanation/sandbox.md lists what is
and isn't protected.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, TypeAlias

from contest.errors import EnvironmentProblem

CHILD = Path(__file__).with_name("child.py")
#: A game's limits: seconds for one seed, bytes of memory, and bytes of output for one seed.
TIME, MEMORY, OUTPUT = 10.0, 1 << 29, 1 << 20
#: The time limit for all seeds together, in seconds: a fixed part, and a part for each seed.
FIXED_TIME, TIME_PER_SEED = 120.0, 0.1
#: The most processes at the same time, which also limits their memory.
AT_ONCE = min(os.cpu_count() or 1, 8)
#: The time limit for the start of a process, in seconds.
START = 60.0
FIELDS = ("flow", "deck", "community", "players")

FinalState: TypeAlias = dict[str, list[str]]


class Played(NamedTuple):
    """A game played with one seed: its final state, or an error if it has none."""

    seed: int
    state: FinalState | None
    error: str = ""


class Person(NamedTuple):
    """A person who plays.

    Attributes:
        ask: takes a player's view, in several lines with the question in the last one, and the
            player's id; returns the answer.
        tell: called with each public line about the game.
        players: the ids of the players that the person plays; by default all. The others act at
            random.
    """

    ask: Callable[[str, str], str]
    tell: Callable[[str], None]
    players: tuple[str, ...] = ()


async def play(
    code: str,
    seeds: Sequence[int],
    *,
    unprotected: bool = False,
    person: Person | None = None,
) -> AsyncGenerator[Played, None]:
    """Plays a game with one seed after another, in one process, up to the first error.

    Arguments:
        code: the methods of the game, without indentation.
        seeds: the seeds for Python's `random`.
        unprotected: whether to run code even if this machine can't confine it.
        person: the person who plays, without a time limit; without one, all players act at random.

    Raises:
        EnvironmentProblem: if this machine can't confine a program.
    """
    with tempfile.TemporaryDirectory(prefix="ige-") as empty:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-S", "-B", str(CHILD)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=OUTPUT,
            cwd=empty,
            # Makes the order of a set of texts the same in each process.
            env={"PYTHONHASHSEED": "0"}
            | {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ},
        )
        try:
            request = {
                "source": program(code),
                "seeds": list(seeds),
                "memory": MEMORY,
                "parent": os.getpid(),
                "persons": None if person is None else list(person.players),
            }
            await _send(process, request)
            missing = await _receive(process, START)
            if not isinstance(missing, dict) or "missing" not in missing:
                raise EnvironmentProblem(f"the sandbox didn't start: {missing}")
            if missing["missing"] and not unprotected:
                raise EnvironmentProblem(
                    f"this machine can't confine a program ({'; '.join(missing['missing'])}); use "
                    "Linux, or --unprotected for code that you trust"
                )
            end = monotonic() + FIXED_TIME + TIME_PER_SEED * len(seeds)
            for seed in seeds:
                left = min(TIME, end - monotonic())
                played = await _result(process, seed, None if person else left, person)
                yield played
                if played.state is None:
                    return
        finally:
            # Don't call process.kill(): it may collect the exit code, which asyncio then misses.
            with suppress(OSError):
                if process.returncode is None:
                    os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            assert process.stdin is not None
            process.stdin.close()
            await process.wait()


async def play_all(code: str, seeds: Sequence[int], unprotected: bool = False) -> list[Played]:
    """Plays a game with all seeds, up to the first error; see `play`."""
    async with aclosing(play(code, seeds, unprotected=unprotected)) as games:
        return [each async for each in games]


def shown(what: object) -> str:
    """The beginning of a game's text, made safe to store and show."""
    return str(what)[:500].encode("utf-8", "replace").decode()


def program(code: str) -> str:
    """The complete program of a game: a class with its methods."""
    lines = (f"    {line}" if line.strip() else "" for line in code.splitlines())
    return "class CustomGame(GameBase):\n" + "\n".join(lines) + "\n"


async def _send(process: asyncio.subprocess.Process, what: Any) -> None:
    assert process.stdin is not None
    with suppress(ConnectionError):  # the process has ended; the next read reports it
        process.stdin.write(json.dumps(what).encode() + b"\n")
        await process.stdin.drain()


async def _receive(process: asyncio.subprocess.Process, time: float | None) -> dict[str, Any] | str:
    """A line from the process as JSON, or an error in words."""
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), time)
    except TimeoutError:
        return "no result within the time limit"
    except ValueError:
        return f"sent more than {OUTPUT >> 20} MB"
    if not line.endswith(b"\n"):
        code = await process.wait()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"the process ended ({how})"
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        said = None
    return said if isinstance(said, dict) else "sent something that is not a result"


async def _result(
    process: asyncio.subprocess.Process, seed: int, time: float | None, person: Person | None
) -> Played:
    while True:
        said = await _receive(process, time)
        if isinstance(said, str):
            return Played(seed, None, said)
        if person is not None and "question" in said:
            question, who = str(said["question"]), str(said.get("who"))
            await _send(process, person.ask(question, who))
        elif person is not None and "line" in said:
            person.tell(str(said["line"]))
        elif "error" in said:
            return Played(seed, None, shown(said["error"]))
        else:
            state = said.get("state")
            fits = (
                isinstance(state, dict)
                and sorted(state) == sorted(FIELDS)
                and all(
                    isinstance(each, list) and all(isinstance(text, str) for text in each)
                    for each in state.values()
                )
            )
            if not fits or said.get("seed") != seed:
                return Played(seed, None, "sent something that is not a state")
            return Played(seed, state)
