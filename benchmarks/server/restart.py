"""A server that is killed in the middle of a round, and started again: how long until each console
has all that it had, by how much is on record."""

from __future__ import annotations

import asyncio
import time

from benchmarks.report import Reach, Row
from benchmarks.server.crowd import AT_ONCE, FROM_JUDGE, TO_JUDGE, Crowd, Plan
from benchmarks.server.house import Server, folder, furnish, keys_on_record
from benchmarks.server.load import load
from benchmarks.server.sitting import LinkedEntry, Seat
from benchmarks.server.until import until

NAME = "restart"
#: design.md: seconds from the kill until all are back.
BACK = Reach(3, ratio=False)
#: Keys a second of each author in each talk while the record grows: as fast as a seat may type.
RATE = 80.0
#: Seconds for the server to be back.
PATIENCE = 60.0
#: Seconds between two tries of a console to come back; ours wait as long.
AGAIN = 0.05


def run(*, sizes: tuple[int, ...] = (1_000, 10_000, 30_000, 100_000), desks: int = 8) -> list[Row]:
    """Measures.

    Arguments:
        sizes: keys on record when the server is killed.
        desks: how many: each two seats, and an entry with a link.
    """
    return [_row(size, desks) for size in sizes]


def _row(size: int, desks: int) -> Row:
    before = load()
    seconds = size / (RATE * desks * (len(TO_JUDGE) + len(FROM_JUDGE)))
    with folder() as place:
        contest = furnish(place, desks)
        with Server(contest) as server:
            address, codes = server.listens(), server.codes()
            with Crowd(Plan(address, codes, desks, {}, RATE, seconds, 0.0)) as crowd:
                crowd.seated()
                server.order("start")
                outcome = crowd.run()
                began = time.monotonic()
                server.kill()
        with Server(contest, int(address.rpartition(":")[2])) as server:
            shown = asyncio.run(_come_back(address, codes, desks))
            took = time.monotonic() - began
            server.end()
        recorded = keys_on_record(contest)
    expected = outcome.pressed + desks
    faults = [str(outcome)]
    if recorded != expected:
        faults.append(f"LOST: {expected - recorded} are not in the record")
    if shown != expected:
        faults.append(f"LOST: {expected - shown} stand on no screen")
    return Row(
        NAME,
        f"killed with {size:,} keys on record, until {2 * desks} consoles have their screens",
        took,
        "s",
        reach=BACK,
        note=f"{', '.join(faults)}; load average {before} before",
        line="kill to last screen",
        size=size,
    )


async def _come_back(address: str, codes: dict[str, str], desks: int) -> int:
    """All consoles and links come back, each by itself; how many keys the judges' screens have."""
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
