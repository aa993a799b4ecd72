"""Tests a whole contest with its server, and the files that it leaves in its folder."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import scheduler
from contest.errors import BadSettings, EnvironmentProblem, JournalFailed
from contest.net import codes
from contest.record.bodies import Trouble
from contest.record.store import FILE_NAME as RECORD
from contest.results.published import verify_all
from contest.serving import server
from contest.serving.server import Server
from contest.serving.set_up import Sockets, set_up
from contest.setup import folder, settings
from contest.setup.planning import schedule_of
from contest.verify.verify import verify
from lpp import wire
from lpp.clock import LoopClock
from tests.contest import linked
from tests.contest.organizer.board_server import organizer, visitor, watching

#: Seconds of contest time per second.
SPEED = 600.0


def template() -> str:
    """A contest of one short round, with all entries on other machines."""
    text = linked.remote(folder.template())
    for old, new in (
        ("rounds = 4 ", "rounds = 1 "),
        ("interaction_minutes = 25", "interaction_minutes = 2"),
        ("scoring_minutes = 5 ", "scoring_minutes = 1 "),
        ("ranking_minutes = 15", "ranking_minutes = 1"),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    return text


@asynccontextmanager
async def staged(place: Path, *, announced: bool = False) -> AsyncIterator[Server]:
    folder.make(place, template())
    own = settings.load(place)
    clock = LoopClock(SPEED)
    async with set_up(
        place, own, schedule_of(own, place), clock, sockets=Sockets(announce=announced)
    ) as made:
        yield made


class Person:
    """A person who answers about publication or doesn't, types one key at each place, and decides
    immediately."""

    def __init__(self, made: Server, id_: str, consent: wire.Consent | None) -> None:
        self.sign = "h" if consent is not None else "鷺"
        self.seats = made.conductor.seats
        self.seat = self.seats.seats[id_]
        self.seats.join(id_, wire.Hello(""), self)
        if consent is not None:
            self.seats.handle(self.seat, consent)

    def send(self, frame: wire.ToSeat) -> None:
        asyncio.get_running_loop().call_soon(self._answer, frame)

    def close(self, why: str) -> None:
        pass

    def _answer(self, frame: wire.ToSeat) -> None:
        say = self.seats.handle
        match frame:
            case wire.State(phase="interaction"):
                for place in frame.places:
                    say(self.seat, wire.Press(frame.round, 1, place, 1, self.sign))
            case wire.State(phase="scoring") if self.seat.role == "judge":
                say(self.seat, wire.Verdict(frame.round, 1, "left", 50, "鷺 it said"))
            case wire.RankThese():
                ranks = {label: 2 * n for n, label in enumerate(frame.participants, 1)}
                say(self.seat, wire.Ranks(ranks))


async def test_results_in_the_folder_respect_consents(tmp_path: Path) -> None:
    place = tmp_path / "contest"
    async with staged(place) as made:
        for id_ in made.codes:
            Person(made, id_, wire.Consent(True, "Grey Heron") if id_ == "J1" else None)
        async with linked.entries(made):
            await made.play()
    assert verify(place).ok
    for name in ("results.html", "results.json"):
        text = (place / name).read_text(encoding="utf-8")
        for hidden in ("鷺", "Harriet", "Ben", "Ines", "Lucia"):
            assert hidden not in text, (name, hidden)
        assert ">h<" in text or '"text": "h"' in text, "talks of people who agreed are published"
    assert "Grey Heron" in (place / "results.json").read_text(encoding="utf-8")
    record = (place / "record.db").read_bytes()
    assert b"Harriet" in record, "the organizer's own record keeps everything"


async def test_next_server_writes_the_results_that_the_last_one_could_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "contest"

    def full(_contest: object) -> Iterator[str]:
        yield "the first half"
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(server, "PUBLISHED", {"results.json": full})
        async with staged(place) as made:
            for id_ in made.codes:
                Person(made, id_, None)
            async with linked.entries(made):
                with pytest.raises(EnvironmentProblem):
                    await made.play()
    assert not (place / "results.json").exists()
    own = settings.load(place)
    async with set_up(place, own, schedule_of(own, place), LoopClock()) as made:
        head = await made.play()
    assert (place / "head.txt").read_text() == f"{head}\n"
    report = verify_all(place)
    assert report.ok, report
    assert report.checks[-1].summary == "results.json, results.html: match the record"


async def test_folder_can_be_used_after_a_failed_set_up(
    tmp_path: Path,
) -> None:
    place = tmp_path / "contest"
    async with staged(tmp_path / "another") as other:
        folder.make(place, template())
        own = settings.load(place)
        port = int(other.address.rpartition(":")[2])
        with pytest.raises(EnvironmentProblem, match="choose another port"):
            async with set_up(
                place, own, schedule_of(own, place), LoopClock(), sockets=Sockets(port=port)
            ):
                pytest.fail("two servers on one port")
    assert not (place / RECORD).exists()
    assert not (place / codes.FILE_NAME).exists()
    async with set_up(place, own, schedule_of(own, place), LoopClock()) as made:
        assert (place / codes.FILE_NAME).exists()
        assert made.record.chains.last_seq
    assert (place / RECORD).exists(), "the record of a contest that has begun stays"


async def test_schedule_is_made_only_for_a_new_contest(tmp_path: Path) -> None:
    place = tmp_path / "contest"
    folder.make(place, template())
    own = settings.load(place)
    made: list[scheduler.Schedule] = []

    def plan() -> scheduler.Schedule:
        made.append(schedule_of(own, place))
        return made[-1]

    def refuse() -> scheduler.Schedule:
        raise scheduler.Refused("impossible")

    with pytest.raises(scheduler.Refused):
        async with set_up(place, own, refuse, LoopClock()):
            pytest.fail("set up without a schedule")
    assert not (place / RECORD).exists()
    for _ in range(2):
        async with set_up(place, own, plan, LoopClock()) as stage:
            assert stage.conductor.schedule == made[0]
    assert len(made) == 1, "a contest that continues needs no new schedule"


async def test_bug_in_the_journal_stops_the_clock_and_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "contest"
    folder.make(place, template())
    own = settings.load(place)
    async with set_up(place, own, schedule_of(own, place), LoopClock()) as stage:
        playing = asyncio.create_task(stage.play())
        async with visitor(stage, organizer(stage)) as browser, watching(stage, browser) as board:
            monkeypatch.setattr(stage.record, "append", lambda _: None)
            stage.journal.write(None, "server", Trouble("here", "there"))
            while "a bug" not in str(await board.recv()):
                pass
        now = stage.conductor.now_ns()
        assert "a bug" in stage.overview.status()["record"]["trouble"]
        with pytest.raises(JournalFailed, match="a bug"):
            await playing
        assert stage.conductor.now_ns() == now, "the clock has stopped"


def with_remote_entry(more: str = "") -> str:
    """The short contest, with additional lines for E1."""
    return template().replace('link = "remote"\n', f'link = "remote"\n{more}', 1)


@pytest.mark.parametrize("option", ["command", "directory"])
async def test_command_and_directory_of_a_remote_entry_are_refused(
    tmp_path: Path, option: str
) -> None:
    place = tmp_path / "contest"
    folder.make(place, with_remote_entry(f'{option} = "x {{dir}}"\n'))
    own = settings.load(place)
    with pytest.raises(BadSettings, match=f'link = "remote" and a {option}'):
        async with set_up(place, own, schedule_of(own, place), LoopClock()):
            pass
