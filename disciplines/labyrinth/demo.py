"""The four scripted raters of the demo."""

from __future__ import annotations

from random import Random

from disciplines.labyrinth.metrics import METRICS, SCORES
from disciplines.labyrinth.rating import Contest
from disciplines.raters import COMMENT

#: The scores of a careful rater for each message of a game, in the three metrics. The third message
#: of the ferry's manager mentions a telescope that nobody has.
_QUALITY = {
    "ferry": (
        *((5, 5, 5), (5, 4, 5), (2, 1, 2), (5, 5, 4), (4, 4, 4)),
        *((5, 5, 3), (4, 4, 4), (5, 4, 5), (4, 4, 5)),
    ),
    "live": ((5, 5, 4), (4, 5, 4), (4, 4, 4), (4, 4, 3)),
}
#: How much higher each rater scores than a careful one.
_BIAS = {"R1": 0, "R2": 0, "R3": -1, "R4": 1}


def rate(contest: Contest) -> None:
    """Has the scripted raters rate all their remaining targets."""
    asked = contest.questionnaire
    for rater, items in asked.raters.items():
        random = Random(rater)
        for number in asked.left(rater):
            target, typed = contest.targets[items[number - 1]], {}
            for metric, good in zip(METRICS, _QUALITY[target.game][target.number - 1], strict=True):
                drawn = good + _BIAS[rater] + random.choice((-1, 0, 0, 0, 1))
                score = min(SCORES[-1], max(SCORES[0], drawn))
                typed[metric.name] = str(score)
                if score == SCORES[0]:
                    typed[metric.name + COMMENT] = f"Far from what {metric.name} asks for."
            asked.save(rater, target.id, typed)
