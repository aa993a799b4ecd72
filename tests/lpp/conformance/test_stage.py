"""Who made and who removed what: found by listings and tellings, in memory and for real."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from lpp.conformance.log import FILE, Kind, Log
from lpp.conformance.stage import Place, Stage
from lpp.numbers import ForgetfulNumbers
from tests.mutants.memory import MemoryPlace

virtual = pytest.mark.looptime


@asynccontextmanager
async def staged(place: Place) -> AsyncIterator[Stage]:
    """An open stage in its first life."""
    stage = Stage(place, None, ForgetfulNumbers(), Log())
    async with stage.open():
        await stage.start()
        yield stage


def seen(stage: Stage) -> list[tuple[Kind, str]]:
    return [(event.kind, event.name) for event in stage.log.events]


@virtual
async def test_what_happens_at_once_is_written_in_its_order() -> None:
    place = MemoryPlace(asyncio.get_running_loop().time)
    place.make("old", FILE)
    async with staged(place) as stage:
        await asyncio.sleep(0.01)
        for name in ("3.c.other", "1.a.other", "2.b.other"):
            place.make(name)
        place.remove("1.a.other")  # it came and went between two looks
        place.remove("3.c.other")
        place.make("3.c.other")  # a name that is made again counts again
        stage.press("a")
        place.remove("0000000001.a.judge")
        await asyncio.sleep(0.01)
        kinds = seen(stage)
        made = [name for kind, name in kinds if kind is Kind.MADE]
        gone = [name for kind, name in kinds if kind is Kind.GONE]
        assert kinds[0] == (Kind.STOOD, "old")
        assert made == ["3.c.other", "1.a.other", "2.b.other", "3.c.other"]
        assert sorted(gone) == ["0000000001.a.judge", "1.a.other", "3.c.other"]
        place.remove("2.b.other")
        stage.take("2.b.other")  # it was gone already: the entry removed it
        await asyncio.sleep(0.01)
        assert seen(stage)[-1] == (Kind.GONE, "2.b.other")
        place.make("0000000002.b.judge")
        with pytest.raises(Exception, match="can't be made"):
            stage.press("b")
    assert set(place.entries) >= {"old"}


async def test_a_stage_sees_order_and_short_lives_in_a_real_directory(tmp_path: Path) -> None:
    falling = [f"{number:03}.x.other" for number in range(60, 0, -1)]
    async with staged(Place(tmp_path)) as stage:
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
    assert len(stage.log.of(Kind.TAKEN)) == 60  # the first at the end, as it stands for longer
