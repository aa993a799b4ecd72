"""The browse function of an entry: "Each program, upon startup, must provide a 'browse' function
to select a directory" (rules 2010, section 2).

PySide6 is used if it is installed (extra `console`), else tkinter, else the message asks for
`--dir`. The dialog runs as a program of its own, see `bots.dialog`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
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
    toolkits = available_toolkits()
    if not toolkits:
        raise NoChoice(
            "no dialog to choose a directory can be shown here (no screen, or neither PySide6 nor "
            "tkinter is installed); give the directory with --dir DIR"
        )
    troubles = []
    for toolkit in toolkits:
        done = _run(toolkit, start if start is not None else Path.cwd())
        if done.returncode == 0:
            chosen = json.loads(done.stdout.splitlines()[-1])
            if chosen is None:
                raise NoChoice("no directory was chosen; choose one, or give it with --dir DIR")
            return Path(chosen)
        complaint = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        troubles.append(f"{toolkit}: {complaint[-1]}")
    raise NoChoice(
        f"the dialog to choose a directory failed ({'; '.join(troubles)}); "
        "give the directory with --dir DIR"
    )


def available_toolkits(
    platform: str = sys.platform,
    environment: Mapping[str, str] = os.environ,
    installed: Callable[[str], bool] | None = None,
) -> list[str]:
    """The toolkits that may show a dialog here, best first: "qt", "tk".

    Arguments:
        platform: as `sys.platform`.
        environment: the process's environment.
        installed: whether a module can be imported.
    """
    there = installed if installed is not None else _installed
    has_screen = platform in ("win32", "darwin") or any(
        environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    # Qt can be told to use another screen, or to draw where nobody sees it and would wait for ever.
    told = environment.get("QT_QPA_PLATFORM", "").partition(":")[0]
    qt_has_screen = told not in _UNSEEN and (has_screen or bool(told))
    toolkits = []
    if there("PySide6.QtWidgets") and qt_has_screen:
        toolkits.append("qt")
    if there("tkinter") and there("_tkinter") and has_screen:
        toolkits.append("tk")
    return toolkits


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


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
