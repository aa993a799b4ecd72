"""Runs the code of games, which models and strangers wrote, in processes without rights.

A program gets one process for all of its seeds. On Linux the kernel refuses it each call that
reaches a file, a socket or another process, and limits its memory (`disciplines.ige.child`); this
side limits its time and the size of what it says. docs/explanation/sandbox.md says what is and what
is not protected.
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
#: Seconds that a game may take for one seed, bytes of memory that it may have, and bytes of what it
#: may say for one seed.
TIME, MEMORY, SAYS = 10.0, 1 << 29, 1 << 20
#: Seconds that it may take for all seeds together, and for each of them beside that.
TOTAL, EACH = 120.0, 0.1
#: Processes at the same time, so that all of them together have an end, too.
AT_ONCE = min(os.cpu_count() or 1, 8)
#: Seconds for the process to start.
START = 60.0
FIELDS = ("flow", "deck", "community", "players")

State: TypeAlias = dict[str, list[str]]


class Played(NamedTuple):
    """A game that was played with one seed: its final state, or why there is none."""

    seed: int
    state: State | None
    error: str = ""


class Person(NamedTuple):
    """A person who plays.

    Attributes:
        ask: is called with what a player sees, of several lines with the question in the last one,
            and the player's id, and gives the answer.
        tell: is called with each line about the game that everybody may see.
        players: whom they play; all, if none is named. The others act at random.
    """

    ask: Callable[[str, str], str]
    tell: Callable[[str], None]
    players: tuple[str, ...] = ()


async def play(
    code: str,
    seeds: Sequence[int],
    *,
    time: float = TIME,
    unprotected: bool = False,
    person: Person | None = None,
) -> AsyncGenerator[Played, None]:
    """Plays a game with one seed after the other, in one process. The first error ends it.

    Arguments:
        code: the methods of the game, without indentation.
        seeds: of Python's `random`.
        time: seconds for each seed; a person has no limit.
        unprotected: also on a machine that can't confine programs.
        person: plays; without one all players act at random.

    Raises:
        EnvironmentProblem: if this machine can't confine a program.
    """
    with tempfile.TemporaryDirectory(prefix="ige-") as empty:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-S", "-B", str(CHILD)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=SAYS,
            cwd=empty,
            # A set of texts has the same order in each process.
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
            missing = await _hear(process, START)
            if not isinstance(missing, dict) or "missing" not in missing:
                raise EnvironmentProblem(f"the sandbox does not start: {missing}")
            if missing["missing"] and not unprotected:
                raise EnvironmentProblem(
                    f"this machine can't confine a program ({'; '.join(missing['missing'])}); use "
                    "Linux, or --unprotected for code that you trust"
                )
            end = monotonic() + TOTAL + EACH * len(seeds)
            for seed in seeds:
                left = min(time, end - monotonic())
                played = await _result(process, seed, None if person else left, person)
                yield played
                if played.state is None:
                    return
        finally:
            # process.kill() would look for the exit code, which asyncio then misses.
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
    """The beginning of what a game said, such as can be stored and shown."""
    return str(what)[:500].encode("utf-8", "replace").decode()


def program(code: str) -> str:
    """The complete program of a game, but for its seed: a class made of its methods."""
    lines = (f"    {line}" if line.strip() else "" for line in code.splitlines())
    return "class CustomGame(GameBase):\n" + "\n".join(lines) + "\n"


async def _send(process: asyncio.subprocess.Process, what: Any) -> None:
    assert process.stdin is not None
    with suppress(ConnectionError):  # it has ended: reading from it says so
        process.stdin.write(json.dumps(what).encode() + b"\n")
        await process.stdin.drain()


async def _hear(process: asyncio.subprocess.Process, time: float | None) -> dict[str, Any] | str:
    """A line of the process, or what is wrong, in words."""
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), time)
    except TimeoutError:
        return "no result within the time limit"
    except ValueError:
        return f"said more than {SAYS >> 20} MB"
    if not line.endswith(b"\n"):
        code = await process.wait()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"the process ended ({how})"
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        said = None
    return said if isinstance(said, dict) else "said something that is not a result"


async def _result(
    process: asyncio.subprocess.Process, seed: int, time: float | None, person: Person | None
) -> Played:
    while True:
        said = await _hear(process, time)
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
                return Played(seed, None, "said something that is not a state")
            return Played(seed, state)
