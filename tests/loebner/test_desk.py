"""Tests the desk without a server: a whole talk over real directories, and its record."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from contest.record.store import Record
from contest.setup.settings import load as load_settings
from judge_console.client import SeatClient
from judge_console.console import Console, LaunchOptions
from judge_console.look.theme import Theme
from judge_console.model.pages import Page
from judge_console.preferences import PreferencesFile
from judge_console.serverless import DeskPlan, Sides, Which
from loebner import cli
from loebner.desk import Desk
from lpp.channel import DirectoryChannel
from lpp.errors import LPPError
from lpp.keypress import Side
from lpp.names import keys_of
from lpp.wire import Phase, Place
from tests.peer import ScriptedPeer
from texts import load

TEXTS = load("en")
DEADLINE = 30.0
Until = Callable[..., Awaitable[None]]


@pytest.fixture
def directories(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    return tmp_path / "a", tmp_path / "b"


@asynccontextmanager
async def sit(plan: DeskPlan) -> AsyncIterator[tuple[Desk, SeatClient]]:
    """Takes the seat at a desk, and waits for the talk."""
    desk = Desk(plan, TEXTS)
    seat = desk.seat()
    seat._acknowledge = True
    try:
        async with asyncio.timeout(DEADLINE), seat:
            await wait_for_phase(seat, "interaction")
            yield desk, seat
    finally:
        await asyncio.to_thread(desk.close)


async def wait_for_phase(seat: SeatClient, phase: Phase) -> None:
    """Waits for a phase and, if it has talks, for these, which are sent afterwards."""
    async for _ in seat:
        needed = set(seat.places) if phase == "interaction" else set()
        if seat.phase == phase and needed <= seat.model.talks.keys():
            return


async def type_(seat: SeatClient, place: Place, text: str) -> None:
    for key in keys_of(text):
        assert await seat.press(place, key)


def text(seat: SeatClient, place: Place) -> str:
    return "".join(key if len(key) == 1 else "_" for _, key in seat.keys(place))


def events(folder: Path) -> list[tuple[str, dict[str, object]]]:
    with Record(f"sqlite:///{folder / 'record.db'}") as record:
        return [(event.kind, event.body) for event in record.events()]


async def judge_two_directories(
    directories: tuple[Path, Path], talks: Path, until: Until, sides: Sides, human: Which
) -> tuple[list[str], Path]:
    """Judges a whole talk with two peers, recorded below `talks`; returns the line that each read,
    and the record's folder."""
    plan = DeskPlan(
        *("judge", str(directories[0]), str(directories[1]), 5.0),
        sides=sides,
        human=human,
        record=str(talks),
    )
    (directories[0] / "0000000007.x.judge").mkdir()  # of an earlier talk
    async with sit(plan) as (desk, seat):
        async with (
            DirectoryChannel(directories[0], side=Side.OTHER) as first,
            DirectoryChannel(directories[1], side=Side.OTHER) as second,
        ):
            await type_(seat, "left", "Hello, left\n")
            await type_(seat, "right", "Hello, right\n")
            peers = [ScriptedPeer(first), ScriptedPeer(second)]
            lines = [await peer.line(DEADLINE) for peer in peers]
            assert sorted(lines) == ["Hello, left", "Hello, right"]
            for peer, line in zip(peers, lines, strict=True):
                await peer.say(f"You said {line}")
            for side in ("left", "right"):
                said = f"You_said_Hello__{side}"
                await until(lambda p=side, s=said: s in text(seat, p).replace("comma", "_"))
        desk.end("interaction")
        desk.end("interaction")  # twice, before the next phase is shown
        await wait_for_phase(seat, "scoring")
        await seat.verdict("left", 75, "it typed so")
        await until(lambda: not seat.model.unsaved)
        desk.end("scoring")
        await wait_for_phase(seat, "over")
        where = [peers.index(peer) for peer in peers if lines[peers.index(peer)].endswith("left")]
        behind_left = "left" if where == [0] else "right"
        at_left = behind_left == plan.human
        reveal = "desk.human_left" if at_left else "desk.human_right"
        judged = "replay.guessed" if at_left else "replay.missed"
        assert seat.model.state.reason == f"{TEXTS(judged)} {TEXTS(reveal)}"
    folder = desk.folder
    assert folder is not None
    assert folder.parent == talks
    kinds = [kind for kind, _ in events(folder)]
    assert kinds.count("verdict") + kinds.count("verdict-given") == 1
    assert kinds[-1] == "contest-closed"
    return lines, folder


async def test_a_judge_at_two_directories_at_random_sides(
    directories: tuple[Path, Path],
    tmp_path: Path,
    until: Until,
    capsys: pytest.CaptureFixture[str],
) -> None:
    talks = tmp_path / "talks"
    _, folder = await judge_two_directories(directories, talks, until, "random", "left")
    assert str(folder) in capsys.readouterr().out


async def test_a_judge_at_two_directories_gets_a_contest_folder(
    directories: tuple[Path, Path],
    tmp_path: Path,
    until: Until,
    capsys: pytest.CaptureFixture[str],
) -> None:
    talks = tmp_path / "talks"
    lines, folder = await judge_two_directories(directories, talks, until, "as-given", "right")
    assert lines == ["Hello, left", "Hello, right"]
    assert str(folder) in capsys.readouterr().out
    assert [load_settings(folder).entry[0].id] == ["E1"]
    at, out = str(folder), str(tmp_path / "out")
    for words in (
        ["verify", at],
        ["export", at, "--format", "lpp2012", "--out", out],
        ["replay", at, "--talk", "1.1.J1.left", "--speed", "0"],
    ):
        assert await asyncio.to_thread(cli.main, words) == 0
    said = capsys.readouterr().out
    assert "green" in said
    assert "Hello, left" in said


async def test_practice_shows_one_side_and_has_no_verdict(
    directories: tuple[Path, Path], until: Until
) -> None:
    async with sit(DeskPlan("judge", str(directories[0]))) as (desk, seat):
        assert seat.places == ("left",)
        async with DirectoryChannel(directories[0], side=Side.OTHER) as channel:
            await type_(seat, "left", "Hi\n")
            peer = ScriptedPeer(channel)
            assert await peer.line(DEADLINE) == "Hi"
            await peer.say("Yes")
            await until(lambda: text(seat, "left").endswith("Yes"))
        folder = desk.folder
        desk.end("interaction")
        await wait_for_phase(seat, "over")
        assert seat.model.talks.keys() <= {"left"}
    assert folder is not None
    assert not folder.exists(), "no record was requested"


async def test_a_confederate_answers_the_judge_of_a_directory(
    directories: tuple[Path, Path], tmp_path: Path, until: Until
) -> None:
    plan = DeskPlan("confederate", str(directories[0]), minutes=0.0, record=str(tmp_path / "talks"))
    async with DirectoryChannel(directories[0], side=Side.JUDGE) as channel:
        await channel.send("H")  # the judge's directory was there first
        async with sit(plan) as (desk, seat):
            await until(lambda: text(seat, "only") == "H")
            peer = ScriptedPeer(channel)
            await channel.send("Return")
            await until(lambda: text(seat, "only") == "H_" or text(seat, "only") == "HReturn")
            await type_(seat, "only", "Hello\n")
            assert await peer.line(DEADLINE) == "Hello"
    assert desk.folder is not None
    assert await asyncio.to_thread(cli.main, ["verify", str(desk.folder)]) == 0, (
        "closed in good order by closing the desk"
    )
    assert any(kind == "contest-closed" for kind, _ in events(desk.folder))


async def test_a_removed_directory_loses_no_keys(
    directories: tuple[Path, Path], until: Until
) -> None:
    async with sit(DeskPlan("judge", str(directories[0]), str(directories[1]))) as (_desk, seat):
        await type_(seat, "right", "before\n")
        await until(lambda: len(list(directories[1].iterdir())) == len("before\n"))
        shutil.rmtree(directories[1])
        await type_(seat, "right", "a")
        directories[1].mkdir()
        await type_(seat, "right", "fter\n")
        async with DirectoryChannel(directories[1], side=Side.OTHER) as channel:
            assert await ScriptedPeer(channel).line(DEADLINE) == "after"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"left": "/none/such"}, "/none/such"),
        ({"record": "/proc/none"}, "can't write a record here"),
    ],
)
def test_unusable_directories_are_one_error(
    directories: tuple[Path, Path], change: dict[str, str], words: str
) -> None:
    plan = DeskPlan(**{"left": str(directories[0]), "right": str(directories[1]), **change})  # type: ignore[arg-type]
    desk = Desk(plan, TEXTS)
    with pytest.raises(LPPError, match=words):
        desk.seat()
    desk.close()


#: A judge who types forever, and prints each confirmed key.
JUDGE = """
import asyncio, os, sys
from judge_console.serverless import DeskPlan
from texts import load
from loebner.desk import Desk
from lpp.wire import Taken

async def main():
    seat = Desk(DeskPlan(left=sys.argv[1], record=sys.argv[2]), load("en")).seat()
    async with seat:
        n = 0
        async for event in seat:
            if isinstance(event, Taken):
                os.write(1, b"%d\\n" % event.n)
            if seat.phase == "interaction":
                n += await seat.press("left", "abcdefg"[n % 7])

asyncio.run(main())
"""


@pytest.mark.soak
async def test_a_killed_desk_keeps_every_confirmed_key(
    directories: tuple[Path, Path], tmp_path: Path
) -> None:
    judge = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", JUDGE, str(directories[0]), str(tmp_path / "talks")),
        stdout=asyncio.subprocess.PIPE,
    )
    assert judge.stdout is not None
    try:
        async with asyncio.timeout(DEADLINE):
            last = 0
            while last < 30:
                line = await judge.stdout.readline()
                last = int(line) if line.strip().isdigit() else last
            judge.kill()
            rest = [int(line) for line in (await judge.stdout.read()).split() if line.isdigit()]
    finally:
        if judge.returncode is None:
            judge.kill()
        await judge.wait()
    [folder] = (tmp_path / "talks").iterdir()
    keys = [body["key"] for kind, body in events(folder) if kind == "key"]
    assert len(keys) >= max([last, *rest])
    assert keys == ["abcdefg"[n % 7] for n in range(len(keys))]
    assert await asyncio.to_thread(cli.main, ["verify", str(folder)]) == 0


def test_a_whole_talk_in_the_window(
    directories: tuple[Path, Path], tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    """A whole talk: typed keys go to the directory, received keys are shown, the menu ends the
    talk, and the answers in the dialog are remembered."""
    theme = Theme(qapp, "light")
    remembered = PreferencesFile(tmp_path / "console.json")
    plan = DeskPlan(
        left=str(directories[0]), right=str(directories[1]), record=str(tmp_path / "talks")
    )
    console = Console(
        LaunchOptions(plan=plan),
        remembered,
        theme,
        TEXTS,
        tmp_path / "seats",
        cast(Any, None),
        Desk,
    )
    console._look_for_servers = lambda: None  # type: ignore[method-assign]
    wait = partial(qtbot.waitUntil, timeout=20_000)
    try:
        console.begin()
        wait(lambda: console.window is not None and console.window.page is Page.TALK)
        window = console.window
        assert window is not None
        line = window.talk.sides["left"].line
        QTest.keyClicks(line, "x")
        QTest.keyClick(line, Qt.Key.Key_Return)
        wait(lambda: len(list(directories[0].iterdir())) == 2)
        (directories[0] / "0000000001.y.other").mkdir()
        wait(lambda: window.talk.sides["left"].pane.conversation.text("entity") == "y")
        assert window._end.isEnabled()
        window._end.trigger()
        wait(lambda: window.page is Page.VERDICT and not window.gate.is_shut)
        window.verdict.sides.options["right"].click()
        window.verdict.save_button.click()
        wait(lambda: "verdict" in window._session.window_state.saved)
        # The talk then ends by itself, and the window says whether the judge was right.
        wait(lambda: window.page is Page.OVER)
        told = f"{TEXTS('replay.guessed')} {TEXTS('desk.human_right')}"
        assert told in window.message.words.text()
    finally:
        console.close()
        console.deleteLater()
        theme.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    [folder] = (tmp_path / "talks").iterdir()
    assert "contest-closed" in dict(events(folder))
