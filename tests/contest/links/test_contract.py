"""Tests the contract between conductor and link (keys, phases, left-overs), with both ends of the
link in memory, on virtual time."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import io
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from contest.links import linkwire
from contest.links.directory import Checkpoint, LinkedDirectory
from contest.links.link import Link
from contest.live.hub import Hub
from contest.record.store import Record
from contest.state.phases import Phase
from lpp.channel import DirectoryChannel
from lpp.clock import LoopClock
from lpp.keypress import Side
from lpp.testing import MemoryDirectory
from tests.contest.journals import InlineJournal, bodies
from tests.peer import ScriptedPeer

#: Seconds that a frame takes from one end to the other.
WAY = 0.02


class FakeConnection:
    """Carries frames between the two sides of a link, as text."""

    def __init__(self, directory: LinkedDirectory, link: Link) -> None:
        self.directory, self.link = directory, link
        self._to_entry: asyncio.Queue[str] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []

    def send(self, frame: linkwire.ToLink) -> None:
        self._to_entry.put_nowait(linkwire.encode(frame))

    def close(self, why: str) -> None:
        for task in self._tasks:
            task.cancel()

    def connect(self) -> None:
        hello = linkwire.decode_to_server(linkwire.encode(self.directory.end.hello()))
        assert isinstance(hello, linkwire.Hello)
        self.link.connect(hello, self)
        self._tasks = [
            asyncio.create_task(self._deliver_to_entry()),
            asyncio.create_task(self._deliver_to_server()),
        ]

    async def disconnect(self) -> None:
        self.close("cut")
        for task in self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._to_entry = asyncio.Queue()
        self.directory.end.lost()
        self.link.disconnect(self, "cut")

    async def _deliver_to_entry(self) -> None:
        while True:
            text = await self._to_entry.get()
            await asyncio.sleep(WAY if self._to_entry.empty() else 0)
            self.directory.receive(linkwire.decode_to_link(text))

    async def _deliver_to_server(self) -> None:
        while True:
            await self.directory.to_send.wait()
            self.directory.to_send.clear()
            texts = [linkwire.encode(frame) for frame in self.directory.end.outgoing()]
            await asyncio.sleep(WAY)
            for text in texts:
                self.link.receive(linkwire.decode_to_server(text))


@pytest.fixture
def clock() -> LoopClock:
    """The loop's own time; keys held during a pause wait by it."""
    return LoopClock()


class LinkRig:
    """A link with a directory in memory, and a scripted peer as the entry."""

    def __init__(self, journal: InlineJournal, clock: LoopClock, memory: Path) -> None:
        self.journal, self.memory = journal, memory
        self.directory = MemoryDirectory()
        self.phase = Phase.INTERACTION
        self.hub = Hub(journal, lambda: self.phase)
        self.hub.state.contest_id = "c1"
        self.channel = DirectoryChannel(self.directory, side=Side.OTHER, hint=self.directory)
        self.entry = ScriptedPeer(self.channel)
        self.link: Link
        self.connection: FakeConnection | None = None
        self._judged = 0

    def begin(self) -> None:
        self._judged = 0
        self.talk = self.hub.open_talk(1, len(self.hub.talks) + 1, "J1", "E1", "right")
        self.link.join(self.talk)

    def judge(self, *keys: str) -> None:
        for key in keys:
            self._judged += 1
            self.hub.press(self.talk, "judge", "J1", key, self._judged)

    def shown(self, author: str) -> list[str]:
        return [key for by, key in self.talk.shown if by == author]


async def connect_remotely(rig: LinkRig, stack: AsyncExitStack) -> None:
    link = Link("E1", rig.hub, "Contest")
    rig.link = await stack.enter_async_context(link)
    directory = LinkedDirectory(rig.directory, Checkpoint(rig.memory), "code")
    await stack.enter_async_context(directory)
    rig.connection = FakeConnection(directory, link)
    rig.connection.connect()
    stack.push_async_callback(rig.connection.disconnect)


@pytest.fixture
def make(
    journal: InlineJournal, clock: LoopClock, tmp_path: Path
) -> Callable[[], contextlib.AbstractAsyncContextManager[LinkRig]]:
    @asynccontextmanager
    async def open_rig() -> AsyncIterator[LinkRig]:
        rig = LinkRig(journal, clock, tmp_path / "memory.jsonl")
        async with AsyncExitStack() as stack:
            await connect_remotely(rig, stack)
            await rig.link.prepare()
            await stack.enter_async_context(rig.channel)
            rig.begin()
            yield rig

    return open_rig


Make = Callable[[], contextlib.AbstractAsyncContextManager[LinkRig]]


@pytest.mark.looptime
async def test_keys_go_both_ways(make: Make, record: Record) -> None:
    async with make() as rig:
        assert rig.link.here
        rig.judge("H", "i", "Return")
        assert await rig.entry.line(5) == "Hi"
        await rig.entry.say("Yes?\n")
        await asyncio.sleep(3)
        assert rig.shown("judge") == ["H", "i", "Return"]
        assert rig.shown("entity") == ["Y", "e", "s", "question", "Return"]
        assert rig.directory.names() == []
        assert rig.link.status().waiting == 0
        raws = [body["raw"] for body in bodies(record, "key") if body["author"] == "entity"]
        assert raws[0] == "0000000001.Y.other"
        # The hub knows that every key of the judge reached the directory.
        assert all(
            row[2] is not None for row in list(rig.hub.progress[rig.talk.id].times.values())[:3]
        )
        assert bodies(record, "trouble") == []


@pytest.mark.looptime
async def test_phases(make: Make, record: Record) -> None:
    async with make() as rig:
        await rig.entry.say("a")  # before the judge has begun
        await asyncio.sleep(1)
        rig.judge("H")
        rig.phase = Phase.PAUSED
        await rig.entry.say("b")
        await asyncio.sleep(1)
        # Keys typed during a pause stay in the directory until it ends.
        assert len(bodies(record, "key")) == 2
        assert [name for name in rig.directory.names() if name.endswith(".other")] != []
        rig.phase = Phase.INTERACTION
        await asyncio.sleep(5)
        assert rig.shown("entity") == ["b"]
        rig.phase = Phase.SCORING
        await rig.entry.say("c")
        await asyncio.sleep(1)
        rig.link.leave()
        await rig.entry.say("d")
        await asyncio.sleep(3)
        keys = [(b["key"], b.get("out_of_phase")) for b in bodies(record, "key") if "raw" in b]
        assert keys == [("a", "3/waits"), ("b", None), ("c", "3/after-end")]
        [breach] = bodies(record, "breach")
        assert (breach["rule"], breach["name"]) == ("3/not-on", "0000000004.d.other")
        assert [name for name in rig.directory.names() if name.endswith(".other")] == []


@pytest.mark.looptime
async def test_left_overs_are_recorded_before_a_talk(make: Make, record: Record) -> None:
    async with make() as rig:
        rig.judge("H")
        first = (await rig.entry.key(5)).press.number
        rig.link.leave()
        await rig.channel.close()  # the entry has gone, and left things behind
        names = [f"{number:010d}.a.judge" for number in range(5000, 7500)]
        rig.directory.entries |= {*names, "Thumbs.db"}
        await rig.link.prepare()
        await asyncio.sleep(1)
        # Other files stay: a directory named by mistake must not lose its files.
        assert rig.directory.names() == ["Thumbs.db"]
        told = [name for body in bodies(record, "left-overs") for name in body["names"]]  # type: ignore[attr-defined]
        assert told == names
        again = DirectoryChannel(rig.directory, side=Side.OTHER, hint=rig.directory)
        async with again:
            rig.begin()
            rig.judge("x")
            assert (await ScriptedPeer(again).key(5)).press.number > first


@pytest.mark.looptime
async def test_breaches_are_recorded_with_the_key(make: Make, record: Record) -> None:
    async with make() as rig:
        rig.judge("H")
        rig.directory.make("7.quotedble.OTHER")
        rig.directory.make("notes.txt")
        await asyncio.sleep(2)
        key = bodies(record, "key")[-1]
        assert (key["key"], key["raw"], key["n"]) == ("quotedble", "7.quotedble.OTHER", 7)
        assert set(key["rules"]) == {"2.A.a/width", "2.A.b/name", "2.A.c/extension"}  # type: ignore[call-overload]
        assert [body["name"] for body in bodies(record, "breach")] == ["notes.txt"]


@pytest.mark.looptime
async def test_key_is_removed_only_after_it_is_durable(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with make() as rig:
        rig.judge("H")
        held: list[tuple[object, ...]] = []
        with monkeypatch.context() as patch:
            patch.setattr(rig.journal, "write", lambda *args: held.append(args))
            await rig.entry.say("Y")
            await asyncio.sleep(3)
            assert [name for name in rig.directory.names() if name.endswith(".other")]
        for args in held:
            rig.journal.write(*args)  # type: ignore[arg-type]
        await asyncio.sleep(1)
        assert [name for name in rig.directory.names() if name.endswith(".other")] == []
        assert rig.shown("entity") == ["Y"]


@pytest.mark.looptime
async def test_full_disk_delays_the_judges_keys_and_keeps_their_order(
    make: Make, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with make() as rig:

        def full(name: str) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(rig.directory, "make", full)
            rig.judge("H", "i")
            await asyncio.sleep(5)
            assert rig.link.status().waiting == 2
        rig.judge("Return")
        assert await rig.entry.line(5) == "Hi"
        [trouble] = bodies(record, "trouble")
        assert trouble["where"] == "directory of E1"
        assert "No space left" in str(trouble["what"])


class Disk(io.FileIO):
    """A file on a disk that is full for a while."""

    full = False

    def write(self, data: Any, /) -> int:
        if Disk.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


@pytest.mark.looptime
async def test_full_disk_of_the_checkpoint_delays_keys_and_makes_none_twice(
    journal: InlineJournal,
    clock: LoopClock,
    record: Record,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The checkpoint's disk is full before the talk, and again during it."""
    monkeypatch.setattr("contest.links.directory.io.FileIO", Disk)
    monkeypatch.setattr(Disk, "full", True)
    rig = LinkRig(journal, clock, tmp_path / "memory.jsonl")
    async with AsyncExitStack() as stack:
        await connect_remotely(rig, stack)
        rig.directory.make("0000000007.x.judge")
        await rig.link.prepare()
        begins = rig.link.here
        assert not begins, "the checkpoint isn't written yet"
        Disk.full = False
        await asyncio.sleep(2)
        assert rig.link.here
        assert [body["names"] for body in bodies(record, "left-overs")] == [["0000000007.x.judge"]]
        await stack.enter_async_context(rig.channel)
        rig.begin()
        rig.judge("a")
        await asyncio.sleep(1)
        Disk.full = True
        rig.judge("b")
        await asyncio.sleep(5)
        assert rig.link.status().waiting == 1
        Disk.full = False
        rig.judge("Return")
        assert await rig.entry.line(5) == "ab"
        await asyncio.sleep(2)
        assert [each.press.key for each in rig.entry.heard] == ["a", "b", "Return"]


@pytest.mark.looptime
async def test_key_that_may_have_been_made_twice_is_recorded(
    journal: InlineJournal, clock: LoopClock, record: Record, tmp_path: Path
) -> None:
    """The link dies while it makes a key that the entry reads immediately."""
    rig = LinkRig(journal, clock, tmp_path / "memory.jsonl")
    async with AsyncExitStack() as stack:
        await connect_remotely(rig, stack)
        await rig.link.prepare()
        await stack.enter_async_context(rig.channel)
        rig.begin()
        rig.judge("a", "b")
        await asyncio.sleep(1)
        assert rig.connection is not None
        life = Checkpoint(rig.memory)
        life.making(life.state.number + 1)
        life.close()
        await rig.connection.disconnect()
        async with LinkedDirectory(rig.directory, Checkpoint(rig.memory), "code") as directory:
            connection = FakeConnection(directory, rig.connection.link)
            connection.connect()
            rig.judge("c")
            await asyncio.sleep(1)
            await connection.disconnect()
        assert bodies(record, "key-in-doubt") == [{"entry": "E1", "talk": 1, "n": 3}]


@pytest.mark.looptime
async def test_entry_that_stops_reading_and_continues_is_recorded(
    make: Make, record: Record
) -> None:
    async with make() as rig:
        await rig.channel.close()  # nobody reads
        rig.judge(*"abc" * 100)
        await asyncio.sleep(20)
        assert rig.link.status().standing == 300
        assert rig.link.status().oldest > 15
        [stopped] = bodies(record, "trouble")
        assert stopped["where"] == "directory of E1"
        assert str(stopped["what"]).startswith("300 keys of the judge are unread")
        again = DirectoryChannel(rig.directory, side=Side.OTHER, hint=rig.directory)
        async with again:
            came = [(await anext(again)).press.key for _ in range(300)]
            await asyncio.sleep(5)
        assert came == [*"abc" * 100]
        stopped, over = bodies(record, "trouble")
        assert "is reading again, after about 2" in str(over["what"])
