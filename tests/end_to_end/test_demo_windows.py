"""`loebner demo --windows` as a person sees it: three windows, which may be closed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contest.record import reading
from tests.xvfb import Screen, screen

__all__ = ["screen"]  # a fixture

pytestmark = pytest.mark.timeout(240)

#: Seconds of the contest in a second: a round takes four seconds.
SPEED = "450"
TITLES = (
    "Loebner Prize 2010 – judge J1",
    "Loebner Prize 2010 – judge J2",
    "Loebner Prize 2010 – confederate C1",
)
#: Seconds that anything may take on a busy machine.
PATIENCE = 60.0


def start(folder: Path, environ: dict[str, str]) -> subprocess.Popen[str]:
    words = ["demo", "--windows", "--out", str(folder), "--speed", SPEED]
    return subprocess.Popen(
        [sys.executable, "-m", "loebner", *words],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def happened(folder: Path, kind: str, of: str = "%", times: int = 1) -> bool:
    """Whether a kind of event is on record so many times, of an actor; cheap, for it is asked
    often."""
    try:
        db = sqlite3.connect(f"file:{folder}/record.db?mode=ro", uri=True)
        with contextlib.closing(db):
            query = "select count(*) from events where kind = ? and actor like ?"
            found: int = db.execute(query, [kind, of]).fetchone()[0]
    except sqlite3.OperationalError:  # there is no record yet
        return False
    return found >= times


def until(what: Callable[[], Any], process: subprocess.Popen[str]) -> Any:
    """Waits for something while a program runs, and returns it."""
    deadline = time.monotonic() + PATIENCE
    while not (found := what()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it never came to this"
        time.sleep(0.05)
    return found


def test_windows_that_are_closed_leave_their_seats_to_scripted_people(
    screen: Screen, tmp_path: Path
) -> None:
    """One is closed in the first round; later the program that has them all is killed."""
    folder = tmp_path / "contest"
    demo = start(folder, screen.environ())
    try:
        windows = [until(lambda t=title: screen.windows(f"^{t}$"), demo)[0] for title in TITLES]  # type: ignore[misc]
        assert len({*windows}) == 3
        until(lambda: happened(folder, "round-started"), demo)
        screen.focus(windows[1])
        screen.keys("alt+c", "Up", "Return")  # the menu's last line: leave
        until(lambda: not screen.windows(f"^{TITLES[1]}$"), demo)
        # Its scripted person has come back without it.
        until(lambda: happened(folder, "seat-joined", "J2", times=2), demo)
        until(lambda: happened(folder, "round-closed"), demo)
        assert screen.windows(f"^{TITLES[0]}$") == [windows[0]]
        os.kill(int(screen.xdotool("getwindowpid", windows[0])), signal.SIGKILL)
        out, err = demo.communicate(timeout=2 * PATIENCE)
    finally:
        if demo.poll() is None:
            demo.kill()
            demo.communicate()
    assert (demo.returncode, err) == (0, "")
    assert "Prizes" in out
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    # A verdict may be missing: a busy machine is late for so fast a contest.
    assert len(results["talks"]) == 32
    assert (folder / "logs" / "windows.log").read_text(encoding="utf-8") == ""
    events = list(reading.log(folder).events())
    joined = [event.body for event in events if event.kind == "seat-joined"]
    came = {
        seat: [body["client"] for body in joined if body["seat"] == seat]
        for seat in ("J1", "J2", "C1", "J3")
    }
    window, person = "window of a demo", "scripted person"
    assert came == {
        "J1": [window, person],
        "J2": [window, window, person],
        "C1": [window, person],
        "J3": [person],
    }
    typed = {e.talk for e in events if e.kind == "key" and e.body["author"] == "judge"}
    # They went on to the last talks.
    for judge in ("J1", "J2"):
        assert typed >= {f"4.1.{judge}.left", f"4.1.{judge}.right"}


def test_without_a_display_it_says_so_in_one_line(tmp_path: Path) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environ = {name: value for name, value in os.environ.items() if name not in hidden}
    demo = start(tmp_path / "contest", environ)
    _, err = demo.communicate(timeout=PATIENCE)
    assert demo.returncode == 1
    assert err.startswith("loebner: the windows can't be opened: no window can be shown here (")
    assert err.count("\n") == 1
