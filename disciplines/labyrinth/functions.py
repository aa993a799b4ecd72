"""The functions with which the manager changes the game (docs/reference/labyrinth.md).

A call either changes the state and reports what happened, or changes nothing and gives the reason,
in capitals as in the original. Without I/O; the caller provides dice and decisions.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from disciplines.labyrinth.gameplay import Npc, Player, Scene, Situation

#: The flaws that a character of the manager may have.
NPC_FLAWS = ("Blunt", "Coward", "Forgetful", "Naive", "Proud", "Selfish")
#: Added to the description of an item that is used up.
USED_UP = " (No longer available)"
#: The difficulties of a test.
EASIEST, HARDEST = 2, 6
_SIDES = 6

#: A parameter's annotation, to its type, its name in JSON, and its name for people.
_TYPES: dict[str, tuple[type, str, str]] = {
    "str": (str, "string", "text"),
    "int": (int, "integer", "a whole number"),
    "bool": (bool, "boolean", "true or false"),
}
#: Decides a question about the game: takes the question and its possible answers, and returns one
#: of them. A person or a language model decides.
Decide = Callable[[str, Sequence[str]], str]


class GameState(NamedTuple):
    """The scene and the players, by name."""

    scene: Scene
    players: dict[str, Player]


def state_of(situation: Situation) -> GameState:
    """The state in a record."""
    return GameState(situation.scene, {each.name: each for each in situation.players})


class CallResult(NamedTuple):
    """The result of a call: its message, and whether it was carried out (`done`).

    `asked` has the questions that were decided during the call, with their answers.
    """

    text: str
    done: bool
    asked: dict[str, str]


class Refused(Exception):
    """A call is refused and changes nothing; the text says why."""


class Executor:
    """Executes calls of the functions on a game's state.

    Arguments:
        state: the state at the beginning; it is copied.
        random: the source of dice and draws.
        decide: decides questions that the rules leave open.
    """

    def __init__(self, state: GameState, random: Random, decide: Decide) -> None:
        self.state = copy.deepcopy(state)
        self._random = random
        self._decide = decide
        self._asked: dict[str, str] = {}

    def call(self, name: str, arguments: Any) -> CallResult:
        """Calls a function.

        Arguments:
            name: a key of `FUNCTIONS`; any other name is refused.
            arguments: the arguments by name; wrong ones are refused.
        """
        self._asked = {}
        try:
            function = checked(name, arguments)
            text = function(self, **arguments)
        except Refused as refused:
            return CallResult(str(refused).upper(), False, self._asked)
        return CallResult(text, True, self._asked)

    def activate_test(
        self, player_name: str, initial_difficulty: int, final_difficulty: int
    ) -> str:
        """Rolls a die for a player, or two where a trait or a flaw matters."""
        player = self._player(player_name)
        for each in (initial_difficulty, final_difficulty):
            if not EASIEST <= each <= HARDEST:
                raise Refused(f"The difficulty must be {EASIEST} to {HARDEST}, not {each}.")
        if final_difficulty > initial_difficulty:
            raise Refused("The final difficulty must not be above the initial difficulty.")
        traits, flaws = (", ".join(each) or "none" for each in (player.traits, player.flaws))
        how = self._ask(
            f"Does a trait or an item of {player.name} make this test easier, or does a flaw make "
            "it harder? "
            f"Traits: {traits}. Flaws: {flaws}.",
            ("easier", "harder", "neither"),
        )
        dice = [self._random.randint(1, _SIDES) for _ in range(1 if how == "neither" else 2)]
        result = max(dice) if how == "easier" else min(dice)
        outcome = "succeeds" if result >= final_difficulty else "fails"
        rolled = " and ".join(map(str, dice))
        return f"{player.name} rolls {rolled} against {final_difficulty} ({how}) and {outcome}."

    def activate_action_scene(self) -> str:
        """Begins an action scene."""
        if self.state.scene.is_action_scene:
            raise Refused("An action scene is already in progress.")
        self.state.scene.is_action_scene = True
        return "The action scene begins."

    def terminate_action_scene(self) -> str:
        """Ends the action scene."""
        if not self.state.scene.is_action_scene:
            raise Refused("There is no action scene.")
        self.state.scene.is_action_scene = False
        return "The action scene is over."

    def create_npc(
        self,
        npc_name: str,
        npc_desc: str,
        kin: str = "",
        goal: str = "",
        trait: str = "",
        flaw: str = "",
    ) -> str:
        """Brings a character into the scene."""
        if flaw and flaw.partition(" - ")[0] not in NPC_FLAWS:
            raise Refused(f"The flaw must be one of {', '.join(NPC_FLAWS)}.")
        npc = Npc(kin=kin, persona=[npc_desc], goal=goal, trait=trait, flaw=flaw)
        _add(self.state.scene.npcs, npc_name, npc, "character")
        return f"{npc_name} is in the scene."

    def add_object(self, object_name: str, object_desc: str) -> str:
        """Puts an object into the scene."""
        _add(self.state.scene.environment, object_name, object_desc, "object")
        return f"{object_name} is in the scene."

    def remove_object(self, object_name: str) -> str:
        """Takes an object out of the scene."""
        _remove(self.state.scene.environment, object_name, "object")
        return f"{object_name} is gone."

    def use_item(self, player_name: str, item_name: str) -> str:
        """Uses an item of a player, and uses it up if it can be used only once."""
        items = self._player(player_name).inventory
        if item_name not in items:
            raise Refused(f"{player_name} has no {item_name}.")
        if items[item_name].endswith(USED_UP):
            raise Refused(f"{item_name} is used up.")
        used_up = self._ask(
            f"Is {item_name} ({items[item_name]}) used up when it is used?", ("yes", "no")
        )
        if used_up == "yes":
            items[item_name] += USED_UP
        return f"{player_name} uses {item_name}." + (" It is used up." * (used_up == "yes"))

    def use_random_table(
        self, table_name: str, samples: int = 0, exclude: bool = False, remove: bool = False
    ) -> str:
        """Draws entries from a table. They, or the whole table, can be removed from further
        draws."""
        tables = self.state.scene.random_tables
        if table_name not in tables:
            raise Refused(f"There is no table {table_name}.")
        entries = tables[table_name]
        if not 0 <= samples <= len(entries):
            raise Refused(f"The table has {len(entries)} entries, so draw 1 to {len(entries)}.")
        drawn = self._random.sample(entries, samples or self._random.randint(1, len(entries)))
        if exclude:
            tables[table_name] = [each for each in entries if each not in drawn]
        if remove or not tables[table_name]:
            del tables[table_name]
        return f"{table_name}: {'; '.join(drawn)}"

    def add_trait(self, player_name: str, trait_name: str, trait_desc: str) -> str:
        """Gives a player a new trait."""
        return self._give("trait", player_name, trait_name, trait_desc)

    def add_flaw(self, player_name: str, flaw_name: str, flaw_desc: str) -> str:
        """Gives a player a new flaw."""
        return self._give("flaw", player_name, flaw_name, flaw_desc)

    def add_item(self, player_name: str, item_name: str, item_desc: str) -> str:
        """Gives a player a new item."""
        return self._give("item", player_name, item_name, item_desc)

    def remove_trait(self, player_name: str, trait_name: str) -> str:
        """Takes a trait from a player."""
        return self._take("trait", player_name, trait_name)

    def remove_flaw(self, player_name: str, flaw_name: str) -> str:
        """Takes a flaw from a player."""
        return self._take("flaw", player_name, flaw_name)

    def remove_item(self, player_name: str, item_name: str) -> str:
        """Takes an item from a player."""
        return self._take("item", player_name, item_name)

    def _player(self, name: str) -> Player:
        if name not in self.state.players:
            raise Refused(f"There is no player {name}.")
        return self.state.players[name]

    def _give(self, what: str, player: str, name: str, desc: str) -> str:
        held = getattr(self._player(player), HELD[what])
        _add(held, name, desc, f"{what} of {player}")
        return f"{player} has the {what} {name}."

    def _take(self, what: str, player: str, name: str) -> str:
        _remove(getattr(self._player(player), HELD[what]), name, f"{what} of {player}")
        return f"{player} has lost the {what} {name}."

    def _ask(self, question: str, answers: Sequence[str]) -> str:
        answer = self._decide(question, answers)
        if answer not in answers:
            raise Refused(f"Nobody could decide: {question}")
        self._asked[question] = answer
        return answer


#: The kinds of things that a player has: the word for one, to the player's attribute.
HELD = {"trait": "traits", "flaw": "flaws", "item": "inventory"}


def _add(held: dict[str, Any], name: str, value: Any, what: str) -> None:
    if not name.strip():
        raise Refused(f"The {what} needs a name.")
    if name in held:
        raise Refused(f"The {what} {name} is already there.")
    held[name] = value


def _remove(held: dict[str, Any], name: str, what: str) -> None:
    if name not in held:
        raise Refused(f"There is no {what} {name}.")
    del held[name]


#: All functions by name.
FUNCTIONS: dict[str, Callable[..., str]] = {
    name: method
    for name, method in vars(Executor).items()
    if not name.startswith("_") and name != "call"
}


def _parameters(function: Callable[..., str]) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())[1:]


def checked(name: str, arguments: Any) -> Callable[..., str]:
    """The function of a call.

    Raises:
        Refused: if there is no such function, or it doesn't take these arguments.
    """
    if name not in FUNCTIONS:
        raise Refused(f"There is no function {name}.")
    if not isinstance(arguments, Mapping):
        raise Refused(f"The arguments of {name} must be a JSON object.")
    parameters = {each.name: each for each in _parameters(FUNCTIONS[name])}
    for given in arguments:
        if given not in parameters:
            raise Refused(f"{name} takes no {given}.")
    for each in parameters.values():
        kind, _, words = _TYPES[each.annotation]
        if each.name not in arguments:
            if each.default is each.empty:
                raise Refused(f"{name} needs {each.name}.")
        elif type(arguments[each.name]) is not kind:
            raise Refused(f"{each.name} must be {words}.")
    return FUNCTIONS[name]


def as_tools(players: Iterable[str] = ()) -> list[dict[str, Any]]:
    """The functions as tools of a chat endpoint. If `players` are given, their names are the only
    ones allowed."""
    tools, known = [], {"enum": [*players]}
    for name, function in FUNCTIONS.items():
        parameters = _parameters(function)
        properties = {
            each.name: {"type": _TYPES[each.annotation][1]}
            | (known if each.name == "player_name" and known["enum"] else {})
            for each in parameters
        }
        required = [each.name for each in parameters if each.default is each.empty]
        schema = {"type": "object", "properties": properties, "required": required}
        described = {"name": name, "description": function.__doc__, "parameters": schema}
        tools.append({"type": "function", "function": described})
    return tools
