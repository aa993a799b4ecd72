"""Tests the server's side of a link: connecting, disconnecting, delay, and hostile links."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from contest.errors import Refusal
from contest.links import link, linkwire
from contest.links.link import Link
from contest.links.linkwire import UNDER_WAY
from contest.live.hub import Hub
from contest.record.store import Record
from contest.state.model import Attempt
from contest.state.phases import Phase
from lpp.keypress import Rule
from tests.contest.conftest import ManualClock
from tests.contest.journals import InlineJournal, bodies


class Outlet:
    """A link's connection, as the test sees it."""

    def __init__(self) -> None:
        self.frames: list[linkwire.ToLink] = []
        self.closed = ""

    def send(self, frame: linkwire.ToLink) -> None:
        self.frames.append(frame)

    def close(self, why: str) -> None:
        self.closed = why


class LinkRig:
    """The server's side of a link, not connected yet."""

    def __init__(self, journal: InlineJournal, clock: ManualClock) -> None:
        self.changes = 0
        self.hub = Hub(journal, lambda: Phase.INTERACTION)
        self.hub.state.contest_id = "c1"
        self.link = Link("E1", self.hub, "Contest", self._changed)

    def _changed(self) -> None:
        self.changes += 1

    def connect(self, life: str = "one", **saved_state: int) -> Outlet:
        outlet = Outlet()
        hello = linkwire.Hello("code", life, 1, contest="c1", **saved_state)  # type: ignore[arg-type]
        self.link.connect(hello, outlet)
        return outlet


@asynccontextmanager
async def opened(journal: InlineJournal, clock: ManualClock) -> AsyncIterator[LinkRig]:
    rig = LinkRig(journal, clock)
    async with rig.link:
        yield rig


def troubles(record: Record) -> list[str]:
    return [f"{body['where']}: {body['what']}" for body in bodies(record, "trouble")]


@pytest.mark.looptime
async def test_connecting_and_disconnecting_is_recorded(
    journal: InlineJournal, clock: ManualClock, record: Record
) -> None:
    async with opened(journal, clock) as rig:
        assert not rig.link.status().here
        outlet = rig.connect()
        assert rig.link.status().here
        assert outlet.frames == [linkwire.Welcome("E1", "Contest", "c1", 0)]
        rig.link.disconnect(outlet, "the connection ended")
        assert not rig.link.status().here
        await asyncio.sleep(7)
        rig.link.disconnect(outlet, "once more")  # not recorded twice
        rig.connect("two")
        assert troubles(record) == [
            "link of E1: connection lost: the connection ended; keys wait",
            "link of E1: reconnected after about 7 seconds",
        ]
        assert rig.changes == 3


@pytest.mark.looptime
async def test_disconnected_link_prepares_when_it_returns(
    journal: InlineJournal, clock: ManualClock, record: Record
) -> None:
    async with opened(journal, clock) as rig:
        await asyncio.wait_for(rig.link.prepare(), 1)
        talk = rig.hub.open_talk(1, 1, "J1", "E1", "left")
        rig.link.join(talk)
        rig.hub.press(talk, "judge", "J1", "H", 1)
        await asyncio.sleep(0.1)
        assert rig.link.status().waiting == 1
        outlet = rig.connect()
        assert not rig.link.status().here
        assert outlet.frames[1:] == [linkwire.Prepare(1)]
        rig.link.receive(linkwire.Prepared(1, 1))
        assert rig.link.status().here
        assert linkwire.Press(1, 1, "H") in outlet.frames
        rig.link.receive(linkwire.Made(1, 1))
        assert rig.link.status().waiting == 0
        assert [row[2] is not None for row in rig.hub.progress[talk.id].times.values()] == [True]


@pytest.mark.looptime
async def test_link_tells_a_new_server_which_keys_it_has_made(
    journal: InlineJournal, clock: ManualClock, record: Record
) -> None:
    """The killed server had not recorded when these keys were shown."""
    async with opened(journal, clock) as rig:
        talk = rig.hub.open_talk(1, 1, "J1", "E1", "left")
        for n, key in enumerate("Hi!", 1):
            rig.hub.press(talk, "judge", "J1", key, n)
        await asyncio.sleep(0.1)
        seqs = sorted(talk.untimed)
        rig.hub = Hub(journal, lambda: Phase.INTERACTION, rig.hub.state)
        rig.hub.state.attempts["1.1"] = Attempt(1, 1, 0)
        rig.link = Link("E1", rig.hub, "Contest")
        rig.link.join(talk)
        clock.time = 7.0
        rig.connect(talk=1, made=2)
        rig.hub.flush_times(talk)
        await asyncio.sleep(0.1)
        (times,) = bodies(record, "times")
        assert times["keys"] == [[seqs[0], None, 7 * 10**9], [seqs[1], None, 7 * 10**9]]


@pytest.mark.looptime
async def test_round_begins_without_a_link_that_does_not_empty_its_directory(
    journal: InlineJournal, clock: ManualClock
) -> None:
    async with opened(journal, clock) as rig:
        outlet = rig.connect()
        loop = asyncio.get_running_loop()
        began = loop.time()
        preparing = asyncio.create_task(rig.link.prepare())
        for _ in range(20):  # it answers, but doesn't empty
            await asyncio.sleep(1)
            for frame in outlet.frames:
                if isinstance(frame, linkwire.Ping):
                    rig.link.receive(linkwire.Pong(frame.n))
        await preparing
        assert loop.time() - began == pytest.approx(20, abs=0.5)
        assert not rig.link.status().here
        rig.link.receive(linkwire.Prepared(1, 1))
        assert rig.link.status().here


@pytest.mark.looptime
async def test_second_link_is_refused_and_reconnecting_is_not(
    journal: InlineJournal, clock: ManualClock
) -> None:
    async with opened(journal, clock) as rig:
        first = rig.connect("one")
        with pytest.raises(Refusal) as refused:
            rig.connect("two")
        assert refused.value.code == "link-taken"
        again = rig.connect("one")
        assert first.closed
        rig.link.disconnect(first, "late")
        assert rig.link.status().here
        assert not again.closed


@pytest.mark.looptime
async def test_delay_is_measured_and_silence_is_noticed(
    journal: InlineJournal, clock: ManualClock, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Links begin to ping at random times; this one as late as possible.
    monkeypatch.setattr("random.random", lambda: 1.0)
    async with opened(journal, clock) as rig:
        assert rig.link.status().delay is None
        outlet = rig.connect()
        await asyncio.sleep(link.PING_EVERY)
        await asyncio.sleep(0.25)
        [ping] = [frame for frame in outlet.frames if isinstance(frame, linkwire.Ping)]
        rig.link.receive(linkwire.Pong(ping.n))
        rig.link.receive(linkwire.Pong(ping.n))  # counts once
        assert rig.link.status().delay == pytest.approx(0.25)
        await asyncio.sleep(link.PING_LIMIT + 3)
        assert outlet.closed == "no answer"
        assert not rig.link.status().here
        assert troubles(record) == [
            "link of E1: connection lost: no answer for 8 seconds; keys wait"
        ]


@pytest.mark.looptime
async def test_number_of_recorded_reports_is_limited(
    journal: InlineJournal, clock: ManualClock, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "REPORTS_PER_TALK", 50)
    async with opened(journal, clock) as rig:
        outlet = rig.connect()
        for n in range(1, 101):
            rig.link.receive(linkwire.Breach(n, Rule.NAME, f"{n}", "<script>"))
        await asyncio.sleep(0.1)
        assert len(bodies(record, "breach")) == 49
        assert troubles(record) == ["link of E1: too many reports; the rest is not recorded"]
        told = [frame for frame in outlet.frames if not isinstance(frame, linkwire.Ping)]
        assert told[-1] == linkwire.Taken(100)


@pytest.mark.looptime
async def test_late_keys_do_not_count_for_the_next_talk(
    journal: InlineJournal, clock: ManualClock, record: Record
) -> None:
    async with opened(journal, clock) as rig:
        await rig.link.prepare()
        rig.connect(talk=1)
        await rig.link.prepare()
        talk = rig.hub.open_talk(2, 1, "J1", "E1", "left")
        rig.link.join(talk)
        rig.link.receive(linkwire.Key(1, 1, "0000000001.a.other"))
        await asyncio.sleep(0.1)
        assert bodies(record, "key") == []
        [breach] = bodies(record, "breach")
        assert breach["detail"] == "arrived after its talk was over"


@pytest.mark.looptime
@pytest.mark.parametrize("raw", ["0000000001.a.judge", "notes.txt", "../../etc/passwd", ""])
async def test_names_that_are_not_an_entrys_key_press_are_refused(
    journal: InlineJournal, clock: ManualClock, record: Record, raw: str
) -> None:
    async with opened(journal, clock) as rig:
        rig.connect()
        with pytest.raises(Refusal) as refused:
            rig.link.receive(linkwire.Key(1, 0, raw))
        assert refused.value.code == "bad-key"
        assert bodies(record, "key") == bodies(record, "breach") == []


@pytest.mark.looptime
@pytest.mark.parametrize("ends", [False, True])
async def test_flood_from_one_link_does_not_delay_others(
    journal: InlineJournal,
    clock: ManualClock,
    record: Record,
    monkeypatch: pytest.MonkeyPatch,
    ends: bool,
) -> None:
    """A flood is recorded in small portions, with room for others' keys in between. At the end of
    the talk, the rest is recorded as keys of that talk."""
    async with opened(journal, clock) as rig:
        outlet = rig.connect()
        talk = rig.hub.open_talk(1, 1, "J1", "E1", "left")
        rig.link.join(talk)
        rig.hub.press(talk, "judge", "J1", "H", 1)
        held: list[tuple[Any, ...]] = []
        real = journal.write
        with monkeypatch.context() as patch:
            patch.setattr(journal, "write", lambda *args: held.append(args))
            for n in range(1, 5 * UNDER_WAY + 1):
                rig.link.receive(linkwire.Key(n, 0, f"{n:010d}.a.other"))
            most = len(held)
            if ends:
                rig.link.leave()
            while held:
                real(*held.pop(0))
                await asyncio.sleep(0)  # it becomes durable, and more is recorded
                if not ends:
                    most = max(most, len(held))
        assert most == UNDER_WAY
        keys = [body for body in bodies(record, "key") if body["author"] == "entity"]
        assert [body["n"] for body in keys] == list(range(1, 5 * UNDER_WAY + 1))
        assert bodies(record, "breach") == []
        assert outlet.frames[-1] == linkwire.Taken(5 * UNDER_WAY)
