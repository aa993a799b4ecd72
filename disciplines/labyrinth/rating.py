"""A contest of game managers: its settings, which rater rates which target, and what they rate.

A target's id is `GAME-NUMBER`. The record has an event for each score and each comment, as typed;
its actor says who rates: `rater:NAME`, or `survey:ID` for a survey elsewhere. What models say is in
the record's answers, never among these ratings.
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
from disciplines.labyrinth.survey import (
    Answered,
    message_line,
    player_parts,
    scene_parts,
    spaced,
)
from disciplines.providers import ProviderTable
from disciplines.raters import COMMENT, Part, Questionnaire, Shown
from disciplines.run import Progress, Run, SettingsTable, State, load, plain

NAME = "labyrinth"
#: Stages in their order, and the version of each.
STAGES = dict.fromkeys(("plan", "collect", "score", "calls", "report"), "1")
#: The kinds of raters, each with what the actor's name begins with.
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
            raise ValueError("raters_per_target must not be more than there are raters")


class SeatTable(ProviderTable, frozen=True):
    """Who sits at a seat of a game that is played here: a provider, a `script`, whose texts are
    said in turn, or a `person` with this name, in a browser."""

    script: tuple[str, ...] = ()
    person: Name | None = None

    def __post_init__(self) -> None:
        program = bool(self.endpoint or self.command or self.directory or self.folder)
        if bool(self.script) + (self.person is not None) + program > 1:
            raise ValueError("give one of person, script, endpoint, command, directory and folder")
        if not self.script and self.person is None:
            super().__post_init__()


class PlayerTable(SeatTable, frozen=True, kw_only=True):
    """`[[game.player]]`: a player of a game that is played here, by the name in its scene."""

    name: str


class GameTable(SettingsTable, frozen=True):
    """`[[game]]`: a gameplay record, the system that is its manager, and what tables call it. If it
    is played here: the file of its `scene`, and who sits at its seats."""

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
        """What tables call it."""
        return self.id or Path(self.file).stem


class ModelTable(ProviderTable, frozen=True):
    """`[[model]]`: a model that rates the first `targets` of each game, 0 for all."""

    name: str = ""
    targets: Annotated[int, Meta(ge=0)] = 10


class Settings(SettingsTable, frozen=True):
    """A contest.toml of this discipline."""

    contest: ContestTable
    game: list[GameTable]
    model: tuple[ModelTable, ...] = ()

    def __post_init__(self) -> None:
        for what, tables in (("game", self.game), ("model", self.model)):
            names = [each.name for each in tables]
            if len(set(names)) < len(names) or (what == "game" and not names):
                raise ValueError(f"give [[{what}]] once for each, with different names")
            if any(safe_name(name) != name for name in names):
                raise ValueError(f"the name of a {what} must be one that a file can have")
        check_names({name for each in self.game for name in each.people}, "person")


# The plan


class Target(NamedTuple):
    """What is rated: a message of a game's manager. `number` counts them from 1."""

    game: str
    number: int
    system: str
    text: str

    @property
    def id(self) -> str:
        """What the record calls it."""
        return f"{self.game}-{self.number}"


def assigned(
    targets: Iterable[Target], raters: Sequence[str], each: int, seed: int
) -> dict[str, list[str]]:
    """Who rates what: every target has `each` raters; the raters' numbers of targets differ by one
    at most, and those of each system and each pair of raters by as little as a greedy choice gives.

    Returns:
        Rater to ids in the order to rate: games in a random order, each from its beginning, because
        their messages are understood one after the other.
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
    """The plan as the record has it: targets, and who rates which of them."""
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
        settings: those of the run.
        games: by name.

    Attributes:
        targets: by id.
        questionnaire: what its raters are asked.
    """

    def __init__(self, run: Run, settings: Settings, games: Mapping[str, Gameplay]) -> None:
        self.run, self.settings, self.games = run, settings, games
        self.targets, own = targets_of(run.state), settings.contest
        raters: dict[str, list[str]] = run.state.values["plan"]["plan"]["raters"]
        self.questionnaire = Questionnaire(
            *(run, own.name, "response", METRICS, raters, self._shown, RATER, own.names)
        )

    def _shown(self, id_: str) -> Shown:
        target = self.targets[id_]
        game = self.games[target.game]
        start, completion = game.start, game.targets[target.number - 1]
        panels = [("Starting game state", scene_parts(start.scene))]
        panels += [
            (f"Starting player state of {spaced(each.name)}", player_parts(each))
            for each in start.players
        ]
        told: list[Part] = [
            ("Rules of the game", RULES),
            ("What not to hold against a response", NOT_TO_PUNISH),
        ]
        return Shown(
            "States are those at the beginning; the game may have changed them since.",
            [*panels, ("What to know", told)],
            [("Chat history so far", [message_line(each) for each in completion.history])],
            ("Target response", message_line(completion.generated)),
        )

    def take(self, game: str, answers: Iterable[Answered]) -> None:
        """Puts the answers to a game's survey on record, as far as they are new."""
        for each in answers:
            item, actor = f"{game}-{each.target}", SURVEY + each.rater
            typed = {each.metric: str(each.score), each.metric + COMMENT: each.comment}
            for name, text in typed.items():
                if text != self.run.state.ratings.get((item, actor, name), ""):
                    self.run.note(Rated(item, name, text), actor)
        self.run.flush()


@contextmanager
def opened(
    folder: Path, again: str = "", progress: Progress = lambda stage, done, of: None
) -> Iterator[Contest]:
    """A contest, open for ratings.

    Arguments:
        folder: the contest's.
        again: the stage from which all is done again; ratings of people stay.
        progress: hears of each item that is done.

    Raises:
        BadSettings, BadInput: if the settings or a record can't be used, or a record has changed.
        InUse: if another command has it open.
    """
    settings = load(folder, NAME, Settings)
    for table in settings.game:
        if table.scene and not (folder / table.file).exists():
            raise BadSettings(
                f"the game {table.name} has not been played; run `loebner labyrinth play {folder}`"
            )
    games = {each.name: read_gameplay(folder / each.file) for each in settings.game}
    targets = [
        Target(table.name, number, table.system, target.generated.content or "")
        for table in settings.game
        for number, target in enumerate(games[table.name].targets, 1)
    ]
    with Run(folder, NAME, plain(settings), STAGES, again, progress) as run:
        # Not a stage that can be done again: ratings are of these games.
        digests = {
            each.name: hashlib.sha256((folder / each.file).read_bytes()).hexdigest()
            for each in settings.game
        }
        run.each("game", digests, digests.__getitem__)
        for name, digest in digests.items():
            if run.state.values["game"][name] != digest:
                raise BadSettings(
                    f"the record of the game {name} has changed since the contest began; put it "
                    "back, or give the changed one another id"
                )
        run.each("plan", ["plan"], lambda _: planned(targets, settings))
        yield Contest(run, settings, games)
