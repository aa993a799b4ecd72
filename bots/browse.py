"""The browse function of an entry: "Each program, upon startup, must provide a 'browse' function
to select a directory" (rules 2010, section 2).

It uses PySide6 (extra `console`) if that works here, else tkinter. If neither works, an error
message asks for `--dir`. The dialog runs as a separate program; see `bots.dialog`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from bots import dialog
from lpp.errors import UserError

# Qt's platforms that don't use a screen.
_NO_SCREEN = ("offscreen", "minimal")

TITLE = "Choose the communications directory"


class NoChoice(UserError):
    """No directory was chosen: the user cancelled, or no dialog can be shown."""


def browse() -> Path:
    """Lets the user choose the communications directory.

    Returns:
        The chosen directory.

    Raises:
        NoChoice: if the dialog was cancelled, or if none can be shown.
    """
    troubles = []
    for toolkit in ("qt", "tk") if has_screen() else ():
        done = _run(toolkit)
        if done.returncode == 0:
            chosen = json.loads(done.stdout.splitlines()[-1])
            if chosen is None:
                raise NoChoice("no directory was chosen; choose one, or give it with --dir DIR")
            return Path(chosen)
        complaint = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        troubles.append(f"{toolkit}: {complaint[-1]}")
    raise NoChoice(
        "can't show a dialog for choosing the directory "
        f"({'; '.join(troubles) or 'there is no screen'}); give the directory with --dir DIR"
    )


def has_screen(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a dialog would be visible. Qt can be set to draw off screen, where the dialog would
    wait forever.

    Arguments:
        platform: as `sys.platform`.
        environment: the process's environment.
    """
    if environment.get("QT_QPA_PLATFORM", "").partition(":")[0] in _NO_SCREEN:
        return False
    return platform in ("win32", "darwin") or any(
        environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def _run(toolkit: str) -> subprocess.CompletedProcess[str]:
    # -P: don't import from the script's directory. A program made by PyInstaller is not an
    # interpreter and has no scripts, but it can run this module by name (loebner.frozen).
    frozen = getattr(sys, "frozen", False)
    program = ["-m", dialog.__name__] if frozen else ["-P", dialog.__file__]
    return subprocess.run(
        [sys.executable, *program, toolkit, TITLE, str(Path.cwd())],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
