"""The demo's windows: where they stand, who sits there, and that a seat outlives its window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication, QEvent, QRect
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from contest.scripted import scripted_confederates, scripted_judges
from contest.state.phases import Phase
from judge_console.look.theme import Theme
from judge_console.texts import load
from loebner.demo_play import Chair, Orders
from loebner.demo_windows import LEAST, Windows, person_of, tiles
from tests.contest_server import ContestServer, contest_server

WAIT = 20_000  # milliseconds, on a busy machine


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme(qapp, "light")
    yield theme
    theme.deleteLater()
    QCoreApplication.sendPostedEvents(theme, QEvent.Type.DeferredDelete)


def opened(server: ContestServer, theme: Theme) -> Windows:
    chairs = (
        Chair("J1", server.codes["J1"], "judge", 0),
        Chair("C1", server.codes["C1"], "confederate", 0),
    )
    windows = Windows(Orders(server.address, 1, 20.0, chairs), theme, load("en"))
    windows.open()
    return windows


@given(
    st.integers(2 * LEAST[0], 8000),
    st.integers(2 * LEAST[1], 5000),
    st.integers(-4000, 4000),
    st.integers(1, 4),
)
def test_on_a_large_screen_windows_stand_beside_each_other(
    width: int, height: int, left: int, count: int
) -> None:
    screen = QRect(left, 0, width, height)
    rooms = tiles(screen, count)
    assert len(rooms) == count
    for number, room in enumerate(rooms):
        assert screen.contains(room)
        for other in rooms[number + 1 :]:
            assert not room.intersects(other)


@given(st.integers(320, 2 * LEAST[0]), st.integers(240, 2 * LEAST[1]), st.integers(1, 4))
def test_on_a_small_screen_none_is_too_small(width: int, height: int, count: int) -> None:
    for room in tiles(QRect(0, 0, width, height), count):
        assert room.left() >= 0
        assert room.top() >= 0
        assert room.width() >= LEAST[0] - 8
        assert room.height() >= LEAST[1] - 32


def test_the_people_are_the_demo_s() -> None:
    judges, confederates = scripted_judges(4, 7), scripted_confederates(4, 7)
    for number in range(2):
        person = person_of(Chair(f"J{number + 1}", "code", "judge", number), 7)
        assert person.name == judges[number].name
        assert type(person) is type(judges[number])
    confederate = person_of(Chair("C1", "code", "confederate", 0), 7)
    assert confederate.name == confederates[0].name


def test_scripted_people_talk_in_the_windows_and_anybody_may_type_there(
    tmp_path: Path, theme: Theme, qtbot: QtBot
) -> None:
    with contest_server(tmp_path) as server:
        windows = opened(server, theme)
        try:
            judge, confederate = windows.places
            qtbot.waitUntil(
                lambda: (
                    "\n" in judge.session.talks["left"].text("entity")
                    if "left" in judge.session.talks
                    else False
                ),
                timeout=WAIT,
            )
            assert confederate.window is not None
            assert server.keys("left", "entity")
            judge.session.press("right", "X")
            qtbot.waitUntil(lambda: server.keys("right")[-1:] == ["X"], timeout=WAIT)
        finally:
            windows.close()


def test_a_seat_whose_window_is_closed_is_taken_by_a_scripted_person(
    tmp_path: Path, theme: Theme, qtbot: QtBot
) -> None:
    with contest_server(tmp_path) as server:
        windows = opened(server, theme)
        try:
            place = windows.places[0]
            qtbot.waitUntil(lambda: server.seated("J1"), timeout=WAIT)
            assert len(windows.windows) == 2
            assert place.window is not None
            place.window.close()
            qtbot.waitUntil(lambda: len(server.clients()) == 3, timeout=WAIT)
            assert len(windows.windows) == 1
            before = len(server.keys("left")) + len(server.keys("right"))
            qtbot.waitUntil(
                lambda: len(server.keys("left")) + len(server.keys("right")) > before, timeout=WAIT
            )
        finally:
            windows.close()


def test_after_the_contest_nobody_has_to_come_back(
    tmp_path: Path, theme: Theme, qtbot: QtBot
) -> None:
    with contest_server(tmp_path, phase=Phase.OVER) as server:
        windows = opened(server, theme)
        try:
            place = windows.places[0]
            session = place.session
            qtbot.waitUntil(lambda: session.picture.state.phase == "over", timeout=WAIT)
            assert place.window is not None
            place.window.close()
            qtbot.waitUntil(lambda: place.window is None, timeout=WAIT)
            assert place.session is session
        finally:
            windows.close()
        assert len(server.clients()) == 2


def test_windows_of_a_server_that_is_not_there_can_be_closed(theme: Theme, qtbot: QtBot) -> None:
    chairs = (Chair("J1", "J1-AAAA-BBBB-CCCC", "judge", 0),)
    windows = Windows(Orders("127.0.0.1:1", 1, 20.0, chairs), theme, load("en"))
    windows.open()
    qtbot.waitUntil(lambda: bool(windows.places[0].session.picture.trouble), timeout=WAIT)
    windows.close()
    assert windows.windows == []
