"""What a page of the board shows now, sent to everybody who has it open, without a reload.

The parts of a page are made at most five times a second, while somebody looks, once for all who
look; each viewer is sent the parts that have changed since it was sent them last: the newest state
wins, and nothing is kept for a slow one. Making them never takes more than a small share of the
server's time, for keys go first.
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

#: Seconds between two looks at the contest at least.
EVERY = 0.2
#: How many times as long as a look took is waited for before the next one.
SHARE = 20
#: Seconds after which a viewer is sent a sign of life, with the clock.
SIGN = 5.0
#: Viewers of a page at once.
MOST = 100


@dataclass(frozen=True, slots=True)
class Picture:
    """What a page shows at a moment.

    Attributes:
        parts: an element's id to its HTML.
        left: seconds of contest time until the phase ends, or None.
        speed: seconds of contest time in a second; 0 while the clock stands.
    """

    parts: Mapping[str, str]
    left: float | None = None
    speed: float = 0.0


class Live:
    """A page that is looked at while somebody has it open.

    Arguments:
        look: makes the picture.
        now: seconds of real time that never go back.

    Attributes:
        taken: when the last picture was taken.
        viewers: how many look on.
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
        """A picture that was taken later than another: the last one, or the next."""
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
        """For one viewer, of each picture: the `parts` that have changed since the one before, and
        the `clock`; empty where nothing has changed and no sign of life is due."""
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
    """Shows a page to a socket, until it goes.

    Arguments:
        socket: an open one; it has nothing to say.
        live: the page.
        goes_on: whether it may still look.
        ended: the code with which it is closed when it may not.
    """

    async def tell() -> None:
        with contextlib.suppress(ConnectionError):  # it went while it was told something
            async for said in live.changes():
                if not goes_on():
                    break
                if said:
                    await socket.send_str(json.dumps(said))
            await close(socket, ended)

    live.viewers += 1
    try:
        async with (
            running(tell(), "the board tells") as telling,
            running(socket.receive(), "the viewer goes") as gone,
        ):
            await asyncio.wait({telling, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        live.viewers -= 1
