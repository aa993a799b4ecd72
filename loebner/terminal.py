"""The program of a terminal in the contest's room: `loebner-terminal`, a window without a console.

It opens the joining dialog, for judges and confederates alike; other commands that show a window
may be named, as in a shortcut to `loebner-terminal replay talk.log`.

Windows gives such a program no standard output and no standard error: Python has None there. What
would have been said is kept in a file, and shown in a box if the program ends with it.
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
CODE_OPTION = "--code"

#: Bytes after which the log is begun anew; one older one is kept.
LOG_LIMIT = 1_000_000
#: Characters of what was said that a box shows: its end.
SHOWN = 2_000

#: Shows a person a text: (text, whether it is an error).
Show = Callable[[str, bool], None]


def main(words: Sequence[str] | None = None, show: Show | None = None) -> int:
    """Runs the window.

    Arguments:
        words: what stands behind the program's name; options of `loebner judge`, or another
            command with its own. The process's own if left out.
        show: shows what was said to a person who has no console; a box of Windows if left out.

    Returns:
        The exit code, as `loebner.cli.main` has it.
    """
    args = list(sys.argv[1:] if words is None else words)
    if not args or args[0] not in cli.COMMANDS:
        args = ["judge", *args]
    if sys.stdout is not None and sys.stderr is not None:
        return cli.main(args)
    return _without_console(args, show if show is not None else show_box)


def _without_console(args: list[str], show: Show) -> int:
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(_log_file())
        said, complained = _Heard(), _Heard(log)
        stack.enter_context(contextlib.redirect_stdout(said))
        stack.enter_context(contextlib.redirect_stderr(complained))
        started = f"{time.strftime('%Y-%m-%d %H:%M:%S')} {TITLE} {without_codes(args)}"
        print(f"\n{started}", file=log, flush=True)
        if not faulthandler.is_enabled():
            faulthandler.enable(log)
            stack.callback(faulthandler.disable)
        code = cli.main(args)
        if code not in (0, 130):
            where = f"\n\nMore may stand in {log.name}" if log.name != os.devnull else ""
            show(f"{complained.end or f'ended with exit code {code}'}{where}", True)
        elif said.end:
            show(said.end, False)
        return code


def without_codes(args: Sequence[str]) -> list[str]:
    """A command line for the log: a seat's code is a secret, and logs are sent around.

    Arguments:
        args: what stands behind the program's name.
    """
    shown: list[str] = []
    for before, word in zip(["", *args], args, strict=False):
        option, sign, _ = word.partition("=")
        if before == CODE_OPTION:
            word = "…"
        elif option == CODE_OPTION and sign:
            word = f"{option}=…"
        shown.append(word)
    return shown


class _Heard(io.TextIOBase):
    """A stream that remembers the end of what was written.

    Arguments:
        file: where it goes as well.
    """

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = file
        self._text = ""

    @property
    def end(self) -> str:
        """The last characters that were written, without blanks around them."""
        return self._text[-SHOWN:].strip()

    def writable(self) -> bool:
        """See io.IOBase."""
        return True

    def write(self, text: str, /) -> int:
        """See io.TextIOBase. A full disk is no reason to end a talk."""
        self._text = (self._text + text)[-2 * SHOWN :]
        if self._file is not None:
            # One that is closed has a writer that outlives the windows, and is not missed.
            with contextlib.suppress(OSError, ValueError):
                self._file.write(text)
                self._file.flush()
        return len(text)


def log_path() -> Path:
    """Where the log is: among the user's log files."""
    return platformdirs.user_log_path("loebner") / "terminal.log"


def _log_file() -> TextIO:
    path = log_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Another terminal of this machine may be writing it: then it goes on as it is.
        with contextlib.suppress(OSError):
            if path.stat().st_size > LOG_LIMIT:
                path.replace(path.with_suffix(".old.log"))
        return path.open("a", encoding="utf-8", errors="backslashreplace")
    except OSError:
        return open(os.devnull, "w", encoding="utf-8")


def show_box(text: str, error: bool) -> None:
    """Shows a box of Windows, which needs nothing of ours to work; elsewhere nothing.

    Arguments:
        text: what it says.
        error: whether it bears the mark of an error.
    """
    if sys.platform == "win32":
        import ctypes

        icon = 0x10 if error else 0x40  # MB_ICONERROR, MB_ICONINFORMATION
        ctypes.windll.user32.MessageBoxW(None, text, TITLE, icon)


def entry_point() -> None:
    """What the installed script calls."""
    sys.exit(main())
