"""A contest's real server in a separate thread, for tests of windows: Qt has the main thread.

    with contest_server(tmp_path) as server:
        ...join at server.address with server.codes["J1"], and type...
        server.until(lambda: server.keys("left") == ["H", "i"])

A round is running: judge J1 talks with C1 on the left and with E1 on the right, without a time
limit. It can also be about to begin, until `enter(Phase.INTERACTION)`.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from contest.live.hub import Hub
from contest.live.seats import Seats
from contest.net import codes, web
from contest.net.tls import Identity
from contest.record.store import Record, sqlite_url
from contest.state.model import Talk
from contest.state.phases import Phase, Status
from lpp import wire
from lpp.clock import LoopClock
from tests.contest.journals import InlineJournal, bodies
from tests.contest.seat_app import settings_of, site

T = TypeVar("T")

#: The time limit for each step on a busy machine, in seconds.
PATIENCE = 30.0


class ContestServer:
    """The server's interface for tests.

    Attributes:
        address: HOST:PORT.
        codes: seat to its code.
        contest: the contest's name.
    """

    contest = "A contest of tests"

    def __init__(
        self,
        folder: Path,
        port: int,
        paste: wire.Paste,
        phase: Phase,
        identity: Identity | None = None,
    ) -> None:
        self._folder = folder
        self._port = port
        self._paste = paste
        self._phase = phase
        self._identity = identity
        self.address = ""
        self.codes = codes.issue(["J1", "C1"])
        self._ready = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="contest server")

    # For the test

    def keys(self, side: str, author: str = "judge") -> list[str]:
        """The recorded key names of an author in one of the judge's talks."""
        rows = self._call(lambda: bodies(self._record, "key"))
        return [str(row["key"]) for row in rows if (row["side"], row["author"]) == (side, author)]

    def seated(self, seat: str) -> bool:
        """Whether a console has taken the seat."""
        return self._call(lambda: self._seats.seats[seat].outlet is not None)

    def clients(self) -> list[str]:
        """The client name of each console that connected."""
        rows = self._call(lambda: bodies(self._record, "seat-joined"))
        return [str(row["client"]) for row in rows]

    def consents(self) -> list[tuple[str, bool]]:
        """The answers about publication: seat, and whether it agreed."""
        rows = self._call(lambda: bodies(self._record, "consent"))
        return [(str(row["seat"]), bool(row["publish"])) for row in rows]

    def enter(self, phase: Phase) -> None:
        """Moves the contest to another phase."""

        def enter_it() -> None:
            self._phase = phase
            self._seats.broadcast()

        self._call(enter_it)

    def type(self, side: str, *names: str) -> None:
        """Types to the judge as the other side."""

        async def press() -> None:
            talk = self._talks[side]
            for name in names:
                self._hub.press(talk, "entity", talk.entity, name, talk.accepted["entity"] + 1)

        asyncio.run_coroutine_threadsafe(press(), self._loop).result(PATIENCE)

    def until(self, condition: Callable[[], object]) -> None:
        """Waits for a condition; fails after a time limit."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, "the condition did not become true in time"
            time.sleep(0.01)

    # In its thread

    def _call(self, what: Callable[[], T]) -> T:
        async def call() -> T:
            return what()

        return asyncio.run_coroutine_threadsafe(call(), self._loop).result(PATIENCE)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as exc:  # noqa: BLE001 -- it is raised again in the test's thread
            self._error = exc
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._leave = asyncio.Event()
        clock = LoopClock()
        database = sqlite_url(self._folder / "record.db")
        with Record(database, create=True) as self._record:
            async with InlineJournal(self._record, clock) as journal:
                self._hub = Hub(journal, lambda: self._phase)
                own = settings_of(["J1", "C1"], name=self.contest, paste=self._paste)
                self._seats = Seats(own, self._hub, lambda: Status(self._phase, 1, 1, None))
                left = self._hub.open_talk(1, 1, "J1", "C1", "left")
                right = self._hub.open_talk(1, 1, "J1", "E1", "right")
                self._talks: dict[str, Talk] = {"left": left, "right": right}
                self._seats.assign("J1", "left", left)
                self._seats.assign("J1", "right", right)
                self._seats.assign("C1", "only", left)
                app = site(self._seats, self.codes)
                serving = web.serving(app, "127.0.0.1", self._port, self._identity)
                async with serving as self.address:
                    self._ready.set()
                    await self._leave.wait()

    def start(self) -> None:
        """Starts the server."""
        self._thread.start()
        self._ready.wait(PATIENCE)
        if self._error is not None:
            raise self._error
        assert self.address, "the server does not start"

    def stop(self) -> None:
        """Stops the server cleanly."""
        if not self._error:
            self._loop.call_soon_threadsafe(self._leave.set)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        if self._error is not None:
            raise self._error


@contextmanager
def contest_server(
    folder: Path,
    port: int = 0,
    paste: wire.Paste = "type",
    phase: Phase = Phase.INTERACTION,
    identity: Identity | None = None,
) -> Iterator[ContestServer]:
    """Serves a contest while the context is open.

    Arguments:
        folder: where its record goes.
        port: 0 takes a free one.
        paste: what a pasted text becomes.
        phase: in which it begins.
        identity: with it, it speaks TLS.
    """
    server = ContestServer(folder, port, paste, phase, identity)
    server.start()
    try:
        yield server
    finally:
        server.stop()
