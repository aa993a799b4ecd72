"""Takes the pictures of the windows for README and docs, from a real contest.

    python scripts/screenshots.py OUT [--size 1024x768] [--zoom 100] [--theme light] [--rounds 4]
        [--speed 12] [--seed 2010] [--contest DIR] [--offscreen]

The script plays a contest like the demo's, with entries in separate processes and scripted people;
it plays judge J1 with key events. Each picture has a fixed name; `facts.json` lists what can be
seen in each. Without a display, the script starts its own X server (Xvfb).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Run as a file, this script needs the path to import the tests' tools.
sys.path.insert(0, str(ROOT))

#: The largest picture, and the smallest, in pixels each way.
LARGEST, SMALLEST = 4000, 400


def size(text: str) -> tuple[int, int]:
    """WIDTHxHEIGHT in pixels."""
    match = re.fullmatch(r"(\d+)x(\d+)", text)
    sides = tuple(map(int, match.groups())) if match else ()
    if len(sides) != 2 or not all(SMALLEST <= side <= LARGEST for side in sides):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 1024x768")
    return sides[0], sides[1]


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path, help="the directory for the pictures")
    parser.add_argument("--size", type=size, default=(1024, 768), help="size of each window")
    parser.add_argument("--zoom", type=int, default=100, help="the text size in percent")
    parser.add_argument("--theme", default="light", help="light, dark or high-contrast")
    parser.add_argument("--rounds", type=int, choices=range(1, 5), default=4)
    parser.add_argument("--speed", type=float, default=12.0, help="contest seconds per second")
    parser.add_argument("--seed", type=int, default=2010)
    parser.add_argument("--contest", type=Path, help="keep the contest's folder here")
    parser.add_argument("--offscreen", action="store_true", help="without any X server")
    return parser.parse_args()


def main() -> int:
    """Takes the pictures.

    Returns:
        The exit code: 0 done, 1 not available.
    """
    given = arguments()
    with contextlib.ExitStack() as stack:
        if given.offscreen:
            os.environ["QT_QPA_PLATFORM"] = "offscreen"
        elif sys.platform == "linux" and not (
            os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
        ):
            from tests.xvfb import open_screen

            width, height = given.size
            screen = stack.enter_context(open_screen(f"{2 * width}x{2 * height}"))
            os.environ |= {"DISPLAY": screen.display, "QT_QPA_PLATFORM": "xcb"}
        folder = given.contest
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "contest"
        return take(given, folder)


def take(given: argparse.Namespace, folder: Path) -> int:
    """Takes the pictures on the present display.

    Arguments:
        given: the command line.
        folder: where the contest's folder is made.

    Returns:
        The exit code.
    """
    # Import Qt only now that the display is known.
    from PySide6.QtCore import QCoreApplication, QEvent

    from contest.errors import ContestError
    from judge_console.application import application
    from judge_console.look.theme import Theme
    from lpp.errors import LPPError
    from scripts.pictures.camera import Camera
    from scripts.pictures.contest import RunningContest
    from scripts.pictures.hands import Stalled
    from scripts.pictures.scenes import Scenes
    from texts import load

    began = time.monotonic()
    app = application()
    theme = Theme(app, given.theme, given.zoom)
    camera = Camera(given.out)
    try:
        running = RunningContest(folder, given.rounds, given.speed, given.seed)
        Scenes(running, camera, theme, load("en"), given.size).play()
    except (Stalled, LPPError, ContestError) as exc:
        print(f"screenshots: {exc}", file=sys.stderr)
        return 1
    finally:
        camera.write()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    pictures = camera.facts["pictures"]
    print(f"{len(pictures)} pictures in {given.out}, in {time.monotonic() - began:.0f} seconds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
