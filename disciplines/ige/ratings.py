"""Ratings of dialogues, and the tables of the results (seed 002; disciplines/ige.md, 5). Pure.

A rater gives a dialogue a score of 1 to 4 in each of six keys. Five ratings by one model are five
raters here: a score is the mean over the dialogues, and then over the raters.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

from contest.results.statistics import import_science
from disciplines.ige.base import METHODS
from disciplines.ige.games import Message, turn_of
from disciplines.ige.judge import JudgedGame, Metrics, Shares, shares_of

KEYS = ("guidance", "logic", "relevance", "coherence", "conciseness", "overall")
LOWEST, HIGHEST = 1, 4
#: The four code metrics, in the order of Table 3.
CODE = ("ESR", "Acc", "F-ESR", "F-Acc")

#: Rater to dialogue to the score of each key.
Ratings: TypeAlias = Mapping[str, Mapping[str, Mapping[str, int]]]


def dialogue_text(history: Sequence[Message]) -> str:
    """A dialogue as a rater reads it: of the assistant's messages what the user read."""
    return "\n\n".join(
        f"{each.role}:\n{turn_of(each.content).utter if each.role == 'assistant' else each.content}"
        for each in history
    )


def read_rating(text: str) -> dict[str, int]:
    """The score of each key, in a model's answer.

    Arguments:
        text: JSON as `bundled/rater.txt` asks for; text around it is passed over.

    Raises:
        ValueError: if a score is missing; says which.
    """
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        raise ValueError("the answer has no JSON") from None
    rating = {}
    for key in KEYS:
        given = found.get(key) if isinstance(found, dict) else None
        score = given.get("score") if isinstance(given, dict) else None
        if not isinstance(score, int) or isinstance(score, bool) or not LOWEST <= score <= HIGHEST:
            raise ValueError(f"{key} has no score from {LOWEST} to {HIGHEST}")
        rating[key] = score
    return rating


def quality(ratings: Ratings, dialogues: Sequence[str]) -> dict[str, float | None]:
    """The score of each key in percent of the highest, rounded to two decimals: the mean over the
    dialogues that a rater has rated, then over the raters. None where nobody has rated."""
    of_raters = [[given[each] for each in dialogues if each in given] for given in ratings.values()]
    scores = [rated for rated in of_raters if rated]
    return {
        key: round(fmean(fmean(each[key] for each in rated) for rated in scores) / HIGHEST * 100, 2)
        if scores
        else None
        for key in KEYS
    }


def agreement(ratings: Ratings, dialogues: Sequence[str]) -> dict[str, float | None]:
    """Krippendorff's alpha (2004) of each key for ordinal data, the dialogues being the units. None
    where fewer than two raters have rated one, or all scores are the same.

    Raises:
        ScienceMissing: if the extra `science` is not installed.
    """
    found: dict[str, float | None] = {}
    for key in KEYS:
        rows = [
            [float(given[each][key]) if each in given else math.nan for each in dialogues]
            for given in ratings.values()
        ]
        units = [
            scores
            for column in zip(*rows, strict=True)
            if len(scores := [each for each in column if not math.isnan(each)]) > 1
        ]
        found[key] = None
        if len({score for unit in units for score in unit}) > 1:
            found[key] = float(
                import_science("krippendorff").alpha(
                    reliability_data=rows,
                    value_domain=[float(each) for each in range(LOWEST, HIGHEST + 1)],
                    level_of_measurement="ordinal",
                )
            )
    return found


def table_3(
    games: Mapping[str, Sequence[JudgedGame]], scores: Mapping[str, Mapping[str, float | None]]
) -> dict[str, dict[str, float | None]]:
    """Table 3: for each developer the six scores and the four code metrics, in percent.

    Arguments:
        games: developer to its judged dialogues; at least one.
        scores: developer to `quality`.
    """
    table: dict[str, dict[str, float | None]] = {}
    for name, judged in games.items():
        found = Metrics.of(judged)
        values = (found.esr, found.acc, found.turns.executed, found.turns.correct)
        shares = {key: round(value * 100, 2) for key, value in zip(CODE, values, strict=True)}
        table[name] = {**scores[name], **shares}
    return table


def table_4(games: Mapping[str, Sequence[JudgedGame]]) -> dict[str, dict[str, Shares]]:
    """Table 4: for each developer and method, the shares of the turns that define it. A method that
    no turn defines has 0 turns."""
    every = {
        name: [turn for game in judged for turn in game.turns] for name, judged in games.items()
    }
    return {
        name: {
            method: shares_of([turn for turn in turns if method in turn.methods])
            for method in METHODS
        }
        for name, turns in every.items()
    }
