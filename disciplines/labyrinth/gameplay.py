"""The gameplay record of Labyrinth: a game as its manager saw it (docs/reference/labyrinth.md).

The file is a JSON array. Each element except the last is a completion of the manager: the scene and
the players at that moment, the messages before it, and the manager's message or call. The last
element is the result of the game.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

from scheduler.errors import BadInput
from scheduler.files import read_text
from scheduler.texts import counted

#: The name of the manager in a record.
MANAGER = "Goblin_King"
Role = Literal["user", "assistant", "function", "system"]


class Npc(msgspec.Struct):
    """A character that the manager plays. `trait` and `flaw` are `Name - description`."""

    kin: str
    persona: list[str]
    goal: str
    trait: str
    flaw: str


class Scene(msgspec.Struct):
    """The state of the scene. Characters, objects and tables are keyed by their names."""

    chapter: str
    scene: str
    scene_summary: list[str]
    npcs: dict[str, Npc]
    success_condition: str
    failure_condition: str
    game_flow: list[str]
    environment: dict[str, str]
    random_tables: dict[str, list[str]]
    consequences: str
    is_action_scene: bool


class Player(msgspec.Struct):
    """The state of a player's character. In its name, underscores stand for spaces."""

    name: str
    kin: str
    persona: list[str]
    goal: str
    traits: dict[str, str]
    flaws: dict[str, str]
    inventory: dict[str, str]
    additional_notes: list[str]


class Situation(msgspec.Struct):
    """The scene and the players at a moment."""

    scene: Scene
    players: list[Player]


class Message(msgspec.Struct):
    """A message: of a player (`user`), the manager (`assistant`) or a function. A call of a
    function without words has neither name nor content."""

    role: Role
    name: str | None
    content: str | None
    function_call: bool | None = None


class FunctionResult(msgspec.Struct):
    """The result of a function call: its message, its arguments, and the decisions during it."""

    result: Message
    arguments: dict[str, Any]
    intermediate_results: dict[str, Any] | None = None


class Completion(Situation):
    """A completion of the manager, with everything that it is based on."""

    past_history: list[Message]
    current_queries: list[Message]
    actual_prompt: list[str]
    generated: Message
    function_results: list[FunctionResult] | None = None
    retrieved_messages: list[Any] | None = None
    retrieved_rules: list[Any] | None = None

    @property
    def history(self) -> list[Message]:
        """All earlier messages of the players and the manager."""
        said = [*self.past_history, *self.current_queries]
        return [each for each in said if each.role in ("user", "assistant") and each.content]


class Ending(msgspec.Struct):
    """The result of the game, and the condition that was met."""

    game_result: Literal["success", "failure", "timeout", "aborted"]
    condition: str


class Gameplay(NamedTuple):
    """A recorded game."""

    completions: list[Completion]
    ending: Ending

    @property
    def targets(self) -> list[Completion]:
        """The completions to rate: those with words."""
        return [each for each in self.completions if each.generated.content is not None]

    @property
    def start(self) -> Completion:
        """The first completion, whose scene and players are the starting states."""
        return self.completions[0]

    def as_json(self) -> str:
        """The text of the file."""
        document = msgspec.to_builtins([*self.completions, self.ending])
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


class Fault(NamedTuple):
    """A fault in a file: its place, a path such as `[3].scene.npcs.Hoggle.kin`, and what is
    wrong there."""

    place: str
    what: str


def read_gameplay(file: Path) -> Gameplay:
    """Reads a record.

    Raises:
        BadInput: if it can't be read or has faults, with the first of them.
    """
    document = load(file)
    for fault in faults_of(document):
        raise BadInput(
            f"{fault.what}; `loebner labyrinth validate` lists all faults",
            source=str(file),
            field=fault.place,
        )
    return Gameplay(
        msgspec.convert(document[:-1], list[Completion]), msgspec.convert(document[-1], Ending)
    )


def read_situation(file: Path) -> Situation:
    """Reads a scene and its players.

    Raises:
        BadInput: if they can't be read or have faults; the message lists all faults.
    """
    document = load(file)
    refuse(file, list(type_faults(document, Situation, "")) or situation_faults(document, ""))
    return msgspec.convert(document, Situation)


def refuse(file: Path, faults: Iterable[Fault]) -> None:
    """Raises BadInput with all faults of a file and their places, if there are any."""
    named = [f"{place.lstrip('.') or 'the file'}: {what}" for place, what in faults]
    if named:
        raise BadInput(f"{counted(len(named), 'fault')}: {'; '.join(named)}", source=str(file))


def load(file: Path) -> Any:
    """The JSON document of a file.

    Raises:
        BadInput: if it can't be read or is not JSON.
    """
    try:
        return json.loads(read_text(file))
    except (json.JSONDecodeError, RecursionError) as exc:
        line = getattr(exc, "lineno", None)
        raise BadInput(f"is not JSON: {exc}", source=str(file), line=line) from None


def faults_of(document: Any) -> Iterator[Fault]:
    """Every fault of a record, given its JSON document."""
    if not isinstance(document, list) or len(document) < 2:
        yield Fault("", "is not an array of at least one completion and the result")
        return
    for number, each in enumerate(document[:-1]):
        yield from type_faults(each, Completion, f"[{number}]")
    yield from type_faults(document[-1], Ending, f"[{len(document) - 1}]")
    for number, each in enumerate(document[:-1]):
        yield from situation_faults(each, f"[{number}]")
        role = _at(each, "generated", "role")
        if role not in (None, "assistant"):
            yield Fault(f"[{number}].generated.role", f"is {role!r}, not 'assistant'")
    if not any(_at(each, "generated", "content") is not None for each in document[:-1]):
        yield Fault("", "has no message of the manager to rate")


def situation_faults(situation: Any, place: str) -> Iterator[Fault]:
    """The faults of a scene and its players, as JSON, that a check of types doesn't find."""
    if _at(situation, "scene", "scene_summary") == []:
        yield Fault(f"{place}.scene.scene_summary", "is empty")
    players = _at(situation, "players")
    if isinstance(players, list):
        if not players:
            yield Fault(f"{place}.players", "is empty")
        names = [_at(each, "name") for each in players]
        for number, name in enumerate(names):
            if name in names[:number]:
                yield Fault(f"{place}.players[{number}].name", f"{name!r} occurs twice")


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def type_faults(value: Any, kind: Any, place: str) -> Iterator[Fault]:
    """The parts of a JSON value that don't have the right type.

    Arguments:
        value: the value.
        kind: its type: a struct, or the type of one of its fields.
        place: the path of the value.
    """
    try:
        msgspec.convert(value, kind)
        return
    except msgspec.ValidationError as exc:
        message = str(exc)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is UnionType:  # of a type and None
        yield from type_faults(value, arguments[0], place)
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct) and isinstance(value, dict):
        types = get_type_hints(kind)
        for field in msgspec.structs.fields(kind):
            if field.name in value:
                yield from type_faults(
                    value[field.name], types[field.name], f"{place}.{field.name}"
                )
            elif field.required:
                yield Fault(f"{place}.{field.name}", "is missing")
    elif origin is list and isinstance(value, list):
        for number, each in enumerate(value):
            yield from type_faults(each, arguments[0], f"{place}[{number}]")
    elif origin is dict and isinstance(value, dict):
        for key, each in value.items():
            yield from type_faults(each, arguments[1], f"{place}.{key}")
    else:
        yield Fault(place, message[:1].lower() + message[1:])
