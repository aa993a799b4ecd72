"""Who made and who removed what: found by listings and tellings, in memory and for real."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from lpp.conformance.log import DIRECTORY, FILE, FULL, LINK, Event, Kind, Log
from lpp.conformance.stage import HOLD, HOLD_FIRST, SETTLE, Place, Stage, Watch
from lpp.errors import BadDirectory
from lpp.numbers import ForgetfulNumbers
from tests.mutants.memory import MemoryPlace


class Deaf(MemoryPlace):
    """A place that tells of nothing."""

    def watch(self, created: object, changed: object) -> object:  # type: ignore[override]
        return lambda: None


class Bench:
    def __init__(self, place: type[MemoryPlace] = MemoryPlace) -> None:
        self.now = 0.0
        self.log = Log()
        self.place = place(lambda: self.now)
        self.watch = Watch(self.place, self.log, lambda at: at)
        self.place.watch(self.watch.created, lambda: None)
        self.watch.begin()

    def look(self, after: float = 0.0) -> list[tuple[Kind, str]]:
        self.now += after
        before = len(self.log.events)
        self.watch.look(self.now)
        return [(event.kind, event.name) for event in self.log.events[before:]]


def test_what_comes_at_once_is_written_in_the_order_in_which_it_came() -> None:
    bench = Bench()
    for name in ("3.c.other", "1.a.other", "2.b.other"):
        bench.place.make(name)
    assert [name for _, name in bench.look()] == ["3.c.other", "1.a.other", "2.b.other"]
    assert bench.look(1.0) == []


def test_what_came_and_went_between_two_looks_is_seen() -> None:
    bench = Bench()
    bench.place.make("1.a.other")
    bench.place.remove("1.a.other")
    assert bench.look() == [(Kind.MADE, "1.a.other"), (Kind.GONE, "1.a.other")]


def test_a_name_that_is_made_anew_counts_again() -> None:
    bench = Bench()
    bench.place.make("1.a.other")
    bench.look()
    bench.place.remove("1.a.other")
    bench.place.make("1.a.other")
    assert bench.look() == [(Kind.GONE, "1.a.other"), (Kind.MADE, "1.a.other")]


def test_what_is_listed_and_never_told_is_taken_after_a_moment_once() -> None:
    bench = Bench(Deaf)
    bench.place.make("1.a.other")
    assert bench.look() == []
    assert bench.look(SETTLE) == [(Kind.MADE, "1.a.other")]
    bench.watch.created("1.a.other", bench.now)
    assert bench.look(1.0) == []


def test_where_nothing_true_is_told_listings_do() -> None:
    bench = Bench(Deaf)
    bench.place.ordered = False
    bench.place.make("1.a.other")
    bench.watch.created("1.a.other", 0.0)
    assert bench.look() == [(Kind.MADE, "1.a.other")]
    bench.watch.created("1.a.other", 0.0)
    assert bench.look() == []


def test_our_own_making_and_removing_is_ours() -> None:
    bench = Bench()
    bench.watch.make(["1.a.judge"], DIRECTORY, Kind.PRESSED, 0.0)
    bench.place.make("1.a.other")
    bench.look()
    bench.watch.take("1.a.other", 0.0)
    bench.place.remove("1.a.judge")
    bench.look()
    kinds = [(event.kind, event.name) for event in bench.log.events]
    assert kinds == [
        (Kind.PRESSED, "1.a.judge"),
        (Kind.MADE, "1.a.other"),
        (Kind.TAKEN, "1.a.other"),
        (Kind.GONE, "1.a.judge"),
    ]
    bench.place.make("1.a.judge")
    with pytest.raises(FileExistsError):
        bench.watch.make(["1.a.judge"], DIRECTORY, Kind.PRESSED, 0.0)


def test_what_the_entry_removed_before_us_was_removed_by_the_entry() -> None:
    bench = Bench()
    bench.place.make("1.a.other")
    bench.look()
    bench.place.remove("1.a.other")
    bench.watch.take("1.a.other", 0.0)
    assert bench.look() == [(Kind.GONE, "1.a.other")]


def test_what_stood_there_is_taken_down() -> None:
    place = MemoryPlace(lambda: 0.0)
    place.make("old", FILE)
    log = Log()
    watch = Watch(place, log, lambda at: at)
    watch.begin()
    watch.look(0.0)
    assert [(e.kind, e.name, e.what) for e in log.events] == [(Kind.STOOD, "old", FILE)]


def test_a_flood_ends_the_log() -> None:
    log = Log()
    filler = Event(1, 0.0, 1, "", Kind.MADE, "1.a.other")
    log.events = [filler] * 50_000
    full = []
    for kind in (Kind.STOPPED, Kind.MADE):
        log.add(0.0, kind, "2.a.other")
        full.append(log.full)
    assert full == [False, True]
    assert len(log.events) == 50_001


def test_kinds_of_entries_of_a_real_directory(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    for name, what in (("d", DIRECTORY), ("f", FILE), ("x", FULL)):
        place.make(name, what)
    kinds = {"d": DIRECTORY, "f": FILE, "x": FULL, "link": LINK}
    assert {name: place.what(name) for name in place.names()} == kinds
    assert place.what("gone") == DIRECTORY
    assert {name: place.remove(name) for name in kinds} == kinds
    assert place.remove("d") is None
    with pytest.raises(BadDirectory):
        Place(tmp_path / "none")


async def test_a_stage_sees_order_and_short_lives_in_a_real_directory(tmp_path: Path) -> None:
    stage = Stage(Place(tmp_path), None, ForgetfulNumbers(), Log())
    falling = [f"{number:03}.x.other" for number in range(60, 0, -1)]
    async with stage.open():
        await stage.start()
        for name in falling:
            os.mkdir(tmp_path / name)
        os.mkdir(tmp_path / "999.y.other")
        os.rmdir(tmp_path / "999.y.other")
        stage.press("a")
        os.rmdir(tmp_path / "0000000001.a.judge")
        await stage.wait(lambda: not os.listdir(tmp_path), 10.0)
    made = [event.name for event in stage.log.of(Kind.MADE)]
    if stage.place.ordered:
        assert made == [*falling, "999.y.other"]
    assert {e.name for e in stage.log.of(Kind.GONE)} == {"999.y.other", "0000000001.a.judge"}
    assert len(stage.log.of(Kind.TAKEN)) == 60


@pytest.mark.looptime
async def test_keys_stand_for_a_moment_the_first_of_a_life_for_longer() -> None:
    loop = asyncio.get_running_loop()
    place = MemoryPlace(loop.time)
    stage = Stage(place, None, ForgetfulNumbers(), Log())
    async with stage.open():
        await stage.start()
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
