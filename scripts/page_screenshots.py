"""Takes the pictures of the server's pages for README and docs, in a headless browser.

    python scripts/page_screenshots.py OUT [--speed 12] [--seed 2010]

The script plays a contest like the demo's, with an organizer and scripted people. Each picture has
a fixed name. It needs Chromium, and reports an error without it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Run as a file, this script needs the path to import the tests' tools.
sys.path.insert(0, str(ROOT))


def main() -> int:
    """Takes the pictures.

    Returns:
        The exit code: 0 done, 1 not available.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path, help="the directory for the pictures")
    parser.add_argument("--speed", type=float, default=12.0, help="contest seconds per second")
    parser.add_argument("--seed", type=int, default=2010)
    given = parser.parse_args()
    # Qt compresses the pictures, and needs no screen for that.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from tests.browser import CHROMIUM

    if CHROMIUM is None:
        print("page_screenshots: chromium is not installed", file=sys.stderr)
        return 1
    began = time.monotonic()
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        names = asyncio.run(take(given, Path(place)))
    print(f"{len(names)} pictures in {given.out}, in {time.monotonic() - began:.0f} seconds")
    return 0


async def take(given: argparse.Namespace, place: Path) -> list[str]:
    """Takes the pictures of all pages.

    Arguments:
        given: the command line.
        place: a directory for the contest's folders.

    Returns:
        Their names.
    """
    from scripts.pictures.audience import Audience
    from scripts.pictures.board import Board
    from scripts.pictures.pages import Pictures
    from tests.browser import browsing

    names = []
    async with browsing() as browser:
        for prefix, taker in (("board", Board), ("spectators", Audience)):
            pictures = Pictures(place / prefix, given.out, prefix, given.speed, given.seed)
            names += await taker(pictures).play(browser)
    return names


if __name__ == "__main__":
    sys.exit(main())
