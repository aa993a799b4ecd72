"""A short game of our own for the tests."""

from __future__ import annotations

import copy
from typing import Any

SCENE: dict[str, Any] = {
    "chapter": "The Lower Gate",
    "scene": "The Clockmaker's Bridge",
    "scene_summary": ["A bridge that is late.", "It arrives at noon."],
    "npcs": {
        "Tock": {
            "kin": "Owl",
            "persona": ["I count aloud.", "I hate rain."],
            "goal": "To be on time.",
            "trait": "Exact - Knows the hour.",
            "flaw": "Proud - Never asks.",
        }
    },
    "success_condition": "All cross.",
    "failure_condition": "The clock stops.",
    "game_flow": ["Meet Tock.", "Cross."],
    "environment": {"bell": "It rings by itself."},
    "random_tables": {"Weather": ["rain", "fog", "sun"]},
    "consequences": "The gate opens.",
    "is_action_scene": False,
}


def player(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "kin": "Hare",
        "persona": ["I run."],
        "goal": "Home.",
        "traits": {"Fast": "Runs well."},
        "flaws": {"Shy": "Hides."},
        "inventory": {"rope": "Ten yards."},
        "additional_notes": ["None."],
    }


def said(role: str, name: str | None, content: str | None, **more: Any) -> dict[str, Any]:
    return {"role": role, "name": name, "content": content, **more}


def completion(generated: dict[str, Any], *history: dict[str, Any]) -> dict[str, Any]:
    return {
        "scene": copy.deepcopy(SCENE),
        "players": [player("Ann_Lee"), player("Bob")],
        "past_history": list(history),
        "current_queries": [said("user", "Bob", "I ring the bell.")],
        "actual_prompt": ["prompt"],
        "generated": generated,
    }


RECORD: list[dict[str, Any]] = [
    completion(said("assistant", "Goblin_King", "It rings.", function_call=False)),
    completion(
        said("assistant", None, None, function_call=True), said("user", "Ann_Lee", "I wait.")
    ),
    completion(
        said("assistant", "Goblin_King", "You may <b>cross</b> &\n[[PageBreak]]"),
        said("user", "Ann_Lee", "I wait."),
        said("assistant", "Goblin_King", "It rings."),
        said("function", "use_item", "USED"),
    ),
    {"game_result": "success", "condition": "All cross."},
]
