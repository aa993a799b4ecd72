"""How much the server takes from anybody: the numbers, and what holds them.

What is beyond a limit waits, and is refused only where waiting would not help. Nobody who plays by
the rules meets a limit: a person types ten keys in a second, and a console that was cut off for a
whole round comes back with some thousands.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from contest.net.codes import CodeTable

log = logging.getLogger(__name__)

#: Seconds between two answers to wrong codes at one address, and before the first.
PAUSE = 1.0
#: Seconds between two answers to wrong codes, wherever they are from.
SPACING = 0.25
#: Wrong codes that may wait for their answer, of one address and of all.
HELD_PER_ADDRESS, HELD = 60, 240
#: Wrong codes of one address that are reported: fewer are somebody's slips.
TOLD = 3
#: Addresses that are reported; beyond them there is one report more, for all others.
TOLD_ADDRESSES = 20
#: Seconds without a wrong code after which an address is as good as new.
FORGOTTEN = 600.0
#: Addresses that are remembered; beyond them the one that was silent longest is forgotten.
ADDRESSES = 10_000
#: Bits of an IPv6 address that tell one machine's network from another's: within them a machine
#: gives itself as many addresses as it likes.
_NETWORK = 64


@dataclass(frozen=True, slots=True)
class Rate:
    """How much may come: so much in a `second`, and a `burst` after a silence."""

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
        hello: seconds that a connection has to say who it is.
        request: seconds that an HTTP request has to come in whole.
        body: bytes of a request's body.
        head: bytes of a request's first line and headers.
        stuck: seconds after which a connection that takes nothing of what waits for it is cut.
        home: whether an address of this machine itself may have any number: its consoles, links and
            browsers are the organizer's, and benchmarks have hundreds.
        keys: what a person may press and be shown.
        frames: what else a console may say.
        link: what a link may say.
    """

    connections: int = 4000
    per_address: int = 1000
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
    """Holds a rate (a token bucket).

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
    """The address that a connection counts for: the other end's, as the socket has it; of an IPv6
    address its network, because a machine has a whole one to itself; of an IPv4 address that is
    written as IPv6 the IPv4 address."""
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


def _at_home(address: str) -> bool:
    """Whether what `address_of` gave is this machine itself."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(address).is_loopback
    return False


class Line(Protocol):
    """A connection."""

    @property
    def idle(self) -> bool:
        """Whether no request has been under way for a while."""

    def cut(self) -> None:
        """Ends it at once."""


class Connections:
    """All connections of a server.

    A connection is admitted once its other end has shown a right code or a session. When there are
    too many, one that is not admitted is cut off: the oldest idle one, or else the oldest; where
    there are too many from everywhere, from the address that has the most of them. So a flood
    pushes out itself, also at an address that others share, and admitted connections stay.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._addresses: dict[Line, str] = {}
        self._counts: Counter[str] = Counter()
        # Those that are not admitted, by address, the oldest first.
        self._strangers: dict[str, dict[Line, None]] = {}

    def __len__(self) -> int:
        return len(self._addresses)

    def come(self, line: Line, address: str) -> None:
        """Counts a new connection, and makes room for it.

        Arguments:
            line: the connection.
            address: the other end's, as `address_of` gives it.
        """
        self._addresses[line] = address
        self._counts[address] += 1
        self._strangers.setdefault(address, {})[line] = None
        uncounted = self._limits.home and _at_home(address)
        if self._counts[address] > self._limits.per_address and not uncounted:
            self._make_room(self._strangers[address])
        elif len(self) > self._limits.connections:
            self._make_room(max(self._strangers.values(), key=len))

    def admit(self, line: Line) -> None:
        """Notes that the other end of a connection has shown who it is."""
        address = self._addresses.get(line, "")
        crowd = self._strangers.get(address, {})
        crowd.pop(line, None)
        if not crowd:
            self._strangers.pop(address, None)

    def go(self, line: Line) -> None:
        """Forgets a connection, if it has not been cut off."""
        if line in self._addresses:
            self.admit(line)
            address = self._addresses.pop(line)
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]

    def _make_room(self, crowd: dict[Line, None]) -> None:
        line = next((each for each in crowd if each.idle), next(iter(crowd)))
        self.go(line)
        line.cut()


class Crowded(Exception):
    """There is no room now; the other end may come again. The text is for a person."""


@dataclass
class _Address:
    """An address from which wrong codes came: how many so far, when the last one did, how many
    wait for their answer, and whose turn it is."""

    wrong: int = 0
    seen: float = 0.0
    held: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Gate:
    """Lets people in by a code.

    A right code opens at once: it is looked up in memory before anything waits. So nobody can keep
    anybody out, also from the same address, and also right after a restart.

    A wrong code is answered late. The tries of one address are answered one after another, `PAUSE`
    apart, and those of all addresses `SPACING` apart. Only so many may wait; more are turned away.
    An address from which wrong codes come again and again goes on record, once.

    Arguments:
        tell: told an address, and how many wrong codes have come from it.
    """

    def __init__(self, tell: Callable[[str, int], None] = lambda _address, _tries: None) -> None:
        self._tell = tell
        self._addresses: dict[str, _Address] = {}
        self._told = 0
        self._held = 0
        self._turn = asyncio.Lock()
        self._answered = -SPACING
        self._closing = asyncio.Event()

    async def opened(self, code: str, table: CodeTable, address: str) -> str | None:
        """The name in a table that a code opens, at once; or None for a wrong code, late.

        Arguments:
            code: as it was given.
            table: the codes that are good here.
            address: whose try it is, as `address_of` gives it.

        Raises:
            Crowded: for a wrong code, if too many wait already, or the server ends.
        """
        name = table.find(code)
        if name is None:
            await self._hold(address)
        return name

    def close(self) -> None:
        """Turns away all who wait, now and from now on: the server ends."""
        self._closing.set()

    async def _hold(self, address: str) -> None:
        """Waits until a wrong code may be answered."""
        one = self._of(address)
        one.wrong += 1
        if one.wrong == TOLD:
            self._tell_of(address)
        if one.held >= HELD_PER_ADDRESS or self._held >= HELD:
            raise Crowded("too many wrong codes are tried; look at yours, and try again later")
        log.info("a wrong code from %s, number %d", address, one.wrong)
        one.held += 1
        self._held += 1
        try:
            async with one.turn:
                await self._pause(PAUSE)
                async with self._turn:
                    now = asyncio.get_running_loop().time
                    await self._pause(self._answered + SPACING - now())
                    self._answered = now()
        finally:
            one.held -= 1
            self._held -= 1

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._closing.wait()
                raise Crowded("the server ends")

    def _tell_of(self, address: str) -> None:
        self._told += 1
        if self._told <= TOLD_ADDRESSES:
            self._tell(address, TOLD)
        elif self._told == TOLD_ADDRESSES + 1:
            self._tell("further addresses", TOLD)

    def _of(self, address: str) -> _Address:
        now = asyncio.get_running_loop().time()
        one = self._addresses.pop(address, None)
        if one is None or (now - one.seen > FORGOTTEN and not one.held):
            one = _Address()
        if len(self._addresses) >= ADDRESSES:
            idle = (name for name, each in self._addresses.items() if not each.held)
            self._addresses.pop(next(idle, ""), None)
        one.seen = now
        # Last in the order of silence.
        self._addresses[address] = one
        return one
