"""The joining dialog: what it shows, where the keyboard is, and that it can be used without a
mouse by somebody who sees it for the first time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from judge_console.client import seat_url
from judge_console.join import JoinDialog
from judge_console.look.theme import Theme
from judge_console.model.joining import DeskPlan, Found, JoinForm
from judge_console.texts import LANGUAGES, Texts, load
from judge_console.views.controls import plain
from tests.judge_console.views.fitting import misfits

CODE = "J1-7KQ2-M4XD-9TRA"
HERE = "192.168.1.10:8765"
FOUND = Found(HERE, "A contest")

Open = Callable[..., JoinDialog]


@pytest.fixture
def open_dialog(qtbot: QtBot, theme: Theme, texts: Texts) -> Open:
    """Shows a dialog: `open_dialog(JoinForm(…))`."""

    def open_it(
        form: JoinForm, plan: DeskPlan | None = None, words: Texts = texts, **more: object
    ) -> JoinDialog:
        dialog = JoinDialog(form, plan or DeskPlan(), theme, words, **more)  # type: ignore[arg-type]
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
    """Presses keys where the keyboard is."""
    for key in keys:
        QTest.keyClick(focus(), key)


def type_in(text: str) -> None:
    QTest.keyClicks(focus(), text)


def shown(dialog: JoinDialog) -> str:
    """All words that can be seen."""
    labels = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]
    buttons = [button.text() for button in dialog.findChildren(QPushButton) if button.isVisible()]
    return plain("\n".join(labels + buttons))


# Fresh


def test_a_fresh_dialog_asks_for_the_code_first(open_dialog: Open) -> None:
    dialog = open_dialog(JoinForm(seat_url))
    dialog.contest.search(True)
    assert focus() is dialog.contest.code
    assert "Looking for a contest on this network" in shown(dialog)
    dialog.contest.search(False)
    assert "No contest was found on this network" in shown(dialog)
    dialog.contest.see((FOUND,))
    assert dialog.contest.server.currentText() == HERE
    assert "Found on this network: A contest" in shown(dialog)
    assert focus() is dialog.contest.code


def test_a_server_is_chosen_by_the_arrows(open_dialog: Open) -> None:
    form = JoinForm(seat_url, ["old:1"])
    dialog = open_dialog(form)
    dialog.contest.see((FOUND, Found("192.168.1.11:8765", "Another")))
    assert form.server == HERE
    type_in(CODE)
    press(Qt.Key.Key_Tab, Qt.Key.Key_Tab)
    assert focus() in (dialog.contest.server, dialog.contest.server.line)
    press(Qt.Key.Key_Down)
    assert form.server == "192.168.1.11:8765"
    assert "Found on this network: Another" in shown(dialog)
    press(Qt.Key.Key_Down)
    assert form.server == "old:1"
    assert "Found" not in shown(dialog)
    press(Qt.Key.Key_Up, Qt.Key.Key_Return)
    assert form.attempt is not None
    assert form.attempt.server == "192.168.1.11:8765"


def test_everything_has_a_name(open_dialog: Open) -> None:
    dialog = open_dialog(JoinForm(seat_url))
    dialog.show_desk()
    for widget in dialog.findChildren(QWidget):
        if isinstance(widget, QLineEdit) and widget.objectName() == "qt_spinbox_lineedit":
            continue  # a part of the spin box, which has the name
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible():
            assert widget.accessibleName() or getattr(widget, "text", str)(), widget


# What is wrong


@pytest.mark.parametrize(
    ("server", "code", "words", "field"),
    [
        (HERE, "", "Type in the seat code", "code"),
        (HERE, "J1-7KQ2", "Some of the code is missing", "code"),
        (HERE, "J1-7KQ2-M4XD-9TR0", "codes have no 0, 1, I or O", "code"),
        ("", CODE, "Type in the server's address", "server"),
        ("h:port", CODE, "\u201ch:port\u201d is not an address", "server"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(
    open_dialog: Open, server: str, code: str, words: str, field: str
) -> None:
    form = JoinForm(seat_url, server=server, code=code)
    dialog = open_dialog(form)
    dialog.contest.submit()
    error = {"code": dialog.contest.code_error, "server": dialog.contest.server_error}[field]
    assert words in error.text()
    assert error.isVisible()
    line = {"code": dialog.contest.code, "server": dialog.contest.server.line}[field]
    assert line.hasFocus()
    assert words in line.accessibleDescription()
    assert not line.hasSelectedText()  # the next letter must not replace what was typed
    assert (dialog.contest.code.text(), dialog.contest.server.currentText()) == (code, server)
    type_in("2")
    assert not error.isVisible()


def try_it(open_dialog: Open) -> tuple[JoinForm, JoinDialog]:
    form = JoinForm(seat_url)
    dialog = open_dialog(form)
    dialog.contest.see((FOUND,))
    type_in("j1 7kq2 m4xd 9tra")
    press(Qt.Key.Key_Return)
    return form, dialog


# What is remembered


# Without a server


def test_a_talk_without_a_server(open_dialog: Open, qtbot: QtBot, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    dialog = open_dialog(JoinForm(seat_url))
    dialog.contest.desk_button.click()
    assert focus() is dialog.desk.left
    press(Qt.Key.Key_Return)
    assert "Choose a directory first." in shown(dialog)
    type_in(str(tmp_path / "none"))
    press(Qt.Key.Key_Return)
    assert "is not a directory" in shown(dialog)
    dialog.desk.left.setText(str(tmp_path / "one"))
    dialog.desk.right.setText(str(tmp_path / "two" / ".." / "one"))
    press(Qt.Key.Key_Return)
    assert "two different directories" in shown(dialog)
    assert focus() is dialog.desk.right
    dialog.desk.right.setText(str(tmp_path / "two"))
    dialog.desk.draw_sides.setChecked(True)
    dialog.desk.human.setCurrentIndex(0)
    dialog.desk.minutes.setValue(5)
    with qtbot.waitSignal(dialog.desk.wanted) as wanted:
        press(Qt.Key.Key_Return)
    plan = DeskPlan("judge", str(tmp_path / "one"), str(tmp_path / "two"), 5.0, "random", "left")
    assert wanted.args == [plan]
    press(Qt.Key.Key_Return)  # it is begun already: nothing
    dialog.desk.failed("the share is gone")
    assert "the share is gone" in shown(dialog)
    with qtbot.waitSignal(dialog.desk.wanted):
        press(Qt.Key.Key_Return)
    with qtbot.waitSignal(dialog.given_up):
        press(Qt.Key.Key_Escape)
    assert focus() is dialog.contest.code


# Room for the words


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("zoom", [100, 200])
def test_everything_fits(open_dialog: Open, theme: Theme, language: str, zoom: int) -> None:
    theme.set_zoom(zoom)
    form = JoinForm(seat_url)
    dialog = open_dialog(form, words=load(language), news="n" * 40)
    dialog.contest.see((Found(HERE, "The <i>longest</i> name of a contest " * 2),))
    assert misfits(dialog) == []
    type_in(CODE)
    press(Qt.Key.Key_Return)
    assert misfits(dialog) == []
    form.failed("unknown-host")
    dialog.contest.show_form()
    assert misfits(dialog) == []
    press(Qt.Key.Key_Return)
    form.failed("seat-taken", "")
    dialog.contest.show_form()
    assert misfits(dialog) == []
    dialog.reject()
    dialog.show_desk()
    dialog.desk.failed(dialog.desk._texts("errors.not_a_directory", path="/a/b" * 20))
    assert misfits(dialog) == []


def test_what_is_asked_is_in_sight_at_any_size(open_dialog: Open, theme: Theme) -> None:
    theme.set_zoom(200)
    form, dialog = try_it(open_dialog)

    def in_sight(widget: QWidget) -> bool:
        QApplication.processEvents()
        return widget.visibleRegion().boundingRect() == widget.rect()

    assert in_sight(dialog.contest.notice)
    form.failed("seat-taken", "")
    dialog.contest.show_form()
    assert in_sight(dialog.contest.taken)
    dialog.reject()
    assert in_sight(dialog.contest.code)
    dialog.contest.submit()
    form.failed("unreachable")
    dialog.contest.show_form()
    assert in_sight(dialog.contest.server_error)
    assert in_sight(dialog.contest.server)
    dialog.show_desk()
    dialog.desk.begin_button.setFocus()
    dialog.desk.begin()
    assert in_sight(dialog.desk.notice)
    assert in_sight(dialog.desk.left)
