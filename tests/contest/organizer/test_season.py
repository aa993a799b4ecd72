"""The season's pages of the board: what they say, and to whom; `tests/end_to_end` looks at them in
a browser."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from contest.errors import InUse
from contest.organizer.season import ServerSeason
from contest.record.season import ItemTested
from contest.screening import register, selection
from contest.screening.compliance import record_test
from contest.screening.season import EARLIER, Season, read
from contest.screening.state import Writer
from contest.serving.server import Server
from tests.contest.organizer.house import organizer, staged, visitor
from tests.contest.screening.seasons import PASSED, SPEAKS, WRITTEN, add

SCRIPT = "<script>alert(1)</script>"
ALL = {**PASSED, "runs": ItemTested("pass")}


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Server]:
    async with staged(tmp_path / "contest") as made:
        yield made


async def written(stage: Server, *steps: Callable[[Writer], object]) -> None:
    """Goes steps of the season by the running server."""
    season = ServerSeason(stage.folder, stage.journal, asyncio.get_running_loop())
    for step in steps:
        await asyncio.to_thread(step, season)


def fill(season: Writer) -> None:
    """A season of five: one complies, one asks for a path, one came too late, one is withdrawn, one
    is still to be tested."""
    for name, posted in (
        ("Ann Lee", "2010-05-10 14:05"),
        ("Bo " + "very " * 9 + "long", "2010-05-11"),
        (SCRIPT, "2010-06-08"),
        ("Dee", "2010-05-12"),
        ("Anne Lee", "2010-05-13"),
    ):
        values = {**WRITTEN, "entrant": name, "posted": posted, "received": "2010-06-10"}
        add(season, {**values, "program": f"{name[:3]}bot", "note": SCRIPT})
    day = dt.date(2010, 6, 11)
    record_test(season, "E1", ALL, "Ada", tested=day, conformance=SPEAKS)
    path = {"path": ItemTested("fail", f"asks for one {SCRIPT}")}
    record_test(season, "E2", path, "Ada", tested=day)
    register.withdraw(season, "E4", "Bo", "he is ill")
    register.change(season, "E5", {"media": "DVD"}, "Bo", "it is a DVD")


async def test_before_anything_has_come_in(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client:
        text = (await client.get("/board/season")).text
    assert "The register is empty." in text
    assert not read(stage.folder).opened, "looking writes nothing"


async def test_what_the_pages_say(stage: Server) -> None:
    await written(stage, fill)
    async with visitor(stage, organizer(stage)) as client:
        text = (await client.get("/board/season")).text
        for words in (
            "This may change: E5 is still to be tested.",
            "screened: 1; does not comply: 2; to be tested: 1; withdrawn: 1",
            "asks for one &lt;script&gt;",
            "posted on 2010-06-08, after 2010-06-07",
            'href="/board/season/E5"',
            "14:05",
        ):
            assert words in text
        assert SCRIPT not in text
        one = (await client.get("/board/season/E5")).text
        assert SCRIPT not in one
        for words in (
            "version 2",
            "Bo: it is a DVD",
            "nearly the same name",
            "not",
            "open</strong>",
        ):
            assert words in one
        failed = (await client.get("/board/season/E2")).text
        assert "“No entry will be tested by contest management which requires" in failed
        assert "does not comply" in failed
        gone = (await client.get("/board/season/E4")).text
        assert "Bo: he is ill" in gone


async def test_pages_are_the_organizers_alone_and_unknown_entries_are_none(stage: Server) -> None:
    await written(stage, fill)
    async with visitor(stage) as client:
        for page in ("/board/season", "/board/season/E1"):
            answer = await client.get(page)
            assert (answer.status_code, answer.headers["location"]) == (303, "/board/login")
    async with visitor(stage, organizer(stage)) as client:
        for id_ in ("E9", "%3Cscript%3E", "..%2f..%2fetc", "x" * 500):
            answer = await client.get(f"/board/season/{id_}")
            assert answer.status_code in (303, 404)
        text = (await client.get("/board/season")).text
        assert "there is no entry" in text
        assert (await client.get("/board/season")).headers["cache-control"] == "no-store"


async def test_a_season_that_can_not_be_read_is_said_in_words(stage: Server) -> None:
    (stage.folder / EARLIER).write_bytes(b"no database at all" * 100)
    async with visitor(stage, organizer(stage)) as client:
        answer = await client.get("/board/season")
        assert answer.status_code == 200
        assert "can&#39;t be read" in answer.text
        assert (await client.get("/board")).status_code == 200


async def test_a_running_server_alone_writes_its_record(stage: Server) -> None:
    day = dt.date(2010, 6, 12)
    await written(
        stage,
        fill,
        lambda season: record_test(season, "E5", ALL, "Ada", tested=day, conformance=SPEAKS),
        lambda season: selection.begin(season, "Ada"),
    )
    async with visitor(stage, organizer(stage)) as client:
        text = (await client.get("/board/season")).text
    assert "Screening has begun with 2 entries: the list stands" in text
    with pytest.raises(InUse, match="board"), Season(stage.folder) as season:
        register.withdraw(season, "E5", "Bo", "as he wishes")
