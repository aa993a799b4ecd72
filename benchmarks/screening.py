"""16 entries asked 20 questions each, in parallel, at ten times the speed, compared with the
slowest alone.

Everything except the speed is real: a process for each entry, directories in memory, each key on
record. The entry that took longest among all is then asked alone; the paper, the typing and the
seeds are the same. At ten times the speed, ten entries load the machine as a hundred do in a
season.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.report import Row
from contest.screening.ask import AskingOptions, Subject, ask, on_this_machine, set_paper
from contest.screening.paper import Paper
from contest.screening.questions import Counts, make
from contest.screening.season import Season
from contest.setup import folder
from lpp.clock import LoopClock

NAME = "screening"
BOTS = ("screening", "therapist", "aiml", "retrieval")
#: The seed of the paper, the typing and the entries.
SEED = 2010


@dataclass
class _Times:
    """Notes when sittings begin and end, in seconds."""

    began_at: dict[str, float] = field(default_factory=dict)
    took: dict[str, float] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def hear(self, subject: str, what: str, _done: int) -> None:
        if what == "begins":
            self.began_at[subject] = time.perf_counter()
        elif what == "ended":
            self.took[subject] = time.perf_counter() - self.began_at[subject]


def run(*, entries: int = 16, questions: int = 20, speed: float = 10.0) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        entries: how many, all in parallel.
        questions: how many the paper has; a multiple of 4.
        speed: how many times faster than real time they are asked.
    """
    each = questions // 4
    paper = make(SEED, Counts(each, each, each, each))
    commands = [
        f"loebner bot {BOTS[nth % len(BOTS)]} --dir {{dir}} --speed {speed:g} --seed {nth}"
        for nth in range(entries)
    ]
    subjects = [Subject(f"E{nth}", command) for nth, command in enumerate(commands, 1)]
    wall, times, note = _asked(paper, subjects, speed)
    slowest = max(times.took, key=times.took.__getitem__)
    alone, _, _ = _asked(paper, [s for s in subjects if s.id == slowest], speed)
    return [
        Row(
            benchmark=NAME,
            what=f"{entries} entries x {questions} questions in parallel, and the slowest alone",
            measured=wall,
            unit="s",
            baseline=alone,
            note=f"at {speed:g} times the speed; {note}",
        )
    ]


def _asked(paper: Paper, subjects: Sequence[Subject], speed: float) -> tuple[float, _Times, str]:
    """Asks all in parallel; returns the seconds in all, the times of each, and a note."""
    times = _Times()
    with tempfile.TemporaryDirectory(prefix="loebner-benchmark-") as scratch:
        place = Path(scratch) / "contest"
        folder.make(place)
        with Season(place) as season:
            asked = set_paper(season, paper, typing_seed=SEED)
            began = time.perf_counter()

            async def put() -> None:
                way = AskingOptions(
                    LoopClock(speed), on_this_machine, len(subjects), local=dt.datetime.now
                )
                times.failures = await ask(season, asked, subjects, way, times.hear)

            asyncio.run(put())
            wall = time.perf_counter() - began
            found = [each.answers(paper) for each in season.state.sittings.values()]
    of = len(paper.questions)
    whole = sum(len(answers) == of for answers in found)
    answered = sum(answer.how == "quiet" for answers in found for answer in answers.values())
    note = (
        f"{answered} of {len(subjects) * of} questions answered"
        if whole == len(subjects) and not times.failures
        else f"LOST: {len(subjects) - whole} sittings are incomplete {times.failures}"
    )
    return wall, times, note
