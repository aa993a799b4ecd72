"""The three metrics by which responses are rated (seed 003; disciplines/labyrinth.md, 4)."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import NamedTuple

#: The scores of every metric.
SCORES = range(1, 6)


class Metric(NamedTuple):
    """A metric.

    Attributes:
        name: in files and commands.
        question: what the rater answers by a score.
        checks: what to look at.
        not_here: what does not lower this score.
        anchors: score to what it means.
    """

    name: str
    question: str
    checks: tuple[str, ...]
    not_here: str
    anchors: dict[int, str]


_TOLD = tomllib.loads((files(__package__) / "metrics.toml").read_text("utf-8"))
METRICS = tuple(
    Metric(**each | {"anchors": {int(score): text for score, text in each["anchors"].items()}})
    for each in _TOLD["metric"]
)
#: What raters should not hold against a response.
NOT_TO_PUNISH: tuple[str, ...] = tuple(_TOLD["not_to_punish"])
#: The rules of the game, in short, for raters.
RULES: tuple[str, ...] = tuple(_TOLD["rules"])
