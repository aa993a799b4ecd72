"""What comes in over a server's WebSocket: the same for consoles and for links, which differ in
their frames alone.

A frame is taken in the turn of the loop in which it comes, where its WebSocket has a short way
(shortcut.py) and nothing stands against it. What has to wait, or ends the connection, is the
business of a task.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from starlette.websockets import WebSocket, WebSocketDisconnect

from contest.doors.limits import Bucket, Crowded
from contest.doors.outgoing import Connection
from lpp.wire import WireError

_F = TypeVar("_F")

#: Seconds for which whoever is too fast is read more slowly; then he has to come again. What he
#: has sent is thrown away, or one that has gone would seem to be there until all is read.
BEHIND = 15.0


class Reader(Generic[_F]):
    """Takes the frames of whoever sits there, one after another.

    Arguments:
        websocket: an accepted one.
        decode: reads a frame; raises WireError.
        take: takes a frame; may raise what ends the connection.
        connection: what goes out there; when that is closed, nothing is taken any more.
        buckets: how fast frames of a type may come, by type; those of other types count for `None`.
    """

    def __init__(
        self,
        websocket: WebSocket,
        decode: Callable[[str], _F],
        take: Callable[[_F], None],
        connection: Connection[Any],
        buckets: Mapping[type | None, Bucket],
    ) -> None:
        self._websocket = websocket
        self._decode = decode
        self._take = take
        self._connection = connection
        self._buckets = buckets
        self._now = asyncio.get_running_loop().time
        self._in_time = self._now()
        # Whether the task waits for a frame. If the one that comes to it next could not be taken at
        # once: what went wrong, or the seconds that it has to wait.
        self._idle = False
        self._error: Exception | None = None
        self._wait = 0.0

    def hear(self, text: str) -> bool:
        """Takes a frame at once, if it can.

        Returns:
            Whether it is done; else the task is to be given it, before any other.
        """
        if not self._idle or self._error is not None or self._connection.reason:
            return False
        try:
            frame = self._decode(text)
            self._wait = self._charge(frame)
            if self._wait:
                return False
            self._take(frame)
        except Exception as exc:  # noqa: BLE001 -- raised by the task, which ends the connection
            self._error = exc
            return False
        return True

    async def read(self) -> None:
        """Takes what is not taken at once, until the connection is closed from here.

        Raises:
            WebSocketDisconnect: if the other end has gone.
            WireError: if what comes is no frame.
            Crowded: if too much has come for too long.
            Exception: what `take` raises.
        """
        while True:
            self._idle = True
            text = await received_text(self._websocket)
            self._idle = False
            if self._error is not None:
                raise self._error
            frame = decoded(text, self._decode)
            # Whoever is too fast is read more slowly: what he sends waits in the network, and at
            # his end.
            wait = self._wait or self._charge(frame)
            self._wait = 0.0
            if wait:
                if self._now() - self._in_time > BEHIND:
                    raise Crowded("too much at once; come again")
                await asyncio.sleep(wait)
            if self._connection.reason:
                return  # it is no longer this connection that speaks for whoever sits there
            self._take(frame)

    def _charge(self, frame: _F) -> float:
        """Counts a frame; seconds for which it has to wait."""
        now = self._now()
        wait = self._buckets.get(type(frame), self._buckets[None]).take(now)
        if not wait:
            self._in_time = now
        return wait


async def received_text(websocket: WebSocket) -> str | None:
    """The next message's text; None for one of bytes.

    Raises:
        WebSocketDisconnect: if the other end has gone.
    """
    message = await websocket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code") or 1006)
    text: str | None = message.get("text")
    return text


def decoded(text: str | None, decode: Callable[[str], _F]) -> _F:
    """The frame of a message.

    Arguments:
        text: the message's; None for one of bytes.
        decode: reads a frame; raises WireError.

    Raises:
        WireError: if it is none.
    """
    if text is None:
        raise WireError("frames are text, not bytes")
    return decode(text)
