"""The time line, drawn and moved along."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from judge_console.look.theme import Theme
from judge_console.model.playback import Playback
from judge_console.texts import Texts
from judge_console.views.timeline import ARROW, PAGE, TimelineView
from lpp.recording import Recorded, Recording


def recording(*presses: tuple[float, str, str], last: float = 100.0) -> Recording:
    """Key presses on the left: when, by whom, which; the judge's F1 is the last."""
    keys = [(0.0, "judge", "Shift_L"), *presses, (last, "judge", "F1")]
    return Recording(
        "a",
        (),
        {"left": "entity"},
        tuple(
            Recorded(round(at * 1_000_000), "left", author, key, n)  # type: ignore[arg-type]
            for n, (at, author, key) in enumerate(keys, 1)
        ),
    )


class Shown:
    """A time line of 800 pixels, and what the person wanted of it."""

    def __init__(self, qtbot: QtBot, theme: Theme, texts: Texts, recorded: Recording) -> None:
        self.playback = Playback(recorded)
        sitters = dict.fromkeys(recorded.sitters, "Partner")
        self.view = TimelineView(self.playback, theme, texts, sitters)
        qtbot.addWidget(self.view)
        self.view.resize(800, self.view.sizeHint().height())
        self.view.show()
        QApplication.processEvents()  # a window that is shown gets the keyboard
        self.view.clearFocus()
        self.sought: list[float] = []
        self.stepped: list[int] = []
        self.view.sought.connect(self.sought.append)
        self.view.stepped.connect(self.stepped.append)

    def image(self) -> QImage:
        return self.view.grab().toImage()

    def key(self, key: Qt.Key, *, control: bool = False) -> None:
        modifier = Qt.KeyboardModifier.ControlModifier
        held = modifier if control else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(self.view, key, held)


@pytest.fixture
def shown(qtbot: QtBot, theme: Theme, texts: Texts) -> Shown:
    return Shown(qtbot, theme, texts, recording())


# Where the person wants to go


def test_a_click_goes_there(shown: Shown) -> None:
    for position in (0.0, 25.0, 50.0, 100.0):
        at = QPoint(round(shown.view.x_of(position)), 5)
        QTest.mouseClick(shown.view, Qt.MouseButton.LeftButton, pos=at)
        assert shown.sought.pop() == pytest.approx(position, abs=0.2)
    QTest.mouseClick(shown.view, Qt.MouseButton.LeftButton, pos=QPoint(1, 5))
    assert shown.sought.pop() == 0
    QTest.mouseClick(shown.view, Qt.MouseButton.LeftButton, pos=QPoint(799, 5))
    assert shown.sought.pop() == 100
    QTest.mouseClick(shown.view, Qt.MouseButton.RightButton, pos=QPoint(400, 5))
    assert shown.sought == []


def test_dragging_goes_along(shown: Shown) -> None:
    def at(position: float) -> QPoint:
        return QPoint(round(shown.view.x_of(position)), 5)

    QTest.mouseMove(shown.view, at(5))
    assert shown.sought == []
    QTest.mousePress(shown.view, Qt.MouseButton.LeftButton, pos=at(10))
    QTest.mouseMove(shown.view, at(30))
    QTest.mouseMove(shown.view, at(20))
    QTest.mouseRelease(shown.view, Qt.MouseButton.LeftButton, pos=at(20))
    QTest.mouseMove(shown.view, at(90))
    assert shown.sought == pytest.approx([10, 30, 20], abs=0.2)


def test_keys(shown: Shown) -> None:
    shown.playback.seek(70)
    moves = {
        Qt.Key.Key_Left: 70 - ARROW,
        Qt.Key.Key_Down: 70 - ARROW,
        Qt.Key.Key_Right: 70 + ARROW,
        Qt.Key.Key_Up: 70 + ARROW,
        Qt.Key.Key_PageDown: 70 - PAGE,
        Qt.Key.Key_PageUp: 100,
        Qt.Key.Key_Home: 0,
        Qt.Key.Key_End: 100,
    }
    for key in moves:
        shown.key(key)
    assert shown.sought == list(moves.values())
    shown.key(Qt.Key.Key_Left, control=True)
    shown.key(Qt.Key.Key_Right, control=True)
    assert shown.stepped == [-1, 1]
    assert len(shown.sought) == len(moves)
    shown.key(Qt.Key.Key_A)
    assert len(shown.sought) == len(moves)


# For screen readers


def test_it_is_a_slider_with_a_name_and_its_value_in_words(shown: Shown) -> None:
    interface = QAccessible.queryAccessibleInterface(shown.view)
    assert interface.role() == QAccessible.Role.Slider
    assert interface.text(QAccessible.Text.Name) == "Time line"
    shown.playback.seek(63.7)
    shown.view.follow()
    described = interface.text(QAccessible.Text.Description)
    assert described.startswith("1:03 of 1:40.")
    assert "Judge: 2 key presses, 0 of them Return, 0 BackSpace." in described
    assert "Partner: 0 key presses" in described
    value = interface.valueInterface()
    assert (value.currentValue(), value.minimumValue(), value.maximumValue()) == (63, 0, 100)
    assert shown.sought == []  # to follow is no wish of the person's
    value.setCurrentValue(40)
    assert shown.sought == [40]


# What is drawn


def inked(image: QImage, colour: str, x: float, radius: int = 5) -> set[tuple[int, int]]:
    """Where a colour is, near a column: (right of it, from the top)."""
    wanted = QColor(colour).rgb()
    return {
        (dx, y)
        for dx in range(-radius, radius + 1)
        for y in range(image.height())
        if image.pixel(round(x) + dx, y) == wanted
    }


@pytest.mark.parametrize("choice", ["light", "dark", "high-contrast"])
def test_return_and_backspace_are_told_apart_by_place(
    choice: str, qtbot: QtBot, theme: Theme, texts: Texts
) -> None:
    theme.choose(choice)
    colour = theme.palette.own
    marks = {}
    for key in ("a", "Return", "BackSpace"):
        line = Shown(qtbot, theme, texts, recording((50.0, "judge", key)))
        marks[key] = inked(line.image(), colour, line.view.x_of(50))
        assert marks[key], f"{key} is seen"
    bar, return_, backspace = ({y for _, y in marks[key]} for key in ("a", "Return", "BackSpace"))
    assert max(return_) < min(bar), "a Return is above the keys"
    assert max(bar) < min(backspace), "a BackSpace is below them"


def test_the_more_keys_the_higher_the_bar(qtbot: QtBot, theme: Theme, texts: Texts) -> None:
    keys = [(25.0, "judge", "a"), *((75.0, "judge", "b") for _ in range(9))]
    line = Shown(qtbot, theme, texts, recording(*keys))
    image = line.image()
    low, high = (
        len({y for _, y in inked(image, theme.palette.own, line.view.x_of(at))}) for at in (25, 75)
    )
    assert 2 * low < high <= 4 * low  # the root of nine, and what is not seen of an edge


def test_nothing_to_show(qtbot: QtBot, theme: Theme, texts: Texts) -> None:
    empty = Shown(qtbot, theme, texts, Recording("a", (), {"left": "entity"}, ()))
    assert not empty.image().isNull()
    QTest.mouseClick(empty.view, Qt.MouseButton.LeftButton, pos=QPoint(400, 5))
    assert empty.sought == [0]
