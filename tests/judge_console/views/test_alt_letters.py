"""Tests that Alt with a letter presses only one control in a window, instead of alternating between
two."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from judge_console.client import seat_url
from judge_console.join import JoinDialog
from judge_console.look.theme import Theme
from judge_console.model.joining import JoinForm
from judge_console.model.playback import recording_of
from judge_console.views.replay import ReplayWindow
from judge_console.window import ConsoleWindow
from lpp.wire import (
    Agreement,
    Author,
    Consent,
    Past,
    Ranks,
    RankThese,
    Read,
    Saved,
    State,
    Talk,
    ToSeat,
    ToServer,
    Verdict,
    Welcome,
)
from tests.judge_console.fake_server import FakeServer
from texts import LANGUAGES, load

AT = "2010-10-23T17:00:00Z"
KEYS: list[tuple[int, Author, str]] = [(0, "judge", "H"), (900, "entity", "i")]
SCORING = (State("scoring", 1, 1, ("left", "right")), Talk(1, 1, "left", []))
RANKING = (State("ranking"), RankThese({"A": [(1, 1, "left")], "B": [(1, 1, "right")]}))

each_language = pytest.mark.parametrize("language", LANGUAGES)


def said(window: QWidget) -> Iterable[str]:
    """The texts with a letter in a window: buttons, labels of fields, and menus."""
    for widget in window.findChildren(QWidget):
        if widget.isVisible() and (
            isinstance(widget, QAbstractButton)
            or (isinstance(widget, QLabel) and widget.buddy() is not None)
        ):
            yield widget.text()
    if isinstance(window, QMainWindow):
        yield from (action.text() for action in window.menuBar().actions())


def duplicate_letters(window: QWidget) -> dict[str, list[str]]:
    """Letters that are used more than once."""
    QApplication.processEvents()
    letters: dict[str, list[str]] = defaultdict(list)
    for words in said(window):
        letters[QKeySequence.mnemonic(words).toString()].append(words)
    letters.pop("", None)
    assert letters, "no control has a letter, so the test checks nothing"
    return {letter: words for letter, words in letters.items() if len(words) > 1}


def answer(frame: ToServer) -> Iterable[ToSeat]:
    match frame:
        case Verdict():
            yield Saved("verdict", 1, AT, 1, 1, human=frame.human)
        case Ranks():
            yield Saved("ranking", 1, AT, ranks=frame.ranks)
        case Consent():
            yield Saved("consent", 1, AT, publish=frame.publish)
        case Read():
            yield Past(frame.round, frame.attempt, frame.place, KEYS)


def consent(window: ConsoleWindow) -> Iterable[None]:
    yield
    page = window.consent
    page.answers.options[True].click()
    page.confirm()
    window.show_agreement()
    yield
    page.correct()
    yield


def verdict(window: ConsoleWindow) -> Iterable[None]:
    yield
    page = window.verdict
    page.sides.options["left"].click()
    page.confirm()
    yield
    page.correct()
    yield


def ranking(window: ConsoleWindow) -> Iterable[None]:
    page = window.ranking
    page.list.setCurrentRow(1)
    yield
    page.read_button.click()
    view = page.reader.view
    assert view is not None
    view.seek(0)
    yield
    QTest.keyClick(view, Qt.Key.Key_Space)
    page.share_button.click()
    yield
    view.pause()
    page.confirm()
    yield
    page.correct()
    yield


#: What the server says, and the steps of the page that the window shows then.
PAGES: tuple[tuple[tuple[ToSeat, ...], Callable[[ConsoleWindow], Iterable[None]]], ...] = (
    ((Agreement("All is recorded.", "Anna"),), consent),
    (SCORING, verdict),
    (RANKING, ranking),
)


@each_language
def test_letters_are_unique_in_a_consoles_window(qtbot: QtBot, theme: Theme, language: str) -> None:
    played = FakeServer(answer)
    window = ConsoleWindow(played.session(), theme, load(language))

    def let_go(window: ConsoleWindow) -> None:
        played.say(State("over"))
        window.gate.open()

    qtbot.addWidget(window, before_close_func=let_go)
    played.say(Welcome("J1", "judge", "A contest", 4))
    window.show()
    for frames, steps in PAGES:
        played.say(*frames)
        window.gate.open()
        for number, _ in enumerate(steps(window)):
            # The question before closing appears in addition to the page.
            window.leave_bar.ask(window._texts("menu.leave_ask"))
            assert duplicate_letters(window) == {}, (steps.__name__, number)


@each_language
def test_letters_are_unique_in_the_joining_dialog(
    qtbot: QtBot, theme: Theme, language: str
) -> None:
    form = JoinForm(seat_url, [], "192.168.1.10:8765", "J1-7KQ2-M4XD-9TRA")
    dialog = JoinDialog(form, theme, load(language))
    qtbot.addWidget(dialog)
    dialog.show()
    assert duplicate_letters(dialog) == {}
    dialog.submit()
    form.failed("seat-taken", "somebody sits there")
    dialog.show_form()
    assert dialog.take_over_question.yes.isVisible()
    assert duplicate_letters(dialog) == {}


@each_language
def test_letters_are_unique_in_the_replay_window(qtbot: QtBot, theme: Theme, language: str) -> None:
    window = ReplayWindow(recording_of(Past(1, 1, "left", KEYS)), theme, load(language))
    qtbot.addWidget(window)
    window.show()
    assert duplicate_letters(window) == {}
    QTest.keyClick(window.view, Qt.Key.Key_Space)
    assert duplicate_letters(window) == {}
