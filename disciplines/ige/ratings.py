"""Ratings of dialogues, and Table 3 of the results (docs/reference/ige.md). Without I/O.

A rater gives a dialogue a score from 1 to 4 for each of six keys. Five ratings by one model count
as five raters: a score is the mean over the dialogues, and then over the raters.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

from disciplines.agreement import Criterion, Rating, alpha_of
from disciplines.ige.games import Message, turn_of
from disciplines.ige.judge import Metrics

LOWEST, HIGHEST = 1, 4
_ANCHORS = {1: "poor", 2: "fair", 3: "good", 4: "excellent"}
#: The six keys, with the descriptions that raters see.
CRITERIA = tuple(
    Criterion(key, f"{key.capitalize()}: {meaning}", (), range(LOWEST, HIGHEST + 1), _ANCHORS, why)
    for key, meaning, why in (
        ("guidance", "the assistant leads the user through every step that the game needs", ""),
        ("logic", "the order of the steps makes sense", ""),
        ("relevance", "each message keeps to the task and to what the user said", ""),
        ("coherence", "the messages fit together and don't contradict each other", ""),
        ("conciseness", "no message is longer than it has to be", ""),
        ("overall", "the dialogue as a whole", "What explains your scores?"),
    )
)
KEYS = tuple(each.name for each in CRITERIA)
#: The beginning of the names of models in the tables of ratings.
MODEL = "model-"
#: The four code metrics, in the order of Table 3.
CODE = ("ESR", "Acc", "F-ESR", "F-Acc")

#: Rater to dialogue to the score of each key.
Ratings: TypeAlias = Mapping[str, Mapping[str, Mapping[str, int]]]


def dialogue_text(history: Sequence[Message]) -> str:
    """A dialogue as a rater reads it, with only the words of the assistant's messages."""
    return "\n\n".join(
        f"{each.role}:\n{turn_of(each.content).utter if each.role == 'assistant' else each.content}"
        for each in history
    )


def read_rating(text: str) -> dict[str, int]:
    """The score of each key in a model's answer.

    Arguments:
        text: JSON as described in `bundled/rater.txt`; text around it is ignored.

    Raises:
        ValueError: if a score is missing; the message names its key.
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
    dialogues that a rater has rated, then over the raters. None without ratings."""
    of_raters = [[given[each] for each in dialogues if each in given] for given in ratings.values()]
    scores = [rated for rated in of_raters if rated]
    return {
        key: round(fmean(fmean(each[key] for each in rated) for rated in scores) / HIGHEST * 100, 2)
        if scores
        else None
        for key in KEYS
    }


def agreement(ratings: Ratings, dialogues: Sequence[str]) -> dict[str, float | None]:
    """Krippendorff's alpha of each key, with dialogues as units; see `alpha_of`.

    Raises:
        ScienceMissing: without the extra `science`.
    """
    given = [
        (who, item, of[item]) for who, of in ratings.items() for item in dialogues if item in of
    ]
    return {
        key: alpha_of([Rating("", item, who, key, scores[key]) for who, item, scores in given])
        for key in KEYS
    }


def table_3(
    metrics: Mapping[str, Metrics], scores: Mapping[str, Mapping[str, float | None]]
) -> dict[str, dict[str, float | None]]:
    """Table 3: for each developer the six scores of `quality` and the code metrics, in percent."""
    table: dict[str, dict[str, float | None]] = {}
    for name, found in metrics.items():
        shares = (found.esr, found.acc, found.turns.f_esr, found.turns.f_acc)
        percent = {key: round(share * 100, 2) for key, share in zip(CODE, shares, strict=True)}
        table[name] = {**scores[name], **percent}
    return table
