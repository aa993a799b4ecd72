"""A bug ends the thread that writes the record: the server says so and ends, and the next one
continues as if nothing had happened."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from contest.live.conductor import RECORD_FAILED
from contest.results.contest import Contest
from contest.verify.verify import verify
from tests.faults.test_server import quiet, seated, served

#: `loebner` with a bug that occurs once a file exists: it then tries to write something invalid.
WITH_A_BUG = """
import pathlib, sys
from contest.record.store import Record
from loebner.cli import main

append = Record.append

def with_a_bug(self, drafts):
    return append(self, [None] if pathlib.Path({file!r}).exists() else drafts)

Record.append = with_a_bug
sys.exit(main(sys.argv[1:]))
"""


async def test_server_whose_journal_fails_ends_and_loses_nothing(tmp_path: Path) -> None:
    fault = tmp_path / "fault"
    bug = ("-c", WITH_A_BUG.format(file=str(fault)))
    async with served(tmp_path / "contest", command=bug) as server, seated(server) as room:
        await server.order("start", anyway=True)
        typing = [asyncio.create_task(each.type()) for each in room.people.values()]
        try:
            await room.typed(40)
            began = time.monotonic()
            left = (await server.order("status"))["remaining"]
            fault.touch()
            assert await server.ended() == 1
            passed = time.monotonic() - began
            # The screens keep their last state until there is a server again.
            await room.in_phase("paused")
            assert {each.client.model.state.reason for each in room.people.values()} == {
                RECORD_FAILED
            }
            said = server.said()
            assert "because of a bug in this program (AttributeError" in said
            assert f"`loebner serve {server.place}`" in said
            assert said.count("Traceback") == 1, said
            await asyncio.sleep(1)  # people and entries continue typing
            fault.unlink()
            server.command = ("-m", "loebner")
            await server.start()
            await room.back()
            await room.in_phase("interaction")
            status = await server.order("status")
            assert left - status["remaining"] <= passed + 0.5
            await room.typed(40)
        finally:
            for task in typing:
                task.cancel()
            await asyncio.gather(*typing, return_exceptions=True)
        await quiet(room, server)
        await server.end()
    assert verify(server.place).ok
    view = Contest.load(server.place)
    kinds = [each.event.kind for each in view.incidents]
    assert kinds.count("taken-up") == 1
    assert "entry-exited" not in kinds, "links and programs outlive the server"
