"""A contest of game managers: its settings, its targets, and their assignment to raters.

A target's id is `GAME-NUMBER`. The record has an event for each score and each comment. Its actor
is the rater: `rater:NAME`, or `survey:ID` for a survey elsewhere. Models' scores are in the
record's answers, never among these ratings.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from contest.errors import BadSettings
from contest.setup.filenames import safe_name
from disciplines.events import Rated
from disciplines.invitations import Name, check_names
from disciplines.labyrinth.gameplay import Gameplay, read_gameplay
from disciplines.labyrinth.metrics import METRICS, NOT_TO_PUNISH, RULES
from disciplines.labyrinth.survey import SurveyAnswer, view_of
from disciplines.providers import WAYS, ProviderTable
from disciplines.raters import COMMENT, ItemView, Part, Questionnaire
from disciplines.run import Progress, Run, SettingsTable, State, load, plain

NAME = "labyrinth"
#: The stages in order, each with its version. If the version changes, its values are recomputed.
STAGES = dict.fromkeys(("plan", "collect", "score", "calls", "report"), "1")
#: The prefixes of the actors of people's ratings: on the raters' pages, and in a survey.
PEOPLE = RATER, SURVEY = "rater:", "survey:"

# Settings


class ContestTable(SettingsTable, frozen=True):
    """`[contest]`: its name, the people who rate, how many of them rate each target, the seed of
    the assignment, and further host names of the server."""

    name: str
    raters: tuple[Name, ...] = ()
    raters_per_target: Annotated[int, Meta(ge=1)] = 3
    seed: int = 0
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_names(self.raters, "raters")
        if self.raters and self.raters_per_target > len(self.raters):
            raise ValueError("raters_per_target must not exceed the number of raters")


class SeatTable(ProviderTable, frozen=True):
    """Who takes a seat of a game that is played here: a provider, a `script` with the texts to say
    in order, or a `person` with this name, in a browser."""

    script: tuple[str, ...] = ()
    person: Name | None = None

    def __post_init__(self) -> None:
        if bool(self.script) + (self.person is not None) + len(self.ways) > 1:
            raise ValueError(f"give exactly one of person, script, {', '.join(WAYS)}")
        if not self.script and self.person is None:
            super().__post_init__()


class PlayerTable(SeatTable, frozen=True, kw_only=True):
    """`[[game.player]]`: a player of a game that is played here, by the name in its scene."""

    name: str


class GameTable(SettingsTable, frozen=True):
    """`[[game]]`: a gameplay record, the system that is its manager, and its name in tables. If the
    game is played here, also the file of its `scene`, and its seats."""

    file: str
    system: str
    id: str = ""
    scene: str = ""
    manager: SeatTable | None = None
    player: tuple[PlayerTable, ...] = ()

    def __post_init__(self) -> None:
        given = {bool(self.scene), self.manager is not None, bool(self.player)}
        if len(given) > 1:
            raise ValueError("a game that is played here needs scene, manager and players")
        check_names(self.people, "person")

    @property
    def people(self) -> list[str]:
        """The names of the people who sit at seats of the game."""
        seats = [*self.player, *([] if self.manager is None else [self.manager])]
        return [each.person for each in seats if each.person is not None]

    @property
    def name(self) -> str:
        """Its name in tables."""
        return self.id or Path(self.file).stem


class ModelTable(ProviderTable, frozen=True):
    """`[[model]]`: a model that rates the first `targets` of each game, 0 for all."""

    name: str = ""
    targets: Annotated[int, Meta(ge=0)] = 10


class Settings(SettingsTable, frozen=True):
    """A whole contest.toml of this discipline."""

    contest: ContestTable
    game: list[GameTable]
    model: tuple[ModelTable, ...] = ()

    def __post_init__(self) -> None:
        for what, tables in (("game", self.game), ("model", self.model)):
            names = [each.name for each in tables]
            if len(set(names)) < len(names) or (what == "game" and not names):
                key = "id" if what == "game" else "name"
                raise ValueError(f"give each [[{what}]] a different {key}")
            if any(safe_name(name) != name for name in names):
                raise ValueError(f"the name of a {what} must be usable as a file name")
        check_names({name for each in self.game for name in each.people}, "person")


# The plan


class Target(NamedTuple):
    """A message of a game's manager, which is rated. `number` counts a game's targets from 1."""

    game: str
    number: int
    system: str
    text: str

    @property
    def id(self) -> str:
        """Its id in the record."""
        return f"{self.game}-{self.number}"


def assigned(
    targets: Iterable[Target], raters: Sequence[str], each: int, seed: int
) -> dict[str, list[str]]:
    """Assigns targets to raters: every target gets `each` raters, and the raters' numbers of
    targets differ by at most one. A greedy choice also balances the systems of each rater, and how
    often pairs of raters share a target.

    Returns:
        Rater to the ids of their targets in order: games in a random order, each from its
            beginning, so that raters can follow it.
    """
    random, load = Random(seed), Counter[Any]()
    shuffled = sorted(targets)
    random.shuffle(shuffled)
    found: dict[str, list[Target]] = {rater: [] for rater in raters}
    for target in shuffled if raters else ():
        chosen: list[str] = []
        for _ in range(each):
            best = min(
                (rater for rater in raters if rater not in chosen),
                key=lambda rater: (
                    load[rater],
                    load[rater, target.system],
                    sum(load[frozenset((rater, other))] for other in chosen),
                    random.random(),
                ),
            )
            load.update(frozenset((best, other)) for other in chosen)
            load.update((best, (best, target.system)))
            chosen.append(best)
            found[best].append(target)
    orders: dict[str, list[str]] = {}
    for rater, held in found.items():
        games = sorted({target.game for target in held})
        Random(f"{seed} {rater}").shuffle(games)
        held.sort(key=lambda target: (games.index(target.game), target.number))
        orders[rater] = [target.id for target in held]
    return orders


def planned(targets: Sequence[Target], settings: Settings) -> dict[str, Any]:
    """The plan for the record: the targets, and the targets of each rater and model."""
    own = settings.contest
    return {
        "targets": [target._asdict() for target in targets],
        "raters": assigned(targets, own.raters, own.raters_per_target, own.seed),
        "models": {
            table.name: [x.id for x in targets if not 0 < table.targets < x.number]
            for table in settings.model
        },
    }


def targets_of(state: State) -> dict[str, Target]:
    """The planned targets by id."""
    found = (Target(**each) for each in state.values["plan"]["plan"]["targets"])
    return {target.id: target for target in found}


# The contest


class Contest:
    """An open contest.

    Arguments:
        run: its run, with a plan.
        settings: its settings.
        games: the gameplay records by the games' names.

    Attributes:
        targets: the targets by id.
        questionnaire: the questionnaire for its raters.
    """

    def __init__(self, run: Run, settings: Settings, games: Mapping[str, Gameplay]) -> None:
        self.run, self.settings, self.games = run, settings, games
        self.targets, own = targets_of(run.state), settings.contest
        raters: dict[str, list[str]] = run.state.values["plan"]["plan"]["raters"]
        self.questionnaire = Questionnaire(
            *(run, own.name, "response", METRICS, raters, self._shown, RATER, own.names)
        )

    def _shown(self, id_: str) -> ItemView:
        target = self.targets[id_]
        view = view_of(self.games[target.game], target.number)
        told: list[Part] = [
            ("Rules of the game", RULES),
            ("What not to hold against a response", NOT_TO_PUNISH),
        ]
        return view._replace(panels=[*view.panels, ("What to know", told)])

    def take(self, game: str, answers: Iterable[SurveyAnswer]) -> None:
        """Records the new answers to a game's survey."""
        for each in answers:
            item, actor = f"{game}-{each.target}", SURVEY + each.rater
            typed = {each.metric: str(each.score), each.metric + COMMENT: each.comment}
            for name, text in typed.items():
                if text != self.run.state.ratings.get((item, actor, name), ""):
                    self.run.note(Rated(item, name, text), actor)
        self.run.flush()


@contextmanager
def opened(
    folder: Path, repeat_from: str = "", progress: Progress = lambda stage, done, of: None
) -> Iterator[Contest]:
    """Opens a contest for ratings.

    Arguments:
        folder: the contest's folder.
        repeat_from: the first stage to repeat, with all stages after it; people's ratings stay.
        progress: called after each item.

    Raises:
        BadSettings, BadInput: if the settings or a record can't be used, or a record has changed.
        InUse: if another command has it open.
    """
    settings = load(folder, NAME, Settings)
    for table in settings.game:
        if table.scene and not (folder / table.file).exists():
            raise BadSettings(
                f"the game {table.name} has no gameplay record; run `loebner labyrinth play "
                f"{folder}`, or remove its [[game]] if it was aborted before it began"
            )
    games = {each.name: read_gameplay(folder / each.file) for each in settings.game}
    targets = [
        Target(table.name, number, table.system, target.generated.content or "")
        for table in settings.game
        for number, target in enumerate(games[table.name].targets, 1)
    ]
    with Run(folder, NAME, plain(settings), STAGES, repeat_from, progress) as run:
        # This stage can't be repeated, because the ratings belong to these games.
        digests = {
            each.name: hashlib.sha256((folder / each.file).read_bytes()).hexdigest()
            for each in settings.game
        }
        run.each("game", digests, digests.__getitem__)
        for name, digest in digests.items():
            if run.state.values["game"][name] != digest:
                raise BadSettings(
                    f"the record of the game {name} has changed since the contest began; restore "
                    "it, or give the changed game a new id"
                )
        run.each("plan", ["plan"], lambda _: planned(targets, settings))
        yield Contest(run, settings, games)
