"""`loebner screen register`, `compliance`, `go-on`: what a person types, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contest.record.store import FILE_NAME
from contest.screening.register import FIELDS
from contest.screening.season import Season
from contest.setup import folder
from loebner.cli import main
from lpp.conformance.cases import choose

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
def run(contest: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `loebner screen COMMAND CONTEST …`: exit code, output, errors."""

    def call(command: str, *words: str) -> tuple[int, str, str]:
        code = main(["screen", command, str(contest), *words])
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
    """A document of check-bot by which an entry speaks LPP."""
    cases = [{"id": case.id, "outcome": "pass"} for case in choose(())]
    file = tmp_path / "check.json"
    file.write_text(json.dumps({"cases": cases, "passed": True}), encoding="utf-8")
    return str(file)


def test_an_entry_from_the_post_to_the_list(run: Run, check: str) -> None:
    code, out, err = run("register", "add", *options(), "--by", "Ada")
    assert (code, out, err) == (0, "E1 is registered\n", "")
    late = options(entrant="Bo", posted="2010-06-08", received="2010-06-09")
    code, out, _ = run("register", "add", *late)
    assert code == 0
    assert "Broken: posted on 2010-06-08, after 2010-06-07 (rules 2010, section 1: “Entries" in out
    code, out, _ = run(
        "compliance",
        "record",
        "E1",
        *ALL,
        "--check-bot",
        check,
        "--by",
        "Ada",
        *("--tested", "2010-05-20"),
    )
    assert code == 0
    assert out.startswith("E1  Suzette: complies\n")
    assert "(Ada, 2010-05-20)" in out
    _, out, _ = run("compliance")
    assert [line.split()[0] for line in out.splitlines()] == ["entry", "E1", "E2"]
    assert "does not comply" in out
    _, out, _ = run("go-on")
    assert "1 entry complies, fewer than the 4 finalists" in out
    code, out, _ = run("go-on", "begin", "--by", "Ada")
    assert code == 0
    assert "the list stands" in out
    code, out, err = run("go-on", "begin", "--by", "Ada")
    assert (code, out) == (1, "")
    assert err == "loebner: screening has begun already: the list stands\n"


def test_what_programs_are_given(run: Run, check: str) -> None:
    _, out, _ = run("register", "add", *options(), "--json")
    assert json.loads(out) == {"entries": [{"entry": "E1", "broken": [], "remarks": []}]}
    _, out, _ = run("register", "change", "E1", "--media", "tape", "--reason", "x", "--json")
    (told,) = json.loads(out)["entries"]
    assert told["broken"][0]["rule"] == "1/media"
    _, out, _ = run("register", "list", "--json")
    (entry,) = json.loads(out)["entries"]
    assert (entry["entry"], entry["way"], entry["posted"]) == ("E1", 1, "2010-05-10")
    assert [version["form"]["media"] for version in entry["versions"]] == ["CD", "tape"]
    _, out, _ = run("register", "show", "E1", "--json")
    shown = json.loads(out)
    assert {key: shown[key] for key in entry} == entry
    assert shown["broken"][0]["sentence"].startswith("All entrants must submit")
    _, out, _ = run("register", "change", "E1", "--media", "CD", "--reason", "x", "--json")
    words = (*ALL, "--check-bot", check, "--by", "Ada", "--tested", "2010-05-20", "--json")
    _, out, _ = run("compliance", "record", "E1", *words)
    assert json.loads(out)["state"] == "complies"
    _, out, _ = run("compliance", "--json")
    (row,) = json.loads(out)["entries"]
    assert (row["state"], row["items"][-1]["item"]) == ("complies", "lpp")
    _, one, _ = run("compliance", "show", "E1", "--json")
    assert json.loads(one) == row
    _, out, _ = run("go-on", "--json")
    assert json.loads(out)["screened"] == ["E1"]
    _, out, _ = run("go-on", "begin", "--by", "Ada", "--json")
    assert json.loads(out)["begun"] is True


def test_corrections_withdrawals_and_their_ends(run: Run) -> None:
    run("register", "add", *options(), "--individual", "Cy", "--individual", "Dee")
    run("register", "change", "E1", "--individual", "", "--reason", "both have left", "--by", "Bo")
    _, out, _ = run("register", "show", "E1")
    assert "individuals" not in out
    assert "Bo: both have left" in out
    assert run("register", "withdraw", "E1", "--reason", "ill")[1] == "E1 is withdrawn\n"
    assert "withdrawn" in run("register", "list")[1]
    _, out, _ = run("register", "restore", "E1", "--reason", "well again")
    assert out == "E1 is back in the register\n"
    _, out, _ = run("register", "show", "E1")
    assert "organizer: ill" in out
    assert "organizer: well again" in out


def test_equals_are_decided_by_the_organizer(run: Run) -> None:
    for name in ("Ann", "Bo"):
        run("register", "add", *options(entrant=name))
    code, out, _ = run("go-on", "decide", "E2", "E1", "--by", "Ada", "--reason", "by lot")
    assert code == 0
    assert "still to be tested" in out
    code, _, err = run("go-on", "decide", "E2", "--by", "Ada", "--reason", "by lot")
    assert code == 2
    assert "two entries at least" in err


@pytest.mark.parametrize(
    ("command", "words", "code", "said"),
    [
        ("register", ["add", *options(posted="soon")], 2, "posted: 'soon' is not a date"),
        ("register", ["add", "--program", "x"], 2, "entrant: is missing"),
        (
            "register",
            ["add", *options(entrant="ann  LEE")],
            1,
            "'Ann Lee' of E1 and 'ann LEE' of E2",
        ),
        ("register", ["change", "E1", "--reason", "x"], 2, "give a field"),
        ("register", ["change", "E1", "--media", "DVD"], 2, "--reason"),
        ("register", ["change", "E7", "--media", "DVD", "--reason", "x"], 2, "no entry 'E7'"),
        ("register", ["withdraw", "E1", "--reason", " "], 2, "a reason is needed"),
        ("register", ["restore", "E1", "--reason", "x"], 1, "E1 is not withdrawn"),
        ("register", ["show", "E7"], 2, "no entry 'E7'"),
        ("register", ["add", *options(entrant="x"), "--by", "\x1b"], 2, "--by"),
        ("compliance", ["show", "E7"], 2, "no entry 'E7'"),
        ("compliance", ["record", "E1", *ALL], 2, "--by"),
        ("compliance", ["record", "E1", "--by", "A"], 2, "nothing is said of E1"),
        (
            "compliance",
            ["record", "E1", *seen("path=no"), "--by", "A"],
            2,
            "'no' is not an outcome",
        ),
        ("compliance", ["record", "E1", *ALL, "--by", "A", "--tested", "x"], 2, "--tested"),
        ("compliance", ["record", "E1", "--check-bot", "/none", "--by", "A"], 2, "no such file"),
        ("compliance", ["--json", "show", "E1"], 2, "unexpected extra argument"),
        ("compliance", ["shw", "E1"], 2, "No such command 'shw'"),
        ("go-on", ["begin", "--by", "A"], 1, "can't begin: This may change: E1 is still"),
        ("go-on", ["decide", "E1", "E2", "--by", "A", "--reason", "x"], 2, "no entry 'E2'"),
    ],
)
def test_what_is_refused_is_one_clear_line(
    run: Run, command: str, words: list[str], code: int, said: str
) -> None:
    assert run("register", "add", *options())[0] == 0
    got, out, err = run(command, *words)
    assert (got, out) == (code, "")
    assert said in err
    assert err.startswith("loebner: ")
    assert err.count("\n") == 1


def test_who_says_so_may_stand_in_the_environment(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOEBNER_BY", "Grace")
    run("register", "add", *options())
    _, out, _ = run("compliance", "record", "E1", *seen("path=pass"), "--tested", "2010-05-20")
    assert "(Grace, 2010-05-20)" in out
    assert "Grace" in run("register", "show", "E1")[1]


def test_looking_writes_nothing_and_waits_for_nobody(run: Run, contest: Path) -> None:
    for command, words in (
        ("register", ["list"]),
        ("compliance", []),
        ("go-on", []),
    ):
        code, out, _ = run(command, *words)
        assert (code, "empty" in out) == (0, True)
    assert not (contest / FILE_NAME).exists()
    with Season(contest):
        assert run("register", "list")[0] == 0
        code, _, err = run("register", "add", *options())
        assert code == 1
        assert "another `loebner screen` writes this season" in err


def test_no_contest_no_season(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for words in (["register", "x", "list"], ["compliance", "x"], ["go-on", "x"]):
        command, _, *rest = words
        assert main(["screen", command, str(tmp_path / "none"), *rest]) == 2
        assert "no such folder" in capsys.readouterr().err


def test_every_field_is_an_option(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run("register", "add", "--help")
    named: dict[str, Any] = {"individuals": "--individual", "platforms": "--platform"}
    for field in FIELDS:
        assert f"{named.get(field, f'--{field}')} " in out
    assert main(["screen", "--help"]) == 0
    listed = capsys.readouterr().out
    for command in ("register", "compliance", "go-on", "serve"):
        assert f"  {command} " in listed
