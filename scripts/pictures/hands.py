"""A person's input at a window: keys and the mouse, as delivered by the window system."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

#: Milliseconds that a key is down, and up afterwards; short, because the contest runs fast too.
DOWN, UP = 3, 4
#: Milliseconds between two steps of the mouse.
STEP = 15
#: The time limit in seconds for each step on a busy machine.
PATIENCE = 120.0

_KEYS = {"\b": Qt.Key.Key_Backspace, "\n": Qt.Key.Key_Return, "\t": Qt.Key.Key_Tab}


class Stalled(Exception):
    """Something expected did not happen in time."""


def until(condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Processes events until a condition is true.

    Arguments:
        condition: the condition.
        what: the condition in words, for the error.
        seconds: how long it may take.

    Raises:
        Stalled: if it takes longer.
    """
    if not wait_for(condition, seconds):
        raise Stalled(f"{what}: not within {seconds:g} seconds")


def wait_for(condition: Callable[[], object], seconds: float) -> bool:
    """Processes events until a condition is true, for at most `seconds`; returns whether it is."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        QTest.qWait(20)
    return True


def live(seconds: float) -> None:
    """Processes events for a while."""
    QTest.qWait(round(seconds * 1000))


class Hands:
    """Types and clicks in one window.

    Arguments:
        window: the window; keys go to the widget with the focus.
    """

    def __init__(self, window: QWidget) -> None:
        self._window = window

    @property
    def _handle(self) -> QWindow:
        # A popup list or menu is a separate window.
        popup = QApplication.activePopupWidget()
        handle = (popup or self._window).windowHandle()
        assert handle is not None, "the window is not shown"
        return handle

    def press(self, *keys: Qt.Key, held: Qt.KeyboardModifier | None = None) -> None:
        """Presses and releases keys, one after the other.

        Arguments:
            keys: the keys.
            held: modifiers held down meanwhile.
        """
        for key in keys:
            self._strike(key, held or Qt.KeyboardModifier.NoModifier)

    def type(self, text: str) -> None:
        """Types a text: \\b is BackSpace, \\n Return, \\t Tab."""
        for char in text:
            self._strike(_KEYS.get(char, char), Qt.KeyboardModifier.NoModifier)

    def _strike(self, key: Qt.Key | str, held: Qt.KeyboardModifier) -> None:
        # Not QTest.keyClick: a key pressed in the same millisecond in which it was released counts
        # as auto-repeat. The stubs allow only keys, but with a character the event has its text.
        QTest.keyPress(self._handle, key, held)  # type: ignore[arg-type]
        QTest.qWait(DOWN)
        QTest.keyRelease(self._handle, key, held)  # type: ignore[arg-type]
        QTest.qWait(UP)

    def tab_to(self, widget: QWidget) -> None:
        """Goes to a control by Tab.

        Raises:
            Stalled: if no Tab leads there.
        """
        for _ in range(40):
            if QApplication.focusWidget() is widget:
                return
            self.press(Qt.Key.Key_Tab)
        raise Stalled(f"Tab does not lead to {widget!r}")

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        """Scrolls to a point of a widget, its middle by default, and clicks there."""
        at = at or widget.rect().center()
        _reveal(widget, at)
        place = self._in_window(widget, at)
        QTest.mouseClick(
            self._handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
        )
        QApplication.processEvents()

    def _in_window(self, widget: QWidget, place: QPoint) -> QPoint:
        return widget.mapTo(self._window, place)


def _reveal(widget: QWidget, at: QPoint) -> None:
    """Scrolls until a point of a widget is visible."""
    around = widget.parentWidget()
    while around is not None:
        inside = around.widget() if isinstance(around, QScrollArea) else None
        if isinstance(around, QScrollArea) and inside is not None and inside.isAncestorOf(widget):
            place = widget.mapTo(inside, at)
            around.ensureVisible(place.x(), place.y())
        around = around.parentWidget()
    QApplication.processEvents()
