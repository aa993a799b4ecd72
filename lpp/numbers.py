"""The highest sequence number that was ever issued in a directory, remembered over restarts.

Numbers must grow for ever (rules 2010, 2.A.a), also when a program is started again and when the
directory has been emptied in the meantime, so what is in the directory is not enough. Numbers are
taken in blocks of a thousand, and a block is claimed by making an empty file with the block's name
where no file of that name stands: one such file serves a thousand keys, a crash only leaves a gap,
and two processes that write for the same side, as a program started again before the old one has
ended, never get the same block. No lock is needed, nor one that a killed program could keep.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
from pathlib import Path
from typing import Protocol

import platformdirs

from lpp.keypress import Side

log = logging.getLogger(__name__)

#: Numbers in a block.
BLOCK = 1000


class Numbers(Protocol):
    """Remembers the highest number."""

    def last(self) -> int:
        """The highest number that may have been issued so far; 0 if none was. Numbers begin at 1:
        a reader that takes 0 for nothing read yet would drop the first key."""

    def claim(self, number: int) -> int:
        """Asked before a number is used.

        Arguments:
            number: the lowest that will do.

        Returns:
            The number to use: that one, or a higher one.
        """


class ForgetfulNumbers:
    """Remembers nothing beyond its own life: for tests, and for directories used once.

    Arguments:
        last: the highest number issued before; 0 if none was.
    """

    def __init__(self, last: int = 0) -> None:
        self._last = last

    def last(self) -> int:
        """See Numbers."""
        return self._last

    def claim(self, number: int) -> int:
        """See Numbers."""
        self._last = max(self._last + 1, number)
        return self._last


class StoredNumbers:
    """Remembers in a directory of its own, by the name of the highest file in it.

    Arguments:
        place: that directory; made when it is needed. One that can't be read counts as empty, one
            that can't be written is logged once: a talk is worth more than a number.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        try:
            self._block = self._highest()
        except OSError:
            self._block = -1
        self._end = 0  # of our own block: the first number that is not ours
        self._warned = False

    def last(self) -> int:
        """See Numbers."""
        return max(0, (self._block + 1) * BLOCK - 1)

    @staticmethod
    def of(path: str, side: Side) -> StoredNumbers:
        """The store of one side of one communications directory, among this user's state files.

        Arguments:
            path: the communications directory.
            side: who writes.
        """
        place = os.fsencode(os.path.realpath(path))
        key = hashlib.sha256(side.value.encode() + b"\0" + place).hexdigest()[:32]
        return StoredNumbers(platformdirs.user_state_path("loebner") / "numbers" / key)

    def claim(self, number: int) -> int:
        """See Numbers."""
        if number < self._end:
            return number
        wanted = max(self._block + 1, number // BLOCK)
        try:
            self._block = self._claim_block(wanted)
        except OSError as exc:
            self._block = wanted
            if not self._warned:
                log.warning("sequence numbers can't be remembered in %s: %s", self._place, exc)
            self._warned = True
        self._end = (self._block + 1) * BLOCK
        return max(number, self._block * BLOCK)

    def _claim_block(self, wanted: int) -> int:
        self._place.mkdir(parents=True, exist_ok=True)
        while True:
            file = self._place / str(wanted)
            try:
                file.touch(exist_ok=False)
            except FileExistsError:
                wanted += 1
                continue
            highest = self._highest()
            if highest <= wanted:
                break
            # A higher block was claimed meanwhile, and files of lower ones may be gone by now:
            # ours may have been another's before.
            file.unlink(missing_ok=True)
            wanted = highest + 1
        for block in self._blocks():
            if block < wanted:
                with contextlib.suppress(OSError):
                    (self._place / str(block)).unlink()
        return wanted

    def _highest(self) -> int:
        return max(self._blocks(), default=-1)

    def _blocks(self) -> list[int]:
        try:
            names = os.listdir(self._place)
        except FileNotFoundError:
            return []
        return [int(name) for name in names if name.isdecimal() and name.isascii()]
