"""`loebner verify` as a person or a program uses it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from loebner.cli import main
from tests.contest.build import brief, save, small

Output = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a whole contest."""
    return save(tmp_path / "c", brief())


def forge(folder: Path, sql: str) -> None:
    with sqlite3.connect(folder / "record.db") as connection:
        connection.executescript("DROP TRIGGER events_no_update; DROP TRIGGER events_no_delete;")
        connection.execute(sql)
    connection.close()


def test_green_is_one_line_a_check(folder: Path, capsys: Output) -> None:
    assert main(["verify", str(folder)]) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        *(["green", name] for name in ("chain", "heads", "schedule", "replay", "seals", "tally")),
        ["head", brief().chains.head(None)],
    ]
    assert said.err == ""


def test_red_names_the_event_and_exits_1(folder: Path, capsys: Output) -> None:
    forge(folder, "UPDATE events SET actor = 'J2' WHERE seq = 100")
    assert main(["verify", str(folder)]) == 1
    said = capsys.readouterr()
    (line,) = [line for line in said.out.splitlines() if line.startswith("RED    chain")]
    event = brief().events[99]
    assert f"event 100 ({event.talk}, {event.kind}): its hash is not that of its content" in line
    assert said.err == ""


def test_of_many_faults_some_are_told(folder: Path, capsys: Output) -> None:
    forge(folder, "UPDATE events SET actor = 'nobody'")
    assert main(["verify", str(folder)]) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if " chain " in line]
    assert len(lines) == 6
    assert lines[-1].endswith(f"and {len(brief().events) - 5:,} more")


def test_a_published_head_is_held_against_it(folder: Path, capsys: Output) -> None:
    assert main(["verify", str(folder), "--head", brief().chains.head(None).upper()]) == 0
    assert main(["verify", str(folder), "--head", "0" * 64]) == 1
    assert "RED    heads" in capsys.readouterr().out


def test_json_is_the_document_and_nothing_else(folder: Path, capsys: Output) -> None:
    assert main(["verify", str(folder), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is True
    assert document["head"] == brief().chains.head(None)
    forge(folder, "DELETE FROM events WHERE seq = 50")
    assert main(["verify", str(folder), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is False
    assert document["checks"][0]["faults"][0] == {
        "seq": 50,
        "chain": None,
        "kind": None,
        "what": "is missing: the numbers go from 49 to 51",
    }


def test_an_unfinished_contest_says_how_far_it_goes(tmp_path: Path, capsys: Output) -> None:
    b = small(close=False)
    folder = save(tmp_path / "c", b)
    assert main(["verify", str(folder)]) == 0
    said = capsys.readouterr().out
    assert f"This contest is not finished: verified as far as it goes, {len(b.events)} events." in (
        said
    )


def test_a_corrupt_database_is_red_in_one_line(folder: Path, capsys: Output) -> None:
    (folder / "record.db").write_bytes(b"\x00\x01" * 4000)
    assert main(["verify", str(folder)]) == 1
    said = capsys.readouterr()
    assert "RED    chain" in said.out
    assert "Traceback" not in said.out + said.err


def test_a_published_record_is_verified_by_its_file_or_folder(
    folder: Path, tmp_path: Path, capsys: Output
) -> None:
    out = tmp_path / "out"
    assert main(["export", str(folder), "--format", "json", "--out", str(out)]) == 0
    capsys.readouterr()
    head = brief().chains.head(None)
    for place in (out, out / "events.jsonl"):
        assert main(["verify", str(place), "--head", head]) == 0
        assert capsys.readouterr().out.splitlines()[-1] == f"head {head}"
    assert main(["verify", str(out), "--json"]) == 0
    # The words that started the two programs.
    assert json.loads(capsys.readouterr().out)["redacted"] == 2
    assert main(["verify", str(out), "--head", "0" * 64]) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["verify"],
        ["verify", "nowhere"],
        ["verify", "."],
        ["verify", "c", "--head", "abc"],
        ["verify", "c", "--head", "g" * 64],
    ],
)
def test_what_can_not_be_used_is_refused_in_one_line(
    words: list[str], folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
