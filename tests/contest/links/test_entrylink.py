"""The link to an entry's directory: durable before removed, in order, nothing lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from contest.links.entrylink import EntryLink
from contest.links.linkwire import UNDER_WAY
from contest.record.bodies import LARGEST, Key
from contest.record.store import Record
from contest.record.testing import InlineJournal, bodies
from contest.state.phases import Phase
from contest.talks.hub import Hub
from lpp.channel import DirectoryChannel
from lpp.errors import BadDirectory
from lpp.keypress import Side
from lpp.testing import MemoryDirectory, ScriptedPeer
from tests.contest.conftest import HandClock


class Stand:
    """A link over a directory in memory, with the entry's side of it as a scripted peer."""

    def __init__(self, journal: InlineJournal, clock: HandClock) -> None:
        self.directory = MemoryDirectory()
        self.hub = Hub(journal, clock, lambda: Phase.INTERACTION)
        self.link = EntryLink("E1", Path("unused"), journal, self.hub, self.directory)
        self.channel = DirectoryChannel(self.directory, side=Side.OTHER, hint=self.directory)
        self.entry = ScriptedPeer(self.channel)
        self._judged = 0

    def begin(self) -> None:
        self.talk = self.hub.open_talk(1, 1, "J1", "E1", "right")
        self.link.join(self.talk)

    async def judge(self, *keys: str) -> None:
        for key in keys:
            self._judged += 1
            self.hub.press(self.talk, "judge", "J1", key, self._judged)
        await asyncio.sleep(0.01)


@asynccontextmanager
async def opened(journal: InlineJournal, clock: HandClock) -> AsyncIterator[Stand]:
    """A stand; opened in a test and not before, its timers are on the virtual clock, too."""
    made = Stand(journal, clock)
    async with made.link, made.channel:
        made.begin()
        yield made


@pytest.fixture
async def stand(journal: InlineJournal, clock: HandClock) -> AsyncIterator[Stand]:
    async with opened(journal, clock) as made:
        yield made


@pytest.mark.looptime
async def test_keys_go_both_ways(stand: Stand, record: Record) -> None:
    await stand.judge("H", "i", "Return")
    assert await stand.entry.line(5) == "Hi"
    await stand.entry.say("Yes?\n")
    await asyncio.sleep(1)
    assert [key for _, key in stand.talk.shown] == [
        *("H", "i", "Return"),
        *("Y", "e", "s", "question", "Return"),
    ]
    assert stand.directory.names() == []
    raws = [body["raw"] for body in bodies(record, "key") if body["author"] == "entity"]
    assert raws[0] == "0000000001.Y.other"


@pytest.mark.looptime
async def test_numbers_that_are_times_go_on_record_whole(stand: Stand, record: Record) -> None:
    """The official judge program's have 18 digits: more than a number in JSON holds exactly."""
    names = [f"1337084527090051{n:02d}.{key}.other" for n, key in enumerate("yes")]
    await stand.judge("H", "Return")
    for name in names:
        stand.directory.make(name)
    await asyncio.sleep(1)
    keys = [body for body in bodies(record, "key") if body["author"] == "entity"]
    assert [body["raw"] for body in keys] == names
    assert {body["n"] for body in keys} == {LARGEST}
    assert not any("2.A.a/numeric" in str(body.get("rules")) for body in keys)
    assert [key for author, key in stand.talk.shown if author == "entity"] == ["y", "e", "s"]


@pytest.mark.looptime
async def test_a_key_is_removed_only_when_it_is_durable(
    stand: Stand, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[tuple[object, ...]] = []
    journal = stand.hub._journal
    real = journal.write
    monkeypatch.setattr(journal, "write", lambda *args: held.append(args))
    await stand.judge("H")
    await stand.entry.say("Y")
    await asyncio.sleep(3)
    assert [name for name in stand.directory.names() if name.endswith(".other")]
    assert bodies(record, "key") == []
    monkeypatch.undo()
    for args in held:
        real(*args)  # type: ignore[arg-type]
    await asyncio.sleep(1)
    assert stand.directory.names() == ["0000000001.H.judge"] or stand.directory.names() == []
    assert [body["key"] for body in bodies(record, "key")] == ["H", "Y"]


@pytest.mark.looptime
async def test_left_overs_go_on_record_before_a_talk(stand: Stand, record: Record) -> None:
    stand.link.leave()
    await stand.channel.close()  # the entry is gone, and left things behind
    for name in ("0000000099.H.judge", "0000000098.x.other", "Thumbs.db"):
        stand.directory.entries.add(name)
    await stand.link.prepare()
    # What is no key press stays: a directory named by mistake must not lose its files.
    assert stand.directory.names() == ["Thumbs.db"]
    names = [name for body in bodies(record, "left-overs") for name in body["names"]]  # type: ignore[attr-defined]
    seen = {body["name"] for body in bodies(record, "breach")}
    assert "0000000099.H.judge" in names
    assert "0000000098.x.other" in set(names) | seen


@pytest.mark.looptime
async def test_what_is_typed_while_no_talk_is_on_goes_on_record(
    stand: Stand, record: Record
) -> None:
    stand.link.leave()
    await stand.entry.say("Hm")
    await asyncio.sleep(1)
    assert [(b["rule"], b["name"]) for b in bodies(record, "breach")] == [
        ("3/not-on", "0000000001.H.other"),
        ("3/not-on", "0000000002.m.other"),
    ]
    assert stand.directory.names() == []
    assert bodies(record, "key") == []


@pytest.mark.looptime
async def test_breaches_go_on_record_with_the_key(stand: Stand, record: Record) -> None:
    await stand.judge("H")
    stand.directory.make("7.quotedble.OTHER")
    await asyncio.sleep(1)
    key = bodies(record, "key")[-1]
    assert (key["key"], key["raw"], key["n"]) == ("quotedble", "7.quotedble.OTHER", 7)
    assert set(key["rules"]) == {"2.A.a/width", "2.A.b/name", "2.A.c/extension"}  # type: ignore[call-overload]


@pytest.mark.looptime
async def test_a_full_disk_delays_the_judges_keys_and_keeps_their_order(
    stand: Stand, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = stand.directory.make

    def full(name: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(stand.directory, "make", full)
    await stand.judge("H", "i")
    await asyncio.sleep(5)
    assert stand.link.unread == 2
    monkeypatch.setattr(stand.directory, "make", real)
    await stand.judge("Return")
    assert await stand.entry.line(5) == "Hi"
    troubles = bodies(record, "trouble")
    assert len(troubles) == 1
    assert "No space left" in str(troubles[0]["what"])


@pytest.mark.looptime
async def test_numbers_go_on_growing_over_talks(stand: Stand) -> None:
    await stand.judge("H")
    first = (await stand.entry.key(5)).press.number
    stand.link.leave()
    await stand.link.prepare()
    stand.begin()
    stand._judged = 0
    await stand.judge("H")
    assert (await stand.entry.key(5)).press.number > first


async def test_a_directory_that_is_none(
    tmp_path: Path, journal: InlineJournal, clock: HandClock
) -> None:
    hub = Hub(journal, clock, lambda: Phase.INTERACTION)
    with pytest.raises(BadDirectory, match="no such directory"):
        async with EntryLink("E1", tmp_path / "none", journal, hub):
            pass


@pytest.mark.looptime
async def test_a_directory_that_is_gone_stops_no_round(
    stand: Stand, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> list[str]:
        raise FileNotFoundError(2, "No such file or directory")

    stand.link.leave()
    monkeypatch.setattr(stand.directory, "names", gone)
    await stand.link.prepare()
    monkeypatch.undo()
    assert "No such file" in str(bodies(record, "trouble")[0]["what"])
    stand.begin()
    await stand.judge("H", "Return")
    assert await stand.entry.line(10) == "H"


@pytest.mark.looptime
async def test_an_entry_that_stands_still_and_goes_on_is_on_record(
    journal: InlineJournal, clock: HandClock, record: Record
) -> None:
    """Stopped for 20 seconds with 300 keys waiting: as its directory shows it."""
    async with opened(journal, clock) as stand:
        keys = [*"abcdefghijklmnopqrstuvwxyz"] * 12
        await stand.channel.close()  # nobody reads
        for key in keys[:300]:
            await stand.judge(key)
        await asyncio.sleep(20)
        (stopped,) = bodies(record, "trouble")
        assert stopped["where"] == "directory of E1"
        assert str(stopped["what"]).startswith("300 keys of the judge stand unread")
        again = DirectoryChannel(stand.directory, side=Side.OTHER, hint=stand.directory)
        async with again:
            came = [(await anext(again)).press.key for _ in range(300)]
            await asyncio.sleep(5)
        assert came == keys[:300]
        stopped, over = bodies(record, "trouble")
        assert "has read all again, after some 2" in str(over["what"])


@pytest.mark.looptime
async def test_an_entry_that_reads_is_not_told_of(
    journal: InlineJournal, clock: HandClock, record: Record
) -> None:
    async with opened(journal, clock) as stand:
        for _ in range(40):
            await stand.judge("a")
            await asyncio.sleep(0.5)
        assert bodies(record, "trouble") == []


@pytest.mark.looptime
async def test_a_flood_keeps_the_record_s_queue_short(
    journal: InlineJournal, clock: HandClock, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the record takes nothing in, few keys wait for it, behind which others would wait."""
    async with opened(journal, clock) as stand:
        await stand.judge("H")
        held: list[tuple[Any, ...]] = []
        real = journal.write
        with monkeypatch.context() as patch:
            patch.setattr(journal, "write", lambda *args: held.append(args))
            stand.directory.entries.update(f"{number:010d}.a.other" for number in range(1, 10_001))
            await asyncio.sleep(30)
            of_keys = [args for args in held if isinstance(args[2], Key)]
            others = [args for args in held if not isinstance(args[2], Key)]
            assert len(of_keys) + len(others) <= UNDER_WAY + 1
            assert len(others) == 1, "it is told once that it is a flood"
        for args in held:
            real(*args)
        await asyncio.sleep(30)
        keys = [body for body in bodies(record, "key") if body["author"] == "entity"]
        assert [body["n"] for body in keys] == list(range(1, 10_001))
        assert [name for name in stand.directory.entries if name.endswith(".other")] == []


@pytest.mark.looptime
async def test_left_overs_of_a_flood_are_told_in_parts(stand: Stand, record: Record) -> None:
    stand.link.leave()
    await stand.channel.close()
    names = [f"{number:010d}.a.judge" for number in range(2500)]
    stand.directory.entries.update(names)
    await stand.link.prepare()
    told = [body["names"] for body in bodies(record, "left-overs")]
    assert [len(part) for part in told] == [1000, 1000, 500]  # type: ignore[arg-type]
    assert [name for part in told for name in part] == names  # type: ignore[attr-defined]
