"""Tests the channel, on virtual time with directories in memory; with real ones where their
behaviour matters.

Tests with killed or stopped processes are in tests/faults.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from lpp import channel as module
from lpp.channel import DirectoryChannel
from lpp.errors import BadDirectory, EnvironmentProblem
from lpp.keypress import Rule, Side, Violation
from lpp.names import keys_of
from lpp.numbers import MemoryNumbers
from lpp.scanner import BATCH
from lpp.session import Received
from lpp.testing import MemoryDirectory
from tests.lpp.faulty import FaultyDirectory

Until = Callable[..., Awaitable[None]]
virtual = pytest.mark.looptime

#: Longest wait for an expected event, in seconds, even on a busy machine.
DEADLINE = 20.0


def judge(place: Path | MemoryDirectory | FaultyDirectory, **options: object) -> DirectoryChannel:
    """The judge's side, with sequence numbers kept only in memory."""
    return DirectoryChannel(
        place,
        side=Side.JUDGE,
        numbers=MemoryNumbers(),
        **options,  # type: ignore[arg-type]
    )


async def keys(channel: DirectoryChannel, count: int) -> list[Received]:
    async with asyncio.timeout(DEADLINE):
        return [await anext(channel) for _ in range(count)]


def raws(received: list[Received]) -> list[str]:
    return [item.press.raw for item in received]


# Two sides over one real directory


async def test_two_sides_talk(room: Path) -> None:
    text = "Hello, Jim.\nHow are you? `'\"\\/|\b\tÄé漢"
    async with judge(room) as here, DirectoryChannel(room, side=Side.OTHER) as there:
        for key in keys_of(text):
            await here.send(key)
        for key in keys_of(text[::-1]):
            await there.send(key)
        heard_there, heard_here = await keys(there, len(text)), await keys(here, len(text))
        assert [item.press.key for item in heard_there] == keys_of(text)
        assert [item.press.key for item in heard_here] == keys_of(text[::-1])
        assert not any(item.violations for item in heard_there + heard_here)
        # A program that uses 0 for "nothing read yet" would drop a key with the number 0.
        assert heard_there[0].press.number == heard_here[0].press.number == 1
        await here.settled()
        await there.settled()
        assert os.listdir(room) == []


async def test_leftovers_are_received_at_the_start(room: Path) -> None:
    for name in ("0000000007.a.other", "0000000003.b.other", "0000000041.x.judge"):
        (room / name).mkdir()
    async with judge(room) as here:
        # Both existed when the channel was opened, so both are received at once.
        assert raws(here.receive_now()) == ["0000000003.b.other", "0000000007.a.other"]
        assert (await here.send("y")).number == 42
        await here.settled()
    assert sorted(os.listdir(room)) == ["0000000041.x.judge", "0000000042.y.judge"]


# Entries that programs have put into real directories


def _dir(path: Path) -> None:
    path.mkdir()


def _full(path: Path) -> None:
    (path / "sub" / "deeper").mkdir(parents=True)
    (path / "sub" / "file").touch()


def _link_to_kept(path: Path) -> None:
    path.symlink_to(path.parent / "kept")


def _link_to_nowhere(path: Path) -> None:
    path.symlink_to(path.parent / "nowhere")


ODD_ENTRIES: list[tuple[str, str, Callable[[Path], None], set[Rule]]] = [
    ("a plain file", "0000000000.a.other", Path.touch, {Rule.DIRECTORY}),
    ("with something in it", "0000000000.a.other", _full, {Rule.DIRECTORY}),
    ("a link to a directory", "0000000000.a.other", _link_to_kept, {Rule.DIRECTORY}),
    ("a link to nowhere", "0000000000.a.other", _link_to_nowhere, {Rule.DIRECTORY}),
    ("wrong case", "0000000000.a.Other", _dir, {Rule.EXTENSION}),
    ("no padding", "7.a.other", _dir, {Rule.WIDTH}),
    ("an unknown key", "0000000000.Eszett.other", _dir, {Rule.NAME}),
    ("no key", "0000000000..other", _dir, {Rule.NAME}),
    ("a blank", "0000000000. .other", _dir, {Rule.NAME}),
    ("255 bytes", f"0000000000.{'x' * 238}.other", _dir, {Rule.NAME}),
    ("no text", os.fsdecode(b"0000000000.\xff\xfe.other"), _dir, {Rule.NAME}),
    ("beyond ASCII", "0000000000.漢.other", _dir, set()),
]


@pytest.mark.parametrize(
    ("raw", "make", "rules"), [row[1:] for row in ODD_ENTRIES], ids=[row[0] for row in ODD_ENTRIES]
)
async def test_entries_that_are_not_empty_directories_are_read_removed_and_reported(
    room: Path, raw: str, make: Callable[[Path], None], rules: set[Rule]
) -> None:
    (room / "kept").mkdir()
    (room / "kept" / "file").write_text("kept")
    told: list[Violation | OSError] = []
    async with judge(room, report=told.append, sweep=0.02) as here:
        told.clear()  # "kept" is not a key press, so it is reported
        make(room / raw)
        (received,) = await keys(here, 1)
        await here.settled()
        assert here.receive_now() == []
    assert received.press.raw == raw
    broken = [*received.violations, *(each for each in told if isinstance(each, Violation))]
    assert {violation.rule for violation in broken} == rules
    assert os.listdir(room) == ["kept"]
    assert (room / "kept" / "file").read_text() == "kept"


async def test_no_key_is_lost_when_numbers_break_the_rules(room: Path, until: Until) -> None:
    waves: list[list[tuple[str, set[Rule]]]] = [
        [("0000000005.a.other", set()), ("0000000005.b.other", {Rule.UNIQUE})],
        [("0000000003.late.other", {Rule.NUMERIC, Rule.NAME})],
        [("9.c.other", {Rule.WIDTH}), ("10.d.other", {Rule.WIDTH, Rule.LEXICAL})],
        [("0000000010.d.other", {Rule.UNIQUE})],
        [("0000000005.a.other", {Rule.NUMERIC})],
    ]
    async with judge(room) as here:
        for wave in waves:
            for raw, _ in wave:
                (room / raw).mkdir()
            await until(lambda: not os.listdir(room))
            received = here.receive_now()
            assert [
                (item.press.raw, {violation.rule for violation in item.violations})
                for item in received
            ] == wave


# Keeping keys that are not durable yet


@virtual
async def test_with_keep_a_key_stays_until_it_is_released() -> None:
    memory = MemoryDirectory()
    async with judge(memory, keep=True) as here:
        for number in range(3):
            memory.make(f"{number:010d}.a.other")
        first, second, third = await keys(here, 3)
        await here.settled()
        here.scan()
        assert here.receive_now() == []
        assert len(memory.entries) == 3
        here.release(second)
        await here.settled()
        assert memory.entries == {first.press.raw, third.press.raw}
        memory.make(second.press.raw)
        here.release(second)  # released twice: the name is now a new key press
        (again,) = await keys(here, 1)
        await here.settled()
        assert memory.entries == {first.press.raw, again.press.raw, third.press.raw}
        here.release(first)
    assert memory.entries == {again.press.raw, third.press.raw}
    here.release(third)  # became durable only after the channel had closed
    assert memory.entries == {again.press.raw}
    async with judge(memory) as reopened:
        assert raws(reopened.receive_now()) == [again.press.raw]


# Removal refused


@virtual
async def test_a_key_whose_removal_is_refused_is_delivered_once() -> None:
    memory = MemoryDirectory()
    faulty = FaultyDirectory(memory)
    faulty.remove_error = PermissionError(errno.EACCES, "in use by a virus scanner")
    told: list[Violation | OSError] = []
    async with judge(faulty, hint=memory, report=told.append) as here:
        for number in range(3):
            memory.make(f"{number:010d}.a.other")
        assert len(await keys(here, 3)) == 3
        await asyncio.sleep(10)
        assert here.receive_now() == []
        assert told == [faulty.remove_error]
        assert len(memory.entries) == 3
        faulty.remove_error = None
        async with asyncio.timeout(10):
            await here.settled()
        assert memory.entries == set()
        memory.make("0000000000.a.other")
        assert len(await keys(here, 1)) == 1


# Emptying


@virtual
@pytest.mark.parametrize("keep", [False, True])
async def test_empty_returns_the_names_of_all_removed_keys(keep: bool) -> None:
    memory = MemoryDirectory()
    async with judge(memory, keep=keep) as here:
        await here.send("x")
        memory.make("0000000000.\udcff.other")
        memory.make("0000000001.taken.other")
        taken = await keys(here, 2)
        await here.settled()
        memory.make("0000000002.unread.other")
        here.scan()
        memory.make("0000000003.unseen.other")
        memory.make(".DS_Store")
        existing = ["0000000001.x.judge", "0000000002.unread.other", "0000000003.unseen.other"]
        if keep:
            existing += ["0000000000.\\xff.other", "0000000001.taken.other"]
        assert await here.empty() == sorted(existing)
        assert memory.entries == {".DS_Store"}
        await asyncio.sleep(1)
        assert here.receive_now() == []
        assert await here.empty() == []
        memory.make("0000000001.taken.other")
        for received in taken:
            here.release(received)  # does nothing: it would remove the new one
        await here.settled()
        assert len(await keys(here, 1)) == 1
        await here.settled()
        assert memory.entries == (
            {".DS_Store", "0000000001.taken.other"} if keep else {".DS_Store"}
        )


# Writing


@virtual
@pytest.mark.parametrize(
    ("error", "family", "remedy"),
    [
        (errno.ENOSPC, EnvironmentProblem, "free some disk space"),
        (errno.EDQUOT, EnvironmentProblem, "quota"),
        (errno.ENOENT, EnvironmentProblem, "create it again"),
        (errno.EIO, EnvironmentProblem, "fix the disk"),
        (errno.EACCES, BadDirectory, "write permission"),
        (errno.EPERM, BadDirectory, "write permission"),
        (errno.EROFS, BadDirectory, "write permission"),
    ],
)
async def test_send_raises_if_the_directory_cannot_be_created(
    error: int, family: type[Exception], remedy: str
) -> None:
    memory = MemoryDirectory()
    faulty = FaultyDirectory(memory)
    async with judge(faulty) as here:
        faulty.make_error = OSError(error, os.strerror(error))
        with pytest.raises(family, match=remedy) as caught:
            await here.send("a")
        assert os.strerror(error) in str(caught.value)
        assert "\n" not in str(caught.value)
        faulty.make_error = None
        assert (
            await here.send("a")
        ).number == 2  # a number is used once, even if creating the directory failed


# Life


@pytest.mark.parametrize("how", ["removed", "moved"])
async def test_a_channel_survives_a_missing_directory(room: Path, until: Until, how: str) -> None:
    told: list[Violation | OSError] = []
    async with judge(room, report=told.append, sweep=0.02) as here:
        (room / "0000000000.a.other").mkdir()
        await keys(here, 1)
        await here.settled()
        if how == "removed":
            room.rmdir()
        else:
            room.rename(room.with_name(f"{room.name}-away"))
        await until(lambda: told)
        with pytest.raises(EnvironmentProblem, match="create it again"):
            await here.send("x")
        room.mkdir()
        (room / "0000000001.b.other").mkdir()
        assert raws(await keys(here, 1)) == ["0000000001.b.other"]
        await here.send("y")
        assert len(told) == 1
    if how == "moved":
        room.with_name(f"{room.name}-away").rmdir()


# A flood from a hostile entry


def flood(memory: MemoryDirectory, count: int) -> list[str]:
    names = [f"{number:010d}.a.other" for number in range(count)]
    memory.entries.update(names)
    return names


@virtual
@pytest.mark.parametrize("keep", [False, True])
async def test_unread_keys_stay_in_the_directory(
    keep: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "UNREAD_LIMIT", 100)
    memory = MemoryDirectory()
    told: list[Violation | OSError] = []
    async with judge(memory, keep=keep, report=told.append) as here:
        for wave in (1, 2):
            flood(memory, 300)
            here.session.last_received = -1
            await asyncio.sleep(60)
            assert len(memory.entries) == 300 - (0 if keep else 100)
            # Only once while the flood lasts.
            assert [each.errno for each in told if isinstance(each, OSError)] == wave * [
                errno.ENOBUFS
            ]
            for number in range(300):
                received = await anext(here)
                assert received.press.number == number
                here.release(received)
            await here.settled()
            assert memory.entries == set()
            await asyncio.sleep(60)


@virtual
async def test_a_flood_delays_other_channels_only_briefly() -> None:
    """While one channel receives 10,000 keys, each key of another arrives within a few turns of the
    loop, and no turn takes more than a few hundred names."""
    hostile, honest = MemoryDirectory("hostile"), MemoryDirectory("honest")
    async with judge(hostile, report=lambda _: None) as flooded, judge(honest) as other:
        flood(hostile, 10_000)
        flooded.scan()
        came = 0

        async def read() -> None:
            nonlocal came
            while came < 10_000:
                await anext(flooded)
                came += 1

        reading = asyncio.create_task(read())
        number = 0
        while not reading.done():
            before = came
            honest.make(f"{number:010d}.b.other")
            for _ in range(6):
                await asyncio.sleep(0)
            assert [item.press.number for item in other.receive_now()] == [number]
            assert came - before <= 6 * BATCH
            number += 1
        assert number > 5
