"""A rater's window against a real server, for each discipline that people rate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from judge_console.look.theme import Theme
from judge_console.model.rating import COMMENT
from judge_console.rater import RaterClient
from judge_console.views.rating import RatingWindow, ScaleView
from tests.disciplines.questionnaires import NAME, QUESTIONNAIRES, SECRET, TEXT
from tests.judge_console.views.fitting import FITS, misfits
from tests.judge_console.views.test_alt_letters import duplicate_letters
from tests.raters_server import PATIENCE, RatersServer, raters_server
from texts import LANGUAGES, Texts, load

Open = Callable[[str], RatingWindow]


@pytest.fixture(params=QUESTIONNAIRES)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RatersServer]:
    with raters_server(request.param, tmp_path) as held:
        yield held


@pytest.fixture
def opened(qtbot: QtBot, theme: Theme, texts: Texts, tmp_path: Path) -> Open:
    """Opens a window by its link."""

    def opened(link: str, texts: Texts = texts) -> RatingWindow:
        client = RaterClient(link, tmp_path / "seats")
        window = RatingWindow(client, theme, texts)
        qtbot.addWidget(window)
        window.show()
        client.work()
        return window

    return opened


def until(qtbot: QtBot, true: Callable[[], object]) -> None:
    """Waits for something to become true."""

    def check() -> None:
        assert true()

    qtbot.waitUntil(check, timeout=round(PATIENCE * 1000))


def at_item(qtbot: QtBot, window: RatingWindow, number: int) -> None:
    """Waits for an item."""
    until(qtbot, lambda: window.items.currentIndex() == number - 1 and window.scales)


def commented(window: RatingWindow) -> ScaleView:
    """A scale with a comment."""
    return next(each for each in window.scales.values() if each.comment is not None)


def focused(qtbot: QtBot, window: RatingWindow, wanted: QWidget) -> None:
    """Tabs to a control."""
    for _ in range(60):
        if QApplication.focusWidget() is wanted:
            return
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
    raise AssertionError(f"no tab leads to {wanted}")


def test_a_rater_by_keyboard_alone(qtbot: QtBot, opened: Open, server: RatersServer) -> None:
    window = opened(server.link)
    at_item(qtbot, window, 1)
    window.activateWindow()
    assert window.windowTitle() == NAME
    assert QApplication.focusWidget() is window.target
    assert not any(view.choices.checkedButton() for view in window.scales.values())
    assert TEXT in window.target.toPlainText() or "It rings." in window.target.toPlainText()
    shown = window.target.toPlainText() + window.background.toPlainText()
    assert not [word for word in SECRET if word in shown]
    # Without all scores, the window stays and says which ones are missing.
    focused(qtbot, window, window.next_button)
    QTest.keyClick(window.next_button, Qt.Key.Key_Return)
    assert next(iter(window.scales)) in window.notice.text()
    for view in window.scales.values():
        first, second, *_ = view.choices.options.values()
        focused(qtbot, window, first)
        QTest.keyClick(first, Qt.Key.Key_Down)
        assert view.choices.checkedButton() is second
        QTest.keyClick(second, Qt.Key.Key_Down)
        if view.comment is not None:
            focused(qtbot, window, view.comment)
            QTest.keyClicks(view.comment, "Fine <b> & so")
    focused(qtbot, window, window.next_button)
    QTest.keyClick(window.next_button, Qt.Key.Key_Return)
    at_item(qtbot, window, 2)
    scores = dict.fromkeys(window.scales, "3")
    comments = {
        name + COMMENT: "Fine <b> & so"
        for name, view in window.scales.items()
        if view.comment is not None
    }
    assert server.typed(1) == scores | comments
    assert not any(view.choices.checkedButton() for view in window.scales.values())
    # In the middle of the second one the window is closed: what was just typed is saved.
    view = commented(window)
    assert view.comment is not None
    QTest.keyClicks(view.comment, "half a thought")
    window.close()
    until(qtbot, lambda: not window.isVisible())
    until(qtbot, lambda: list(server.typed(2).values()) == ["half a thought"])
    again = opened(server.link)
    at_item(qtbot, again, 2)
    comment = commented(again).comment
    assert comment is not None
    assert comment.toPlainText() == "half a thought"
    for view in again.scales.values():
        view.choices.options["1"].click()
    QTest.keyClick(again.next_button, Qt.Key.Key_Return)
    until(qtbot, lambda: "Everything is rated" in again.notice.text())
    assert server.asked(lambda asked: asked.left("R1")) == []


def test_nothing_is_lost_while_the_server_is_away(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    with raters_server("labyrinth", tmp_path) as server:
        window, link = opened(server.link), server.link
        at_item(qtbot, window, 1)
        port = int(server.address.rpartition(":")[2])
    comment = commented(window).comment
    assert comment is not None
    QTest.keyClicks(comment, "kept")
    until(qtbot, lambda: "can't be reached" in window.notice.text())
    # The rater wants to go on, but stays here until all is saved.
    window.later_button.click()
    with raters_server("labyrinth", tmp_path, port) as server:
        at_item(qtbot, window, 2)
        assert list(server.typed(1).values()) == ["kept"]
    QTest.keyClicks(comment, "for the next window")
    until(qtbot, lambda: "can't be reached" in window.notice.text())
    window.close()
    assert not window.isVisible()
    other = opened(link)
    until(qtbot, lambda: "can't be reached" in other.notice.text())
    with raters_server("labyrinth", tmp_path, port) as server:
        at_item(qtbot, other, 2)
        until(qtbot, lambda: list(server.typed(2).values()) == ["for the next window"])
    # Nothing is left of it on this computer.
    (drafts,) = (tmp_path / "seats").rglob("drafts.jsonl")
    until(qtbot, lambda: not drafts.read_bytes())


@pytest.mark.parametrize("server", ["ige"], indirect=True)
def test_a_wrong_link_and_a_refusal_are_said(
    qtbot: QtBot, opened: Open, server: RatersServer
) -> None:
    wrong = opened(f"http://{server.address}/r/R1-AAAA-AAAA-AAAA")
    until(qtbot, lambda: "not valid" in wrong.notice.text())
    window = opened(server.link)
    at_item(qtbot, window, 1)
    comment = commented(window).comment
    assert comment is not None
    comment.setPlainText("x" * 5001)
    until(qtbot, lambda: "Not saved" in window.notice.text())
    assert len(comment.toPlainText()) == 5001
    comment.setPlainText("x" * 5000)
    until(qtbot, lambda: server.typed(1))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_control_has_a_name_and_a_letter_of_its_own(
    qtbot: QtBot, opened: Callable[..., RatingWindow], server: RatersServer, language: str
) -> None:
    window = opened(server.link, load(language))
    at_item(qtbot, window, 1)
    assert duplicate_letters(window) == {}
    controls = [window.items, window.target, window.background]
    controls += [each for view in window.scales.values() for each in view.in_order]
    assert [each for each in controls if not each.accessibleName()] == []
    names = [each.accessibleName() for each in commented(window).choices.options.values()]
    assert names[0].startswith("1 – ")


@pytest.mark.parametrize(("look", "zoom", "language"), FITS)
def test_all_words_fit(
    qtbot: QtBot,
    theme: Theme,
    opened: Callable[..., RatingWindow],
    server: RatersServer,
    look: str,
    zoom: int,
    language: str,
) -> None:
    theme.choose(look)
    theme.set_zoom(zoom)
    window = opened(server.link, load(language))
    at_item(qtbot, window, 1)
    window.resize(1024, 768)
    assert misfits(window) == []
