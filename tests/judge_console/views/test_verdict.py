"""Tests the page of the verdict, as a judge uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from judge_console.look.theme import Theme
from judge_console.model.decision import time_of
from judge_console.model.seat import REASON_LIMIT
from judge_console.views import controls
from judge_console.views.verdict import VerdictPage
from lpp.names import keys_of
from lpp.wire import Author, Refused, Saved, State, Talk, ToSeat, ToServer, Verdict
from tests.judge_console.views.deciding import Answer, Console, held, without_name
from tests.judge_console.views.fitting import FITS, misfits
from texts import Texts, load

Sit = Callable[..., Console[VerdictPage]]
AT = "2010-10-23T14:03:07Z"
SCORING = State("scoring", 1, 1, ("left", "right"), 240_000)


def talk(place: str, *lines: tuple[Author, str]) -> Talk:
    keys = [(author, key) for author, text in lines for key in keys_of(text)]
    return Talk(1, 1, place, keys, sum(author == "judge" for author, _ in keys))  # type: ignore[arg-type]


TALKS = (
    talk("left", ("judge", "Hello\n"), ("entity", "Good day to you.\n"), ("judge", "Do you")),
    talk("right", ("judge", "Hi\n"), ("entity", "<b>Hi</b> yourself")),
)


class Saving:
    """A server that saves each verdict."""

    def __init__(self) -> None:
        self.version = 0

    def __call__(self, frame: ToServer) -> Iterable[ToSeat]:
        if isinstance(frame, Verdict):
            self.version += 1
            yield Saved(
                "verdict",
                self.version,
                AT,
                frame.round,
                frame.attempt,
                human=frame.human,
                confidence=frame.confidence,
                reason=frame.reason,
            )


@pytest.fixture
def sit(qtbot: QtBot, theme: Theme, texts: Texts, tmp_path: Path) -> Sit:
    def make(answer: Answer | None = None, shown: bool = True) -> Console[VerdictPage]:
        console = Console(qtbot, theme, texts, tmp_path, VerdictPage, answer)
        console.greet(SCORING, *TALKS)
        if shown:
            console.show()
        return console

    return make


def verdicts(console: Console[VerdictPage]) -> list[ToServer]:
    return [frame for frame in console.played.sent if isinstance(frame, Verdict)]


def test_it_works_with_the_keyboard_alone(sit: Sit) -> None:
    console = sit(Saving())
    page = console.page
    assert console.focus() is page.heading, "neither side has the focus"
    console.key(Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Return)
    assert not any(choice.isChecked() for choice in page.sides.options.values())
    assert not page.save_button.isEnabled()
    assert console.status == "Choose a side first."
    console.key(Qt.Key.Key_Right)
    assert page.sides.options["right"].isChecked()
    assert not page.sides.options["left"].isChecked()
    assert console.focus() is page.sides.options["right"]
    assert "RIGHT" in console.status
    assert "not saved" in console.status
    console.key(Qt.Key.Key_Return)
    assert console.focus() is page.save_button
    assert verdicts(console) == [], "one confirmation"
    console.key(Qt.Key.Key_Return)
    assert verdicts(console) == [Verdict(1, 1, "right")]
    assert console.status == f"Saved at {time_of(AT)}: the human was on the RIGHT"
    assert console.focus() is page.correct_button


def test_tab_reaches_every_control_and_each_has_a_name(sit: Sit) -> None:
    console = sit()
    page = console.page
    assert without_name(page) == []
    console.key(Qt.Key.Key_Left)
    order = []
    for _ in range(7):
        console.key(Qt.Key.Key_Tab)
        order.append(console.focus())
    assert order == [
        page.sureness,
        page.reason,
        page.save_button,
        page.panes["left"],
        page.panes["right"],
        page.heading,
        page.sides.options["left"],
    ]


def test_holding_down_return_saves_nothing(sit: Sit) -> None:
    console = sit(Saving())
    page = console.page
    held(page.sides.options["left"], Qt.Key.Key_Return, 20)
    assert page.sides.options["left"].isChecked()
    assert verdicts(console) == []
    page.save_button.setFocus()
    held(page.save_button, Qt.Key.Key_Return, 20)
    assert len(verdicts(console)) == 1
    held(page.correct_button, Qt.Key.Key_Return, 1)
    assert page.form.correcting


NEXT = State("interaction", 2, 1, ("left", "right"))


def test_an_unconfirmed_verdict_is_reported_when_the_next_round_begins(
    sit: Sit, qtbot: QtBot
) -> None:
    console = sit()
    console.key(Qt.Key.Key_Right)
    console.played.say(State("closed", 1, 1, ("left", "right")))
    with qtbot.waitSignal(console.page.missed, timeout=0):
        console.played.say(NEXT)
    with qtbot.assertNotEmitted(console.page.missed):
        console.played.say(State("interaction", 3, 1, ("left", "right")))


# Crashes


def test_a_choice_survives_a_crash(sit: Sit) -> None:
    first = sit()
    first.key(Qt.Key.Key_Right)
    first.page.form.set_confidence(80)
    QTest.keyClicks(first.page.reason, "half a sen")
    second = first.again()
    second.greet(SCORING, *TALKS)
    second.show()
    page = second.page
    assert page.sides.options["right"].isChecked()
    assert page.form.confidence == 80
    assert page.sureness.currentText() == "very sure", "the nearest words"
    assert page.reason.toPlainText() == "half a sen"
    assert verdicts(second) == []
    assert second.focus() is page.heading


# Usability


def test_scrolling_with_the_wheel_changes_no_choice(sit: Sit) -> None:
    page = sit().page
    page.form.set_confidence(50)
    for control in (page.sureness,):
        at = QPointF(control.rect().center())
        turn = QWheelEvent(
            at,
            QPointF(control.mapToGlobal(at)),
            QPoint(0, 0),
            QPoint(0, -120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(control, turn)
    assert page.form.confidence == 50


def test_changes_are_announced_to_screen_readers(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, bool]] = []
    monkeypatch.setattr(
        controls, "announce", lambda _, text, *, urgent=False: said.append((text, urgent))
    )
    console = sit()
    console.key(Qt.Key.Key_Left, Qt.Key.Key_Return, Qt.Key.Key_Return)
    console.played.say(Refused("not-now", "too late", "verdict"))
    assert [text.partition(".")[0] for text, _ in said] == [
        "You say: the human was on the LEFT",
        "Saving … It is not saved yet",
        "Not saved: the time for it is over, or has not come yet",
    ]
    assert said[-1][1]


@pytest.mark.parametrize(("look", "zoom", "language"), FITS)
def test_it_fits(
    qtbot: QtBot, theme: Theme, tmp_path: Path, language: str, look: str, zoom: int
) -> None:
    theme.choose(look)
    theme.set_zoom(zoom)
    console = Console(qtbot, theme, load(language), tmp_path, VerdictPage)
    console.greet(SCORING, *TALKS)
    console.show()
    page = console.page
    assert misfits(page) == []
    QTest.mouseClick(page.sides.options["right"], Qt.MouseButton.LeftButton)
    page.reason.setPlainText("x" * (REASON_LIMIT - 20))
    assert misfits(page) == []
    console.played.lose()
    page.confirm()
    assert misfits(page) == []
    console.greet(SCORING, Saved("verdict", 2, AT, 1, 1, human="right"))
    page.correct()
    assert misfits(page) == []


def test_the_words_not_saved_are_visible_at_200_percent(sit: Sit, theme: Theme) -> None:
    theme.set_zoom(200)
    page = sit(Saving()).page
    QTest.mouseClick(page.sides.options["left"], Qt.MouseButton.LeftButton)
    QApplication.processEvents()
    for words, button in (("not saved", page.save_button), ("Saved at", page.correct_button)):
        assert words in page.status.text()
        for part in (page.status, button):
            assert part.visibleRegion().boundingRect().size() == part.size(), "all of it"
        page.confirm()
        QApplication.processEvents()
