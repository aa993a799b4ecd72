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
from dataclasses import dataclass, replace

from contest.net.codes import CodeTable

log = logging.getLogger(__name__)

#: Seconds between two answers to wrong codes, wherever they are from.
SPACING = 0.25
#: Wrong codes that may wait for their answer.
HELD = 60
#: Wrong codes of one address that are reported: fewer are somebody's slips.
TOLD = 3
#: Addresses that are reported; beyond them there is one report more, for all others.
TOLD_ADDRESSES = 20
#: Addresses whose wrong codes are counted; with one more, counting begins again.
ADDRESSES = 10_000
#: Bits of an IPv6 address that tell one machine's network from another's: within them a machine
#: gives itself as many addresses as it likes.
_NETWORK = 64


@dataclass(frozen=True, slots=True)
class Rate:
    """How much may come: so much in a `second`, and a `burst` after a silence."""

    second: float
    burst: int


@dataclass(frozen=True)
class Limits:
    """The numbers.

    Attributes:
        keys: `press`, and `shown`, of a seat. Beyond this the server reads more slowly; after 15
            seconds of that it closes the connection by 1013.
        frames: all other frames of a console; as `keys`.
        link: frames of a link; as `keys`.
        hello: seconds until `hello`; then the connection is refused and closed.
        connections: connections at once. Beyond this the address with the most loses its oldest
            idle one, or its oldest, but never one that has sent a right code.
        head: bytes of an HTTP request's first line and headers; more is refused by 431.
        body: bytes of an HTTP request's body; more is refused by 413.
        request: seconds until an HTTP request is complete; later it is refused by 408.
        stuck: seconds during which a client takes nothing of what waits for it; then it is
            disconnected.
    """

    keys: Rate = Rate(200, 10_000)
    frames: Rate = Rate(5, 50)
    link: Rate = Rate(1000, 10_000)
    hello: float = 10.0
    connections: int = 4000
    head: int = 16 * 1024
    body: int = 256 * 1024
    request: float = 10.0
    stuck: float = 30.0

    def faster(self, speed: float) -> Limits:
        """The numbers for a contest where time runs faster: people and entries type so much
        faster."""
        much = max(1.0, speed)
        keys, frames, link = (
            Rate(rate.second * much, rate.burst) for rate in (self.keys, self.frames, self.link)
        )
        return replace(self, keys=keys, frames=frames, link=link)


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
        """Takes one at this time, by the same clock; gives the seconds to wait before it is used: 0
        as a rule."""
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


class Crowded(Exception):
    """There is no room now; the other end may come again. The text is for a person."""


class Gate:
    """Lets people in by a code.

    A right code opens at once: it is looked up in memory before anything waits. So nobody can keep
    anybody out, also from the same address, and also right after a restart.

    Wrong codes are answered one after another, `SPACING` apart. Only so many may wait; more are
    turned away. An address from which wrong codes come again and again is recorded, once.

    Arguments:
        tell: told an address, and how many wrong codes have come from it.
    """

    def __init__(self, tell: Callable[[str, int], None] = lambda _address, _tries: None) -> None:
        self._tell = tell
        self._wrong: Counter[str] = Counter()
        self._told = 0
        self._held = 0
        self._turn = asyncio.Lock()
        self._closing = asyncio.Event()

    async def opened(self, code: str, table: CodeTable, address: str) -> str | None:
        """The name in a table that a code opens, at once; or None for a wrong code, late. The try
        counts for an address, as `address_of` gives it.

        Raises:
            Crowded: for a wrong code, if too many wait already, or the server ends.
        """
        name = table.find(code)
        if name is not None:
            return name
        self._count(address)
        if self._held >= HELD:
            raise Crowded("too many wrong codes were tried; check yours, and try again later")
        self._held += 1
        try:
            async with self._turn:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(SPACING):
                        await self._closing.wait()
                        raise Crowded("the server ends")
        finally:
            self._held -= 1
        return None

    def close(self) -> None:
        """Turns away all who wait, now and from now on: the server ends."""
        self._closing.set()

    def _count(self, address: str) -> None:
        if len(self._wrong) >= ADDRESSES:
            self._wrong.clear()
        self._wrong[address] += 1
        log.info("a wrong code from %s, number %d", address, self._wrong[address])
        if self._wrong[address] == TOLD:
            self._told += 1
            if self._told <= TOLD_ADDRESSES:
                self._tell(address, TOLD)
            elif self._told == TOLD_ADDRESSES + 1:
                self._tell("further addresses", TOLD)
