"""Tests the joining dialog: its content and focus, and that a first-time user needs no mouse."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from judge_console.client import seat_url
from judge_console.join import JoinDialog
from judge_console.look.theme import Theme
from judge_console.model.joining import FoundServer, JoinForm
from tests.judge_console.views.fitting import FITS, misfits
from texts import Texts, load, without_mnemonics

CODE = "J1-7KQ2-M4XD-9TRA"
HERE = "192.168.1.10:8765"
FOUND = FoundServer(HERE, "A contest")

Open = Callable[..., JoinDialog]


@pytest.fixture
def open_dialog(qtbot: QtBot, theme: Theme, texts: Texts) -> Open:
    """Shows a dialog: `open_dialog(JoinForm(…))`."""

    def open_it(form: JoinForm, words: Texts = texts, **more: object) -> JoinDialog:
        dialog = JoinDialog(form, theme, words, **more)  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        dialog.resize(1024, 768)
        dialog.show()
        dialog.activateWindow()
        qtbot.waitUntil(dialog.isActiveWindow)
        return dialog

    return open_it


def focus() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def press(*keys: Qt.Key) -> None:
    """Presses keys in the widget with the focus."""
    for key in keys:
        QTest.keyClick(focus(), key)


def type_in(text: str) -> None:
    QTest.keyClicks(focus(), text)


def shown(dialog: JoinDialog) -> str:
    """All visible texts."""
    labels = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]
    buttons = [button.text() for button in dialog.findChildren(QPushButton) if button.isVisible()]
    return without_mnemonics("\n".join(labels + buttons))


# A new dialog


def test_a_fresh_dialog_asks_for_the_code_first(open_dialog: Open) -> None:
    dialog = open_dialog(JoinForm(seat_url))
    dialog.search(True)
    assert focus() is dialog.code
    assert "Looking for a contest on this network" in shown(dialog)
    dialog.search(False)
    assert "No contest was found on this network" in shown(dialog)
    dialog.show_found((FOUND,))
    assert dialog.server.currentText() == HERE
    assert "Found on this network: A contest" in shown(dialog)
    assert focus() is dialog.code


def test_a_server_is_chosen_with_the_arrow_keys(open_dialog: Open) -> None:
    form = JoinForm(seat_url, ["old:1"])
    dialog = open_dialog(form)
    dialog.show_found((FOUND, FoundServer("192.168.1.11:8765", "Another")))
    assert form.server == HERE
    type_in(CODE)
    press(Qt.Key.Key_Tab, Qt.Key.Key_Tab)
    assert focus() in (dialog.server, dialog.server.line)
    press(Qt.Key.Key_Down)
    assert form.server == "192.168.1.11:8765"
    assert "Found on this network: Another" in shown(dialog)
    press(Qt.Key.Key_Down)
    assert form.server == "old:1"
    assert "FoundServer" not in shown(dialog)
    press(Qt.Key.Key_Up, Qt.Key.Key_Return)
    assert form.attempt is not None
    assert form.attempt.server == "192.168.1.11:8765"


def test_every_control_has_a_name(open_dialog: Open) -> None:
    dialog = open_dialog(JoinForm(seat_url))
    for widget in dialog.findChildren(QWidget):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible():
            assert widget.accessibleName() or getattr(widget, "text", str)(), widget


# Errors


@pytest.mark.parametrize(
    ("server", "code", "words", "field"),
    [
        (HERE, "", "Type in the seat code", "code"),
        (HERE, "J1-7KQ2", "Some of the code is missing", "code"),
        (HERE, "J1-7KQ2-M4XD-9TR0", "codes have no 0, 1, I or O", "code"),
        ("", CODE, "Type in the server's address", "server"),
        ("h:port", CODE, "\u201ch:port\u201d", "server"),
    ],
)
def test_errors_are_shown_beside_their_field(
    open_dialog: Open, server: str, code: str, words: str, field: str
) -> None:
    form = JoinForm(seat_url, server=server, code=code)
    dialog = open_dialog(form)
    dialog.submit()
    error = {"code": dialog.code_error, "server": dialog.server_error}[field]
    assert words in error.text()
    assert error.isVisible()
    line = {"code": dialog.code, "server": dialog.server.line}[field]
    assert line.hasFocus()
    assert words in line.accessibleDescription()
    assert not line.hasSelectedText()  # the next letter must not replace what was typed
    assert (dialog.code.text(), dialog.server.currentText()) == (code, server)
    type_in("2")
    assert not error.isVisible()


def try_it(open_dialog: Open) -> tuple[JoinForm, JoinDialog]:
    form = JoinForm(seat_url)
    dialog = open_dialog(form)
    dialog.show_found((FOUND,))
    type_in("j1 7kq2 m4xd 9tra")
    press(Qt.Key.Key_Return)
    return form, dialog


# Room for the texts


@pytest.mark.parametrize(("look", "zoom", "language"), FITS)
def test_it_fits(open_dialog: Open, theme: Theme, look: str, zoom: int, language: str) -> None:
    theme.choose(look)
    theme.set_zoom(zoom)
    form = JoinForm(seat_url)
    dialog = open_dialog(form, words=load(language))
    dialog.show_found((FoundServer(HERE, "The <i>longest</i> name of a contest " * 2),))
    assert misfits(dialog) == []
    type_in(CODE)
    press(Qt.Key.Key_Return)
    assert misfits(dialog) == []
    form.failed("unknown-host")
    dialog.show_form()
    assert misfits(dialog) == []
    press(Qt.Key.Key_Return)
    form.failed("seat-taken", "")
    dialog.show_form()
    assert misfits(dialog) == []
    dialog.reject()


def test_questions_are_visible_at_any_text_size(open_dialog: Open, theme: Theme) -> None:
    theme.set_zoom(200)
    form, dialog = try_it(open_dialog)

    def in_sight(widget: QWidget) -> bool:
        QApplication.processEvents()
        return widget.visibleRegion().boundingRect() == widget.rect()

    assert in_sight(dialog.notice)
    form.failed("seat-taken", "")
    dialog.show_form()
    assert in_sight(dialog.take_over_question)
    dialog.reject()
    assert in_sight(dialog.code)
    dialog.submit()
    form.failed("unreachable")
    dialog.show_form()
    assert in_sight(dialog.server_error)
    assert in_sight(dialog.server)
