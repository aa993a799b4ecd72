"""A communications directory as an asyncio channel of key presses.

How a key is received: a hint (or the sweep) wakes the scanner (scanner.py), which lists the
directory twice. The session (session.py) tells which key presses are new. The channel delivers
them, and removes their directories in the background (removal.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
from collections import deque
from collections.abc import AsyncIterator, Callable
from types import TracebackType

from lpp.directory import Directory, LocalDirectory
from lpp.errors import BadDirectory, EnvironmentProblem
from lpp.hints import SWEEP_INTERVAL, Hint, NoHint, choose
from lpp.keypress import KeyPress, Side, Violation, parse, printable
from lpp.numbers import MemoryNumbers, Numbers, StoredNumbers
from lpp.removal import Remover, Report
from lpp.scanner import Scanner
from lpp.session import Received, Session

log = logging.getLogger(__name__)

#: Key presses delivered in a row before other tasks run.
DELIVERED_IN_A_ROW = 100
#: The maximum number of key presses received but not yet read (with `keep`: not yet released). The
#: rest stay in the directory, so that nothing is lost and a flood can't fill the memory.
UNREAD_LIMIT = 4096
#: The maximum number of names whose removal is not yet confirmed, for the same reason.
UNREMOVED_LIMIT = 50_000
#: Sending gives up after finding this many numbers in a row taken: another program must be writing
#: them.
COLLISION_LIMIT = 100

_MAY_NOT_WRITE = {errno.EACCES, errno.EPERM, errno.EROFS}
_REMEDIES = {
    errno.ENOSPC: "free some disk space",
    errno.EDQUOT: "free some disk space, or raise the quota",
    errno.ENOENT: "the directory is missing: create it again, or repair the share",
}


class DirectoryChannel:
    """One side of a talk in a communications directory.

    Use as `async with DirectoryChannel(path, side=Side.OTHER) as channel:`, then
    `await channel.send(key)` and `async for received in channel`. A channel can be opened and
    closed only once, and all its methods must be called on the loop's thread.

    Arguments:
        place: the directory's path, or a Directory.
        side: the side of the talk that this channel is.
        hint: wakes the channel; defaults to `lpp.hints.choose` for a path, and to the Directory
            itself if it is a hint.
        numbers: remembers our sequence numbers; for a path, defaults to a file of this user.
        sweep: seconds between scans without a hint; defaults to a quarter of a second, and less on
            a network mount, where hints would fail.
        report: called with violations that don't belong to a `Received` (a name that is not a key
            press; a key press that was not an empty directory when it was removed), and with errors
            of the directory; by default they are logged.
        keep: if true, a key press is removed only after `release`, so that it can be made
            durable first. Unreleased key presses stay as leftovers for the next channel. While
            `UNREAD_LIMIT` key presses are unreleased, no more are delivered.
    """

    def __init__(
        self,
        place: str | os.PathLike[str] | Directory,
        *,
        side: Side,
        hint: Hint | None = None,
        numbers: Numbers | None = None,
        sweep: float | None = None,
        report: Report | None = None,
        keep: bool = False,
    ) -> None:
        self.directory = place if isinstance(place, Directory) else LocalDirectory(place)
        self.side = side
        self.session = Session(side)
        self._numbers = numbers
        self._report_to = report if report is not None else _log_report
        self._keep = keep
        self._held: set[str] = set()
        self._inbox: deque[Received] = deque()
        self._arrived = asyncio.Event()
        self._in_a_row = 0
        self._opened = False
        self._closed = False
        pace = SWEEP_INTERVAL
        if hint is None and isinstance(self.directory, LocalDirectory):
            hint, pace = choose(self.directory.path)
        elif hint is None:
            hint = self.directory if isinstance(self.directory, Hint) else NoHint()
        self._scanner = Scanner(
            self.directory,
            self.session,
            hint,
            pace if sweep is None else sweep,
            deliver=self._deliver,
            report=self._report,
            room=self._room,
        )
        self._remover = Remover(self.directory, gone=self._gone, report=self._report)

    # Life

    async def __aenter__(self) -> DirectoryChannel:
        """Opens the channel.

        Raises:
            BadDirectory: if the path is not a directory, or can't be written.
            EnvironmentProblem: if it can't be listed for another reason.
        """
        if self._opened:
            raise RuntimeError("a channel can be opened only once")
        self.directory.check()
        leftovers = self._names()
        if self._numbers is None:
            local = isinstance(self.directory, LocalDirectory)
            self._numbers = (
                StoredNumbers.of(self.directory.path, self.side) if local else MemoryNumbers()
            )
        self.session.continue_after(self._numbers.last())
        self.session.continue_after_leftovers(leftovers)
        self._opened = self._closed = True
        self._scanner.start()
        self._closed = False
        await asyncio.sleep(0)  # so that existing key presses have been received on return
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the channel: removes the delivered key presses (with `keep`: the released ones)
        and retries refused removals once. Iteration stops after the last received key press."""
        if not self._closed:
            self._closed = True
            await self._scanner.stop()
            self._arrived.set()
        await self._remover.close()

    # Writing

    async def send(self, key: str, before: Callable[[KeyPress], None] | None = None) -> KeyPress:
        """Presses a key.

        Arguments:
            key: a key name, as `lpp.names.name_of` gives it.
            before: called with the key press just before its directory is created, so that it can
                be recorded first; called again with another number if that number was taken. If it
                raises, the exception is passed on and no directory is created.

        Returns:
            The key press that is now in the directory.

        Raises:
            BadDirectory: if we may not write there.
            EnvironmentProblem: if the directory can't be created: disk full, share gone, numbers
                used up.
            ValueError: if the key name can't be part of a directory's name.
        """
        if self._numbers is None or not self._opened or self._closed:
            raise RuntimeError("the channel is not open")
        for _ in range(COLLISION_LIMIT):
            number = self._numbers.claim(self.session.last_number + 1)
            self.session.continue_after(number - 1)
            press = self.session.press(key)
            if before is not None:
                before(press)
            try:
                self.directory.make(press.raw)
            except FileExistsError:
                # Another program writes for our side, or a leftover appeared: skip its numbers.
                with contextlib.suppress(OSError):
                    self.session.continue_after_leftovers(self.directory.names())
            except OSError as exc:
                what = f"the key press {press.raw} can't be created"
                raise _trouble(self.directory, exc, what, "write") from exc
            else:
                return press
        raise EnvironmentProblem(
            f"{self.directory.path}: another program has used {COLLISION_LIMIT} numbers in a row; "
            f"stop the program that also writes .{self.side.value} there"
        )

    # Reading

    def __aiter__(self) -> AsyncIterator[Received]:
        return self

    async def __anext__(self) -> Received:
        if self._inbox:
            self._in_a_row += 1
            if self._in_a_row >= DELIVERED_IN_A_ROW:
                self._in_a_row = 0
                await asyncio.sleep(0)
        while not self._inbox:
            if self._closed:
                raise StopAsyncIteration
            self._in_a_row = 0
            self._arrived.clear()
            await self._arrived.wait()
        received = self._inbox.popleft()
        self._scanner.resume()
        return received

    def receive_now(self) -> list[Received]:
        """Returns all received key presses that are still unread, without waiting."""
        taken = list(self._inbox)
        self._inbox.clear()
        self._scanner.resume()
        return taken

    def release(self, received: Received) -> None:
        """With `keep`: this key press is safe, and its directory may be removed. Works after
        `close`, too; a second call, or a call after `empty`, does nothing."""
        raw = received.press.raw
        if raw in self._held:
            self._held.discard(raw)
            self._remover.remove([raw])
            self._scanner.resume()

    def scan(self) -> None:
        """Scans the directory now, as after a hint."""
        self._scanner.scan()

    async def settled(self) -> None:
        """Waits until no removal is in progress or waiting to be retried."""
        await self._remover.settled()

    async def empty(self) -> list[str]:
        """Removes all key presses in the directory, those of both sides and leftovers alike, and
        discards received ones that are still unread. Everything else stays: a directory given by
        mistake must not lose its files.

        Refused removals are retried in the background; their key presses won't be delivered.

        Returns:
            The names of the removed and discarded key presses, sorted, as printable text.

        Raises:
            BadDirectory: if the directory may not be listed.
            EnvironmentProblem: if it can't be listed for another reason.
        """
        await self._scanner.stop()
        try:
            dropped = {received.press.raw for received in self.receive_now()}
            standing = {name for name in self._names() if parse(name) is not None}
            standing -= self._remover.known  # taken before, and being removed already
            self._held.clear()
            self.session.awaiting_removal.update(standing)
            self._remover.remove(standing)
            await self._remover.tried()
        finally:
            if not self._closed:
                self._scanner.start()
        return sorted(printable(name) for name in standing | dropped)

    def _names(self) -> list[str]:
        try:
            return self.directory.names()
        except OSError as exc:
            raise _trouble(self.directory, exc, "it can't be listed", "read") from exc

    def _deliver(self, received: list[Received]) -> None:
        self._inbox.extend(received)
        self._arrived.set()
        names = [item.press.raw for item in received]
        if self._keep:
            self._held.update(names)
        else:
            self._remover.remove(names)

    def _room(self) -> int:
        unread = max(len(self._inbox), len(self._held))
        return min(UNREAD_LIMIT - unread, UNREMOVED_LIMIT - len(self._remover.known))

    def _gone(self, names: list[str]) -> None:
        self._scanner.gone(names)
        self._scanner.resume()

    def _report(self, what: Violation | OSError) -> None:
        try:
            self._report_to(what)
        except Exception:
            log.exception("reporting failed: %s", what)


def _trouble(
    directory: Directory, exc: OSError, what: str, permission: str
) -> BadDirectory | EnvironmentProblem:
    message = f"{directory.path}: {what} ({exc.strerror or exc})"
    if exc.errno in _MAY_NOT_WRITE:
        return BadDirectory(f"{message}; grant {permission} permission, or give another directory")
    return EnvironmentProblem(
        f"{message}; {_REMEDIES.get(exc.errno or 0, 'fix the disk or the share')}"
    )


def _log_report(what: Violation | OSError) -> None:
    if isinstance(what, Violation):
        log.warning("%s: %s (%s)", what.rule.value, what.name, what.detail)
    else:
        log.warning("%s", what)
