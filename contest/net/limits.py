"""How much of anything the server takes from anybody: numbers, and the two counters that hold them.

What is beyond a limit waits, and is refused only where waiting would not help. Nobody who plays by
the rules meets any of them: a person types ten keys in a second, and a console that was cut off
for a whole round comes back with some thousands.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TypeAlias

#: The other end of a connection: its host and port.
Client: TypeAlias = tuple[str, int]

#: Bits of an IPv6 address that tell one machine's network from another's: within them a machine
#: gives itself as many addresses as it likes.
_NETWORK = 64


@dataclass(frozen=True, slots=True)
class Rate:
    """How much may come.

    Attributes:
        second: in a second, for as long as anybody likes.
        burst: at once, after a silence.
    """

    second: float
    burst: int

    def faster(self, speed: float) -> Rate:
        """The rate in a contest where time runs faster."""
        return Rate(self.second * max(1.0, speed), self.burst)


@dataclass(frozen=True, slots=True)
class Limits:
    """The numbers.

    Attributes:
        connections: at once, from everywhere.
        per_address: at once, from one address.
        waiting: connections at seats and links that have not said who they are, from everywhere.
        waiting_per_address: the same, from one address.
        hello: seconds that a connection has to say who it is.
        request: seconds that an HTTP request has to come in whole.
        body: bytes of a request's body.
        head: bytes of a request's first line and headers.
        stuck: seconds after which a connection that takes nothing of what waits for it is cut.
        home: whether connections from this machine itself go uncounted: its consoles, links and
            browsers are the organizer's, and rehearsals and benchmarks have hundreds.
        keys: what a person may press and be shown.
        frames: what else a console may say.
        link: what a link may say.
    """

    connections: int = 4000
    per_address: int = 1000
    waiting: int = 256
    waiting_per_address: int = 64
    hello: float = 10.0
    request: float = 10.0
    body: int = 256 * 1024
    head: int = 16 * 1024
    stuck: float = 30.0
    home: bool = True
    keys: Rate = Rate(200, 10_000)
    frames: Rate = Rate(5, 50)
    link: Rate = Rate(1000, 10_000)


class Bucket:
    """Holds a rate: gives out what is there, and says how long to wait for more.

    Arguments:
        rate: which.
        now: the time at which it is full, in seconds of any clock that is not set back.
    """

    def __init__(self, rate: Rate, now: float) -> None:
        self._rate = rate
        self._left = float(rate.burst)
        self._at = now

    def take(self, now: float) -> float:
        """Takes one.

        Arguments:
            now: the time, by the same clock.

        Returns:
            Seconds to wait before it is used; 0 as a rule.
        """
        gained = (now - self._at) * self._rate.second
        self._left = min(self._left + gained, float(self._rate.burst)) - 1
        self._at = now
        return max(0.0, -self._left / self._rate.second)


def address_of(host: str | None) -> str:
    """The address that a connection counts for.

    Arguments:
        host: the other end's, as the socket has it; None for a socket without any.

    Returns:
        The same; of an IPv6 address its network, for a machine has a whole one to itself; of an
        IPv4 address that is written as IPv6 that address.
    """
    try:
        address = ipaddress.ip_address((host or "").partition("%")[0])
    except ValueError:
        return host or "nowhere"
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        if not address.is_loopback:
            return str(ipaddress.ip_network((int(address), _NETWORK), strict=False))
    return str(address)


def at_home(address: str) -> bool:
    """Whether what `address_of` gave is this machine itself."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class _Line:
    rests: Callable[[], bool]
    cut: Callable[[], None]


class Connections:
    """All connections of a server.

    A connection is admitted once its other end has shown a right code or a session. When there are
    too many, one that is not admitted is cut off: the oldest that rests, or else the oldest; where
    there are too many from everywhere, from the address that has the most of them. So idle
    connections keep nobody out who comes from the same address, and admitted ones always stay.

    Arguments:
        limits: see Limits.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._addresses: dict[Client, str] = {}
        self._counts: Counter[str] = Counter()
        # Those that are not admitted, by address, the oldest first.
        self._strangers: dict[str, dict[Client, _Line]] = {}

    def __len__(self) -> int:
        return len(self._addresses)

    def come(self, client: Client, rests: Callable[[], bool], cut: Callable[[], None]) -> None:
        """Counts a new connection, and makes room for it.

        Arguments:
            client: its other end's host and port.
            rests: whether it has been idle for a while.
            cut: cuts it off.
        """
        address = address_of(client[0])
        self._addresses[client] = address
        self._counts[address] += 1
        crowd = self._strangers.setdefault(address, {})
        crowd[client] = _Line(rests, cut)
        uncounted = self._limits.home and at_home(address)
        if self._counts[address] > self._limits.per_address and not uncounted:
            self._make_room(crowd)
        elif len(self) > self._limits.connections:
            self._make_room(max(self._strangers.values(), key=len))

    def admit(self, client: Client | None) -> None:
        """Notes that the other end of a connection has shown who it is."""
        if client in self._addresses:
            self._pop(client)

    def go(self, client: Client) -> None:
        """Forgets a connection, if it has not been cut off."""
        address = self._addresses.get(client)
        if address is None:
            return
        self._pop(client)
        del self._addresses[client]
        self._counts[address] -= 1
        if not self._counts[address]:
            del self._counts[address]

    def _make_room(self, crowd: dict[Client, _Line]) -> None:
        oldest = next(iter(crowd))
        client = next((each for each, line in crowd.items() if line.rests()), oldest)
        line = crowd[client]
        self.go(client)
        line.cut()

    def _pop(self, client: Client) -> None:
        address = self._addresses[client]
        crowd = self._strangers.get(address, {})
        crowd.pop(client, None)
        if not crowd:
            self._strangers.pop(address, None)


class Crowded(Exception):
    """There is no room for a connection now; it may come again. The text is for a person."""


@dataclass(eq=False, slots=True)
class _Place:
    time: asyncio.Timeout | None = None
    taken_away: bool = False

    def take_away(self) -> None:
        assert self.time is not None
        self.taken_away = True
        if not self.time.expired():
            self.time.reschedule(asyncio.get_running_loop().time())


class Waiting:
    """Connections that have not yet said who they are.

    When there are too many, the one that has waited longest has to go: first among those of the
    same address, then among those of the address that has the most. So a flood pushes out itself,
    and whoever speaks at once is heard.

    Arguments:
        limits: see Limits.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        # By address, the oldest first.
        self._places: dict[str, list[_Place]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._places.values()))

    @asynccontextmanager
    async def place(self, address: str) -> AsyncIterator[None]:
        """Waits in the context, for as long as a connection has.

        Arguments:
            address: as `address_of` gives it.

        Raises:
            TimeoutError: if its time is over.
            Crowded: if others need the place.
        """
        place = _Place()
        try:
            async with asyncio.timeout(self._limits.hello) as place.time:
                with self._counted(place, address):
                    yield
        except TimeoutError:
            if place.taken_away:
                raise Crowded("too many connections wait here") from None
            raise

    @contextmanager
    def _counted(self, place: _Place, address: str) -> Iterator[None]:
        if self._limits.home and at_home(address):
            yield
            return
        mine = self._places.setdefault(address, [])
        mine.append(place)
        if len(mine) > self._limits.waiting_per_address:
            mine.pop(0).take_away()
        elif len(self) > self._limits.waiting:
            max(self._places.values(), key=len).pop(0).take_away()
        try:
            yield
        finally:
            with contextlib.suppress(ValueError):
                mine.remove(place)
            if not mine and self._places.get(address) is mine:
                del self._places[address]
