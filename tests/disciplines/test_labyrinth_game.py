"""Games that are played here: the reducer, the driver, the seats, and whole games by command."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.errors import BadSettings, EnvironmentProblem
from disciplines.events import (
    GameBegan,
    GameCalled,
    GameEnded,
    GameEvent,
    GameSaid,
    GameTurn,
)
from disciplines.labyrinth.calls import calls_of
from disciplines.labyrinth.game import (
    ACTION_SECONDS,
    HARD_MS,
    LIMIT_MS,
    REFUSED,
    LiveGame,
    faults_of,
)
from disciplines.labyrinth.gameplay import MANAGER, read_gameplay
from disciplines.labyrinth.gameplay import faults_of as faults_of_record
from disciplines.labyrinth.manager import call_text
from disciplines.labyrinth.playing import Driver, ProviderSeat, play
from disciplines.labyrinth.rating import opened
from disciplines.room import Call, Seat, Turn, View
from disciplines.run import Answer, ItemFailed
from disciplines.verify import verify
from loebner.cli import main
from scheduler.errors import BadInput
from tests.bots.adapters.servers import chat_endpoint, said
from tests.disciplines.labyrinth_games import SCENE, player
from tests.disciplines.test_labyrinth_manager import calling

NAMES = ("Ann_Lee", "Bob")
BEGAN = GameBegan("g", 0, SCENE, [player(name) for name in NAMES], ["prompt"], 1)
BEGIN_ACTION = '{"function": "activate_action_scene", "arguments": {}}'


class Clock:
    """A clock that advances only while a seat thinks."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Thinks:
    """A seat that thinks for some seconds of a clock, and then answers with a function of its view.
    It keeps the views and time limits."""

    def __init__(
        self, clock: Clock, answer: Callable[[View], Turn], seconds: Callable[[View], float]
    ) -> None:
        self._clock, self._answer, self._seconds = clock, answer, seconds
        self.asked: list[tuple[View, float | None]] = []

    def ask(self, view: View, seconds: float | None = None) -> Turn | None:
        self.asked.append((view, seconds))
        needs = self._seconds(view)
        if seconds is not None and needs > seconds:
            self._clock.now += seconds
            return None
        self._clock.now += needs
        return self._answer(view)

    def show(self, view: View) -> None:
        pass


def script(*texts: Turn) -> Callable[[View], Turn]:
    left = list(texts)
    return lambda _: left.pop(0)


def played(
    manager: Callable[[View], Turn],
    says: Callable[[View], Turn] = lambda _: "I wait.",
    seconds: Callable[[View], float] = lambda _: 1.0,
    events: list[GameEvent] | None = None,
) -> tuple[LiveGame, list[GameEvent], dict[str, Thinks]]:
    """Plays a game from its events to its end. Returns the game, all events and the seats."""
    clock, events = Clock(), [BEGAN] if events is None else events
    seats = {name: Thinks(clock, says, seconds) for name in NAMES}
    seats[MANAGER] = Thinks(clock, manager, seconds)
    game = LiveGame(events)

    def take(event: GameEvent) -> None:
        game.apply(event)
        events.append(event)

    as_seats: dict[str, Seat] = {**seats}
    Driver("g", game, as_seats, take, clock).play()
    return game, events, seats


# Any game


def anything(seed: int, patience: float) -> Callable[[View], Turn]:
    """A manager whose turns follow from a seed and its view."""

    def answer(view: View) -> Turn:
        random = Random(f"{seed} {len(view.messages)} {view.messages[-1:]}")
        if view.choices:
            return random.choice(["yes", "no", "no", "no", "easier", "Hm.", "success", "harder"])
        if random.random() < patience:
            return f"{random.random()}: what now? \ud800"
        name = random.choice(["Ann_Lee", "Bob", "Eve"])
        calls: list[Turn] = [
            BEGIN_ACTION,
            Call("terminate_action_scene", {}, "It ends."),
            Call("use_item", {"player_name": name, "item_name": "rope"}),
            Call("use_random_table", {"table_name": "Weather", "exclude": True}),
            Call("remove_flaw", {"player_name": name, "flaw_name": "Shy"}),
            Call("add_trait", {"player_name": name, "trait_name": "A\ud800", "trait_desc": "b"}),
            call_text("create_npc", {"npc_name": "Moth", "npc_desc": "Grey."}),
            Call(
                "activate_test",
                {"player_name": name, "initial_difficulty": 4, "final_difficulty": 3},
            ),
            Call("activate_test", "{half"),
            Call("fly", {"far": 1e300}),
        ]
        return random.choice(calls)

    return answer


@settings(max_examples=15)
@given(st.integers(), st.floats(0, 1), st.sampled_from([20, 100, 400]), st.integers(0, 10**6))
def test_any_game_follows_the_rules_and_continues_after_any_event(
    seed: int, patience: float, slow: int, cut: int
) -> None:
    def seconds(view: View) -> float:
        return Random(f"{seed} {len(view.messages)}").randrange(8 * slow) / 8

    how = anything(seed, patience), lambda _: "I wait.", seconds
    game, events, seats = played(*how)
    assert list(faults_of(events)) == []
    assert game.ms <= HARD_MS
    record = game.gameplay()
    document = json.loads(record.as_json())
    if record.targets:
        assert list(faults_of_record(document)) == []
    # The state after each call is the right one, also by the points of recorded games.
    assert {each.points for each in calls_of(record)} <= {100}
    # In each turn each player speaks once, and nobody is asked out of turn.
    said: list[str] = []
    for event in events:
        if isinstance(event, GameTurn):
            assert sorted(event.order) == sorted(NAMES)
            assert said == []
            said = list(event.order)
        elif isinstance(event, GameSaid) and event.who != MANAGER:
            assert said.pop(0) == event.who
        elif isinstance(event, GameSaid | GameCalled):
            assert said == []
    # A game that was stopped after any event has the same end, and no more time.
    kept = events[: 1 + cut % len(events)]
    if not isinstance(kept[-1], GameEnded):
        recomputed, all_events, _ = played(*how, events=kept)
        assert all_events == events
        assert recomputed.gameplay() == record
    for seat in seats.values():
        assert all(limit is not None and limit <= HARD_MS / 1000 for _, limit in seat.asked)


# The reducer

TURN = GameTurn("g", 5, ["Bob", "Ann_Lee"])
OPENING = GameSaid("g", 1, MANAGER, "Welcome.")


@pytest.mark.parametrize(
    "events",
    [
        [OPENING],
        [BEGAN, BEGAN],
        [BEGAN, TURN],
        [BEGAN, GameSaid("g", 1, "Bob", "Me first!")],
        [BEGAN, OPENING, OPENING],
        [BEGAN, OPENING, GameCalled("g", 1, "fly", "{}", "", {}, "NO", False, {})],
        [BEGAN, OPENING, GameTurn("g", 5, ["Bob"])],
        [BEGAN, OPENING, GameTurn("g", 5, ["Bob", "Bob"])],
        [BEGAN, OPENING, TURN, GameSaid("g", 5, "Ann_Lee", "x")],
        [BEGAN, OPENING, TURN, GameSaid("g", 4, "Bob", "x")],
        [BEGAN, GameCalled("g", 1, "fly", "{half", "", {}, "NO", False, {})],
        [BEGAN, GameCalled("g", 1, "fly", "{}", "", {}, "NO", True, {"scene": {}})],
        [BEGAN, GameEnded("g", 1, "draw", "")],
        [BEGAN, GameEnded("g", 1, "aborted", ""), OPENING],
    ],
)
def test_an_event_that_cant_follow_is_refused(events: list[GameEvent]) -> None:
    with pytest.raises(ValueError):
        LiveGame(events)


def test_events_that_break_the_rules_or_the_seed_are_detected() -> None:
    texts = ["Hi.", BEGIN_ACTION, use("use_random_table", table_name="Weather", exclude=True)]
    _, events, _ = played(script(*texts, "Go.", "success"))
    assert list(faults_of(events)) == []
    turn = events[2]
    assert isinstance(turn, GameTurn)
    changes: list[tuple[int, dict[str, Any]]] = [
        (2, {"order": turn.order[::-1]}),
        (5, {"text": "It begins."}),
        (5, {"changed": {}}),
        (6, {"text": "Weather: hail", "changed": {}}),
        (8, {"result": "timeout"}),
    ]
    for number, change in changes:
        forged = [*events]
        forged[number] = msgspec.structs.replace(events[number], **change)
        if number == 2:  # the players speak in the forged order, too
            forged[3], forged[4] = (
                msgspec.structs.replace(events[n], ms=events[m].ms) for n, m in ((4, 3), (3, 4))
            )
        assert list(faults_of(forged)), number


def use(name: str, **arguments: Any) -> str:
    return call_text(name, arguments)


def test_a_completion_has_the_state_and_messages_that_its_manager_saw() -> None:
    call = Call("use_item", {"player_name": "Bob", "item_name": "rope"}, "Careful.")
    game, _, _ = played(script("Hi.", call, "yes", "Done.", "failure"), lambda _: "I climb.")
    first, second, third = game.gameplay().completions
    said = [x.content for x in second.past_history + second.current_queries]
    assert said == ["Hi.", "I climb.", "I climb."]
    assert (second.generated.content, second.generated.function_call) == ("Careful.", True)
    (result,) = second.function_results or []
    assert result.arguments == call.arguments
    assert [*(result.intermediate_results or {}).values()] == ["yes"]
    assert [each.role for each in third.current_queries] == [
        *("user", "user", "assistant", "function")
    ]
    ropes = [[x.inventory["rope"] for x in each.players] for each in (first, second, third)]
    assert ropes[0] == ropes[1] == ["Ten yards."] * 2
    assert ropes[2] != ropes[1]
    assert msgspec.to_builtins(game.gameplay().ending) == {
        "game_result": "failure",
        "condition": SCENE["failure_condition"],
    }


# The driver


def test_players_have_ten_seconds_in_an_action_scene() -> None:
    game, events, seats = played(
        script("Hi.", BEGIN_ACTION, "Quick!", "no", "Too late.", "success"),
        # Both are too slow in the action scene.
        seconds=lambda view: (
            ACTION_SECONDS + 1 if view.messages[-1:] == [(MANAGER, "Quick!")] else 1
        ),
    )
    said = [each.text for each in events if isinstance(each, GameSaid) and each.who in NAMES]
    assert said == ["I wait.", "I wait.", "", ""]
    for name in NAMES:
        limits = [limit for _, limit in seats[name].asked]
        assert limits[0] is not None
        assert limits[0] > 60
        assert limits[1] == ACTION_SECONDS
    # A player who said nothing has no message.
    assert game.gameplay().completions[-1].current_queries == []


@pytest.mark.parametrize(
    ("seconds", "ms"),
    [(200.0, 20 * 60_000), (10_000.0, HARD_MS)],
)
def test_a_game_ends_when_its_time_is_over(seconds: float, ms: int) -> None:
    game, _, _ = played(lambda view: "no" if view.choices else "On!", seconds=lambda _: seconds)
    assert game.gameplay().ending.game_result == "timeout"
    assert LIMIT_MS <= ms <= game.ms <= HARD_MS


def test_a_game_is_aborted_if_a_seat_cant_answer() -> None:
    def fails(_: View) -> Turn:
        raise ItemFailed("the power is off")

    for how in ((fails,), (lambda _: "Hi.", fails)):
        ending = played(*how)[0].gameplay().ending
        assert ending.game_result == "aborted"
        assert "the power is off" in ending.condition


def test_refused_calls_are_limited() -> None:
    seen: list[bool] = []

    def manager(view: View) -> Turn:
        if view.choices:
            return "success"
        seen.append(bool(view.functions))
        return Call("fly", {}) if view.functions and len(seen) > 1 else "Hm."

    game, events, _ = played(manager)
    assert game.gameplay().ending.game_result == "success"
    assert sum(isinstance(each, GameCalled) for each in events) == REFUSED
    assert seen == [True] * (REFUSED + 1) + [False]
    ending = played(lambda _: Call("fly", {}))[0].gameplay().ending
    assert ending.game_result == "aborted"


def test_a_call_is_refused_if_the_manager_cant_decide() -> None:
    call = use("use_item", player_name="Bob", item_name="rope")
    texts = ["Hi.", call, "Hm.", "Hm.", "Hm.", "So be it.", "Hm.", "Hm.", "Hm.", "On.", "success"]
    game, events, _ = played(script(*texts))
    (called,) = (each for each in events if isinstance(each, GameCalled))
    assert not called.done
    assert game.turn == 2


# Seats of providers


class Hears:
    """A dialogue that answers from a script and keeps the texts that it gets."""

    def __init__(self, *texts: str) -> None:
        self.left, self.told, self.items = list(texts), list[str](), list[str]()

    def ask(self, text: str, item: str, seconds: float | None = None) -> Answer:
        self.told.append(text)
        self.items.append(item)
        return Answer(self.left.pop(0) + "\n")


@pytest.mark.parametrize("remembers", [True, False])
def test_a_provider_gets_everything_once_if_it_remembers(remembers: bool) -> None:
    texts = ["Hi.", use("add_trait", player_name="Bob", trait_name="Wet", trait_desc="He drips.")]
    king = Hears(*texts, "You are wet.", "no", "Home.", "success")
    bob = Hears("I fall.", "I dry.")
    clock, events = Clock(), list[GameEvent]([BEGAN])
    seats: dict[str, Seat] = {
        MANAGER: ProviderSeat(king, "g", MANAGER, "Be the king.", remembers),
        "Bob": ProviderSeat(bob, "g", "Bob", "Be Bob.", remembers),
        "Ann_Lee": Thinks(clock, lambda view: f"I wait {len(view.messages)}.", lambda _: 1),
    }
    game = LiveGame(events)
    Driver("g", game, seats, game.apply, clock).play()
    assert game.gameplay().ending.game_result == "success"
    assert king.items == [f"g_{MANAGER}_{number}" for number in range(1, 7)]
    assert bob.items == ["g_Bob_1", "g_Bob_2"]
    for dialogue, words in (
        (king, ["Be the king.", "Trait: Exact", "[Bob] I fall.", "has the trait Wet."]),
        (bob, ["Be Bob.", "[Goblin King] Hi.", "You are wet.", "[Wet] He drips."]),
    ):
        for each in words:
            told = [each in text for text in dialogue.told]
            assert sum(told) == 1 if remembers else told[-1], each
    # The text explains calls only if there are functions.
    told = ["add_object(object_name: string" in text for text in king.told]
    assert told == ([True] + [False] * 5 if remembers else [True] * 3 + [False, True, False])


# Games by command

SETTINGS = """\
discipline = "labyrinth"
[contest]
name = "A game"
seed = 3
[[game]]
file = "live.json"
system = "s"
scene = "scene.json"
[game.manager]
MANAGER
[[game.player]]
name = "Ann_Lee"
script = ["I run.", "I run on."]
[[game.player]]
name = "Bob"
BOB
"""
BOB = 'script = ["I hide.", "I am at home."]'
TEXTS = [
    "Hi.",
    use("activate_test", player_name="Bob", initial_difficulty=4, final_difficulty=4),
    *("neither", "You try.", "no"),
    use("use_random_table", table_name="Weather", samples=2, exclude=True),
    *("You are home.", "success"),
]


def contest_in(
    folder: Path, manager: str = f"script = {json.dumps(TEXTS)}", bob: str = BOB
) -> Path:
    folder.mkdir(exist_ok=True)
    text = SETTINGS.replace("MANAGER", manager).replace("BOB", bob)
    (folder / "contest.toml").write_text(text)
    scene = {"scene": SCENE, "players": [player(name) for name in NAMES]}
    (folder / "scene.json").write_text(json.dumps(scene))
    return folder


def test_a_game_by_command_can_be_rated_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = contest_in(tmp_path)
    with pytest.raises(BadSettings, match="play"), opened(folder):
        pass
    assert main(["labyrinth", "play", str(folder), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["games"]
    assert (found["game"], found["result"], found["turns"]) == ("live", "success", 2)
    file = folder / "live.json"
    assert main(["labyrinth", "validate", str(file)]) == 0
    assert main(["labyrinth", "survey", str(file), "--out", str(tmp_path / "s.txt")]) == 0
    assert verify(folder).ok
    with opened(folder) as contest:
        assert len(contest.targets) == 3
    assert verify(folder).ok
    # It is played once: the same file is written again.
    data = file.read_bytes()
    assert main(["labyrinth", "play", str(folder), "--game", "live"]) == 0
    assert file.read_bytes() == data
    file.write_bytes(data.replace(b"You try.", b"You win."))
    assert {each.name for each in verify(folder).checks if not each.ok} >= {"game"}


_WAITS = """
import os, sys, time
text = sys.stdin.read()
mark, parent = sys.argv[1], os.getppid()
if "You try." in text and not os.path.exists(mark):
    open(mark, "w").close()
    while os.getppid() == parent:
        time.sleep(0.05)
print("I am at home." if "You try." in text else "I hide.")
"""


def test_a_killed_game_continues(tmp_path: Path) -> None:
    whole, killed = (tmp_path / name for name in ("whole", "killed"))
    play(contest_in(whole))
    mark = tmp_path / "mark"
    (tmp_path / "bob.py").write_text(_WAITS)
    words = [sys.executable, "-I", str(tmp_path / "bob.py"), str(mark)]
    contest_in(killed, bob=f"command = {json.dumps(shlex.join(words))}")
    command = [sys.executable, "-m", "loebner", "labyrinth", "play", str(killed)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 120
        while not mark.exists():
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    assert not (killed / "live.json").exists()
    assert verify(killed).ok
    assert play(killed)[0]["result"] == "success"
    assert (killed / "live.json").read_bytes() == (whole / "live.json").read_bytes()
    assert verify(killed).ok


def test_a_game_with_an_endpoint_as_manager_and_one_as_player(tmp_path: Path) -> None:
    replies = [
        said("Hi."),
        calling(("use_item", {"player_name": "Bob", "item_name": "rope"}), words="Careful."),
        *(said("yes"), said("It holds."), said("success")),
    ]
    with chat_endpoint(*replies) as king, chat_endpoint(said("I climb.")) as bob:
        way = 'endpoint = "{}"\nmodel = "m"\nkey_from = ""'
        folder = contest_in(tmp_path, way.format(king.url), way.format(bob.url))
        assert play(folder)[0]["result"] == "success"
    assert verify(folder).ok
    game = read_gameplay(folder / "live.json")
    assert [each.generated.content for each in game.targets] == ["Hi.", "Careful.", "It holds."]
    (system, first) = bob.messages
    assert "Bob" in system["content"]
    for words in ("Hi.", "Bob: Inventory: [rope] Ten yards.", "The Clockmaker's Bridge"):
        assert words in first["content"]
    # Players don't see the secrets of the scene.
    assert SCENE["consequences"] not in first["content"]


def test_stored_answers_play_both_parts(tmp_path: Path) -> None:
    folder = contest_in(tmp_path, 'folder = "stored"', 'folder = "stored"')
    (folder / "stored").mkdir()
    for name, texts in ((MANAGER, TEXTS), ("Bob", ["I hide.", "I am at home."])):
        for number, text in enumerate(texts, 1):
            (folder / "stored" / f"live_{name}_{number}.txt").write_text(text + "\n")
    assert play(folder)[0]["result"] == "success"
    whole = contest_in(tmp_path / "scripts")
    play(whole)
    assert (folder / "live.json").read_bytes() == (whole / "live.json").read_bytes()


def test_an_unreachable_seat_stops_the_game_which_can_continue(tmp_path: Path) -> None:
    folder = contest_in(tmp_path, bob='command = "/nowhere/program"')
    with pytest.raises(EnvironmentProblem):
        play(folder)
    contest_in(folder)
    with pytest.raises(BadSettings, match="--from"):
        play(folder)
    assert play(folder, repeat_from="plan")[0]["result"] == "success"
    assert verify(folder).ok


def test_a_game_without_a_message_has_no_record(tmp_path: Path) -> None:
    folder = contest_in(tmp_path, 'folder = "."')
    (found,) = play(folder)
    assert (found["result"], found["file"]) == ("aborted", None)
    assert not (folder / "live.json").exists()
    assert verify(folder).ok


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('scene = "scene.json"', ""),
        ('script = ["I run.', 'folder = "x"\nscript = ["I run.'),
        ('script = ["I run.", "I run on."]', ""),
        ('name = "Bob"', 'name = "Eve"'),
        ('[[game.player]]\nname = "Bob"\nscript = ["I hide.", "I am at home."]\n', ""),
    ],
)
def test_unusable_settings_of_a_game_are_refused(tmp_path: Path, old: str, new: str) -> None:
    folder = contest_in(tmp_path)
    text = (folder / "contest.toml").read_text()
    assert old in text
    (folder / "contest.toml").write_text(text.replace(old, new))
    assert main(["labyrinth", "play", str(folder)]) == 2
    assert not (folder / "record.db").exists()


def test_missing_games_and_existing_files_are_refused(tmp_path: Path) -> None:
    folder = contest_in(tmp_path)
    assert main(["labyrinth", "play", str(folder), "--game", "other"]) == 2
    (folder / "live.json").write_text("[]")
    with pytest.raises(BadSettings, match="not played here"):
        play(folder)
    assert (folder / "live.json").read_text() == "[]"
    scene = json.loads((folder / "scene.json").read_text())
    del scene["scene"]["npcs"], scene["players"][1]["goal"]
    (folder / "scene.json").write_text(json.dumps(scene))
    with pytest.raises(BadInput) as raised:
        play(folder)
    assert "scene.npcs: is missing" in str(raised.value)
    assert "players[1].goal: is missing" in str(raised.value)
