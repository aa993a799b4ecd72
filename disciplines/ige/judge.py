"""The verdict on a turn's code and the four code metrics (seed 002; disciplines/ige.md, 4)."""

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
from disciplines.ige.sandbox import AT_ONCE, FIELDS, TIME, Played, play, play_all, shown

#: The seeds that verdicts rest on, if nothing else is said. The original draws 40 of 10,000.
SEEDS = range(40)


class Verdict(NamedTuple):
    """Whether a program runs, and ends in the same states as the game.

    Attributes:
        executed: whether both ran with every seed up to the first difference.
        correct: whether all states are equal.
        first_seed: the first seed that failed or differed; None where all is well.
        first_field: the first field of the state that differs.
        error: what was raised, or how the program ended.
        expected, found: the first part of the field that differs.
    """

    executed: bool
    correct: bool
    first_seed: int | None = None
    first_field: str | None = None
    error: str | None = None
    expected: str | None = None
    found: str | None = None


#: Of code that is the game's own.
RIGHT = Verdict(True, True)


@dataclass
class Judge:
    """Judges programs by playing them beside a game, the ground truth.

    Attributes:
        seeds: to play with.
        time: seconds for each seed.
        unprotected: run code also where it can't be confined.
    """

    game: Game
    seeds: Sequence[int] = SEEDS
    time: float = TIME
    unprotected: bool = False
    _truth: list[Played] | None = None

    async def of_snippet(self, snippet: str) -> Verdict:
        """The verdict on methods that are put behind those of the game, so that they hold."""
        if snippet.strip():
            return await self.of_program(f"{self.game.code}\n\n{snippet}")
        failed = [each for each in await self._states() if each.state is None]
        return self._fails(failed[0]) if failed else RIGHT

    async def of_program(self, code: str) -> Verdict:
        """The verdict on the methods of a whole game.

        Raises:
            EnvironmentProblem: if this machine can't confine a program.
        """
        games = play(code, self.seeds, time=self.time, unprotected=self.unprotected)
        async with aclosing(games):
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
        return RIGHT

    async def _states(self) -> list[Played]:
        if self._truth is None:
            self._truth = await play_all(self.game.code, self.seeds, self.unprotected)
        return self._truth

    @staticmethod
    def _fails(played: Played) -> Verdict:
        return Verdict(False, False, played.seed, error=f"the game itself fails: {played.error}")


def _difference(right: Sequence[str], other: Sequence[str]) -> tuple[str, str]:
    """The first items that differ, each with its position."""
    pairs = enumerate(zip_longest(right, other))
    at, differ = next((at, both) for at, both in pairs if both[0] != both[1])
    expected, found = ("the end" if each is None else shown(each) for each in differ)
    return f"item {at}: {expected}", f"item {at}: {found}"


def in_words(verdict: Verdict) -> str:
    """A verdict in a line for people; it quotes the game."""
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
        code: its methods; empty where it has none, which is right by itself.
        verdict: on the game with these methods.
    """

    code: str
    verdict: Verdict

    @property
    def counts(self) -> bool:
        """Whether it is a function to count: a configuration that is not complete yet is not."""
        return self.verdict.executed or "def config(self)" not in self.code

    @property
    def methods(self) -> list[str]:
        """The methods that its text defines."""
        return methods_of(self.code)


class JudgedGame(NamedTuple):
    """The turns of a dialogue, and the verdict on the game that they make together."""

    turns: list[JudgedTurn]
    whole: Verdict


async def judge_dialogues(
    games: Sequence[Game],
    seeds: Sequence[int] = SEEDS,
    *,
    time: float = TIME,
    unprotected: bool = False,
) -> list[JudgedGame]:
    """Judges each turn of each dialogue and each finished game, several at once.

    Arguments:
        games: with their histories; those without one are left out.
        seeds, time, unprotected: see `Judge`.

    Raises:
        EnvironmentProblem: if this machine can't confine a program.
    """
    at_once = asyncio.Semaphore(AT_ONCE)

    async def wait_for(verdict: Awaitable[Verdict]) -> Verdict:
        async with at_once:
            return await verdict

    async def judge(game: Game) -> JudgedGame:
        one = Judge(game, seeds, time=time, unprotected=unprotected)
        codes = [turn.code for turn in turns_of(game)]
        await wait_for(one.of_snippet(""))  # plays the game itself, once for all
        verdicts = (*map(one.of_snippet, codes), one.of_program("\n".join(codes)))
        *of_turns, whole = await asyncio.gather(*map(wait_for, verdicts))
        return JudgedGame([*map(JudgedTurn, codes, of_turns)], whole)

    return list(await asyncio.gather(*(judge(game) for game in games if game.history)))


class Shares(NamedTuple):
    """Shares of counted turns that executed and that were correct, and how many counted."""

    f_esr: float
    f_acc: float
    turns: int


def shares_of(turns: Sequence[JudgedTurn]) -> Shares:
    """The shares of turns; 0 if none counts."""
    verdicts = [each.verdict for each in turns if each.counts]
    of = max(len(verdicts), 1)
    executed = sum(each.executed for each in verdicts) / of
    return Shares(executed, sum(each.correct for each in verdicts) / of, len(verdicts))


class Metrics(NamedTuple):
    """The four code metrics, as shares from 0 to 1.

    Attributes:
        esr, acc: games that execute, and whose states are all equal.
        turns: means over the games of the shares of their turns; turns without code are right.
        with_code: the same of turns with code alone. The original has no such number.
        methods: name to the shares of all turns, of every game, that define it.
    """

    esr: float
    acc: float
    turns: Shares
    with_code: Shares
    methods: dict[str, Shares]

    @classmethod
    def of(cls, games: Sequence[JudgedGame]) -> Metrics:
        """Counts the verdicts on games; at least one."""
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
