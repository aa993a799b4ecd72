"""The browse function: which toolkit, what a choice gives, what a missing screen says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bots import dialog
from bots.browse import available_toolkits


@pytest.mark.parametrize(
    ("platform", "environment", "missing", "toolkits"),
    [
        ("linux", {"DISPLAY": ":0"}, (), ["qt", "tk"]),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, (), ["qt", "tk"]),
        ("linux", {}, (), []),
        ("linux", {"DISPLAY": ":0"}, ("PySide6.QtWidgets",), ["tk"]),
        ("linux", {"DISPLAY": ":0"}, ("PySide6.QtWidgets", "_tkinter"), []),
        ("linux", {"QT_QPA_PLATFORM": "vnc:port=5901"}, (), ["qt"]),
        ("linux", {"QT_QPA_PLATFORM": "offscreen"}, (), []),
        ("linux", {"QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":0"}, (), ["tk"]),
        ("win32", {}, (), ["qt", "tk"]),
        ("darwin", {}, ("tkinter",), ["qt"]),
    ],
)
def test_toolkits(
    platform: str, environment: dict[str, str], missing: tuple[str, ...], toolkits: list[str]
) -> None:
    assert available_toolkits(platform, environment, lambda name: name not in missing) == toolkits


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
    # Run as browse() runs it, but with a toolkit that is none: it gets as far as choosing one.
    done = subprocess.run(
        [sys.executable, "-I", dialog.__file__, "none", "Choose", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "KeyError: 'none'" in done.stderr
