"""A contest of game managers: assignment, pages, models, surveys, results, verification."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.errors import BadSettings
from disciplines.events import Answered, Measured, RunResult
from disciplines.folders import prepare
from disciplines.labyrinth.calls import calls_of
from disciplines.labyrinth.gameplay import read_gameplay
from disciplines.labyrinth.metrics import METRICS
from disciplines.labyrinth.model import rate as models_rate
from disciplines.labyrinth.model import score_in
from disciplines.labyrinth.rating import Contest, Target, assigned, opened
from disciplines.labyrinth.report import people_of, write
from disciplines.page import PAGE
from disciplines.raters import Pages
from disciplines.run import ItemFailed
from disciplines.verify import verify
from loebner.cli import main
from tests.bots.adapters.servers import chat_endpoint, said
from tests.disciplines.labyrinth_games import RECORD
from tests.disciplines.test_labyrinth import export

SETTINGS = """\
discipline = "labyrinth"
[contest]
name = "Managers <b>rated</b>"
raters = ["R1", "R2"]
raters_per_target = 2
[[game]]
file = "game.json"
system = "secret-system"
"""
SCORES = {metric.name: "4" for metric in METRICS}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "contest.toml").write_text(SETTINGS)
    (tmp_path / "game.json").write_text(json.dumps(RECORD))
    return tmp_path


@pytest.fixture
def contest(folder: Path) -> Iterator[Contest]:
    with opened(folder) as held:
        yield held


# Assignment


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(1, 6), st.data(), st.integers()
)
def test_targets_are_spread_evenly(
    games: list[int], raters: int, data: st.DataObject, seed: int
) -> None:
    each = data.draw(st.integers(1, raters))
    names = [f"R{number}" for number in range(raters)]
    targets = [
        Target(f"g{game}", number, f"s{game % 2}", "")
        for game, count in enumerate(games)
        for number in range(1, count + 1)
    ]
    found = assigned(targets, names, each, seed)
    assert found == assigned(reversed(targets), names, each, seed)
    count = Counter(id_ for held in found.values() for id_ in held)
    assert count == {target.id: each for target in targets}
    loads = [len(held) for held in found.values()]
    assert max(loads) - min(loads) <= 1
    for held in found.values():
        assert len(set(held)) == len(held)
        numbers = [(id_.partition("-")[0], int(id_.partition("-")[2])) for id_ in held]
        # A game's messages are together, in order from the first one.
        order = list(dict.fromkeys(game for game, _ in numbers))
        assert numbers == sorted(numbers, key=lambda x: (order.index(x[0]), x[1]))


def test_pairs_of_raters_share_about_equally_many_targets() -> None:
    targets = [Target("g", number, "s", "") for number in range(1, 41)]
    found = assigned(targets, ["A", "B", "C", "D"], 2, 1)
    pairs = [len(set(found[a]) & set(found[b])) for a, b in combinations("ABCD", 2)]
    assert sum(pairs) == 40
    assert max(pairs) - min(pairs) <= 4


# Models and surveys

MODEL = """
[[model]]
name = "judge"
folder = "answers"
"""


def test_a_model_rates_beside_people(folder: Path) -> None:
    (folder / "contest.toml").write_text(SETTINGS + MODEL)
    stored = folder / "answers"
    stored.mkdir()
    texts = {"consistency": "I give 4.5 of 5.", "reliability": "3", "interestingness": "9, great"}
    for number in (1, 2):
        for name, text in texts.items():
            (stored / f"game-{number}_{name}_explain.txt").write_text("Good: <b>. Bad: 1.")
            (stored / f"game-{number}_{name}_score.txt").write_text(text)
    (stored / "game-2_reliability_score.txt").unlink()
    with opened(folder) as contest:
        contest.questionnaire.save("R1", "game-1", SCORES)
        assert models_rate(contest) == 3
        state = contest.run.state
        assert list(state.failures["collect"]) == ["judge/game-2_reliability"]
        assert len(state.failures["score"]) == 2
        document, _ = write(contest)
    by = {(row["metric"], row["by"]): row for row in document["means"]}
    assert by["consistency", "people"]["mean"] == "4.0000"
    assert by["consistency", "model:judge"]["mean"] == "4.5000"
    assert by["consistency", "people"]["ratings"] == 1
    assert ("interestingness", "model:judge") not in by
    assert document["raters"] == ["rater:R1"]
    # The page names each missing score of a model with its reason.
    page = (folder / PAGE).read_text()
    assert "Not final: missing 9 " in page
    for item in ("judge/game-2_reliability", "judge/game-1_interestingness"):
        assert f"<li>{item}: " in page
    assert verify(folder).ok


@pytest.mark.parametrize(
    ("answer", "score"),
    [("4", "4"), ("3 or 3.5", "3.5"), ("Score: 2/5", "2"), ("1.0", "1.0")],
)
def test_the_score_in_an_answer(answer: str, score: str) -> None:
    assert score_in(answer) == score


@pytest.mark.parametrize("answer", ["", "none", "0", "6", "0.5", "10"])
def test_an_answer_without_a_score_is_refused(answer: str) -> None:
    with pytest.raises(ItemFailed):
        score_in(answer)


def test_a_model_at_an_endpoint(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chat_endpoint(said("Good. Bad."), said("4"), said("Fine."), said("3.5")) as endpoint:
        model = f'[[model]]\nname = "m"\nendpoint = "{endpoint.url}"\nmodel = "x"\ntargets = 1\n'
        (folder / "contest.toml").write_text(SETTINGS + model + 'key_from = ""\n')
        assert main(["labyrinth", "rate", str(folder), "--models"]) == 0
        assert "3 scores" in capsys.readouterr().out
        asked = [each.document for each in endpoint.asked]
        # Three metrics, each in a separate dialogue with two questions.
        assert [len(each["messages"]) for each in asked] == [1, 3] * 3
        assert {each["temperature"] for each in asked} == {0.5}
        # Recorded answers are not asked for again.
        assert main(["labyrinth", "rate", str(folder), "--models"]) == 0
        assert len(endpoint.asked) == 6
    assert verify(folder).ok


def test_a_model_gets_everything_that_people_see(contest: Contest) -> None:
    from disciplines.labyrinth.model import question

    asked = question(contest.games["game"], 2, METRICS[0])
    for words in ("Tock", "Ten yards.", "[Player] Ann Lee: I wait.", "[[PageBreak]]"):
        assert words in asked
    assert "secret-system" not in asked


def test_answers_to_a_survey_are_recorded_once(folder: Path) -> None:
    file = folder / "answers.csv"
    file.write_text(export({"who": "R_1", "Q1.0": "4", "Q1.1": "=1+1"}), encoding="utf-8")
    command = ["labyrinth", "import", str(folder), str(file), "--game"]
    assert main([*command, "game"]) == 0
    assert main([*command, "game"]) == 0
    assert main([*command, "other"]) == 2
    assert main(["labyrinth", "report", str(folder)]) == 0
    rows = list(csv.DictReader(io.StringIO((folder / "result/ratings.csv").read_text())))
    assert [(row["rater"], row["score"], row["comment"]) for row in rows] == [
        ("survey:R_1", "4", "'=1+1")
    ]
    with opened(folder) as contest:
        assert len(contest.run.state.ratings) == 2


# Settings


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("raters_per_target = 2", "raters_per_target = 3"),
        ("raters_per_target = 2", "raters_per_targets = 2"),
        ('"R2"', '"r1"'),
        ('"R2"', '"../R2"'),
        ('file = "game.json"', 'file = "game.json"\nid = "a/b"'),
        ("[[game]]", "[game]"),
        ('"secret-system"', '"secret-system"\n[[model]]\nfolder = "x"'),
    ],
)
def test_unusable_settings_are_refused(folder: Path, old: str, new: str) -> None:
    (folder / "contest.toml").write_text(SETTINGS.replace(old, new))
    with pytest.raises(BadSettings), opened(folder):
        pass


def test_a_changed_game_is_refused(folder: Path) -> None:
    with opened(folder) as contest:
        contest.questionnaire.save("R1", "game-1", SCORES)
    record: list[dict[str, Any]] = json.loads(json.dumps(RECORD))
    record[0]["generated"]["content"] = "It rings twice."
    (folder / "game.json").write_text(json.dumps(record))
    for recomputed in ("", "plan"):
        with pytest.raises(BadSettings, match="game"), opened(folder, recomputed):
            pass


def test_ratings_stay_when_raters_are_added(folder: Path) -> None:
    with opened(folder) as contest:
        contest.questionnaire.save("R1", "game-1", SCORES)
        links = Pages(contest.questionnaire).invitations.links
    (folder / "contest.toml").write_text(SETTINGS.replace('"R2"]', '"R2", "R3"]'))
    with pytest.raises(BadSettings, match="plan"), opened(folder):
        pass
    with opened(folder, "plan") as contest:
        assert len(people_of(contest.run.state)) == 3
        recomputed = Pages(contest.questionnaire).invitations.links
        assert set(recomputed) == {"R1", "R2", "R3"}
        assert recomputed["R1"] == links["R1"]


# Calls, results, verification


@pytest.mark.parametrize(
    ("function", "path", "value", "points"),
    [
        ("add_trait", ("players", 0, "traits"), {}, 0),
        ("use_random_table", ("scene", "random_tables"), {}, 0),
        ("use_random_table", ("scene", "random_tables", "What the river brings"), ["a"], 50),
        ("activate_action_scene", ("scene", "is_action_scene"), False, 0),
        ("use_item", ("players", 1, "inventory", "apple"), "Red.", 0),
    ],
)
def test_points_of_calls(
    tmp_path: Path, function: str, path: tuple[Any, ...], value: Any, points: int
) -> None:
    prepare("labyrinth", tmp_path / "demo", "demo")
    file = tmp_path / "demo" / "ferry.json"
    right = list(calls_of(read_gameplay(file)))
    assert [each.points for each in right] == [100] * 5
    number = next(each.completion for each in right if each.function == function)
    record = json.loads(file.read_text())
    at = record[number + 1]
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    file.write_text(json.dumps(record))
    found = {each.completion: each.points for each in calls_of(read_gameplay(file))}
    assert found[number] == points


def test_the_demo_is_verified_and_continues(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "demo"
    assert main(["labyrinth", "demo", "--out", str(folder), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {(row["targets"], row["ratings"]) for row in document["means"]} == {(9, 27), (4, 12)}
    bias = {(row["rater"], row["metric"]): float(row["above_others"]) for row in document["bias"]}
    for metric in METRICS:
        assert min((bias[f"rater:R{n}", metric.name], n) for n in range(1, 5))[1] == 3
    page = (folder / "result/results.html").read_text()
    assert "the ferry" in page
    assert "<script" not in page
    assert main(["labyrinth", "demo", "--out", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == document
    assert main(["verify", str(folder), "--head", document["head"]]) == 0
    (folder / "result/means.csv").write_text("system\n")
    assert main(["verify", str(folder)]) == 1


def test_a_changed_result_is_detected(folder: Path) -> None:
    with opened(folder) as contest:
        contest.questionnaire.save("R1", "game-1", SCORES)
        write(contest)
    assert verify(folder).ok
    with opened(folder) as contest:
        result = contest.run.state.result
        assert result is not None
        text = json.dumps(result.value).replace("4.0000", "5.0000")
        contest.run.write(RunResult(json.loads(text), result.files))
    assert not verify(folder).ok


def test_a_forged_score_of_a_model_is_detected(folder: Path) -> None:
    (folder / "contest.toml").write_text(SETTINGS + MODEL)
    with opened(folder) as contest:
        both = json.dumps({"explanation": "", "score": "2"})
        item = "judge/game-1_consistency"
        contest.run.write(Answered(item, both, 1), Measured(item, "score", "2"))
        assert verify(folder).ok
        contest.run.write(Measured(item, "score", "5"))
    assert not verify(folder).ok


def test_the_other_commands(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    assert main(["labyrinth", "new", str(folder)]) == 0
    assert main(["labyrinth", "new", str(folder)]) == 2
    assert main(["labyrinth", "report", str(folder)]) == 2
    (folder / "game.json").write_text(json.dumps(RECORD))
    assert main(["labyrinth", "report", str(folder)]) == 0
    assert "Not final" in (folder / "result/results.html").read_text()
    tools = tmp_path / "tools.json"
    assert main(["labyrinth", "functions", "--out", str(tools)]) == 0
    assert len(json.loads(tools.read_text())) == 14


def test_rating_needs_raters(folder: Path) -> None:
    (folder / "contest.toml").write_text(SETTINGS.replace('["R1", "R2"]', "[]"))
    assert main(["labyrinth", "rate", str(folder)]) == 2
    assert main(["labyrinth", "rate", str(folder), "--models"]) == 2


def test_verification_survives_any_record(folder: Path) -> None:
    with opened(folder) as contest:
        contest.run.write(
            Measured("plan", "plan", {"targets": [{"no": "target"}]}),
            Measured("judge/x", "score", "4"),
            RunResult({}, {}),
        )
    (folder / "game.json").write_text("[]")
    report = verify(folder)
    wrong = {check.name for check in report.checks if not check.ok}
    assert wrong == {"plan", "score", "calls", "result"}
