"""The manager of a game: what it sees and is asked, and a chat endpoint in its place.

A manager's view holds everything that it was told, asked and has done, in order. A call is there as
the text of a JSON object with `function` and `arguments`; a manager who can only write calls a
function by such a text. A question about the game comes from `ASKED`, what came of a call from
`RESULT`.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

from disciplines.labyrinth.functions import State, as_tools
from disciplines.labyrinth.gameplay import MANAGER
from disciplines.labyrinth.metrics import RULES
from disciplines.labyrinth.survey import player_parts, scene_parts, spaced
from disciplines.providers import ChatEndpoint
from disciplines.raters import Part
from disciplines.room import Call, Seat, Turn, View
from disciplines.run import ItemFailed, TooLate

#: Who asks a manager about the game, and who says what came of a call.
ASKED, RESULT = "Question", "Result"
#: How often a manager is asked for one of the answers.
TRIES = 3


def bundled(name: str) -> str:
    """A text of ours: what a model is told that is a manager or a player."""
    return (files("disciplines.labyrinth") / "bundled" / f"{name}.txt").read_text("utf-8").strip()


#: What a manager is told.
INSTRUCTION = "\n".join((bundled("manager"), "The rules of the game:", *RULES))


def manager_view(state: State, messages: Sequence[tuple[str, str]], calls: bool) -> View:
    """What a manager sees.

    Arguments:
        state: of the game.
        messages: see the top of this module.
        calls: whether it may call functions now.
    """
    panels: list[Part] = scene_parts(state.scene)
    for player in state.players.values():
        panels += [(f"{spaced(player.name)}: {name}", text) for name, text in player_parts(player)]
    return View(state.scene.scene, messages, panels, as_tools(state.players) if calls else ())


def call_text(name: str, arguments: Any) -> str:
    """A call as a text."""
    return json.dumps({"function": name, "arguments": arguments}, ensure_ascii=False)


def call_in(text: str) -> Call | None:
    """The call that a text is, or None if it is none."""
    found = _json_in(text)
    if not isinstance(found, dict) or found.keys() != {"function", "arguments"}:
        return None
    return Call(str(found["function"]), found["arguments"])


def decide(
    seat: Seat,
    view: View,
    question: str,
    answers: Sequence[str],
    seconds: Callable[[], float | None] = lambda: None,
) -> str:
    """Asks a manager about the game.

    Arguments:
        seat: the manager's.
        view: what it has seen so far.
        question: it can be answered by one word.
        answers: the possible ones, in small letters.
        seconds: for how long it may think now.

    Returns:
        The first of these words in what it says; "" if it says none or thinks for too long.
    """
    asked = (ASKED, f"{question} Answer with one word: {' or '.join(answers)}.")
    messages = [*view.messages, asked]
    view = view._replace(messages=messages, functions=(), choices=answers)
    for _ in range(TRIES):
        said = seat.ask(view, seconds())
        words = re.findall(r"\w+", said.lower()) if isinstance(said, str) else ()
        found = next((word for word in words if word in answers), "")
        if found or said is None:
            return found
    return ""


class EndpointManager:
    """A chat endpoint at the manager's seat, with the functions as its tools.

    It remembers nothing: what it is told is in the view. Of several calls in one answer, each is a
    turn; the words beside them go with the first.

    Arguments:
        endpoint: the endpoint; its system message replaces `INSTRUCTION`.
        game: the name of the game, from which the seeds are derived.
    """

    def __init__(self, endpoint: ChatEndpoint, game: str) -> None:
        self._endpoint, self._game = endpoint, game
        self._left: list[Call] = []

    def show(self, view: View) -> None:
        """Does nothing: an endpoint looks only when it is asked."""

    def ask(self, view: View, seconds: float | None = None) -> Turn | None:
        """Its turn; None if it takes too long. Raises ItemFailed, EnvironmentProblem."""
        fields: dict[str, Any] = {}
        if view.functions and self._left:
            return self._left.pop(0)
        messages = self._question(view) if view.choices else self._dialogue(view)
        if not view.choices:
            self._left = []
            fields = {"tools": as_tools(), "tool_choice": "auto" if view.functions else "none"}
        item = f"{self._game}_{len(view.messages)}"
        try:
            found = self._endpoint.complete(messages, item, seconds, **fields)
        except TooLate:
            return None
        calls = [_call(each) for each in found.calls] if view.functions else []
        if not calls and not found.text.strip():
            raise ItemFailed("the endpoint's answer is empty")
        if not calls:
            return found.text
        self._left = calls[1:]
        return calls[0]._replace(words=found.text)

    def _system(self, view: View) -> dict[str, Any]:
        told = [self._endpoint.table.system or INSTRUCTION, "The game now:"]
        told += [f"{label}: {'; '.join(lines)}" for label, lines in view.panels]
        return {"role": "system", "content": "\n".join(told)}

    def _question(self, view: View) -> list[dict[str, Any]]:
        """A dialogue of its own, because calls without a result have no place in one."""
        said = "\n".join(f"[{spaced(who)}] {text}" for who, text in view.messages)
        return [self._system(view), {"role": "user", "content": said}]

    def _dialogue(self, view: View) -> list[dict[str, Any]]:
        first = {"role": "user", "content": "The players are here."}
        messages, called, asked = [self._system(view), first], "", False
        for number, (who, text) in enumerate(view.messages):
            call = call_in(text) if who == MANAGER else None
            if asked or who == ASKED:  # a question, and the answer after it
                asked = not asked
            elif call is not None:
                called = f"call_{number}"
                written = {"name": call.name, "arguments": _json(call.arguments)}
                tool = {"id": called, "type": "function", "function": written}
                words = None
                if messages[-1]["role"] == "assistant" and "tool_calls" not in messages[-1]:
                    words = messages.pop()["content"]
                messages.append({"role": "assistant", "content": words, "tool_calls": [tool]})
            elif who == RESULT:
                messages.append({"role": "tool", "tool_call_id": called, "content": text})
            elif who == MANAGER:
                messages.append({"role": "assistant", "content": text})
            else:
                messages.append({"role": "user", "content": f"[Player] {spaced(who)}: {text}"})
        return messages


def _json(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _call(sent: Any) -> Call:
    """A call as an endpoint sends it: arguments that can't be read stay the text that they are."""
    function = sent.get("function") if isinstance(sent, dict) else None
    if not isinstance(function, dict):
        return Call("", sent)
    arguments = function.get("arguments") or {}
    if isinstance(arguments, str):
        arguments = _json_in(arguments, arguments)
    return Call(str(function.get("name")), arguments)


def _json_in(text: str, otherwise: Any = None) -> Any:
    def refuse(_constant: str) -> None:
        raise ValueError("not a number of JSON")

    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(text, parse_constant=refuse)
    return otherwise
