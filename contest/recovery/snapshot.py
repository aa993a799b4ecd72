"""A snapshot of a contest's state beside its record: a server that is started again reads only the
events after it.

The snapshot is a cache. It holds the state after an event, and the heads of all chains by then. It
is used only where these heads, with the events that came later, lead to the heads of the record:
then it was made of this record's events and of no others. In every other case (there is none, it is
torn, later than the record's last event, made by another version or of another record) the record
is read from its beginning, and the next snapshot takes its place.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

import msgspec

from contest import apart
from contest.errors import ContestError, RecordTrouble
from contest.record import bodies, events, season
from contest.record.bodies import OF_KEYS
from contest.record.events import Chains, Event
from contest.record.store import Record
from contest.state import incidents, model, phases, reducer
from contest.state.model import State
from contest.state.reducer import take
from contest.tasks import running
from lpp import names
from lpp.private import replace_private

log = logging.getLogger(__name__)

#: The snapshot's file in a contest's folder.
FILE_NAME = "state.snapshot"
#: Events after which another snapshot is made: a restart reads some more than these at most.
EVERY = 20_000
#: Seconds of real time that making one may take.
LONGEST = 600.0

#: The modules that say what the state is, and how it follows from events.
_MADE_BY = (model, reducer, phases, incidents, bodies, events, names)


class Folded(msgspec.Struct):
    """What is known of a record by its last event, or by an earlier one.

    Attributes:
        state: the fold of the events by then.
        log: all of them but key presses and their times.
        chains: the heads by then.
    """

    state: State = msgspec.field(default_factory=State)
    log: list[Event] = msgspec.field(default_factory=list)
    chains: Chains = msgspec.field(default_factory=Chains)


def fold(record: Record, file: Path) -> tuple[Folded, int]:
    """Folds a record: by the snapshot in a file and the events after it where that can be used,
    else all of it.

    Returns:
        What is known by the last event, and how many events were read for it.

    Raises:
        RecordTrouble: if the record can't be used.
    """
    last = record.chains.last_seq
    known = record.log(last)
    folded = _read(file)
    if folded is not None and folded.chains.ends:
        covered = folded.state.last_seq
        # If it can't be used, reading all of the record says what is wrong.
        with contextlib.suppress(RecordTrouble, ValueError):
            follow(folded, known.events(after=covered), linked=True)
            if folded.chains == record.chains:
                return folded, last - covered
        log.info("%s: not of this record; the record is read from its beginning", file)
    folded = Folded()
    follow(folded, known.events())
    return folded, last


def follow(folded: Folded, events: Iterable[Event], *, linked: bool = False) -> None:
    """Takes in the events that follow.

    Raises:
        RecordTrouble: if an event can't be used.
        ValueError: if it does not follow what is folded, or, where they are `linked`, the event
            before it in its chain.
    """
    chains = folded.chains
    if chains.last_seq != folded.state.last_seq:
        raise ValueError("state and heads are not of the same event")
    for event in events:
        if linked and (event.seq, event.prev) != (chains.last_seq + 1, chains.head(event.talk)):
            raise ValueError(f"event {event.seq} does not follow event {chains.last_seq}")
        chains.follow(event)
        take(folded.state, event)
        if event.kind not in OF_KEYS and event.kind not in season.KINDS:
            folded.log.append(event)


def write(url: str, file: str) -> None:
    """Writes a snapshot of a record as it is now, in the place of the last one.

    Raises:
        RecordTrouble: if the record can't be used.
        OSError: if the file can't be written; then the last snapshot is still there.
    """
    with Record(url) as record:
        content = msgspec.msgpack.encode(fold(record, Path(file))[0])
    replace_private(Path(file), digest(content) + content)


def digest(content: bytes) -> bytes:
    """What tells that this code has made a snapshot of this content: a digest of both."""
    found = hashlib.sha256(content)
    for module in _MADE_BY:
        with contextlib.suppress(OSError):
            found.update(Path(str(module.__file__)).read_bytes())
    return found.digest()


def _read(file: Path) -> Folded | None:
    """The snapshot in a file; None if there is none that can be used."""
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
async def kept(url: str, file: Path, behind: int) -> AsyncIterator[Callable[[Event], None]]:
    """Has a separate process write snapshots of a running contest, after every `EVERY` events.

    Arguments:
        url: the record's.
        file: where the snapshot is.
        behind: how many events the record has that the snapshot has not.

    Yields:
        What to call with each durable event.
    """
    wanted = asyncio.Event()

    def count(event: Event | None = None) -> None:
        nonlocal behind
        behind += event is not None
        if behind >= EVERY:
            behind = 0
            wanted.set()

    async def write_them() -> None:
        while True:
            await wanted.wait()
            wanted.clear()
            try:
                await apart.ask(write, LONGEST, "that takes too long", url, str(file))
            except ContestError as exc:
                # Nothing is lost by it: a restart takes longer.
                log.warning("no snapshot of the contest's state was written: %s", exc)

    count()
    async with running(write_them(), "snapshots of the state"):
        yield count
