"""Tests the answers of the audience's routes, and which clients are refused."""

from __future__ import annotations

import asyncio
import contextlib
import json
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from contest.audience.routes import audience_routes
from contest.errors import RecordTrouble
from contest.net.web import Access, application, serving
from contest.pages import HEADERS
from contest.record import bodies
from contest.results.page import Outcome
from contest.setup.settings import parse
from tests.contest.audience.feed_contest import FedContest
from tests.contest.build import Builder, brief, changed

SETTINGS = """\
[contest]
name = "<b>Tests</b>"
start = 09:30:00
[spectators]
delay_seconds = 120
"""


@dataclass
class Served:
    """A server of the audience's pages, and its client."""

    fed: FedContest
    address: str
    browser: httpx.AsyncClient
    record: list[Builder]


@asynccontextmanager
async def served(settings: str = SETTINGS) -> AsyncIterator[Served]:
    fed, record = FedContest(delay=0), [brief()]
    fed.open()
    routes = audience_routes(fed.feed, parse(settings), lambda: record[0].log())
    app = application(routes, Access())
    async with (
        serving(app, "127.0.0.1", 0) as address,
        httpx.AsyncClient(verify=False, base_url=f"http://{address}", timeout=30) as browser,
    ):
        yield Served(fed, address, browser, record)


def complete(fed: FedContest) -> None:
    """Reveals the whole result."""
    fed.outcome = Outcome({"en": "<p>all of it</p>"}, complete=True)
    fed.event(bodies.SidesRevealed([]))


async def test_every_address_answers_with_all_headers() -> None:
    async with served() as on:
        home = await on.browser.get("/")
        assert (home.status_code, home.headers["location"]) == (302, "/watch")
        page = await on.browser.get("/watch")
        assert page.status_code == 200
        assert "&lt;b&gt;Tests&lt;/b&gt;" in page.text
        assert "2 minutes later" in " ".join(page.text.split())
        assert "It begins at 09:30." in page.text
        assert page.headers["cache-control"] == "no-store"
        early = await on.browser.get("/archive/talks/round1-attempt1-J1-left.html")
        assert (early.status_code, early.headers["location"]) == (302, "/watch")
        complete(on.fed)
        page = await on.browser.get("/watch")
        assert "<p>all of it</p>" in page.text
        first = await on.browser.get("/archive/")
        assert "Official result" in first.text
        for each in (home, page, early, first):
            for name, value in HEADERS.items():
                assert each.headers[name] == value
        assert (await on.browser.post("/watch")).status_code == 405


async def test_the_page_is_in_the_requested_language() -> None:
    async with served() as on:

        async def answer_in(address: str, wanted: str) -> str:
            answer = await on.browser.get(address, headers={"Accept-Language": wanted})
            return " ".join(answer.text.split())

        for address, wanted in (
            ("/watch", "de-AT,de;q=0.9,en;q=0.8"),
            ("/watch?lang=de", "en"),
        ):
            page = await answer_in(address, wanted)
            assert '<html lang="de">' in page
            assert "Der Wettbewerb hat noch nicht begonnen" in page
            assert "2 Minuten später" in page
            assert "Beginn um 09:30 Uhr." in page
            # With the default settings, nobody has taken a seat.
            assert "0 Jurymitglieder, 0 Programme, 0 Vergleichspersonen." in page
            assert ("/watch?hall&amp;lang=de" in page) == ("lang" in address)
        assert '<html lang="en">' in await answer_in("/watch", "fr")
        assert "The contest has not begun yet" in await answer_in("/watch?lang=en", "de")


async def test_a_name_in_the_archive_is_never_a_path() -> None:
    async with served() as on:
        complete(on.fed)
        for name in (
            *("%2e%2e", "../contest.toml", "%2e%2e/record.db", "talks", "talks/", "/etc/passwd"),
            "talks/%00",
        ):
            answer = await on.browser.get(f"/archive/{name}")
            assert answer.status_code == 404, name


async def test_files_of_the_archive_have_their_types() -> None:
    async with served() as on:
        complete(on.fed)
        for name, kind in (
            ("style.css", "text/css"),
            ("player.js", "text/javascript"),
            ("downloads/events.jsonl", "application/x-ndjson"),
            ("downloads/keys.csv", "text/csv"),
        ):
            answer = await on.browser.get(f"/archive/{name}")
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith(kind)


async def test_withdrawn_talks_disappear_from_the_archive() -> None:
    async with served() as on:
        complete(on.fed)
        page = "/archive/talks/round1-attempt1-J1-left.html"
        assert "hammer" in (await on.browser.get(page)).text
        own = {**brief().events[0].body["settings"], "publication": {"default": "withhold"}}
        on.record[0] = changed(brief(), 1, settings=own)
        on.fed.event(bodies.ConsentGiven("C1", False, 1))
        assert "hammer" not in (await on.browser.get(page)).text


async def test_an_unreadable_record_is_reported_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with served() as on:

        async def broken(*_: object) -> None:
            raise RecordTrouble("/secret/record.db: event 7 can't be read")

        monkeypatch.setattr(on.fed.feed, "_catch_up", broken)
        for address in ("/watch", "/archive/"):
            answer = await on.browser.get(address)
            assert answer.status_code == 503
            assert "try again later" in answer.text
            assert "secret" not in answer.text
        async with connect(f"ws://{on.address}/watch/live") as socket:
            with pytest.raises(ConnectionClosed):
                await socket.recv()
            assert socket.close_code == 1013
    assert "event 7 can't be read" in caplog.text
    assert "Traceback" not in caplog.text


async def test_a_contest_without_spectators_sends_no_talks() -> None:
    async with served(SETTINGS.replace("delay", "show = false\ndelay")) as on:
        page = await on.browser.get("/watch")
        assert "Talks are not shown live." in page.text
        assert "<script type" not in page.text
        with pytest.raises(InvalidStatus):
            async with connect(f"ws://{on.address}/watch/live"):
                pytest.fail("a frame arrived")


@pytest.mark.parametrize(
    "said", ["hello", b'{"type":"follow","desks":[]}', '{"type":"follow","desks":[],"more":1}']
)
async def test_a_viewer_that_sends_anything_else_is_disconnected(said: str | bytes) -> None:
    async with served() as on:
        async with connect(f"ws://{on.address}/watch/live") as socket:
            assert '"whole"' in str(await socket.recv())
            await socket.send(said)
            with contextlib.suppress(ConnectionClosed):
                async for _ in socket:
                    pass
            assert socket.close_code == 1008
        while on.fed.feed.viewers:  # noqa: ASYNC110 -- nothing signals this change
            await asyncio.sleep(0.01)


async def test_viewers_choose_desks_by_address_and_frames_and_may_ask_for_compression() -> None:
    async with served() as on:
        on.fed.round({"J1": "left", "J2": "right"})
        for judge in ("J1", "J2"):
            on.fed.type(f"1.1.{judge}.left", "judge", f"{judge} " + "long " * 200)

        async def shown(socket: ClientConnection, talk: str) -> tuple[set[str], bool]:
            """Reads until a talk is shown; the talks that were shown by then, and whether the last
            frame was compressed."""
            talks = set[str]()
            async for data in socket:
                is_packed = isinstance(data, bytes)
                text = zlib.decompress(data, wbits=-15) if isinstance(data, bytes) else data
                frame = json.loads(text)
                # On a slow machine, a desk may be followed before its keys are released.
                if frame.get("type") in ("talks", "keys"):
                    talks.update(frame["talks"])
                if talk in talks:
                    return talks, is_packed
            raise AssertionError("the server hung up")

        live = f"ws://{on.address}/watch/live"
        async with connect(f"{live}?follow=J1") as plain, connect(f"{live}?deflate&follow=") as own:
            assert await shown(plain, "1.1.J1.left") == ({"1.1.J1.left"}, False)
            await own.send('{"type":"follow","desks":["J2"]}')
            assert await shown(own, "1.1.J2.left") == ({"1.1.J2.left"}, True)
            await plain.send('{"type":"follow","desks":null}')
            await shown(plain, "1.1.J2.left")


async def test_viewers_beyond_the_maximum_are_told_to_try_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("contest.audience.feed.MOST_VIEWERS", 1)
    async with served() as on, connect(f"ws://{on.address}/watch/live") as first:
        await first.recv()
        async with connect(f"ws://{on.address}/watch/live") as second:
            with pytest.raises(ConnectionClosed):
                await second.recv()
            assert second.close_code == 1013
