"""The highest sequence number that was ever issued in a directory, remembered over restarts.

Numbers must grow for ever (rules 2010, 2.A.a), also when a program is started again and when the
directory has been emptied in the meantime, so what stands in the directory is not enough. The
number is kept in a small file outside it, in blocks: the file says up to where numbers may have
been issued, so that one write serves a thousand keys and a crash only leaves a gap.
"""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path
from typing import Protocol

import platformdirs

from lpp.keypress import Side

log = logging.getLogger(__name__)

#: Numbers reserved by one write.
BLOCK = 1000


class Numbers(Protocol):
    """Remembers the highest number."""

    def last(self) -> int:
        """The highest number that may have been issued, or -1."""

    def issued(self, number: int) -> None:
        """Told before a number is used."""


class ForgetfulNumbers:
    """Remembers nothing beyond its own life: for tests, and for directories used once."""

    def __init__(self, last: int = -1) -> None:
        self._last = last

    def last(self) -> int:
        """See Numbers."""
        return self._last

    def issued(self, number: int) -> None:
        """See Numbers."""
        self._last = max(self._last, number)


class StoredNumbers:
    """Remembers in a file.

    Arguments:
        file: where; its directory is made if it is missing. A file that can't be read counts as
            none, one that can't be written is logged once: a talk is worth more than a number.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._reserved = self._read()
        self._warned = False

    @staticmethod
    def of(path: str, side: Side) -> StoredNumbers:
        """The store of one side of one communications directory, among this user's state files.

        Arguments:
            path: the communications directory.
            side: who writes.
        """
        key = hashlib.sha256(f"{side.value}\0{os.path.realpath(path)}".encode()).hexdigest()[:32]
        return StoredNumbers(platformdirs.user_state_path("loebner") / "numbers" / key)

    def last(self) -> int:
        """See Numbers."""
        return self._reserved

    def issued(self, number: int) -> None:
        """See Numbers."""
        if number <= self._reserved:
            return
        self._reserved = number + BLOCK
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            fresh = self._file.with_suffix(f".{os.getpid()}")
            fresh.write_text(f"{self._reserved}\n", encoding="ascii")
            os.replace(fresh, self._file)
        except OSError as exc:
            if not self._warned:
                log.warning("the sequence number can't be remembered in %s: %s", self._file, exc)
            self._warned = True

    def _read(self) -> int:
        try:
            return int(self._file.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return -1
