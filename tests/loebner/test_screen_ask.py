"""`loebner screen ask`, with bundled bots as processes at high speed; `rank` of a table; what is
refused, each in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contest.screening.answers import suggest
from contest.screening.finalists import as_toml, changed
from contest.screening.paper import Paper, Question, write
from contest.screening.season import Season
from contest.setup import folder, settings
from contest.setup.settings import EntryTable
from loebner.cli import main
from tests.contest.screening.seasons import begin

Output = pytest.CaptureFixture[str]
PAPER = Paper(
    None,
    (
        Question("things-1", "things", "What is a hammer for?", words=("nail", "hit")),
        Question(
            "relations-1",
            "relations",
            "Which is larger, a grape or a grapefruit?",
            words=("grapefruit",),
        ),
    ),
)


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    place = tmp_path / "contest"
    folder.make(place)
    return place


def start(contest: Path, *commands: str) -> None:
    """Begins screening with entries that are started so."""
    with Season(contest) as season:
        begin(season, [f"E{nth}" for nth, _ in enumerate(commands, 1)], *commands)


def test_bundled_bots_answer_over_real_directories(
    contest: Path, tmp_path: Path, capsys: Output
) -> None:
    start(
        contest,
        "loebner bot screening --dir {dir} --speed 10",
        "loebner bot therapist --dir {dir} --speed 10",
    )
    paper = tmp_path / "paper.toml"
    write(PAPER, paper)
    ask = ["screen", "ask", str(contest), "--speed", "10", "--json"]
    # A minute of real time stands for the start of a process on a busy machine.
    assert main([*ask, "--paper", str(paper), "--time", "ready", "100"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["failed"] == []
    first, second = document["sittings"]
    assert first["ended"]
    assert second["ended"]
    marks = [
        suggest(question, a["text"], PAPER.facts.start, PAPER.facts).mark
        for question, a in zip(PAPER.questions, first["answers"], strict=True)
    ]
    assert marks == [2, 2], first
    assert all(answer["text"] for answer in second["answers"])
    assert {"author": "judge", "text": "What is a hammer for?"} in second["talk"]
    # Once more asks nobody, and shows what was said.
    assert main(ask) == 0
    capsys.readouterr()
    assert main(["screen", "ask", str(contest), "--show", "E2"]) == 0
    assert capsys.readouterr().out.startswith("judge: What is a hammer for?\nE2: ")


def test_a_program_that_is_missing_is_named_and_the_rest_is_asked(
    contest: Path, tmp_path: Path, capsys: Output
) -> None:
    start(contest, "/nowhere/entry {dir}")
    paper = tmp_path / "paper.toml"
    write(PAPER, paper)
    assert main(["screen", "ask", str(contest), "--paper", str(paper)]) == 1
    told = capsys.readouterr()
    assert "E1: could not complete the paper: the program can't be started" in told.err
    assert "0 of 2, not ended" in told.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "say what to ask"),
        (["--paper", "x.toml", "--seed", "1"], "exclude each other"),
        (["--only", "E9", "--seed", "1"], "E9 is not among"),
        (["--seed", "1", "--time", "dinner", "5"], "no time 'dinner'"),
        (["--seed", "1", "--control", "E1", "."], "give the human another"),
        (["--show", "E1"], "nobody was asked"),
    ],
)
def test_what_can_t_be_asked_is_refused_in_a_line(
    contest: Path, words: list[str], said: str, capsys: Output
) -> None:
    start(contest, "program {dir}")
    assert main(["screen", "ask", str(contest), *words]) in (1, 2)
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told


def test_nobody_is_asked_before_screening_begins(contest: Path, capsys: Output) -> None:
    assert main(["screen", "ask", str(contest), "--seed", "1"]) == 1
    assert "screening has not begun" in capsys.readouterr().err


# rank, of a table


def test_a_table_is_ranked_and_a_wrong_total_told_item_by_item(
    tmp_path: Path, capsys: Output
) -> None:
    file = tmp_path / "2010.csv"
    file.write_text(
        "entity,published_total,q1,q2,q3\nA,3,1,1,1\nB,5,2,2,0\nC,4,2,1,1\n", encoding="utf-8"
    )
    assert main(["screen", "rank", str(file), "--finalists", "1"]) == 0
    told = capsys.readouterr().out
    assert "B: 2 + 2 + 0 = 4" in told
    assert (
        "B: the published total is 5, its items add up to 4: place 1 by the items, place 1 by"
        in told
    )
    assert "Tied at the cut: B and C; 1 of them goes on." in told
    page, again = tmp_path / "page.html", tmp_path / "again.csv"
    assert (
        main(["screen", "rank", str(file), "--json", "--html", str(page), "--csv", str(again)]) == 0
    )
    document = json.loads(capsys.readouterr().out)
    assert [each["place"] for each in document["entries"]] == [1, 1, 3]
    assert document["wrong_totals"][0]["published_place"] == 1
    assert "<strong>wrong</strong>" in page.read_text(encoding="utf-8")
    assert again.read_text(encoding="utf-8").splitlines()[1] == "1,B,yes,4,2,2,0"


def test_a_table_that_can_t_be_read_is_wrong_use(tmp_path: Path, capsys: Output) -> None:
    file = tmp_path / "t.csv"
    file.write_text("entity,q1\nA,much\n", encoding="utf-8")
    assert main(["screen", "rank", str(file)]) == 2
    assert "line 2, q1: 'much' is not a mark" in capsys.readouterr().err
    assert main(["screen", "rank", str(tmp_path / "none.csv")]) == 2


def test_a_contest_is_ranked_by_its_own_settings(contest: Path, capsys: Output) -> None:
    assert main(["screen", "rank", str(contest), "--finalists", "2"]) == 2
    assert main(["screen", "rank", str(contest)]) == 1
    assert "marking has not begun" in capsys.readouterr().err


# contest.toml


NEW = [
    EntryTable("E7", 'A "quoted" name', "Ann", ("Ben", "Cy"), "loebner bot aiml --dir {dir}"),
    EntryTable("E12", "Other", "Dee", link="remote"),
]


def test_finalists_take_the_place_of_entries_and_all_else_stays() -> None:
    text = folder.template()
    made = changed(text, NEW)
    assert settings.parse(made).entry == tuple(NEW)
    gone = [line for line in text.splitlines() if line.startswith(("#", "[")) and line not in made]
    assert gone == []
    assert '# "remote": on another machine, by `loebner link` there' in made
    # Once more changes nothing, and more than there were are added.
    assert changed(made, NEW) == made
    five = [EntryTable(f"E{nth}", f"Name {nth}") for nth in range(1, 6)]
    assert settings.parse(changed(made, five)).entry == tuple(five)
    assert settings.parse(as_toml(NEW) + '\n[contest]\nname = "x"\n').entry == tuple(NEW)


def test_a_file_without_entries_gets_them() -> None:
    made = changed('[contest]\nname = "x"\n', NEW)
    assert settings.parse(made).entry == tuple(NEW)
