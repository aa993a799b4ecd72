"""A server that is stopped for a while, and goes on: the time is no time of the contest."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from contest.live.standing import GAP
from contest.results.contest import Contest
from contest.verify.verify import verify
from tests.faults.test_server import Room, Server, quiet, seated, served

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no such signal here")

#: Seconds for which the server is stopped.
STOPPED = 4.0


async def stalls(server: Server) -> list[dict[str, Any]]:
    """The incidents that tell of it; a busy machine may have made a server stall before."""
    status = await server.order("status")
    return [each for each in status["incidents"] if each["kind"] == "server-stalled"]


def countdowns(room: Room) -> list[float]:
    """The seconds that consoles show to be left."""
    now = time.monotonic()
    return [each.client.model.remaining(now) or 0.0 for each in room.people.values()]


async def test_a_server_that_is_stopped_takes_no_time_from_a_round(tmp_path: Path) -> None:
    assert STOPPED > GAP
    async with served(tmp_path / "contest") as server, seated(server) as room:
        await server.order("start", anyway=True)
        typing = [asyncio.create_task(each.type()) for each in room.people.values()]
        try:
            await room.typed(40)
            before = len(await stalls(server))
            began = time.monotonic()
            left = (await server.order("status"))["remaining"]
            os.kill(server.pid, signal.SIGSTOP)
            try:
                # People and programs type on meanwhile.
                await asyncio.sleep(STOPPED)
            finally:
                os.kill(server.pid, signal.SIGCONT)
            await room.typed(40)
            stall = (await stalls(server))[before]
            assert "stood still for" in stall["what"]
            now = (await server.order("status"))["remaining"]
            # Half a second: notes of the clock, and tenths. Consoles counted on meanwhile, and are
            # told what is left.
            for shown in (now, *countdowns(room)):
                assert left - shown <= time.monotonic() - began - STOPPED + 0.5
        finally:
            for task in typing:
                task.cancel()
            await asyncio.gather(*typing, return_exceptions=True)
        await quiet(room, server)
        incidents = (await server.order("status"))["incidents"]
        assert not [each for each in incidents if "link" in each["who"]], "none is lost by it"
        await server.end()
    assert "stood still for" in server.said()
    assert "Traceback" not in server.said()
    assert verify(server.place).ok
    view = Contest.load(server.place)
    assert "stood still for" in next(i.what for i in view.incidents if i.seq == stall["seq"])
    # No key of that time is late: for the talk nothing has happened.
    assert all(
        key.out_of_phase != "3/after-end" for talk in view.talks for key in view.keys(talk.id)
    )
