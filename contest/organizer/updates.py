"""What the board shows now, sent to everybody who looks at it, without a reload.

The parts of a page are made at most five times a second, while somebody looks, once for all who
look at the same; each viewer is sent the parts that have changed since it was sent them last: the
newest state wins, and nothing is kept for a slow one. Making them never takes more than a small
share of the server's time, for keys go first.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from aiohttp import web

from contest.net.sockets import close
from contest.tasks import running

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

Topic = TypeVar("Topic", bound=Hashable)


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


@dataclass(eq=False)
class _Scene:
    """What all see who look at the same: the last picture, when it was taken, and how often the
    clock has gone otherwise than expected."""

    viewers: set[Viewer] = field(default_factory=set)
    picture: Picture | None = None
    seen: float = 0.0
    clock: int = 0

    def take(self, picture: Picture, now: float) -> None:
        """Takes the next picture; viewers are told if it is another."""
        expected, old = self.left(now), self.picture
        self.picture, self.seen = picture, now
        drifted = (
            old is None
            or picture.speed != old.speed
            or (picture.left is None) != (expected is None)
            or abs((picture.left or 0.0) - (expected or 0.0)) > DRIFT * max(1.0, picture.speed)
        )
        self.clock += drifted
        if drifted or old is None or picture.parts != old.parts:
            self.wake()

    def left(self, now: float) -> float | None:
        """What is left of the time by the last picture."""
        picture = self.picture
        if picture is None or picture.left is None:
            return None
        return max(0.0, picture.left - (now - self.seen) * picture.speed)

    def wake(self) -> None:
        for viewer in self.viewers:
            viewer.more.set()


@dataclass(eq=False)
class Viewer:
    """Who looks: at what, what was sent last, and whether there is more."""

    scene: _Scene
    sent: Mapping[str, str] = field(default_factory=dict)
    clock: int = 0
    more: asyncio.Event = field(default_factory=asyncio.Event)


class Live(Generic[Topic]):
    """Looks at the contest while somebody wants to see it.

    Arguments:
        look: makes the picture of each topic that somebody looks at.
        now: seconds of real time that never go back.
    """

    def __init__(
        self,
        look: Callable[[frozenset[Topic]], Awaitable[Mapping[Topic, Picture]]],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._look = look
        self._now = now
        self._scenes: dict[Topic, _Scene] = {}
        self._looking: asyncio.Task[None] | None = None
        # Before then nobody looks again, however many come and go.
        self._next = 0.0

    @property
    def full(self) -> bool:
        """Whether no more viewers can be served."""
        return sum(len(scene.viewers) for scene in self._scenes.values()) >= MOST

    def wake(self) -> None:
        """Has each viewer look whether it may still look."""
        for scene in self._scenes.values():
            scene.wake()

    @asynccontextmanager
    async def viewer(self, topic: Topic) -> AsyncIterator[Viewer]:
        """Looks at a topic while the context is open."""
        scene = self._scenes.setdefault(topic, _Scene())
        viewer = Viewer(scene)
        scene.viewers.add(viewer)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._go_on(), name="the board looks")
            self._looking.add_done_callback(lambda _: self.wake())
        if scene.picture is not None:
            viewer.more.set()
        try:
            yield viewer
        finally:
            scene.viewers.discard(viewer)
            if not scene.viewers:
                del self._scenes[topic]
            if not self._scenes and self._looking is not None:
                self._looking.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await self._looking

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
        scene, picture = viewer.scene, viewer.scene.picture
        if picture is None:
            return said
        parts = {k: v for k, v in picture.parts.items() if viewer.sent.get(k) != v}
        viewer.sent = picture.parts
        if parts:
            said["parts"] = parts
        if viewer.clock != scene.clock:
            viewer.clock = scene.clock
            said["clock"] = {"left": scene.left(self._now()), "speed": picture.speed}
        return said

    async def _go_on(self) -> None:
        while True:
            await asyncio.sleep(max(0.0, self._next - self._now()))
            began = self._now()
            try:
                pictures = await self._look(frozenset(self._scenes))
            finally:
                now = self._now()
                self._next = now + max(EVERY, SHARE * (now - began))
            for topic, picture in pictures.items():
                if topic in self._scenes:
                    self._scenes[topic].take(picture, now)


async def show(
    socket: web.WebSocketResponse,
    live: Live[Topic],
    topic: Topic,
    goes_on: Callable[[], bool],
    ended: int,
) -> None:
    """Shows the board to a socket, until it goes.

    Arguments:
        socket: an open one; it has nothing to say.
        live: looks at the contest.
        topic: what is shown of it.
        goes_on: whether it may still look.
        ended: the code with which it is closed when it may not.
    """
    async with live.viewer(topic) as viewer, running(socket.receive(), "the viewer goes") as gone:
        with contextlib.suppress(ConnectionError):  # it went while it was told something
            while goes_on():
                async with running(live.next(viewer), "the board tells") as told:
                    await asyncio.wait({gone, told}, return_when=asyncio.FIRST_COMPLETED)
                    if gone.done():
                        return
                    await socket.send_str(json.dumps(told.result()))
            await close(socket, ended)
