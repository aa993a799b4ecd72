"""The demo, as a user runs it: a contest with processes, directories and sockets."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from loebner.cli import main
from lpp import log2012
from tests.xvfb import Screen, missing, open_screen

#: The time limit for each step on a busy machine, in seconds.
PATIENCE = 120.0
#: Runs the demo with fewer of its four rounds and desks. At its speed, scoring takes a few seconds,
#: which is too short on a busy machine, so scoring gets more minutes and the interaction fewer.
DEMO = r"""
import re, sys
from contest.setup import folder
from loebner.cli import main
rounds, desks = sys.argv.pop(1), int(sys.argv.pop(1))
text = folder.template()
for was, now in (("rounds = 4", f"rounds = {rounds}"), ("interaction_minutes = 25",
                 "interaction_minutes = 8"), ("scoring_minutes = 5", "scoring_minutes = 12")):
    assert was in text
    text = text.replace(was, now)
for desk in range(desks + 1, 5):
    text, tables = re.subn(rf'\[\[\w+]]\nid = "[JEC]{desk}"\n(\w.*\n)+', "", text)
    assert tables == 3
folder.template = lambda: text
sys.exit(main(["demo", *sys.argv[1:]]))
"""


def start(
    folder: Path, rounds: int, desks: int, *words: str, **environ: str
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", DEMO, str(rounds), str(desks), "--out", str(folder), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environ or {**os.environ, "PYTHONUNBUFFERED": "1"},
    )


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A contest folder made by the demo, and the demo's output."""
    folder = tmp_path_factory.mktemp("demo") / "contest"
    demo = start(folder, 1, 4, "--speed", "200")
    out, err = demo.communicate(timeout=PATIENCE)
    assert (demo.returncode, err) == (0, "")
    return folder, out


def results(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return document


def asked(folder: Path, query: str) -> list[Any]:
    """The result of a query to the record's database; empty if there is no database yet."""
    try:
        with closing(sqlite3.connect(f"file:{folder}/record.db?mode=ro", uri=True)) as record:
            return record.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []


@pytest.mark.timeout(150)
def test_the_demo_plays_a_contest_and_shows_its_progress(
    played: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = played
    for words in (
        "Round 1 of 1",
        "J1 (Harriet) compares E1",
        "the interaction begins",
        "the human was on the",
        "score",
        "US$",
    ):
        assert words in out
    assert any(line.startswith("    J") for line in out.splitlines())
    assert str(folder / "record.db") in out
    head = (folder / "head.txt").read_text().strip()
    assert head in out

    document = results(folder)
    assert document["final"]
    assert [len(pairings) for pairings in document["schedule"]["rounds"]] == [4]
    assert len(document["talks"]) == 8
    # On a busy machine, not everybody finishes a line in each of these short talks.
    authors = {line["author"] for talk in document["talks"] for line in talk["lines"]}
    assert authors == {"judge", "entity"}
    # The entries typed nothing before the judge did, broke no rule, and ran to the end.
    key = (
        "select count(*) from events where kind = 'key' and json_extract(body, '$.%s') is not null"
    )
    assert asked(folder, key % "rules") == [(0,)]
    early = asked(folder, (key % "out_of_phase") + " and body like '%3/waits%'")
    assert early == [(0,)]
    assert asked(folder, "select 1 from events where kind = 'entry-exited'") == []
    # No files or processes are left over.
    command = "select json_extract(body, '$.command') from events where kind = 'entry-started'"
    words_of = [json.loads(each) for (each,) in asked(folder, command)]
    rooms = [Path(words[words.index("--dir") + 1]) for words in words_of]
    assert sorted(room.name for room in rooms) == ["E1", "E2", "E3", "E4"]
    assert not [room for room in rooms if room.parent.exists()]

    assert main(["verify", str(folder), "--head", head]) == 0
    assert "RED" not in capsys.readouterr().out
    assert main(["verify", str(folder), "--head", "0" * 64]) == 1
    capsys.readouterr()
    assert main(["tally", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == document["tally"]
    assert main(["export", str(folder), "--format", "lpp2012", "--out", str(tmp_path / "l")]) == 0
    logs = [log2012.read(file.read_bytes()) for file in sorted((tmp_path / "l").rglob("*.log"))]
    assert len(logs) == 4
    ((keys,),) = asked(folder, "select count(*) from events where kind = 'key'")
    ((unshown,),) = asked(folder, key % "out_of_phase")
    assert sum(len(log.entries) for log in logs) == keys - unshown
    assert all(not log.losses for log in logs)


def test_a_changed_byte_is_reported(
    played: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "contest.toml").write_bytes((played[0] / "contest.toml").read_bytes())
    with (
        closing(sqlite3.connect(played[0] / "record.db")) as original,
        closing(sqlite3.connect(tmp_path / "record.db")) as forged,
    ):
        original.backup(forged)
        forged.execute("drop trigger events_no_update")
        ((seq,),) = forged.execute(
            "select seq from events where kind = 'key' and body like '%\"side\":\"left\"%' "
            "limit 1 offset 300"
        ).fetchall()
        change = """update events set body = replace(body, '"left"', '"lefT"') where seq = ?"""
        forged.execute(change, [seq])
        forged.commit()
    assert main(["verify", str(tmp_path)]) == 1
    assert f"event {seq}" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize(
    "by",
    ["SIGTERM", *(pytest.param(each, marks=pytest.mark.soak) for each in ("SIGINT", "SIGHUP"))],
)
def test_an_interrupted_demo_leaves_a_valid_record(
    tmp_path: Path, by: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "contest"
    demo = start(folder, 1, 2, "--speed", "60")
    assert demo.stdout is not None
    for line in demo.stdout:
        if "the interaction begins" in line:
            break
    demo.send_signal(getattr(signal, by))
    _, err = demo.communicate(timeout=PATIENCE)
    assert demo.returncode == 130
    assert err.strip() == "loebner: interrupted"
    assert main(["verify", str(folder)]) == 0
    assert "not finished" in capsys.readouterr().out


# Windows

TITLES = [f"^Loebner Prize 2010 – {seat}$" for seat in ("judge J1", "judge J2", "confederate C1")]


def until(what: Callable[[], Any], demo: subprocess.Popen[str]) -> Any:
    """Waits for a value while a program runs, and returns it."""
    deadline = time.monotonic() + PATIENCE
    while not (found := what()):
        assert demo.poll() is None, demo.communicate()
        assert time.monotonic() < deadline, "the condition did not become true in time"
        time.sleep(0.05)
    return found


def leave(screen: Screen, title: str, demo: subprocess.Popen[str]) -> None:
    """Closes a window with the last item of its menu."""
    # While another window closes, the list of windows can be empty for a moment.
    screen.focus(until(lambda: screen.windows(title), demo)[0])
    screen.keys("alt+c", "Up", "Return")


@pytest.mark.skipif(bool(missing()), reason=f"not installed here: {', '.join(missing())}")
@pytest.mark.timeout(240)
def test_windows_stay_open_and_closed_ones_return_their_seats(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "contest"
    with open_screen("1366x768") as screen:
        demo = start(folder, 2, 2, "--windows", "--speed", "400", **screen.environ())
        try:
            for title in TITLES:
                until(lambda t=title: screen.windows(t), demo)  # type: ignore[misc]
            until(lambda: asked(folder, "select 1 from events where kind = 'round-started'"), demo)
            leave(screen, TITLES[1], demo)
            until(lambda: not screen.windows(TITLES[1]), demo)
            until(lambda: (folder / "results.html").exists(), demo)
            # The windows stay open at the end.
            assert screen.windows(TITLES[0])
            for title in (TITLES[0], TITLES[2]):
                leave(screen, title, demo)
            out, err = demo.communicate(timeout=PATIENCE)
        finally:
            if demo.poll() is None:
                demo.kill()
                demo.communicate()
    assert (demo.returncode, err) == (0, "")
    assert "US$" in out
    assert "    J" not in out, "the terminal must not show who is who"
    # The scripted person used the closed window's seat in the last talks.
    assert asked(folder, "select 1 from events where kind = 'key' and talk = '2.1.J2.left'")


def test_a_missing_display_is_reported_in_one_line(tmp_path: Path) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environ = {name: value for name, value in os.environ.items() if name not in hidden}
    demo = start(tmp_path / "contest", 1, 2, "--windows", **environ)
    _, err = demo.communicate(timeout=PATIENCE)
    assert demo.returncode == 1
    assert err.startswith("loebner: no window can be shown here (")
    assert err.count("\n") == 1
