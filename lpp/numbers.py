"""Remembers the highest sequence number ever issued in a directory, across restarts.

Numbers must always grow (rules 2010, 2.A.a), even if a program restarts and the directory has been
emptied in the meantime. So the content of the directory is not enough. Numbers are claimed in
blocks of a thousand: a process claims a block by creating an empty file with the block's name, if
none exists. One file serves a thousand keys, and a crash only leaves a gap. Two processes that
write for the same side never get the same block, for example when a program is restarted before the
old process has ended. This needs no lock, which a killed program could leave behind.
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
        """The highest number that may have been issued so far; 0 if none was. Numbers begin at 1,
        because a reader that uses 0 for "nothing read yet" would drop a key numbered 0."""

    def claim(self, number: int) -> int:
        """Claims a number before it is used.

        Arguments:
            number: the lowest acceptable number.

        Returns:
            The number to use: the given one or a higher one.
        """


class MemoryNumbers:
    """Remembers the number only in memory: for tests, and for directories used only once."""

    def __init__(self) -> None:
        self._last = 0

    def last(self) -> int:
        """See Numbers."""
        return self._last

    def claim(self, number: int) -> int:
        """See Numbers."""
        self._last = max(self._last + 1, number)
        return self._last


class StoredNumbers:
    """Remembers the number in a directory of its own, as the highest file name in it.

    Arguments:
        place: that directory; created when needed. An unreadable one counts as empty, and an
            unwritable one is logged once: the talk matters more than the number.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        try:
            self._block = self._highest()
        except OSError:
            self._block = -1
        self._end = 0  # the first number after our block
        self._warned = False

    def last(self) -> int:
        """See Numbers."""
        return max(0, (self._block + 1) * BLOCK - 1)

    @staticmethod
    def of(path: str, side: Side) -> StoredNumbers:
        """The store of one side of one communications directory, among this user's state files.

        Arguments:
            path: the communications directory.
            side: the side that writes.
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
                log.warning("can't store sequence numbers in %s: %s", self._place, exc)
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
            # Another process has claimed a higher block by now, and may have removed the files of
            # lower ones: our block may have been claimed before.
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
