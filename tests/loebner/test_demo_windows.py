"""Tests the demo's windows: their positions, and who uses the seat: a scripted person until the
window's first input, and again once the window is closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication, QEvent, QRect
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from contest.scripted import Person
from contest.scripted import SeatInterface as PeoplesSeat
from contest.scripted.characters import judges
from judge_console.look.theme import Theme
from loebner.demo_windows import SharedSeat, Windows, tiles
from lpp.clock import Clock, LoopClock
from lpp.wire import Consent, Read, State, Talk, Welcome
from tests.contest_server import contest_server
from texts import load

Until = Callable[..., Awaitable[None]]

WAIT = 20_000  # milliseconds, on a busy machine


class Visitor(Person):
    """A scripted person who records events, and types one letter in each talk."""

    own = "judge"

    def __init__(self) -> None:
        super().__init__(judges()[0])
        self.events: list[object] = []

    async def play(self, seat: PeoplesSeat, clock: Clock) -> None:
        self.seat = seat
        async for event in seat:
            self.events.append(event)
            if isinstance(event, Talk):
                await seat.press(event.place, "p")
            await asyncio.sleep(0)


class Unplugged(SharedSeat):
    """A seat without a socket; the test calls `hear` in place of the server."""

    async def _live(self) -> None:
        await asyncio.Event().wait()

    def hear(self) -> None:
        self._take(Welcome("J1", "judge", "A contest", 4, paste="type"))
        self._take(State("interaction", 1, 1, ("left", "right")))
        self._take(Talk(1, 1, "left", []))


@pytest.fixture
async def person() -> Visitor:
    return Visitor()


@pytest.fixture
async def seat(person: Visitor, until: Until) -> AsyncIterator[Unplugged]:
    """A seat where the person has typed a letter."""
    async with Unplugged("ws://127.0.0.1:1/seat", "code", person, LoopClock()) as seat:
        await until(lambda: person.events)  # it has taken the seat, and has the current state
        seat.hear()
        await until(lambda: seat.keys("left"))
        yield seat
    assert not seat.played


async def test_a_scripted_persons_keys_are_shown_in_the_window(
    seat: Unplugged, person: Visitor
) -> None:
    assert seat.keys("left") == [("judge", "p")]
    assert [type(event) for event in person.events[1:]] == [Welcome, State, Talk]
    await seat.give(Read(1, 1, "left"))  # reading doesn't count as an action
    seat.painted({"left": 0})
    assert seat.played


ACTS: dict[str, Callable[[SharedSeat], Awaitable[object]]] = {
    "press": lambda seat: seat.press("left", "x"),
    "paste": lambda seat: seat.paste("left", "text"),
    "verdict": lambda seat: seat.verdict("left", 50, "because"),
    "rank": lambda seat: seat.rank({"1 left": 2}),
    "agree": lambda seat: seat.give(Consent(True, "Somebody")),
}


@pytest.mark.parametrize("act", ACTS)
async def test_the_first_action_in_the_window_takes_the_seat_and_clears_the_draft(
    seat: Unplugged, person: Visitor, act: str
) -> None:
    await ACTS[act](seat)
    assert not seat.played
    keys = [key for _, key in seat.keys("left")]
    assert keys[:2] == ["p", "BackSpace"]
    before = seat.model.unsaved

    async def persons() -> None:
        """Actions of the person that were still pending are dropped."""
        assert not await seat.press("left", "q")
        await seat.verdict("right")

    await _as_person(seat, persons)
    assert "q" not in [key for _, key in seat.keys("left")]
    assert seat.model.unsaved == before


async def _as_person(seat: SharedSeat, work: Callable[[], Awaitable[None]]) -> None:
    seat._person.play = lambda *_: work()  # type: ignore[assignment, method-assign]
    await asyncio.create_task(seat._play())


async def test_closing_the_window_returns_the_seat_to_the_person(
    seat: Unplugged, person: Visitor, until: Until
) -> None:
    await seat.press("left", "x")
    await asyncio.sleep(0)
    person.events.clear()
    seat.recall()
    await until(lambda: person.events)
    assert seat.played
    assert person.events == [State("interaction", 1, 1, ("left", "right"))]


# Windows


@given(st.integers(640, 8000), st.integers(480, 5000), st.integers(-4000, 4000), st.integers(1, 4))
def test_windows_are_placed_side_by_side(width: int, height: int, left: int, count: int) -> None:
    screen = QRect(left, 0, width, height)
    rooms = tiles(screen, count)
    assert len(rooms) == count
    for number, room in enumerate(rooms):
        assert screen.contains(room)
        assert not any(room.intersects(other) for other in rooms[number + 1 :])


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme(qapp, "light")
    yield theme
    theme.deleteLater()
    QCoreApplication.sendPostedEvents(theme, QEvent.Type.DeferredDelete)


def test_scripted_people_talk_in_the_windows_and_continue_without_them(
    tmp_path: Path, theme: Theme, qtbot: QtBot
) -> None:
    codes = dict.fromkeys(("J1", "J2", "C1"), "")
    with contest_server(tmp_path) as server:
        codes = {seat: server.codes[seat] for seat in ("J1", "C1")}
        windows = Windows(server.address, codes, 1, 20.0, theme, load("en"))
        try:
            windows.open()
            judge = windows.windows[0]
            qtbot.waitUntil(lambda: len(server.keys("left", "entity")) > 3, timeout=WAIT)
            # Three windows side by side on a small screen: each fits its place.
            room = tiles(QRect(0, 0, 1366, 768), 3)[0]
            assert judge.minimumSizeHint().width() <= room.width()
            assert judge.minimumSizeHint().height() <= room.height()
            assert "scripted person" in judge.note.text()
            judge.session.press("right", "X")
            qtbot.waitUntil(lambda: server.keys("right")[-1:] == ["X"], timeout=WAIT)
            assert "yours" in judge.note.text()
            judge.close()
            typed = len(server.keys("left") + server.keys("right"))
            qtbot.waitUntil(
                lambda: len(server.keys("left") + server.keys("right")) > typed, timeout=WAIT
            )
            windows.over.emit("E1 is first.")
            assert windows.windows[1].note.text().startswith("E1 is first.")
            with qtbot.waitSignal(windows.done, timeout=WAIT):
                windows.windows[1].close()
        finally:
            windows.close()


def test_windows_without_a_server_can_be_closed(theme: Theme, qtbot: QtBot) -> None:
    codes = dict.fromkeys(("J1", "J2", "C1"), "J1-AAAA-BBBB-CCCC")
    windows = Windows("127.0.0.1:1", codes, 1, 20.0, theme, load("en"))
    windows.open()
    qtbot.waitUntil(lambda: bool(windows.windows[0].session.window_state.trouble), timeout=WAIT)
    windows.close()
