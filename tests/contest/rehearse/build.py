"""A small contest to rehearse, and its players."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from contest.rehearse.loop import VirtualLoop
from contest.rehearse.play import parse_faults, rehearse
from contest.rehearse.players import EntryProgram, MakeConsole, MakeProgram
from contest.rehearse.report import RehearsalReport
from contest.setup import folder as folders
from contest.setup.settings import EntryTable, Settings
from loebner.rehearse import console
from lpp.channel import DirectoryChannel
from lpp.names import keys_of

#: The program's answer to every line.
SAYS = "I see. Go on.\n"


_T = TypeVar("_T")


def run(work: Coroutine[Any, Any, _T]) -> _T:
    """Runs a coroutine on a virtual clock."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)


def make(place: Path, *, people: int = 3, rounds: int = 1, minutes: int = 4) -> Path:
    """A contest's folder.

    Arguments:
        place: its path.
        people: the number of judges, of entries and of confederates.
        rounds, minutes: the number of rounds, and the minutes of each interaction.
    """
    numbers = range(1, people + 1)
    # A rehearsal must not use this database, which can't be opened.
    text = f"""
record = {{ database = "sqlite:////nowhere/contest.db", copy_to = "copy.db" }}
[contest]
name = "Small Contest"
date = 2026-10-23
start = 09:30:00
[rules]
rounds = {rounds}
interaction_minutes = {minutes}
scoring_minutes = 2
ranking_minutes = 3
"""
    for table, letter in (("judge", "J"), ("entry", "E"), ("confederate", "C")):
        text += "".join(f'[[{table}]]\nid = "{letter}{n}"\n' for n in numbers)
    folders.make(place, text)
    return place


async def answers(keys: DirectoryChannel, life: int) -> None:
    """A program that gives every line the same answer."""
    async for received in keys:
        if received.press.key == "Return":
            for key in keys_of(SAYS):
                await asyncio.sleep(0.12)
                await keys.send(key)


def program(settings: Settings, entry: EntryTable) -> EntryProgram:
    """A program that answers."""
    return EntryProgram(f"answers as {entry.id}", answers)


def play(
    place: Path,
    faults: str | None = "none",
    *,
    seed: int = 1,
    console: MakeConsole = console,
    program: MakeProgram = program,
    out: Path | None = None,
) -> RehearsalReport:
    """Rehearses a contest."""
    names = parse_faults(faults)
    return rehearse(place, console, program, names, seed=seed, version="test", out=out)
