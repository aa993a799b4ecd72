"""What consoles and links have in common at the server: a first frame that says hello, then frames
both ways until one end leaves. `handshake` carries it over WebSockets, `memory` within a process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from contest.live.refusal import Refusal
from contest.live.seats import Outlet, Seats
from contest.net.limits import Limits, Rate
from lpp import wire


class Hello(Protocol):
    """A first frame."""

    @property
    def code(self) -> str:
        """The secret code."""

    @property
    def version(self) -> int:
        """Of the protocol."""


H = TypeVar("H", bound=Hello)
I = TypeVar("I")  # noqa: E741 -- in
O = TypeVar("O")  # noqa: E741 -- out


@dataclass(frozen=True)
class WireProtocol(Generic[H, I, O]):
    """The frames of one kind of client.

    Attributes:
        who: what the client is called, such as `console`.
        what: what its code opens, such as `seat`.
        version: of the protocol.
        hello: the first frame's type.
        decode: reads a frame; raises WireError.
        encode: a frame's text.
        refused: makes the frame that refuses, of code, message, and the type that it answers.
    """

    who: str
    what: str
    version: int
    hello: type[H]
    decode: Callable[[str], I]
    encode: Callable[[O], str]
    refused: Callable[[str, str, str], O]

    def greeted(self, frame: object) -> H:
        """The first frame of a connection, as a hello.

        Raises:
            Refusal: if it is none, or of another version.
        """
        if not isinstance(frame, self.hello):
            tag = getattr(getattr(frame, "__struct_config__", None), "tag", "")
            raise Refusal("hello", "say hello first", str(tag))
        if frame.version != self.version:
            raise Refusal(
                "version",
                f"this server speaks version {self.version}, the {self.who} version "
                f"{frame.version}; install the same release on both",
                "hello",
            )
        return frame


@dataclass(frozen=True)
class Client(Generic[I]):
    """A client that was let in.

    Attributes:
        take: takes a frame; may raise Refusal, which ends the connection.
        leave: told why the connection has ended.
        rate: how fast frames of a type may come, by type; those of other types count for `None`.
    """

    take: Callable[[I], None]
    leave: Callable[[str], None]
    rate: Mapping[type | None, Rate] = field(default_factory=dict)


SEAT: WireProtocol[wire.Hello, wire.ToServer, wire.ToSeat] = WireProtocol(
    *("console", "seat", wire.VERSION, wire.Hello),
    *(wire.decode_to_server, wire.encode, wire.Refused),
)


def join_seat(
    seats: Seats, limits: Limits, seat_id: str, hello: wire.Hello, outlet: Outlet
) -> Client[wire.ToServer]:
    """Lets a console sit down.

    Arguments:
        seats: of the contest.
        limits: how fast people may type, in real time.
        seat_id: which seat its code opened.
        hello: its first frame.
        outlet: its connection.

    Raises:
        Refusal: if somebody sits there.
    """
    keys = limits.keys.faster(seats.speed)
    seat = seats.join(seat_id, outlet, hello.client, hello.take_over)
    return Client(
        lambda frame: seats.handle(seat, frame),
        lambda why: seats.leave(seat, outlet, why),
        {wire.Press: keys, wire.Shown: keys, None: limits.frames.faster(seats.speed)},
    )
