"""The entry's side of a link: its communications directory, and a file that tells a restarted link
for which talk the directory was emptied and which of the judge's keys were made in it.

It does not use sockets. `client` passes on the server's frames to it, and sends its `outgoing`
frames whenever `to_send` is set.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import io
import os
import secrets
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

import msgspec
import platformdirs

from contest.links import linkwire
from contest.links.ends import EntryEnd, SavedState
from contest.tasks import running
from lpp.channel import DirectoryChannel
from lpp.directory import Directory
from lpp.errors import EnvironmentProblem, LPPError
from lpp.keypress import Side, Violation, parse, printable
from lpp.private import open_private
from lpp.session import Received

#: The size of each slot in the file, in bytes; a state needs less than half (`contest` has at most
#: 64 characters).
SLOT_SIZE = 1024
#: Seconds until a failed key is tried again.
RETRY = 0.5
#: Seconds between two checks whether the judge's keys are read.
LOOK_EVERY = 1.0


class Checkpoint:
    """The file of one directory's link.

    Before a key is made, it is written to the file with its directory's sequence number, and again
    once it is made. If the link dies in between, the next one finds out from the directory whether
    the key was made, unless the entry may have removed it since.

    The file has two slots of a fixed size, written in turn, so that a failed or partial write
    leaves the previous state. Once the file exists, writing needs no more disk space, so that keys
    are made even if the disk is full. If the process is killed, the next one can read the file. The
    file need not survive a power cut, because a directory in memory doesn't either.

    Arguments:
        file: its path; read now, if it exists.

    Attributes:
        state: the data for the link.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._out: io.FileIO | None = None
        self.state = _read(file)

    @staticmethod
    def of(directory: str) -> Checkpoint:
        """The checkpoint for a communications directory's link, among this user's state files."""
        key = hashlib.sha256(os.fsencode(os.path.realpath(directory))).hexdigest()[:32]
        return Checkpoint(platformdirs.user_state_path("loebner") / "links" / f"{key}.jsonl")

    def check_interrupted_key(self, names: Iterable[str]) -> bool:
        """Finds out from a listing of the directory whether the key that was about to be made was
        made.

        Returns:
            Whether that is known. If not, the key counts as not made.
        """
        if not self.state.doing:
            return True
        parsed = filter(None, map(parse, names))
        made = any(p.side is Side.JUDGE and p.number == self.state.number for p, _ in parsed)
        self.state.made += made
        self.state.doing = False
        return made

    def emptied(self, contest: str, talk: int) -> None:
        """Saves that the directory was emptied for this talk.

        Raises:
            EnvironmentProblem: if it can't be written; try again.
        """
        self.state.contest, self.state.talk = contest, talk
        self.state.made, self.state.doing = 0, False
        self._write()

    def making(self, number: int) -> None:
        """Saves that the next key is about to be made, with this sequence number.

        Raises:
            EnvironmentProblem: if it can't be written; then the key must not be made.
        """
        self.state.number, self.state.doing = number, True
        self._write()

    def made(self, n: int) -> None:
        """Saves that the talk's keys up to number `n` were made, and no other is being made. Never
        fails: if it can't be written now, it is written with the next key."""
        self.state.made, self.state.doing = n, False
        with contextlib.suppress(EnvironmentProblem):
            self._write()

    def close(self) -> None:
        """Closes the file."""
        if self._out is not None:
            self._out.close()
            self._out = None

    def _write(self) -> None:
        state = msgspec.structs.replace(self.state, serial=self.state.serial + 1)
        slot = msgspec.json.encode(state).ljust(SLOT_SIZE - 1) + b"\n"
        try:
            if self._out is None:
                self._out = _open(self.file, slot)
            # Not the slot that was last written completely.
            self._out.seek(SLOT_SIZE * (state.serial % 2))
            if self._out.write(slot) != SLOT_SIZE:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as exc:
            self.close()
            raise EnvironmentProblem(
                f"{self.file}: can't be written ({exc.strerror or exc}); free space on its disk"
            ) from exc
        self.state.serial = state.serial


def _open(file: Path, slot: bytes) -> io.FileIO:
    """Opens the file for writing its slots. If it doesn't exist, or has an older format, creates it
    atomically with `slot` in both slots."""
    if not file.exists() or file.stat().st_size != 2 * SLOT_SIZE:
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(".new")
        with open(open_private(new, os.O_TRUNC), "wb") as out:
            out.write(2 * slot)
        os.replace(new, file)
    return io.FileIO(open_private(file, 0), "wb")


def _read(file: Path) -> SavedState:
    latest = SavedState()
    with contextlib.suppress(OSError):
        for line in file.read_bytes().splitlines():
            # Ignore a slot with a partial write: what it announces was not done yet.
            with contextlib.suppress(msgspec.DecodeError):
                state = msgspec.json.decode(line, type=SavedState)
                if state.serial >= latest.serial:
                    latest = state
    return latest


class LinkedDirectory:
    """An entry's directory with the entry's end of the link, which is `end` once this is open.

    Arguments:
        place: the communications directory.
        checkpoint: the data that survive a restart of the link.
        code: the entry's code.
        client: the link's name and version.

    Attributes:
        to_send: set whenever there may be frames to send.
        restart: called when the entry's program must be restarted.
    """

    def __init__(
        self, place: str | Directory, checkpoint: Checkpoint, code: str, client: str = ""
    ) -> None:
        self._checkpoint = checkpoint
        self._code, self._client = code, client
        self._channel = DirectoryChannel(place, side=Side.JUDGE, keep=True, report=self._breach)
        self.end: EntryEnd  # once it is open
        self.to_send = asyncio.Event()
        self.restart: Callable[[], None] = lambda: None
        self._pending = asyncio.Event()
        # The entry's keys that must stay in the directory, by their printable names.
        self._held: dict[str, Received] = {}
        self._unread: deque[tuple[str, float]] = deque()
        # Names from the directory before the next talk, until they are reported.
        self._left: set[str] = set()
        self._in_trouble = False
        self._tasks = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Opens the directory.

        Raises:
            BadDirectory: if it is not a directory, or can't be written.
            EnvironmentProblem: if it can't be listed.
        """
        self._channel.directory.check()
        try:
            names = self._channel.directory.names()
        except OSError as exc:
            where = self._channel.directory.path
            raise EnvironmentProblem(f"{where}: can't be listed ({exc.strerror or exc})") from exc
        known = self._checkpoint.check_interrupted_key(names)
        state = self._checkpoint.state
        self.end = EntryEnd(self._code, secrets.token_hex(8), self._client, state)
        if not known:
            self.end.report(linkwire.InDoubt, state.talk, state.made + 1)
        await self._channel.__aenter__()
        self._channel.session.continue_after(state.number)
        # Unread keys from the link's last life are still there.
        now = asyncio.get_running_loop().time()
        ours = sorted(name for name in names if name.endswith(f".{Side.JUDGE.value}"))
        self._unread.extend((name, now) for name in ours)
        for work, name in (
            (self._read(), "keys of the entry"),
            (self._work(), "keys of the judge"),
            (self._watch(), "unread keys"),
        ):
            await self._tasks.enter_async_context(running(work, name))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._tasks.aclose()
        await self._channel.close()
        self._checkpoint.close()

    # The connection

    def receive(self, frame: linkwire.ToLink) -> None:
        """Handles a frame from the server.

        Raises:
            LinkRefused: if the server refuses the link.
            WireError: if the frame is out of place.
        """
        for raw in self.end.take(frame):
            # An entry may repeat a name, which needs only one release.
            if (received := self._held.pop(raw, None)) is not None:
                self._channel.release(received)
        if self.end.to_restart:
            self.end.to_restart = False
            self.restart()
        self._pending.set()
        self.to_send.set()

    def report(self, kind: type[linkwire.Report], *values: Any) -> None:
        """Adds a report for the record; see `EntryEnd.report`."""
        self.end.report(kind, *values)
        self.to_send.set()

    # The directory

    def _breach(self, what: Violation | OSError) -> None:
        if isinstance(what, Violation):
            self.report(linkwire.Breach, what.rule, printable(what.name), what.detail)
        else:
            self.report(linkwire.Trouble, str(what))

    async def _read(self) -> None:
        async for received in self._channel:
            raw = printable(received.press.raw)
            self._held[raw] = received
            self.end.key(raw, [violation.rule for violation in received.violations])
            self.to_send.set()

    async def _work(self) -> None:
        while True:
            await self._pending.wait()
            self._pending.clear()
            while self.end.to_empty is not None or self.end.presses:
                try:
                    if self.end.to_empty is not None:
                        await self._empty()
                    else:
                        await self._make(*self.end.presses[0])
                except LPPError as exc:
                    if not self._in_trouble:
                        self.report(linkwire.Trouble, str(exc))
                    self._in_trouble = True
                    self.to_send.set()
                    await asyncio.sleep(RETRY)
                else:
                    self._in_trouble = False
                self.to_send.set()

    async def _empty(self) -> None:
        """Empties the directory for a talk.

        Raises:
            EnvironmentProblem: if that can't be saved; try again. The talk must not begin before:
                otherwise the next life of this link would empty the directory again, and make the
                judge's keys twice.
        """
        talk = self.end.to_empty
        assert talk is not None
        try:
            self._left.update(await self._channel.empty())
        except LPPError as exc:  # don't stop the round: the talk begins with left-overs
            if not self._in_trouble:
                self.report(linkwire.Trouble, str(exc))
        self._held.clear()
        self._unread.clear()
        # If a later talk was requested meanwhile, the names are reported with that talk.
        if self.end.to_empty == talk:
            self._checkpoint.emptied(self.end.server_contest, talk)
            self.end.emptied(sorted(self._left))
            self._left.clear()

    async def _make(self, n: int, key: str) -> None:
        """Makes a key of the judge.

        Raises:
            BadDirectory, EnvironmentProblem: if it was not made; try again.
        """
        try:
            press = await self._channel.send(
                key, lambda press: self._checkpoint.making(press.number)
            )
        except ValueError as exc:
            self.report(linkwire.Trouble, f"a key of the judge can't be made: {exc}")
        except LPPError:
            self._checkpoint.made(n - 1)
            raise
        else:
            self._unread.append((press.raw, asyncio.get_running_loop().time()))
        self._checkpoint.made(n)
        self.end.made(n)

    async def _watch(self) -> None:
        """Reports how long the judge's keys have been unread, and which of the entry's keys have
        been removed."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(LOOK_EVERY)
            if self._unread or self.end.released:
                try:
                    names = set(self._channel.directory.names())
                except OSError:
                    continue  # the channel reports it
                while self._unread and self._unread[0][0] not in names:
                    self._unread.popleft()
                self.end.listing(map(printable, names))
            age = loop.time() - self._unread[0][1] if self._unread else 0.0
            self.end.standing(len(self._unread), round(age * 1000))
            self.to_send.set()
