"""A recording, typed into a communications directory once more.

`paced` gives the key presses when they are due, `KeyWriter` makes each a directory, `play` does
both. Where recordings come from: `lpp.recording`.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import AsyncIterator

from lpp.clock import Clock
from lpp.directory import LocalDirectory
from lpp.errors import BadDirectory, SequenceExhausted, Surroundings
from lpp.keypress import WIDTH, Side, parse, printable
from lpp.log2012 import Loss
from lpp.recording import Recorded, Recording

#: Seconds between two looks whether the reader has removed a key press.
WAIT_LOOK = 0.005

# What a file system says of a name that it does not take.
_BAD_NAME = {errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ}
_NEVER_IN_A_NAME = "/\0" if os.name != "nt" else '<>:"/\\|?*' + "".join(map(chr, range(32)))


class CutShort(Surroundings):
    """The machine's trouble in the middle of a replay."""


async def paced(recording: Recording, clock: Clock | None) -> AsyncIterator[Recorded]:
    """Gives the key presses in the file's order, each when it is due.

    Arguments:
        recording: what to play.
        clock: what gaps are waited by, its speed included; None is at once.

    Times that run back are read as `Recording.offsets_us` says. Waits are counted from the
    beginning, so that what the taker spends on a key press does not add up.
    """
    start = clock.now() if clock is not None else 0.0
    for press, offset in zip(recording.presses, recording.offsets_us(), strict=True):
        if clock is None:
            await asyncio.sleep(0)
        else:
            wait = start + offset / 1_000_000 - clock.now()
            await clock.sleep(max(0.0, wait) if offset else 0.0)
        yield press


class KeyWriter:
    """Makes recorded key presses in a communications directory, for both sides.

    Numbers continue after what stands there, each side's on its own; key names go out as they
    were recorded, for to replay is not to correct.

    Arguments:
        directory: where.
        total: how many key presses there are to be, for messages.

    Raises:
        BadDirectory: if it is none, or can't be written.
    """

    def __init__(self, directory: LocalDirectory, total: int) -> None:
        try:
            directory.check()
            names = directory.names()
        except OSError as exc:  # a parent that we may not enter, a name that is too long
            raise BadDirectory(f"{directory.path}: {exc.strerror}; name another directory") from exc
        self._directory = directory
        self._total = total
        self._last = dict.fromkeys(Side, 0)
        for name in names:
            parsed = parse(name)
            if parsed is not None:
                press = parsed[0]
                self._last[press.side] = max(self._last[press.side], press.number)
        self.written = dict.fromkeys(Side, 0)
        self.losses: list[Loss] = []

    @property
    def count(self) -> int:
        """How many key presses were made."""
        return sum(self.written.values())

    def write(self, press: Recorded) -> str | None:
        """Makes one key press.

        Returns:
            The path of its directory, or None if its key name can't stand in the name of a
            directory: that is among `losses` then.

        Raises:
            BadDirectory: if the first one is refused for lack of permission.
            CutShort: if the machine refuses any more: disk full, share gone.
            SequenceExhausted: if no number of ten digits is left.
        """
        side = Side.JUDGE if press.author == "judge" else Side.OTHER
        if any(char in _NEVER_IN_A_NAME for char in press.key):
            self._lose(press)
            return None
        while True:
            number = self._last[side] + 1
            if number >= 10**WIDTH:
                raise SequenceExhausted(
                    f"{self._directory.path}: {self._so_far()}; the sequence numbers of {WIDTH} "
                    "digits are used up here, name an empty directory"
                )
            # Not KeyPress.make: that is for strict writers, and a recording may hold what a
            # program should not have sent.
            name = f"{number:0{WIDTH}d}.{press.key}.{side.value}"
            try:
                self._directory.make(name)
            except FileExistsError:
                self._last[side] = number  # somebody else writes here too: go past it
                continue
            except UnicodeEncodeError:
                self._lose(press)
                return None
            except OSError as exc:
                if exc.errno in _BAD_NAME:
                    self._lose(press)
                    return None
                if isinstance(exc, PermissionError) and not self.count:
                    raise BadDirectory(
                        f"{self._directory.path}: can't make sub-directories here; "
                        "give write permission, or name another directory"
                    ) from exc
                raise CutShort(
                    f"{self._directory.path}: {self._so_far()}, then: {exc.strerror or exc}; "
                    "free the disk or mend the share, empty the directory, and play again"
                ) from exc
            self._last[side] = number
            self.written[side] += 1
            return f"{self._directory.path}{os.sep}{name}"

    async def gone(self, path: str) -> None:
        """Waits until the reader has removed a key press."""
        # No event tells of a removal by another machine, so this looks, whatever the file system.
        while os.path.lexists(path):  # noqa: ASYNC110
            await asyncio.sleep(WAIT_LOOK)

    def _so_far(self) -> str:
        return f"{self.count} of {self._total} key presses were written"

    def _lose(self, press: Recorded) -> None:
        name = printable(press.key)
        self.losses.append(
            Loss(press.line, f"the key name {name!r} can't stand in the name of a directory")
        )


async def play(
    recording: Recording, writer: KeyWriter, clock: Clock | None = None, *, wait: bool = False
) -> None:
    """Types a recording into a directory; ends when all is written.

    Arguments:
        recording: what to play; all its sides go into the one directory, see `Recording.only`.
        writer: what makes the key presses.
        clock: as for `paced`.
        wait: after each key press, wait until the reader has removed it.

    Raises:
        Surroundings, BadDirectory: as `KeyWriter.write`.
    """
    async for press in paced(recording, clock):
        path = writer.write(press)
        if wait and path is not None:
            await writer.gone(path)
