"""The manager of a game: its view, questions to it, and a chat endpoint as the manager.

A manager's view has all messages, questions, answers and calls so far, in order. A call is the text
of a JSON object with `function` and `arguments`; a manager that can only write text calls a
function with such a text. The speaker of a question about the game is `ASKED`, and of the result of
a call `RESULT`.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from disciplines.folders import bundled
from disciplines.labyrinth.functions import GameState, as_tools
from disciplines.labyrinth.gameplay import MANAGER
from disciplines.labyrinth.metrics import RULES
from disciplines.labyrinth.survey import player_parts, scene_parts, spaced
from disciplines.providers import ChatEndpoint
from disciplines.raters import Part
from disciplines.room import Call, Seat, Turn, View
from disciplines.run import ItemFailed, TooLate

#: The speaker of questions about the game, and of the results of calls.
ASKED, RESULT = "Question", "Result"
#: The maximum number of times that a manager is asked for one of the possible answers.
TRIES = 3


#: The default instructions for a manager.
INSTRUCTION = "\n".join((bundled("labyrinth", "manager").strip(), "The rules of the game:", *RULES))


def manager_view(state: GameState, messages: Sequence[tuple[str, str]], calls: bool) -> View:
    """A manager's view.

    Arguments:
        state: the state of the game.
        messages: the messages, as described at the top of this module.
        calls: whether the manager may call functions now.
    """
    panels: list[Part] = scene_parts(state.scene)
    for player in state.players.values():
        panels += [(f"{spaced(player.name)}: {name}", text) for name, text in player_parts(player)]
    return View(state.scene.scene, messages, panels, as_tools(state.players) if calls else ())


def call_text(name: str, arguments: Any) -> str:
    """A call as a text."""
    return json.dumps({"function": name, "arguments": arguments}, ensure_ascii=False)


def parse_call(text: str) -> Call | None:
    """The call that a text contains; None if it isn't a call."""
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
    """Asks a manager a question about the game.

    Arguments:
        seat: the manager's seat.
        view: the manager's view so far.
        question: a question that can be answered with one word.
        answers: the possible answers, in lower case.
        seconds: returns the time limit for the next answer, in seconds; None for no limit.

    Returns:
        The first of these words in the manager's answer; "" if there is none in time.
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

    It remembers nothing between turns; each request is made from the view. If an answer has several
    calls, each is a separate turn, and the text of the answer goes with the first.

    Arguments:
        endpoint: the endpoint; its system message replaces `INSTRUCTION`.
        game: the name of the game, from which the seeds are derived.
    """

    def __init__(self, endpoint: ChatEndpoint, game: str) -> None:
        self._endpoint, self._game = endpoint, game
        self._left: list[Call] = []

    def show(self, view: View) -> None:
        """Does nothing, because an endpoint gets the view when it is asked."""

    def ask(self, view: View, seconds: float | None = None) -> Turn | None:
        """See Seat."""
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
        """A separate dialogue, because an endpoint refuses a dialogue with a call that has no
        result yet."""
        said = "\n".join(f"[{spaced(who)}] {text}" for who, text in view.messages)
        return [self._system(view), {"role": "user", "content": said}]

    def _dialogue(self, view: View) -> list[dict[str, Any]]:
        first = {"role": "user", "content": "The players are here."}
        messages, called, asked = [self._system(view), first], "", False
        for number, (who, text) in enumerate(view.messages):
            call = parse_call(text) if who == MANAGER else None
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
    """A call from an endpoint's answer. Malformed arguments stay a text."""
    function = sent.get("function") if isinstance(sent, dict) else None
    if not isinstance(function, dict):
        return Call("", sent)
    arguments = function.get("arguments") or {}
    if isinstance(arguments, str):
        arguments = _json_in(arguments, arguments)
    return Call(str(function.get("name")), arguments)


def _json_in(text: str, otherwise: Any = None) -> Any:
    def refuse(_constant: str) -> None:
        raise ValueError("not a JSON number")

    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(text, parse_constant=refuse)
    return otherwise
