"""`loebner-terminal`, the program for a participant's computer, which needs no text console.

It opens the joining dialog for judges and confederates. It also accepts other commands that show a
window, for example in a shortcut to `loebner-terminal replay talk.log`.

On Windows such a program has no standard output or standard error: in Python, they are None. The
output is written to a file instead, and its end is shown in a message box.
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
#: The log is started again when it is larger than this many bytes.
LOG_LIMIT = 1_000_000
#: How many characters at the end of the output the message box shows.
SHOWN_CHARACTERS = 2_000

#: Shows a text to the user: (text, whether it is an error).
Show = Callable[[str, bool], None]


def show_box(text: str, error: bool) -> None:
    """Shows a message box of Windows, which works without our libraries; does nothing elsewhere."""
    if sys.platform == "win32":
        import ctypes

        icon = 0x10 if error else 0x40  # MB_ICONERROR, MB_ICONINFORMATION
        ctypes.windll.user32.MessageBoxW(None, text, TITLE, icon)


def main(words: Sequence[str] | None = None, show: Show = show_box) -> int:
    """Runs the window.

    Arguments:
        words: the command-line arguments: options of `loebner judge`, or another command with its
            options. By default those of this process.
        show: shows the end of the output to a user without a console.

    Returns:
        The exit code, as for `loebner.cli.main`.
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
        # Don't log the arguments: a seat's code is a secret, and people share logs.
        print(f"\n{time.strftime('%Y-%m-%d %H:%M:%S')} {TITLE}", file=log, flush=True)
        if not faulthandler.is_enabled():
            faulthandler.enable(log)
            stack.callback(faulthandler.disable)
        code = cli.main(args)
    text, failed = output.getvalue()[-SHOWN_CHARACTERS:].strip(), code not in (0, 130)
    if failed:
        more = f"\n\n{log.name} may contain more" if log.name != os.devnull else ""
        show(f"{text or f'ended with exit code {code}'}{more}", True)
    elif text:
        show(text, False)
    return code


class _Output(io.StringIO):
    """Stores the output, and also writes it to a file."""

    def __init__(self, file: TextIO) -> None:
        super().__init__()
        self._file = file

    def write(self, text: str, /) -> int:
        # A full disk must not end a talk.
        with contextlib.suppress(OSError, ValueError):
            self._file.write(text)
            self._file.flush()
        return super().write(text)


def log_path() -> Path:
    """The path of the log, among the user's log files."""
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
    """The entry point of the installed script."""
    sys.exit(main())
