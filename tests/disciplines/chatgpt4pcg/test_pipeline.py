"""Tests whole contests, from prompts and answers to the page, with everything that can go wrong."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import shutil
import sqlite3
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser

from contest.errors import BadSettings, ContestError
from contest.record.database import sqlite_url
from contest.record.events import Event
from contest.record.reading import open_reader
from disciplines.chatgpt4pcg import answering
from disciplines.chatgpt4pcg.answering import respond
from disciplines.chatgpt4pcg.editions import EDITIONS
from disciplines.chatgpt4pcg.run import NAME, STAGES, LimitedDialogue, play
from disciplines.chatgpt4pcg.settings import AnswersTable, Settings
from disciplines.chatgpt4pcg.similarity import UNOFFICIAL
from disciplines.events import Answered, Measured, RunResult
from disciplines.folders import prepare
from disciplines.run import Answer, ItemFailed, Run, load, plain
from disciplines.verify import verify
from scheduler.errors import BadInput
from tests.browser import PHONE, WIDE, needs_chromium, overflow, violations
from tests.browser import opened as opened_in
from tests.disciplines.chatgpt4pcg.official import DATA, needs_data
from tests.disciplines.verifying import red

SETTINGS = """\
discipline = "chatgpt4pcg"
[contest]
name = "A <b>contest</b>"
edition = "{edition}"
letters = "IL"
trials = 2
[[answers]]
folder = "answers"
"""
TOWER = "```\nab_drop('b13', 5)\nab_drop('b13', 5)\n```"
ELL = "```\nab_drop('b31', 5)\nab_drop('b13', 4)\n```"
#: The answers of the team `good`, and of the team `bad`, in which each trial fails in its own way.
ANSWERS = {
    "good_I_1": TOWER,
    "good_I_2": TOWER,
    "good_L_1": ELL,
    "good_L_2": ELL,
    "bad_I_1": "no code at all <script>",
    "bad_I_2": "```" + "\nab_drop('b11', 3)" * 10_000 + "```",
    "bad_L_1": "x" * 10_000_000,
}


def contest(folder: Path, settings: str = "", edition: str = "2023") -> Path:
    """A contest's folder with two prompts that qualify, and one that doesn't."""
    for name, text in ANSWERS.items():
        file = folder / "answers" / f"{name}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("ab_drop", EDITIONS[edition].function))
    (folder / "prompts").mkdir()
    for name, text in (("good", "Build <OBJECT>"), ("bad", "<OBJECT>"), ("out", "Build A")):
        (folder / "prompts" / f"{name}.txt").write_text(text)
    (folder / "contest.toml").write_text(SETTINGS.format(edition=edition) + settings)
    return folder


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A contest that was played. Tests must not change it."""
    folder = contest(tmp_path_factory.mktemp("contest"))
    play(folder)
    return folder


@pytest.fixture
def copy(played: Path, tmp_path: Path) -> Path:
    """A copy of the contest that was played."""
    folder = tmp_path / "copy"
    shutil.copytree(played, folder)
    return folder


def files_of(folder: Path) -> dict[str, bytes]:
    """All files that a run gives, but for its record."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for part in ("result", "trials")
        for file in sorted((folder / part).rglob("*"))
        if file.is_file()
    }


def record_of(folder: Path) -> list[Event]:
    return list(open_reader(sqlite_url(folder / "record.db")).events())


def table(folder: Path, name: str = "trials.csv") -> list[dict[str, str]]:
    text = (folder / "result" / name).read_text("utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def test_each_trial_that_scores_0_has_its_step_and_reason(played: Path) -> None:
    rows = {(row["team"], row["letter"], row["trial"]): row for row in table(played)}
    steps = {key: (row["step"], row["reason"]) for key, row in rows.items() if key[0] == "bad"}
    assert steps["bad", "I", "1"][0] == "program"
    assert steps["bad", "I", "2"][0] == "level"
    assert "full" in steps["bad", "I", "2"][1]
    assert steps["bad", "L", "1"] == (
        *("answer", "the answer has 10,000,000 characters; at most 1,000,000 are accepted"),
    )
    assert "bad_L_2" in steps["bad", "L", "2"][1]
    assert all(not row["step"] for key, row in rows.items() if key[0] == "good")
    zeros = json.loads((played / "result" / "results.json").read_text())["zeros"]
    assert len(zeros) == 4


def test_the_ranking_says_why(played: Path) -> None:
    document = json.loads((played / "result" / "results.json").read_text())
    ranking = {each["name"]: each for each in document["ranking"]}
    assert (ranking["good"]["rank"], ranking["good"]["wins"]) == (1, True)
    assert ranking["bad"]["rank"] == 2
    assert ranking["bad"]["score"] == "0"
    assert ranking["out"]["rank"] is None
    assert "<OBJECT>" in ranking["out"]["why"]
    assert ranking["good"]["interval"]["low"] == 100.0


def test_the_built_in_classifier_says_in_every_file_that_it_is_unofficial(played: Path) -> None:
    for file in (played / "result").iterdir():
        assert UNOFFICIAL in file.read_text("utf-8"), file
        if file.suffix == ".csv":
            assert all(UNOFFICIAL in row.values() for row in table(played, file.name)), file


def test_a_page_shows_text_as_text_and_a_picture_of_each_level(played: Path) -> None:
    page = (played / "result" / "results.html").read_text("utf-8")
    assert "A &lt;b&gt;contest&lt;/b&gt;" in page
    assert "<script" not in page
    assert page.count("data:image/png") == 4


@needs_chromium
@pytest.mark.asyncio(loop_scope="session")
async def test_the_page_in_a_browser(chromium: Browser, played: Path) -> None:
    folder = (played / "result").as_uri()
    for size in (WIDE, PHONE):
        async with opened_in(chromium, folder, size=size) as page:
            await page.goto(f"{folder}/results.html")
            for summary in await page.locator("summary").all():
                await summary.click()
            pictures = "[...document.images].map(each => each.naturalWidth)"
            assert await page.evaluate(pictures) == [48] * 4
            assert await violations(page) == []
            assert await overflow(page) == 0


def test_the_official_tree_is_written(played: Path) -> None:
    tree = played / "trials" / "good"
    assert (tree / "raw" / "I" / "good_I_1.txt").read_text() == TOWER
    assert (tree / "intermediate" / "I" / "good_I_1.txt").is_file()
    assert (tree / "levels" / "I" / "good_I_1.xml").is_file()
    assert json.loads((tree / "stability" / "L.json").read_text())["dataCount"] == 2
    assert json.loads((tree / "similarity" / "L.json").read_text())["count"] == 2
    assert not (played / "trials" / "bad" / "levels").exists()


def test_playing_again_changes_nothing(copy: Path) -> None:
    before, events = files_of(copy), record_of(copy)
    head = play(copy).head
    assert play(copy).head == head
    assert record_of(copy) == events
    assert files_of(copy) == before
    for stage in ("collect", "rank"):
        assert play(copy, stage).head != head
        assert files_of(copy) == before


def test_a_later_version_verifies_the_result(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disciplines.run.version", lambda _name: "0.1")
    play(copy, "rank")
    monkeypatch.undo()
    assert json.loads((copy / "result" / "results.json").read_text())["program"] == "loebner 0.1"
    assert verify(copy).ok


def test_verify_names_what_was_changed(copy: Path) -> None:
    assert verify(copy).finished
    (copy / "result" / "trials.csv").write_text("changed")
    assert red(copy) == {"published"}
    with contextlib.closing(sqlite3.connect(copy / "record.db")) as connection:
        names = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        for (trigger,) in connection.execute(names).fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        change = """replace(body, '"similarity":"0', '"similarity":"1')"""
        connection.execute(f"UPDATE events SET body = {change}")
        connection.commit()
    assert "chain" in red(copy)


def test_a_forged_result_is_detected(copy: Path) -> None:
    """Even if the whole chain is rewritten, the result must follow from the answers."""
    with Run(copy, NAME, plain(load(copy, NAME, Settings)), STAGES) as run:
        value = dict(run.state.values["measure"]["good_I_1"])
        assert run.state.result is not None
        run.write(
            Measured("good_I_1", "measure", value | {"similarity": "0.999"}), run.state.result
        )
    assert red(copy) == {"measure", "result"}


def test_changed_prompts_and_settings_are_refused(copy: Path) -> None:
    prompt = copy / "prompts" / "good.txt"
    prompt.write_text("Build <OBJECT> well")
    with pytest.raises(BadSettings, match="--from qualify"):
        play(copy)
    prompt.write_text("Build <OBJECT>")
    (copy / "prompts" / "late.txt").write_text("Build <OBJECT>")
    with pytest.raises(BadSettings, match="--from plan"):
        play(copy)
    play(copy, "plan")
    settings = copy / "contest.toml"
    settings.write_text(settings.read_text().replace("trials = 2", "trials = 1"))
    with pytest.raises(BadSettings, match="--from"):
        play(copy)


@pytest.mark.parametrize(
    "settings",
    [
        '[[entry]]\nname = "nobody"\nstatus = "baseline"',
        '[measure]\nsimilarity = "model"',
        '[measure]\nsimilarity = "model"\nmodel = "nowhere"',
        '[measure]\nsimilarity = "stored"\nstored = "nowhere.csv"',
        '[measure]\nstored = "trials.csv"',
        '[[answers]]\nfolder = "answers"',
        "[limits]\nminutes = 2",
    ],
)
def test_unusable_settings_are_refused(tmp_path: Path, settings: str) -> None:
    with pytest.raises((ContestError, BadInput)):
        play(contest(tmp_path, settings))


def test_a_missing_model_is_reported_before_answers_are_collected(tmp_path: Path) -> None:
    folder = contest(tmp_path, '[measure]\nsimilarity = "model"\nmodel = "nowhere"')
    stages: set[str] = set()
    with pytest.raises(BadSettings, match="nowhere"):
        play(folder, progress=lambda stage, done, of: stages.add(stage))
    assert stages == {"qualify", "plan"}


def test_a_team_whose_name_cant_be_a_folder_is_left_out_with_the_reason(tmp_path: Path) -> None:
    folder = contest(tmp_path)
    (folder / "prompts" / "logs.txt").write_text("Build <OBJECT>")
    document = play(folder).document
    ranking = {each["name"]: each for each in document["ranking"]}
    assert ranking["logs"]["status"] == "disqualified"
    assert ranking["good"]["rank"] == 1


def test_a_contest_in_which_nobody_qualifies_says_why(tmp_path: Path) -> None:
    folder = contest(tmp_path)
    for name in ("good", "bad"):
        (folder / "prompts" / f"{name}.txt").unlink()
    (only,) = play(folder).document["ranking"]
    assert (only["name"], only["rank"]) == ("out", None)
    assert verify(folder).ok


STORED = """\
teamName,character,trial,stabilityScore,similarityScore,diversityScore
good,I,1,1,0.5,0.25
good,I,2,0.5,0.5,0.25
good,L,1,1,1,0
bad,I,1,0.25,0.125,0.5
"""


@pytest.mark.parametrize("edition", ["2023", "2024"])
def test_stored_values_count_as_they_are(tmp_path: Path, edition: str) -> None:
    settings = '[measure]\nphysics = "stored"\nsimilarity = "stored"\nstored = "trials.csv"'
    folder = contest(tmp_path, settings, edition)
    (folder / "trials.csv").write_text(STORED)
    document = play(folder).document
    assert document["unofficial"] == ""
    rows = {
        (row["teamName"], row["character"], row["trial"]): row
        for row in table(folder, "trial_scores.csv")
    }
    assert rows["good", "I", "2"]["stabilityScore"] == "0.5"
    assert rows["bad", "I", "1"]["similarityScore"] == "0.125"
    if edition == "2024":
        assert rows["good", "I", "1"]["diversityScore"] == "0.25"
    missing = [(each["team"], each["letter"], each["trial"]) for each in document["zeros"]]
    assert ("good", "L", 2) in missing
    assert [str(f) for check in verify(folder).checks for f in check.faults] == []


@pytest.mark.parametrize(
    ("physics", "similar"), [("stored", "built-in"), ("box2d", "stored"), ("pymunk", "built-in")]
)
def test_one_of_the_two_values_may_be_stored(tmp_path: Path, physics: str, similar: str) -> None:
    settings = f'[measure]\nphysics = "{physics}"\nsimilarity = "{similar}"\n'
    stored = "stored" in (physics, similar)
    folder = contest(tmp_path, settings + 'stored = "trials.csv"' * stored)
    (folder / "trials.csv").write_text(STORED)
    document = play(folder).document
    assert bool(document["unofficial"]) == (similar == "built-in")
    rows = {(row["team"], row["letter"], row["trial"]): row for row in table(folder)}
    assert (rows["good", "I", "2"]["stability"] == "0.5") == (physics == "stored")
    assert (rows["good", "I", "2"]["similarity"] == "0.5") == (similar == "stored")
    # A stored value without a program does not count.
    assert rows["bad", "I", "1"]["step"] == "program"
    assert verify(folder).ok


def test_problems_with_a_tree_of_stored_values_are_reported(played: Path, tmp_path: Path) -> None:
    settings = '[measure]\nphysics = "stored"\nsimilarity = "stored"\nstored = "official"'
    folder = contest(tmp_path, settings)
    shutil.copytree(played / "trials", folder / "official")
    (folder / "official" / "good" / "similarity" / "L.json").unlink()
    (folder / "official" / "good" / "stability" / "I.json").write_text("<no json>")
    document = play(folder).document
    assert {each["team"] for each in document["problems"]} == {"good"}
    page = (folder / "result" / "results.html").read_text()
    assert all(each["what"].split(":")[0] in page for each in document["problems"])
    zeros = {(x["letter"], x["step"]) for x in document["zeros"] if x["team"] == "good"}
    assert zeros == {("I", "stability"), ("L", "similarity")}
    assert verify(folder).ok


def test_files_of_a_replaced_answer_are_removed(copy: Path) -> None:
    images = copy / "trials" / "good" / "images" / "I"
    assert len(list(images.iterdir())) == 4
    (copy / "answers" / "good_I_1.txt").write_text("none")
    play(copy, "collect")
    assert {file.name for file in images.iterdir()} == {"good_I_2.png", "good_I_2_raw.png"}


@pytest.mark.parametrize(
    ("edition", "given", "expected"),
    [
        ("2023", {}, ({}, None)),
        ("2024", {}, ({"temperature": 1.0, "seed": 42}, None)),
        ("2024", {"master_seed": 7}, ({"temperature": 1.0, "seed": 42}, 7)),
        ("2025", {}, ({"temperature": 1.0}, 6280)),
        ("2025", {"options": {"temperature": 0}}, ({"temperature": 0}, 6280)),
    ],
)
def test_requests_have_the_options_of_the_edition(
    edition: str, given: dict[str, Any], expected: tuple[dict[str, Any], int | None]
) -> None:
    answers = AnswersTable(endpoint="http://127.0.0.1/v1", model="m", **given)
    found = answers.with_defaults(EDITIONS[edition])
    assert (found.options, found.master_seed) == expected


@needs_data
@pytest.mark.soak
def test_the_contest_of_2023_has_the_published_result(tmp_path: Path) -> None:
    source = DATA / "2023"
    shutil.copytree(source / "prompts", tmp_path / "prompts")
    (tmp_path / "prompts" / "v1_sample.txt").write_text("<OBJECT>")  # is not public
    shutil.copy(source / "trial_scores.csv", tmp_path)
    (tmp_path / "answers").mkdir()
    settings = SETTINGS.format(edition="2023").replace('letters = "IL"\ntrials = 2\n', "")
    settings += (
        '[measure]\nphysics = "stored"\nsimilarity = "stored"\nstored = "trial_scores.csv"\n'
    )
    for name, status in (("v1_sample", "baseline"), ("The Organizer", "ineligible")):
        settings += f'[[entry]]\nname = "{name}"\nstatus = "{status}"\n'
    (tmp_path / "contest.toml").write_text(settings)
    document = play(tmp_path).document
    assert document["competition_score"] == "0.66619817402104604574"
    for name in ("trial_scores.csv", "character_scores.csv"):
        with (source / name).open(newline="") as file:
            published = sorted(tuple(row.values()) for row in csv.DictReader(file))
        assert sorted(tuple(row.values()) for row in table(tmp_path, name)) == published
    winners = [each["name"] for each in document["ranking"] if each["wins"]]
    assert winners == ["dereventsolve"]
    out = {e["name"]: e["reason"] for e in document["ranking"] if e["status"] == "disqualified"}
    assert out["BirdBirdBird"].startswith("915 words")
    assert out["BirdsTeam"].startswith("905 words")
    assert "U+00B0" in out["pixelArt"]
    assert verify(tmp_path).ok


def test_an_entry_that_is_a_program_needs_its_stored_answers(tmp_path: Path) -> None:
    folder = contest(tmp_path, edition="2024")
    (folder / "prompts" / "good.txt").unlink()
    (folder / "prompts" / "good.py").write_text("from chatgpt4pcg.competition import TrialLoop")
    assert play(folder).document["ranking"][0]["name"] == "good"
    file = folder / "contest.toml"
    file.write_text(file.read_text().replace('folder = "answers"', 'command = "python"'))
    with pytest.raises(BadSettings, match="good is a program"):
        play(folder, "collect")


def test_several_models_each_have_their_own_trials(tmp_path: Path) -> None:
    folder = contest(tmp_path, edition="2025")
    text = (folder / "contest.toml").read_text()
    first = text.replace("[[answers]]", '[[answers]]\nname = "one"')
    (folder / "contest.toml").write_text(f'{first}[[answers]]\nname = "two"\nfolder = "answers"')
    document = play(folder).document
    assert document["models"] == ["one", "two"]
    assert (folder / "trials" / "two" / "good" / "raw" / "I" / "good_I_1.txt").is_file()
    assert len(table(folder)) == 2 * 2 * 2 * 2
    assert verify(folder).ok


# Limits


class Costs:
    """A dialogue whose answers take tokens and time."""

    def __init__(self, tokens: int | None) -> None:
        self.tokens, self.now = tokens, 0.0

    def ask(self, text: str, item: str, seconds: float | None = None) -> Answer:
        self.now += 70
        return Answer(text, self.tokens)


def test_time_is_checked_before_a_request_and_tokens_after_it() -> None:
    costs = Costs(10_000)
    meter = LimitedDialogue(costs, EDITIONS["2024"], lambda: costs.now)
    assert [meter.ask("a", "x").tokens, meter.ask("b", "x").tokens] == [10_000, 20_000]
    with pytest.raises(ItemFailed, match="seconds"):
        meter.ask("c", "x")
    costs = Costs(10_000)
    meter = LimitedDialogue(costs, EDITIONS["2024"], lambda: 0.0)
    meter.ask("a", "x")
    meter.ask("b", "x")
    with pytest.raises(ItemFailed, match="30,000 tokens"):
        meter.ask("c", "x")
    costs = Costs(None)
    meter = LimitedDialogue(costs, EDITIONS["2023"], lambda: costs.now)
    assert [meter.ask("a", "x").tokens for _ in range(9)] == [None] * 9


# Killed

#: Plays a contest, but waits once two answers are on record, until it is killed.
UNTIL_KILLED = """\
import sys
from pathlib import Path
from disciplines.chatgpt4pcg.run import play

def wait(stage, done, of):
    if stage == "collect" and done >= 2:
        print("waits", flush=True)
        sys.stdin.read()

play(Path(sys.argv[1]), progress=wait)
"""


def test_a_killed_run_continues_and_ends_with_the_same_files(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        prepare("chatgpt4pcg", folder, "demo")
        (folder / "contest.toml").write_text(_settings_with_program())
        for name in ("rules", "baseline", "lost"):
            (folder / "prompts" / f"{name}.txt").unlink()
    play(first)
    words = [sys.executable, "-c", UNTIL_KILLED, str(second)]
    with subprocess.Popen(
        words, cwd=Path(__file__).parents[3], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == b"waits"
            assert process.poll() is None
        finally:
            process.kill()
    kinds = [event.kind for event in record_of(second)]
    assert kinds.count(Answered.kind) >= 2
    assert RunResult.kind not in kinds
    play(second)
    assert files_of(first) == files_of(second)
    assert verify(second).ok


def _settings_with_program() -> str:
    """Settings in which the demo's program answers."""
    program = Path(answering.__file__).as_posix()
    return SETTINGS.format(edition="2023").replace(
        'folder = "answers"',
        f'command = \'"{Path(sys.executable).as_posix()}" -IS "{program}" {{seed}}\'',
    )


def test_the_answering_program_gives_the_same_for_the_same_seed() -> None:
    prompt = 'Build "T" with ab_drop in a code block'
    assert respond(prompt, "1") == respond(prompt, "1")
    assert len({respond(prompt, str(seed)) for seed in range(20)}) > 1


def test_a_demo_makes_its_folder_once_and_refuses_anothers(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    prepare("chatgpt4pcg", folder, "demo")
    (folder / "prompts/short.txt").unlink()
    prepare("chatgpt4pcg", folder, "demo")
    assert (folder / "prompts/short.txt").is_file()
    (folder / "contest.toml").write_text("changed")
    with pytest.raises(ContestError):
        prepare("chatgpt4pcg", folder, "demo")


def test_the_settings_of_a_new_contest_can_be_played(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    prepare("chatgpt4pcg", folder)
    (folder / "answers").mkdir()
    document: dict[str, Any] = play(folder).document
    assert Decimal(document["competition_score"]) == 0
    assert len(document["zeros"]) == 260
