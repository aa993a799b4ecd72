"""Links to entries on other machines, as real processes: a talk; a link that is killed and
restarted; a cable that is cut; a program that is killed and restarted."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from contest.links.link import Link
from contest.live.hub import Hub
from contest.live.seats import Seats
from contest.net import codes, web
from contest.record.journal import Journal
from contest.record.store import Record, sqlite_url
from contest.state.model import Talk
from contest.state.phases import Phase, Status
from lpp.clock import LoopClock
from lpp.lines import Pane
from tests.cable import cable
from tests.conftest import Until
from tests.contest.journals import bodies
from tests.contest.seat_app import settings_of, site

#: The bundled bot, at high speed.
BOT = (sys.executable, "-m", "loebner", "bot", "therapist", "--speed", "400", "--dir", "{dir}")
ROOT = Path(__file__).parents[2]


@dataclass
class Room:
    """A server that waits for the link of E1, which has one talk."""

    record: Record
    hub: Hub
    link: Link
    code: str
    address: str
    talk: Talk
    typed: int = 0

    def judge(self, *keys: str) -> None:
        for key in keys:
            self.typed += 1
            self.hub.press(self.talk, "judge", "J1", key, self.typed)

    def raws(self) -> list[str]:
        """The names of the entry's recorded keys, in order."""
        keys = bodies(self.record, "key")
        return [str(body["raw"]) for body in keys if body["author"] == "entity"]

    def answers(self) -> list[str]:
        """The lines that the entry has finished."""
        pane = Pane(key for author, key in self.talk.shown if author == "entity")
        return pane.text.split("\n")[:-1]


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Room]:
    clock = LoopClock()
    with Record(sqlite_url(tmp_path / "record.db"), create=True) as record:
        async with Journal(record, clock) as journal:
            hub = Hub(journal, lambda: Phase.INTERACTION)
            status = Status(Phase.INTERACTION, 1, 1, None)
            seats = Seats(settings_of(["J1"]), hub, lambda: status)
            hub.state.contest_id = "c1"
            link = Link("E1", hub, "Contest")
            code = codes.issue(["E1"])["E1"]
            app = site(seats, {"E1": code}, {"E1": link})
            async with link, web.serving(app, "127.0.0.1", 0) as address:
                await link.prepare()
                talk = hub.open_talk(1, 1, "J1", "E1", "right")
                link.join(talk)
                yield Room(record, hub, link, code, address, talk)
            await journal.flush()


@asynccontextmanager
async def linked(
    address: str, code: str, room: Path, *program: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """`loebner link` as a process; it is ended in good order if it still runs."""
    words = ["-m", "loebner", "link", "--server", address, "--dir", str(room)]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *words,
        *(["--", *program] if program else []),
        stdout=asyncio.subprocess.DEVNULL,
        env={**os.environ, "LOEBNER_CODE": code},
        cwd=ROOT,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def test_program_and_link_are_killed_and_restarted(
    served: Room, room: Path, until: Until
) -> None:
    """When the link is killed, the program keeps running, and no key is lost or repeated in either
    direction."""
    async with linked(served.address, served.code, room, *BOT) as process:
        await until(lambda: served.link.here)
        served.judge("H", "i", "Return")
        await until(lambda: len(served.answers()) >= 1)
        await until(lambda: not os.listdir(room))
        assert served.link.status().waiting == 0
        await until(lambda: served.link.status().delay is not None)
        delay = served.link.status().delay
        assert delay is not None
        assert 0 < delay < 5

        [started] = bodies(served.record, "entry-started")
        assert str(room) in started["command"]  # type: ignore[operator]
        output = room.with_name(f"{room.name}.log")
        assert "listening in" in output.read_text(encoding="utf-8")
        [pid] = _running(room)
        os.kill(pid, signal.SIGKILL)
        await until(lambda: len(bodies(served.record, "entry-started")) == 2)
        assert [body["code"] for body in bodies(served.record, "entry-exited")] == [-9]
        before = len(served.answers())
        served.judge("H", "i", "Return")
        await until(lambda: len(served.answers()) > before)
        process.kill()
        await process.wait()
    await until(lambda: not served.link.here)
    pids = _running(room)
    assert len(pids) == 1
    before = len(served.answers())
    served.judge("Y", "e", "s", "Return")
    async with linked(served.address, served.code, room, *BOT) as process:
        await until(lambda: served.link.here and not served.link.status().waiting)
        await until(lambda: len(served.answers()) > before)
        await until(lambda: not os.listdir(room))
        assert _running(room) == pids
        process.terminate()
        assert await process.wait() == 0
        # A program that another link started gets a signal, and nobody waits for its end.
        await until(lambda: _running(room) == [])
    output.unlink()
    raws = served.raws()
    assert raws == sorted(set(raws))
    troubles = [str(body["what"]) for body in bodies(served.record, "trouble")]
    assert "lost" in troubles[0]
    assert "reconnected" in troubles[1]


@pytest.mark.soak
async def test_cable_cut_during_a_talk(served: Room, room: Path, until: Until) -> None:
    made = [f"{number:010d}.a.other" for number in range(1, 61)]
    async with (
        cable(served.address) as laid,
        linked(laid.address, served.code, room),
    ):
        await until(lambda: served.link.here)
        served.judge("H")
        for number, name in enumerate(made, 1):
            (room / name).mkdir()
            if number % 20 == 0:
                laid.cut()
                await until(lambda: not served.link.here)
                served.judge("x")
                laid.mend()
            await asyncio.sleep(0)
        await until(lambda: served.link.here and len(served.raws()) == len(made))
        await until(lambda: not served.link.status().waiting)
        await until(lambda: not [name for name in os.listdir(room) if name.endswith(".other")])
        assert served.raws() == made
        keys = [name.split(".")[1] for name in sorted(os.listdir(room))]
        assert keys == ["H", "x", "x", "x"]


async def test_wrong_code_and_wrong_address(
    served: Room, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contest.net.limits.SPACING", 0.01)
    async with linked(served.address, "E1-AAAA-BBBB-CCCC", room) as process:
        assert await process.wait() == 1
    async with linked("127.0.0.1:99999", served.code, room) as process:
        assert await process.wait() == 2
    assert not served.link.here


def _running(room: Path) -> list[int]:
    """The bots that run in a communications directory."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"bot" in words and os.fsencode(room) in words and b"link" not in words:
                found.append(int(name))
    return found
