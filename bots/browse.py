"""The browse function of an entry: "Each program, upon startup, must provide a 'browse' function
to select a directory" (rules 2010, section 2).

PySide6 is used if it works here (extra `console`), else tkinter, else the message asks for
`--dir`. The dialog runs as a program of its own, see `bots.dialog`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from bots import dialog
from lpp.errors import YoursToFix

# Qt's platforms without a screen.
_UNSEEN = ("offscreen", "minimal")

TITLE = "Choose the communications directory"


class NoChoice(YoursToFix):
    """No directory was chosen: the person cancelled, or no dialog can be shown."""


def browse(start: Path | None = None) -> Path:
    """Has a person choose the communications directory.

    Arguments:
        start: the directory that is shown first; the current one if left out.

    Returns:
        The chosen directory.

    Raises:
        NoChoice: if the dialog was cancelled, or if none can be shown.
    """
    troubles = []
    for toolkit in ("qt", "tk") if has_screen() else ():
        done = _run(toolkit, start if start is not None else Path.cwd())
        if done.returncode == 0:
            chosen = json.loads(done.stdout.splitlines()[-1])
            if chosen is None:
                raise NoChoice("no directory was chosen; choose one, or give it with --dir DIR")
            return Path(chosen)
        complaint = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        troubles.append(f"{toolkit}: {complaint[-1]}")
    raise NoChoice(
        "no dialog to choose a directory can be shown here "
        f"({'; '.join(troubles) or 'there is no screen'}); give the directory with --dir DIR"
    )


def has_screen(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a dialog would be seen: Qt may be told to draw where nobody sees it, and would wait
    for ever.

    Arguments:
        platform: as `sys.platform`.
        environment: the process's environment.
    """
    if environment.get("QT_QPA_PLATFORM", "").partition(":")[0] in _UNSEEN:
        return False
    return platform in ("win32", "darwin") or any(
        environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def _run(toolkit: str, start: Path) -> subprocess.CompletedProcess[str]:
    # -P: the directory of the script is none to import from. A program made by PyInstaller is no
    # interpreter and has no scripts, but knows this module by its name (loebner.frozen).
    frozen = getattr(sys, "frozen", False)
    program = ["-m", dialog.__name__] if frozen else ["-P", dialog.__file__]
    return subprocess.run(
        [sys.executable, *program, toolkit, TITLE, str(start)],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
