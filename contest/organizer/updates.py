"""Live updates of the board's pages in all open browsers, without a reload.

While a page has viewers, its parts are rendered at most five times a second, once for all
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

#: The minimum time between two renderings, in seconds.
MIN_INTERVAL = 0.2
#: The pause after a rendering is at least this many times as long as the rendering took.
PAUSE_FACTOR = 20
#: Seconds after which a viewer gets the clock even if nothing has changed.
HEARTBEAT = 5.0
#: The maximum number of simultaneous viewers of a page.
MOST_VIEWERS = 100


@dataclass(frozen=True, slots=True)
class Rendering:
    """The contents of a page at a moment.

    Attributes:
        parts: an element's id to its HTML.
        left: seconds of contest time until the phase ends, or None.
        speed: seconds of contest time per second; 0 while the clock is stopped.
    """

    parts: Mapping[str, str]
    left: float | None = None
    speed: float = 0.0


class LivePage:
    """A page that is rendered while it has viewers.

    Arguments:
        render: renders the page.
        now: a monotonic clock, in seconds of real time.

    Attributes:
        rendered_at: when the page was last rendered.
        viewers: the number of viewers.
    """

    def __init__(
        self, render: Callable[[], Awaitable[Rendering]], now: Callable[[], float] = time.monotonic
    ) -> None:
        self.now = now
        self.rendered_at = -math.inf
        self.viewers = 0
        self._render = render
        self._rendering = Rendering({})
        self._next = -math.inf
        self._one_at_a_time = asyncio.Lock()

    async def later(self, than: float) -> Rendering:
        """The latest rendering if it was made after this moment, otherwise the next one."""
        async with self._one_at_a_time:
            if self.rendered_at <= than:
                await asyncio.sleep(max(0.0, self._next - self.now()))
                began = self.now()
                try:
                    self._rendering = await self._render()
                    self.rendered_at = self.now()
                finally:
                    self._next = self.now() + max(MIN_INTERVAL, PAUSE_FACTOR * (self.now() - began))
        return self._rendering

    async def changes(self) -> AsyncIterator[dict[str, Any]]:
        """Yields for one viewer, after each rendering, the `parts` that have changed since the last
        one, and the `clock`; empty if nothing has changed and no heartbeat is due."""
        sent: Mapping[str, str] = {}
        seen = told = -math.inf
        while True:
            rendering, seen = await self.later(seen), self.rendered_at
            parts = {name: html for name, html in rendering.parts.items() if sent.get(name) != html}
            sent = rendering.parts
            if parts or seen - told >= HEARTBEAT:
                told = seen
                yield {"parts": parts, "clock": {"left": rendering.left, "speed": rendering.speed}}
            else:
                yield {}


async def show(
    socket: web.WebSocketResponse, live: LivePage, may_continue: Callable[[], bool], ended: int
) -> None:
    """Sends a page's changes to a viewer until the viewer disconnects.

    Arguments:
        socket: the viewer's open socket; nothing is expected from it.
        live: the page.
        may_continue: says whether the viewer may still see the page.
        ended: the close code if not.
    """

    async def tell() -> None:
        with contextlib.suppress(ConnectionError):  # disconnected during a send
            async for said in live.changes():
                if not may_continue():
                    break
                if said:
                    await socket.send_str(json.dumps(said))
            await close(socket, ended)

    live.viewers += 1
    try:
        async with (
            running(tell(), "updates of the board") as telling,
            running(socket.receive(), "the viewer's disconnect") as gone,
        ):
            await asyncio.wait({telling, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        live.viewers -= 1
