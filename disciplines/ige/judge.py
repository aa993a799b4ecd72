"""The verdict on a turn's code and the four code metrics (docs/reference/ige.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import zip_longest
from statistics import fmean
from typing import Any, NamedTuple

from disciplines.ige.base import METHODS
from disciplines.ige.games import Game, methods_of, turns_of
from disciplines.ige.sandbox import AT_ONCE, FIELDS, Played, play, play_all, shown

#: The default seeds for verdicts. The original program draws 40 out of 10,000.
SEEDS = range(40)
#: The maximum number of seeds.
MOST_SEEDS = 10_000


class Verdict(NamedTuple):
    """Whether a program runs, and ends in the same states as the game.

    Attributes:
        executed: whether both ran with every seed up to the first difference.
        correct: whether all states are equal.
        first_seed: the first seed with an error or a difference; None if it is correct.
        first_field: the first field of the state that differs.
        error: the exception, or how the program ended.
        expected, found: the first difference in this field.
    """

    executed: bool
    correct: bool
    first_seed: int | None = None
    first_field: str | None = None
    error: str | None = None
    expected: str | None = None
    found: str | None = None


#: The verdict on a correct program.
CORRECT = Verdict(True, True)


@dataclass
class Judge:
    """Judges programs by playing them beside a game, the ground truth.

    Attributes:
        seeds: the seeds to play with.
        unprotected: whether to run code even if this machine can't confine it.
    """

    game: Game
    seeds: Sequence[int] = SEEDS
    unprotected: bool = False
    _truth: list[Played] | None = None

    async def of_snippet(self, snippet: str) -> Verdict:
        """The verdict on methods that replace the game's own."""
        if snippet.strip():
            return await self.of_program(f"{self.game.code}\n\n{snippet}")
        failed = [each for each in await self._states() if each.state is None]
        return self._fails(failed[0]) if failed else CORRECT

    async def of_program(self, code: str) -> Verdict:
        """The verdict on a complete game.

        Raises:
            EnvironmentProblem: if this machine can't confine a program.
        """
        async with aclosing(play(code, self.seeds, unprotected=self.unprotected)) as games:
            for right in await self._states():
                if right.state is None:
                    return self._fails(right)
                played = await anext(games)
                if played.state is None:
                    return Verdict(False, False, played.seed, error=played.error)
                for name in FIELDS:
                    if played.state[name] != right.state[name]:
                        differs = _difference(right.state[name], played.state[name])
                        return Verdict(True, False, played.seed, name, None, *differs)
        return CORRECT

    async def _states(self) -> list[Played]:
        if self._truth is None:
            self._truth = await play_all(self.game.code, self.seeds, self.unprotected)
        return self._truth

    @staticmethod
    def _fails(played: Played) -> Verdict:
        return Verdict(False, False, played.seed, error=f"the requested game fails: {played.error}")


def _difference(right: Sequence[str], other: Sequence[str]) -> tuple[str, str]:
    """The first items that differ, each with its position."""
    pairs = enumerate(zip_longest(right, other))
    at, differ = next((at, both) for at, both in pairs if both[0] != both[1])
    expected, found = ("the end" if each is None else shown(each) for each in differ)
    return f"item {at}: {expected}", f"item {at}: {found}"


def in_words(verdict: Verdict) -> str:
    """A verdict as a line of text for people. It may quote the game."""
    if verdict.correct:
        return "correct"
    if not verdict.executed:
        return f"fails with seed {verdict.first_seed}: {verdict.error}"
    return (
        f"runs, but {verdict.first_field} differs with seed {verdict.first_seed}: "
        f"expected {verdict.expected}, found {verdict.found}"
    )


# The metrics


class JudgedTurn(NamedTuple):
    """A turn of the assistant: its code, and the verdict on it.

    Attributes:
        code: its methods; empty if it has none. A turn without code is correct.
        verdict: the verdict on the game with these methods.
    """

    code: str
    verdict: Verdict

    @property
    def counts(self) -> bool:
        """Whether the metrics count this turn: they leave out a configuration that isn't complete
        yet."""
        return self.verdict.executed or "def config(self)" not in self.code

    @property
    def methods(self) -> list[str]:
        """The names of the methods that its code defines."""
        return methods_of(self.code)


class JudgedGame(NamedTuple):
    """The turns of a dialogue, and the verdict on the finished game."""

    turns: list[JudgedTurn]
    whole: Verdict


async def judge_dialogues(
    games: Sequence[Game],
    seeds: Sequence[int] = SEEDS,
    *,
    unprotected: bool = False,
) -> list[JudgedGame]:
    """Judges each turn of each dialogue and each finished game, several at once.

    Arguments:
        games: the games with their dialogues; games without a dialogue are left out.
        seeds, unprotected: see `Judge`.

    Raises:
        EnvironmentProblem: if this machine can't confine a program.
    """
    at_once = asyncio.Semaphore(AT_ONCE)

    async def wait_for(verdict: Awaitable[Verdict]) -> Verdict:
        async with at_once:
            return await verdict

    async def judge(game: Game) -> JudgedGame:
        one = Judge(game, seeds, unprotected)
        codes = [turn.code for turn in turns_of(game)]
        await wait_for(one.of_snippet(""))  # plays the requested game once, for all verdicts
        verdicts = (*map(one.of_snippet, codes), one.of_program("\n".join(codes)))
        *of_turns, whole = await asyncio.gather(*map(wait_for, verdicts))
        return JudgedGame([*map(JudgedTurn, codes, of_turns)], whole)

    return list(await asyncio.gather(*(judge(game) for game in games if game.history)))


class Shares(NamedTuple):
    """The shares of counted turns that ran and that were correct, and the number of these turns."""

    f_esr: float
    f_acc: float
    turns: int


def shares_of(turns: Sequence[JudgedTurn]) -> Shares:
    """The shares of turns; 0 if no turn counts."""
    verdicts = [each.verdict for each in turns if each.counts]
    of = max(len(verdicts), 1)
    executed = sum(each.executed for each in verdicts) / of
    return Shares(executed, sum(each.correct for each in verdicts) / of, len(verdicts))


class Metrics(NamedTuple):
    """The four code metrics, as shares from 0 to 1.

    Attributes:
        esr, acc: the shares of finished games that run, and whose states are all equal.
        turns: the means over the games of the shares of their turns; a turn without code is
            correct.
        with_code: the same for turns with code only. The original has no such metric.
        methods: method to the shares of all turns, in all games, that define it.
    """

    esr: float
    acc: float
    turns: Shares
    with_code: Shares
    methods: dict[str, Shares]

    @classmethod
    def of(cls, games: Sequence[JudgedGame]) -> Metrics:
        """Computes the metrics of games. There must be at least one game."""
        every = [turn for game in games for turn in game.turns]
        return cls(
            fmean(game.whole.executed for game in games),
            fmean(game.whole.correct for game in games),
            _mean([shares_of(game.turns) for game in games]),
            _mean([shares_of([t for t in game.turns if t.code.strip()]) for game in games]),
            {name: shares_of([t for t in every if name in t.methods]) for name in METHODS},
        )

    def as_json(self) -> dict[str, Any]:
        """The document of `ige score --json`."""
        methods = {name: each._asdict() for name, each in self.methods.items() if each.turns}
        whole = {"esr": self.esr, "acc": self.acc, **self.turns._asdict()}
        return {**whole, "with_code": self.with_code._asdict(), "methods": methods}


def _mean(games: Sequence[Shares]) -> Shares:
    executed, correct, turns = zip(*games, strict=True)
    return Shares(fmean(executed), fmean(correct), sum(turns))
