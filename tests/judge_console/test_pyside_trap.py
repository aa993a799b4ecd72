"""Tests the protection against a bug in PySide6 6.12.0 on Python 3.10 and 3.11: each call without a
result loses a reference to None, and after some thousands the process aborts, in the middle of a
talk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SETUP = Path(__file__).parents[2] / "setup.cfg"

#: The process aborted after about 5,100 calls; a window makes more in 15 minutes of a talk.
CALLS = 25_000

TALKING = f"""
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit

application = QApplication(["test"])
label, pane = QLabel(), QPlainTextEdit()
for number in range({CALLS}):
    label.setText(str(number))
pane.setPlainText(label.text())
print(pane.toPlainText())
"""


def test_many_calls_without_a_result_do_not_abort_the_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", TALKING],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, (
        f"Qt's bindings can't stand {CALLS} calls (exit code {done.returncode}); "
        f"is a PySide6 6.12 installed for Python 3.11?\n{done.stderr[-2000:]}"
    )
    assert done.stdout.strip() == str(CALLS - 1)
