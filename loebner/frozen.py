"""The start of a program built by PyInstaller (docs/how-to/build-for-windows.md).

Such a program comes without an interpreter, and `sys.executable` is the program itself. Elsewhere
we start parts of our own installation as `python -m MODULE`: an entry's bot, its link, the dialog
for choosing a directory, and a server's helper processes. The built program gets the same
arguments, and handles them here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bots import dialog
from loebner import cli


def run(words: Sequence[str], otherwise: Callable[[Sequence[str]], int]) -> int:
    """Runs the program and returns its exit code.

    Arguments:
        words: its command-line arguments.
        otherwise: called unless the arguments request one of our modules by `-m MODULE`.
    """
    _give_back_library_path()
    match list(words):
        case ["-m", "loebner", *args]:
            return cli.main(args)
        case ["-m", dialog.__name__, str(toolkit), str(title), str(start)]:
            dialog.main(toolkit, title, start)
            return 0
        case ["-P", "-m", "contest.links.process", str(file)]:
            from contest.links import process

            return process.main(Path(file))
        case ["-P", "-m", "contest.worker", str(module)]:
            from contest import worker

            return worker.main(module)
        case ["--try-out"]:
            return _try_out()
    return otherwise(words)


def _try_out() -> int:
    """Shows a window for a moment, to test whether everything that windows need was included."""
    from PySide6.QtGui import QGuiApplication
    from PySide6.QtWidgets import QApplication, QLabel

    import texts
    from judge_console.look.resources import app_icon
    from judge_console.look.theme import Theme

    application = QApplication(["loebner"])
    Theme(application)
    words = [texts.load(language)("talk.left") for language in texts.LANGUAGES]
    window = QLabel(" ".join(words))
    window.setWindowIcon(app_icon())
    window.show()
    application.processEvents()
    window.close()
    print(f"{window.text()}: {application.font().family()} on {QGuiApplication.platformName()}")
    return 0


def _give_back_library_path() -> None:
    # PyInstaller makes this process find the bundled libraries first. The programs that it starts,
    # such as an entrant's, must find their own libraries.
    if "LD_LIBRARY_PATH" in os.environ and getattr(sys, "frozen", False):
        before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
        if before is None:
            del os.environ["LD_LIBRARY_PATH"]
        else:
            os.environ["LD_LIBRARY_PATH"] = before
