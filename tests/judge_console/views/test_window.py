"""Tests the whole window: pages, header, warnings, stopped keys, full screen, and leaving."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from judge_console.look.theme import Theme
from judge_console.model.pages import Page
from judge_console.model.seat import SeatRefused
from judge_console.window import ConsoleWindow
from lpp.names import keys_of
from lpp.wire import Agreement, RankThese, Refused, Saved, State, Talk, Verdict, Welcome
from tests.judge_console.fake_server import FakeServer
from tests.judge_console.views.fitting import FITS, misfits
from tests.judge_console.views.talking import Seated, Sit
from texts import Texts, load

MINUTE = 60.0


def focus() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def page(seat: Seated) -> Page:
    return seat.window.page


def shut(seat: Seated) -> bool:
    return seat.window.gate.is_shut


def words_of(widget: QWidget) -> list[str]:
    """The texts that are visible in a widget."""
    return [
        label.text() for label in widget.findChildren(QLabel) if label.isVisible() and label.text()
    ]


# Pages


def test_a_contest_from_beginning_to_end(sit: Sit) -> None:
    seat = sit()
    window = seat.window
    seen: list[Page] = [window.page]
    for frames in (
        [Agreement("All is recorded.", "Judge 1")],
        [Saved("consent", 1, "2010-10-23T09:00:00Z", publish=True)],
        [State("waiting", 1, 1, ("left", "right"))],
        [State("interaction", 1, 1, ("left", "right"), 60_000)],
        [Talk(1, 1, "left", []), Talk(1, 1, "right", [])],
        [State("paused", 1, 1, ("left", "right"), 60_000)],
        [State("scoring", 1, 1, ("left", "right"), 60_000)],
        [State("closed", 1, 1, ("left", "right"))],
        [State("interaction", 2, 1, (), 60_000)],
        [State("ranking"), RankThese({"A": [(1, 1, "left")]})],
        [State("over")],
    ):
        seat.played.say(*frames)
        seen.append(window.page)
    assert seen == [
        *(Page.WAITING, Page.CONSENT, Page.WAITING, Page.WAITING),
        *(Page.TALK, Page.TALK, Page.TALK, Page.VERDICT, Page.WAITING),
        *(Page.WAITING, Page.RANKING, Page.OVER),
    ]


def test_an_answer_is_shown_and_can_be_changed(sit: Sit) -> None:
    seat = sit()
    seat.played.say(Agreement("All is recorded.", "Judge 1"))
    seat.played.say(Saved("consent", 1, "2010-10-23T09:00:00Z", publish=False))
    window = seat.window
    assert "will not be published" in window.message.words.text()
    QTest.mouseClick(window.message.button, Qt.MouseButton.LeftButton)
    assert page(seat) is Page.CONSENT
    QTest.keyClick(focus(), Qt.Key.Key_Escape)
    assert page(seat) is Page.WAITING
    window.show_agreement()
    seat.played.say(Saved("consent", 2, "2010-10-23T09:05:00Z", publish=True, pseudonym="Ada"))
    assert page(seat) is Page.WAITING
    assert "Ada" in window.message.words.text()
    # A beginning talk is not covered, and the earlier request is not repeated after it.
    window.show_agreement()
    seat.begin()
    assert page(seat) is Page.TALK
    window.show_agreement()
    assert page(seat) is Page.TALK
    seat.phase("closed")
    assert page(seat) is Page.WAITING


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("seat-taken", "Your seat was taken over at another console."),
        ("bad-code", "Your code does not open a seat any more"),
    ],
)
def test_a_lost_seat_shows_the_reason_and_offers_to_rejoin(
    sit: Sit, qtbot: QtBot, code: str, words: str
) -> None:
    seat = sit()
    seat.begin()
    seat.played.say(Refused(code, "…"))
    seat.window.gate.open()
    assert page(seat) is Page.ENDED
    assert any(said.startswith(words) for said in words_of(seat.window.message))
    assert words_of(seat.window.header) == ["Judge Anna (J1) · A contest"], "no countdown is shown"
    assert focus() is seat.window.message.button
    with qtbot.waitSignal(seat.window.rejoin, timeout=1000):
        QTest.keyClick(focus(), Qt.Key.Key_Return)
    assert isinstance(seat.session.window_state.ended, SeatRefused)


# Header


def test_the_header_shows_the_round_and_warns_without_taking_the_focus(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(
        "judge_console.views.controls.announce", lambda widget, text, **how: said.append(text)
    )
    seat = sit()
    seat.begin()
    said.clear()
    windows = QApplication.topLevelWidgets()
    header, line = seat.window.header, focus()
    usual = "Talk with both sides. One is a human, one is a program."
    assert seat.window.windowTitle() == "A contest – judge J1"
    assert header.who.text() == "Judge Anna (J1) · A contest"
    assert header.round.text() == "Round 1 of 4 · Talk"
    assert (header.clock.text(), header.notice.text()) == ("25:00 left", usual)
    shown = []
    for left in (301, 300, 280, 120, 100, 60, 20, 5, 0):
        seat.at(25 * MINUTE - left)
        QTest.keyClicks(line, "x")
        shown.append((header.notice.text(), header.clock.text(), header.clock.property("level")))
        assert focus() is line
        assert header.notice.isVisible()
    assert shown == [
        (usual, "5:01 left", "calm"),
        ("5 minutes left", "5:00 left", "calm"),
        (usual, "4:40 left", "calm"),
        ("2 minutes left", "2:00 left", "soon"),
        (usual, "1:40 left", "soon"),
        ("1 minute left", "1:00 left", "soon"),
        ("20 seconds left", "0:20 left", "last"),
        (usual, "0:05 left", "last"),
        ("The time is up", "0:00 left", "last"),
    ]
    assert [words for words in said if words != usual] == [
        *("5 minutes left", "2 minutes left", "1 minute left", "20 seconds left"),
        "The time is up",
    ]
    assert QApplication.topLevelWidgets() == windows
    assert len(seat.pressed) == 9
    seat.begin(2, attempt=2)
    assert header.round.text() == "Round 2 of 4, attempt 2 · Talk"


def test_a_lost_and_a_restored_connection_are_announced(sit: Sit) -> None:
    seat = sit()
    seat.begin()
    header, line = seat.window.header, focus()
    seat.played.lose()
    assert header.notice.text().startswith("The connection is interrupted.")
    assert focus() is line
    assert page(seat) is Page.TALK
    seat.played.say(seat.welcome)
    seat.phase("interaction")
    assert header.notice.text() == "The connection is back. Everything typed has been sent."
    header._back.stop()
    header.refresh()
    assert header.notice.text().startswith("Talk with both sides")


# Keys when the page changes


def type_on(text: str = " ", key: Qt.Key = Qt.Key.Key_Space) -> None:
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(focus(), QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, text))


def test_a_judge_who_is_still_typing_presses_no_button_of_the_verdict(sit: Sit) -> None:
    seat = sit()
    seat.begin()
    QTest.keyClicks(focus(), "Do you")
    seat.phase("scoring", 5)
    window = seat.window
    assert page(seat) is Page.VERDICT
    assert shut(seat)
    assert "Keys are blocked for a moment" in window.header.notice.text()
    assert window.verdict.isAncestorOf(focus())
    for _ in range(8):
        type_on()
        QTest.keyClick(focus(), Qt.Key.Key_Return)
    window.gate.open()
    assert "Keys are blocked" not in window.header.notice.text()
    # Nor later, while no side is chosen.
    for _ in range(3):
        type_on()
        QTest.keyClick(focus(), Qt.Key.Key_Return)
    assert not any(choice.isChecked() for choice in window.verdict.sides.options.values())
    assert not [frame for frame in seat.played.sent if isinstance(frame, Verdict)]


# Full screen, menus


def test_full_screen_can_always_be_left(sit: Sit) -> None:
    seat = sit()
    seat.begin()
    window = seat.window
    QTest.keyClick(focus(), Qt.Key.Key_F11)
    assert window.isFullScreen()
    assert window.way_out.isVisible()
    assert window.way_out.text() == "F11, or Esc three times: leave full screen"
    QTest.keyClick(focus(), Qt.Key.Key_F11)
    assert not window.isFullScreen()
    QTest.keyClick(focus(), Qt.Key.Key_F11)
    QTest.keyClick(focus(), Qt.Key.Key_Escape)
    QTest.keyClick(focus(), Qt.Key.Key_Escape)
    assert window.isFullScreen()
    QTest.keyClick(focus(), Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    assert not window.way_out.isVisible()
    assert seat.pressed == []
    assert focus() is seat.side("left").line


def test_the_list_of_keys_closes_when_the_page_changes(sit: Sit) -> None:
    seat = sit()
    seat.begin()
    QTest.keyClick(focus(), Qt.Key.Key_F1)
    keys = seat.window.help
    assert keys.isVisible()
    assert "Type to the other side" in keys.text()
    assert "F6, Ctrl+Tab" in keys.text()
    seat.phase("scoring", 5)
    assert not keys.isVisible()
    assert seat.window.isVisible()


# Leaving


def test_closing_the_window_in_a_talk_asks_first_and_the_talk_continues(
    sit: Sit, qtbot: QtBot
) -> None:
    seat = sit()
    seat.begin()
    window, line = seat.window, focus()
    window.close()
    assert window.isVisible()
    assert window.leave_bar.isVisible()
    assert window.leave_bar.words.text() == (
        "Leave? Your seat is kept, and you can come back with the same code."
    )
    assert focus() is line
    QTest.keyClicks(line, "s l")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert len(seat.pressed) == 4
    assert not seat.played.stopped
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert not window.leave_bar.isVisible()
    window.close()
    window.close()
    assert window.isVisible()
    QTest.keyClick(line, Qt.Key.Key_Y, Qt.KeyboardModifier.AltModifier)
    # A button pressed by its letter looks pressed for a moment.
    qtbot.waitUntil(lambda: not window.leave_bar.isVisible(), timeout=2000)


# Fitting and accessibility


def fill(seat: Seated) -> None:
    for place in seat.places:
        for key in keys_of("Good morning. What is a hammer for, and who made the first one?\n"):
            seat.session.press(place, key)
        seat.played.type(place, "hi :-) well you hit nails with it i guess\nand the fir")


@pytest.mark.parametrize(("look", "zoom", "language"), FITS)
def test_all_texts_fit(qtbot: QtBot, theme: Theme, look: str, zoom: int, language: str) -> None:
    theme.choose(look)
    theme.set_zoom(zoom)
    texts = load(language)
    faults: dict[str, list[str]] = {}

    def look_over(seat: Seated, moment: str) -> None:
        found = misfits(seat.window)
        if (seat.window.width(), seat.window.height()) != (1024, 768):
            found.append(f"the window is {seat.window.size()}")
        if found:
            faults[moment] = found

    judge = Seated(qtbot, theme, texts)
    look_over(judge, "before")
    judge.begin(2, attempt=2)
    look_over(judge, "beginning")
    for side in judge.window.talk.sides.values():
        room = side.line.viewport().rect()
        words = side.line.placeholderText()
        need = side.line.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, words)
        assert room.contains(need), words
    fill(judge)
    look_over(judge, "talk")
    QTest.keyClick(focus(), Qt.Key.Key_F6)
    look_over(judge, "the other side")
    QGuiApplication.clipboard().setText("pasted")
    QTest.keyClick(focus(), Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    look_over(judge, "an answer")
    judge.window.header._answered.stop()
    for left in (300, 120, 20, 0):
        judge.at(25 * MINUTE - left)
        look_over(judge, f"{left} seconds left")
    judge.at(MINUTE)
    judge.played.lose()
    look_over(judge, "no link")
    judge.played.say(judge.welcome)
    judge.phase("paused", 20, reason="A cable has to be changed.", round_=2, attempt=2)
    look_over(judge, "pause")
    judge.phase("interaction", 20, round_=2, attempt=2)
    judge.window.close()
    look_over(judge, "leaving")
    judge.window.leave_bar.hide()
    # The tests' screen has its own size; this is the line that full screen adds.
    judge.window.way_out.show()
    look_over(judge, "full screen")
    judge.window.way_out.hide()
    judge.window.help.show()
    faults.update({"keys": found} if (found := misfits(judge.window.help)) else {})
    judge.phase("scoring", 5, round_=2, attempt=2)
    look_over(judge, "verdict")
    judge.played.say(Refused("seat-taken", "…"))
    look_over(judge, "ended")
    confederate = Seated(qtbot, theme, texts, "confederate")
    confederate.begin()
    look_over(confederate, "a confederate waits")
    fill(confederate)
    look_over(confederate, "a confederate talks")
    assert faults == {}


@pytest.mark.parametrize("zoom", [180])
def test_no_page_or_question_enlarges_the_window(qtbot: QtBot, theme: Theme, zoom: int) -> None:
    theme.set_zoom(zoom)
    judge = Seated(qtbot, theme, load("de"))
    window = judge.window

    def size() -> tuple[int, int]:
        for _ in range(3):
            QApplication.processEvents()
        return window.width(), window.height()

    window.leave_bar.ask(window._texts("menu.leave_ask"))
    judge.played.say(Agreement("All is recorded.", "Anna"))
    judge.played.say(Saved("consent", 1, "2010-10-23T09:00:00Z", publish=True))
    window.show_agreement()
    window.consent.correct()
    assert page(judge) is Page.CONSENT
    assert size() == (1024, 768)
    judge.begin()
    judge.phase("scoring", 5, reason="Die Zeit ist um.")
    judge.played.say(Saved("verdict", 1, "2010-10-23T10:00:00Z", 1, 1, human="left"))
    window.verdict.correct()
    assert size() == (1024, 768)
    judge.played.say(State("ranking"), RankThese({"A": [(1, 1, "left")]}))
    judge.played.say(Saved("ranking", 1, "2010-10-23T17:00:00Z", ranks={"A": 2}))
    window.ranking.correct()
    assert size() == (1024, 768)


def test_every_control_has_a_name_and_can_be_reached_by_keyboard(sit: Sit) -> None:
    seat = sit()
    seat.begin()
    for moment in ("talk", "leaving"):
        if moment == "leaving":
            seat.window.close()
        usable = [
            widget
            for widget in seat.window.findChildren(QWidget)
            if widget.isVisible()
            and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            and not widget.objectName().startswith("qt_")
        ]
        without_name = [
            widget
            for widget in usable
            if not widget.accessibleName()
            and not (isinstance(widget, QAbstractButton) and widget.text())
        ]
        assert without_name == [], moment
    # On the talk page, every button has its letter.
    for button in (seat.window.leave_bar.no, seat.window.leave_bar.yes):
        assert not button.shortcut().isEmpty()


@pytest.mark.parametrize("can_end", [False, True])
def test_only_a_talk_without_a_server_can_be_ended_by_its_judge(
    qtbot: QtBot, theme: Theme, texts: Texts, can_end: bool
) -> None:
    played = FakeServer(can_end=can_end)
    window = ConsoleWindow(played.session(), theme, texts)
    qtbot.addWidget(window)
    played.say(Welcome("J1", "judge", "Practice", 1))
    [end] = [
        action
        for menu in window.menuBar().findChildren(QMenu)
        for action in menu.actions()
        if action.text() == texts("desk.end")
    ]
    assert end.isVisible() is can_end
    assert not end.isEnabled(), "nothing is on"
    played.say(State("interaction", 1, 1, ("left", "right")))
    assert end.isEnabled() is can_end
    end.trigger()
    assert played.ended_in == (["interaction"] if can_end else [])
    played.say(State("over"))
