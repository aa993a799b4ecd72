"""The demo, as anybody would run it: a whole contest by processes, directories and sockets."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import scheduler
from loebner.cli import main
from lpp import log2012

#: Fast enough for a test; the processes keep up, and where they don't, only the talks get shorter.
SPEED = "150"
#: At that speed five minutes of scoring are two seconds, which a busy machine may want for itself:
#: the interaction lends some of its own.
DEMO = """
import sys
from contest.setup import folder
from loebner.cli import main
text = folder.template()
for was, lent in (("interaction_minutes = 25", "interaction_minutes = 18"),
                  ("scoring_minutes = 5", "scoring_minutes = 12")):
    assert was in text
    text = text.replace(was, lent)
folder.template = lambda: text
sys.exit(main(["demo", *sys.argv[1:]]))
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A contest folder that the demo has made, and what it printed."""
    folder = tmp_path_factory.mktemp("demo") / "contest"
    done = subprocess.run(
        [sys.executable, "-c", DEMO, "--out", str(folder), "--speed", SPEED],
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder, done.stdout


def results(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return document


@pytest.mark.timeout(300)
def test_it_shows_what_goes_on(played: tuple[Path, str]) -> None:
    folder, out = played
    for number, pairings in enumerate(scheduler.schedule_2010().rounds, 1):
        assert f"Round {number} of 4" in out
        for pairing in pairings:
            assert f"{pairing.judge} (" in out
    for words in ("the interaction begins", "the human was on the", "Score", "Places", "Prizes"):
        assert words in out
    assert sum(line.startswith("    J") for line in out.splitlines()) > 200
    assert str(folder / "record.db") in out
    assert (folder / "head.txt").read_text().strip() in out


def test_four_rounds_sixteen_pairings_thirty_two_talks(played: tuple[Path, str]) -> None:
    document = results(played[0])
    assert document["final"]
    assert [len(pairings) for pairings in document["schedule"]["rounds"]] == [4, 4, 4, 4]
    assert document["schedule"]["check"]["valid"]
    assert len(document["talks"]) == 32
    assert document["tally"]["warnings"] == []
    assert [len(row) for row in document["tally"]["table"].values()] == [4] * 4
    for talk in document["talks"]:
        for author in ("judge", "entity"):
            assert any(line["author"] == author for line in talk["lines"]), talk["talk"]


def test_the_entries_took_no_part_before_they_were_spoken_to(played: tuple[Path, str]) -> None:
    with sqlite3.connect(played[0] / "record.db") as record:
        early = record.execute(
            "select count(*) from events where kind = 'key' "
            "and json_extract(body, '$.out_of_phase') = '3/waits'"
        ).fetchone()[0]
        broken = record.execute(
            "select count(*) from events where kind = 'key' "
            "and json_extract(body, '$.rules') is not null"
        ).fetchone()[0]
        ends = record.execute(
            "select json_extract(body, '$.code') from events where kind = 'entry-exited'"
        ).fetchall()
    record.close()
    assert (early, broken, ends) == (0, 0, [])


def test_the_record_is_green(played: tuple[Path, str], capsys: pytest.CaptureFixture[str]) -> None:
    folder, _ = played
    head = (folder / "head.txt").read_text().strip()
    assert main(["verify", str(folder), "--head", head]) == 0
    assert "RED" not in capsys.readouterr().out
    assert main(["verify", str(folder), "--head", "0" * 64]) == 1


def test_one_byte_changed_is_named(
    played: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "forged"
    folder.mkdir()
    (folder / "contest.toml").write_bytes((played[0] / "contest.toml").read_bytes())
    with sqlite3.connect(played[0] / "record.db") as original:
        with sqlite3.connect(folder / "record.db") as forged:
            original.backup(forged)
            forged.execute("drop trigger events_no_update")
            seq = forged.execute(
                "select seq from events where kind = 'key' and body like '%\"side\":\"left\"%' "
                "limit 1 offset 500"
            ).fetchone()[0]
            forged.execute(
                "update events set body = replace(body, '\"left\"', '\"lefT\"') where seq = ?",
                [seq],
            )
        forged.commit()
        forged.close()
    original.close()
    assert main(["verify", str(folder)]) == 1
    assert f"event {seq}" in capsys.readouterr().out


def test_every_talk_is_exported_as_a_log_of_2012(played: tuple[Path, str], tmp_path: Path) -> None:
    out = tmp_path / "logs"
    assert main(["export", str(played[0]), "--format", "lpp2012", "--out", str(out)]) == 0
    files = sorted(out.rglob("*.log"))
    assert len(files) == 16
    with sqlite3.connect(played[0] / "record.db") as record:
        shown = record.execute(
            "select count(*) from events where kind = 'key' "
            "and json_extract(body, '$.out_of_phase') is null"
        ).fetchone()[0]
    record.close()
    logs = [log2012.load(file) for file in files]
    assert sum(len(log.entries) for log in logs) == shown
    assert all(not log.losses for log in logs)


def test_the_tally_of_the_folder_is_the_published_one(
    played: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tally", str(played[0]), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == results(played[0])["tally"]


def test_nothing_is_left_behind(played: tuple[Path, str]) -> None:
    with sqlite3.connect(played[0] / "record.db") as record:
        commands = record.execute(
            "select json_extract(body, '$.command') from events where kind = 'entry-started'"
        ).fetchall()
    record.close()
    words = [json.loads(command) for (command,) in commands]
    rooms = [Path(each[each.index("--dir") + 1]) for each in words]
    assert sorted(room.name for room in rooms) == ["E1", "E2", "E3", "E4"]
    assert not [room for room in rooms if room.parent.exists()]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("by", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_demo_that_is_interrupted_leaves_a_sound_record(
    tmp_path: Path, by: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "contest"
    demo = subprocess.Popen(
        [sys.executable, "-m", "loebner", "demo", "--out", str(folder), "--speed", "60"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert demo.stdout is not None
    for line in demo.stdout:
        if "the interaction begins" in line:
            break
    demo.send_signal(getattr(signal, by))
    _, err = demo.communicate(timeout=30)
    assert demo.returncode == 130
    assert err.strip() == "loebner: interrupted"
    assert main(["verify", str(folder)]) == 0
    assert "not finished" in capsys.readouterr().out
