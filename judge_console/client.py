"""A seat at a running server, for asyncio: a model and the connection that feeds it.

`SeatClient` connects to `ws://HOST:PORT/seat`, keeps a `SeatModel` (model/seat.py) up to date,
sends what the person does, and reconnects automatically after growing pauses, until it is closed or
permanently refused by the server.

    async with SeatClient("ws://127.0.0.1:8765/seat", code) as client:
        async for event in client:
            ...

Everything runs on one loop; nothing here may be called from another thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import ssl
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self, TypeAlias
from urllib.parse import urlsplit

from websockets.asyncio.client import connect
from websockets.exceptions import (
    ConnectionClosed,
    ConnectionClosedOK,
    InvalidHandshake,
    InvalidURI,
)
from websockets.frames import CloseCode
from websockets.uri import parse_uri

from judge_console.memory import KeyMemory
from judge_console.model.seat import Decision, Human, LostKind, SeatModel
from lpp import wire
from lpp.connection import (
    Trust,
    Untrusted,
    connection_options,
    fingerprint_of,
    next_pause,
    untrusted_error,
)
from lpp.errors import NotAKey, UserError
from lpp.names import keys_of
from lpp.pace import Pace

#: Exceptions that end a connection or prevent one; a timeout is an OSError.
_ENDS = (ConnectionClosed, wire.WireError, Untrusted, OSError, UnicodeError, InvalidHandshake)

#: The longest paste that is typed, in characters: a few minutes at a person's pace.
PASTE_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class ConnectionLost:
    """The connection broke or could not be opened; the seat reconnects automatically.

    Attributes:
        trouble: what happened, in words.
        kind: what happened, as a code.
        fingerprint: of a certificate that is not trusted; empty if unknown.
    """

    trouble: str
    kind: LostKind = "cut"
    fingerprint: str = ""


SeatEvent: TypeAlias = wire.ToSeat | ConnectionLost


class Socket(Protocol):
    """An open connection to a server. Both methods raise `ConnectionClosed` when it ends."""

    async def send(self, message: str, /) -> None: ...

    async def recv(self) -> str | bytes: ...


#: Opens a connection; raises OSError if that fails.
Connect: TypeAlias = Callable[[], AbstractAsyncContextManager[Socket]]


def seat_url(server: str) -> str:
    """The address of the seats at a server.

    Arguments:
        server: `HOST:PORT`, or a URL with http, https, ws or wss, with or without a path.

    Returns:
        A URL with ws or wss. If `server` has no path, the path is `/seat`.

    Raises:
        UserError: if this is not an address.
    """
    try:
        parts = urlsplit(server if "://" in server else f"ws://{server}")
        scheme = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}.get(parts.scheme)
        sound = scheme is not None and bool(parts.hostname) and (parts.port or True)
        path = parts.path if parts.path.strip("/") else "/seat"
        url = f"{scheme}://{parts.netloc}{path}"
        if sound:
            parse_uri(url)
    except (ValueError, InvalidURI):  # incomplete, a port too large, an impossible name
        sound = False
    if not sound:
        raise UserError(f"{server!r} is not a server's address: give HOST:PORT or a URL")
    return url


class SeatClient:
    """A console's seat at the server.

    Arguments:
        url: the address, as `seat_url` returns it.
        code: the seat's secret code.
        client: this console's name and version, for the organizer.
        take_over: whether to take the seat from another console that has it.
        trust: which TLS certificates to trust; by default those signed by authorities that the
            system trusts.
        acknowledge: whether received keys count as shown at once. A window passes False and calls
            `painted` after drawing.
        monotonic: the clock that measures the remaining time, in seconds.
        memory: stores the seat's own keys in case of a crash; None stores none.
        only: the places to show; by default all.
        connection: opens connections in memory instead of sockets to `url`.

    Iterating yields each frame from the server and each `ConnectionLost`, in order, after the model
    has been updated. Events are kept until an iterator takes them; use one iterator at a time. The
    iteration ends when the seat is closed.

    Attributes:
        model: the state of the seat.
        watchers: called with each event as it happens, and with None when the seat has ended. If
            there is a watcher, no events are kept for an iterator.
        connected: whether the server has sent its greeting on the current connection.
        error: why the seat ended, unless it was closed; otherwise None.

    Raises, from iterating and `ready`:
        SeatRefused: if the server refuses the seat to this console.
    """

    def __init__(
        self,
        url: str,
        code: str,
        *,
        client: str = "",
        take_over: bool = False,
        trust: Trust | None = None,
        acknowledge: bool = True,
        monotonic: Callable[[], float] = time.monotonic,
        memory: KeyMemory | None = None,
        only: tuple[wire.Place, ...] = (),
        connection: Connect | None = None,
    ) -> None:
        earlier = memory.typed() if memory is not None else None
        self.model = SeatModel(code, client, take_over, earlier, only)
        self.url = url if connection is not None else seat_url(url)
        self.watchers: list[Callable[[SeatEvent | None], None]] = []
        self._trust = trust or Trust()
        self._connect = connection or self._open_socket
        self._acknowledge = acknowledge
        self._monotonic = monotonic
        self._memory = memory
        self._events: deque[SeatEvent] = deque()
        self._happened = asyncio.Event()
        self._to_send = asyncio.Event()
        self._greeted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._paste: asyncio.Task[None] | None = None
        self.connected = self._cut = self._ended = False
        self.error: BaseException | None = None

    # Opening and closing

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
        """Connects, and from now on reconnects when the connection is lost."""
        if self._task is None:
            self._task = asyncio.create_task(self._live(), name=f"seat at {self.url}")
            self._task.add_done_callback(self._died)

    async def close(self) -> None:
        """Leaves the seat. Anything unsent is lost, so first wait until `model.unsaved` is empty
        and `unconfirmed` is 0, or pass a memory."""
        for task in (self._paste, self._task):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        if self._task is not None:
            # Its done callback has not run yet, but an iterator must not wait for it.
            self._died(self._task)
        self._end(None)
        if self._memory is not None:
            self._memory.close()

    async def ready(self) -> None:
        """Waits for the server's first greeting."""
        await self._greeted.wait()
        if self.error is not None:
            raise self.error

    def _died(self, task: asyncio.Task[None]) -> None:
        self._end(None if task.cancelled() else task.exception())

    # The state of the seat

    @property
    def phase(self) -> wire.Phase:
        """The contest's phase."""
        return self.model.phase

    @property
    def round(self) -> int:
        """The number of the round, from 1; 0 before the first."""
        return self.model.state.round

    @property
    def attempt(self) -> int:
        """The number of the attempt at this round."""
        return self.model.state.attempt

    @property
    def places(self) -> tuple[wire.Place, ...]:
        """The places of this round's talks: left and right for a judge."""
        return self.model.state.places

    @property
    def unconfirmed(self) -> int:
        """Own keys of the running round that the server has not confirmed yet."""
        return self.model.unconfirmed

    def remaining(self) -> float | None:
        """The remaining time of the phase, in seconds of contest time; None without a limit."""
        return self.model.remaining(self._monotonic())

    def keys(self, place: wire.Place) -> list[tuple[wire.Author, str]]:
        """The keys at a place, as (author, key name), in the order in which they were shown."""
        return self.model.keys(place)

    # The person's actions

    async def press(self, place: wire.Place, key: str) -> bool:
        """Shows a pressed key at once and sends it. A key press ends a paste.

        Arguments:
            place: the talk's place.
            key: a key name.

        Returns:
            Whether it counts: only in the interaction phase, if there is a talk at this place.
        """
        if self._paste is not None and self._paste is not asyncio.current_task():
            self._paste.cancel()
            self._paste = None
        n = self.model.press(place, key)
        if n and self._memory is not None:
            self._memory.keep(self.model.talk_key(place), n, key)
        self._to_send.set()
        return n > 0

    async def paste(self, place: wire.Place, text: str) -> bool:
        """Types a pasted text at a person's pace until its end, or until a key is pressed.

        Arguments:
            place: the talk's place.
            text: the text; characters without a key name are left out, and so is everything after
                the first `PASTE_LIMIT` characters.

        Returns:
            Whether it is typed: not if the contest does not allow pasting, or no character is left.
        """
        self.model.pasted(place, len(text))
        self._to_send.set()
        text = _typable(text[:PASTE_LIMIT])
        welcome = self.model.welcome
        if welcome is None or welcome.paste != "type" or not text:
            return False
        if self._paste is not None:
            self._paste.cancel()
        strokes = Pace(thought=0.0).strokes(text, random.SystemRandom())

        async def type_it() -> None:
            for stroke in strokes:
                await asyncio.sleep(stroke.delay)
                if not await self.press(place, stroke.key):
                    return  # the talk is over

        self._paste = asyncio.create_task(type_it(), name="paste")
        return True

    async def give(self, frame: Decision | wire.Read) -> None:
        """Sends a decision, or a request for an earlier talk. The server answers with `Saved` or
        `Past`.

        Raises:
            UserError: as `SeatModel.give`.
        """
        self.model.give(frame)
        self._to_send.set()

    async def verdict(self, human: Human, confidence: int | None = None, reason: str = "") -> None:
        """Sends the verdict on the running round: the human's side; confidence is 0 to 100."""
        state = self.model.state
        await self.give(wire.Verdict(state.round, state.attempt, human, confidence, reason))

    async def rank(self, half_steps: Mapping[str, int]) -> None:
        """Sends the ranking of all participants: label to twice the rank (2 is first; 3 is shared
        first and second)."""
        await self.give(wire.Ranks(dict(half_steps)))

    async def agree(self, publish: bool, pseudonym: str = "") -> None:
        """Sends the person's consent: whether what they type may be published, and under which
        name."""
        await self.give(wire.Consent(publish, pseudonym))

    def painted(self, heard: Mapping[wire.Place, int] | None = None) -> None:
        """Reports what is on the screen now; see `SeatModel.painted`."""
        self.model.painted(heard)
        self._to_send.set()

    # Events

    def __aiter__(self) -> AsyncIterator[SeatEvent]:
        return self

    async def __anext__(self) -> SeatEvent:
        while not self._events:
            if self._ended:
                if self.error is not None:
                    raise self.error
                raise StopAsyncIteration
            self._happened.clear()
            await self._happened.wait()
        return self._events.popleft()

    def _tell(self, event: SeatEvent) -> None:
        if not self.watchers:
            self._events.append(event)
            self._happened.set()
        for watcher in self.watchers:
            watcher(event)

    def _end(self, error: BaseException | None) -> None:
        if not self._ended:
            self._ended, self.connected, self.error = True, False, error
            for watcher in self.watchers:
                watcher(None)
        self._happened.set()
        self._greeted.set()

    # The connection

    async def _live(self) -> None:
        loop = asyncio.get_running_loop()
        pause = 0.0
        while True:
            began, before = loop.time(), self._cut
            try:
                await self._converse()
            except _ENDS as exc:
                lost = await self._lost(exc, before)
            else:
                lost = ConnectionLost("a key was missing: the talk must be fetched again")
            self.connected = False
            self._tell(lost)
            pause = next_pause(pause, loop.time() - began)
            await asyncio.sleep(pause)

    async def _converse(self) -> None:
        """Holds one connection, until it breaks or the model needs a new snapshot."""
        async with self._connect() as socket_:
            await socket_.send(wire.encode(self.model.hello(self._cut)))
            self._cut = True
            writer = asyncio.create_task(self._write(socket_))
            try:
                while not self.model.needs_snapshot:
                    self._take(wire.decode_to_seat(await socket_.recv()))
            finally:
                writer.cancel()
                await asyncio.wait([writer])

    async def _lost(self, exc: Exception, before: bool) -> ConnectionLost:
        """Returns why a connection ended or failed, and sets `_cut`: whether it broke without a
        close frame from the server. `before` is the earlier `_cut`."""
        match exc:
            case ConnectionClosed():
                if exc.rcvd is not None and exc.rcvd.code == CloseCode.TRY_AGAIN_LATER:
                    self._cut = before
                    return ConnectionLost(f"the server has no room: {exc.rcvd.reason}", "busy")
                self._cut = not isinstance(exc, ConnectionClosedOK)
                return ConnectionLost(f"the connection was closed: {exc}")
            case wire.WireError():
                words = f"the server broke the protocol: {exc}"
                return ConnectionLost(words, "not-a-contest")
            case Untrusted():
                return ConnectionLost(str(exc), "untrusted", exc.fingerprint)
            case ssl.SSLCertVerificationError():
                trouble = untrusted_error(self.url, exc, await fingerprint_of(self.url))
                return ConnectionLost(str(trouble), "untrusted", trouble.fingerprint)
        return ConnectionLost(f"no connection to {self.url}: {exc!s:.200}", _kind(exc))

    def _take(self, frame: wire.ToSeat) -> None:
        self.model.receive(frame, self._monotonic())
        if isinstance(frame, wire.Welcome):
            self.connected = True
            self._greeted.set()
        if self._acknowledge:
            self.model.painted()
        self._tell(frame)
        # Frames that have already arrived are handled without a pause, so the writer wakes after
        # the whole batch and acknowledges it with one frame per talk.
        self._to_send.set()

    async def _write(self, socket_: Socket) -> None:
        # The reader also notices that the connection has ended, and reports it.
        with contextlib.suppress(ConnectionClosed):
            while True:
                await self._to_send.wait()
                self._to_send.clear()
                for frame in self.model.outgoing():
                    await socket_.send(wire.encode(frame))

    @asynccontextmanager
    async def _open_socket(self) -> AsyncIterator[Socket]:
        options = connection_options(self.url, self._trust, wire.SNAPSHOT_LIMIT)
        async with connect(self.url, **options) as socket_:
            # Before the code is sent.
            self._trust.check(socket_.transport.get_extra_info("ssl_object"))
            yield socket_


def _kind(exc: Exception) -> LostKind:
    """Why an attempt to connect failed."""
    if isinstance(exc, (InvalidHandshake, ssl.SSLError, UnicodeDecodeError)):
        return "not-a-contest"
    return "unknown-host" if isinstance(exc, (socket.gaierror, UnicodeError)) else "unreachable"


def _typable(text: str) -> str:
    kept = []
    for char in text.replace("\r\n", "\n").replace("\r", "\n"):
        try:
            keys_of(char)
        except NotAKey:
            continue
        kept.append(char)
    # Tabs and Returns in a pasted text count as text; BackSpaces don't.
    return "".join(kept).replace("\b", "")
