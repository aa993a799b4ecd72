"""The kinds of event of a discipline's run: one codebook for all disciplines.

A run has a record of its own, with one chain. An item is what a stage works on: a trial, a team, a
dialogue; its id is the discipline's. All numbers are whole; decimals are text. Nothing of a run is
withheld.
"""

from __future__ import annotations

from typing import Any

from contest.record.events import Body, Json, kinds_in

#: Version of these kinds, in the run's first event.
FORMAT = 1


class _Set(Body, frozen=True):
    program: str
    settings: Json
    stages: list[str]
    versions: dict[str, str]


class RunOpened(_Set, frozen=True, kw_only=True):
    """The first event. `program` is the name and version of what wrote it, `settings` are those of
    `contest.toml`, `stages` are in their order, `versions` says which version of each stage
    computes."""

    format: int
    discipline: str


class RunAgain(_Set, frozen=True, kw_only=True):
    """Stage `first` and all after it are done again, with these settings and versions: what they
    gave before doesn't count. If only what `failed` is done again, values and answers count."""

    first: str
    failed: bool = False


class Answered(Body, frozen=True):
    """The `answer` for an item, as the provider gave it after `ms` milliseconds; `tokens` as far as
    the provider counts them, of all its calls."""

    item: str
    answer: str
    ms: int
    tokens: int | None = None


class Measured(Body, frozen=True):
    """A stage's `value` for an item; the last one counts."""

    item: str
    stage: str
    value: Any


class Failed(Body, frozen=True):
    """A stage has no value for an item, for `reason`."""

    item: str
    stage: str
    reason: str


class Rated(Body, frozen=True):
    """The event's actor rates an item: `metric` and `value`. The last one counts."""

    item: str
    metric: str
    value: str


class RunResult(Body, frozen=True):
    """The result as the discipline's page shows it, and the SHA-256 of each file that was written
    with it. The last one counts."""

    value: Json
    files: dict[str, str]


KINDS: dict[str, type[Body]] = kinds_in(globals())
