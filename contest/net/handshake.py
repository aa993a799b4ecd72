"""A connection of a console or a link over a WebSocket, from its first frame to its last: who it
is, what it may say, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from aiohttp import web

from contest.live.refusal import Refusal
from contest.net.codes import CodeTable
from contest.net.gate import Gate
from contest.net.hosts import Hosts
from contest.net.limits import (
    Bucket,
    Connections,
    Crowded,
    Limits,
    Rate,
    Waiting,
    address_of,
)
from contest.net.protocol import Client, H, I, O, WireProtocol
from contest.net.sockets import Connection, close, decoded, opened, read, received_text
from contest.net.transports import client_of
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
        request: web.Request,
        protocol: WireProtocol[H, I, O],
        table: CodeTable,
        join: Callable[[str, H, Connection[O]], Client[I]],
    ) -> web.StreamResponse:
        """Serves a connection to its end.

        Arguments:
            request: asks for a WebSocket.
            protocol: its frames.
            table: the codes of this door.
            join: lets whom a code has named in; may raise Refusal.
        """
        async with opened(request) as socket:
            last: O | None = None
            try:
                await self._attend(request, socket, protocol, table, join)
            except Crowded as exc:
                await close(socket, TRY_AGAIN, str(exc))
            except Refusal as exc:
                last = protocol.refused(exc.code, str(exc), exc.answers)
            except WireError as exc:
                last = protocol.refused("bad-frame", str(exc)[:_WORDS], "")
            if last is not None and not socket.closed:
                await socket.send_str(protocol.encode(last))
        return socket

    async def _attend(
        self,
        request: web.Request,
        socket: web.WebSocketResponse,
        protocol: WireProtocol[H, I, O],
        table: CodeTable,
        join: Callable[[str, H, Connection[O]], Client[I]],
    ) -> None:
        address = address_of(request.remote)
        try:
            async with self._waiting.place(address):
                first = decoded(await received_text(socket), protocol.decode)
        except TimeoutError:
            raise Refusal("hello", "say hello first") from None
        hello = protocol.greeted(first)
        name = await self.gate.opened(hello.code, table, address)
        if name is None:
            words = f"this code opens no {protocol.what}; look at it again, or ask"
            raise Refusal("bad-code", words, "hello")
        self.connections.admit(client_of(request.transport))

        connection = Connection(socket, protocol.encode, f"the {protocol.who}")
        client = join(name, hello, connection)
        buckets = self._buckets_of(protocol.what, name, client.rate)
        reader = asyncio.create_task(
            read(socket, protocol.decode, client.take, connection, buckets)
        )
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
            for task in (reader, writer):
                task.cancel()
            await asyncio.gather(reader, writer, return_exceptions=True)
            client.leave(connection.reason or "the connection ended")

    def _buckets_of(
        self, what: str, name: str, rate: Mapping[type | None, Rate]
    ) -> dict[type | None, Bucket]:
        now = asyncio.get_running_loop().time()
        return {
            type_: self._buckets.setdefault((what, name, type_), Bucket(each, now))
            for type_, each in rate.items()
        }
