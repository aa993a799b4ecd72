"""From killing the server in a round until it serves again, and until 16 consoles have their
screens, by the number of keys on record."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from pathlib import Path

from benchmarks.report import Row, Target
from benchmarks.server.crowd import AT_ONCE, Crowd, Plan
from benchmarks.server.load import load
from benchmarks.server.participants import LinkedEntry, Seat
from benchmarks.server.process import Server, folder, furnish, keys_on_record
from benchmarks.server.streams import key
from benchmarks.server.waiting import until
from contest.record import bodies
from contest.record.bodies import Author
from contest.record.events import Event
from contest.record.store import FILE_NAME, Record, sqlite_url
from contest.recovery import snapshot
from contest.state.reducer import fold

NAME = "restart"
#: Target: seconds until all are back.
BACK = Target(3, ratio=False)
#: Keys per second from each author in each talk, and seconds of typing before the kill.
RATE, SECONDS = 20.0, 3.0
#: The time limit in seconds until the server is back, and until a snapshot is written.
PATIENCE = 240.0
#: Seconds between two attempts to reconnect, as in our console.
AGAIN = 0.05
_GAP_NS = 20_000_000
_GROUP = 2000


def run(*, sizes: tuple[int, ...] = (10_000, 100_000, 1_000_000), desks: int = 8) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        sizes: keys on record when the server is killed.
        desks: how many; each has two seats, and an entry with a link.
    """
    return [row for size in sizes for row in _rows(size, desks)]


def _rows(size: int, desks: int) -> list[Row]:
    before = load()
    with folder() as place:
        contest = furnish(place, desks)
        with Server(contest) as server:
            address, codes = server.listens(), server.codes()
            with Crowd(Plan(address, codes, desks, {}, RATE, SECONDS, 0.0)) as crowd:
                crowd.seated()
                server.order("start")
                outcome = crowd.run()
                server.kill()
        grow(contest, size)
        port = int(address.rpartition(":")[2])
        kept = contest / snapshot.FILE_NAME
        with Server(contest, port) as server:
            server.listens()
            deadline = time.monotonic() + PATIENCE
            while size >= snapshot.EVERY and not kept.exists() and time.monotonic() < deadline:
                time.sleep(0.1)
            asyncio.run(_come_back(address, codes, desks))
            began = time.monotonic()
            server.kill()
        with Server(contest, port) as server:
            server.listens()
            serves, work = time.monotonic() - began, server.work()
            shown = asyncio.run(_come_back(address, codes, desks))
            took = time.monotonic() - began
            memory = server.memory()
            server.kill()
        recorded = keys_on_record(contest)
        kept.unlink(missing_ok=True)
        began = time.monotonic()
        with Server(contest, port) as server:
            server.listens()
            without, work_without = time.monotonic() - began, server.work()
    expected = max(size, outcome.pressed + desks)
    faults = [str(outcome)]
    if recorded != expected:
        faults.append(f"LOST: {expected - recorded} not in the record")
    if shown != expected:
        faults.append(f"LOST: {expected - shown} not on any screen")
    note = f"{', '.join(faults)}; the server's memory {memory:.0f} MB; load average {before} before"
    return [
        Row(
            *(NAME, f"killed with {size:,} keys on record, until the server serves", serves, "s"),
            target=BACK,
            note=note,
            line="kill to serving",
            size=size,
        ),
        Row(
            *(NAME, f"{size:,} keys, until {2 * desks} consoles have their screens", took, "s"),
            target=BACK,
            line="kill to last screen",
            size=size,
        ),
        Row(
            *(NAME, f"{size:,} keys, until the server serves, without a snapshot", without, "s"),
            line="without a snapshot, to serving",
            size=size,
        ),
        # These two don't depend on other work on the machine.
        Row(
            *(NAME, f"{size:,} keys, the server's own work until it serves", work, "s"),
            line="the server's work",
            size=size,
        ),
        Row(
            *(NAME, f"{size:,} keys, its work without a snapshot", work_without, "s"),
            line="the work without a snapshot",
            size=size,
        ),
    ]


def grow(contest: Path, size: int) -> None:
    """Extends the record of an interrupted round, as if people had continued typing.

    Arguments:
        contest: the folder of a contest whose server was killed in the round.
        size: the number of keys to reach; none are added if there are more.
    """
    with Record(sqlite_url(contest / FILE_NAME), create=True) as record:
        state = fold(record.events())
        now = state.last_ns
        authors: tuple[Author, Author] = ("judge", "entity")
        streams = [(talk, author) for talk in state.talks.values() for author in authors]
        missing = size - keys_on_record(contest)
        drafts: list[Event] = []
        for count in range(missing):
            talk, author = streams[count % len(streams)]
            now += _GAP_NS
            n = talk.accepted[author] = talk.accepted[author] + 1
            is_program = author == "entity" and talk.entity.startswith("E")
            raw = f"{n:010d}.{key(n)}.other" if is_program else None
            actor = talk.judge if author == "judge" else talk.entity
            body = bodies.to_json(bodies.Key(author, talk.side, key(n), n, raw))
            at = dt.datetime.now(dt.UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
            drafts.append(
                Event(0, talk.id, at, now, actor, bodies.Key.kind, {**body, "salt": "0" * 32})
            )
            if len(drafts) == _GROUP or count == missing - 1:
                record.append(drafts)
                drafts = []


async def _come_back(address: str, codes: dict[str, str], desks: int) -> int:
    """Reconnects all consoles and links, each by itself; returns the number of keys on the judges'
    screens."""
    judges = [Seat(f"J{n}", _nobody) for n in range(1, desks + 1)]
    others = [Seat(f"C{n}", _nobody) for n in range(1, desks + 1)]
    entries = [LinkedEntry(f"E{n}", _nobody) for n in range(1, desks + 1)]
    everybody: list[Seat | LinkedEntry] = [*judges, *others, *entries]
    gate = asyncio.Semaphore(AT_ONCE)

    async def come(who: Seat | LinkedEntry) -> None:
        while True:
            try:
                async with gate:
                    await who.sit(address, codes[who.id])
                break
            except OSError:
                await asyncio.sleep(AGAIN)
        await until(lambda: who.here, PATIENCE)

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(come(who) for who in everybody))
    for who in everybody:
        await who.leave()
    return sum(sum(judge.places.values()) for judge in judges)


def _nobody(_place: str, _n: int, _key: str) -> None:
    """Nobody types here."""
