"""Tests reading and writing the official folder tree and result files."""

import csv
import io
import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disciplines.chatgpt4pcg import files
from disciplines.chatgpt4pcg.editions import EDITIONS
from disciplines.chatgpt4pcg.files import read, result_texts, trial_number
from disciplines.chatgpt4pcg.physics import single
from disciplines.chatgpt4pcg.scoring import Item, Trial, places, score
from disciplines.standing import Entrant
from scheduler.errors import BadInput
from tests.disciplines.chatgpt4pcg.official import DATA, needs_data, of


@needs_data
def test_the_stability_file_is_the_official_one() -> None:
    for path in (DATA / "levels" / "v1" / "stability").iterdir():
        official = json.loads(path.read_text("utf-8"))
        rows = {
            row["tag"].replace("\\", "/"): (
                *(row["score"], row["startingObjects"], row["movingObjects"]),
            )
            for row in official["raws"]
        }
        assert files.stability_document(rows) == official


@pytest.mark.parametrize(
    ("name", "number"),
    [
        *(("final_v1_L_10.xml", 10), ("competition\\v1\\levels\\L\\V1_L_3.xml", 3)),
        *(("x_A_7", 7), ("7.png", 7), ("x_A_7_raw.png", None), ("x_A_.xml", None), ("", None)),
        ("x_A_" + "9" * 5000, None),
    ],
)
def test_the_number_of_a_trial(name: str, number: int | None) -> None:
    assert trial_number(name) == number


@pytest.mark.parametrize(
    "team",
    ["..", "a/b", "a\\b", "", ".git", "logs", "result", "con", "a\0b", "-x", "x" * 300, "a:b"],
)
def test_team_names_that_cant_be_folders_are_refused(team: str) -> None:
    with pytest.raises(BadInput):
        files.trial_file(Path("root"), Item(team, "A", 1), "raw")


def test_the_paths_of_a_trials_files() -> None:
    root = Path("root")
    assert files.trial_file(root, Item("Team X", "A", 3), "levels") == Path(
        "root/Team X/levels/A/Team X_A_3.xml"
    )
    raw = files.trial_file(root, Item("x", "A", 3), "drawings")
    assert raw == Path("root/x/images/A/x_A_3_raw.png")


def write(path: Path, document: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document))


def tree(root: Path, team: str, stability: object, similarity: object, letter: str = "A") -> None:
    write(root / team / "stability" / f"{letter}.json", stability)
    write(root / team / "similarity" / f"{letter}.json", similarity)


def stable(*rows: tuple[str, object]) -> dict[str, object]:
    return {"raws": [{"tag": tag, "score": value} for tag, value in rows]}


def similar(*rows: tuple[str, object]) -> dict[str, object]:
    return {"trials": [{"id": tag, "similarity": value} for tag, value in rows]}


def test_a_tree_is_paired_by_the_numbers_of_the_trials(tmp_path: Path) -> None:
    tree(
        *(tmp_path, "x"),
        stable(("d\\x_A_10.xml", 0.5), ("d\\x_A_2.xml", 0.3333333432674408)),
        similar(("x_A_2.png", 1e-7), ("x_A_10.png", 1)),
    )
    for name in ("logs", "result", ".git"):
        (tmp_path / name).mkdir()
    (tmp_path / "empty").mkdir()
    teams, trials, problems = read(tmp_path, of(EDITIONS["2023"], "AB", 10))
    assert teams == ["empty", "x"]
    assert problems == []
    assert trials == [
        Trial("x", "A", 2, Decimal("0.3333333432674408"), Decimal("1E-7")),
        Trial("x", "A", 10, Decimal("0.5"), Decimal(1)),
    ]


@pytest.mark.parametrize(
    ("stability", "similarity", "problem", "trials"),
    [
        (stable(("x_A_1", 1)), similar(), "trial 1 has no similarity", 1),
        (stable(), similar(("x_A_1", 1)), "trial 1 has no stability", 1),
        (stable(("x_A_1", 1), ("x_A_1", 0)), similar(("x_A_1", 1)), "twice", 1),
        (stable(("x_A_11", 1)), similar(), "'x_A_11' is not a trial", 0),
        (stable(("x_A_1", 1.5)), similar(("x_A_1", 1)), "1.5 is not a number", 1),
        (stable(("x_A_1", None)), similar(("x_A_1", 1)), "None is not a number", 1),
        (stable(("x_A_1", 10**400)), similar(("x_A_1", 1)), "is not a number", 1),
        (stable(("x_A_1", True)), similar(("x_A_1", 1)), "is not a number", 1),
        (stable(("x_A_1", "1")), similar(("x_A_1", 1)), "is not a number", 1),
        ('{"raws": [{"tag": "x_A_1", "score": NaN}]}', similar(("x_A_1", 1)), "nan", 1),
        ("{", similar(("x_A_1", 1)), "A.json can't be used", 1),
        ("[" * 100_000, similar(("x_A_1", 1)), "A.json can't be used", 1),
        ('{"raws": 3}', similar(("x_A_1", 1)), "trial 1 has no stability", 1),
        ('{"raws": [3]}', similar(("x_A_1", 1)), "is not a trial", 1),
        ("[]", similar(), "", 0),
    ],
)
def test_unusable_files_are_reported_as_problems_of_their_team(
    tmp_path: Path, stability: object, similarity: object, problem: str, trials: int
) -> None:
    tree(tmp_path, "x", stability, similarity)
    tree(tmp_path, "good", stable(("g_A_1", 1)), similar(("g_A_1", 1)))
    found = read(tmp_path, of(EDITIONS["2023"], "A", 10))
    assert sum(trial.team == "good" for trial in found.trials) == 1
    assert sum(trial.team == "x" for trial in found.trials) == trials
    assert {each.team for each in found.problems} == ({"x"} if problem else set())
    assert problem in "; ".join(each.what for each in found.problems)
    for trial in found.trials:
        assert 0 <= trial.stability <= 1


def test_a_team_with_different_numbers_of_files_is_reported(tmp_path: Path) -> None:
    tree(tmp_path, "x", stable(("x_A_1", 1)), similar(("x_A_1", 1)))
    write(tmp_path / "x" / "stability" / "B.json", stable())
    found = read(tmp_path, of(EDITIONS["2023"], "AB", 10))
    assert [(each.team, each.character) for each in found.problems] == [("x", "")]
    assert "stability 2" in found.problems[0].what
    assert len(found.trials) == 1


def test_diversity_and_models_of_a_tree(tmp_path: Path) -> None:
    for model in ("m1", "m2"):
        tree(tmp_path / model, "x", stable(("x_A_1", 1)), similar(("x_A_1", 0.5)))
        write(tmp_path / model / "x" / "diversity" / "A.json", {"diversityRate": 0.25})
    teams, trials, problems = read(tmp_path, of(EDITIONS["2025"], "A", 10))
    assert (teams, problems) == (["x"], [])
    assert [(trial.model, trial.diversity) for trial in trials] == [
        ("m1", Decimal("0.25")),
        ("m2", Decimal("0.25")),
    ]
    single_model = read(tmp_path / "m1", of(EDITIONS["2025"], "A", 10))
    assert [trial.model for trial in single_model.trials] == [""]


@pytest.mark.parametrize("name", ["", "nothing"])
def test_a_tree_without_teams_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput):
        read(tmp_path / name, of(EDITIONS["2023"], "A", 10))


HEAD = "teamName,character,trial,stabilityScore,similarityScore,diversityScore,model\n"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "empty"),
        (HEAD, "no trials"),
        ("teamName,character,trial,stabilityScore\n", "similarityscore"),
        *((HEAD + ",A,1,1,1,1,", "teamName"), (HEAD + "x,AB,1,1,1,1,", "character")),
        *((HEAD + "x,a,1,1,1,1,", "character"), (HEAD + "x,A,11,1,1,1,", "trial")),
        *((HEAD + "x,A,1.5,1,1,1,", "trial"), (HEAD + "x,A,1,2,1,1,", "stabilityscore")),
        *((HEAD + "x,A,1,1,NaN,1,", "similarityscore"), (HEAD + "x,A,1,1,,1,", "similarityscore")),
        (HEAD + "x,A,1,1,1,1e9999999999,", "diversityscore"),
        (HEAD + "x,A,1,1,1,1,\nx,A,01,1,1,1,", "twice"),
        (HEAD + "x,A,1,1,1,1,\nx,A,2,1,1,0,", "diversities"),
    ],
)
def test_unusable_tables_are_refused(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "trials.csv"
    file.write_text(text)
    with pytest.raises(BadInput) as caught:
        read(file, of(EDITIONS["2024"], "A", 10))
    assert str(caught.value).startswith(str(file))
    assert named in str(caught.value)


def test_other_columns_are_ignored(tmp_path: Path) -> None:
    file = tmp_path / "trials.csv"
    file.write_text("note;" + HEAD.replace(",", ";") + "a;Team;B;2;1e-7;.5;;gpt\n")
    (trial,) = read(file, of(EDITIONS["2023"], "AB", 10)).trials
    assert trial == Trial("Team", "B", 2, Decimal("1E-7"), Decimal("0.5"))
    file.write_text(HEAD + "x,A,1,1,1,1,m1\nx,A,1,1,1,1,m2\n")
    assert [each.model for each in read(file, of(EDITIONS["2025"], "A", 10)).trials] == ["m1", "m2"]


@given(
    st.lists(
        st.tuples(st.sampled_from(['x"y', "z, z", "é"]), st.integers(1, 3), st.integers(0, 1000)),
        unique_by=lambda each: each[:2],
    )
)
def test_written_measurements_can_be_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: object
) -> None:
    assert isinstance(rows, list)
    out = tmp_path_factory.mktemp("results")
    value = Decimal("0.001")
    trials = [Trial(team, "A", n, v * value, value, value / 4) for team, n, v in rows]
    edition = EDITIONS["2024"]
    found = score(trials, of(edition, "A", 3))
    for name, text in result_texts(found, places(found, edition), edition).items():
        (out / name).write_text(text, "utf-8")
    if not trials:
        return
    recomputed = read(out / "trial_scores.csv", of(edition, "A", 3)).trials
    assert score(recomputed, of(edition, "A", 3)) == found


def test_the_result_files() -> None:
    one = Decimal(1)
    trials = [Trial(team, "A", 1, one, Decimal(v)) for team, v in (("x", "0.5"), ("base", "0.25"))]
    edition = EDITIONS["2023"]
    found = score(trials, of(edition, "A", 1))
    entrants = [Entrant("base", "baseline"), Entrant("out", "disqualified", "915 words")]
    made = result_texts(found, places(found, edition, entrants), edition)
    assert list(made) == [
        "constants.json",
        "trial_scores.csv",
        "character_scores.csv",
        "prompt_scores_ranks.csv",
    ]
    rows = csv.DictReader(io.StringIO(made["prompt_scores_ranks.csv"]))
    assert [(row["team"], row["rank"]) for row in rows] == [
        ("x", "1"),
        ("base", "-1"),
        ("out", "-2"),
    ]
    assert made["trial_scores.csv"].splitlines()[0] == (
        '"teamName","character","trial","trial_score","stabilityScore","similarityScore"'
    )
    assert list(json.loads(made["constants.json"])["weights"][0]) == [
        *("character", "weight", "stabilityWeight", "similarityWeight"),
    ]


def test_the_similarity_file() -> None:
    rest = [0.0] * 24
    rows = {"x_A_1.png": [0.25, 0.75, *rest], "x_A_2.png": [0.75, 0.25, *rest]}
    document = files.similarity_document("A", rows)
    assert (document["count"], document["similarityRate"]) == (2, 0.5)
    assert document["trials"][1] == {"id": "x_A_2.png", "label": "A", "similarity": 0.75}
    first = document["similarities"][0]["raws"][1]
    assert first == {"id": "x_A_1.png", "label": "B", "softmax_prob": 0.75}
    assert files.similarity_document("A", {})["similarityRate"] == 0


def test_answers_are_read_as_the_original_reads_them(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_bytes(b"\xef\xbb\xbfa\xff\r\n")
    assert files.read_answer(file) == "\ufeffa\ufffd\r\n"
    with pytest.raises(BadInput):
        files.read_answer(tmp_path / "nothing.txt")


def test_sums_of_the_stability_file_are_32_bit_floats() -> None:
    rows = {f"x_A_{n}.xml": (single(1 / 3), 3, 2) for n in range(1, 4)}
    rate = files.stability_document(rows)["rate"]
    assert rate == single(rate)
    assert files.stability_document({})["rate"] == 0
