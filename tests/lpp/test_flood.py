"""A flood from a hostile entry: bounded memory, nothing lost, and others of the same loop hardly
notice. On virtual time and by turns of the loop, never by the wall's clock."""

from __future__ import annotations

import asyncio
import errno
import os
import tracemalloc
from pathlib import Path

import pytest

from lpp import channel as module
from lpp import lookout, session
from lpp.blocking import Talk
from lpp.channel import DirectoryChannel
from lpp.keypress import Side
from lpp.numbers import ForgetfulNumbers
from lpp.session import Received, Session
from lpp.testing import MemoryDirectory
from lpp.violations import Violation
from tests.lpp.faulty import FaultyDirectory

virtual = pytest.mark.looptime


def judge(place: MemoryDirectory | FaultyDirectory | Path, **options: object) -> DirectoryChannel:
    return DirectoryChannel(
        place,
        side=Side.JUDGE,
        numbers=ForgetfulNumbers(),
        **options,  # type: ignore[arg-type]
    )


def flood(memory: MemoryDirectory, count: int) -> list[str]:
    names = [f"{number:010d}.a.other" for number in range(count)]
    memory.entries.update(names)
    return names


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


# What the session gathers


def look(reader: Session, names: list[str]) -> tuple[list[str], int]:
    looked = reader.look()
    looked.first(names)
    found = looked.found
    if looked.wants_second:
        looked.second(names)
    return [received.press.raw for received in looked.take()], max(found, looked.found)


@pytest.mark.parametrize("order", ["rising", "falling", "by hash"])
@pytest.mark.parametrize("doubled", [False, True])
@pytest.mark.parametrize("step", [1, 5, 300], ids=["gapless", "gaps", "far apart"])
def test_a_look_gathers_the_lowest(
    order: str, step: int, doubled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "GATHERED", 300)
    monkeypatch.setattr(session, "_GROUP_BITS", 8)
    names = [f"{number * step:010d}.a.other" for number in range(2000)]
    listed = {
        "rising": names,
        "falling": names[::-1],
        "by hash": sorted(names, key=lambda name: hash((name, 1))),
    }[order]
    if doubled:  # as some listings in memory are
        listed = [name for name in listed for _ in range(2)]
    reader = Session(Side.JUDGE)
    taken: list[str] = []
    while len(taken) < len(names):
        new, found = look(reader, listed)
        assert 0 < found <= 2 * session.GATHERED
        taken += new
    assert taken == names


def test_a_flood_of_one_number_is_gathered_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "GATHERED", 500)
    names = [f"0000000001.{number:05d}.other" for number in range(3300)]
    reader = Session(Side.JUDGE)
    taken: list[str] = []
    while len(taken) < len(names):
        new, found = look(reader, names[::-1])
        assert 0 < found <= 1000
        taken += new
    assert taken == names


def test_numbers_beyond_ten_digits_are_gathered_in_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session, "GATHERED", 10)
    names = [f"{1365432123_0000000 + 123 * number}.a.other" for number in range(100)]
    reader = Session(Side.JUDGE)
    taken: list[str] = []
    while len(taken) < len(names):
        taken += look(reader, names[::-1])[0]
    assert taken == names


# What the channel takes in


@virtual
@pytest.mark.parametrize("keep", [False, True])
async def test_what_nobody_reads_stays_in_the_directory(keep: bool) -> None:
    memory = MemoryDirectory()
    flood(memory, 3 * module.UNREAD)
    told: list[Violation | OSError] = []
    async with judge(memory, keep=keep, report=told.append) as here:
        await asyncio.sleep(60)
        assert len(here._inbox) == module.UNREAD
        assert len(memory.entries) == 3 * module.UNREAD - (0 if keep else module.UNREAD)
        assert [each.errno for each in told if isinstance(each, OSError)] == [errno.ENOBUFS]
        came: list[Received] = []
        while len(came) < 3 * module.UNREAD:
            received = await anext(here)
            assert len(here._inbox) <= module.UNREAD
            assert len(here._held) <= module.UNREAD
            came.append(received)
            here.release(received)
        await here.settled()
    assert [received.press.number for received in came] == list(range(3 * module.UNREAD))
    assert memory.entries == set()
    assert len(told) == 1  # once, for as long as the flood lasts


@virtual
async def test_each_flood_is_told_of() -> None:
    memory = MemoryDirectory()
    told: list[Violation | OSError] = []
    async with judge(memory, report=told.append) as here:
        for wave in range(1, 3):
            flood(memory, module.UNREAD + 10)
            await asyncio.sleep(1)
            for _ in range(module.UNREAD + 10):
                await anext(here)
            await asyncio.sleep(10)
            assert len(told) == wave


@virtual
async def test_what_is_read_and_not_released_holds_back_the_rest() -> None:
    memory = MemoryDirectory()
    flood(memory, module.UNREAD + 1)
    async with judge(memory, keep=True, report=lambda _: None) as here:
        came = [await anext(here) for _ in range(module.UNREAD)]
        await asyncio.sleep(60)
        assert here.receive_now() == []
        here.release(came[0])
        assert (await anext(here)).press.number == module.UNREAD


@virtual
async def test_a_flood_whose_removal_is_refused_is_bounded_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "UNREMOVED", 100)
    faulty = FaultyDirectory(memory := MemoryDirectory())
    faulty.remove_error = PermissionError(errno.EACCES, "in use by another process")
    flood(memory, 350)
    came = []
    async with judge(faulty, hint=memory, report=lambda _: None) as here:
        await asyncio.sleep(60)
        came += here.receive_now()
        assert len(came) == len(here.session.awaiting_removal) == 100
        faulty.remove_error = None
        await asyncio.sleep(60)
        came += here.receive_now()
    assert [received.press.number for received in came] == list(range(350))
    assert memory.entries == set()


@virtual
async def test_emptying_ends_a_flood() -> None:
    memory = MemoryDirectory()
    names = flood(memory, module.UNREAD + 500)
    async with judge(memory, keep=True, report=lambda _: None) as here:
        await asyncio.sleep(1)
        assert await here.empty() == names
        await here.settled()
        assert memory.entries == set()
        memory.make("0000009999.z.other")
        assert (await anext(here)).press.key == "z"


@virtual
async def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scaled down tenfold; unbounded, ten thousand key presses take some 5 MB."""
    monkeypatch.setattr(session, "GATHERED", 1000)
    monkeypatch.setattr(module, "UNREAD", 500)
    memory = MemoryDirectory()
    async with judge(memory, keep=True, report=lambda _: None) as here:
        peaks = []
        for count in (3_000, 15_000):
            flood(memory, count)
            tracemalloc.start()
            try:
                here.look()
                for _ in range(count):
                    here.release(await anext(here))
                await here.settled()
                peaks.append(tracemalloc.get_traced_memory()[1])
            finally:
                tracemalloc.stop()
            here.session.last_received = -1
    # MemoryDirectory's own listing is a pointer a name.
    assert peaks[1] - 8 * 15_000 * 2 < 2_000_000
    assert peaks[1] < 3 * peaks[0] + 8 * 15_000 * 2


@virtual
async def test_others_hardly_notice() -> None:
    """While 30,000 keys of one are worked off, each key of another comes within a few turns of
    the loop, and no turn takes more than a few hundred names."""
    hostile, honest = MemoryDirectory("hostile"), MemoryDirectory("honest")
    async with judge(hostile, report=lambda _: None) as flooded, judge(honest) as other:
        flood(hostile, 30_000)
        flooded.look()
        came = 0

        async def read() -> None:
            nonlocal came
            async for _ in flooded:
                came += 1
                if came == 30_000:
                    return

        reading = asyncio.create_task(read())
        number = 0
        while not reading.done():
            before = came
            honest.make(f"{number:010d}.b.other")
            await turns(6)
            assert [item.press.number for item in other.receive_now()] == [number]
            assert came - before <= 6 * lookout.TURN
            number += 1
        assert number > 20
    assert came == 30_000


def test_a_blocking_program_that_does_not_read(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "UNREAD", 50)
    for number in range(200):
        os.mkdir(room / f"{number:010d}.a.judge")
    with Talk(room, numbers=ForgetfulNumbers(), report=lambda _: None) as talk:
        came = [talk.key(timeout=20)]
        talk.settled(timeout=20)
        assert len(os.listdir(room)) >= 200 - 50 - 1
        came += [talk.key(timeout=20) for _ in range(199)]
        assert [received.press.number for received in came] == list(range(200))
