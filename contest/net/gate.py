"""The gate: who is let in by a code, and how late a wrong code is answered.

A right code opens at once, whatever goes on: it is looked up in memory before anything waits. So
nobody can keep anybody out, also from the same address, and also right after a restart.

A wrong code is answered late. The tries of one address are answered one after another, `PAUSE`
apart, and those of all addresses `SPACING` apart. Only so many may wait; more are turned away. An
address from which wrong codes come again and again goes on record, once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from contest.net.codes import CodeTable
from contest.net.limits import Crowded

log = logging.getLogger(__name__)

#: Seconds between two answers to wrong codes at one address, and before the first.
PAUSE = 1.0
#: Seconds between two answers to wrong codes, wherever they are from.
SPACING = 0.25
#: Wrong codes that may wait for their answer, of one address and of all.
HELD_PER_ADDRESS, HELD = 60, 240
#: Wrong codes of one address that are told: fewer are somebody's slips.
TOLD = 3
#: Addresses of which that is told; beyond them it is told once more, for all others.
TOLD_ADDRESSES = 20
#: Seconds without a wrong code after which an address is as good as new.
FORGOTTEN = 600.0
#: Addresses that are remembered; beyond them the one is forgotten that was silent longest.
ADDRESSES = 10_000


@dataclass
class _Address:
    """An address from which a wrong code came.

    Attributes:
        wrong: wrong codes so far.
        seen: when the last one came, by the loop's clock.
        held: how many of them wait for their answer.
        turn: held while one of them is answered.
    """

    wrong: int = 0
    seen: float = 0.0
    held: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Gate:
    """Opens, or does not.

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
        """What a code opens.

        Arguments:
            code: as it was given.
            table: the codes of this door.
            address: whose try it is, as `limits.address_of` gives it.

        Returns:
            A name of the table, at once; or None for a wrong code, and that late.

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
