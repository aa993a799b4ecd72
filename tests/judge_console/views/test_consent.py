"""Tests the page on recording and publication, as a judge or confederate uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from judge_console.look.theme import Theme
from judge_console.model.decision import PSEUDONYM_LIMIT, time_of
from judge_console.views.consent import ConsentPage
from lpp.wire import Agreement, Consent, Refused, Role, Saved, State, ToSeat, ToServer
from tests.judge_console.views.deciding import Answer, Console, without_name
from tests.judge_console.views.fitting import FITS, misfits
from texts import Texts, load

Sit = Callable[..., Console[ConsentPage]]
AT = "2010-10-23T09:00:00Z"
BEFORE = State("before")
TEXT = "Every key is <b>recorded</b>.\n\n" + "A long paragraph of what is published. " * 60 + "END"
AGREEMENT = Agreement(TEXT, "Harriet Blackwood")


class Saving:
    """A server that saves each answer, except for one name that is taken."""

    def __init__(self) -> None:
        self.version = 0

    def __call__(self, frame: ToServer) -> Iterable[ToSeat]:
        if isinstance(frame, Consent):
            if frame.pseudonym == "Taken":
                yield Refused("bad-consent", "this is taken in this contest", "consent")
                return
            self.version += 1
            yield Saved(
                "consent", self.version, AT, publish=frame.publish, pseudonym=frame.pseudonym
            )


@pytest.fixture
def sit(qtbot: QtBot, theme: Theme, texts: Texts, tmp_path: Path) -> Sit:
    def make(answer: Answer | None = None, role: Role = "judge") -> Console[ConsentPage]:
        console = Console(qtbot, theme, texts, tmp_path, ConsentPage, answer)
        console.greet(BEFORE, AGREEMENT, role=role)
        console.show()
        return console

    return make


def answers(console: Console[ConsentPage]) -> list[ToServer]:
    return [frame for frame in console.played.sent if isinstance(frame, Consent)]


@pytest.mark.parametrize("role", ["judge", "confederate"])
def test_it_works_with_the_keyboard_alone(sit: Sit, role: Role) -> None:
    console = sit(Saving(), role)
    page = console.page
    assert console.focus() is page.text, "the text to read comes first"
    assert not page.answers.options[True].isChecked()
    assert not page.answers.options[False].isChecked()
    assert console.status == "Choose one of the two answers first."
    assert not page.save_button.isEnabled()
    console.key(Qt.Key.Key_Tab)
    assert console.focus() is page.answers.options[True]
    console.key(Qt.Key.Key_Down)
    assert page.answers.options[False].isChecked()
    console.key(Qt.Key.Key_Up, Qt.Key.Key_Return)
    assert page.answers.options[True].isChecked()
    assert console.focus() is page.pseudonym
    QTest.keyClicks(page.pseudonym, "Aurora")
    console.key(Qt.Key.Key_Return)
    assert console.focus() is page.save_button
    assert answers(console) == [], "one confirmation"
    console.key(Qt.Key.Key_Return)
    assert answers(console) == [Consent(True, "Aurora")]
    assert console.status.startswith(
        f"Saved at {time_of(AT)}: your talks may be published under the name Aurora."
    )
    assert console.focus() is page.correct_button


def test_the_refusal_of_a_name_is_shown_beside_its_field(sit: Sit) -> None:
    console = sit(Saving())
    page = console.page
    page.answers.options[True].click()
    QTest.keyClicks(page.pseudonym, "Taken")
    page.save_button.click()
    assert console.status.startswith("Not saved: ")
    assert str(PSEUDONYM_LIMIT) in console.status
    assert page.pseudonym.text() == "Taken"
    page.save_button.setFocus()
    page.pseudonym.selectAll()
    QTest.keyClicks(page.pseudonym, "Free")
    page.save_button.click()
    assert answers(console)[-1] == Consent(True, "Free")
    assert console.status.startswith("Saved at")


def test_the_way_back_works_if_offered(sit: Sit, qtbot: QtBot) -> None:
    console = sit(Saving())
    page = console.page
    left: list[bool] = []
    page.left.connect(lambda: left.append(True))
    assert not page.back_button.isVisible()
    console.key(Qt.Key.Key_Escape)
    assert left == []
    page.offer_back(True)
    page.back_button.click()
    console.key(Qt.Key.Key_Escape)
    assert len(left) == 2
    page.offer_back(False)
    console.key(Qt.Key.Key_Escape)
    assert len(left) == 2


def test_every_control_has_a_name(sit: Sit) -> None:
    assert without_name(sit().page) == []


@pytest.mark.parametrize(("look", "zoom", "language"), FITS)
def test_it_fits(
    qtbot: QtBot, theme: Theme, tmp_path: Path, language: str, look: str, zoom: int
) -> None:
    theme.choose(look)
    theme.set_zoom(zoom)
    console = Console(qtbot, theme, load(language), tmp_path, ConsentPage)
    console.greet(BEFORE, AGREEMENT)
    console.show()
    page = console.page
    assert misfits(page) == []
    page.answers.options[True].click()
    page.pseudonym.setText("Wolfeschlegelsteinhausenbergerdorff " * 2)
    assert misfits(page) == []
    console.played.say(Saved("consent", 1, AT, publish=True, pseudonym="Harriet Blackwood"))
    page.pseudonym.setText("Aurora")
    page.offer_back(True)
    assert misfits(page) == []
    page.keep_button.click()
    assert misfits(page) == []
