"""Tests the link process of an entry on the server's own machine, which outlives the server."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from contest.errors import BadSettings
from contest.links import linkwire, process
from contest.links.link import Link
from contest.links.program import Program, command_line
from contest.live.hub import Hub
from contest.live.seats import Seats
from contest.net import web
from contest.record.journal import Journal
from contest.record.store import Record
from contest.setup.lock import lock_file
from contest.state.phases import Phase, Status
from contest.tasks import running
from lpp.clock import LoopClock
from tests.contest.journals import bodies
from tests.contest.seat_app import settings_of, site

PATIENCE = 60.0
CODE = "E1-AAAA-BBBB-CCCC"
#: Prints its process id, and answers each key of the judge with a `y`.
PROGRAM = """
import os, sys, time
place = sys.argv[1]
print("here", os.getpid(), flush=True)
while True:
    for name in sorted(os.listdir(place)):
        if name.endswith(".judge"):
            os.rmdir(os.path.join(place, name))
            number = max([int(n.split(".")[0]) for n in os.listdir(place)], default=0) + 1
            os.mkdir(os.path.join(place, f"{number:010d}.y.other"))
    time.sleep(0.01)
"""


class LinkServer:
    """A server with one entry's link."""

    def __init__(self, record: Record, journal: Journal, port: int) -> None:
        self.record = record
        self.hub = Hub(journal, lambda: Phase.INTERACTION)
        status = Status(Phase.INTERACTION, 1, 1, None)
        self.seats = Seats(settings_of(["J1"]), self.hub, lambda: status)
        self.hub.state.contest_id = "c" * 16
        self.link = Link("E1", self.hub, "Contest")
        self.port = port

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():  # noqa: ASYNC110 -- waits for another process
                await asyncio.sleep(0.02)


@asynccontextmanager
async def serving(record: Record, port: int = 0) -> AsyncIterator[LinkServer]:
    async with Journal(record, LoopClock()) as journal:
        served = LinkServer(record, journal, port)
        async with served.link as link:
            app = site(served.seats, {"E1": CODE}, {"E1": link})
            async with web.serving(app, "127.0.0.1", port) as address:
                served.port = int(address.rpartition(":")[2])
                yield served
            await journal.flush()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals end the test's program")
async def test_link_outlives_its_server_and_ends_when_ordered(
    tmp_path: Path, record: Record
) -> None:
    room = tmp_path / "room"
    room.mkdir()
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    output = tmp_path / "E1.log"
    words = [sys.executable, str(tmp_path / "program.py"), str(room)]

    def orders(port: int) -> process.LinkOrders:
        server = f"ws://127.0.0.1:{port}/link"
        return process.LinkOrders(server, CODE, str(room), words, str(output))

    async with serving(record) as served:
        first = process.start(tmp_path, "E1", orders(served.port))
        assert first is not None
        file = process.file_of(tmp_path, "E1")
        assert file.stat().st_mode & 0o777 == 0o600
        await served.until(lambda: served.link.here and served.link.running)
        assert process.runs(file)
        await served.link.prepare()
        talk = served.hub.open_talk(1, 1, "J1", "E1", "left")
        served.link.join(talk)
        served.hub.press(talk, "judge", "J1", "H", 1)
        await served.until(lambda: ("entity", "y") in talk.shown)
        before = output.read_text(encoding="utf-8")
        # The organizer restarts the program.
        served.link.restart()
        await served.until(lambda: output.read_text(encoding="utf-8").count("here") == 2)
        await served.until(lambda: bodies(record, "entry-exited"))
    assert output.read_text(encoding="utf-8").startswith(before)
    assert len(bodies(record, "entry-exited")) == 1

    # Another server, on another port: the link is still running, and connects.
    async with serving(record) as served:
        assert process.start(tmp_path, "E1", orders(served.port)) is None, (
            "no second link is started"
        )
        await served.until(lambda: served.link.here)
        assert output.read_text(encoding="utf-8").count("here") == 2, "the program is still running"
        served.link.close_connection("the server is stopping")
        await process.end(tmp_path, {"E1": first})
    assert not process.runs(file)


@pytest.mark.skipif(os.name == "nt", reason="locks can't be inherited on Windows")
async def test_link_without_a_server_ends_with_its_program(tmp_path: Path, record: Record) -> None:
    room = tmp_path / "room"
    room.mkdir()
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    words = [sys.executable, str(tmp_path / "program.py"), str(room)]
    async with serving(record) as served:
        server = f"ws://127.0.0.1:{served.port}/link"
        orders = process.LinkOrders(server, CODE, str(room), words, str(tmp_path / "E1.log"))
        started = process.start(tmp_path, "E1", orders)
        await served.until(lambda: served.link.here and served.link.running)
        orders.patience = 0.5
        process.write(process.file_of(tmp_path, "E1"), orders)
    # The server has gone, without an order to end.
    file = process.file_of(tmp_path, "E1")
    await served.until(lambda: not process.runs(file))
    with lock_file(file.with_suffix(".program.lock")):
        pass  # the lock is free: the program has ended, too
    said = (tmp_path / "logs" / "E1.link.log").read_text(encoding="utf-8")
    assert "the link ends: there was no server" in said
    await process.end(tmp_path, {"E1": started})


def test_link_without_usable_orders_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "E1.json"
    for text in ("", "{}", '{"server": "ws://127.0.0.1:1/link", "code": "x", "directory": "?"}'):
        file.write_text(text, encoding="utf-8")
        assert process.main(file) == int("code" in text)
        assert ("the link ends" in capsys.readouterr().out) == ("code" in text)


# The command line of an entry's program

PLACE = Path("a room/E1")


@pytest.mark.skipif(sys.platform == "win32", reason="no process groups")
async def test_child_processes_end_before_their_program_starts_again(tmp_path: Path) -> None:
    starts: list[object] = []
    again = asyncio.Event()

    def report(kind: object, *_: object) -> None:
        starts.extend([kind] * (kind is linkwire.Started))
        if len(starts) == 2:
            again.set()

    forks = "import os, time\nif os.fork() == 0:\n    time.sleep(1000)"
    words = [sys.executable, "-c", forks]
    said: list[str] = []
    # The child inherits the lock, so the program can't start again while the child runs.
    program = Program(words, tmp_path / "output", tmp_path / "lock", report, said.append)
    async with running(program.keep(), "program"), asyncio.timeout(PATIENCE):
        await again.wait()
    assert not any("can't be started" in each for each in said)


def test_command_is_split_by_the_platforms_rules() -> None:
    words = command_line("E1", 'loebner bot "a b" --dir={dir}', PLACE)
    assert words == [sys.executable, "-m", "loebner", "bot", "a b", f"--dir={PLACE}"]


def test_missing_quotation_mark_is_reported_with_the_entry() -> None:
    with pytest.raises(BadSettings, match=r"E7.*No closing quotation"):
        command_line("E7", 'bot "{dir}', PLACE)
