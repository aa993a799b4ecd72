"""A bundled entry, as its own process, that is killed and started again or stopped in the middle of
a talk with a judge: nothing is lost, and the record tells of it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from contest.links import entrylink, sitting
from contest.links.entrylink import EntryLink
from contest.links.program import command_line
from contest.links.program_in_hand import EntryProgram
from contest.record.store import Record, sqlite_url
from contest.record.testing import InlineJournal, bodies
from contest.state.phases import Phase
from contest.talks.hub import Hub
from lpp.clock import Clock
from lpp.names import keys_of

Until = Callable[..., Awaitable[None]]


class LoopClock:
    """The loop's own time."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Desk:
    """A judge who types at an entry's link, and the entry's program."""

    def __init__(self, room: Path, record: Record, logs: Path) -> None:
        clock: Clock = LoopClock()
        self.room = room
        self.record = record
        self.logs = logs
        self.journal = InlineJournal(record, clock)
        self.hub = Hub(self.journal, clock, lambda: Phase.INTERACTION)
        self.link = EntryLink("E1", room, self.journal, self.hub)
        self.typed = 0

    def begin(self) -> None:
        self.talk = self.hub.open_talk(1, 1, "J1", "E1", "left")
        self.link.join(self.talk)

    def program(self) -> EntryProgram:
        words = command_line("E1", "loebner bot therapist --speed 20 --dir {dir}", self.room)
        return EntryProgram("E1", words, self.logs / "E1.log", self.journal)

    def say(self, text: str) -> None:
        for key in keys_of(text):
            self.typed += 1
            self.hub.press(self.talk, "judge", "J1", key, self.typed)

    def read(self) -> bool:
        """Whether the entry has read all that was typed."""
        made = self.talk.seen["judge"] == self.typed
        return made and not any(name.endswith(".judge") for name in os.listdir(self.room))

    def answers(self) -> int:
        """How many lines the entry has ended."""
        return self.talk.shown.count(("entity", "Return"))

    def kinds(self) -> list[str]:
        return [event.kind for event in self.record.events()]


def signal_to(program: EntryProgram, which: signal.Signals) -> None:
    assert program._process is not None
    program._process.send_signal(which)


@pytest.fixture
async def desk(room: Path, tmp_path: Path) -> AsyncIterator[Desk]:
    with Record(sqlite_url(tmp_path / "record.db"), create=True) as record:
        made = Desk(room, record, tmp_path)
        async with made.journal, made.link:
            made.begin()
            yield made


async def test_killed_and_started_again(desk: Desk, until: Until) -> None:
    async with desk.program() as program:
        await program.spoken()
        desk.say("Hello, who are you?\n")
        # In the middle of its answer.
        await until(lambda: len([1 for author, _ in desk.talk.shown if author == "entity"]) > 2)
        signal_to(program, signal.SIGKILL)
        await until(lambda: "entry-exited" in desk.kinds())
    desk.say("Are you there?\n")
    await until(lambda: desk.talk.seen["judge"] == desk.typed)
    async with desk.program() as program:
        await program.spoken()
        before = desk.answers()
        desk.say("I like my garden.\n")
        await until(lambda: desk.answers() > before and desk.read())
    await until(lambda: os.listdir(desk.room) == [])

    assert bodies(desk.record, "entry-exited")[0]["code"] == -signal.SIGKILL
    assert desk.kinds().count("entry-started") == 2
    keys = [body for body in bodies(desk.record, "key") if body["author"] == "entity"]
    raws = [str(body["raw"]) for body in keys]
    assert raws == sorted(set(raws))  # once each, and growing through both lives
    assert not any(body.get("rules") for body in keys)
    assert len([1 for body in bodies(desk.record, "key") if body["author"] == "judge"]) == (
        desk.typed
    )


async def test_stopped_with_300_keys_waiting(
    desk: Desk, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The 20 seconds are virtual in tests/contest; here they are short."""
    monkeypatch.setattr(sitting, "UNREAD", 0.3)
    monkeypatch.setattr(entrylink, "UNREAD_EVERY", 0.05)
    async with desk.program() as program:
        await program.spoken()
        desk.say("Hello.\n")
        await until(lambda: desk.answers() == 1 and desk.read())
        signal_to(program, signal.SIGSTOP)
        try:
            desk.say("I am so tired. " * 20)
            await until(lambda: bodies(desk.record, "trouble"))
            assert len(os.listdir(desk.room)) == 300
        finally:
            signal_to(program, signal.SIGCONT)
        desk.say("\n")
        await until(lambda: desk.read() and desk.answers() >= 2)
        await until(lambda: len(bodies(desk.record, "trouble")) == 2)
    stopped, over = (str(body["what"]) for body in bodies(desk.record, "trouble"))
    assert "stand unread" in stopped
    assert "has read all again" in over
