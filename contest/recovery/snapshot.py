"""A snapshot of a contest's state beside its record, so that a server that is started again need
not read all of the record.

The snapshot is a cache. It holds the state after an event, and the heads of all chains by then. It
is used only where these heads, with the events that came later, lead to the heads of the record:
then it was made of this record's events and of no others. In every other case (there is none, it is
torn, older than the record's last events allow, made by another version, made of another record)
the record is read from its beginning, and the next snapshot takes its place.

A separate process writes it, from the record and the snapshot before; see `kept`.
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
        made_by: the code that made it, see `_program`; empty before it is written.
    """

    state: State = msgspec.field(default_factory=State)
    log: list[Event] = msgspec.field(default_factory=list)
    chains: Chains = msgspec.field(default_factory=Chains)
    made_by: str = ""


def fold(record: Record, file: Path) -> tuple[Folded, int]:
    """Folds a record: by the snapshot and the events after it where that can be used, else all of
    it.

    Arguments:
        record: an open record.
        file: where the snapshot is, or might be.

    Returns:
        What is known by the last event, and how many events were read for it.

    Raises:
        RecordTrouble: if the record can't be used.
    """
    last = record.chains.last_seq
    folded = _read(file)
    if folded is not None and folded.chains.ends:
        covered = folded.state.last_seq
        try:
            follow(folded, record.events(after=covered, upto=last), linked=True)
            if folded.chains == record.chains:
                return folded, last - covered
        except (RecordTrouble, ValueError):  # reading all of it says what is wrong
            pass
        log.info("%s: not of this record; the record is read from its beginning", file)
    folded = Folded()
    follow(folded, record.events(upto=last))
    return folded, last


def follow(folded: Folded, events: Iterable[Event], *, linked: bool = False) -> None:
    """Takes in the events that follow.

    Arguments:
        folded: what is known by the event before.
        events: they.
        linked: whether each is to hang on the ones before.

    Raises:
        RecordTrouble: if an event can't be used.
        ValueError: if the events do not follow what is folded.
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


def write(record: Record, file: Path) -> None:
    """Writes a snapshot of a record as it is now.

    Arguments:
        record: an open record.
        file: where the last snapshot is, and the new one comes.

    Raises:
        RecordTrouble: if the record can't be used.
        OSError: if the file can't be written; then the last snapshot is still there.
    """
    folded = fold(record, file)[0]
    folded.made_by = _program()
    content = msgspec.msgpack.encode(folded)
    replace_private(file, hashlib.sha256(content).digest() + content)


def _read(file: Path) -> Folded | None:
    """The snapshot in a file; None if there is none that can be used."""
    try:
        stored = file.read_bytes()
        digest, content = stored[:32], stored[32:]
        if hashlib.sha256(content).digest() != digest:
            raise ValueError("it is damaged")
        folded = msgspec.msgpack.decode(content, type=Folded)
        if folded.made_by != _program():
            raise ValueError("another version made it")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as exc:
        log.info("%s: not used: %s", file, exc)
        return None
    folded.made_by = ""
    return folded


def _program() -> str:
    """The code that makes the state, as a digest of its sources."""
    source = hashlib.sha256()
    for module in _MADE_BY:
        with contextlib.suppress(OSError):
            source.update(Path(str(module.__file__)).read_bytes())
    return source.hexdigest()


@contextlib.asynccontextmanager
async def kept(url: str, file: Path, behind: int) -> AsyncIterator[Callable[[Event], None]]:
    """Has snapshots of a running contest written after every `EVERY` events, one at a time.

    Arguments:
        url: the record's.
        file: where the snapshot is.
        behind: how many events the record has that the snapshot has not.

    Yields:
        What to call with each durable event.
    """
    wanted = asyncio.Event()

    def count(events: int) -> None:
        nonlocal behind
        behind += events
        if behind >= EVERY:
            behind = 0
            wanted.set()

    async def write_them() -> None:
        while True:
            await wanted.wait()
            wanted.clear()
            try:
                await apart.ask(write_at, LONGEST, "that takes too long", url, str(file))
            except ContestError as exc:
                # Nothing is lost by it: a restart takes longer.
                log.warning("no snapshot of the contest's state was written: %s", exc)

    count(0)
    async with running(write_them(), "snapshots of the state"):
        yield lambda _event: count(1)


def write_at(url: str, file: str) -> None:
    """Writes a snapshot of the record at an address, in a separate process."""
    with Record(url) as record:
        write(record, Path(file))
