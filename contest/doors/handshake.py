"""A connection of a console or a link, from its first frame to its last: who it is, what it may
say, and how it ends. Both speak alike, and differ in their frames alone: a `Tongue` has those.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

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
from contest.doors.shortcut import Shortcut
from contest.talks.refusal import Refusal
from lpp.wire import WireError

#: WebSocket's code for "try again later": the other end comes back by itself.
TRY_AGAIN = 1013
#: Characters of an error's text that the other end is told.
_WORDS = 500


class Hello(Protocol):
    """A first frame."""

    @property
    def code(self) -> str:
        """The secret code."""

    @property
    def version(self) -> int:
        """Of the protocol."""


_H = TypeVar("_H", bound=Hello)
_I = TypeVar("_I")
_O = TypeVar("_O")


@dataclass(frozen=True)
class Tongue(Generic[_H, _I, _O]):
    """How one kind of other end speaks.

    Attributes:
        who: what it is called, such as `console`.
        what: what its code opens, such as `seat`.
        version: of the protocol.
        hello: the first frame's type.
        decode: reads a frame; raises WireError.
        encode: a frame's text.
        refused: makes the frame that says no, of code, message, and what it answers.
    """

    who: str
    what: str
    version: int
    hello: type[_H]
    decode: Callable[[str], _I]
    encode: Callable[[_O], str]
    refused: Callable[[str, str, str], _O]


@dataclass(frozen=True)
class Place(Generic[_I]):
    """What the other end has sat down at.

    Attributes:
        take: takes a frame; may raise Refusal, which ends the connection.
        leave: told why the connection has ended.
        rate: how fast frames of a type may come, by type; those of other types count for `None`.
    """

    take: Callable[[_I], None]
    leave: Callable[[str], None]
    rate: Mapping[type | None, Rate]


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
        tongue: Tongue[_H, _I, _O],
        table: CodeTable,
        sit: Callable[[str, _H, Connection[_O]], Place[_I]],
    ) -> None:
        """Serves a connection to its end.

        Arguments:
            websocket: one that asks to be accepted.
            tongue: how its other end speaks.
            table: the codes of this door.
            sit: lets whoever has opened something sit down there; may raise Refusal.
        """
        with contextlib.suppress(WebSocketDisconnect, TimeoutError):
            await websocket.accept()
            code, why = 1000, ""
            last: _O | None = None
            try:
                await self._attend(websocket, tongue, table, sit)
            except Crowded as exc:
                code, why = TRY_AGAIN, str(exc)
            except Refusal as exc:
                last = tongue.refused(exc.code, str(exc), exc.answers)
            except WireError as exc:
                last = tongue.refused("bad-frame", str(exc)[:_WORDS], "")
            # Whoever does not take what he is told is not waited for.
            async with asyncio.timeout(LAST_WORDS):
                if websocket.application_state is WebSocketState.DISCONNECTED:
                    return
                if last is not None:
                    await websocket.send_text(tongue.encode(last))
                await websocket.close(code, why)

    async def _attend(
        self,
        websocket: WebSocket,
        tongue: Tongue[_H, _I, _O],
        table: CodeTable,
        sit: Callable[[str, _H, Connection[_O]], Place[_I]],
    ) -> None:
        address = address_of(websocket.client.host if websocket.client is not None else None)
        try:
            async with self._waiting.place(address):
                hello = decoded(await received_text(websocket), tongue.decode)
        except TimeoutError:
            raise Refusal("hello", "say hello first") from None
        if not isinstance(hello, tongue.hello):
            raise Refusal("hello", "say hello first", _tag(hello))
        if hello.version != tongue.version:
            raise Refusal(
                "version",
                f"this server speaks version {tongue.version}, the {tongue.who} version "
                f"{hello.version}; install the same release on both",
                "hello",
            )
        name = await self.gate.opened(hello.code, table, address)
        if name is None:
            words = f"this code opens no {tongue.what}; look at it again, or ask"
            raise Refusal("bad-code", words, "hello")
        self.connections.admit(websocket.client)

        shortcut = Shortcut.of(websocket.scope)
        connection = Connection(websocket, tongue.encode, f"the {tongue.who}", shortcut)
        place = sit(name, hello, connection)
        buckets = self._buckets_of(tongue.what, name, place.rate)
        reading = Reader(websocket, tongue.decode, place.take, connection, buckets)
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
            place.leave(connection.reason or "the connection ended")

    def _buckets_of(
        self, what: str, name: str, rate: Mapping[type | None, Rate]
    ) -> dict[type | None, Bucket]:
        now = asyncio.get_running_loop().time()
        return {
            type_: self._buckets.setdefault((what, name, type_), Bucket(each, now))
            for type_, each in rate.items()
        }


def _tag(frame: object) -> str:
    return str(getattr(getattr(frame, "__struct_config__", None), "tag", ""))
