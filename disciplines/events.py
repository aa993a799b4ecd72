"""The kinds of event of a discipline's run: one codebook for all disciplines.

Each run has its own record, with one chain. An item is something that a stage works on: a trial, a
team, a dialogue. The discipline sets its id. All numbers are integers; decimals are text. Nothing
in a run is withheld.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from contest.record.events import Body, Json, kinds_in

#: Version of these kinds, in the run's first event.
FORMAT = 1


class _Set(Body, frozen=True):
    program: str
    settings: Json
    stages: list[str]
    versions: dict[str, str]


class RunOpened(_Set, frozen=True, kw_only=True):
    """The first event. `program` is the name and version of the program that wrote it, `settings`
    holds `contest.toml`, `stages` lists the stages in order, `versions` has the version of each
    stage."""

    format: int
    discipline: str


class RunAgain(_Set, frozen=True, kw_only=True):
    """Stage `first` and all later stages are repeated with these settings and versions; their
    earlier values don't count. If only items that `failed` are repeated, values and answers still
    count."""

    first: str
    failed: bool = False


class Answered(Body, frozen=True):
    """The provider's `answer` for an item, after `ms` milliseconds; `tokens` of all its calls, if
    the provider counts them."""

    item: str
    answer: str
    ms: int
    tokens: int | None = None


class Spoke(Body, frozen=True):
    """In the dialogue of an item, `who` said `text`; with `tokens` as in `answered`. A dialogue
    that is stopped continues after its last message."""

    item: str
    who: str
    text: str
    tokens: int | None = None


class Measured(Body, frozen=True):
    """A stage computed a `value` for an item. The last one counts."""

    item: str
    stage: str
    value: Any


class Failed(Body, frozen=True):
    """A stage could not compute a value for an item, for `reason`."""

    item: str
    stage: str
    reason: str


class Rated(Body, frozen=True):
    """The event's actor rated an item: `metric` and `value`. The last rating counts."""

    item: str
    metric: str
    value: str


class _InGame(Body, frozen=True):
    game: str
    ms: int


class GameBegan(_InGame, frozen=True):
    """A game began, with its `scene` and `players`, the manager's instructions (`prompt`), and the
    `seed` of dice and orders. In each event of a game, `ms` is how long it has been played, in
    milliseconds."""

    scene: Json
    players: list[Json]
    prompt: list[str]
    seed: int


class GameTurn(_InGame, frozen=True):
    """A turn of a game began: the players speak in this `order`, then the manager. Before the
    second and each later turn, the manager has said that the game is not over."""

    order: list[str]


class GameSaid(_InGame, frozen=True):
    """A player or the manager, `who`, said `text`. The text is empty if a player was too slow."""

    who: str
    text: str


class GameCalled(_InGame, frozen=True):
    """The manager called a `function`, and said `words` with it. `arguments` is the JSON of its
    arguments, `asked` has the questions to the manager during the call, with its answers, and
    `text` is the function's message. If the call is `done`, `changed` has the changed parts of the
    state: the `scene`, or `players` by name."""

    function: str
    arguments: str
    words: str
    asked: dict[str, str]
    text: str
    done: bool
    changed: Json


class GameEnded(_InGame, frozen=True):
    """A game ended. The `result` is `success`, `failure`, `timeout` or `aborted`; `condition` is
    the condition that was met, or the reason."""

    result: str
    condition: str


GameEvent: TypeAlias = GameBegan | GameTurn | GameSaid | GameCalled | GameEnded


class RunResult(Body, frozen=True):
    """The result as the discipline's page shows it, and the SHA-256 of each file that was written
    with it. The last result counts."""

    value: Json
    files: dict[str, str]


KINDS: dict[str, type[Body]] = kinds_in(globals())
