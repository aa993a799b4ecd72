"""ChatGPT4PCG: levels per second by their number of blocks, and scoring by teams and trials.

The target: 90 levels of a contest, with four blocks on average, take less than 2 s on one core.
The programs are ours: small blocks in columns side by side, four blocks in one column. They are
built, written as XML, read, and simulated for ten seconds of the game. Processor time is measured,
because nothing here waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import product
from random import Random

from benchmarks.report import Row, Target
from disciplines.chatgpt4pcg import picture, scoring
from disciplines.chatgpt4pcg.editions import EDITIONS
from disciplines.chatgpt4pcg.level import build, read_xml, to_xml
from disciplines.chatgpt4pcg.physics import Stability, stability
from disciplines.standing import bootstrap
from scheduler.texts import counted

NAME = "levels"
EDITION = EDITIONS["2023"]


def run(
    *,
    blocks: tuple[int, ...] = (1, 4, 16, 64, 320),
    sizes: tuple[tuple[int, int], ...] = ((16, 10), (100, 10), (16, 100), (100, 100)),
    levels: int = 90,
) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        blocks: the numbers of blocks in a level.
        sizes: the numbers of teams, and of trials for each of the 26 letters.
        levels: the number of levels in the contest.
    """
    small = [_program(4, shift) for shift in range(17)]
    took = _seconds(lambda: [_measured(small[n % 17]) for n in range(levels)])
    target = Target(2, ratio=False)
    rows = [Row(NAME, f"{levels} levels of 4 blocks", took, "s", target=target)]
    for size in blocks:
        for what, seconds in _stages(_program(size)):
            note = f"{1 / seconds:,.1f} a second"
            words = f"{counted(size, 'block')}, {what}"
            rows.append(Row(NAME, words, 1000 * seconds, "ms", note=note, line=what, size=size))
    for teams, trials in sizes:
        held = list(_trials(teams, trials))
        words = f"{teams} teams, {trials} trials of each letter"
        took = _seconds(lambda h=held, n=trials: scoring.score(h, replace(EDITION, trials=n)))  # type: ignore[misc]
        rows.append(Row(NAME, f"{words}, scored", took, "s", line="scored", size=len(held)))
    teams, trials = sizes[0]
    held, edition = list(_trials(teams, trials)), replace(EDITION, trials=trials)
    places = scoring.places(scoring.score(held, edition), edition)
    draw = scoring.resampler(held, edition)
    took = _seconds(lambda: bootstrap(draw, places, draws=100))
    rows.append(Row(NAME, f"{teams} teams, {trials} trials, 100 resamples", took, "s"))
    return rows


def _program(blocks: int, shift: int = 0) -> str:
    """A program that stacks small blocks side by side."""
    columns = min(20, -(-blocks // 4)) if blocks < 80 else 20
    drops = ((shift + n % columns) % 20 for n in range(blocks))
    return "".join(f"ab_drop('b11', {column})\n" for column in drops)


def _measured(program: str) -> Stability:
    return stability(read_xml(to_xml(build(program, EDITION)).encode(), "level.xml"))


def _stages(program: str) -> Iterator[tuple[str, float]]:
    level = build(program, EDITION)
    text = to_xml(level).encode()
    found = stability(level.blocks)
    yield "built and written", _seconds(lambda: to_xml(build(program, EDITION)))
    yield "read and simulated", _seconds(lambda: stability(read_xml(text, "level.xml")))
    yield "drawn", _seconds(lambda: picture.as_png(picture.silhouette(found.after)))


def _trials(teams: int, trials: int) -> Iterator[scoring.Trial]:
    random = Random(teams)
    for team, letter, number in product(range(teams), EDITION.letters, range(1, trials + 1)):
        stability = Decimal(random.randrange(9)) / 8
        similarity = Decimal(repr(random.random()))
        yield scoring.Trial(f"team {team}", letter, number, stability, similarity)


def _seconds(do: Callable[[], object]) -> float:
    """The processor time of a call in seconds; quick calls are repeated."""
    before, calls = time.process_time(), 0
    while not calls or time.process_time() - before < 0.1:
        do()
        calls += 1
    return (time.process_time() - before) / calls
