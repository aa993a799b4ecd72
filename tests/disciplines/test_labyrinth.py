"""Records, functions, surveys and agreement."""

from __future__ import annotations

import copy
import csv
import io
import json
import math
import random
import re
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disciplines.agreement import Rating, alpha_of, bias_of, disagreements, mean_of
from disciplines.labyrinth.functions import FUNCTIONS, USED_UP, Executor, GameState, as_tools
from disciplines.labyrinth.gameplay import Gameplay, faults_of, read_gameplay
from disciplines.labyrinth.metrics import METRICS
from disciplines.labyrinth.survey import message_line, read_answers, survey
from loebner.cli import main
from scheduler.errors import BadInput
from tests.disciplines.labyrinth_games import RECORD


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(RECORD))
    return path


@pytest.fixture
def game(file: Path) -> Gameplay:
    return read_gameplay(file)


# Records


def test_a_record_is_read_and_written(file: Path, game: Gameplay, tmp_path: Path) -> None:
    first, _ = game.targets
    assert first.generated.content == "It rings."
    assert [each.content for each in game.targets[1].history] == [
        "I wait.",
        "It rings.",
        "I ring the bell.",
    ]
    recomputed = tmp_path / "again.json"
    recomputed.write_text(game.as_json())
    assert read_gameplay(recomputed) == game
    assert main(["labyrinth", "validate", str(file)]) == 0


@pytest.mark.parametrize(
    ("path", "value", "places"),
    [
        ((0, "scene", "npcs", "Tock", "kin"), 5, ["[0].scene.npcs.Tock.kin"]),
        ((0, "scene", "scene_summary"), [], ["[0].scene.scene_summary"]),
        ((0, "scene", "is_action_scene"), "no", ["[0].scene.is_action_scene"]),
        ((1, "players", 1, "name"), "Ann_Lee", ["[1].players[1].name"]),
        ((1, "players", 0, "traits"), ["x"], ["[1].players[0].traits"]),
        ((1, "generated", "role"), "user", ["[1].generated.role"]),
        (
            (2, "past_history", 0),
            {},
            [f"[2].past_history[0].{k}" for k in ("role", "name", "content")],
        ),
        ((2, "generated"), None, ["[2].generated"]),
        ((3, "game_result"), "draw", ["[3].game_result"]),
    ],
)
def test_each_fault_has_its_place(
    path: tuple[Any, ...], value: Any, places: list[str], tmp_path: Path
) -> None:
    record = copy.deepcopy(RECORD)
    at: Any = record
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    assert [each.place for each in faults_of(record)] == places
    file = tmp_path / "game.json"
    file.write_text(json.dumps(record))
    assert main(["labyrinth", "validate", str(file)]) == 1
    with pytest.raises(BadInput):
        read_gameplay(file)


def test_all_faults_are_listed_at_once() -> None:
    record = copy.deepcopy(RECORD)
    del record[0]["scene"]["chapter"]
    del record[1]["players"][0]["goal"]
    record[2]["current_queries"] = "none"
    assert len(list(faults_of(record))) == 3


def test_the_page_shows_what_validate_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = copy.deepcopy(RECORD)
    record[0]["scene"]["npcs"]["Tock"]["kin"] = 5
    record[1]["players"][1]["name"] = "Ann_Lee"
    monkeypatch.chdir(tmp_path)
    Path("broken.json").write_text(json.dumps(record))
    page = Path(__file__).parents[2] / "docs/reference/labyrinth.md"
    shown = re.findall(r"```console\n\$ loebner (.*)\n((?:.*\n)*?)```", page.read_text("utf-8"))
    for command, said in shown:
        main(command.split())
        assert capsys.readouterr().out == said
    assert shown


@settings(max_examples=60)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(), x, max_size=3),
        max_leaves=8,
    )
)
def test_any_json_is_checked(document: Any) -> None:
    assert list(faults_of(document))


# Functions


def executor(game: Gameplay, decides: str = "neither", seed: int = 1) -> Executor:
    players = {each.name: each for each in game.start.players}
    return Executor(GameState(game.start.scene, players), random.Random(seed), lambda *_: decides)


#: A function, its arguments, and which part of the state it changes; None if it is refused.
CALLS: list[tuple[str, dict[str, Any], str | None]] = [
    ("activate_test", {"player_name": "Bob", "initial_difficulty": 4, "final_difficulty": 3}, ""),
    ("activate_test", {"player_name": "Eve", "initial_difficulty": 4, "final_difficulty": 3}, None),
    ("activate_test", {"player_name": "Bob", "initial_difficulty": 7, "final_difficulty": 3}, None),
    ("activate_test", {"player_name": "Bob", "initial_difficulty": 3, "final_difficulty": 1}, None),
    ("activate_test", {"player_name": "Bob", "initial_difficulty": 3, "final_difficulty": 4}, None),
    (
        "activate_test",
        {"player_name": "Bob", "initial_difficulty": "3", "final_difficulty": 3},
        None,
    ),
    (
        "activate_test",
        {"player_name": "Bob", "initial_difficulty": True, "final_difficulty": 3},
        None,
    ),
    ("activate_test", {"player_name": "Bob"}, None),
    ("activate_action_scene", {}, "scene"),
    ("activate_action_scene", {"now": 1}, None),
    ("terminate_action_scene", {}, None),
    ("create_npc", {"npc_name": "Moth", "npc_desc": "Grey."}, "scene"),
    (
        "create_npc",
        {"npc_name": "Moth", "npc_desc": "Grey.", "flaw": "Naive - Believes all."},
        "scene",
    ),
    ("create_npc", {"npc_name": "Moth", "npc_desc": "Grey.", "flaw": "Tired - Sleeps."}, None),
    ("create_npc", {"npc_name": "Tock", "npc_desc": "Again."}, None),
    ("create_npc", {"npc_name": " ", "npc_desc": "Nobody."}, None),
    ("create_npc", {"npc_name": "Moth", "npc_desc": ["Grey."]}, None),
    ("add_object", {"object_name": "door", "object_desc": "Shut."}, "scene"),
    ("add_object", {"object_name": "bell", "object_desc": "Shut."}, None),
    ("remove_object", {"object_name": "bell"}, "scene"),
    ("remove_object", {"object_name": "door"}, None),
    ("use_item", {"player_name": "Bob", "item_name": "rope"}, ""),
    ("use_item", {"player_name": "Bob", "item_name": "lamp"}, None),
    ("use_item", {"player_name": "Eve", "item_name": "rope"}, None),
    ("use_random_table", {"table_name": "Weather"}, ""),
    ("use_random_table", {"table_name": "Weather", "samples": 2, "exclude": True}, "scene"),
    ("use_random_table", {"table_name": "Weather", "samples": 3, "exclude": True}, "scene"),
    ("use_random_table", {"table_name": "Weather", "remove": True}, "scene"),
    ("use_random_table", {"table_name": "Weather", "samples": 4}, None),
    ("use_random_table", {"table_name": "Weather", "samples": -1}, None),
    ("use_random_table", {"table_name": "Omens"}, None),
    ("use_environment", {}, None),
    *(
        (f"{verb}_{what}", {"player_name": who, f"{what}_name": name} | more, changes)
        for what, held in (("trait", "Fast"), ("flaw", "Shy"), ("item", "rope"))
        for verb, who, name, more, changes in (
            ("add", "Bob", "New", {f"{what}_desc": "x"}, "players"),
            ("add", "Bob", held, {f"{what}_desc": "x"}, None),
            ("add", "Eve", "New", {f"{what}_desc": "x"}, None),
            ("add", "Bob", "New", {}, None),
            ("add", "Bob", "New", {f"{what}_desc": 1}, None),
            ("remove", "Bob", held, {}, "players"),
            ("remove", "Bob", "New", {}, None),
            ("remove", "Eve", held, {}, None),
        )
    ),
]


@pytest.mark.parametrize(("name", "arguments", "changes"), CALLS)
def test_a_function_changes_only_its_part_or_is_refused(
    game: Gameplay, name: str, arguments: dict[str, Any], changes: str | None
) -> None:
    one = executor(game, "neither" if name == "activate_test" else "no")
    before = copy.deepcopy(one.state)
    called = one.call(name, arguments)
    assert called.done == (changes is not None)
    assert called.text
    assert called.text.isupper() == (changes is None)
    changed = {
        part for part in GameState._fields if getattr(one.state, part) != getattr(before, part)
    }
    assert changed == ({changes} - {"", None})


def test_every_function_is_tested_and_is_a_tool() -> None:
    assert {name for name, *_ in CALLS} >= set(FUNCTIONS)
    assert [each["function"]["name"] for each in as_tools()] == list(FUNCTIONS)


def test_dice_are_rolled_by_the_rules(game: Gameplay) -> None:
    arguments = {"player_name": "Bob", "initial_difficulty": 4, "final_difficulty": 4}
    share = {}
    for how in ("easier", "neither", "harder"):
        one = executor(game, how)
        outcomes = ["succeeds" in one.call("activate_test", arguments).text for _ in range(2000)]
        share[how] = sum(outcomes) / len(outcomes)
    assert share["neither"] == pytest.approx(1 / 2, abs=0.06)
    assert share["easier"] == pytest.approx(3 / 4, abs=0.06)
    assert share["harder"] == pytest.approx(1 / 4, abs=0.06)


def test_an_item_is_used_up_once(game: Gameplay) -> None:
    one = executor(game, "yes")
    arguments = {"player_name": "Bob", "item_name": "rope"}
    called = one.call("use_item", arguments)
    assert called.done
    assert list(called.asked.values()) == ["yes"]
    assert one.state.players["Bob"].inventory["rope"] == "Ten yards." + USED_UP
    assert not one.call("use_item", arguments).done
    assert game.start.players[1].inventory["rope"] == "Ten yards."


# Surveys


def test_a_survey_has_its_parts_in_order(game: Gameplay, file: Path, tmp_path: Path) -> None:
    text = survey(game)
    tags = [line for line in text.splitlines() if line.startswith("[[")]
    texts = ["[[Question:DB]]"] * 5
    rating = ["[[Question:MC:SingleAnswer:Horizontal]]", "[[Choices]]", "[[Question:TE]]"] * 3
    assert tags == [
        *("[[AdvancedFormat]]", "[[Question:DB]]"),
        *("[[Block:Block1]]", *texts, *rating),
        "[[PageBreak]]",
        *("[[Block:Block2]]", *texts, *rating),
    ]
    assert text.count("[[Choices]]\n1\n2\n3\n4\n5\n") == 6
    for words in (
        "Starting player state of Ann Lee",
        "[Player] Ann Lee: I wait.<br>[Game Manager] Goblin King: It rings.<br>[Player] Bob:",
        "King: You may &lt;b&gt;cross&lt;/b&gt; &amp;<br>&#91;&#91;PageBreak]]",
        "<b><u>Persona</u></b><br>I run.",
        "[Tock]<br>Kin: Owl<br>Persona: I count aloud., I hate rain.<br>",
        "(1) Meet Tock.<br>(2) Cross.",
        "[Weather]<br>rain<br>fog<br>sun",
        "<b><u>Action Scene</u></b><br>False",
    ):
        assert words in text
    out = tmp_path / "survey.txt"
    assert main(["labyrinth", "survey", str(file), "--out", str(out)]) == 0
    assert out.read_text() == text


@given(st.text())
def test_no_text_breaks_a_survey(text: str) -> None:
    record = copy.deepcopy(RECORD)
    record[0]["generated"]["content"] = text
    record[0]["players"][0]["name"] = text
    record[0]["scene"]["environment"] = {text: text}
    lines = survey(_gameplay(record)).splitlines()
    assert [each for each in lines if each.startswith("[[")] == [
        each for each in survey(_gameplay(RECORD)).splitlines() if each.startswith("[[")
    ]
    assert not any("<script" in each for each in lines)


def _gameplay(record: list[dict[str, Any]]) -> Gameplay:
    import msgspec

    from disciplines.labyrinth.gameplay import Completion, Ending

    return Gameplay(
        msgspec.convert(record[:-1], list[Completion]), msgspec.convert(record[-1], Ending)
    )


def export(*rows: dict[str, str]) -> str:
    """Answers to the survey of the game, as Qualtrics exports them."""
    questions = [
        (f"Q{target}.{number}", text)
        for target in (1, 2)
        for number, text in enumerate(
            text
            for metric in METRICS
            for text in (f"{metric.question} {metric.checks[0]}", metric.comment)
        )
    ]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["ResponseId", *(name for name, _ in questions), "Other"])
    writer.writerow(["Response ID", *(text for _, text in questions), "Other"])
    writer.writerow([json.dumps({"ImportId": "x"})] * (len(questions) + 2))
    for row in rows:
        writer.writerow([row["who"], *(row.get(name, "") for name, _ in questions)])
    return "\ufeff" + out.getvalue()


def test_exported_answers_are_read() -> None:
    text = export({"who": "R1", "Q1.0": "4", "Q1.1": "a, b\nc", "Q2.4": "1"}, {"who": "R2"})
    found = read_answers(text, 2, "answers.csv")
    assert [tuple(each) for each in found] == [
        ("R1", 1, "consistency", 4, "a, b\nc"),
        ("R1", 2, "interestingness", 1, ""),
    ]


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        (export({"who": "R1", "Q1.0": "6"}), 2),
        (export({"who": "R1", "Q1.0": "good"}), 2),
        (export(), 3),
        ("a,b\n1,2\n3,4\n", 2),
        ("", 2),
    ],
)
def test_answers_to_another_survey_are_refused(text: str, targets: int) -> None:
    with pytest.raises(BadInput, match=r"answers\.csv"):
        read_answers(text, targets, "answers.csv")


# Agreement


def ratings(scores: dict[tuple[str, str], int]) -> list[Rating]:
    return [Rating("S", target, rater, "m", score) for (rater, target), score in scores.items()]


def alpha_by_definition(scores: dict[tuple[str, str], int]) -> float:
    """1 - Do/De for ordinal scores, from the coincidences of values."""
    units: dict[str, list[int]] = {}
    for (_, target), score in scores.items():
        units.setdefault(target, []).append(score)
    pairs: dict[tuple[int, int], float] = {}
    for values in units.values():
        for a, b in permutations(range(len(values)), 2):
            key = values[a], values[b]
            pairs[key] = pairs.get(key, 0) + 1 / (len(values) - 1)
    count = {v: sum(n for (a, _), n in pairs.items() if a == v) for v in range(1, 6)}
    total = sum(count.values())

    def distance(a: int, b: int) -> float:
        low, high = sorted((a, b))
        return (sum(count[v] for v in range(low, high + 1)) - (count[a] + count[b]) / 2) ** 2

    observed = sum(n * distance(a, b) for (a, b), n in pairs.items()) / total
    expected = sum(count[a] * count[b] * distance(a, b) for a in count for b in count if a != b) / (
        total * (total - 1)
    )
    return 1 - observed / expected


@settings(deadline=None, max_examples=60)
@given(
    st.dictionaries(
        st.tuples(st.sampled_from("abcd"), st.sampled_from("123456")), st.integers(1, 5), min_size=2
    )
)
def test_alpha_equals_krippendorffs_definition(scores: dict[tuple[str, str], int]) -> None:
    found = alpha_of(ratings(scores))
    counts = {t: sum(1 for _, target in scores if target == t) for _, t in scores}
    shared = {score for (_, target), score in scores.items() if counts[target] > 1}
    if len(shared) < 2:
        assert found is None
    else:
        assert found is not None
        assert math.isclose(found, alpha_by_definition(scores), abs_tol=1e-9)


def test_a_planted_bias_is_found() -> None:
    chance = random.Random(3)
    scores = {}
    for target in map(str, range(40)):
        true = chance.randint(2, 4)
        for rater in "abcd":
            noise = chance.choice((-1, 0, 0, 1))
            scores[rater, target] = max(1, min(5, true + noise - (rater == "c")))
    bias = bias_of(ratings(scores))
    assert min(bias, key=lambda each: bias[each]) == "c"
    assert bias["c"] < -0.6
    assert all(abs(value) < 0.6 for rater, value in bias.items() if rater != "c")


def test_means_and_disagreements() -> None:
    found = ratings({("a", "1"): 1, ("b", "1"): 5, ("a", "2"): 3, ("b", "2"): 3, ("a", "3"): 4})
    mean = mean_of(found)
    assert mean.mean == pytest.approx(10 / 3)
    assert mean.targets == 3
    assert 3 <= mean.low <= mean.mean <= mean.high <= 4
    assert disagreements(found) == [("1", "m", 4)]


def test_names_are_shown_with_spaces(game: Gameplay) -> None:
    assert message_line(game.targets[0].generated) == "[Game Manager] Goblin King: It rings."
