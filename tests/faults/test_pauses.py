"""Pauses while people and programs type: nothing lost, nothing doubled, and nobody stays late."""

from __future__ import annotations

import asyncio
from pathlib import Path

from contest.links import process
from contest.results.contest import Contest
from tests.faults.test_server import Server, quiet, seated, served, until

ENTRIES = ("E1", "E2")
#: Keys of an entry that may stand in its directory, on their way: it types some fifty a second.
ON_THE_WAY = 25
#: Keys that an entry types in a pause of the test, at least.
IN_A_PAUSE = 150


def standing(server: Server, entry: str) -> int:
    """How many keys of an entry stand in its directory: they are not on record yet."""
    orders = process.read(process.file_of(server.place, entry))
    assert orders is not None
    return sum(path.name.endswith(".other") for path in Path(orders.directory).iterdir())


async def test_entries_that_type_on_over_pauses_are_on_time_again(tmp_path: Path) -> None:
    async with served(tmp_path / "contest") as server, seated(server) as room:
        await server.order("start", anyway=True)
        typing = [asyncio.create_task(each.type()) for each in room.people.values()]
        try:
            for _ in range(2):
                await room.typed(100)
                await server.order("pause", "a lamp fell down")
                await room.in_phase("paused")
                await until(lambda: min(standing(server, each) for each in ENTRIES) >= IN_A_PAUSE)
                await server.order("resume")
                await room.in_phase("interaction")
                # The entries never fall silent: one that stays late is late for ever.
                await until(lambda: standing(server, "E1") <= ON_THE_WAY)
                await until(lambda: standing(server, "E2") <= ON_THE_WAY)
        finally:
            for task in typing:
                task.cancel()
            await asyncio.gather(*typing, return_exceptions=True)
        await quiet(room, server)
        view = Contest.load(server.place)
        await server.end()
    (round_,) = view.attempts
    keys = [key for talk in view.talks for key in view.keys(talk.id)]
    shown = [key for key in keys if key.out_of_phase is None]
    assert len(round_.pauses) == 3
    for since, to, _ in round_.pauses:
        assert not [key for key in shown if since < key.mono_ns < (to or view.state.last_ns)]
    entries = [key for key in keys if key.raw is not None]
    assert all(key.out_of_phase is None for key in entries), "programs don't know about pauses"
