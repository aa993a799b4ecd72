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

#: The programs that are needed; without one of them, tests are skipped and say so.
PROGRAMS = ("Xvfb", "xdotool", "setxkbmap", "xkbcomp")
#: Seconds that any of them may take; the machine may be busy.
PATIENCE = 30.0
#: How often a program is asked again because a window has gone while it looked.
TRIES = 5

_GRAB = """
import sys
from PySide6.QtGui import QGuiApplication

application = QGuiApplication(sys.argv)
sys.exit(not application.primaryScreen().grabWindow(0).save(sys.argv[1]))
"""


class Screen:
    """An X server without a screen of glass.

    Arguments:
        display: its name, as DISPLAY has it.
    """

    def __init__(self, display: str) -> None:
        self.display = display

    def environ(self, **more: str) -> dict[str, str]:
        """The environment for a program that is to show its windows here.

        Arguments:
            more: further variables.
        """
        kept = {name: v for name, v in os.environ.items() if name != "WAYLAND_DISPLAY"}
        return {**kept, "DISPLAY": self.display, "QT_QPA_PLATFORM": "xcb", **more}

    def layout(self, *words: str) -> None:
        """Puts another keyboard there.

        Arguments:
            words: as `setxkbmap` takes them: `"de"`, or `"us", "-variant", "intl"`.
        """
        self._run("setxkbmap", *words)

    def xdotool(self, *words: str) -> str:
        """Runs xdotool; returns what it says."""
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
        """Gives the keyboard to a window, and waits until it has it."""
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
            keys: keysyms of the keys as they stand on the keyboard, without the modifier.
        """
        self.xdotool("keydown", modifier)
        self.xdotool("key", *keys)
        self.xdotool("keyup", modifier)

    def grab(self, file: Path) -> Path:
        """Takes a picture of the whole screen.

        Arguments:
            file: where to; its suffix says which kind.
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
            # xdotool asks each window there is, and one may have gone in between.
            if "BadWindow" not in done.stderr:
                break
        assert done.returncode == 0, f"{words}: {done.stderr}{done.stdout}"
        return done.stdout


def missing() -> list[str]:
    """Which of the needed programs are not installed."""
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
    """A screen of 1024x768 with a keyboard of the United States, for the tests of a module."""
    if missing():
        pytest.skip(f"not installed here: {', '.join(missing())}")
    with open_screen() as opened:
        yield opened
