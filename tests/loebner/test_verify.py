"""Tests `loebner verify` as a person or a program uses it."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from contest.record.events import Event
from contest.record.store import Record, sqlite_url
from loebner.cli import main
from tests.contest.build import brief, reforge, save, small
from tests.contest.screening.seasons import WRITTEN, add, new_contest, opened

CHECKS = ("chain", "heads", "schedule", "replay", "seals", "tally", "published")

Output = pytest.CaptureFixture[str]


def forge(folder: Path, sql: str) -> None:
    with sqlite3.connect(folder / "record.db") as connection:
        connection.executescript("DROP TRIGGER events_no_update; DROP TRIGGER events_no_delete;")
        connection.execute(sql)
    connection.close()


def test_each_green_check_prints_one_line(folder: Path, capsys: Output) -> None:
    assert main(["verify", str(folder)]) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        *(["green", name] for name in CHECKS),
        ["head", brief().chains.head(None)],
    ]
    assert said.err == ""


def test_a_failed_check_names_the_event_and_exits_1(folder: Path, capsys: Output) -> None:
    forge(folder, "UPDATE events SET actor = 'J2' WHERE seq = 100")
    assert main(["verify", str(folder)]) == 1
    said = capsys.readouterr()
    (line,) = [line for line in said.out.splitlines() if line.startswith("RED    chain")]
    event = brief().events[99]
    assert f"event 100 ({event.talk}, {event.kind}): its hash is not that of its content" in line
    assert said.err == ""


def test_a_published_head_is_compared_with_the_record(folder: Path, capsys: Output) -> None:
    assert main(["verify", str(folder), "--head", brief().chains.head(None).upper()]) == 0
    assert main(["verify", str(folder), "--head", "0" * 64]) == 1
    assert "RED    heads" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["tally"], ["verify"], ["replay"], ["schedule", "show"]])
def test_a_folder_of_another_user_is_refused_in_one_line(
    folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    def refuse(path: Path, *_: object, **__: object) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        for name in ("exists", "is_file", "is_dir"):
            patch.setattr(Path, name, refuse)
        code = main([*words, str(folder)])
    said = capsys.readouterr().err
    assert (code, said.count("\n"), "permission denied" in said) == (2, 1, True)


def test_an_unreadable_record_is_named(
    folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(sqlite3, "connect", refuse)
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).name != "record.db")
    assert main(["tally", str(folder)]) == 1
    said = capsys.readouterr().err
    assert (said.count("\n"), "record.db: this user may not read the record" in said) == (1, True)


def test_json_is_the_only_output(folder: Path, capsys: Output) -> None:
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


def test_an_unfinished_contest_is_verified_so_far(tmp_path: Path, capsys: Output) -> None:
    b = small(close=False)
    folder = save(tmp_path / "c", b)
    assert main(["verify", str(folder)]) == 0
    said = capsys.readouterr().out
    assert f"{len(b.events)} events verified" in (said)


def test_a_published_record_can_be_given_as_file_or_folder(
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
    # The commands of the two programs.
    assert json.loads(capsys.readouterr().out)["redacted"] == 2
    assert main(["verify", str(out), "--head", "0" * 64]) == 1


# The season before the contest


@pytest.fixture
def season(tmp_path: Path) -> Path:
    """The folder of a contest that has not begun, with a season that has just begun."""
    place = new_contest(tmp_path / "s")
    with opened(place) as made:
        add(made, WRITTEN, "Ada")
    return place


def test_a_season_without_a_contest_is_verified(season: Path, capsys: Output) -> None:
    assert main(["verify", str(season)]) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [
        ["green", name] for name in ("chain", "heads", "published")
    ]
    names = ["times", "entries", "sittings", "marks", "ranking"]
    assert [line.split()[:3] for line in lines[3:8]] == [
        ["green", "season", name] for name in names
    ]
    assert "3 events verified" in lines[8]
    assert "3 events verified" in lines[9]
    assert said.err == ""
    assert main(["verify", str(season), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["ok"], document["events"], document["season"]["events"]) == (True, 3, 3)
    assert [check["name"] for check in document["season"]["checks"]] == names
    # A published head counts for the season's events, too.
    assert main(["verify", str(season), "--head", document["head"]]) == 0
    assert main(["verify", str(season), "--head", "0" * 64]) == 1
    assert "but --head has 000" in capsys.readouterr().out
    forge(season, "UPDATE events SET actor = 'Eve' WHERE seq = 3")
    assert main(["verify", str(season)]) == 1
    assert "event 3 (contest, entry-registered): its hash" in capsys.readouterr().out


def shifted(draft: Event, by: int) -> Event:
    """A draft of a contest's event with its number increased."""
    keys = [[seq + by, *times] for seq, *times in draft.body.get("keys", ())]
    return replace(draft, body={**draft.body, **({"keys": keys} if keys else {})})


def test_season_and_contest_are_both_verified(season: Path, folder: Path, capsys: Output) -> None:
    assert main(["verify", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["season"] is None
    with Record(sqlite_url(season / "record.db")) as record:
        before = list(record.events())
    drafts = [Event(0, e.talk, e.at, 0, e.actor, e.kind, e.body) for e in before]
    both = reforge(drafts + [shifted(draft, len(drafts)) for draft in brief().drafts])
    shutil.rmtree(folder)
    save(folder, both)
    assert main(["verify", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines[:12]] == [
        *CHECKS,
        *["season"] * 5,
    ]
    assert lines[-1] == f"head {both.chains.head(None)}"
    # A season has no published files.
    assert main(["export", str(folder), "--format", "json", "--out", str(folder / "out")]) == 0
    assert "Ada Wilcox" not in (folder / "out" / "events.jsonl").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["verify", str(folder / "out")]) == 0
    # No event may follow the close of a contest.
    words = ["--reason", "at her wish", "--by", "Ada"]
    assert main(["screen", "register", str(folder), "withdraw", "E1", *words]) == 1
    assert "the contest is over" in capsys.readouterr().err
    assert main(["verify", str(folder)]) == 0
    forge(folder, "UPDATE events SET actor = 'Eve' WHERE seq = 3")
    capsys.readouterr()
    assert main(["verify", str(folder)]) == 1
    said = capsys.readouterr().out
    assert "RED    chain            event 3 (contest, entry-registered): its hash is not" in said
    assert main(["verify", str(folder), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["ok"], document["season"]["ok"]) == (False, True)


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
def test_unusable_input_is_refused_in_one_line(
    words: list[str], folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
