"""The server is killed at any point of a contest, or ends because of a bug, and is restarted:
screens, sides and remaining time are the same, and nothing is lost or doubled in record, screens
and directories."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import os
import random
import shlex
import signal
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from contest.links import process
from contest.live.conductor import RECORD_FAILED
from contest.net import addresses, codes
from contest.record import reading
from contest.record.events import Event
from contest.results.contest import Contest
from contest.serving.set_up import RETURN_LIMIT
from contest.setup import folder
from contest.state import phases
from contest.state.model import Talk
from contest.verify.verify import verify
from judge_console.client import SeatClient
from loebner.cli import main
from loebner.common import send
from loebner.control import read_words
from lpp import wire
from tests.faults.stubborn_entry import letter

#: The longest time in seconds that anything may take on a busy machine; and for how long the server
#: is stopped.
PATIENCE, STOPPED = 60.0, 3.0
ENTRIES = ("E1", "E2")
#: The maximum number of an entry's keys that may be in its directory, on their way (it types about
#: fifty a second); and the minimum number that it types in a pause of the test.
ON_THE_WAY, IN_A_PAUSE = 25, 50
#: Runs `loebner`, but saves the times of keys every two seconds. It has a bug that occurs once a
#: file exists: it then tries to write something invalid.
WITH_A_BUG = """
import pathlib, sys
from contest.live import conductor
from contest.record.store import Record
from loebner.cli import main

append = Record.append

def with_a_bug(self, drafts):
    return append(self, [None] if pathlib.Path({file!r}).exists() else drafts)

Record.append = with_a_bug
conductor.TIMES_EVERY = 2.0
sys.exit(main(sys.argv[1:]))
"""
SETTINGS = """\
[contest]
name = "A contest whose server dies"

[rules]
rounds = 1
interaction_minutes = 600
scoring_minutes = 600
ranking_minutes = 600
schedule = "plan.txt"

[publication]
default = "publish"

[[judge]]
id = "J1"
[[judge]]
id = "J2"

[[entry]]
id = "E1"
command = "{python} -m tests.faults.stubborn_entry {{dir}} {notes}/E1.txt"
[[entry]]
id = "E2"
command = "{python} -m tests.faults.stubborn_entry {{dir}} {notes}/E2.txt"

[[confederate]]
id = "C1"
[[confederate]]
id = "C2"
"""
PLAN = "Round 1 J1E1C1 J2E2C2\n"


class Server:
    """`loebner serve`, which is killed and restarted at one address."""

    def __init__(self, place: Path, command: Sequence[str] = ("-m", "loebner")) -> None:
        self.place = place
        self.port = 0
        self.command = command
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        log = (self.place.parent / "serve.log").open("ab")
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, *self.command, "serve", str(self.place), "--port", str(self.port)),
            stdout=log,
            stderr=asyncio.subprocess.STDOUT,
        )
        log.close()
        async with asyncio.timeout(PATIENCE):
            # There is no notification when another process makes a file.
            while not self._has_door():
                assert self._process.returncode is None, self.said()
                await asyncio.sleep(0.02)
        self.port = int(self.control_address().server.rpartition(":")[2])

    def _has_door(self) -> bool:
        return (self.place / addresses.CONTROL_FILE).exists()

    def control_address(self) -> addresses.ControlAddress:
        return addresses.find_control(self.place)

    def said(self) -> str:
        return (self.place.parent / "serve.log").read_text(encoding="utf-8")

    async def kill(self) -> None:
        """Kills the server (kill -9) and removes the organizer.json that it left."""
        assert self._process is not None
        self._process.kill()
        await self._process.wait()
        (self.place / addresses.CONTROL_FILE).unlink(missing_ok=True)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def end(self) -> int:
        """Ctrl-C."""
        assert self._process is not None
        self._process.terminate()
        return await self.ended()

    async def ended(self) -> int:
        """Waits until it has ended; returns its exit code."""
        assert self._process is not None
        async with asyncio.timeout(PATIENCE):
            return await self._process.wait()

    async def writes_again(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while (await self.order("status"))["record"]["trouble"]:  # noqa: ASYNC110
                await asyncio.sleep(0.1)

    async def order(self, *words: str, anyway: bool = False) -> dict[str, Any]:
        """Gives an order; returns the contest's status afterwards."""
        order = read_words(list(words), {"--anyway": anyway})
        status: dict[str, Any] = (await asyncio.to_thread(send, self.control_address(), order))[
            "status"
        ]
        return status


@asynccontextmanager
async def served(
    place: Path,
    more: str = "",
    notes: Path | None = None,
    command: Sequence[str] = ("-m", "loebner"),
) -> AsyncIterator[Server]:
    """A server of a contest with two desks; ends it afterwards, with all processes that it started.

    Arguments:
        place: the contest's folder, to be made.
        more: settings in addition to the usual ones.
        notes: where the entries note the keys that they read; by default beside the contest's
            folder.
        command: what Python is to run as `loebner`.
    """
    notes = notes or place.parent / "notes"
    notes.mkdir()
    settings = SETTINGS.format(python=shlex.quote(sys.executable), notes=shlex.quote(str(notes)))
    folder.make(place, settings + more)
    (place / "plan.txt").write_text(PLAN, encoding="utf-8")
    server = Server(place, command)
    await server.start()
    try:
        yield server
    finally:
        with contextlib.suppress(ProcessLookupError):
            await server.kill()
        await gone(place)


@asynccontextmanager
async def typing(room: Room) -> AsyncIterator[None]:
    """All four type while the context is open."""
    tasks = [asyncio.create_task(each.type()) for each in room.people.values()]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def gone(place: Path) -> None:
    """Ends the links that a killed server left running."""
    files = list((place / process.FOLDER).glob("*.json"))
    for file in files:
        orders = process.read(file)
        assert orders is not None
        orders.end = True
        process.write(file, orders)
    async with asyncio.timeout(PATIENCE):
        while any(process.runs(file) for file in files):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def until(holds: Callable[[], object], look_every: float = 0.02) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 -- a seat's own watchers are more than this needs
            await asyncio.sleep(look_every)


class Typist:
    """A person at a seat who types a predictable text at each place."""

    def __init__(self, seat: str, client: SeatClient) -> None:
        self.seat, self.client = seat, client
        self.typed: dict[wire.Place, int] = {}

    async def type(self) -> None:
        while True:
            for place in self.client.places:
                n = self.typed.get(place, 0) + 1
                if await self.client.press(place, self.letter(place, n)):
                    self.typed[place] = n
            await asyncio.sleep(0.04)

    def letter(self, place: str, n: int) -> str:
        return letter(n + sum(map(ord, self.seat + place)))


class Room:
    """The four people of the contest, and the conditions that must hold.

    Arguments:
        server: the server that they are connected to.
        notes: where the entries note the keys that they read.
    """

    def __init__(self, server: Server, notes: Path | None = None) -> None:
        given = codes.read_file(server.place / codes.FILE_NAME)
        self.place = server.place
        self.notes = notes or server.place.parent / "notes"
        self.people = {
            seat: Typist(seat, SeatClient(f"ws://127.0.0.1:{server.port}/seat", given[seat]))
            for seat in ("J1", "J2", "C1", "C2")
        }

    def standing(self, entry: str) -> int:
        """How many keys of an entry are in its directory, and so not recorded yet."""
        orders = process.read(process.file_of(self.place, entry))
        assert orders is not None
        return sum(path.name.endswith(".other") for path in Path(orders.directory).iterdir())

    async def back(self) -> None:
        """Waits until everybody has reconnected."""
        await until(lambda: all(each.client.connected for each in self.people.values()))

    async def typed(self, more: int) -> None:
        """Waits until all screens together show this many more keys."""

        def keys() -> int:
            seats = [each.client for each in self.people.values()]
            return sum(len(seat.keys(place)) for seat in seats for place in seat.places)

        before = keys()
        await until(lambda: keys() > before + more)

    async def saved(self, what: str) -> None:
        """Waits until both judges are told that it is saved."""
        seats = [self.people[judge].client for judge in ("J1", "J2")]
        await until(lambda: all(what in seat.model.saved for seat in seats))

    async def asked(self, judge: str) -> wire.RankThese:
        """What a judge is asked to rank."""
        model = self.people[judge].client.model
        await until(lambda: model.rank_these)
        assert model.rank_these is not None
        return model.rank_these

    async def in_phase(self, phase: str) -> None:
        await until(lambda: all(each.client.phase == phase for each in self.people.values()))

    def compare(self) -> None:
        """Asserts that record, screens and directories agree exactly. Nobody may be typing."""
        view = Contest.load(self.place)
        for talk in view.talks:
            shown = [(key.author, key.key) for key in view.shown(talk)]
            self._on_screen(talk.judge, talk.side, shown)
            if talk.entity.startswith("C"):
                self._on_screen(talk.entity, "only", shown)
                self._as_typed(view, talk, talk.entity, "only", "entity")
            self._as_typed(view, talk, talk.judge, talk.side, "judge")
        self.compare_entries()

    def compare_entries(self) -> None:
        """Asserts that the entries' own notes agree exactly with the record."""
        view = Contest.load(self.place)
        for talk in view.talks:
            if not talk.entity.startswith("C"):
                self._entry(view, talk)

    def _on_screen(self, seat: str, place: wire.Place, shown: Sequence[tuple[str, str]]) -> None:
        # Compare each author's keys separately: a console shows its own keys at once, so the order
        # of the two authors' keys may differ from the record's.
        keys = self.people[seat].client.keys(place)
        for author in ("judge", "entity"):
            here = [key for by, key in keys if by == author]
            assert here == [key for by, key in shown if by == author], (seat, place)

    def _as_typed(
        self, view: Contest, talk: Talk, seat: str, place: wire.Place, author: str
    ) -> None:
        typist = self.people[seat]
        keys = [key for key in view.keys(talk.id) if key.author == author]
        assert [key.n for key in keys] == list(range(1, typist.typed[place] + 1)), talk.id
        assert [key.key for key in keys] == [typist.letter(place, key.n) for key in keys]

    def _entry(self, view: Contest, talk: Talk) -> None:
        typed = [key for key in view.keys(talk.id) if key.author == "entity"]
        assert [key.raw for key in typed] == [
            f"{n:010d}.{letter(n)}.other" for n in range(1, len(typed) + 1)
        ], talk.id
        notes = (self.notes / f"{talk.entity}.txt").read_text().splitlines()
        heard = [
            key.key for key in view.keys(talk.id) if key.author == "judge" and not key.out_of_phase
        ]
        assert [name.split(".")[1] for name in notes] == heard, talk.id
        assert notes == sorted(set(notes)), "lexically growing, and none twice"


@asynccontextmanager
async def seated(server: Server, notes: Path | None = None) -> AsyncIterator[Room]:
    room = Room(server, notes)
    async with contextlib.AsyncExitStack() as stack:
        for each in room.people.values():
            await stack.enter_async_context(each.client)
        await room.back()
        yield room


async def quiet(room: Room, server: Server) -> None:
    """Pauses the round, and waits until all typed keys have arrived."""
    if (await server.order("status"))["phase"] == "interaction":
        await server.order("pause", "to compare")

    await until_true(room.compare)


async def until_true(compare: Callable[[], None]) -> None:
    """Waits until a comparison of the whole record holds."""

    def settled() -> bool:
        try:
            compare()
        except AssertionError:
            return False
        return True

    try:
        await until(settled, look_every=0.25)
    except TimeoutError:
        compare()
        raise


def all_confirmed(place: Path) -> None:
    """Asserts that the times of all keys in phase are recorded, and no others."""
    view = Contest.load(place)
    keys = [key for talk in view.talks for key in view.keys(talk.id)]
    assert all((key.shown_ns is None) == (key.out_of_phase is not None) for key in keys)


async def failed(room: Room, server: Server, fault: Path) -> None:
    """The thread that writes the record ends because of a bug: the server says so and ends, and
    the next one continues as if nothing had happened."""
    began, left = time.monotonic(), (await server.order("status"))["remaining"]
    fault.touch()
    assert await server.ended() == 1
    passed = time.monotonic() - began
    # The screens keep their last state until there is a server again.
    await room.in_phase("paused")
    assert {each.client.model.state.reason for each in room.people.values()} == {RECORD_FAILED}
    said = server.said()
    assert "because of a bug in this program (AttributeError" in said
    assert f"`loebner serve {server.place}`" in said
    fault.unlink()
    await server.start()
    await room.back()
    await room.in_phase("interaction")
    await until(lambda: len(back_after_restart(server.place)) > len(room.people), look_every=0.25)
    restart, *_, last = back_after_restart(server.place)
    # The time is taken from the record, because a busy machine may delay a status. The clock stood
    # still until everybody was back, but for at most RETURN_LIMIT.
    took = dt.datetime.fromisoformat(last.at) - dt.datetime.fromisoformat(restart.at)
    waited_too_long = max(0.0, took.total_seconds() - RETURN_LIMIT)
    remaining = phases.status(Contest.load(server.place).state, last.mono_ns).remaining
    assert remaining is not None
    assert left - remaining <= passed + waited_too_long + 0.5


def back_after_restart(place: Path) -> list[Event]:
    """The event of the last restart, and those of the seats that have connected since."""
    events = list(reading.open_log(place).events(keys=False))
    at = max(n for n, event in enumerate(events) if event.kind == "taken-up")
    return [events[at], *(event for event in events[at:] if event.kind == "seat-joined")]


Kill = Callable[[Server, random.Random], Awaitable[None]]


async def kill_during_an_order(server: Server, rng: random.Random) -> None:
    """Kills the server during an order, which is then either carried out or not."""
    order = rng.choice([("extend", "1", "so"), ("pause", "so"), ("resume",)])
    ordering = asyncio.create_task(server.order(*order))
    await asyncio.sleep(rng.uniform(0, 0.02))
    await server.kill()
    with contextlib.suppress(Exception):
        await ordering


async def kill_at_any_moment(server: Server, rng: random.Random) -> None:
    await asyncio.sleep(rng.uniform(0, 0.3))
    await server.kill()


async def kill_during_an_order_and_wait(server: Server, rng: random.Random) -> None:
    """Also lets the entries type for a while without a server."""
    await kill_during_an_order(server, rng)
    await asyncio.sleep(rng.uniform(0, 0.3))


async def kill_at_any_moment_and_wait(server: Server, rng: random.Random) -> None:
    """Also lets the entries type for a while without a server."""
    await kill_at_any_moment(server, rng)
    await asyncio.sleep(rng.uniform(0, 0.3))


async def play_with_faults(place: Path, kills: Sequence[Kill], seed: int) -> None:
    """Plays a contest whose server is stopped, paused, killed in these ways, and fails."""
    rng = random.Random(seed)
    fault = place.with_name("fault")
    command = ("-c", WITH_A_BUG.format(file=str(fault)))
    async with served(place, command=command) as server, seated(server) as room:
        await server.order("start", anyway=True)
        remaining = [36000.0]
        async with typing(room):
            await room.typed(40)
            began, left = time.monotonic(), (await server.order("status"))["remaining"]
            os.kill(server.pid, signal.SIGSTOP)
            try:
                await asyncio.sleep(STOPPED)  # people and programs type on meanwhile
            finally:
                os.kill(server.pid, signal.SIGCONT)
            await room.typed(20)
            status = await server.order("status")
            # Half a second for the interval at which the clock is saved, and for rounding.
            passed = time.monotonic() - began
            assert left - status["remaining"] <= passed - STOPPED + 0.5
            assert "server-stalled" in [each["kind"] for each in status["incidents"]]
            # The entries never stop typing, so one that is late after a pause never catches up.
            await server.order("pause", "a lamp fell down")
            await room.in_phase("paused")
            await until(lambda: min(map(room.standing, ENTRIES)) >= IN_A_PAUSE)
            await server.order("resume")
            await room.in_phase("interaction")
            await until(lambda: room.standing("E1") <= ON_THE_WAY)
            await until(lambda: room.standing("E2") <= ON_THE_WAY)
            for kill in kills:
                await room.typed(8)
                await kill(server, rng)
                await server.start()
                await room.back()
                status = await server.order("status")
                if status["phase"] == "paused":
                    status = await server.order("resume")
                await room.in_phase("interaction")
                assert status["remaining"] <= remaining[-1] + 61, "time does not run backwards"
                remaining.append(status["remaining"])
            await room.typed(20)
            await failed(room, server, fault)
            await room.typed(20)
        await quiet(room, server)
        await server.order("end", "enough")
        await room.in_phase("scoring")
        for judge in ("J1", "J2"):
            await room.people[judge].client.verdict("left")
        await room.saved("verdict")
        await server.kill()
        await server.start()
        await room.back()
        assert (await server.order("status"))["phase"] == "scoring"
        room.compare()
        # After reconnecting, consoles and links confirm the keys that the killed server had not
        # recorded.
        await until_true(lambda: all_confirmed(place))
        await server.order("close", "all are sure")
        # A console may be reconnecting at this moment.
        assert (await server.order("start", anyway=True))["phase"] == "ranking"
        for judge in ("J1", "J2"):
            seat = room.people[judge].client
            labels = (await room.asked(judge)).participants
            await seat.rank({label: 2 * n for n, label in enumerate(labels, 1)})
        await room.saved("ranking")
        await server.order("close", "all have ranked")
        await server.end()
    assert server.said().count("Traceback") == 1, "of the bug"
    report = verify(place)
    assert report.ok, report
    view = Contest.load(place)
    assert len(view.state.verdicts) == len(view.state.rankings) == 2
    assert [each.attempt for each in view.attempts] == [1]
    happened = [each.event.kind for each in view.incidents]
    assert happened.count("taken-up") == len(kills) + 2
    assert "entry-exited" not in happened, "links and programs outlive the server"
    all_confirmed(place)
    keys = [key for talk in view.talks for key in view.keys(talk.id)]
    assert any(key.durable_ns is None for key in keys), "the killed server hadn't recorded some"
    of_entries = {key.out_of_phase for key in keys if key.raw is not None}
    assert of_entries <= {None, "3/after-end"}, "programs don't know of pauses"


@pytest.mark.timeout(240)
async def test_server_is_stopped_paused_killed_and_fails(tmp_path: Path) -> None:
    await play_with_faults(tmp_path / "contest", [kill_during_an_order], 1)


@pytest.mark.timeout(1800)
@pytest.mark.soak
async def test_server_is_killed_a_hundred_times(tmp_path: Path) -> None:
    kills: list[Kill] = [
        kill_during_an_order,
        kill_at_any_moment,
        kill_at_any_moment_and_wait,
        kill_during_an_order_and_wait,
    ]
    await play_with_faults(tmp_path / "contest", kills * 25, 2)


@pytest.mark.soak
@pytest.mark.timeout(240)
async def test_locked_record_pauses_the_contest_and_loses_nothing(tmp_path: Path) -> None:
    async with served(tmp_path / "contest") as server, seated(server) as room:
        await server.order("start", anyway=True)
        async with typing(room):
            await room.typed(40)
            # Another program reads the record and locks it.
            with contextlib.closing(sqlite3.connect(server.place / "record.db")) as other:
                other.execute("BEGIN IMMEDIATE")
                await room.in_phase("paused")
                other.rollback()
            await server.writes_again()
            await server.order("resume")
            await room.typed(40)
        await quiet(room, server)
        await server.end()
    assert "Traceback" not in server.said()
    assert verify(server.place).ok


@pytest.mark.soak
@pytest.mark.timeout(240)
async def test_contest_is_resumed_on_another_machine_from_its_copy(tmp_path: Path) -> None:
    """The machine and its disk are lost; only the copy on another disk remains."""
    place = tmp_path / "contest"
    copy = tmp_path / "other-disk" / "copy.db"
    copy.parent.mkdir()
    async with served(place, f'[record]\ncopy_to = "{copy}"\n') as server, seated(server) as room:
        await server.order("start", anyway=True)
        async with typing(room):
            await room.typed(40)
        await quiet(room, server)
        await server.kill()
        shown = {
            (seat, at): list(each.client.keys(at))
            for seat, each in room.people.items()
            for at in each.client.places
        }
    elsewhere = tmp_path / "elsewhere"
    assert main(["recover", str(copy), "--out", str(elsewhere)]) == 1, "it lags the record"
    another = Server(elsewhere)
    try:
        await another.start()
        # The copy has no codes: new ones were made and written to a file.
        async with seated(another) as room:
            assert (await another.order("status"))["phase"] == "paused"
            for (seat, at), keys in shown.items():
                here = room.people[seat].client.keys(at)
                for author in ("judge", "entity"):
                    assert [k for by, k in here if by == author] == [
                        k for by, k in keys if by == author
                    ]
            await another.order("resume")
            await another.order("end", "enough")
        await another.end()
    finally:
        with contextlib.suppress(ProcessLookupError):
            await another.kill()
        await gone(elsewhere)
    report = verify(elsewhere)
    assert report.ok, report
