"""A chat endpoint as the manager, and the tests of its updates."""

from __future__ import annotations

import copy
import json
import random
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from disciplines.labyrinth.functions import Executor, as_tools, state_of
from disciplines.labyrinth.gameplay import MANAGER, read_gameplay
from disciplines.labyrinth.manager import (
    ASKED,
    RESULT,
    TRIES,
    EndpointManager,
    call_text,
    decide,
    manager_view,
    parse_call,
)
from disciplines.labyrinth.updates import MESSAGES, read_tests
from disciplines.providers import ChatEndpoint, ProviderTable
from disciplines.room import Call, Turn, View
from disciplines.run import ItemFailed
from loebner.cli import main
from scheduler.errors import BadInput
from tests.bots.adapters.servers import Reply, chat_endpoint, said
from tests.disciplines.labyrinth_games import RECORD

BUNDLED = Path(str(files("disciplines.labyrinth"))) / "bundled"
STATE = state_of(read_gameplay(BUNDLED / "demo" / "ferry.json").start)


def calling(*calls: Any, words: str | None = None) -> Reply:
    """A completion with calls of tools; arguments that are text are sent as they are."""
    tools = [
        {"id": f"x{number}", "type": "function", "function": {"name": name, "arguments": text}}
        for number, (name, arguments) in enumerate(calls)
        for text in [arguments if isinstance(arguments, str) else json.dumps(arguments)]
    ]
    message = {"role": "assistant", "content": words, "tool_calls": tools}
    return Reply(body=json.dumps({"choices": [{"message": message}]}).encode())


def manager(url: str, **more: Any) -> EndpointManager:
    table = ProviderTable(endpoint=url, model="m", key_from="", **more)
    return EndpointManager(ChatEndpoint(table), "game")


def view(*messages: tuple[str, str], calls: bool = True) -> View:
    return manager_view(STATE, messages, calls)


# The manager


@pytest.mark.parametrize("call", [Call("fly", {}), Call("x", [1]), Call("y", "{ü"), Call("", None)])
def test_a_call_survives_as_a_text(call: Call) -> None:
    assert parse_call(call_text(call.name, call.arguments)) == call


@pytest.mark.parametrize(
    "text",
    [
        *("", "I wait.", "[]", "{}", "null", "[" * 100_000, '{"function": "fly"}'),
        '{"function": "fly", "arguments": {}} and on',
        '{"function": "fly", "arguments": {"far": NaN}}',
    ],
)
def test_other_texts_are_not_calls(text: str) -> None:
    assert parse_call(text) is None


def test_the_endpoint_gets_the_functions_and_the_results_of_its_calls() -> None:
    with chat_endpoint(calling(("use_item", {"a": 1}), words="Now!"), said("Done.")) as endpoint:
        seat = manager(endpoint.url, system="You are the king.")
        began = [("Odd_Job", "I wait.")]
        assert seat.ask(view(*began)) == Call("use_item", {"a": 1}, "Now!")
        question = [(ASKED, "Is it used up?"), (MANAGER, "no")]
        called = [(MANAGER, "Now!"), (MANAGER, call_text("use_item", {"a": 1}))]
        shown = view(*began, *called, *question, (RESULT, "IT ISN'T THERE"))
        assert seat.ask(shown) == "Done."
    first = endpoint.asked[0].document
    assert first["tools"] == json.loads(json.dumps(as_tools()))
    assert first["messages"][0]["content"].startswith("You are the king.")
    assert "Odd Job: Inventory: [lantern]" in first["messages"][0]["content"]
    call, result = endpoint.asked[-1].document["messages"][-2:]
    assert call["content"] == "Now!"
    (tool,) = call["tool_calls"]
    assert result == {"role": "tool", "tool_call_id": tool["id"], "content": "IT ISN'T THERE"}
    assert [each["content"] for each in endpoint.messages[1:-2]] == [
        "The players are here.",
        "[Player] Odd Job: I wait.",
    ]


def test_each_call_in_an_answer_is_a_separate_turn() -> None:
    reply = calling(("add_object", {}), ("remove_object", {}))
    with chat_endpoint(reply, said("Done.")) as endpoint:
        seat = manager(endpoint.url)
        assert seat.ask(view()) == Call("add_object", {})
        assert seat.ask(view((MANAGER, call_text("add_object", {})), (RESULT, "NO"))) == Call(
            "remove_object", {}
        )
        assert len(endpoint.asked) == 1
        assert seat.ask(view()) == "Done."


@pytest.mark.parametrize(
    ("sent", "arguments"),
    [("", {}), ("{half", "{half"), ("[1]", [1]), ('{"a": 1e400}', {"a": float("inf")})],
)
def test_malformed_arguments_are_refused(sent: str, arguments: Any) -> None:
    with chat_endpoint(calling(("remove_object", sent))) as endpoint:
        found = manager(endpoint.url).ask(view())
    assert isinstance(found, Call)
    assert found.arguments == arguments
    called = Executor(STATE, random.Random(1), lambda *_: "").call(found.name, found.arguments)
    assert not called.done


def test_without_functions_the_endpoint_sends_a_message() -> None:
    with chat_endpoint(calling(("add_object", {}), words="Well."), calling(("x", {}))) as endpoint:
        seat = manager(endpoint.url)
        assert seat.ask(view(calls=False)) == "Well."
        assert endpoint.asked[0].document["tool_choice"] == "none"
        with pytest.raises(ItemFailed):
            seat.ask(view(calls=False))


def test_an_endpoint_that_is_too_slow_has_no_turn() -> None:
    with chat_endpoint(Reply(503)) as endpoint:
        assert manager(endpoint.url).ask(view(), 0.1) is None


class Says:
    """A manager that answers with these texts in order."""

    def __init__(self, *texts: Turn | None) -> None:
        self.texts, self.seen = list(texts), list[View]()

    def ask(self, view: View, seconds: float | None = None) -> Turn | None:
        self.seen.append(view)
        return self.texts.pop(0)

    def show(self, view: View) -> None:
        pass


@pytest.mark.parametrize(
    ("texts", "answer"),
    [
        (["Easier."], "easier"),
        (["I think that it's NEITHER, not harder"], "neither"),
        (["Hm.", Call("fly", {}), "harder"], "harder"),
        (["easily"] * TRIES, ""),
        (["Hm.", None], ""),
    ],
)
def test_a_question_gets_one_of_the_possible_answers(texts: list[Turn | None], answer: str) -> None:
    seat = Says(*texts)
    found = decide(seat, view(("Grum", "I dig.")), "How?", ("easier", "harder", "neither"))
    assert found == answer
    assert seat.texts == []
    for seen in seat.seen:
        assert not seen.functions
        assert seen.messages[-1][0] == ASKED


def test_a_question_is_a_separate_dialogue_without_tools() -> None:
    with chat_endpoint(said("yes")) as endpoint:
        pending = view(("Grum", "I dig."), (MANAGER, call_text("use_item", {})))
        assert decide(manager(endpoint.url), pending, "Is it used up?", ("yes", "no")) == "yes"
    assert "tools" not in endpoint.asked[0].document
    assert [each["role"] for each in endpoint.messages] == ["system", "user"]
    assert "I dig." in endpoint.messages[-1]["content"]


# Tests of updates


def run_tests(replies: list[Reply], *words: str) -> int:
    with chat_endpoint(*replies) as endpoint:
        options = ["--endpoint", endpoint.url, "--model", "m", "--key-from", "", "--json"]
        return main(["labyrinth", "test", *words, *options])


def test_a_manager_that_makes_each_listed_call_gets_all_points(
    capsys: pytest.CaptureFixture[str],
) -> None:
    replies = []
    for test in read_tests(BUNDLED / "tests.json"):
        for each in test.updated:
            replies.append(calling((each.function, each.arguments)))
            replies += [said("yes")] * (each.function == "use_item")
        replies.append(said("That is done."))
    assert run_tests(replies) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["points"] == 100
    assert {got for each in found["tests"] for got in each["points"]} == {100}


def test_a_manager_that_only_talks_gets_no_points(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tests([said("I do nothing.")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {each["messages"] for each in found["tests"]} == {1}
    assert found["points"] == 0


def test_a_manager_that_never_stops_calling_is_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tests([calling(("activate_action_scene", {}))]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {each["messages"] for each in found["tests"]} == {MESSAGES}
    assert found["functions"]["activate_action_scene"] == 100


def test_a_manager_that_fails_in_a_test_gets_no_points_for_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = calling(("activate_action_scene", {}))
    assert run_tests([first, said("Go!"), Reply(400), said("Hm.")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["points"] for each in found["tests"]][:2] == [[100], [0]]
    assert found["tests"][1]["reason"]


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("input", "scene", "npcs"), [], "[0].input.scene.npcs"),
        (("output", "players", 0, "name"), "Eve", "[0].output.players"),
        (("output", "players"), [], "[0].output.players"),
        (("dialogue", 0, "role"), "king", "[0].dialogue[0].role"),
        (("updated",), [], "[0].updated"),
        (("updated", 0, "function"), "fly", "[0].updated[0]"),
        (("updated", 0, "arguments"), {}, "[0].updated[0]"),
        (("updated", 0, "arguments", "player_name"), "Eve", "[0].updated[0].arguments.player_name"),
    ],
)
def test_each_fault_of_a_test_has_its_place(
    path: tuple[Any, ...], value: Any, place: str, tmp_path: Path
) -> None:
    document = [_good()]
    at: Any = document[0]
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    file = tmp_path / "tests.json"
    file.write_text(json.dumps(document))
    with pytest.raises(BadInput) as raised:
        read_tests(file)
    assert f" {place}: " in str(raised.value)
    assert run_tests([], str(file)) == 2


def test_a_valid_test_is_read(tmp_path: Path) -> None:
    file = tmp_path / "tests.json"
    file.write_text(json.dumps([_good()]))
    assert len(read_tests(file)) == 1


def _good() -> dict[str, Any]:
    situation = {key: RECORD[0][key] for key in ("scene", "players")}
    update = {"function": "remove_item", "arguments": {"player_name": "Bob", "item_name": "rope"}}
    return {
        "input": copy.deepcopy(situation),
        "dialogue": [{"role": "user", "name": "Bob", "content": "I drop my rope."}],
        "output": copy.deepcopy(situation),
        "updated": [update, {"function": "use_environment", "arguments": {"object": "bell"}}],
    }
