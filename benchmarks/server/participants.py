"""The participants in the server's benchmarks: seats, links, and entries in directories.

Each uses the real protocol, and acknowledges a key as shown as soon as it arrives.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from benchmarks.bare import InotifyReader
from benchmarks.server.socket import Socket
from contest.links import linkwire
from lpp import wire
from lpp.keypress import KeyPress, Side, parse

#: Called with each key that arrives: its place (empty for an entry), number and name.
OnKey = Callable[[str, int, str], None]


class Seat:
    """A judge's or a confederate's seat.

    Arguments:
        id_: the seat's id.
        on_key: called with each key from the other side.

    Attributes:
        state: the contest's last state from the server.
        places: place to the number of keys in its talk, for talks that have been received.
        taken: place to the number up to which own keys are durable.
        refused: the server's refusals.
    """

    def __init__(self, id_: str, on_key: OnKey) -> None:
        self.id = id_
        self._on_key = on_key
        self._socket: Socket | None = None
        self._author: wire.Author = "judge"
        self.state: wire.State | None = None
        self.places: dict[str, int] = {}
        self.taken: dict[str, int] = {}
        self.refused: list[str] = []

    async def sit(self, address: str, code: str, *, take_over: bool = False) -> None:
        """Connects and sends the first frame; the answer is handled when it arrives."""
        self.places.clear()
        self._socket = await Socket.connect(address, "/seat", self._hear)
        hello = wire.Hello(code, client="benchmark", take_over=take_over)
        self._socket.send(wire.encode(hello).encode())

    @property
    def here(self) -> bool:
        """Whether the seat has received everything it needs: the state, and its talks."""
        return self.state is not None and self.places.keys() == set(self.state.places)

    @property
    def on(self) -> bool:
        """Whether keys can be pressed."""
        return self.state is not None and self.state.phase == "interaction" and self.here

    def press(self, place: wire.Place, n: int, key: str) -> None:
        """Presses a key."""
        assert self.state is not None
        assert self._socket is not None
        frame = wire.Press(self.state.round, self.state.attempt, place, n, key)
        self._socket.send(wire.encode(frame).encode())

    async def leave(self) -> None:
        """Hangs up."""
        if self._socket is not None:
            self._socket.close()
            await self._socket.lost.wait()

    def _hear(self, text: bytes) -> None:
        frame = wire.decode_to_seat(text)
        match frame:
            case wire.Key():
                self._on_key(frame.place, frame.n, frame.key)
                assert self._socket is not None
                shown = wire.Shown(frame.round, frame.attempt, frame.place, frame.author, frame.n)
                self._socket.send(wire.encode(shown).encode())
            case wire.Taken():
                self.taken[frame.place] = frame.n
            case wire.State():
                self.state = frame
            case wire.Talk():
                self.places[frame.place] = len(frame.keys)
                self.taken[frame.place] = frame.taken
            case wire.Refused():
                self.refused.append(f"{self.id}: {frame.code} {frame.message}")
            case _:
                pass


class LinkedEntry:
    """An entry with a link, as on another machine, whose directory takes no time.

    Arguments:
        id_: the entry's id.
        on_key: called with each key of the judge.

    Attributes:
        taken: the number up to which own keys are durable.
        refused: the server's refusals.
    """

    def __init__(self, id_: str, on_key: OnKey) -> None:
        self.id = id_
        self._on_key = on_key
        self._socket: Socket | None = None
        self._number = 0
        self._before = 0
        self._talk = 0
        self.here = False
        self._taken = 0
        self.refused: list[str] = []

    async def sit(self, address: str, code: str) -> None:
        """Connects and sends the first frame; the answer is handled when it arrives."""
        self._socket = await Socket.connect(address, "/link", self._hear)
        life = os.urandom(8).hex()
        self._say(linkwire.Hello(code, life, self._number + 1, client="benchmark"))

    def press(self, n: int, key: str) -> None:
        """Makes a key press."""
        raw = KeyPress.make(n, key, Side.OTHER).raw
        self._say(linkwire.Key(self._next(), self._talk, raw))

    @property
    def taken(self) -> int:
        """The number up to which own keys are durable."""
        return max(0, self._taken - self._before)

    async def leave(self) -> None:
        """Hangs up."""
        if self._socket is not None:
            self._socket.close()
            await self._socket.lost.wait()

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _say(self, frame: linkwire.ToServer) -> None:
        assert self._socket is not None
        self._socket.send(linkwire.encode(frame).encode())

    def _hear(self, text: bytes) -> None:
        frame = linkwire.decode_to_link(text)
        match frame:
            case linkwire.Press():
                self._on_key("", frame.n, frame.key)
                self._say(linkwire.Made(frame.talk, frame.n))
            case linkwire.Taken():
                self._taken = frame.n
                self._say(linkwire.Gone(frame.n))
            case linkwire.Ping():
                self._say(linkwire.Pong(frame.n))
            case linkwire.Prepare():
                self._talk = frame.talk
                self._say(linkwire.Prepared(self._next(), frame.talk))
                self._before = self._number
            case linkwire.Welcome():
                self.here = True
            case linkwire.Refused():
                self.refused.append(f"{self.id}: {frame.code} {frame.message}")


class DirectoryEntry:
    """An entry with a communications directory, as direct as possible in Python: it reads only
    inotify's events.

    Arguments:
        id_: the entry's id.
        directory: its directory.
        on_key: called with each key of the judge.
    """

    def __init__(self, id_: str, directory: str, on_key: OnKey) -> None:
        self.id = id_
        self._directory = directory
        self._on_key = on_key
        self._reader = InotifyReader(directory)
        self._read = 0
        self._pressed = 0
        self.here = True
        self.refused: list[str] = []
        asyncio.get_running_loop().add_reader(self._reader.fileno(), self._hear)

    @property
    def taken(self) -> int:
        """The number of own keys that are durable: the server has removed their directories."""
        return self._pressed - sum(name.endswith(".other") for name in os.listdir(self._directory))

    def press(self, n: int, key: str) -> None:
        """Makes a key press."""
        os.mkdir(f"{self._directory}/{KeyPress.make(n, key, Side.OTHER).raw}")
        self._pressed += 1

    async def leave(self) -> None:
        """Stops reading."""
        asyncio.get_running_loop().remove_reader(self._reader.fileno())
        self._reader.close()

    def _hear(self) -> None:
        for name in self._reader.names():
            parsed = parse(name)
            if parsed is not None and parsed[0].side is Side.JUDGE:
                self._read += 1
                self._on_key("", self._read, parsed[0].key)
                os.rmdir(f"{self._directory}/{name}")
