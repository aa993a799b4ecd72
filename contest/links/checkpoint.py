"""What a link remembers over its own death, in a file: for which talk the directory was emptied,
and which of the judge's keys were made in it.

A key is written down, with the sequence number that its directory gets, before it is made, and
again when it is made. A link that died in between finds out from the directory; only where the
entry may have removed the key since then can it not know.

The file has two places of a fixed size, written in turn, so a write that fails or is cut off
leaves the state before it. Nothing is appended: once the file is there, writing needs no room on
the disk, and a full disk stops no key. What a killed process has written is there for the next
one; it need not survive a power cut, for a directory in memory does not either.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
import platformdirs

from contest.links.entry_end import OnFile
from lpp.errors import Surroundings
from lpp.keypress import Side, parse
from lpp.private import open_private

#: Bytes of each place; a state needs less than half (`contest` has 64 characters at most).
PLACE = 1024


class _State(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The state as a whole. `number` is the highest sequence number that was given to a key of the
    judge; with `doing`, that of key `made + 1`, which was about to be made."""

    contest: str = ""
    talk: int = 0
    made: int = 0
    number: int = -1
    doing: bool = False
    serial: int = 0


class Checkpoint:
    """The file of one directory's link.

    Arguments:
        file: where; read now, if it is there.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._out: io.FileIO | None = None
        self._now = _read(file)

    @staticmethod
    def of(directory: str) -> Checkpoint:
        """The checkpoint of a communications directory's link, among this user's state files."""
        key = hashlib.sha256(os.fsencode(os.path.realpath(directory))).hexdigest()[:32]
        return Checkpoint(platformdirs.user_state_path("loebner") / "links" / f"{key}.jsonl")

    @property
    def on_file(self) -> OnFile:
        """What is remembered."""
        return OnFile(self._now.contest, self._now.talk, self._now.made)

    @property
    def number(self) -> int:
        """The highest sequence number that was given to a key of the judge here, or -1."""
        return self._now.number

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
        made = any(p.side is Side.JUDGE and p.number == self._now.number for p, _ in parsed)
        self._now.made += made
        self._now.doing = False
        return made

    def emptied(self, contest: str, talk: int) -> None:
        """The directory was emptied for this talk.

        Raises:
            Surroundings: if it can't be written down; to be tried again.
        """
        self._now.contest, self._now.talk = contest, talk
        self._now.made, self._now.doing = 0, False
        self._write()

    def making(self, number: int) -> None:
        """The next key is about to be made.

        Arguments:
            number: the sequence number that its directory gets.

        Raises:
            Surroundings: if it can't be written down; then the key must not be made.
        """
        self._now.number, self._now.doing = number, True
        self._write()

    def made(self, n: int) -> None:
        """The talk's keys up to number `n` are made, and no other one is being made. This never
        fails: what can't be written down is written with the next key."""
        self._now.made, self._now.doing = n, False
        with contextlib.suppress(Surroundings):
            self._write()

    def close(self) -> None:
        """Closes the file."""
        if self._out is not None:
            self._out.close()
            self._out = None

    def _write(self) -> None:
        state = msgspec.structs.replace(self._now, serial=self._now.serial + 1)
        place = msgspec.json.encode(state).ljust(PLACE - 1) + b"\n"
        try:
            if self._out is None:
                self._out = _open(self.file, place)
            # The other place than the last one that was written whole.
            self._out.seek(PLACE * (state.serial % 2))
            if self._out.write(place) != PLACE:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as exc:
            self.close()
            raise Surroundings(
                f"{self.file}: can't be written ({exc.strerror or exc}); free the disk"
            ) from exc
        self._now.serial = state.serial


def _open(file: Path, place: bytes) -> io.FileIO:
    """Opens the file for writing in its places; makes it, or makes one of an older form anew, with
    `place` in both. At no moment is there none, or half of one."""
    if not file.exists() or file.stat().st_size != 2 * PLACE:
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(".new")
        with open(open_private(new, os.O_TRUNC), "wb") as out:
            out.write(2 * place)
        os.replace(new, file)
    return io.FileIO(open_private(file, 0), "wb")


def _read(file: Path) -> _State:
    latest = _State()
    with contextlib.suppress(OSError):
        for line in file.read_bytes().splitlines():
            # A place whose writing was cut off is as good as none: what it says was not yet done.
            with contextlib.suppress(msgspec.DecodeError):
                state = msgspec.json.decode(line, type=_State)
                if state.serial >= latest.serial:
                    latest = state
    return latest
