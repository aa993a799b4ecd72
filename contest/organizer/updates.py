"""Live updates of the board's pages in all open browsers, without a reload.

While anybody views a page, its parts are rendered at most five times a second, once for all
viewers. Each viewer gets the parts that have changed since its last update. Only the newest state
counts; nothing is queued for a slow viewer. Rendering never takes more than a small share of the
server's time, because keys go first.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from contest.net.sockets import close
from contest.tasks import running

#: The least number of seconds between two renderings.
EVERY = 0.2
#: The pause after a rendering is at least this many times as long as the rendering took.
SHARE = 20
#: Seconds after which a viewer gets a sign of life, with the clock.
SIGN = 5.0
#: The most simultaneous viewers of a page.
MOST = 100


@dataclass(frozen=True, slots=True)
class Picture:
    """The contents of a page at a moment.

    Attributes:
        parts: an element's id to its HTML.
        left: seconds of contest time until the phase ends, or None.
        speed: seconds of contest time per second; 0 while the clock is stopped.
    """

    parts: Mapping[str, str]
    left: float | None = None
    speed: float = 0.0


class Live:
    """A page that is rendered while anybody has it open.

    Arguments:
        look: renders the page.
        now: a monotonic clock, in seconds of real time.

    Attributes:
        taken: when the page was last rendered.
        viewers: the number of viewers.
    """

    def __init__(
        self, look: Callable[[], Awaitable[Picture]], now: Callable[[], float] = time.monotonic
    ) -> None:
        self.now = now
        self.taken = -math.inf
        self.viewers = 0
        self._look = look
        self._picture = Picture({})
        self._next = -math.inf
        self._one_look = asyncio.Lock()

    async def later(self, than: float) -> Picture:
        """The latest rendering if it was made after this moment, otherwise the next one."""
        async with self._one_look:
            if self.taken <= than:
                await asyncio.sleep(max(0.0, self._next - self.now()))
                began = self.now()
                try:
                    self._picture = await self._look()
                    self.taken = self.now()
                finally:
                    self._next = self.now() + max(EVERY, SHARE * (self.now() - began))
        return self._picture

    async def changes(self) -> AsyncIterator[dict[str, Any]]:
        """Yields for one viewer, after each rendering, the `parts` that have changed since the last
        one, and the `clock`; empty if nothing has changed and no sign of life is due."""
        sent: Mapping[str, str] = {}
        seen = told = -math.inf
        while True:
            picture, seen = await self.later(seen), self.taken
            parts = {name: html for name, html in picture.parts.items() if sent.get(name) != html}
            sent = picture.parts
            if parts or seen - told >= SIGN:
                told = seen
                yield {"parts": parts, "clock": {"left": picture.left, "speed": picture.speed}}
            else:
                yield {}


async def show(
    socket: web.WebSocketResponse, live: Live, goes_on: Callable[[], bool], ended: int
) -> None:
    """Sends a page's changes to a viewer until the viewer disconnects.

    Arguments:
        socket: the viewer's open socket; nothing is expected from it.
        live: the page.
        goes_on: says whether the viewer may still see the page.
        ended: the close code if not.
    """

    async def tell() -> None:
        with contextlib.suppress(ConnectionError):  # disconnected during a send
            async for said in live.changes():
                if not goes_on():
                    break
                if said:
                    await socket.send_str(json.dumps(said))
            await close(socket, ended)

    live.viewers += 1
    try:
        async with (
            running(tell(), "updates of the board") as telling,
            running(socket.receive(), "the viewer goes") as gone,
        ):
            await asyncio.wait({telling, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        live.viewers -= 1
