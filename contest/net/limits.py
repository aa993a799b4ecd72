"""Limits on what the server accepts from a client, and the classes that enforce them.

Traffic beyond a limit is delayed, and refused only if waiting would not help. Normal use stays
below the limits: a person types ten keys a second, and a console that was disconnected for a whole
round returns with a few thousand.
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
from texts import Sentence

log = logging.getLogger(__name__)

#: Seconds between two answers to wrong codes, from any address.
SPACING = 0.25
#: The maximum number of wrong codes that wait for their answers.
MAX_WAITING = 60
#: Wrong codes from one address before it is reported; fewer may be typing mistakes.
REPORT_AFTER = 3
#: How many addresses are reported; one more report covers all others.
REPORTED_ADDRESSES = 20
#: How many addresses' wrong codes are counted; beyond that, all counts restart.
COUNTED_ADDRESSES = 10_000
#: Bits of the network part of an IPv6 address; within its network, a machine can give itself any
#: number of addresses.
_NETWORK = 64


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate limit: how many per second, and how many at once (`burst`) after a silence."""

    per_second: float
    burst: int


@dataclass(frozen=True)
class Limits:
    """The limits.

    Attributes:
        keys: `press`, and `shown`, of a seat. Beyond this the server reads more slowly; after 15
            seconds of that it closes the connection with code 1013.
        frames: all other frames of a console; handled as for `keys`.
        link: frames of a link; handled as for `keys`.
        hello: seconds until `hello`; then the connection is refused and closed.
        connections: simultaneous connections. Beyond this the address with the most loses its
            oldest idle one, or its oldest, but never one that has sent a right code.
        head: bytes of an HTTP request's first line and headers; more is refused with 431.
        body: bytes of an HTTP request's body; more is refused with 413.
        request: seconds until an HTTP request is complete; after that it is refused with 408.
        stuck: seconds without reading any of the waiting data after which a client is disconnected.
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
        """The limits for a contest whose clock runs faster, where people and entries type faster
        by the same factor."""
        factor = max(1.0, speed)
        keys, frames, link = (
            Rate(rate.per_second * factor, rate.burst)
            for rate in (self.keys, self.frames, self.link)
        )
        return replace(self, keys=keys, frames=frames, link=link)


class Bucket:
    """Enforces a rate (a token bucket).

    Arguments:
        rate: the rate.
        now: the time at which it is full, in seconds of any monotonic clock.
    """

    def __init__(self, rate: Rate, now: float) -> None:
        self._rate = rate
        self._left = float(rate.burst)
        self._at = now

    def take(self, now: float) -> float:
        """Takes one token at a time of the same clock; returns the seconds to wait before using it,
        usually 0."""
        gained = (now - self._at) * self._rate.per_second
        self._left = min(self._left + gained, float(self._rate.burst)) - 1
        self._at = now
        return max(0.0, -self._left / self._rate.per_second)


def address_of(host: str | None) -> str:
    """The address under which a connection is counted: the peer's address; for IPv6 its network,
    because a machine has a whole network to itself; for an IPv4 address in IPv6 form the IPv4
    address."""
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


class TooBusy(Exception):
    """The server is too busy for the client, which may try again. The text is for a person."""


class Gate:
    """Checks codes.

    A right code is accepted immediately: it is looked up in memory, without any waiting. So nobody
    can lock anybody out, not even from the same address or right after a restart.

    Wrong codes are answered one after another, `SPACING` seconds apart. If too many are waiting,
    further ones are refused. An address that keeps sending wrong codes is recorded once.

    Arguments:
        report: called with an address and its number of wrong codes.
    """

    def __init__(self, report: Callable[[str, int], None] = lambda _address, _tries: None) -> None:
        self._report = report
        self._wrong: Counter[str] = Counter()
        self._reported = 0
        self._waiting = 0
        self._turn = asyncio.Lock()
        self._closing = asyncio.Event()

    async def check(self, code: str, table: CodeTable, address: str) -> str | None:
        """Returns the name that a code belongs to, immediately; for a wrong code returns None,
        after a delay. A wrong code counts against the address, as `address_of` gives it.

        Raises:
            TooBusy: for a wrong code, if too many are waiting or the server is stopping.
        """
        name = table.find(code)
        if name is not None:
            return name
        self._count(address)
        if self._waiting >= MAX_WAITING:
            raise TooBusy(Sentence("board.login.crowded"))
        self._waiting += 1
        try:
            async with self._turn:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(SPACING):
                        await self._closing.wait()
                        raise TooBusy(Sentence("board.login.stopping"))
        finally:
            self._waiting -= 1
        return None

    def close(self) -> None:
        """Refuses all wrong codes immediately from now on, because the server is stopping."""
        self._closing.set()

    def _count(self, address: str) -> None:
        if len(self._wrong) >= COUNTED_ADDRESSES:
            self._wrong.clear()
        self._wrong[address] += 1
        log.info("wrong code number %d from %s", self._wrong[address], address)
        if self._wrong[address] == REPORT_AFTER:
            self._reported += 1
            if self._reported <= REPORTED_ADDRESSES:
                self._report(address, REPORT_AFTER)
            elif self._reported == REPORTED_ADDRESSES + 1:
                self._report("further addresses", REPORT_AFTER)
