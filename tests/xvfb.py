"""A virtual X11 screen for tests of real windows with real keyboards.

    from tests.xvfb import Screen, screen  # the fixture has to be in the test's module

    def test_something(screen: Screen) -> None:
        process = subprocess.Popen([...], env=screen.environ())
        window = screen.window("Take your seat")
        screen.focus(window)
        screen.keys("a", "shift+b", "Return")

There is no window manager: `focus` gives a window the keyboard focus, and windows are placed where
they ask to be.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

#: The required programs; tests are skipped, with the reason, if one is missing.
PROGRAMS = ("Xvfb", "xdotool", "setxkbmap", "xkbcomp")
#: The time limit in seconds for each of them, and for a window to appear; only a standstill takes
#: longer, also beside many other programs.
PATIENCE = 100.0
#: How many times a program is called again because a window closed meanwhile.
TRIES = 5

_GRAB = """
import sys
from PySide6.QtGui import QGuiApplication

application = QGuiApplication(sys.argv)
sys.exit(not application.primaryScreen().grabWindow(0).save(sys.argv[1]))
"""


class Screen:
    """A virtual X server.

    Arguments:
        display: its name, as in DISPLAY.
    """

    def __init__(self, display: str) -> None:
        self.display = display

    def environ(self, **more: str) -> dict[str, str]:
        """The environment for a program that shows its windows here.

        Arguments:
            more: further variables.
        """
        kept = {name: v for name, v in os.environ.items() if name != "WAYLAND_DISPLAY"}
        return {**kept, "DISPLAY": self.display, "QT_QPA_PLATFORM": "xcb", **more}

    def layout(self, *words: str) -> None:
        """Sets the keyboard layout.

        Arguments:
            words: arguments of `setxkbmap`: `"de"`, or `"us", "-variant", "intl"`.
        """
        self._run("setxkbmap", *words)

    def xdotool(self, *words: str) -> str:
        """Runs xdotool; returns its output."""
        return self._run("xdotool", *words).strip()

    def window(self, title: str) -> str:
        """Waits for a visible window, and returns its number.

        Arguments:
            title: a part of its title, as a regular expression.
        """
        found = self.xdotool("search", "--sync", "--onlyvisible", "--name", title)
        return found.splitlines()[-1]

    def windows(self, title: str = ".") -> list[str]:
        """The numbers of the visible windows whose titles match; there may be none."""
        words = ["xdotool", "search", "--onlyvisible", "--name", title]
        done = subprocess.run(
            words, env=self.environ(), capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        return done.stdout.split()

    def focus(self, window: str) -> None:
        """Focuses a window, and waits until it has the focus."""
        self.xdotool("windowfocus", "--sync", window)

    def keys(self, *keys: str, delay: int = 12) -> None:
        """Presses and releases keys, one after the other.

        Arguments:
            keys: keysyms, with modifiers before a plus: "a", "shift+a", "dead_acute".
            delay: milliseconds between two.
        """
        self.xdotool("key", "--delay", str(delay), *keys)

    def held(self, modifier: str, *keys: str) -> None:
        """Presses keys while another one is held down.

        Arguments:
            modifier: its keysym, such as "ISO_Level3_Shift" (AltGr).
            keys: keysyms of the keys without the modifier.
        """
        self.xdotool("keydown", modifier)
        self.xdotool("key", *keys)
        self.xdotool("keyup", modifier)

    def grab(self, file: Path) -> Path:
        """Takes a picture of the whole screen.

        Arguments:
            file: the file to write; its suffix is the format.
        """
        self._run(sys.executable, "-c", _GRAB, str(file))
        return file

    def _run(self, *words: str) -> str:
        for _ in range(TRIES):
            done = subprocess.run(
                words,
                env=self.environ(),
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
            # xdotool queries every window, and one may have closed meanwhile.
            if "BadWindow" not in done.stderr:
                break
        assert done.returncode == 0, f"{words}: {done.stderr}{done.stdout}"
        return done.stdout


def missing() -> list[str]:
    """The required programs that are not installed."""
    return [name for name in PROGRAMS if shutil.which(name) is None]


@contextmanager
def open_screen(size: str = "1024x768") -> Iterator[Screen]:
    """Starts a screen on a free display, and ends it.

    Arguments:
        size: pixels, WIDTHxHEIGHT.
    """
    theirs, ours = os.pipe()
    words = ["Xvfb", "-displayfd", str(ours), "-screen", "0", f"{size}x24"]
    server = subprocess.Popen(
        [*words, "-nolisten", "tcp", "-noreset"],
        pass_fds=[ours],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(ours)
    try:
        with open(theirs, encoding="ascii") as said:
            ready, _, _ = select.select([said], [], [], PATIENCE)
            number = said.readline().strip() if ready else ""
        if not number:
            pytest.fail(f"Xvfb does not start (exit code {server.poll()})")
        screen = Screen(f":{number}")
        screen.layout("us")
        yield screen
    finally:
        server.terminate()
        server.wait(PATIENCE)


@pytest.fixture(scope="module")
def screen() -> Iterator[Screen]:
    """A screen of 1024x768 with a US keyboard, shared by the tests of a module."""
    if missing():
        pytest.skip(f"not installed here: {', '.join(missing())}")
    with open_screen() as opened:
        yield opened
