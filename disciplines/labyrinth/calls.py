"""Points for the manager's calls that change the state (docs/reference/labyrinth.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from disciplines.labyrinth.functions import HELD, Executor, GameState, state_of
from disciplines.labyrinth.gameplay import FunctionResult, Gameplay, Scene

WHOLE, HALF = 100, 50


class Points(NamedTuple):
    """The points of a call, out of 100. `completion` counts from 0."""

    completion: int
    function: str
    points: int


def points(function: str, arguments: dict[str, Any], expected: GameState, found: GameState) -> int:
    """The points of a call for the state after it, out of 100.

    Arguments:
        function: the function's name.
        arguments: the arguments of the call.
        expected, found: the right state after the call, and the actual one.
    """
    verb, _, what = function.partition("_")
    scenes = expected.scene, found.scene
    if what == "action_scene":
        return WHOLE * (scenes[0].is_action_scene == scenes[1].is_action_scene)
    if function == "create_npc":
        same = len(scenes[0].npcs) == len(scenes[1].npcs)
        return HALF * same + HALF * (arguments["npc_name"] in scenes[1].npcs)
    if function == "use_environment":
        items = [
            {each.name: each.inventory for each in x.players.values()} for x in (expected, found)
        ]
        return WHOLE * (items[0] == items[1] and scenes[0].environment == scenes[1].environment)
    if function == "use_random_table":
        sizes = [{name: len(rows) for name, rows in each.random_tables.items()} for each in scenes]
        return HALF * (sizes[0].keys() == sizes[1].keys()) + HALF * (sizes[0] == sizes[1])
    if what == "object":
        one, other = (each.environment for each in scenes)
    else:
        name = arguments["player_name"]
        if name not in found.players:
            return 0
        one, other = (getattr(each.players[name], HELD[what]) for each in (expected, found))
    same = len(one) == len(other) if verb == "add" else one == other
    scene_is_right = function != "remove_item" or scenes[0].environment == scenes[1].environment
    return WHOLE * (same and scene_is_right)


def calls_of(game: Gameplay) -> Iterator[Points]:
    """The points of each call in a recorded game that should change the state.

    The right state is computed from the state before the call, by the rules of the functions; the
    actual state is that of the next completion. Decisions during the call, such as whether an item
    is used up, are taken from the record; the number of entries drawn from a table at random, from
    the next state.
    """
    for number, (before, after) in enumerate(pairwise(game.completions)):
        should, done = state_of(before), []
        for each in before.function_results or []:
            executor = Executor(should, Random(0), partial(_decided, each))
            name = str(each.result.name)
            arguments = _with_samples(name, each.arguments, should.scene, after.scene)
            if executor.call(name, arguments).done and name != "activate_test":
                done.append((name, arguments))
            should = executor.state
        for name, arguments in done:
            yield Points(number, name, points(name, arguments, should, state_of(after)))


def _with_samples(
    name: str, arguments: dict[str, Any], before: Scene, after: Scene
) -> dict[str, Any]:
    """The arguments, with the number of drawn entries if it was random."""
    table = arguments.get("table_name")
    if name != "use_random_table" or arguments.get("samples") or not isinstance(table, str):
        return arguments
    held, left = (each.random_tables.get(table, []) for each in (before, after))
    gone = len(held) - len(left)
    return {**arguments, "samples": gone} if 0 < gone <= len(held) else arguments


def _decided(result: FunctionResult, _question: str, answers: Sequence[str]) -> str:
    said = [str(each) for each in (result.intermediate_results or {}).values()]
    return next((each for each in said if each in answers), answers[-1])
