"""From starting the program to typing, for a first-time user without a mouse: `loebner judge`
without stored settings or options; the code from a card, Tab, arrows and Return.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from contest.net.announce import announce_server
from contest.state.phases import Phase
from tests.contest_server import contest_server
from tests.xvfb import PATIENCE, Screen, screen

__all__ = ["screen"]  # a fixture

LOOPBACK = "127.0.0.1"
#: The command, except that it searches for servers only on the loopback interface.
PROGRAM = """
import sys
from functools import partial
from judge_console import console
from judge_console.discovery import Discovery
from loebner.cli import main
console.Discovery = partial(Discovery, interfaces=["127.0.0.1"])
sys.exit(main(["judge"]))
"""
#: Seconds after which a person tries again.
AGAIN = 2.0
#: X11's names for the keys of a code that differ from the character.
NAMES = {"-": "minus"}


@contextmanager
def on_the_network(address: str, contest: str) -> Iterator[None]:
    """Announces a server on the loopback interface, in a separate thread."""
    ready, leave = threading.Event(), threading.Event()

    async def announce() -> None:
        async with announce_server(address, contest, interfaces=[LOOPBACK]):
            ready.set()
            await asyncio.to_thread(leave.wait)

    thread = threading.Thread(target=lambda: asyncio.run(announce()), name="announcement")
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield
    finally:
        leave.set()
        thread.join(PATIENCE)


def until(condition: Callable[[], object], act: Callable[[], object]) -> None:
    """Repeats an action until it has an effect, because X11 doesn't report when a window is ready
    for it, as a person would see."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true in time"
        act()
        again = time.monotonic() + AGAIN
        while not condition() and time.monotonic() < again:
            time.sleep(0.02)


def test_a_first_time_user_starts_typing_with_only_the_keyboard(
    screen: Screen, tmp_path: Path
) -> None:
    homes = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("CONFIG", "STATE", "DATA")}
    with (
        contest_server(tmp_path, phase=Phase.BEFORE) as server,
        on_the_network(server.address, server.contest),
    ):
        console = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            env=screen.environ(LC_ALL="C.UTF-8", **homes),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            # The dialog: the code field has the focus, and the server is found automatically. A
            # person who is faster presses Return again.
            screen.focus(screen.window("^Take your seat$"))
            screen.keys(*(NAMES.get(char, char.lower()) for char in server.codes["J1"]))
            until(lambda: server.seated("J1"), lambda: screen.keys("Return"))
            screen.focus(screen.window("judge J1"))
            # The page about recording and publication: the text has the focus. Tab, then the other
            # answer by an arrow; Return moves on to the name and the button, and presses it.
            answer = ("Tab", "Down", "Return", "Return", "Return")
            until(server.consents, lambda: screen.keys(*answer, delay=100))
            assert server.consents() == [("J1", False)]
            # The round begins, and the typing area has the focus.
            server.enter(Phase.INTERACTION)
            until(lambda: server.keys("left"), lambda: screen.keys("shift+h"))
            screen.keys("e", "l", "l", "o", "shift+exclam", "Return")
            server.until(lambda: server.keys("left")[-1:] == ["Return"])
            typed = server.keys("left")
            assert typed[-6:] == ["e", "l", "l", "o", "exclam", "Return"]
            assert {*typed[:-6]} == {"H"}
            assert server.keys("right") == []
        finally:
            console.terminate()
            _, err = console.communicate(timeout=PATIENCE)
    assert (console.returncode, err) == (0, "")
