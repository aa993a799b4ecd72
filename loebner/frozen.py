"""The start of a program that PyInstaller made (docs/how-to/build-for-windows.md).

Such a program has no interpreter beside it, and `sys.executable` is itself. Where we start a part
of our own installation as `python -m MODULE`, for an entry's bot, its link beside a server, the
dialog that asks for a directory or what computes beside a server, it is asked with the same words,
and answers them here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bots import dialog
from loebner import cli


def run(words: Sequence[str], otherwise: Callable[[Sequence[str]], int]) -> int:
    """Does what the program was started for, and returns the exit code.

    Arguments:
        words: what is behind its name.
        otherwise: what it is for unless one of our modules is asked for by `-m MODULE`.
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
        case ["-P", "-m", "contest.apart", str(module)]:
            from contest import apart

            return apart.main(module)
        case ["--try-out"]:
            return _try_out()
    return otherwise(words)


def _try_out() -> int:
    """Shows a window for a moment, to see whether all that windows need was built in."""
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
    # PyInstaller has this process find the bundled libraries first. The programs that it starts,
    # an entrant's among them, are to find their own.
    if "LD_LIBRARY_PATH" in os.environ and getattr(sys, "frozen", False):
        before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
        if before is None:
            del os.environ["LD_LIBRARY_PATH"]
        else:
            os.environ["LD_LIBRARY_PATH"] = before
