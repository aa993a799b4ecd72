"""A connection of a console or a link over a WebSocket, from its first frame to its last: who it
is, what it may say, and how it ends."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from contest.doors.codes import CodeTable
from contest.doors.gate import Gate
from contest.doors.hosts import Hosts
from contest.doors.incoming import Reader, decoded, received_text
from contest.doors.limits import (
    Bucket,
    Connections,
    Crowded,
    Limits,
    Rate,
    Waiting,
    address_of,
)
from contest.doors.outgoing import LAST_WORDS, Connection
from contest.doors.protocol import Client, H, I, O, WireProtocol
from contest.doors.shortcut import Shortcut
from contest.talks.refusal import Refusal
from lpp.wire import WireError

#: WebSocket's code for "try again later": the other end comes back by itself.
TRY_AGAIN = 1013
#: Characters of an error's text that the other end is told.
_WORDS = 500


class Porter:
    """What all doors of a server have together: the gate, limits, names, connections, and who waits
    outside.

    Arguments:
        gate: looks codes up.
        limits: of everything.
        hosts: this server's names.
    """

    def __init__(
        self, gate: Gate | None = None, limits: Limits | None = None, hosts: Hosts | None = None
    ) -> None:
        self.gate = gate or Gate()
        self.limits = limits or Limits()
        self.hosts = hosts or Hosts()
        self.connections = Connections(self.limits)
        self._waiting = Waiting(self.limits)
        # By who it is, and not by connection: coming again gives nobody more.
        self._buckets: dict[tuple[str, str, type | None], Bucket] = {}

    async def attend(
        self,
        websocket: WebSocket,
        protocol: WireProtocol[H, I, O],
        table: CodeTable,
        join: Callable[[str, H, Connection[O]], Client[I]],
    ) -> None:
        """Serves a connection to its end.

        Arguments:
            websocket: one that asks to be accepted.
            protocol: its frames.
            table: the codes of this door.
            join: lets whom a code has named in; may raise Refusal.
        """
        with contextlib.suppress(WebSocketDisconnect, TimeoutError):
            await websocket.accept()
            code, why = 1000, ""
            last: O | None = None
            try:
                await self._attend(websocket, protocol, table, join)
            except Crowded as exc:
                code, why = TRY_AGAIN, str(exc)
            except Refusal as exc:
                last = protocol.refused(exc.code, str(exc), exc.answers)
            except WireError as exc:
                last = protocol.refused("bad-frame", str(exc)[:_WORDS], "")
            # Whoever does not take what he is told is not waited for.
            async with asyncio.timeout(LAST_WORDS):
                if websocket.application_state is WebSocketState.DISCONNECTED:
                    return
                if last is not None:
                    await websocket.send_text(protocol.encode(last))
                await websocket.close(code, why)

    async def _attend(
        self,
        websocket: WebSocket,
        protocol: WireProtocol[H, I, O],
        table: CodeTable,
        join: Callable[[str, H, Connection[O]], Client[I]],
    ) -> None:
        address = address_of(websocket.client.host if websocket.client is not None else None)
        try:
            async with self._waiting.place(address):
                first = decoded(await received_text(websocket), protocol.decode)
        except TimeoutError:
            raise Refusal("hello", "say hello first") from None
        hello = protocol.greeted(first)
        name = await self.gate.opened(hello.code, table, address)
        if name is None:
            words = f"this code opens no {protocol.what}; look at it again, or ask"
            raise Refusal("bad-code", words, "hello")
        self.connections.admit(websocket.client)

        shortcut = Shortcut.of(websocket.scope)
        connection = Connection(websocket, protocol.encode, f"the {protocol.who}", shortcut)
        client = join(name, hello, connection)
        buckets = self._buckets_of(protocol.what, name, client.rate)
        reading = Reader(websocket, protocol.decode, client.take, connection, buckets)
        if shortcut is not None:
            shortcut.hear = reading.hear
        reader = asyncio.create_task(reading.read())
        writer = asyncio.create_task(connection.write())
        try:
            done, _ = await asyncio.wait({reader, writer}, return_when=asyncio.FIRST_COMPLETED)
            if reader in done and reader.exception() is None:
                # It was closed from here: what was said before goes out.
                await asyncio.wait({writer})
                done.add(writer)
            for task in done:
                task.result()
        finally:
            if shortcut is not None:
                shortcut.hear = None
            for task in (reader, writer):
                task.cancel()
                with contextlib.suppress(
                    asyncio.CancelledError, WebSocketDisconnect, WireError, Refusal, Crowded
                ):
                    await task
            client.leave(connection.reason or "the connection ended")

    def _buckets_of(
        self, what: str, name: str, rate: Mapping[type | None, Rate]
    ) -> dict[type | None, Bucket]:
        now = asyncio.get_running_loop().time()
        return {
            type_: self._buckets.setdefault((what, name, type_), Bucket(each, now))
            for type_, each in rate.items()
        }
