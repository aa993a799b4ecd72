"""What a link remembers over its own death, in a file: for which talk the directory was emptied,
and which of the judge's keys were made in it.

A key is written down before it is made and again when it is made. A link that died in between
finds out from the directory; only where the entry has removed the key since then can it not know.
What a killed process has written is there for the next one; it need not survive a power cut, for
a directory in memory does not either.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
import platformdirs

from contest.links.entry_end import OnFile
from lpp.errors import Surroundings
from lpp.keypress import Side, parse
from lpp.private import open_private

#: Lines after which the file is written anew.
LINES = 10_000


class _Line(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One line: the state as a whole. `number` is the sequence number of the last key made; with
    `doing`, key `made + 1` was about to be made."""

    contest: str = ""
    talk: int = 0
    made: int = 0
    number: int = -1
    doing: bool = False


class Memory:
    """The file of one directory's link.

    Arguments:
        file: where; read now, if it is there.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._fd: int | None = None
        self._lines = 0
        self._now = _read(file)

    @staticmethod
    def of(directory: str) -> Memory:
        """The memory of the link of a communications directory, among this user's state files."""
        key = hashlib.sha256(os.fsencode(os.path.realpath(directory))).hexdigest()[:32]
        return Memory(platformdirs.user_state_path("loebner") / "links" / f"{key}.jsonl")

    @property
    def on_file(self) -> OnFile:
        """What is remembered."""
        return OnFile(self._now.contest, self._now.talk, self._now.made)

    def find_out(self, names: Iterable[str]) -> bool:
        """Whether the key that was about to be made was made, from what stands in the directory.

        Arguments:
            names: what is listed there.

        Returns:
            True if that is known now; False if it can't be known. Then the key counts as not made.
        """
        if not self._now.doing:
            return True
        parsed = filter(None, map(parse, names))
        ours = (press.number for press, _ in parsed if press.side is Side.JUDGE)
        highest = max(ours, default=-1)
        if highest > self._now.number:
            self.made(self._now.made + 1, highest)
            return True
        self._write(doing=False)
        return False

    def emptied(self, contest: str, talk: int) -> None:
        """The directory was emptied for this talk.

        Raises:
            Surroundings: if it can't be written down; so all others.
        """
        self._write(contest=contest, talk=talk, made=0, doing=False)

    def making(self) -> None:
        """The next key is about to be made."""
        self._write(doing=True)

    def made(self, n: int, number: int) -> None:
        """Key `n` of the talk was made.

        Arguments:
            n: the judge's number of it.
            number: the sequence number of its directory.
        """
        self._write(made=n, number=number, doing=False)

    def close(self) -> None:
        """Closes the file."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _write(self, **changes: str | int | bool) -> None:
        state = msgspec.structs.replace(self._now, **changes)
        line = msgspec.json.encode(state) + b"\n"
        try:
            if self._fd is None or self._lines >= LINES:
                self._begin(line)
            else:
                os.write(self._fd, line)
        except OSError as exc:
            self.close()
            raise Surroundings(
                f"{self.file}: can't be written ({exc.strerror or exc}); free the disk"
            ) from exc
        self._lines += 1
        self._now = state

    def _begin(self, line: bytes) -> None:
        """Writes the file anew; at no moment is there none, or half of one."""
        self.close()
        self.file.parent.mkdir(parents=True, exist_ok=True)
        new = self.file.with_suffix(".new")
        fd = open_private(new, os.O_TRUNC | os.O_APPEND)
        try:
            os.write(fd, line)
        finally:
            os.close(fd)
        os.replace(new, self.file)
        self._fd = open_private(self.file, os.O_APPEND)
        self._lines = 0


def _read(file: Path) -> _Line:
    state = _Line()
    with contextlib.suppress(OSError):
        for line in file.read_bytes().splitlines():
            # A last line that was cut is as good as none: what it says was not yet done.
            with contextlib.suppress(msgspec.DecodeError):
                state = msgspec.json.decode(line, type=_Line)
    return state
