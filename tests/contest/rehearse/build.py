"""A small contest to rehearse, and its players."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from contest.rehearse.play import parse_faults, rehearse
from contest.rehearse.players import Cast, EntryProgram
from contest.rehearse.report import RehearsalReport
from contest.setup import folder as folders
from contest.setup.settings import EntryTable, Settings
from loebner.rehearse import RehearsalConsole
from lpp.channel import DirectoryChannel
from lpp.names import keys_of

#: The program's answer to every line.
SAYS = "I see. Go on.\n"


def make(place: Path, *, people: int = 3, rounds: int = 1, minutes: int = 4) -> Path:
    """A contest's folder.

    Arguments:
        place: its path.
        people: the number of judges, of entries and of confederates.
        rounds, minutes: the number of rounds, and the minutes of each interaction.
    """
    numbers = range(1, people + 1)
    text = f"""
[contest]
name = "Small Contest"
date = 2026-10-23
start = 09:30:00
[rules]
rounds = {rounds}
interaction_minutes = {minutes}
scoring_minutes = 2
ranking_minutes = 3
[record]
database = ""
copy_to = "copy.db"
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


def cast(settings: Settings, seed: int) -> Cast:
    """The usual consoles, and programs that answer."""
    return Cast(RehearsalConsole, lambda entry: EntryProgram(f"answers as {entry.id}", answers))


def cast_with(live: Callable[[EntryTable], EntryProgram]) -> Callable[[Settings, int], Cast]:
    """The usual consoles, with other programs."""
    return lambda settings, seed: Cast(RehearsalConsole, live)


def play(
    place: Path,
    faults: str | None = "none",
    *,
    seed: int = 1,
    cast: Callable[[Settings, int], Cast] = cast,
    out: Path | None = None,
) -> RehearsalReport:
    """Rehearses a contest."""
    return rehearse(place, cast, parse_faults(faults), seed=seed, program="test", out=out)
