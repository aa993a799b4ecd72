"""A seat at a running server: the socket around the model.

`SeatClient` connects to `ws://HOST:PORT/seat`, keeps a `SeatModel` (model/seat.py) up to date,
sends what the person does, and comes back by itself when the connection is cut, with growing
pauses, until it is closed or the server refuses it for good.

    async with SeatClient("ws://127.0.0.1:8765/seat", code) as client:
        async for event in client:
            ...

The connection's work is done by one task of the running loop; nothing here is safe to be called
from another thread.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    ConnectionClosedOK,
    InvalidHandshake,
    InvalidURI,
)
from websockets.frames import CloseCode
from websockets.uri import parse_uri

from judge_console.memory import KeyMemory
from judge_console.model import SeatModel, SeatRefused
from judge_console.seat import Lost, LostKind, Seat, SeatEvent
from lpp.errors import YoursToFix
from lpp.reconnecting import connection_options, next_pause
from lpp.trust import Trust, Untrusted, fingerprint_of, untrusted
from lpp.wire import SNAPSHOT_LIMIT, WireError, decode_to_seat, encode

__all__ = ["Lost", "SeatClient", "SeatEvent", "SeatRefused", "seat_url"]


def seat_url(server: str) -> str:
    """The address of the seats at a server.

    Arguments:
        server: `HOST:PORT`, or a URL with http, https, ws or wss, with or without a path.

    Returns:
        A URL with ws or wss; without a path in `server` its path is `/seat`.

    Raises:
        YoursToFix: if it is no such address.
    """
    try:
        parts = urlsplit(server if "://" in server else f"ws://{server}")
        scheme = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}.get(parts.scheme)
        sound = scheme is not None and bool(parts.hostname) and (parts.port or True)
        path = parts.path if parts.path.strip("/") else "/seat"
        url = f"{scheme}://{parts.netloc}{path}"
        if sound:
            parse_uri(url)
    except (ValueError, InvalidURI):  # half an address, a port too large, what no name can hold
        sound = False
    if not sound:
        raise YoursToFix(f"{server!r} is no address of a server: give HOST:PORT or a URL")
    return url


class SeatClient(Seat):
    """A console's place at the server.

    Arguments:
        url: the address, as `seat_url` gives it.
        code: the seat's secret code.
        client: this console's name and version, for the organizer's eyes.
        take_over: whether to take the seat from another console that sits there.
        trust: which server with TLS is the right one; by the system's authorities if left out.
        acknowledge, monotonic, memory: see `Seat`.
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
    ) -> None:
        earlier = memory.typed() if memory is not None else None
        super().__init__(
            SeatModel(code, client, take_over, earlier),
            acknowledge=acknowledge,
            monotonic=monotonic,
            memory=memory,
        )
        self.url = seat_url(url)
        self._trust = trust or Trust()
        self._cut = False

    @property
    def where(self) -> str:
        """The server's address."""
        return self.url

    async def _live(self) -> None:
        pause = 0.0
        while True:
            began = time.monotonic()
            lost = await self._connection()
            self._linked = False
            self._tell(lost)
            pause = next_pause(pause, time.monotonic() - began)
            await asyncio.sleep(pause)

    async def _connection(self) -> Lost:
        """One connection from beginning to end; returns why it ended."""
        cut = self._cut
        try:
            async with connect(
                self.url, **connection_options(self.url, self._trust, SNAPSHOT_LIMIT)
            ) as connection:
                # Before the code goes out.
                self._trust.check(connection.transport.get_extra_info("ssl_object"))
                await connection.send(encode(self.model.hello(self._cut)))
                self._cut = True
                writer = asyncio.create_task(self._write(connection))
                try:
                    return Lost(await self._read(connection))
                finally:
                    writer.cancel()
                    await asyncio.wait([writer])
                    await connection.close()  # in good order, whatever the reason is
        except ConnectionClosed as exc:
            if exc.rcvd is not None and exc.rcvd.code == CloseCode.TRY_AGAIN_LATER:
                self._cut = cut
                return Lost(f"the server has no room: {exc.rcvd.reason}", "busy")
            self._cut = not isinstance(exc, ConnectionClosedOK)
            return Lost(f"the connection was closed: {exc}")
        except Untrusted as exc:
            return Lost(str(exc), "untrusted", exc.fingerprint)
        except ssl.SSLCertVerificationError as exc:
            trouble = untrusted(self.url, exc, await fingerprint_of(self.url))
            return Lost(str(trouble), "untrusted", trouble.fingerprint)
        except WireError as exc:
            return Lost(f"the server sent something else than this protocol: {exc}", "stranger")
        except (OSError, UnicodeError, InvalidHandshake) as exc:  # a time-out is an OSError
            return Lost(f"no connection to {self.url}: {exc!s:.200}", _kind(exc))

    async def _read(self, connection: ClientConnection) -> str:
        while not self.model.needs_snapshot:
            self._take(decode_to_seat(await connection.recv(decode=True)))
        return "a key was missing: the view has to be fetched again"

    async def _write(self, connection: ClientConnection) -> None:
        try:
            while True:
                await self._to_send.wait()
                self._to_send.clear()
                for frame in self.model.outgoing():
                    await connection.send(encode(frame))
        except ConnectionClosed:
            pass  # the reader meets it too, and says so


def _kind(exc: Exception) -> LostKind:
    """What an attempt to connect failed of."""
    if isinstance(exc, (InvalidHandshake, ssl.SSLError, UnicodeDecodeError)):
        return "stranger"
    return "unknown-host" if isinstance(exc, (socket.gaierror, UnicodeError)) else "unreachable"
