"""A console is killed, or its cable is cut: nothing that was on a screen is lost, and nothing is
taken twice."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from contest.live.hub import Hub
from contest.live.seats import Seats
from contest.net import codes, web
from contest.record.journal import Journal
from contest.record.store import Record, sqlite_url
from contest.state.model import Talk
from contest.state.phases import Phase, Status
from judge_console.client import SeatClient
from judge_console.model.seat import SeatModel
from lpp.clock import LoopClock
from lpp.lines import Pane
from lpp.names import keys_of
from tests.cable import Cable, cable
from tests.conftest import Until
from tests.contest.seat_app import settings_of, site

#: Seconds that a process may take to do what it was told.
DEADLINE = 60.0


@dataclass
class Room:
    """A server with a judge's and a confederate's seat in one talk."""

    record: Record
    talk: Talk
    codes: dict[str, str]
    address: str

    def recorded(self, author: str) -> list[str]:
        """The recorded keys of one side, in order."""
        return [
            str(event.body["key"])
            for event in self.record.events(kind="key")
            if event.body["author"] == author
        ]


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    clock = LoopClock()
    with Record(sqlite_url(tmp_path / "record.db"), create=True) as record:
        async with Journal(record, clock) as journal:
            hub = Hub(journal, lambda: Phase.INTERACTION)
            status = Status(Phase.INTERACTION, 1, 1, None)
            seats = Seats(settings_of(["J1", "C1"]), hub, lambda: status)
            talk = hub.open_talk(1, 1, "J1", "C1", "left")
            seats.assign("J1", "left", talk)
            seats.assign("C1", "only", talk)
            issued = codes.issue(["J1", "C1"])
            app = site(seats, issued)
            async with web.serving(app, "127.0.0.1", 0) as address:
                yield Room(record, talk, issued, address)
            await journal.flush()


class Console:
    """The judge's console, as a process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def type(self, text: str) -> dict[str, Any]:
        """Presses keys on the left side; returns what the screen shows."""
        return await self._tell({"type": text, "on": "left"})

    async def seen(self, until: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Waits until the screen fulfils a condition."""
        async with asyncio.timeout(DEADLINE):
            # The window is in another process, which doesn't report changes.
            while not until(seen := await self._tell({})):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        return seen

    async def _tell(self, command: dict[str, str]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(command).encode() + b"\n")
        async with asyncio.timeout(DEADLINE):
            line = await self._process.stdout.readline()
        assert line, "the console has died"
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def kill(self) -> None:
        """kill -9"""
        self._process.send_signal(signal.SIGKILL)
        await self._process.wait()


@asynccontextmanager
async def console(address: str, code: str, folder: Path) -> AsyncIterator[Console]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.faults.console_process", address, code, str(folder)),
        cwd=Path(__file__).parents[2],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        started = Console(process)
        await started.seen(lambda seen: seen["page"] == "TALK" and "left" in seen["lines"])
        yield started
    finally:
        if process.returncode is None:
            assert process.stdin is not None
            process.stdin.close()
            await process.wait()
        assert process.stdout is not None
        await process.stdout.read()


def streamed(seen: dict[str, Any]) -> list[str]:
    stream: list[str] = seen["streams"]["left"]
    return stream


async def press_all(client: SeatClient, text: str) -> None:
    for key in keys_of(text):
        assert await client.press("only", key)


def other(model: SeatModel, author: str) -> str:
    """One side's text on the confederate's screen."""
    return Pane(key for by, key in model.keys("only") if by == author).text


async def test_console_killed_in_the_middle_of_a_line_and_while_the_cable_is_cut(
    room: Room, tmp_path: Path, until: Until
) -> None:
    """Keys that only the killed console knew are sent once, from its stored data."""
    async with (
        SeatClient(room.address, room.codes["C1"]) as confederate,
        cable(room.address) as line,
    ):
        async with console(line.address, room.codes["J1"], tmp_path / "seats") as judge:
            await judge.type("Hello!\nHow ar")
            await until(lambda: other(confederate.model, "judge") == "Hello!\nHow ar")
            await press_all(confederate, "Hi\nI am")
            await judge.type("e")
            await judge.seen(lambda seen: seen["lines"]["left"] == "How are")
            await judge.kill()
        await press_all(confederate, " fine")
        async with console(line.address, room.codes["J1"], tmp_path / "seats") as judge:
            seen = await judge.seen(lambda seen: "I am fine" in "\n".join(streamed(seen)))
            assert seen["lines"]["left"] == "How are"
            await judge.type(" you?\n")
            await until(lambda: other(confederate.model, "judge") == "Hello!\nHow are you?\n")
            assert room.recorded("judge") == keys_of("Hello!\nHow are you?\n")
            assert room.recorded("entity") == keys_of("Hi\nI am fine")
            line.cut()
            await judge.seen(lambda seen: not seen["connected"])
            await judge.type("Twoo\b and thr")
            await judge.seen(lambda seen: seen["lines"]["left"] == "Two and thr")
            await judge.kill()
        assert room.recorded("judge") == keys_of("Hello!\nHow are you?\n")
        line.mend()
        async with console(line.address, room.codes["J1"], tmp_path / "seats") as judge:
            await judge.seen(lambda seen: seen["lines"]["left"] == "Two and thr")
            await judge.type("ee\n")
            said = "Hello!\nHow are you?\nTwo and three\n"
            await until(lambda: other(confederate.model, "judge") == said)
        assert room.recorded("judge") == keys_of("Hello!\nHow are you?\nTwoo\b and three\n")


async def cut_while_typing(
    line: Cable, judge: Console, confederate: SeatClient, seconds: float
) -> tuple[str, str]:
    """Both type while the cable is cut; returns what each has typed."""
    mine, theirs = "", ""
    line.cut()
    await judge.seen(lambda seen: not seen["connected"])
    end = asyncio.get_running_loop().time() + seconds
    while not mine or asyncio.get_running_loop().time() < end:
        mine += "I go on typing, wrongly\b\b\b, and do not mind.\n"
        await judge.type("I go on typing, wrongly\b\b\b, and do not mind.\n")
        theirs += "Are you there?\n"
        await press_all(confederate, "Are you there?\n")
        await asyncio.sleep(min(1.0, seconds / 10))
    mine += "And on"
    await judge.type("And on")
    line.mend()
    return mine, theirs


@pytest.mark.parametrize("seconds", [0, pytest.param(10, marks=pytest.mark.soak)])
async def test_cable_cut_while_both_sides_type(
    room: Room, tmp_path: Path, until: Until, seconds: float
) -> None:
    async with (
        SeatClient(room.address, room.codes["C1"]) as confederate,
        cable(room.address) as line,
        console(line.address, room.codes["J1"], tmp_path / "seats") as judge,
    ):
        await judge.type("Hello\n")
        await until(lambda: other(confederate.model, "judge") == "Hello\n")
        mine, theirs = await cut_while_typing(line, judge, confederate, seconds)
        standing = Pane(keys_of("Hello\n" + mine)).text
        await until(lambda: other(confederate.model, "judge") == standing, DEADLINE)
        # The screen shows that it is connected before it shows the talk.
        count = theirs.count("\n")
        seen = await judge.seen(
            lambda seen: (
                seen["connected"] and "\n".join(streamed(seen)).count("Are you there?") >= count
            )
        )
        assert room.recorded("judge") == keys_of("Hello\n" + mine)
        assert room.recorded("entity") == keys_of(theirs)
        assert other(confederate.model, "entity") == theirs
        # On the judge's own screen each stands once, and whole.
        screen = "\n".join(streamed(seen))
        assert screen.count("Are you there?") == count
        assert screen.count("I go on typing, wron, and do not mind.") == mine.count("\n")
        assert seen["lines"]["left"] == "And on"
        assert line.carried >= 2
