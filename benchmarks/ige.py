"""A dialogue of 12 turns, judged with 40 seeds in the sandbox, compared with as many games played
outside it.

The game and the dialogue are those of `loebner ige demo`. Each turn has one process for all seeds.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.report import Row, Target
from disciplines.folders import prepare
from disciplines.ige import base
from disciplines.ige.games import Game, Message, read_games, turn_of
from disciplines.ige.judge import judge_dialogues
from disciplines.ige.sandbox import AT_ONCE, program

NAME = "ige"


def run(*, seeds: int = 40, turns: int = 12) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        seeds: the number of seeds with which each turn is judged.
        turns: the number of turns in the dialogue; each defines methods without a mistake.
    """
    with tempfile.TemporaryDirectory() as folder:
        prepare("ige", demo := Path(folder, "demo"), "demo")
        game = read_games(demo / "games.jsonl")[0]
        answers = sorted(
            (demo / "answers").glob("careful_0_*"), key=lambda file: (len(file.name), file.name)
        )
        said = [file.read_text("utf-8") for file in answers]
    # Without the first turns: an incomplete configuration fails with the first seed, which takes no
    # time.
    whole = [text for text in said if turn_of(text).code][4:]
    history = [Message("assistant", whole[number % len(whole)]) for number in range(turns)]
    began = time.perf_counter()
    dialogue = Game(game.script, game.code, tuple(history))
    (judged,) = asyncio.run(judge_dialogues([dialogue], range(seeds)))
    wall = time.perf_counter() - began
    right = sum(turn.verdict.correct for turn in judged.turns)
    began = time.perf_counter()
    for _ in range(turns + 2):  # the game itself, and the finished one
        for seed in range(seeds):
            _bare(game.code, seed)
    return [
        Row(
            benchmark=NAME,
            what=f"a dialogue of {turns} turns, {seeds} seeds",
            measured=wall,
            unit="s",
            baseline=time.perf_counter() - began,
            target=Target(20.0, ratio=False),
            note=f"{right} of {turns} turns right; {AT_ONCE} processes at once",
        )
    ]


def _bare(code: str, seed: int) -> None:
    """Plays one of the games in this process."""
    names: dict[str, Any] = dict(vars(base))
    random.seed(seed)
    exec(compile(program(code), "<game>", "exec"), names)
    names["CustomGame"]().play(auto=True)
