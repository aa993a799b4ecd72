"""Tests how the stage finds out who created and who removed a directory, from listings and from
events, in memory and with real directories."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from lpp.conformance.log import DIRECTORY, FILE, LINK, NON_EMPTY, Event, Kind, Log
from lpp.conformance.stage import HOLD, HOLD_FIRST, SETTLE, Created, Stage, WatchedDirectory
from lpp.errors import BadDirectory
from lpp.numbers import MemoryNumbers
from tests.mutants.memory import MemoryPlace

virtual = pytest.mark.looptime


class SilentDirectory(MemoryPlace):
    """A directory without events, listed every millisecond."""

    poll = 0.001

    def watch(self, created: Created, changed: Callable[[], None]) -> Callable[[], None]:
        self.tell = created
        return lambda: None


@asynccontextmanager
async def staged(place: WatchedDirectory) -> AsyncIterator[Stage]:
    """An open stage in its first life."""
    stage = Stage(place, None, MemoryNumbers(), Log())
    async with stage.open():
        await stage.start()
        yield stage


def seen(stage: Stage) -> list[tuple[Kind, str]]:
    return [(event.kind, event.name) for event in stage.log.events]


@virtual
async def test_simultaneous_events_are_logged_in_order() -> None:
    place = MemoryPlace(asyncio.get_running_loop().time)
    place.plant("old", FILE)
    async with staged(place) as stage:
        await asyncio.sleep(0.01)
        for name in ("3.c.other", "1.a.other", "2.b.other"):
            place.make(name)
        place.remove("1.a.other")  # created and removed between two listings
        place.remove("3.c.other")
        place.make("3.c.other")  # a name that is created again counts again
        stage.press("a")
        place.remove("0000000001.a.judge")
        await asyncio.sleep(0.01)
        kinds = seen(stage)
        made = [name for kind, name in kinds if kind is Kind.MADE]
        gone = [name for kind, name in kinds if kind is Kind.GONE]
        assert kinds[0] == (Kind.EXISTED, "old")
        assert made == ["3.c.other", "1.a.other", "2.b.other", "3.c.other"]
        assert sorted(gone) == ["0000000001.a.judge", "1.a.other", "3.c.other"]
        place.remove("2.b.other")
        stage.take("2.b.other")  # the entry had removed it already
        await asyncio.sleep(0.01)
        assert seen(stage)[-1] == (Kind.GONE, "2.b.other")
        place.make("0000000002.b.judge")
        with pytest.raises(Exception, match="can't create the judge's key presses"):
            stage.press("b")
    assert set(place.entries) >= {"old"}


@virtual
async def test_a_listed_name_without_an_event_is_logged_once_after_a_moment() -> None:
    loop = asyncio.get_running_loop()
    place = SilentDirectory(loop.time)
    async with staged(place) as stage:
        place.make("1.a.other")
        await asyncio.sleep(SETTLE / 2)
        assert seen(stage) == []
        await asyncio.sleep(SETTLE)
        place.tell("1.a.other", loop.time())
        await asyncio.sleep(0.05)
        assert seen(stage) == [(Kind.MADE, "1.a.other")]
        place.ordered = False  # without correct events, listings are used
        place.make("2.a.other")
        place.tell("2.a.other", loop.time())
        await asyncio.sleep(0.002)
        assert seen(stage)[1:] == [(Kind.MADE, "2.a.other")]


def test_a_flood_ends_the_log() -> None:
    log = Log()
    log.events = [Event(1, 0.0, 1, "", Kind.MADE, "1.a.other")] * 50_000
    full = []
    for kind in (Kind.STOPPED, Kind.MADE):
        log.add(0.0, kind, "2.a.other")
        full.append(log.full)
    assert full == [False, True]
    assert len(log.events) == 50_001


def test_the_kinds_of_entries_in_a_real_directory(tmp_path: Path) -> None:
    place = WatchedDirectory(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    for name, what in (("d", DIRECTORY), ("f", FILE), ("x", NON_EMPTY)):
        place.plant(name, what)
    kinds = {"d": DIRECTORY, "f": FILE, "x": NON_EMPTY, "link": LINK}
    assert {name: place.what(name) for name in place.names()} == kinds
    for name in kinds:
        place.remove(name)
        assert place.what(name) is None
    with pytest.raises(BadDirectory):
        WatchedDirectory(tmp_path / "none")


async def test_a_stage_sees_order_and_short_lived_names_in_a_real_directory(tmp_path: Path) -> None:
    falling = [f"{number:03}.x.other" for number in range(60, 0, -1)]
    async with staged(WatchedDirectory(tmp_path)) as stage:
        for name in falling:
            os.mkdir(tmp_path / name)
        os.mkdir(tmp_path / "999.y.other")
        os.rmdir(tmp_path / "999.y.other")
        stage.press("a")
        os.rmdir(tmp_path / "0000000001.a.judge")
        assert await stage.wait(lambda: len(stage.log.of(Kind.TAKEN)) >= 59, 10.0)
    made = [event.name for event in stage.log.of(Kind.MADE)]
    if stage.place.ordered:
        assert made == [*falling, "999.y.other"]
    assert {e.name for e in stage.log.of(Kind.GONE)} == {"999.y.other", "0000000001.a.judge"}
    assert len(stage.log.of(Kind.TAKEN)) == 60  # the first key last, because it is left for longer


@virtual
async def test_keys_are_left_for_a_moment_and_the_first_of_a_life_for_longer() -> None:
    place = MemoryPlace(asyncio.get_running_loop().time)
    async with staged(place) as stage:
        await asyncio.sleep(1.0)
        for name in ("1.a.other", "2.b.other", "strange"):
            place.make(name)
        await asyncio.sleep(5.0)
        stage.plant("notes")
        stage.press("a")
    taken = {event.name: event.at for event in stage.log.of(Kind.TAKEN)}
    assert taken["1.a.other"] == pytest.approx(1.0 + HOLD_FIRST, abs=0.02)
    assert taken["2.b.other"] == pytest.approx(1.0 + HOLD, abs=0.02)
    assert set(place.entries) == {"strange"}
