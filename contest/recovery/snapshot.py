"""A snapshot of a contest's state beside its record, so that a server that is started again need
not read all of the record.

The snapshot is a cache. It holds what `Begun` is after an event, and the heads of all chains by
then. It is used only where these heads, with the events that came later, lead to the heads of the
record: then it was made of this record's events and of no others. In every other case (there is
none, it is torn, older than the record's last events allow, made by another version, made of
another record) the record is read from its beginning, and the next snapshot takes its place.

A process of its own writes it, from the record and the snapshot before; see `Keeper`.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import os
import stat
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from contest import apart
from contest.errors import ContestError, RecordTrouble
from contest.history import phases
from contest.record import bodies, events
from contest.record.events import Chains, Event
from contest.record.store import Record
from contest.recovery import takeup
from contest.recovery.takeup import Begun
from contest.talks import exchange, hub
from lpp import names
from lpp.private import open_private

log = logging.getLogger(__name__)

#: The snapshot's file in a contest's folder.
FILE_NAME = "state.snapshot"
#: Events after which another snapshot is made: a restart reads some more than these at most.
EVERY = 20_000
#: Seconds of real time that making one may take.
LONGEST = 600.0

_TEMPORARY = f"{FILE_NAME}.new-"
#: The modules that say what the state is, and how it follows from events.
_MADE_BY = (takeup, exchange, hub, phases, bodies, events, names)
_NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class _Head(msgspec.Struct, frozen=True):
    """The first line of the file, in JSON: the version that made it, and the rest's SHA-256."""

    program: str
    sha256: str


class _Snapshot(msgspec.Struct, frozen=True):
    """The rest of the file, in MessagePack.

    Attributes:
        chains: as `Chains.rows` gives them.
        state: what `Begun` was after the last event of these.
    """

    chains: list[tuple[int, str | None, str, int]]
    state: Begun


class _Question(msgspec.Struct, frozen=True):
    """What the writing process is told: the record's address and the snapshot's file."""

    url: str
    file: str


_decoder = msgspec.msgpack.Decoder(_Snapshot)


def taken_up(record: Record, file: Path) -> tuple[Begun, int]:
    """What the events of a record say: by the snapshot and the events after it where that can be
    used, else by all events.

    Arguments:
        record: an open record.
        file: where the snapshot is, or might be.

    Returns:
        The state, and how many events were read for it.

    Raises:
        RecordTrouble: if the record can't be used.
    """
    _, state, read = _folded(record, file)
    return state, read


def write(record: Record, file: Path) -> None:
    """Writes a snapshot of a record as it is now.

    Arguments:
        record: an open record.
        file: where the last snapshot is, and the new one comes.

    Raises:
        RecordTrouble: if the record can't be used.
        OSError: if the file can't be written; then the last snapshot is still there.
    """
    chains, state, _ = _folded(record, file)
    content = packed(chains, state)
    head = _Head(_program(), hashlib.sha256(content).hexdigest())
    for left in file.parent.glob(f"{_TEMPORARY}*"):  # by a process that was killed
        left.unlink(missing_ok=True)
    temporary = file.with_name(f"{_TEMPORARY}{os.getpid()}")
    handle = open_private(temporary, os.O_EXCL)
    try:
        with open(handle, "wb") as out:
            out.write(msgspec.json.encode(head) + b"\n")
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)


def _folded(record: Record, file: Path) -> tuple[Chains, Begun, int]:
    """Heads and state as of the record's last event, and how many events were read for them."""
    last = record.chains.last_seq
    snapshot = _read(file)
    if snapshot is not None:
        chains, state = snapshot
        covered = state.last_seq
        if _is_of(record, chains, state):
            return chains, state, last - covered
        log.info("%s: not of this record; the record is read from its beginning", file)
    chains, state = Chains(), Begun()
    for event in record.events(upto=last):
        chains.follow(event)
        state.take(event)
    return chains, state, last


def _is_of(record: Record, chains: Chains, state: Begun) -> bool:
    """Takes the later events of a record into what a snapshot holds; whether these led from its
    heads to the record's."""
    if not 0 < state.last_seq == chains.last_seq <= record.chains.last_seq:
        return False
    try:
        for event in record.events(after=chains.last_seq, upto=record.chains.last_seq):
            if event.seq != chains.last_seq + 1 or event.prev != chains.head(event.talk):
                return False
            chains.follow(event)
            state.take(event)
    except RecordTrouble:  # reading all of it says what is wrong
        return False
    return chains == record.chains


def packed(chains: Chains, state: Begun) -> bytes:
    """Heads and state as the file holds them."""
    return msgspec.msgpack.encode(_Snapshot(chains.rows(), state))


def unpacked(content: bytes) -> tuple[Chains, Begun]:
    """Heads and state that were packed.

    Raises:
        ValueError: if the content is not of their form.
    """
    found = _decoder.decode(content)
    return Chains.of(found.chains), found.state


def _read(file: Path) -> tuple[Chains, Begun] | None:
    """The snapshot in a file; None if there is none that can be used."""
    try:
        with open(os.open(file, os.O_RDONLY | _NO_FOLLOW), "rb") as opened:
            if not _is_ours(os.fstat(opened.fileno())):
                log.info("%s: others may have written it; it is not used", file)
                return None
            head = msgspec.json.decode(opened.readline(1000), type=_Head)
            if head.program != _program():
                log.info("%s: made by another version; it is not used", file)
                return None
            content = opened.read()
        if hashlib.sha256(content).hexdigest() != head.sha256:
            log.info("%s: damaged; it is not used", file)
            return None
        return unpacked(content)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as exc:
        log.info("%s: can't be read (%s); it is not used", file, exc)
        return None


def _is_ours(found: os.stat_result) -> bool:
    """Whether nobody but the one who runs the server can have written a file."""
    if sys.platform == "win32":
        return True  # a user's directory is kept from others by its own rights
    private = found.st_uid == os.geteuid() and not found.st_mode & 0o077
    return stat.S_ISREG(found.st_mode) and private


def _program() -> str:
    """The version of this program, down to the source of what makes the state."""
    source = hashlib.sha256()
    for module in _MADE_BY:
        with contextlib.suppress(OSError):
            source.update(Path(str(module.__file__)).read_bytes())
    try:
        number = version("loebner")
    except PackageNotFoundError:
        number = "unknown"
    return f"{number} {source.hexdigest()}"


class Keeper:
    """Has snapshots of a running contest written after every `EVERY` events, one at a time.

    Use as `async with Keeper(url, file, behind) as keeper:`, and tell it each durable event.

    Arguments:
        url: the record's.
        file: where the snapshot is.
        behind: how many events the record has that the snapshot has not.
    """

    def __init__(self, url: str, file: Path, behind: int) -> None:
        self._question = msgspec.json.encode(_Question(url, str(file)))
        self._behind = behind
        self._wanted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._keep(), name="snapshots of the state")
        self._look()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._task is not None
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    def event(self, event: Event) -> None:
        """Takes an event that is durable."""
        self._behind += 1
        self._look()

    def _look(self) -> None:
        if self._behind >= EVERY:
            self._behind = 0
            self._wanted.set()

    async def _keep(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            try:
                await apart.run(__name__, self._question, LONGEST)
            except (ContestError, TimeoutError) as exc:
                # Nothing is lost by it: a restart takes longer.
                log.warning("no snapshot of the contest's state was written: %s", exc)


def answered(question: bytes) -> bytes:
    """What the writing process does; see `contest.apart`."""
    asked = msgspec.json.decode(question, type=_Question)
    with Record(asked.url) as record:
        write(record, Path(asked.file))
    return b""
