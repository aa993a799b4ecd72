"""The gate: what a code opens, and how often anybody may try.

Codes have 60 random bits, so nobody guesses one; what a guesser could do is keep the server busy,
or keep others out. So

* a wrong code is answered late, and each further one from the same address later still; from then
  on that address's tries go one after another, and only so many may wait;
* no other address waits for them: who has a code is let in, whatever goes on elsewhere;
* whoever was let in from an address before is let in from there at once: a judge whose network
  broke off comes back, even if a guesser sits behind the same address;
* one code is hashed at a time: that takes its time on purpose, and keys must not wait for it;
* an address from which wrong codes come again and again goes on record, once.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hmac import compare_digest

from contest.doors import codes
from contest.doors.limits import Crowded

log = logging.getLogger(__name__)

#: Seconds before the first wrong code of an address is answered; each further one doubles them.
FIRST_PAUSE = 1.0
#: Seconds that it comes to at most.
LONGEST_PAUSE = 30.0
#: Tries that may wait at one address where wrong codes came from.
QUEUE = 8
#: Wrong codes of one address that are told: fewer are somebody's slips.
TOLD = 3
#: Addresses of which that is told; beyond them it is told once more, for all others.
TOLD_ADDRESSES = 20
#: Seconds without any try after which an address is as good as new.
FORGOTTEN = 600.0
#: Addresses that are remembered; beyond them the one is forgotten that was silent longest.
ADDRESSES = 10_000
#: Characters of a code that are looked at.
CODE_LIMIT = 200


@dataclass
class _Address:
    """What is known of an address.

    Attributes:
        wrong: wrong codes so far.
        seen: when it last tried, by the loop's clock.
        waiting: tries that wait for their turn, or for the answer to a wrong one.
        turn: whose turn it is.
        known: hashes of codes that opened something from here.
    """

    wrong: int = 0
    seen: float = 0.0
    waiting: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    known: set[str] = field(default_factory=set)

    @property
    def pause(self) -> float:
        """Seconds before the last wrong code is answered."""
        return min(FIRST_PAUSE * 2.0 ** min(self.wrong - 1, 20), LONGEST_PAUSE)


class Gate:
    """Opens, or does not.

    Arguments:
        tell: told an address, and how many wrong codes have come from it.
    """

    def __init__(self, tell: Callable[[str, int], None] = lambda _address, _tries: None) -> None:
        self._tell = tell
        self._addresses: dict[str, _Address] = {}
        self._told = 0
        self._hashing = asyncio.Lock()
        # Quick digests of codes, by their hashes. Of no use to whoever reads our memory later: the
        # key dies with the process.
        self._digests: dict[str, bytes] = {}
        self._key = secrets.token_bytes(32)

    def learn(self, issued: Mapping[str, str], hashes: Mapping[str, str]) -> None:
        """Spares the hashing of codes that are at hand.

        Arguments:
            issued: what a code opens, to the code.
            hashes: the same, to its hash.
        """
        for name, code in issued.items():
            if name in hashes:
                self._digests[hashes[name]] = self._digest(code)

    async def opened(self, code: str, hashes: Mapping[str, str], address: str) -> str | None:
        """What a code opens.

        Arguments:
            code: as it was given.
            hashes: what it may open, to the hash of its code; looked up when it is this try's turn.
            address: whose try it is, as `limits.address_of` gives it.

        Returns:
            One of `hashes`, or None for a wrong code, and that late.

        Raises:
            Crowded: if too many tries of this address wait already.
        """
        one = self._of(address)
        name = self._here_before(one, code, hashes)
        if name is not None:
            return name
        if not one.wrong:
            async with self._hashing:
                # Another of the same address may have been wrong in the meantime.
                clean = not one.wrong
                if clean:
                    name = await self._look(one, code, hashes, address)
            if name is not None:
                return name
            if clean:
                await asyncio.sleep(one.pause)
                return None
        if one.waiting >= QUEUE:
            raise Crowded("too many codes are tried from this address; wait a minute")
        one.waiting += 1
        try:
            async with one.turn:
                async with self._hashing:
                    name = await self._look(one, code, hashes, address)
                if name is None:
                    await asyncio.sleep(one.pause)
                return name
        finally:
            one.waiting -= 1

    def _here_before(self, one: _Address, code: str, hashes: Mapping[str, str]) -> str | None:
        if not one.known or len(code) > CODE_LIMIT:
            return None
        digest = self._digest(code)
        for name, kept in hashes.items():
            if kept in one.known and compare_digest(self._digests[kept], digest):
                return name
        return None

    async def _look(
        self, one: _Address, code: str, hashes: Mapping[str, str], address: str
    ) -> str | None:
        name = await self._opens(code, hashes) if len(code) <= CODE_LIMIT else None
        kept = hashes.get(name) if name is not None else None
        if kept is not None:
            self._digests[kept] = self._digest(code)
            one.known.add(kept)
            return name
        one.wrong += 1
        log.info("a wrong code from %s, number %d", address, one.wrong)
        if one.wrong == TOLD:
            self._tell_of(address)
        return None

    async def _opens(self, code: str, hashes: Mapping[str, str]) -> str | None:
        typed, digest, to_hash = codes.normal(code), self._digest(code), {}
        for name, kept in hashes.items():
            if not typed.startswith(codes.normal(name) + "-"):
                continue
            if kept not in self._digests:
                to_hash[name] = kept
            elif compare_digest(self._digests[kept], digest):
                return name
        return await asyncio.to_thread(codes.seat_of, code, to_hash) if to_hash else None

    def _digest(self, code: str) -> bytes:
        normal = codes.normal(code).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(normal, key=self._key, digest_size=32).digest()

    def _tell_of(self, address: str) -> None:
        self._told += 1
        if self._told <= TOLD_ADDRESSES:
            self._tell(address, TOLD)
        elif self._told == TOLD_ADDRESSES + 1:
            self._tell("further addresses", TOLD)

    def _of(self, address: str) -> _Address:
        now = asyncio.get_running_loop().time()
        one = self._addresses.pop(address, None)
        if one is None:
            one = _Address()
            if len(self._addresses) >= ADDRESSES:
                self._forget_one()
        elif now - one.seen > FORGOTTEN and not one.waiting:
            one.wrong = 0
        one.seen = now
        # Last in the order of silence.
        self._addresses[address] = one
        return one

    def _forget_one(self) -> None:
        for address, one in self._addresses.items():
            if not one.waiting and not one.known:
                del self._addresses[address]
                return
