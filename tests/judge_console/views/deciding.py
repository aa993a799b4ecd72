"""Tools for the tests of pages with a decision."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Generic, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from judge_console.look.theme import Theme
from judge_console.memory import Drafts
from judge_console.session import Session
from judge_console.views.decision import DecisionPage
from lpp.wire import Role, ToSeat, ToServer, Welcome
from tests.judge_console.fake_server import FakeServer
from texts import Texts

P = TypeVar("P", bound=DecisionPage)
Answer = Callable[[ToServer], Iterable[ToSeat]]


class Console(Generic[P]):
    """A page at a seat. `again` returns the same seat after a crash, with the same folder.

    Arguments:
        folder: the folder of the drafts.
        make: makes the page.
        answer: the server's answers to each frame.
    """

    def __init__(
        self,
        qtbot: QtBot,
        theme: Theme,
        texts: Texts,
        folder: Path,
        make: Callable[[Session, Theme, Texts], P],
        answer: Answer | None = None,
    ) -> None:
        self._parts = (qtbot, theme, texts, folder, make)
        self.theme, self.texts = theme, texts
        self.played = FakeServer(answer)
        self.session = self.played.session(Drafts(folder))
        self.page = make(self.session, theme, texts)
        qtbot.addWidget(self.page)
        self.page.resize(1024, 640)

    def show(self) -> None:
        """Shows the page as the window would."""
        qtbot = self._parts[0]
        with qtbot.waitActive(self.page):
            self.page.show()
            self.page.activateWindow()

    def greet(self, *frames: ToSeat, role: Role = "judge", contest: str = "first") -> None:
        """Greets the console as the server, and sends the current state."""
        self.played.say(Welcome("J1", role, "A contest", 4, contest_id=contest), *frames)

    def again(self, answer: Answer | None = None) -> Console[P]:
        """Kills the console, and starts another one at the same seat."""
        self.page.hide()
        return Console(*self._parts, answer)

    def focus(self) -> QWidget | None:
        """The widget with the keyboard focus."""
        return QApplication.focusWidget()

    def key(self, *keys: Qt.Key) -> None:
        """Presses keys in the widget with the focus."""
        for key in keys:
            focus = self.focus()
            assert focus is not None
            QTest.keyClick(focus, key)

    @property
    def status(self) -> str:
        """The status of the decision on the page."""
        assert self.page.status.isVisible()
        return self.page.status.text()


def held(widget: QWidget, key: Qt.Key, times: int) -> None:
    """Holds a key down: one press and its repeats."""
    for repeat in range(times):
        event = QKeyEvent(
            QKeyEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier, "\r", repeat > 0
        )
        QApplication.sendEvent(widget, event)


def without_name(page: QWidget) -> list[str]:
    """The controls without a name for screen readers."""
    return [
        f"{type(control).__name__} {control.objectName()}"
        for control in page.findChildren(QWidget)
        if isinstance(
            control,
            QAbstractButton
            | QAbstractItemView
            | QAbstractSpinBox
            | QComboBox
            | QLineEdit
            | QPlainTextEdit,
        )
        and not control.objectName().startswith("qt_")
        and not isinstance(control.parentWidget(), QComboBox | QAbstractSpinBox)
        and "Combo" not in control.metaObject().className()  # the list of a QComboBox
        and not control.accessibleName()
        and not (isinstance(control, QAbstractButton) and control.text())
    ]
