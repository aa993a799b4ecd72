"""A WebSocket client with minimal overhead, so that the load takes hardly any processor time from
the server.

It supports only what our server sends: whole frames of text or raw deflate, pings, a close. Its own
frames are masked with zeros, which makes no difference to the server.
"""

from __future__ import annotations

import asyncio
import base64
import os
import struct
import zlib
from collections.abc import Callable
from typing import Self

_TEXT, _BINARY, _CLOSE, _PING, _PONG = 0x1, 0x2, 0x8, 0x9, 0xA
_LAST, _MASKED = 0x80, 0x80
_NO_MASK = bytes(4)
#: A buffer that all sockets share, one after another: allocating one for each read would cost three
#: system calls per frame.
_ROOM = memoryview(bytearray(64 * 1024))


class Socket(asyncio.BufferedProtocol):
    """The client's end.

    Arguments:
        hear: called with the text of each frame, as UTF-8.

    Attributes:
        received: bytes received, including the handshake.
        lost: set when the connection has ended.
    """

    def __init__(self, hear: Callable[[bytes], None]) -> None:
        self._hear = hear
        self._left = b""
        self._transport: asyncio.Transport | None = None
        self._open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._opened = False
        self.received = 0
        self.lost = asyncio.Event()

    @classmethod
    async def connect(cls, address: str, path: str, hear: Callable[[bytes], None]) -> Self:
        """Opens a connection.

        Arguments:
            address: the server's, as HOST:PORT.
            path: for example /seat.
            hear: called with the text of each frame.

        Raises:
            OSError: if no WebSocket server answers.
        """
        host, _, port = address.rpartition(":")
        loop = asyncio.get_running_loop()
        transport, socket = await loop.create_connection(
            lambda: cls(hear), host.strip("[]"), int(port)
        )
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        await socket._open
        return socket

    def send(self, text: bytes) -> None:
        """Sends a text; never blocks."""
        self._send(_TEXT, text)

    def close(self) -> None:
        """Closes the connection abruptly."""
        if self._transport is not None:
            self._transport.abort()

    def _send(self, kind: int, payload: bytes) -> None:
        assert self._transport is not None
        size = len(payload)
        if size < 126:
            head = bytes((_LAST | kind, _MASKED | size))
        elif size < 1 << 16:
            head = struct.pack("!BBH", _LAST | kind, _MASKED | 126, size)
        else:
            head = struct.pack("!BBQ", _LAST | kind, _MASKED | 127, size)
        self._transport.write(head + _NO_MASK + payload)

    # asyncio's callbacks

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio.BufferedProtocol."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def get_buffer(self, sizehint: int) -> memoryview:
        """See asyncio.BufferedProtocol."""
        return _ROOM

    def buffer_updated(self, nbytes: int) -> None:
        """See asyncio.BufferedProtocol."""
        self.received += nbytes
        data = self._left + bytes(_ROOM[:nbytes])
        at = 0
        if not self._opened:
            at = data.find(b"\r\n\r\n") + 4
            if at < 4:
                self._left = data
                return
            if not data.startswith(b"HTTP/1.1 101 "):
                self.close()
                return
            self._opened = True
            self._open.set_result(None)
        while (frame := _frame(data, at)) is not None:
            kind, begin, at = frame
            if kind == _TEXT:
                self._hear(data[begin:at])
            elif kind == _BINARY:
                self._hear(zlib.decompress(data[begin:at], wbits=-zlib.MAX_WBITS))
            elif kind == _PING:
                self._send(_PONG, data[begin:at])
            elif kind == _CLOSE:
                self.close()
        self._left = data[at:]

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio.BufferedProtocol."""
        if not self._open.done():
            self._open.set_exception(exc or ConnectionError("the server refused the connection"))
        self.lost.set()


def _frame(data: bytes, at: int) -> tuple[int, int, int] | None:
    """The frame that begins at `at`: its kind, and where its payload begins and ends; None if it is
    incomplete."""
    have = len(data) - at
    if have < 2:
        return None
    size, begin = data[at + 1], at + 2
    if size == 126:
        if have < 4:
            return None
        size, begin = int.from_bytes(data[at + 2 : at + 4]), at + 4
    elif size == 127:
        if have < 10:
            return None
        size, begin = int.from_bytes(data[at + 2 : at + 10]), at + 10
    end = begin + size
    return None if len(data) < end else (data[at] & 0x0F, begin, end)
