"""A screen of X11 that nobody sees, where there is an Xvfb."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


def available() -> dict[str, bool]:
    """Screens to measure on, by name; whether each is a real one, which xdotool can look at."""
    found = {"offscreen": False}
    if shutil.which("Xvfb") and shutil.which("xdotool"):
        found["Xvfb"] = True
    return found


@contextmanager
def screen(name: str) -> Iterator[dict[str, str]]:
    """Opens a screen, and gives the environment of a program that is to show its windows there."""
    if name == "offscreen":
        yield {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        return
    theirs, ours = os.pipe()
    server = subprocess.Popen(
        [
            # Without a reset when the last client goes: it would cut off the next one.
            *("Xvfb", "-noreset", "-displayfd", str(ours), "-nolisten", "tcp"),
            *("-screen", "0", "1280x1024x24"),
        ],
        pass_fds=[ours],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(ours)
    try:
        with open(theirs, encoding="ascii") as said:
            display = f":{said.readline().strip()}"
        kept = {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"}
        yield {**kept, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
    finally:
        server.terminate()
        server.wait()
