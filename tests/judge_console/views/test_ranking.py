"""Tests the page of the final ranking, as a judge uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from judge_console.look.theme import Theme
from judge_console.model.decision import time_of
from judge_console.views import ranking
from judge_console.views.ranking import RankingPage
from lpp.names import keys_of
from lpp.wire import (
    Author,
    Past,
    Place,
    Ranks,
    RankThese,
    Read,
    Saved,
    State,
    ToSeat,
    ToServer,
)
from tests.judge_console.views.deciding import Answer, Console, without_name
from tests.judge_console.views.fitting import FITS, misfits
from texts import Texts, load

Sit = Callable[..., Console[RankingPage]]
AT = "2010-10-23T17:00:00Z"
RANKING = State("ranking", 0, 0, (), 600_000)
MET: dict[str, list[tuple[int, int, Place]]] = {
    "1 left": [(1, 1, "left")],
    "1 right": [(1, 1, "right"), (3, 1, "left")],
    "2 left": [(2, 2, "left")],
    "2 right": [(2, 1, "right"), (2, 2, "right")],
}
WORDS = [
    "1.  Round 1, left",
    "2.  Round 1, right and Round 3, left",
    "3.  Round 2, left",
    "4.  Round 2, attempt 1, right and Round 2, attempt 2, right",
]
LINES: list[tuple[Author, str]] = [("judge", "Hello\n"), ("entity", "Good <b>day</b>.\n")]


def past(frame: Read) -> Past:
    keys = [(author, key) for author, text in LINES for key in keys_of(text)]
    typed = [(80 * n, author, key) for n, (author, key) in enumerate(keys)]
    return Past(frame.round, frame.attempt, frame.place, typed)


class Saving:
    """A server that saves each ranking, and sends all earlier talks."""

    def __init__(self) -> None:
        self.version = 0

    def __call__(self, frame: ToServer) -> Iterable[ToSeat]:
        if isinstance(frame, Ranks):
            self.version += 1
            yield Saved("ranking", self.version, AT, ranks=frame.ranks)
        elif isinstance(frame, Read):
            yield past(frame)


@pytest.fixture
def sit(qtbot: QtBot, theme: Theme, texts: Texts, tmp_path: Path) -> Sit:
    def make(answer: Answer | None = None, ties: bool = True) -> Console[RankingPage]:
        console = Console(qtbot, theme, texts, tmp_path, RankingPage, answer)
        console.greet(RANKING, RankThese(MET, ties))
        console.show()
        return console

    return make


def rankings(console: Console[RankingPage]) -> list[ToServer]:
    return [frame for frame in console.played.sent if isinstance(frame, Ranks)]


def seen(console: Console[RankingPage]) -> list[str]:
    """The texts in the list."""
    rows = console.page.list
    return [rows.item(row).text() for row in range(rows.count())]


def order(console: Console[RankingPage]) -> list[tuple[str, int]]:
    return [(row.label, row.place) for row in console.page.form.rows]


def drag(console: Console[RankingPage], start: int, gap: int) -> None:
    """Moves a row as Qt's list does when it is dragged between two rows."""
    root = QModelIndex()
    assert console.page.list.model().moveRow(root, start, root, gap)


def test_it_works_with_the_keyboard_alone(sit: Sit) -> None:
    console = sit(Saving())
    rows = console.page.list
    console.key(Qt.Key.Key_Down, Qt.Key.Key_Down)
    QTest.keyClick(rows, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert seen(console)[1] == "2.  Round 2, left"
    assert rows.label == "2 left", "the moved row is still the current one"
    QTest.keyClick(rows, Qt.Key.Key_T)
    assert seen(console)[:2] == ["1.  Round 1, left  (shared)", "1.  Round 2, left  (shared)"]
    assert rows.item(1).data(Qt.ItemDataRole.AccessibleTextRole) == (
        "Round 2, left, place 1, shared"
    )
    QTest.keyClick(rows, Qt.Key.Key_Equal)
    assert seen(console)[:2] == ["1.  Round 1, left", "2.  Round 2, left"]
    QTest.keyClick(rows, Qt.Key.Key_T)
    QTest.keyClick(rows, Qt.Key.Key_End)
    QTest.keyClick(rows, Qt.Key.Key_Home, Qt.KeyboardModifier.AltModifier)
    assert [label for label, _ in order(console)] == ["2 right", "1 left", "2 left", "1 right"]
    QTest.keyClick(rows, Qt.Key.Key_End, Qt.KeyboardModifier.AltModifier)
    assert rows.label == "2 right"
    QTest.keyClick(rows, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert [label for label, _ in order(console)] == ["1 left", "2 left", "1 right", "2 right"]
    assert console.status == "This order is not saved yet."
    while console.focus() is not console.page.save_button:
        console.key(Qt.Key.Key_Tab)
    console.key(Qt.Key.Key_Return)
    assert rankings(console) == [Ranks({"1 left": 3, "2 left": 3, "1 right": 6, "2 right": 8})]
    assert console.status == f"Saved at {time_of(AT)}"
    assert console.focus() is console.page.correct_button


@pytest.mark.parametrize(
    ("start", "gap", "after"),
    [
        (3, 0, ["2 right", "1 left", "1 right", "2 left"]),
        (0, 3, ["1 right", "2 left", "1 left", "2 right"]),
        (0, 4, ["1 right", "2 left", "2 right", "1 left"]),
    ],
)
def test_a_row_can_be_dragged_between_others(
    sit: Sit, start: int, gap: int, after: list[str]
) -> None:
    console = sit()
    drag(console, start, gap)
    assert [(label, place) for place, label in enumerate(after, 1)] == order(console)
    rows = console.page.list
    labels = [rows.item(row).data(Qt.ItemDataRole.UserRole) for row in range(rows.count())]
    assert labels == after, "the list and the form agree"


def test_a_row_dragged_into_a_shared_place_shares_it(sit: Sit) -> None:
    console = sit()
    console.page.list.setCurrentRow(1)
    QTest.keyClick(console.page.list, Qt.Key.Key_T)
    drag(console, 3, 1)
    assert order(console) == [("1 left", 1), ("2 right", 1), ("1 right", 1), ("2 left", 4)]


def test_a_move_is_announced(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(ranking, "announce", lambda _, text: said.append(text))
    console = sit()
    QTest.keyClick(console.page.list, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    QTest.keyClick(console.page.list, Qt.Key.Key_T)
    QTest.keyClick(console.page.list, Qt.Key.Key_End)
    QTest.keyClick(console.page.list, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert said == ["Round 1, left is now at place 2", "Round 1, left now shares place 1"]


# Reading again


def test_a_talk_can_be_read_again(sit: Sit) -> None:
    console = sit(Saving())
    page = console.page
    assert "press Return to read" in page.reader.heading.text()
    assert without_name(page) == []
    console.key(Qt.Key.Key_Return)
    assert console.played.sent[-1] == Read(1, 1, "left")
    console.played.say(RANKING)
    view = page.reader.view
    assert view is not None
    assert page.reader.heading.text() == "Round 1, left"
    assert "Good <b>day</b>." in view.panes["left"].toPlainText(), "scrolled to its end"
    assert page.reader.isAncestorOf(console.focus() or page.list), "it has the focus"
    assert not page.reader.choice.isVisible()


def test_each_of_several_talks_can_be_chosen(sit: Sit) -> None:
    console = sit(Saving())
    page = console.page
    page.list.setCurrentRow(1)
    QTest.mouseClick(page.read_button, Qt.MouseButton.LeftButton)
    console.played.say(RANKING)
    choice = page.reader.choice
    assert [choice.itemText(row) for row in range(choice.count())] == [
        *("Round 1, right", "Round 3, left")
    ]
    first = page.reader.view
    choice.setFocus()
    console.key(Qt.Key.Key_Down)
    console.played.say(RANKING)
    assert console.played.sent[-1] == Read(3, 1, "left")
    assert page.reader.heading.text() == "Round 3, left"
    assert page.reader.view is not first
    before = len(console.played.sent)
    choice.setFocus()
    console.key(Qt.Key.Key_Up)
    assert len(console.played.sent) == before, "talks already received are not requested again"
    assert page.reader.heading.text() == "Round 1, right"


@pytest.mark.parametrize(("look", "zoom", "language"), FITS)
def test_it_fits(
    qtbot: QtBot, theme: Theme, tmp_path: Path, language: str, look: str, zoom: int
) -> None:
    theme.choose(look)
    theme.set_zoom(zoom)
    console = Console(qtbot, theme, load(language), tmp_path, RankingPage, Saving())
    console.greet(RANKING, RankThese(MET))
    console.show()
    page = console.page
    assert misfits(page) == []
    page.list.setCurrentRow(1)
    QTest.keyClick(page.list, Qt.Key.Key_T)
    QTest.keyClick(page.list, Qt.Key.Key_Return)
    console.played.say(RANKING)
    assert misfits(page) == []
    page.save_button.click()
    console.played.say(RANKING)
    page.correct_button.click()
    assert misfits(page) == []
    rows = page.list
    last = rows.visualItemRect(rows.item(3))
    assert last.width() <= rows.viewport().width(), "long rows are broken, not cut"
