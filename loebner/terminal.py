"""The program of a terminal in the contest's room: `loebner-terminal`, a window without a console.

It opens the joining dialog, for judges and confederates alike; other commands that show a window
may be named, as in a shortcut to `loebner-terminal replay talk.log`.

Windows gives such a program no standard output and no standard error: Python has None there. What
would have been printed is kept in a file, and shown in a box at the end.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

import platformdirs

from loebner import cli

TITLE = "Loebner terminal"
#: Bytes after which the log begins again.
LOG_LIMIT = 1_000_000
#: Characters of the output that a box shows: its end.
SHOWN = 2_000

#: Shows a person a text: (text, whether it is an error).
Show = Callable[[str, bool], None]


def show_box(text: str, error: bool) -> None:
    """Shows a box of Windows, which needs nothing of ours to work; elsewhere nothing."""
    if sys.platform == "win32":
        import ctypes

        icon = 0x10 if error else 0x40  # MB_ICONERROR, MB_ICONINFORMATION
        ctypes.windll.user32.MessageBoxW(None, text, TITLE, icon)


def main(words: Sequence[str] | None = None, show: Show = show_box) -> int:
    """Runs the window.

    Arguments:
        words: what is behind the program's name; options of `loebner judge`, or another command
            with its own. The process's own if left out.
        show: shows the end of the output to a person who has no console.

    Returns:
        The exit code, as `loebner.cli.main` has it.
    """
    args = list(sys.argv[1:] if words is None else words)
    if not args or args[0] not in cli.COMMANDS:
        args = ["judge", *args]
    if sys.stdout is not None and sys.stderr is not None:
        return cli.main(args)
    with _log_file() as log, contextlib.ExitStack() as stack:
        output = _Output(log)
        stack.enter_context(contextlib.redirect_stdout(output))
        stack.enter_context(contextlib.redirect_stderr(output))
        # Without the arguments: a seat's code is a secret, and logs are sent around.
        print(f"\n{time.strftime('%Y-%m-%d %H:%M:%S')} {TITLE}", file=log, flush=True)
        if not faulthandler.is_enabled():
            faulthandler.enable(log)
            stack.callback(faulthandler.disable)
        code = cli.main(args)
    text, failed = output.getvalue()[-SHOWN:].strip(), code not in (0, 130)
    if failed:
        more = f"\n\nMore may stand in {log.name}" if log.name != os.devnull else ""
        show(f"{text or f'ended with exit code {code}'}{more}", True)
    elif text:
        show(text, False)
    return code


class _Output(io.StringIO):
    """Remembers what is printed, and writes it to a file as well."""

    def __init__(self, file: TextIO) -> None:
        super().__init__()
        self._file = file

    def write(self, text: str, /) -> int:
        # A full disk is no reason to end a talk.
        with contextlib.suppress(OSError, ValueError):
            self._file.write(text)
            self._file.flush()
        return super().write(text)


def log_path() -> Path:
    """Where the log is: among the user's log files."""
    return platformdirs.user_log_path("loebner") / "terminal.log"


def _log_file() -> TextIO:
    path = log_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        long = path.exists() and path.stat().st_size > LOG_LIMIT
        return path.open("w" if long else "a", encoding="utf-8", errors="backslashreplace")
    except OSError:
        return open(os.devnull, "w", encoding="utf-8")


def entry_point() -> None:
    """What the installed script calls."""
    sys.exit(main())
