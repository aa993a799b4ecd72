"""Tests the browse function: when a dialog is shown, its results, and the message without a
screen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bots import browse as module
from bots import dialog
from bots.browse import NoChoice, browse, has_screen


@pytest.mark.parametrize(
    ("platform", "environment", "seen"),
    [
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {}, False),
        ("linux", {"QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":0"}, False),
        ("win32", {}, True),
        ("darwin", {}, True),
    ],
)
def test_has_screen(platform: str, environment: dict[str, str], seen: bool) -> None:
    assert has_screen(platform, environment) is seen


@pytest.mark.parametrize(
    ("codes", "printed", "told"),
    [
        ((), "", "no screen"),
        ((1, 1), "", "qt: no; tk: no"),
        ((1, 0), "null", "was chosen"),
        ((1, 0), '"/x"', None),
        ((0,), '"/x"', None),
    ],
)
def test_the_results_of_a_dialog(
    codes: tuple[int, ...], printed: str, told: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = iter(codes)

    def run(toolkit: str) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], next(ends), printed, "a traceback\nno\n")

    monkeypatch.setattr(module, "_run", run)
    monkeypatch.setattr(module, "has_screen", lambda: bool(codes))
    if told is None:
        assert browse() == Path("/x")
    else:
        with pytest.raises(NoChoice, match=told):
            browse()


ACCEPTING = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QFileDialog
from bots.dialog import main

application = QApplication(["test"])

def decide():
    dialog = application.activeModalWidget()
    assert isinstance(dialog, QFileDialog), dialog
    assert dialog.windowTitle() == "Choose"
    (dialog.accept if sys.argv[1] == "accept" else dialog.reject)()

QTimer.singleShot(0, decide)
main("qt", "Choose", sys.argv[2])
"""


@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_the_dialog_of_qt(decision: str, tmp_path: Path) -> None:
    pytest.importorskip("PySide6.QtWidgets")
    done = subprocess.run(
        [sys.executable, "-c", ACCEPTING, decision, str(tmp_path)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    chosen = json.loads(done.stdout.splitlines()[-1])
    assert chosen == (str(tmp_path) if decision == "accept" else None)


def test_the_dialog_runs_as_a_program_without_our_packages(tmp_path: Path) -> None:
    # Run as browse() does, but with an unknown toolkit, so it fails when it chooses one.
    done = subprocess.run(
        [sys.executable, "-I", dialog.__file__, "none", "Choose", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "KeyError: 'none'" in done.stderr
