"""What the board shows now, sent to everybody who looks at it, without a reload.

The parts of the page are made at most five times a second, while somebody looks, and each viewer
is sent the parts that have changed since it was sent them last: the newest state wins, and nothing
is kept for a slow one. Making them never takes more than a small share of the server's time, for
keys go first.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

#: Seconds between two looks at the contest at least.
EVERY = 0.2
#: How many times as long as a look took is waited for before the next one.
SHARE = 20
#: Seconds after which a viewer is sent a sign of life.
SIGN = 5.0
#: Seconds by which a clock may be wrong before its viewers are told.
DRIFT = 0.4
#: Viewers at once.
MOST = 100


@dataclass(frozen=True, slots=True)
class Picture:
    """What the board shows at a moment.

    Attributes:
        parts: an element's id to its HTML.
        left: seconds of contest time until the phase ends, or None.
        speed: seconds of contest time in a second; 0 while the clock stands.
    """

    parts: Mapping[str, str]
    left: float | None
    speed: float


@dataclass(eq=False)
class Viewer:
    """Who looks: what was sent last, and whether there is more."""

    sent: dict[str, str] = field(default_factory=dict)
    clock: int = 0
    more: asyncio.Event = field(default_factory=asyncio.Event)


class Live:
    """Looks at the contest while somebody wants to see it.

    Arguments:
        look: makes the picture.
        now: seconds of real time that never go back.
    """

    def __init__(
        self, look: Callable[[], Picture], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._look = look
        self._now = now
        self._viewers: set[Viewer] = set()
        self._looking: asyncio.Task[None] | None = None
        self._picture = Picture({}, None, 0.0)
        self._seen = 0.0
        self._clock = 0

    @property
    def full(self) -> bool:
        """Whether no more viewers can be served."""
        return len(self._viewers) >= MOST

    def wake(self) -> None:
        """Has it looked at whether each viewer may still look."""
        for viewer in self._viewers:
            viewer.more.set()

    @asynccontextmanager
    async def viewer(self) -> AsyncIterator[Viewer]:
        """Looks on while the context is open."""
        viewer = Viewer()
        self._viewers.add(viewer)
        if self._looking is None or self._looking.done():
            self._take(self._look())
            self._looking = asyncio.create_task(self._go_on(), name="the board looks")
        viewer.more.set()
        try:
            yield viewer
        finally:
            self._viewers.discard(viewer)
            if not self._viewers:
                looking, self._looking = self._looking, None
                looking.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await looking

    async def next(self, viewer: Viewer) -> dict[str, Any]:
        """What a viewer is to be told next: `parts` that have changed and `clock`, if it has;
        nothing after `SIGN` seconds without any change."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SIGN):
                await viewer.more.wait()
        viewer.more.clear()
        if self._looking is not None and self._looking.done():
            self._looking.result()  # what ended it, ends this, and is logged
        said: dict[str, Any] = {}
        parts = {k: v for k, v in self._picture.parts.items() if viewer.sent.get(k) != v}
        if parts:
            viewer.sent.update(parts)
            said["parts"] = parts
        if viewer.clock != self._clock:
            viewer.clock = self._clock
            said["clock"] = {"left": self._left(self._now()), "speed": self._picture.speed}
        return said

    async def _go_on(self) -> None:
        took = 0.0
        while True:
            await asyncio.sleep(max(EVERY, SHARE * took))
            began = self._now()
            self._take(self._look())
            took = self._now() - began

    def _take(self, picture: Picture) -> None:
        now = self._now()
        expected, old = self._left(now), self._picture
        self._picture, self._seen = picture, now
        drifted = (
            picture.speed != old.speed
            or (picture.left is None) != (expected is None)
            or abs((picture.left or 0.0) - (expected or 0.0)) > DRIFT * max(1.0, picture.speed)
        )
        if drifted or not self._clock:
            self._clock += 1
        if drifted or picture.parts != old.parts:
            self.wake()

    def _left(self, now: float) -> float | None:
        picture = self._picture
        if picture.left is None:
            return None
        return max(0.0, picture.left - (now - self._seen) * picture.speed)


async def show(websocket: WebSocket, live: Live, goes_on: Callable[[], bool], ended: int) -> None:
    """Shows the board to a socket that was accepted, until it goes.

    Arguments:
        websocket: whose; it has nothing to say.
        live: what is shown.
        goes_on: whether it may still look.
        ended: the code with which it is closed when it may not.
    """
    async with live.viewer() as viewer:
        gone = asyncio.create_task(_gone(websocket), name="the board's viewer goes")
        try:
            while goes_on():
                told = asyncio.create_task(live.next(viewer), name="the board tells")
                await asyncio.wait({gone, told}, return_when=asyncio.FIRST_COMPLETED)
                if gone.done():
                    await _ended(told)
                    return
                await websocket.send_text(json.dumps(told.result()))
            await websocket.close(ended)
        except WebSocketDisconnect:
            return  # it went while it was told something
        finally:
            await _ended(gone)


async def _gone(websocket: WebSocket) -> None:
    """Waits until the other end goes; one that talks is none of ours, and goes, too."""
    await websocket.receive()


async def _ended(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect):
        await task
