"""Scores and ranks, in the decimal arithmetic of the official program, without I/O.

The official program uses bignumber.js: sums and products are exact, and quotients are rounded half
up to 20 decimals. This module computes the same numbers, digit for digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, Inexact
from functools import reduce
from itertools import product
from math import inf
from random import Random
from typing import NamedTuple

from disciplines.chatgpt4pcg.editions import Edition
from disciplines.standing import Entrant, Place, standing

#: For exact sums and products; rounding would be a bug of ours, and raises an error.
_EXACT = Context(prec=100_000, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])
#: The decimals of a quotient.
_DECIMALS = 20


class Item(NamedTuple):
    """The key of a trial: `trial` counts from 1, and `model` is empty if there is only one."""

    team: str
    letter: str
    trial: int
    model: str = ""

    @property
    def file(self) -> str:
        """The name of its files, without extension."""
        return f"{self.team}_{self.letter}_{self.trial}"

    @property
    def id(self) -> str:
        """Its id in the record."""
        return f"{self.model}/{self.file}" if self.model else self.file


class Trial(NamedTuple):
    """The measurements of one trial. Numbers count from 1; values are between 0 and 1.

    All trials of a team and a letter have the same diversity.
    """

    team: str
    character: str
    number: int
    stability: Decimal
    similarity: Decimal
    diversity: Decimal = Decimal(0)
    model: str = ""

    @property
    def item(self) -> Item:
        """The trial's key."""
        return Item(self.team, self.character, self.number, self.model)


class CharacterWeight(NamedTuple):
    """A letter's weight, which is the product of its weights for stability, similarity and
    diversity (None in 2023)."""

    character: str
    weight: Decimal
    stability: Decimal
    similarity: Decimal
    diversity: Decimal | None
    model: str = ""


class CharacterScore(NamedTuple):
    """A team's score for a letter, with its mean stability and similarity, and its diversity: None
    in 2023."""

    team: str
    character: str
    score: Decimal
    stability: Decimal
    similarity: Decimal
    diversity: Decimal | None
    model: str = ""


class Scores(NamedTuple):
    """All scores of a competition.

    Attributes:
        competition: the sum of all prompt scores.
        weights: the weights of each letter, for each model.
        trials: all trials with their scores; missing ones score 0.
        characters: the score of each team and letter, for each model.
        prompts: team to prompt score, summed over the models.
        norms: team to normalized prompt score, 0 to 100.
    """

    competition: Decimal
    weights: tuple[CharacterWeight, ...]
    trials: tuple[tuple[Trial, Decimal], ...]
    characters: tuple[CharacterScore, ...]
    prompts: dict[str, Decimal]
    norms: dict[str, Decimal]


def score(trials: Iterable[Trial], edition: Edition, teams: Sequence[str] = ()) -> Scores:
    """Scores all trials.

    Arguments:
        trials: in any order, at most one for each team, letter, number and model. A missing trial
            has stability 0 and similarity 0, and counts in every denominator.
        edition: the edition whose formulas, letters and number of trials are used.
        teams: all teams to score, in the order of the results; by default those of the trials.

    Raises:
        ValueError: if a trial occurs twice, or its team, letter or number is not one of these.
    """
    cells = _cells(trials, edition, teams)
    weights: list[CharacterWeight] = []
    scored: list[tuple[Trial, Decimal]] = []
    characters: list[CharacterScore] = []
    prompts = dict.fromkeys(cells.teams, Decimal(0))
    for model in cells.models:
        weight_of = {}
        for letter in edition.letters:
            weights.append(_weight(cells, model, letter, edition))
            weight_of[letter] = weights[-1].weight
        for team in cells.teams:
            of_team = []
            for letter in edition.letters:
                cell = cells.held[model, team, letter]
                values = [
                    _product(weight_of[letter], each.stability, each.similarity) for each in cell
                ]
                scored += zip(cell, values, strict=True)
                mean = _mean(values)
                diversity = cell[0].diversity if edition.diversity else None
                characters.append(
                    CharacterScore(
                        *(team, letter),
                        mean if diversity is None else _product(mean, diversity),
                        _mean([each.stability for each in cell]),
                        _mean([each.similarity for each in cell]),
                        *(diversity, model),
                    )
                )
                of_team.append(characters[-1].score)
            prompts[team] = _EXACT.add(prompts[team], _mean(of_team))
    competition = _sum(prompts.values())
    norms = {
        team: _product(_quotient(prompt, competition or Decimal(1)), Decimal(100))
        for team, prompt in prompts.items()
    }
    return Scores(competition, tuple(weights), tuple(scored), tuple(characters), prompts, norms)


class _Cells(NamedTuple):
    """All trials by model, team and letter, in the order of their numbers, none missing."""

    models: list[str]
    teams: list[str]
    held: dict[tuple[str, str, str], list[Trial]]


def _cells(trials: Iterable[Trial], edition: Edition, teams: Sequence[str]) -> _Cells:
    given = list(trials)
    held = {trial.item: trial for trial in given}
    models = list(dict.fromkeys(item.model for item in held)) or [""]
    names = list(dict.fromkeys(teams or (item.team for item in held)))
    whole: dict[tuple[str, str, str], list[Trial]] = {}
    for model, team, letter in product(models, names, edition.letters):
        items = [Item(team, letter, number, model) for number in range(1, edition.trials + 1)]
        diversity = next((held[item].diversity for item in items if item in held), Decimal(0))
        whole[model, team, letter] = [
            held.get(item) or Trial(*item[:3], Decimal(0), Decimal(0), diversity, model)
            for item in items
        ]
    stray = Counter(trial.item for trial in given)
    stray.subtract(trial.item for cell in whole.values() for trial in cell)
    for item, times in stray.items():
        if times > 0:
            raise ValueError(f"{item.id}: this trial occurs twice, or is not part of the contest")
    return _Cells(models, names, whole)


def _weight(cells: _Cells, model: str, letter: str, edition: Edition) -> CharacterWeight:
    """A letter's weight: the harder the letter was for all teams, the higher."""
    of_teams = [cells.held[model, team, letter] for team in cells.teams]
    column = [trial for cell in of_teams for trial in cell]
    least = _quotient(Decimal(1), Decimal(len(edition.letters)))

    def harder(values: Sequence[Decimal]) -> Decimal:
        return max(_EXACT.subtract(Decimal(1), _mean(values)), least)

    stability = harder([trial.stability for trial in column])
    similarity = harder([trial.similarity for trial in column])
    weight, diversity = _product(stability, similarity), None
    if edition.diversity:
        diversity = harder([cell[0].diversity for cell in of_teams])
        weight = _product(weight, diversity)
    return CharacterWeight(letter, weight, stability, similarity, diversity, model)


def places(
    scores: Scores,
    edition: Edition,
    entrants: Iterable[Entrant] = (),
    words: Mapping[str, int] | None = None,
) -> list[Place]:
    """Ranks the teams by normalized score, then by the number of words of the prompt (fewer first).
    Teams that are still equal share a rank.

    Arguments:
        scores: the scores of all teams that aren't disqualified.
        edition: the edition; from 2025 on the winner must beat a baseline.
        entrants: the teams' statuses; a team that isn't listed is ranked.
        words: the number of words of each prompt, as the official program counts them. A prompt
            without this number comes after others with the same score.
    """
    known = {entrant.name: entrant for entrant in entrants}
    known = {name: Entrant(name) for name in scores.norms} | known
    tie_break = None if words is None else {name: words.get(name, inf) for name in known}
    return standing(known.values(), scores.norms, tie_break, edition.must_beat)


def resampler(
    trials: Iterable[Trial], edition: Edition, teams: Sequence[str] = ()
) -> Callable[[Random], dict[str, float]]:
    """Resamples each team's trials of each letter with replacement, for `standing.bootstrap`.

    Arguments:
        trials, edition, teams: as for :func:`score`.

    Returns:
        A function that takes a random generator and returns normalized scores. It recomputes the
            letters' weights each time, and calculates with floats.
    """
    cells = _cells(trials, edition, teams)
    least = 1 / len(edition.letters)
    columns = [
        [
            (team, _floats(cell), float(cell[0].diversity) if edition.diversity else 1.0)
            for team in cells.teams
            for cell in [cells.held[model, team, letter]]
        ]
        for model, letter in product(cells.models, edition.letters)
    ]

    def draw(random: Random) -> dict[str, float]:
        prompts = dict.fromkeys(cells.teams, 0.0)
        for column in columns:
            stability = similarity = diversities = 0.0
            earned = []
            for team, held, diversity in column:
                diversities += diversity / len(column)
                if held:
                    drawn = zip(*random.choices(held, k=len(held)), strict=True)
                    stable, similar, both = (sum(values) / len(held) for values in drawn)
                    stability += stable / len(column)
                    similarity += similar / len(column)
                    earned.append((team, both * diversity))
            weight = max(1 - stability, least) * max(1 - similarity, least)
            if edition.diversity:
                weight *= max(1 - diversities, least)
            for team, own in earned:
                prompts[team] += weight * own
        competition = sum(prompts.values()) or 1.0
        return {team: 100 * prompt / competition for team, prompt in prompts.items()}

    return draw


def _floats(cell: Sequence[Trial]) -> list[tuple[float, float, float]]:
    """The stability, the similarity and their product of each trial; empty if all are 0."""
    pairs = [(float(each.stability), float(each.similarity)) for each in cell]
    return [(*each, each[0] * each[1]) for each in pairs] if any(map(any, pairs)) else []


def _sum(values: Iterable[Decimal]) -> Decimal:
    return reduce(_EXACT.add, values, Decimal(0))


def _product(*values: Decimal) -> Decimal:
    return reduce(_EXACT.multiply, values)


def _mean(values: Sequence[Decimal]) -> Decimal:
    # Without teams, there are no values.
    return _quotient(_sum(values), Decimal(len(values) or 1))


def _quotient(value: Decimal, divisor: Decimal) -> Decimal:
    """The quotient of two non-negative numbers, rounded half up to 20 decimals."""
    (a, b), (c, d) = value.as_integer_ratio(), divisor.as_integer_ratio()
    number, by = a * d * 10**_DECIMALS, b * c
    return Decimal((2 * number + by) // (2 * by)).scaleb(-_DECIMALS, _EXACT)
