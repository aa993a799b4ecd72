"""A contest with its organizer, as on the day: `loebner serve` in a separate process, people at the
seats by sockets, and `loebner control` for all orders."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import signal
import sys
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from contest.errors import InUse, WrongMoment
from contest.links.process import FOLDER, file_of, read, runs, write
from contest.net import addresses, codes
from contest.results.contest import Contest
from contest.scripted import scripted_people
from contest.scripted.person import Person
from contest.setup import folder
from contest.setup.lock import locked
from contest.verify.verify import verify
from judge_console.client import SeatClient
from loebner.cli import main
from loebner.common import send
from loebner.control import read_words
from lpp.clock import LoopClock
from tests.contest.build import results_json

#: Two minutes of contest time per second.
SPEED = 120.0
#: The time limit for each step on a busy machine, in seconds.
PATIENCE = 60.0
#: No phase ends by the clock while the organizer waits for a busy machine: each has a minute of
#: real time.
SETTINGS = """\
[contest]
name = "A day with an organizer"

[rules]
rounds = 2
interaction_minutes = 120
scoring_minutes = 120
ranking_minutes = 120
schedule = "plan.txt"

[publication]
default = "publish"

[[judge]]
id = "J1"
name = "Harriet"
[[judge]]
id = "J2"
name = "Ines"

[[entry]]
id = "E1"
name = "Therapist"
command = "loebner bot therapist --speed 120 --dir {dir}"
[[entry]]
id = "E2"
name = "Therapist's twin"
command = "loebner bot therapist --speed 120 --seed 2 --dir {dir}"

[[confederate]]
id = "C1"
name = "Ben"
[[confederate]]
id = "C2"
name = "Gordon"
"""
PLAN = """\
Round 1 J1E1C1 J2E2C2
Round 2 J1E2C2 J2E1C1
"""


async def loebner(*words: str) -> tuple[int, str, str]:
    """The exit code and output of a command; in a thread, because a new process takes a second."""

    def run() -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(list(words))
        return code, out.getvalue(), err.getvalue()

    async with asyncio.timeout(PATIENCE):
        return await asyncio.to_thread(run)


@dataclass
class RunningServer:
    """A running server, and its contest's folder."""

    process: asyncio.subprocess.Process
    folder: Path

    async def order(self, *words: str) -> dict[str, Any]:
        """Gives an order that is carried out, as the command does, but without a process for each;
        returns the contest's status afterwards."""
        order = read_words(list(words), {})
        answer = await asyncio.to_thread(send, addresses.find_control(self.folder), order)
        status: dict[str, Any] = answer["status"]
        return status

    async def close_ranking(self, reason: str) -> None:
        """Closes the ranking, unless it is closed: a minute after the last ballot it ends by
        itself, and that is half a second here."""
        try:
            await self.order("close", reason)
        except WrongMoment:
            assert (await self.order("status"))["phase"] == "over"

    async def refused(self, *words: str) -> tuple[int, str]:
        """Gives an order that is refused; returns the exit code and the message."""
        code, out, err = await loebner("control", str(self.folder), *words)
        assert out == ""
        assert err.count("\n") == 1
        return code, err


@asynccontextmanager
async def running_server(place: Path, settings: str = SETTINGS) -> AsyncIterator[RunningServer]:
    folder.make(place, settings)
    (place / "plan.txt").write_text(PLAN, encoding="utf-8")
    async with serving(place) as process:
        yield RunningServer(process, place)


@asynccontextmanager
async def serving(place: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    with (place.parent / "serve.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "loebner", "serve", str(place)),
            *("--port", "0", "--speed", str(SPEED)),
            stdout=log,
            stderr=asyncio.subprocess.STDOUT,
        )
    try:
        async with asyncio.timeout(PATIENCE):
            # There is no notification about another process's file.
            while not (place / addresses.CONTROL_FILE).exists():
                assert process.returncode is None, (place.parent / "serve.log").read_text()
                await asyncio.sleep(0.05)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def sit(person: Person, client: SeatClient) -> None:
    async with client:
        await person.play(client, LoopClock(SPEED))


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 -- simpler than a seat's own watchers
            await asyncio.sleep(0.05)


def seats_of(place: Path) -> dict[str, str]:
    lines = (place / codes.FILE_NAME).read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith("#"))


@pytest.mark.timeout(240)
async def test_an_organizer_plays_a_contest_with_commands(tmp_path: Path) -> None:
    place = tmp_path / "contest"
    # The server makes the schedule.
    settings = SETTINGS.replace('schedule = "plan.txt"\n', "")
    async with running_server(place, settings) as on, asyncio.TaskGroup() as tasks:
        code, words = await on.refused("start")
        assert code == 1
        assert "seat J1: no console is connected" in words

        server = addresses.find_control(place).server.removeprefix("http://")
        given = seats_of(place)
        cast = scripted_people(("J1", "J2"), ("C1", "C2"), 1)
        clients = {seat: SeatClient(f"ws://{server}/seat", given[seat]) for seat in cast}
        people = [tasks.create_task(sit(cast[seat], clients[seat])) for seat in cast]
        for client in clients.values():
            await client.ready()
        judge = clients["J1"]

        status = await on.order("start")
        assert status["words"] == "the interaction of round 1 is running"
        assert (await on.refused("start"))[0] == 1
        await on.order("pause", "a lamp fell down")
        paused = await on.order("status")
        assert paused["phase"] == "paused"
        await until(lambda: judge.phase == "paused")
        assert judge.model.state is not None
        assert judge.model.state.reason == "a lamp fell down"
        assert (await on.order("status"))["remaining"] == paused["remaining"]
        longer = await on.order("extend", "10", "the lamp took its time")
        assert longer["remaining"] == pytest.approx(paused["remaining"] + 600)
        await until(lambda: judge.remaining() == pytest.approx(longer["remaining"], abs=1))
        await on.order("resume")

        await until(lambda: all(judge.keys(place) for place in judge.places))
        # A cable is pulled out, so the whole round is played again, from empty panes.
        assert (await on.order("again", "no power"))["phase"] == "closed"
        assert (await on.order("check"))["next"] == {"round": 1, "attempt": 2}
        status = json.loads((await loebner("control", str(place), "start", "--json"))[1])["status"]
        assert status["words"] == "the interaction of round 1, attempt 2 is running"
        await until(lambda: (judge.attempt, judge.phase) == (2, "interaction"))

        assert (await on.refused("void", "1.9", "?"))[0] == 1
        assert (await on.refused("dance"))[0] == 2
        assert (await on.refused("restart", "E9", "?"))[0] == 2
        status = await on.order("restart", "E2", "it hangs")
        assert [each["program"] for each in status["entries"]] == ["running", "running"]
        status = await on.order("end", "fire drill")
        assert status["phase"] == "scoring"
        await until(lambda: all("verdict" in clients[j].model.saved for j in ("J1", "J2")))
        assert (await on.order("close", "all are sure"))["phase"] == "closed"

        await on.order("start")
        await on.order("void", "2.1.J2.left", "the judge knew the voice")
        await on.order("stop", "the hall closes at six")
        await on.order("end", "nearly six")
        await until(lambda: all("verdict" in clients[j].model.saved for j in ("J1", "J2")))
        await on.order("close", "all are sure")
        assert (await on.order("start"))["phase"] == "ranking"
        await until(lambda: all("ranking" in clients[j].model.saved for j in ("J1", "J2")))
        await on.close_ranking("all have ranked")
        await on.order("reveal")
        await on.order("final", "nobody objects")
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*people)
        await until((place / "results.html").exists)
        # The pages remain available, also from a restarted server.
        on.process.terminate()
        async with asyncio.timeout(PATIENCE):
            await on.process.wait()
    said = (tmp_path / "serve.log").read_text(encoding="utf-8")
    assert on.process.returncode == 0, said
    assert "Traceback" not in said
    assert not any(code in said for code in given.values())

    # A server shows a finished contest, but can't continue it.
    head = (place / "head.txt").read_text(encoding="ascii")
    orders = read(file_of(place, "E1"))
    assert orders is not None
    orders.end = False  # as left by a server that was killed after the end
    write(file_of(place, "E1"), orders)
    async with serving(place) as process:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        page = addresses.find_control(place).server
        with await asyncio.to_thread(opener.open, page, timeout=PATIENCE) as answer:
            assert "A day with an organizer" in answer.read().decode()
        shown = await RunningServer(process, place).order("status")
        assert [each["here"] for each in shown["entries"]] == [False, False], "none is needed now"
        orders = read(file_of(place, "E1"))
        assert orders is not None
        assert orders.end, "a remaining link is asked to end"
        process.terminate()
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 0

    report = verify(place)
    assert report.ok, report
    assert report.finished
    assert report.head == head.strip()
    view = Contest.load(place)
    assert [(each.number, each.attempt, each.counts) for each in view.attempts] == [
        (1, 1, False),
        (1, 2, True),
        (2, 1, True),
    ]
    first = view.attempts[0]
    assert first.seconds == 130 * 60
    assert [seconds for _, seconds, _ in first.extensions] == [600]
    assert [reason for _, _, reason in first.pauses] == ["a lamp fell down"]
    document = results_json(view)
    assert document["final"], "voided pairings are not open"
    # With two of each, not everybody can meet, and the schedule loses the fewest pairs.
    pairs = document["schedule"]["check"]["pairs"]
    assert sum(len(each["missing"]) for each in pairs.values()) == 2
    assert len(view.state.rankings) == 2
    assert (
        "The verdict of J2 in round 2 was voided: the judge knew the voice"
        in (document["tally"]["warnings"])
    )
    assert {talk["talk"]: talk["voided"] for talk in document["talks"] if talk["voided"]} == {
        "2.1.J2.left": "the judge knew the voice"
    }
    assert "the judge knew the voice" in (place / "results.html").read_text(encoding="utf-8")
    for form in ("html", "json", "csv", "text", "lpp2012"):
        assert main(["export", str(place), "--format", form, "--out", str(place / form)]) == 0
    assert main(["verify", str(place)]) == 0, "the exports in the folder are the record's"


@pytest.mark.timeout(120)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
async def test_an_ended_server_says_how_to_continue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "contest"
    async with running_server(place) as on:
        secrets = (place / codes.FILE_NAME, place / addresses.CONTROL_FILE)
        assert [oct(file.stat().st_mode & 0o777) for file in secrets] == ["0o600", "0o600"]
        with pytest.raises(InUse, match="another server runs this contest"), locked(place):
            pytest.fail("two servers in one folder")

        old = seats_of(place)
        code, out, _ = await loebner("control", str(place), "codes", "J2")
        new = seats_of(place)
        assert code == 0
        assert new["J2"] in out
        assert {seat for seat in old if old[seat] != new[seat]} == {"J2"}

        at = addresses.find_control(place)
        monkeypatch.setenv("LOEBNER_ORGANIZER_CODE", old["organizer"])
        _, out, _ = await loebner("control", "--server", at.server, "status")
        assert "the contest has not begun; waiting for the organizer to start" in out
        assert await on.refused("--server", at.server, "--code", old["J1"], "status") is not None

        assert (await loebner("control", str(place), "start", "--anyway"))[0] == 0
        on.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            assert await on.process.wait() == 130
    said = (tmp_path / "serve.log").read_text(encoding="utf-8")
    assert "Ended while the interaction of round 1 is running." in said
    assert "Traceback" not in said
    assert not (place / addresses.CONTROL_FILE).exists()
    assert verify(place).ok
    with locked(place):
        pass  # the lock ended with the process
    # Entries and their links have ended cleanly, too.
    assert not any(runs(file) for file in (place / FOLDER).glob("*.json"))
    code, _, err = await loebner("control", str(place), "status")
    assert code == 1
    assert "no server runs here" in err
