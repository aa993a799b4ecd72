"""The three metrics by which responses are rated (docs/reference/labyrinth.md)."""

from __future__ import annotations

import tomllib
from importlib.resources import files

from disciplines.agreement import Criterion

#: The scores of every metric.
SCORES = range(1, 6)

_TOLD = tomllib.loads((files(__package__) / "metrics.toml").read_text("utf-8"))
METRICS = tuple(
    Criterion(
        *(each["name"], each["question"], tuple(each["checks"]), SCORES),
        {int(score): text for score, text in each["anchors"].items()},
        f"Why did you give this score for {each['name']}?",
    )
    for each in _TOLD["metric"]
)
#: What raters should not hold against a response.
NOT_TO_PUNISH: tuple[str, ...] = tuple(_TOLD["not_to_punish"])
#: The rules of the game, in short, for raters.
RULES: tuple[str, ...] = tuple(_TOLD["rules"])
