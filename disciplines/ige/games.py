"""Files of games and dialogues, and changes to a game's script (docs/reference/ige.md).

Each line of a file is a JSON object: `script` and `code` of a game, and, if a model has developed
it, `history` as `[{"role": "user" or "assistant", "content"}]`. Each message of the assistant has
three blocks: `<script>` changes the game's script, `<code>` defines methods, and the user reads
`<utter>`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from disciplines.ige.base import METHODS
from scheduler.errors import BadInput
from scheduler.files import read_text


class Message(msgspec.Struct, frozen=True):
    """A message of a dialogue."""

    role: Literal["user", "assistant"]
    content: str


class Game(msgspec.Struct, frozen=True):
    """A game: its description (`script`), its methods (`code`), and the dialogue in which it was
    developed (`history`)."""

    script: str
    code: str
    history: tuple[Message, ...] = ()


class Turn(NamedTuple):
    """The three blocks of a message of the assistant; a missing block is empty."""

    script: str
    code: str
    utter: str


def read_games(file: Path) -> list[Game]:
    """Reads a file of games or dialogues.

    Raises:
        BadInput: if it can't be read, with the line.
    """
    games = []
    for number, line in enumerate(read_text(file).split("\n"), 1):
        if line.strip():
            try:
                games.append(msgspec.json.decode(line, type=Game))
            except msgspec.DecodeError as exc:
                raise BadInput(f"is not a game: {exc}", source=str(file), line=number) from None
    if not games:
        raise BadInput("has no game", source=str(file))
    return games


def turn_of(content: str) -> Turn:
    """The first block of each kind in a message of the assistant."""
    after = ((tag, content.partition(f"<{tag}>")[2]) for tag in Turn._fields)
    found = (rest.partition(f"</{tag}>") for tag, rest in after)
    return Turn(*(block.strip("\n") if end else "" for block, end, _ in found))


def turns_of(game: Game) -> list[Turn]:
    """The turns of the assistant in a dialogue, in their order."""
    return [turn_of(each.content) for each in game.history if each.role == "assistant"]


def methods_of(code: str) -> list[str]:
    """The names of the methods that a code's text defines."""
    return [name for name in METHODS if f"def {name}" in code]


# The script, as the turns change it


#: The most characters of a script that are shown.
LONGEST = 20_000


class Script(NamedTuple):
    """The script after a turn, and the faults: lines of the turn that don't assign a value to a
    part of `script` and therefore change nothing."""

    state: dict[str, Any]
    faults: tuple[str, ...]

    @property
    def text(self) -> str:
        """The beginning of the script, a line for each value."""
        lines = []
        for section, held in self.state.items():
            if isinstance(held, dict):
                lines += [f"{section}:", *(f"    {name}: {value}" for name, value in held.items())]
            else:
                lines.append(f"{section}: {held}")
        return "\n".join(lines)[:LONGEST]


def scripts_of(turns: list[Turn]) -> Iterator[Script]:
    """The script after each turn. Nothing of it is executed."""
    script: dict[str, Any] = {"Config": {}, "Phase": {}, "Flow": []}
    for turn in turns:
        faults = []
        try:
            statements = ast.parse(turn.script).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as exc:
            statements, faults = [], [f"is not Python: {exc}"]
        for statement in statements:
            try:
                script = _assigned(script, statement)
            except (ValueError, TypeError, RecursionError, MemoryError):
                faults.append(f"line {statement.lineno} doesn't assign a value to a part of script")
        yield Script(script, tuple(faults))


def _assigned(script: dict[str, Any], statement: ast.stmt) -> dict[str, Any]:
    """A copy of the script with the value that a statement assigns to a part of it."""
    match statement:
        case ast.Assign(targets=[ast.Subscript() as target], value=value):
            *parents, last = _path(target)
        case _:
            raise ValueError
    changed = dict(script)
    at = changed
    for key in parents:
        inner = at.get(key, {})
        if not isinstance(inner, dict):
            raise ValueError
        at[key] = dict(inner)
        at = at[key]
    at[last] = ast.literal_eval(value)
    repr(at[last])  # also refuses a value that can't be shown
    return changed


def _path(target: ast.expr) -> list[str]:
    match target:
        case ast.Name(id="script"):
            return []
        case ast.Subscript(value=inner, slice=ast.Constant(value=str(key))):
            return [*_path(inner), key]
    raise ValueError
