"""A whole contest's server in a separate thread, in the middle of a round, as a target for attacks.

Its log and the new events in its record are checked after each attack.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import logging
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from contest.net import addresses
from contest.net import limits as net_limits
from contest.net.limits import Limits, Rate
from contest.net.web import Access, application
from contest.record.events import Event
from contest.serving import set_up as setting_up
from contest.serving.set_up import set_up
from contest.setup import folder, settings
from contest.setup.planning import schedule_of
from loebner.common import send
from lpp.clock import LoopClock
from tests.contest.serving.test_server import template

#: The longest time in seconds that anything may take on a busy machine.
PATIENCE = 30.0
#: Kinds of events that the server writes by itself.
OWN = frozenset({"times", "server-stalled"})


class _Heard(logging.Handler):
    """Keeps logged errors, including tracebacks of tasks that nobody waits for."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


class Besieged:
    """A server under attack.

    Attributes:
        host, port: its address.
        codes: seat and entry to code; `organizer` to the organizer's.
        routes: all its routes.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self._ready = threading.Event()
        self._error: BaseException | None = None
        self._heard = _Heard()
        self._seen = 0
        self._thread = threading.Thread(target=self._run, name="besieged server")
        self.host, self.port = "", 0
        self.codes: dict[str, str] = {}
        self.routes: list[web.RouteDef] = []

    def url(self, path: str) -> str:
        return f"ws://{self.host}:{self.port}{path}"

    def news(self) -> list[Event]:
        """The events recorded since the last call, except those that the server writes by itself.

        Raises:
            AssertionError: if an error or traceback was logged.
        """
        events = asyncio.run_coroutine_threadsafe(self._news(), self._loop).result(PATIENCE)
        heard, self._heard.lines = self._heard.lines, []
        assert not heard, heard[0]
        return events

    def calm(self) -> None:
        """Waits until the server has noticed that all clients have left; fails if its state has
        changed."""
        deadline = time.monotonic() + PATIENCE
        while True:
            status = self.order(action="status")["status"]
            assert status["phase"] == "interaction"
            if not any(each["here"] for each in (*status["seats"], *status["entries"])):
                break
            assert time.monotonic() < deadline, "somebody is still there"
            time.sleep(0.02)
        self.news()

    def order(self, **order: Any) -> dict[str, Any]:
        """Gives an order, which also shows that the server still works."""
        return send(addresses.find_control(self._place), order)

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """An HTTP request and its answer: status, headers, and the beginning of the body. Status 0
        if the connection was closed without an answer, as for invalid HTTP."""
        line = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        try:
            line.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {
                "Host": f"{self.host}:{self.port}",
                "Content-Length": str(len(body)),
                **(headers or {}),
            }.items():
                line.putheader(name, value.encode("latin-1", "replace"))
            line.endheaders(body)
            with line.getresponse() as response:
                found = {name.lower(): value for name, value in response.getheaders()}
                return response.status, found, response.read(1 << 20)
        except (ConnectionError, http.client.HTTPException):
            return 0, {}, b""
        finally:
            line.close()

    # In its thread

    async def _news(self) -> list[Event]:
        # Let the server notice clients that have just left, and write their events.
        for _ in range(3):
            await asyncio.sleep(0)
        await self._stage.journal.flush()
        events = list(self._stage.record.events(after=self._seen))
        self._seen = max([self._seen, *(event.seq for event in events)])
        return [event for event in events if event.kind not in OWN]

    def _run(self) -> None:
        logging.getLogger().addHandler(self._heard)
        try:
            asyncio.run(self._serve())
        except BaseException as exc:  # noqa: BLE001 -- it is raised again by whoever waits
            self._error = exc
        finally:
            logging.getLogger().removeHandler(self._heard)
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        # Start the thread that reads files before any test looks for new threads.
        self._loop.set_default_executor(ThreadPoolExecutor(1, "besieged server"))
        await asyncio.to_thread(int)
        self._leave = asyncio.Event()
        folder.make(self._place, template().replace("minutes = 2 ", "minutes = 600 "))
        own = settings.load(self._place)
        async with set_up(
            self._place, own, schedule_of(own, self._place), LoopClock()
        ) as self._stage:
            host, _, port = self._stage.address.rpartition(":")
            self.host, self.port = host, int(port)
            organizer = addresses.find_control(self._place).code
            self.codes = {
                **self._stage.codes,
                **self._stage.link_codes,
                "organizer": organizer,
            }
            playing = asyncio.create_task(self._stage.play())
            self._ready.set()
            await self._leave.wait()
            playing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await playing

    def start(self) -> None:
        """Starts the server and the first round."""
        self._thread.start()
        self._ready.wait(PATIENCE)
        if self._error is not None:
            raise self._error
        assert self.order(action="start", anyway=True)["done"]
        self.calm()

    def stop(self) -> None:
        """Ends the server in good order if it still runs."""
        if self._error is None:
            self._loop.call_soon_threadsafe(self._leave.set)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        if self._error is not None:
            raise self._error
        assert self._heard.lines == []


@contextmanager
def besieged(place: Path) -> Iterator[Besieged]:
    """Serves while the context is open. To make attacks fast, wrong codes are answered at once and
    rate limits are high."""
    server = Besieged(place)

    def seen(routes: list[web.RouteDef], access: Access) -> web.Application:
        server.routes = routes
        return application(routes, access)

    def fast_limits() -> Limits:
        fast = Rate(1e6, 1_000_000)
        return Limits(keys=fast, frames=fast, link=fast)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(net_limits, "SPACING", 0.0)
        patch.setattr(net_limits, "MAX_WAITING", 1_000_000)
        patch.setattr(setting_up, "Limits", fast_limits)
        patch.setattr(setting_up, "application", seen)
        server.start()
        try:
            yield server
        finally:
            server.stop()
