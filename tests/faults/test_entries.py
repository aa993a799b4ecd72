"""A bundled entry's process is killed and restarted, or stopped, in the middle of a talk with a
judge: nothing is lost, and the record reports it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from contest.links import directory, link
from contest.links.directory import Checkpoint
from contest.links.link import Link, link_in_process
from contest.links.program import command_line, end_process
from contest.live.hub import Hub
from contest.net.sockets import LINK, MemoryConnection
from contest.record.store import Record, sqlite_url
from contest.state.phases import Phase
from lpp.clock import LoopClock
from lpp.names import keys_of
from lpp.program import OWN_GROUP
from tests.contest.journals import InlineJournal, bodies

pytestmark = pytest.mark.soak

Until = Callable[..., Awaitable[None]]


class Desk:
    """A judge who types to an entry, and the entry's program."""

    def __init__(self, room: Path, record: Record) -> None:
        clock = LoopClock()
        self.room = room
        self.record = record
        self.journal = InlineJournal(record, clock)
        self.hub = Hub(self.journal, lambda: Phase.INTERACTION)
        self.link = Link("E1", self.hub, "Contest")
        self.typed = 0

    def begin(self) -> None:
        self.talk = self.hub.open_talk(1, 1, "J1", "E1", "left")
        self.link.join(self.talk)

    @asynccontextmanager
    async def program(self) -> AsyncIterator[asyncio.subprocess.Process]:
        """Starts the entry's program; waits until it says that it is ready."""
        words = command_line("E1", "loebner bot therapist --speed 20 --dir {dir}", self.room)
        process = await asyncio.create_subprocess_exec(
            *words, stdout=asyncio.subprocess.PIPE, **OWN_GROUP
        )
        assert process.stdout is not None
        await process.stdout.readline()
        try:
            yield process
        finally:
            await end_process(process)

    def say(self, text: str) -> None:
        for key in keys_of(text):
            self.typed += 1
            self.hub.press(self.talk, "judge", "J1", key, self.typed)

    def made(self) -> int:
        """How many of the judge's keys are known to be or have been in the directory."""
        times = self.hub.progress[self.talk.id].times
        return sum(times[seq][2] is not None for seq in self.talk.seqs["judge"] if seq in times)

    def read(self) -> bool:
        """Whether the entry has read all keys."""
        made = self.made() == self.typed
        return made and not any(name.endswith(".judge") for name in os.listdir(self.room))

    def answers(self) -> int:
        """How many lines the entry has finished."""
        return self.talk.shown.count(("entity", "Return"))


@pytest.fixture
async def desk(room: Path, tmp_path: Path, until: Until) -> AsyncIterator[Desk]:
    with Record(sqlite_url(tmp_path / "record.db"), create=True) as record:
        made = Desk(room, record)
        connection = partial(MemoryConnection, LINK, made.link.connect)
        async with (
            made.journal,
            made.link,
            link_in_process(str(room), Checkpoint(tmp_path / "memory"), connection),
        ):
            await until(lambda: made.link.here)
            await made.link.prepare()
            made.begin()
            yield made


async def test_entry_killed_and_restarted(desk: Desk, until: Until) -> None:
    async with desk.program() as program:
        desk.say("Hello, who are you?\n")
        # In the middle of its answer.
        await until(lambda: len([1 for author, _ in desk.talk.shown if author == "entity"]) > 2)
        program.send_signal(signal.SIGKILL)
        await program.wait()
    desk.say("Are you there?\n")
    await until(lambda: desk.made() == desk.typed)
    async with desk.program():
        before = desk.answers()
        desk.say("I like my garden.\n")
        await until(lambda: desk.answers() > before and desk.read())
    await until(lambda: os.listdir(desk.room) == [])

    keys = [body for body in bodies(desk.record, "key") if body["author"] == "entity"]
    raws = [str(body["raw"]) for body in keys]
    assert raws == sorted(set(raws))  # once each, and growing through both lives
    assert not any(body.get("rules") for body in keys)
    assert len([1 for body in bodies(desk.record, "key") if body["author"] == "judge"]) == (
        desk.typed
    )


async def test_entry_stopped_with_300_keys_waiting(
    desk: Desk, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uses a shorter time than the real 5 seconds, which tests/contest tests in virtual time."""
    monkeypatch.setattr(link, "UNREAD", 0.3)
    monkeypatch.setattr(directory, "LOOK_EVERY", 0.05)
    async with desk.program() as program:
        desk.say("Hello.\n")
        await until(lambda: desk.answers() == 1 and desk.read())
        program.send_signal(signal.SIGSTOP)
        try:
            desk.say("I am so tired. " * 20)
            await until(lambda: bodies(desk.record, "trouble"))
            assert len(os.listdir(desk.room)) == 300
        finally:
            program.send_signal(signal.SIGCONT)
        desk.say("\n")
        await until(lambda: desk.read() and desk.answers() >= 2)
        await until(lambda: len(bodies(desk.record, "trouble")) == 2)
    stopped, over = (str(body["what"]) for body in bodies(desk.record, "trouble"))
    assert "unread" in stopped
    assert "reading again" in over
