"""Tests `loebner screen`: the commands that a person types, and their output."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contest.record.store import FILE_NAME
from contest.screening import paper as papers
from contest.screening.answers import suggest
from contest.screening.finalists import as_toml, changed
from contest.screening.paper import Paper, Question, write
from contest.screening.questions import Counts, make
from contest.screening.register import FIELDS
from contest.screening.season import Season
from contest.setup import folder, settings
from contest.setup.settings import EntryTable
from loebner.cli import main
from loebner.screen.options import separated
from lpp.conformance.cases import choose
from tests.contest.screening.seasons import begin

Run = Callable[..., tuple[int, str, str]]
GOOD = {
    "program": "Suzette",
    "entrant": "Ann Lee",
    "posted": "2010-05-10 14:05",
    "received": "2010-05-14",
    "way": "1",
    "service": "FedEx",
    "proof": "8701",
    "media": "CD",
    "platform": "Windows XP",
}


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    folder.make(tmp_path / "contest")
    return tmp_path / "contest"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `loebner screen …`: exit code, output, errors."""

    def call(*words: str | Path) -> tuple[int, str, str]:
        code = main(["screen", *map(str, words)])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def options(**changed: str) -> list[str]:
    fields = {**GOOD, **changed}
    return [word for name, value in fields.items() for word in (f"--{name}", value)]


def seen(*names: str) -> list[str]:
    return [word for name in names for word in ("--item", name)]


ALL = seen("programs=pass", "runs=pass", "path=pass", "variable=pass", "browse=pass")


@pytest.fixture
def check(tmp_path: Path) -> str:
    """A document of check-bot for an entry that passes."""
    cases = [{"id": case.id, "outcome": "pass"} for case in choose(())]
    file = tmp_path / "check.json"
    file.write_text(json.dumps({"cases": cases, "passed": True}), encoding="utf-8")
    return str(file)


def test_an_entry_is_registered_tested_and_listed(run: Run, contest: Path, check: str) -> None:
    assert run("register", contest, "add", *options(), "--by", "Ada") == (
        *(0, "E1 is registered\n", ""),
    )
    late = options(entrant="Bo", posted="2010-06-08", received="2010-06-09")
    code, out, _ = run("register", contest, "add", *late)
    assert code == 0
    assert "Broken: posted on 2010-06-08, after 2010-06-07 (rules 2010, section 1: “Entries" in out
    words = ("--check-bot", check, "--by", "Ada", "--tested", "2010-05-20")
    code, out, _ = run("compliance", contest, "record", "E1", *ALL, *words)
    assert code == 0
    assert out.startswith("E1  Suzette: complies\n")
    assert "(Ada, 2010-05-20)" in out
    _, out, _ = run("compliance", contest)
    assert [line.split()[0] for line in out.splitlines()] == ["entry", "E1", "E2"]
    assert "does not comply" in out
    assert "1 entry complies, fewer than the 4 finalists" in run("select", contest)[1]
    code, out, _ = run("select", contest, "begin", "--by", "Ada")
    assert (code, "the list is final" in out) == (0, True)
    assert run("select", contest, "begin", "--by", "Ada") == (
        *(1, "", "loebner: screening has already begun: the list is final\n"),
    )


def test_documents_for_programs(run: Run, contest: Path, check: str) -> None:
    def plain(*words: str) -> Any:
        code, out, err = run(*words[:1], contest, *words[1:], "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    assert plain("register", "add", *options()) == {
        "entries": [{"entry": "E1", "broken": [], "remarks": []}]
    }
    (told,) = plain("register", "change", "E1", "--media", "tape", "--reason", "x")["entries"]
    assert told["broken"][0]["rule"] == "1/media"
    assert told["broken"][0]["sentence"].startswith("All entrants must submit")
    (entry,) = plain("register")["entries"]
    assert (entry["entry"], entry["way"], entry["posted"]) == ("E1", 1, "2010-05-10")
    assert [change["form"]["media"] for change in entry["changes"]] == ["CD", "tape"]
    shown = plain("register", "show", "E1")
    assert shown == {**entry, "broken": told["broken"], "remarks": []}
    plain("register", "change", "E1", "--media", "CD", "--reason", "x")
    words = (*ALL, "--check-bot", check, "--by", "Ada", "--tested", "2010-05-20")
    row = plain("compliance", "record", "E1", *words)
    assert (row["state"], row["items"][-1]["item"]) == ("complies", "lpp")
    assert plain("compliance") == {"entries": [row]}
    assert plain("compliance", "show", "E1") == row
    assert plain("select")["screened"] == ["E1"]
    assert plain("select", "begin", "--by", "Ada")["begun"] is True


def test_corrections_and_withdrawals_are_recorded_with_names(
    run: Run, contest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("register", contest, "add", *options(), "--individual", "Cy", "--individual", "Dee")
    monkeypatch.setenv("LOEBNER_BY", "Grace")
    run("register", contest, "change", "E1", "--individual", "", "--reason", " both  have left ")
    assert run("register", contest, "withdraw", "E1", "--reason", "ill")[1] == "E1 is withdrawn\n"
    assert "withdrawn" in run("register", contest, "list")[1]
    _, out, _ = run("register", contest, "restore", "E1", "--reason", "well again", "--by", "Bo")
    assert out == "E1 is back in the register\n"
    _, out, _ = run("register", contest, "show", "E1")
    assert "Individuals" not in out
    for words in ("Grace: both have left", "Grace: ill", "Bo: well again"):
        assert words in out


@pytest.mark.parametrize(
    ("command", "words", "code", "said"),
    [
        ("register", ["add", *options(posted="soon")], 2, "posted: 'soon' is not a date"),
        ("register", ["add", "--program", "x"], 2, "entrant: is missing"),
        ("register", ["add", *options(entrant="ann  LEE")], 1, "'Ann Lee' of E1 and 'ann LEE'"),
        ("register", ["change", "E1", "--reason", "x"], 2, "E1"),
        ("register", ["change", "E1", "--media", "DVD"], 2, "--reason"),
        ("register", ["withdraw", "E1", "--reason", " "], 2, "a reason is needed"),
        ("register", ["show", "E7"], 2, "no entry 'E7'"),
        ("register", ["add", *options(entrant="x"), "--by", "\x1b"], 2, "--by"),
        ("compliance", ["record", "E1", *ALL], 2, "--by"),
        ("compliance", ["record", "E1", *seen("path=no"), "--by", "A"], 2, "'no' is not an outc"),
        ("compliance", ["record", "E1", *ALL, "--by", "A", "--tested", "x"], 2, "--tested"),
        ("compliance", ["record", "E1", "--check-bot", "/none", "--by", "A"], 2, "no such file"),
        ("compliance", ["shw", "E1"], 2, "No such command 'shw'"),
        ("select", ["begin", "--by", "A"], 1, "can't begin: E1 is still"),
        ("select", ["decide", "E1", "--by", "A", "--reason", "x"], 2, "at least two entries"),
        ("ask", ["--seed", "1"], 1, "screening has not begun"),
        ("rank", [], 1, "marking has not begun"),
        ("rank", ["--finalists", "2"], 2, "a contest uses [season] finalists"),
        ("finalists", [], 1, "marking is not over"),
        ("mark", ["--in", "x.csv"], 2, "--in needs --marker"),
    ],
)
def test_unusable_input_is_refused_in_one_line(
    run: Run, contest: Path, command: str, words: list[str], code: int, said: str
) -> None:
    assert run("register", contest, "add", *options())[0] == 0
    got, out, err = run(command, contest, *words)
    assert (got, out) == (code, "")
    assert said in err
    assert err.startswith("loebner: ")
    assert err.count("\n") == 1


def test_reading_writes_nothing_and_waits_for_no_lock(run: Run, contest: Path) -> None:
    for command in ("register", "compliance", "select"):
        code, out, _ = run(command, contest)
        assert (code, "empty" in out) == (0, True)
        code, _, err = run(command, contest.parent / "none")
        assert (code, "no such folder" in err) == (2, True)
    assert not (contest / FILE_NAME).exists()
    with Season(contest):
        assert run("register", contest, "list")[0] == 0
        code, _, err = run("register", contest, "add", *options())
        assert (code, err.count("\n")) == (1, 1)


def test_help_of_a_command_needs_no_contest(run: Run, contest: Path) -> None:
    named: dict[str, Any] = {"individuals": "--individual", "platforms": "--platform"}
    for before in ([], [contest]):
        _, out, _ = run("register", *before, "add", "--help")
        for field in FIELDS:
            assert f"{named.get(field, f'--{field}')} " in out
        assert "semicolon" not in out  # each name has its own option
    assert "  withdraw " in run("register", "--help")[1]
    assert "  select " in run("--help")[1]


# Questions

OWN = '[[question]]\nid = "own-1"\nset = "things"\ntext = "What is a spoon for?"\nwords = ["eat"]\n'


def test_a_paper_is_shown_without_its_answers(run: Run, contest: Path) -> None:
    _, plain, _ = run("questions", "--seed", "12")
    _, shown, _ = run("questions", "--seed", "12", "--key")
    lines = plain.splitlines()
    for question in make(12).questions:
        assert any(line.endswith(f". {question.text}") for line in lines)
        assert f"= {question.key}" in shown
        assert f"= {question.key}" not in plain
    # Without --seed, a random seed is used and printed; the facts are the contest's.
    toml = contest / "contest.toml"
    text = toml.read_text(encoding="utf-8")
    toml.write_text(text.replace("start = 2010-10-23T09:30:00", "start = 2011-05-06T14:00:00"))
    counts = ("--time", "2", "--things", "1", "--relations", "3", "--memory", "2", "--json")
    document = json.loads(run("questions", contest, *counts)[1])
    assert document["facts"]["start"] == "2011-05-06T14:00:00"
    assert all(set(each) == {"id", "set", "tells", "text"} for each in document["questions"])
    seed = str(document["seed"])
    again = json.loads(run("questions", contest, *counts, "--seed", seed, "--key")[1])
    made = make(int(seed), Counts(2, 1, 3, 2)).questions
    assert [each["key"]["words"] for each in again["questions"]] == [
        list(question.words) for question in made
    ]


def test_the_paper_is_written_and_own_questions_are_added(run: Run, tmp_path: Path) -> None:
    own, out = tmp_path / "own.toml", tmp_path / "paper.toml"
    own.write_text(OWN.replace("a spoon", "the carburetor"))
    code, shown, err = run("questions", "--seed", "3", "--add", own, "--out", out)
    assert code == 0
    assert "What is the carburetor for?" in shown
    assert "keep it secret" in shown
    assert err == f"{own}: own-1: outside the vocabulary: carburetor\n"
    paper = papers.read(out)
    assert (paper.seed, len(paper.questions)) == (3, 21)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--time", "-1"], "--time"),
        (["--memory", "1000"], "have only"),
        (["--seed", "-4"], "--seed"),
        (["--time=0", "--things=0", "--relations=0", "--memory=0"], "at least one question"),
        (["nowhere"], "no such folder"),
        (["--add", "none.toml"], "none.toml: there is no such file"),
        (["--out", "no/such/paper.toml"], "can't be written"),
    ],
)
def test_an_impossible_paper_is_refused_in_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, args: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run("questions", *args)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1


# Asking

PAPER = Paper(
    None,
    (
        Question("things-1", "things", "What is a hammer for?", words=("nail", "hit")),
        Question(
            *("relations-1", "relations", "Which is larger, a grape or a grapefruit?"),
            words=("grapefruit",),
        ),
    ),
)


def start(contest: Path, *commands: str) -> str:
    """Begins screening of entries with these commands; returns the file of a paper."""
    with Season(contest) as season:
        begin(season, [f"E{nth}" for nth, _ in enumerate(commands, 1)], *commands)
    write(PAPER, contest / "paper.toml")
    return str(contest / "paper.toml")


def test_bundled_bots_answer_over_real_directories(run: Run, contest: Path) -> None:
    paper = start(contest, *(f"loebner bot {b} --dir {{dir}} --speed 3" for b in ("screening",)))
    code, out, _ = run("ask", contest, "--speed", "3", "--json", "--paper", paper)
    document = json.loads(out)
    assert (code, document["failed"]) == (0, [])
    (sitting,) = document["sittings"]
    assert sitting["ended"]
    marks = [
        suggest(question, answer["text"], PAPER.facts.start, PAPER.facts).mark
        for question, answer in zip(PAPER.questions, sitting["answers"], strict=True)
    ]
    assert marks == [2, 2], sitting
    # A second call asks no entry, and shows the answers.
    assert run("ask", contest)[0] == 0
    assert run("ask", contest, "--show", "E1")[1].startswith("judge: What is a hammer for?\nE1: ")


def test_entries_that_can_not_be_asked_are_named(run: Run, contest: Path) -> None:
    paper = start(contest, "/nowhere/entry {dir}")
    for words, said in (
        ([], "--paper"),
        (["--paper", "x.toml", "--seed", "1"], "give only one of --paper and --seed"),
        (["--only", "E9", "--seed", "1"], "E9 is not being screened"),
        (["--seed", "1", "--control", "E1", "."], "give the human another"),
        (["--show", "E1"], "no entry has been asked"),
    ):
        code, _, err = run("ask", contest, *words)
        assert code in (1, 2)
        assert said in err
    code, out, err = run("ask", contest, "--paper", paper)
    assert code == 1
    assert "E1: could not complete the paper: the program can't be started" in err
    assert "0 of 2, not ended" in out


# Ranking


def test_names_can_be_separated_by_commas_or_repeated() -> None:
    assert separated(["E1, E3", "E4"]) == separated(["E1", "E3", "E4"]) == ["E1", "E3", "E4"]


def test_a_table_is_ranked_and_wrong_totals_are_reported(run: Run, tmp_path: Path) -> None:
    file, page, again = (tmp_path / name for name in ("2010.csv", "page.html", "again.csv"))
    file.write_text(
        "entity,published_total,q1,q2,q3\nA,3,1,1,1\nB,5,2,2,0\nC,4,2,1,1\n", encoding="utf-8"
    )
    code, told, _ = run("rank", file, "--finalists", "1")
    assert code == 0
    assert "B: 2 + 2 + 0 = 4" in told
    assert (
        "B: the published total is 5, but its items add up to 4; the place is 1 by the items,"
        in told
    )
    assert "Tied at the cut: B and C; 1 of them can go through." in told
    code, told, _ = run("rank", file, "--json", "--html", page, "--csv", again)
    document = json.loads(told)
    assert [each["place"] for each in document["entries"]] == [1, 1, 3]
    assert document["wrong_totals"][0]["published_place"] == 1
    assert "<strong>wrong</strong>" in page.read_text(encoding="utf-8")
    assert again.read_text(encoding="utf-8").splitlines()[1] == "1,B,yes,4,2,2,0"
    file.write_text("entity,q1\nA,much\n", encoding="utf-8")
    code, _, err = run("rank", file)
    assert (code, "line 2, q1: 'much' is not a mark" in err) == (2, True)
    assert run("rank", tmp_path / "none.csv")[0] == 2


NEW = [
    EntryTable("E7", 'A "quoted" name', "Ann", ("Ben", "Cy"), "loebner bot aiml --dir {dir}"),
    EntryTable("E12", "Other", "Dee", link="remote"),
]


def test_finalists_replace_the_entries_in_contest_toml() -> None:
    text = folder.template()
    made = changed(text, NEW)
    assert settings.parse(made).entry == tuple(NEW)
    gone = [line for line in text.splitlines() if line.startswith(("#", "[")) and line not in made]
    assert gone == []
    assert '# "remote": on another machine, by `loebner link` there' in made
    # Repeating it changes nothing, and additional entries are appended.
    assert changed(made, NEW) == made
    five = [EntryTable(f"E{nth}", f"Name {nth}") for nth in range(1, 6)]
    assert settings.parse(changed(made, five)).entry == tuple(five)
    assert settings.parse(as_toml(NEW) + '\n[contest]\nname = "x"\n').entry == tuple(NEW)
    assert settings.parse(changed('[contest]\nname = "x"\n', NEW)).entry == tuple(NEW)
