"""A seat at a running server: the socket around the model.

`SeatClient` connects to `ws://HOST:PORT/seat`, keeps a `SeatModel` (model.py) up to date, sends
what the person does, and comes back by itself when the connection is cut, with growing pauses,
until it is closed or the server refuses it for good.

    async with SeatClient("ws://127.0.0.1:8765/seat", code) as client:
        async for event in client:
            ...

The connection's work is done by one task of the running loop; nothing here is safe to be called
from another thread.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypeAlias
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, ConnectionClosedOK, InvalidHandshake

from judge_console.model import Human, SeatModel, SeatRefused
from lpp.errors import YoursToFix
from lpp.wire import (
    SNAPSHOT_LIMIT,
    Author,
    Phase,
    Place,
    Role,
    ToSeat,
    Welcome,
    WireError,
    decode_to_seat,
    encode,
)

__all__ = ["Lost", "SeatClient", "SeatEvent", "SeatRefused", "seat_url"]

#: The pauses between attempts to come back, in seconds of real time: the first, and the longest.
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 2.0
#: A judge whose network has died in silence should learn it soon: a ping every so many seconds,
#: and so many to answer it.
PING_INTERVAL = 5.0
PING_TIMEOUT = 10.0


@dataclass(frozen=True, slots=True)
class Lost:
    """The connection is gone, or could not be made; the client comes back by itself.

    Attributes:
        trouble: what happened, in words.
    """

    trouble: str


SeatEvent: TypeAlias = ToSeat | Lost


def seat_url(server: str) -> str:
    """The address of the seats at a server.

    Arguments:
        server: `HOST:PORT`, or a URL with http, https, ws or wss, with or without a path.

    Returns:
        A URL with ws or wss; without a path in `server` its path is `/seat`.

    Raises:
        YoursToFix: if it is no such address.
    """
    parts = urlsplit(server if "://" in server else f"ws://{server}")
    scheme = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}.get(parts.scheme)
    try:
        sound = scheme is not None and bool(parts.hostname) and (parts.port or True)
    except ValueError:  # the port is no number, or too large
        sound = False
    if not sound:
        raise YoursToFix(f"{server!r} is no address of a server: give HOST:PORT or a URL")
    path = parts.path if parts.path.strip("/") else "/seat"
    return f"{scheme}://{parts.netloc}{path}"


def next_pause(last: float, lived: float) -> float:
    """How long to wait before the next attempt to connect.

    Arguments:
        last: the pause before the connection that has just ended; 0 at first.
        lived: how long that connection, or the attempt at it, took.

    Returns:
        Twice the last pause up to the longest; the first pause again after a connection that held
        for a while, for that one was sound. All in seconds of real time.
    """
    if lived > LONGEST_PAUSE or not last:
        return FIRST_PAUSE
    return min(2 * last, LONGEST_PAUSE)


class SeatClient:
    """A console's place at the server.

    Arguments:
        url: the address, as `seat_url` gives it.
        code: the seat's secret code.
        client: this console's name and version, for the organizer's eyes.
        take_over: whether to take the seat from another console that sits there.
        acknowledge: whether what has come counts as shown at once. A window says False, and calls
            `painted` when it has drawn.
        monotonic: the clock that the remaining time is counted by, in seconds.

    Iterating gives, in order, each frame of the server and each `Lost`; the view has been brought
    up to date already when an event comes out. Events are kept until they are taken, by one
    iterator at a time. The iteration ends when the client is closed.

    Raises, from iterating and `ready`:
        SeatRefused: if the server does not let this console sit there.
    """

    def __init__(
        self,
        url: str,
        code: str,
        *,
        client: str = "",
        take_over: bool = False,
        acknowledge: bool = True,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.url = seat_url(url)
        self.model = SeatModel(code, client, take_over)
        self._acknowledge = acknowledge
        self._monotonic = monotonic
        self._events: deque[SeatEvent] = deque()
        self._happened = asyncio.Event()
        self._to_send = asyncio.Event()
        self._greeted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._linked = False
        self._cut = False
        self._ended = False
        self._error: BaseException | None = None

    # Life

    async def __aenter__(self) -> Self:
        self.open()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def open(self) -> None:
        """Begins to connect, and to come back for ever after."""
        if self._task is None:
            self._task = asyncio.create_task(self._live(), name=f"seat at {self.url}")
            self._task.add_done_callback(self._died)

    async def close(self) -> None:
        """Leaves the seat; what was not sent is lost, so wait for `unsaved` and `Taken` first."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            # Its done callback has not run yet, but whoever iterates must not wait for it.
            self._died(self._task)
        self._end(None)

    async def ready(self) -> None:
        """Waits until the server has greeted this seat for the first time."""
        await self._greeted.wait()
        if self._error is not None:
            raise self._error

    # The view

    @property
    def connected(self) -> bool:
        """Whether the server has greeted the present connection."""
        return self._linked

    @property
    def role(self) -> Role | None:
        """Judge or confederate; None before the first greeting."""
        return self.model.role

    @property
    def phase(self) -> Phase:
        """The contest's phase."""
        return self.model.phase

    @property
    def round(self) -> int:
        """The number of the round, from 1; 0 before the first."""
        return self.model.state.round

    @property
    def attempt(self) -> int:
        """Which attempt at this round."""
        return self.model.state.attempt

    @property
    def places(self) -> tuple[Place, ...]:
        """The places of this round's talks: left and right for a judge."""
        return self.model.state.places

    @property
    def unsaved(self) -> bool:
        """Whether a verdict or ranking was given that the server has not answered."""
        return self.model.unsaved

    def remaining(self) -> float | None:
        """What is left of the phase, in seconds of contest time; None without a limit."""
        return self.model.remaining(self._monotonic())

    def keys(self, place: Place) -> list[tuple[Author, str]]:
        """What is shown at a place, as (author, key name), in the order of showing."""
        return self.model.keys(place)

    # The person's acts

    async def press(self, place: Place, key: str) -> bool:
        """A key was pressed: it is shown at once, and sent.

        Arguments:
            place: in which talk.
            key: a key name.

        Returns:
            Whether it counts: it does not without a talk at this place in the interaction phase.
        """
        counts = self.model.press(place, key)
        self._to_send.set()
        return counts

    async def verdict(self, human: Human, confidence: int | None = None, reason: str = "") -> None:
        """The judge decides about the running round; `Saved` comes when it is durable.

        Arguments:
            human: where the human sat.
            confidence: 0 (can't tell) up to 100 (sure), or None.
            reason: in words, or empty.

        Raises:
            YoursToFix: if the confidence is out of its range or the reason too long.
        """
        self.model.verdict(human, confidence, reason)
        self._to_send.set()

    async def rank(self, half_steps: Mapping[str, int]) -> None:
        """The judge ranks all participants; `Saved` comes when it is durable.

        Arguments:
            half_steps: label to twice the rank: 2 = first, 3 = shares the first place.
        """
        self.model.rank(half_steps)
        self._to_send.set()

    def painted(self) -> None:
        """All that stands in the view stands on the screen now."""
        self.model.painted()
        self._to_send.set()

    # What happens

    def __aiter__(self) -> AsyncIterator[SeatEvent]:
        return self

    async def __anext__(self) -> SeatEvent:
        while not self._events:
            if self._ended:
                if self._error is not None:
                    raise self._error
                raise StopAsyncIteration
            self._happened.clear()
            await self._happened.wait()
        return self._events.popleft()

    def _tell(self, event: SeatEvent) -> None:
        self._events.append(event)
        self._happened.set()

    def _end(self, error: BaseException | None) -> None:
        if not self._ended:
            self._ended, self._linked, self._error = True, False, error
        self._happened.set()
        self._greeted.set()

    # The connection

    async def _live(self) -> None:
        pause = 0.0
        while True:
            began = time.monotonic()
            trouble = await self._connection()
            self._linked = False
            self._tell(Lost(trouble))
            pause = next_pause(pause, time.monotonic() - began)
            await asyncio.sleep(pause)

    def _died(self, task: asyncio.Task[None]) -> None:
        self._end(None if task.cancelled() else task.exception())

    async def _connection(self) -> str:
        """One connection from beginning to end; returns why it ended."""
        try:
            async with connect(
                self.url,
                max_size=SNAPSHOT_LIMIT,
                max_queue=None,  # a full queue stops reading, and hides the end of the connection
                compression=None,  # frames are short, and a key should not wait for a deflater
                proxy=None,  # a contest's server stands in the same room
                ping_interval=PING_INTERVAL,
                ping_timeout=PING_TIMEOUT,
                close_timeout=LONGEST_PAUSE,
            ) as socket:
                await socket.send(encode(self.model.hello(self._cut)))
                self._cut = True
                writer = asyncio.create_task(self._write(socket))
                try:
                    return await self._read(socket)
                finally:
                    writer.cancel()
                    await asyncio.wait([writer])
                    await socket.close()  # in good order, whatever the reason is
        except ConnectionClosed as exc:
            self._cut = not isinstance(exc, ConnectionClosedOK)
            return f"the connection was closed: {exc}"
        except (OSError, InvalidHandshake, TimeoutError) as exc:
            return f"no connection to {self.url}: {exc!s:.200}"
        except WireError as exc:
            return f"the server sent something else than this protocol: {exc}"

    async def _read(self, socket: ClientConnection) -> str:
        while not self.model.needs_snapshot:
            frame = decode_to_seat(await socket.recv(decode=True))
            self.model.receive(frame, self._monotonic())
            if isinstance(frame, Welcome):
                self._linked = True
                self._greeted.set()
            if self._acknowledge:
                self.model.painted()
            self._tell(frame)
            # recv gives what has come already without a pause, so the writer wakes after the
            # whole batch, and acknowledges it with one frame a talk.
            self._to_send.set()
        return "a key was missing: the view has to be fetched again"

    async def _write(self, socket: ClientConnection) -> None:
        try:
            while True:
                await self._to_send.wait()
                self._to_send.clear()
                for frame in self.model.outgoing():
                    await socket.send(encode(frame))
        except ConnectionClosed:
            pass  # the reader meets it too, and says so
