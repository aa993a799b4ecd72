"""A snapshot of a contest's state beside its record, so that a restarted server needs to read only
the events after it.

The snapshot is a cache. It holds the state after some event, and the heads of all chains at that
event. It is used only if these heads and the later events lead to the heads of the record, which
proves that it was made from this record's events. In every other case (it is missing, incomplete,
later than the record's last event, made by another version or from another record) the record is
read from its beginning, and the next snapshot replaces it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

import msgspec

from contest import worker
from contest.errors import ContestError, RecordTrouble
from contest.record import season
from contest.record.bodies import KEY_KINDS
from contest.record.events import Chains, Event
from contest.record.store import Record
from contest.results.published import code_digest
from contest.state.model import State
from contest.state.reducer import take
from contest.tasks import running
from lpp.private import replace_private

log = logging.getLogger(__name__)

#: The snapshot's file in a contest's folder.
FILE_NAME = "state.snapshot"
#: Events after which another snapshot is made: a restart reads little more than these.
EVERY = 20_000
#: The time limit for writing one, in seconds of real time.
TIME_LIMIT = 600.0


class Folded(msgspec.Struct):
    """A record folded up to its last event, or up to an earlier one.

    Attributes:
        state: the fold of these events.
        log: these events without key presses and their times.
        chains: the heads after these events.
    """

    state: State = msgspec.field(default_factory=State)
    log: list[Event] = msgspec.field(default_factory=list)
    chains: Chains = msgspec.field(default_factory=Chains)


def fold(record: Record, file: Path) -> tuple[Folded, int]:
    """Folds a record: from the snapshot in a file and the later events if the snapshot can be used,
    otherwise from its beginning.

    Returns:
        The folded record, and how many events were read for it.

    Raises:
        RecordTrouble: if the record can't be used.
    """
    last = record.chains.last_seq
    known = record.log(last)
    folded = _read(file)
    if folded is not None and folded.chains.ends:
        covered = folded.state.last_seq
        # If an event can't be used, reading the whole record reports what is wrong.
        with contextlib.suppress(RecordTrouble, ValueError):
            follow(folded, known.events(after=covered), linked=True)
            if folded.chains == record.chains:
                return folded, last - covered
        log.info("%s: made from another record; reading the record from its beginning", file)
    folded = Folded()
    follow(folded, known.events())
    return folded, last


def follow(folded: Folded, events: Iterable[Event], *, linked: bool = False) -> None:
    """Folds the events that follow.

    Arguments:
        folded: is changed.
        events: the next events, in order.
        linked: whether to check each event's number and `prev`.

    Raises:
        RecordTrouble: if an event can't be used.
        ValueError: if state and heads disagree, or a `linked` event does not follow.
    """
    chains = folded.chains
    if chains.last_seq != folded.state.last_seq:
        raise ValueError("state and heads belong to different events")
    for event in events:
        if linked and (event.seq, event.prev) != (chains.last_seq + 1, chains.head(event.talk)):
            raise ValueError(f"event {event.seq} does not follow event {chains.last_seq}")
        chains.follow(event)
        take(folded.state, event)
        if event.kind not in KEY_KINDS and event.kind not in season.KINDS:
            folded.log.append(event)


def write(url: str, file: str) -> None:
    """Writes a snapshot of a record as it is now, replacing the last one.

    Raises:
        RecordTrouble: if the record can't be used.
        OSError: if the file can't be written; the last snapshot is then kept.
    """
    with Record(url) as record:
        content = msgspec.msgpack.encode(fold(record, Path(file))[0])
    replace_private(Path(file), digest(content) + content)


def digest(content: bytes) -> bytes:
    """A digest of a snapshot's content and of the code that makes snapshots."""
    return hashlib.sha256(code_digest().encode() + content).digest()


def _read(file: Path) -> Folded | None:
    """The snapshot in a file; None if it is missing or can't be used."""
    try:
        stored = file.read_bytes()
        content = stored[32:]
        if digest(content) != stored[:32]:
            raise ValueError("it is damaged, or another version made it")
        return msgspec.msgpack.decode(content, type=Folded)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as exc:
        log.info("%s: not used: %s", file, exc)
        return None


@contextlib.asynccontextmanager
async def keep_snapshots(
    url: str, file: Path, behind: int
) -> AsyncIterator[Callable[[Event], None]]:
    """Has a separate process write snapshots of a running contest, after every `EVERY` events.

    Arguments:
        url: the record's URL.
        file: the snapshot.
        behind: how many of the record's events are not in the snapshot.

    Yields:
        A function to call with each durable event.
    """
    wanted = asyncio.Event()

    def count(event: Event | None = None) -> None:
        nonlocal behind
        behind += event is not None
        if behind >= EVERY:
            behind = 0
            wanted.set()

    async def write_snapshots() -> None:
        while True:
            await wanted.wait()
            wanted.clear()
            try:
                await worker.call(write, TIME_LIMIT, "it took too long", url, str(file))
            except ContestError as exc:
                # Nothing is lost; a restart only takes longer.
                log.warning("no snapshot of the contest's state was written: %s", exc)

    count()
    async with running(write_snapshots(), "snapshots of the state"):
        yield count
