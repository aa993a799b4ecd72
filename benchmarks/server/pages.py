"""A judge's slowest key while a page of a large record is opened for the first time, compared with
the same without a page."""

from __future__ import annotations

import asyncio
import http.cookiejar
import json
import multiprocessing
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial

from websockets.sync.client import connect

from benchmarks.report import Row, Target
from benchmarks.server.crowd import Crowd, Plan
from benchmarks.server.load import load
from benchmarks.server.participants import LinkedEntry, Seat
from benchmarks.server.process import Server, folder, furnish
from benchmarks.server.restart import PATIENCE, grow
from benchmarks.server.streams import key
from benchmarks.server.waiting import until
from contest.audience.routes import LIVE
from contest.net.codes import ORGANIZER

NAME = "pages"
#: Target: the most milliseconds that a page may delay a key.
WAIT = Target(50, ratio=False)
#: Seconds between a key's confirmation and the next key; seconds between two checks for a
#: confirmation; and for how many seconds keys are typed while no page is requested: about as long
#: as a viewer's first talks take to load if a million keys are on record.
GAP, POLL, ALONE = 0.01, 0.001, 10.0
#: A frame with at most this many characters holds only new text. After this many such frames in a
#: row, all earlier text has arrived.
LIVE_CHARACTERS, LIVE_FRAMES = 100, 5
#: Seconds without a key after which the entries have received everything.
QUIET = 0.5
TALK = "1.1.J1.left"
#: The plot's line for a viewer of all desks, until the text typed so far has arrived.
LIVE_LINE = "a viewer's first talks"
#: The plot's lines, and the pages of each.
PAGES = {
    "the audience's page": ("/watch",),
    "a talk's log": (f"/board/log?talk={TALK}",),
    "a search in a log": (f"/board/log?talk={TALK}&text=nothing+has+these+words",),
    "any other page": (
        *("/archive/", "/board", "/board/log", "/board/result", "/board/schedule"),
        *("/board/codes", "/board/files", "/board/files/export/json"),
    ),
}


def run(*, sizes: tuple[int, ...] = (10_000, 100_000, 1_000_000), desks: int = 8) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        sizes: keys on record.
        desks: how many desks typed them, all in one round.
    """
    return [row for size in sizes for row in _rows(size, desks)]


def _rows(size: int, desks: int) -> list[Row]:
    before = load()
    with folder(memory=True) as place:
        contest = furnish(place, desks, more='[publication]\ndefault = "publish"\n')
        with Server(contest) as server:
            address, codes = server.listens(), server.codes()
            with Crowd(Plan(address, codes, desks, {}, 5.0, 1.0, 0.0)) as crowd:
                crowd.seated()
                server.order("start")
                crowd.run()
                server.kill()
        grow(contest, size)
        with Server(contest, int(address.rpartition(":")[2])) as server:
            server.listens()
            waits, took = asyncio.run(_measured(server, address, codes, desks))
            memory = server.memory()
    return [
        Row(
            *(NAME, f"{size:,} keys on record, the slowest key while {line} is requested"),
            *(max(delays) * 1000, "ms"),
            target=WAIT,
            note=f"{len(delays)} keys, made within {took[line]:.1f} s"
            + f"; the server's memory {memory:.0f} MB; load average {before} before"
            * (line == "no page"),
            line=line,
            size=size,
        )
        for line, delays in waits.items()
    ]


class _Typist:
    """A judge who keeps typing on the left side, and how long each key took to be confirmed."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self.delays: list[float] = []

    async def type(self) -> None:
        """Types until cancelled."""
        n = self._seat.taken["left"]
        while True:
            n += 1
            sent = time.monotonic()
            self._seat.press("left", n, key(n))
            while self._seat.taken["left"] < n:  # noqa: ASYNC110 - nothing signals this change
                await asyncio.sleep(POLL)
            self.delays.append(time.monotonic() - sent)
            await asyncio.sleep(GAP)


async def _measured(
    server: Server, address: str, codes: dict[str, str], desks: int
) -> tuple[dict[str, list[float]], dict[str, float]]:
    """The seconds that each key took, and the seconds that the pages took, both by line."""
    arrived = [0]

    def count(_place: str, _n: int, _key: str) -> None:
        arrived[0] += 1

    seats = [Seat(f"{role}{n}", _nobody) for role in "JC" for n in range(1, desks + 1)]
    links = [LinkedEntry(f"E{n}", count) for n in range(1, desks + 1)]
    everybody: list[Seat | LinkedEntry] = [*seats, *links]
    for who in everybody:
        await who.sit(address, codes[who.id])
    judge, typist = seats[0], _Typist(seats[0])
    await until(lambda: all(who.here for who in everybody), PATIENCE)
    await until(lambda: judge.state is not None and judge.state.phase != "waiting", PATIENCE)
    if not judge.on:
        await asyncio.to_thread(server.order, "resume")
        await until(lambda: judge.on, PATIENCE)
    # The record was extended without links, so the entries still have to receive half of its keys.
    before = -1
    while arrived[0] > before:
        before = arrived[0]
        await asyncio.sleep(QUIET)
    typing = asyncio.create_task(typist.type())
    opener = await asyncio.to_thread(_logged_in, address, codes[ORGANIZER])
    waits: dict[str, list[float]] = {}
    took: dict[str, float] = {}

    async def meanwhile(line: str, what: Callable[[], None]) -> None:
        typist.delays.clear()
        began = time.monotonic()
        await asyncio.to_thread(what)
        took[line] = time.monotonic() - began
        count = len(typist.delays)  # the next key was under way at the end
        await until(lambda: len(typist.delays) > count, PATIENCE)
        waits[line] = list(typist.delays)

    try:
        await meanwhile("no page", partial(time.sleep, ALONE))
        for line, pages in PAGES.items():
            await meanwhile(line, partial(_get, opener, address, pages))
        # The viewer has its own process, so that reading the frames doesn't delay the typist.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as viewer:
            await asyncio.wrap_future(viewer.submit(time.sleep, 0))  # it has started
            await meanwhile(LIVE_LINE, lambda: viewer.submit(_watch, address).result())
    finally:
        typing.cancel()
        for who in everybody:
            await who.leave()
    return waits, took


def _nobody(_place: str, _n: int, _key: str) -> None:
    """Ignores a key; nobody types there."""


def _logged_in(address: str, code: str) -> urllib.request.OpenerDirector:
    jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    opener = urllib.request.build_opener(jar)
    form = urllib.parse.urlencode({"code": code}).encode()
    opener.open(f"http://{address}/board/login", form, timeout=PATIENCE).read()
    return opener


def _get(opener: urllib.request.OpenerDirector, address: str, pages: tuple[str, ...]) -> None:
    for page in pages:
        opener.open(f"http://{address}{page}", timeout=PATIENCE).read()


def _watch(address: str) -> None:
    """Follows all desks until the text typed before has arrived."""
    begun, quiet = False, 0
    with connect(f"ws://{address}{LIVE}", max_size=None) as socket, suppress(TimeoutError):
        while not begun or quiet < LIVE_FRAMES:
            talks = json.loads(socket.recv(timeout=ALONE)).get("talks", {}).values()
            received = sum(len(characters) for typed in talks for _, characters in typed)
            begun = begun or received > 0
            quiet = quiet + 1 if received <= LIVE_CHARACTERS else 0
