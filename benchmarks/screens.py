"""A virtual X11 screen, if Xvfb is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


def available() -> dict[str, bool]:
    """The screens to measure on: name to whether it is an X server, which xdotool can query."""
    found = {"offscreen": False}
    if shutil.which("Xvfb") and shutil.which("xdotool"):
        found["Xvfb"] = True
    return found


@contextmanager
def screen(name: str) -> Iterator[dict[str, str]]:
    """Opens a screen, and yields the environment for programs that show their windows there."""
    if name == "offscreen":
        yield {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        return
    theirs, ours = os.pipe()
    server = subprocess.Popen(
        [
            # No reset when the last client disconnects, which would cut off the next one.
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
