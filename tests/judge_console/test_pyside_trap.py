"""Tests our protection against a bug of PySide6 6.12.0 on Python 3.10 and 3.11, which loses a
reference to None with each call that returns nothing, and aborts the process after some thousands:
a console would die in a talk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SETUP = Path(__file__).parents[2] / "setup.cfg"

#: The abort came after about 5,100 calls; a talk's window makes more in a quarter of an hour.
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


def test_many_calls_that_return_nothing() -> None:
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
