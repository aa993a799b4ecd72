"""A raters' server in a separate thread, for tests of windows: Qt has the main thread.

with raters_server("ige", tmp_path) as server:
    ...rate at server.link, and look at server.typed(1)...
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from contest.net.web import serving
from disciplines.raters import Pages, Questionnaire
from tests.disciplines.questionnaires import QUESTIONNAIRES

T = TypeVar("T")

#: Seconds that anything may take on a busy machine.
PATIENCE = 30.0


class RatersServer:
    """What the test sees of it.

    Attributes:
        address: HOST:PORT.
        link: rater R1's link.
    """

    def __init__(self, discipline: str, folder: Path, port: int) -> None:
        self._discipline, self._folder, self._port = discipline, folder, port
        self._loop = asyncio.new_event_loop()
        self._ready, self._stop = threading.Event(), asyncio.Event()
        self._asked: Questionnaire | None = None
        self.address = self.link = ""

    def run(self) -> None:
        """Serves until stopped."""

        async def serve() -> None:
            with QUESTIONNAIRES[self._discipline](self._folder) as self._asked:
                pages = Pages(self._asked)
                access = pages.invitations.access
                async with serving(pages.app(), "127.0.0.1", self._port, access=access) as address:
                    self.address = address
                    self.link = f"http://{address}{pages.invitations.links['R1']}"
                    self._ready.set()
                    await self._stop.wait()

        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(serve())

    def asked(self, about: Callable[[Questionnaire], T]) -> T:
        """What the server's thread says about its questionnaire."""

        async def answer() -> T:
            assert self._asked is not None
            return about(self._asked)

        return asyncio.run_coroutine_threadsafe(answer(), self._loop).result(PATIENCE)

    def typed(self, number: int) -> dict[str, str]:
        """What R1 has typed for an item, without empty texts."""
        held = self.asked(lambda asked: asked.typed("R1", asked.raters["R1"][number - 1]))
        return {name: text for name, text in held.items() if text}

    def until_typed(self, number: int, wanted: dict[str, str]) -> None:
        """Waits until R1 has typed this, and fails if it never is."""
        deadline = time.monotonic() + PATIENCE
        while (typed := self.typed(number)) != wanted:
            assert time.monotonic() < deadline, f"typed is {typed}"
            time.sleep(0.01)


@contextmanager
def raters_server(discipline: str, folder: Path, port: int = 0) -> Iterator[RatersServer]:
    """Serves a discipline's questionnaire while the context is open."""
    server = RatersServer(discipline, folder, port)
    thread = threading.Thread(target=server.run, name="raters' server")
    thread.start()
    try:
        assert server._ready.wait(PATIENCE)
        yield server
    finally:
        server._loop.call_soon_threadsafe(server._stop.set)
        thread.join(PATIENCE)
