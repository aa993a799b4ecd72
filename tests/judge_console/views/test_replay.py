"""Tests recorded talks, replayed in windows with a clock that the test advances."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from judge_console.look.theme import Theme
from judge_console.views.replay import ReplayView, ReplayWindow
from lpp import log2012
from lpp.lines import Pane
from lpp.log2012 import Author, Place
from lpp.names import keys_of
from lpp.recording import RecordedKey, Recording, of_log
from tests.judge_console.views.fitting import FITS, misfits
from texts import Texts, load

DATA = Path(__file__).parents[4] / "shared" / "data" / "2012"
REAL = sorted(DATA.glob("*.log"))
real_logs = pytest.mark.parametrize("file", REAL[:1], ids=lambda file: file.name[8:-4])

AUTHORS: tuple[Author, ...] = ("judge", "entity")


class Clock:
    """Seconds, as the test sets them."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def press(at: float, side: Place, author: Author, key: str) -> RecordedKey:
    return RecordedKey(round(at * 1_000_000), side, author, key, 1)


def typed(side: Place, author: Author, text: str, start: float) -> list[RecordedKey]:
    return [press(start + n / 10, side, author, key) for n, key in enumerate(keys_of(text))]


#: A pairing of ten seconds.
SMALL = Recording(
    "talks/small.log",
    ("A title", "A notice", "judge 2, program <b>prog</b>"),
    {"left": "program", "right": "human"},
    tuple(
        sorted(
            [
                *typed("left", "judge", "Hi\n\nYou there?\n", 0),
                *typed("right", "judge", "Teh\b\bhe\n", 2),
                *typed("left", "entity", "Hello. <b>I</b> am", 3),
                *typed("right", "entity", "yes\n", 6),
                press(10, "left", "entity", "period"),
            ],
            key=lambda each: each.time_us,
        )
    ),
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def view(qtbot: QtBot, theme: Theme, texts: Texts, clock: Clock) -> ReplayView:
    view = ReplayView(SMALL, theme, texts, monotonic=clock)
    qtbot.addWidget(view)
    view.resize(1000, 700)
    view.show()
    view.reveal()
    view.setFocus()
    return view


def run(view: ReplayView, clock: Clock, seconds: float, beat: float = 0.016) -> None:
    """Lets these seconds pass, one screen refresh at a time."""
    end = clock.now + seconds
    while clock.now < end and view.playback.playing:
        clock.now += min(beat, end - clock.now)
        view.tick()


def paragraphs(view: ReplayView, side: Place) -> list[str]:
    """The paragraphs in the widget, as in Qt's document."""
    block, found = view.panes[side].document().begin(), []
    while block.isValid():
        found.append(block.text())
        block = block.next()
    return found


def read(view: ReplayView, side: Place, names: dict[Author, str]) -> dict[Author, str]:
    """The text of each author in the widget. Only the authors of the paragraphs, and whether they
    are finished, come from the talk."""
    texts = dict.fromkeys(AUTHORS, "")
    blocks = view.playback.talks[side].blocks
    shown = paragraphs(view, side) if blocks else []
    assert len(shown) == len(blocks)
    for block, paragraph in zip(blocks, shown, strict=True):
        text = paragraph.removeprefix(f"\u2068{names[block.author]}:\u2069 ")
        texts[block.author] += text + "\n" * block.ended
    return texts


def plain(view: ReplayView, side: Place) -> list[str]:
    isolates = str.maketrans("", "", "\u2068\u2069")
    return [paragraph.translate(isolates) for paragraph in paragraphs(view, side)]


# The logs of 2012


@real_logs
@pytest.mark.parametrize(("speed", "beat"), [(60.0, 0.016)])
def test_a_real_log_is_replayed_in_the_window(
    file: Path, speed: float, beat: float, qtbot: QtBot, theme: Theme, texts: Texts, clock: Clock
) -> None:
    log = log2012.read(file.read_bytes())
    view = ReplayView(of_log(log, file.name), theme, texts, monotonic=clock)
    qtbot.addWidget(view)
    view.show()
    view.set_speed(speed)
    view.play()
    started = clock.now
    run(view, clock, 3600, beat)
    assert clock.now - started == pytest.approx(view.playback.duration / speed, abs=beat)
    assert view.playback.at_end
    for side in log2012.Place.__args__:  # type: ignore[attr-defined]
        entity = "Partner"
        shown = read(view, side, {"judge": "Judge", "entity": entity})
        for author in AUTHORS:
            keys = (e.key for e in log.entries if (e.side, e.author) == (side, author))
            assert shown[author] == Pane(keys).text


# Playing


def test_a_recording_plays_as_it_was_typed(view: ReplayView, clock: Clock) -> None:
    view.play()
    assert view._timer.isActive()
    run(view, clock, 2.25)
    assert plain(view, "right") == ["Judge: Teh"]
    run(view, clock, 0.16)
    assert plain(view, "right") == ["Judge: T"]
    run(view, clock, 7.5)
    assert view.position_label.text() == "0:09 of 0:10"
    run(view, clock, 1)
    assert view.position_label.text() == "0:10 of 0:10 – The end of the talk"
    assert plain(view, "left") == [
        "Judge: Hi",
        "Judge: ",
        "Judge: You there?",
        "Program: Hello. <b>I</b> am.",
    ]
    assert plain(view, "right") == ["Judge: The", "Human: yes"]
    assert not view._timer.isActive()
    assert view.play_button.text() == "&Play"


def test_the_slider_moves_to_any_position(view: ReplayView) -> None:
    interface = QAccessible.queryAccessibleInterface(view.slider)
    assert interface.role() == QAccessible.Role.Slider
    assert interface.text(QAccessible.Text.Name) == "Position"
    interface.valueInterface().setCurrentValue(5)
    assert view.playback.position == 5
    assert plain(view, "left")[-1] == "Program: Hello. <b>I</b> am"
    view.slider.setFocus()
    for key, position in (
        (Qt.Key.Key_End, 10),
        (Qt.Key.Key_Left, 5),
        (Qt.Key.Key_PageDown, 0),
        (Qt.Key.Key_Right, 5),
    ):
        press_key(key)
        assert view.playback.position == position
    view.play()
    assert view.slider.value() == 5


def test_the_typing_strips_match_the_positions_of_the_slider(
    qtbot: QtBot, theme: Theme, texts: Texts
) -> None:
    presses = tuple(press(at, "left", "judge", "x") for at in (0.0, 0.01, 0.02))
    recording = Recording(
        "talk", (), {"left": "program"}, (*presses, press(100.0, "left", "entity", "y"))
    )
    view = ReplayView(recording, theme, texts)
    qtbot.addWidget(view)
    view.resize(900, 600)
    view.show()
    judge, entity = (view.strips["left", author][1] for author in AUTHORS)
    assert list(judge.bars().values()) == [3]
    assert list(entity.bars().values()) == [1]
    (first,), (last,) = judge.bars(), entity.bars()
    assert first < 20
    assert judge.width() - 20 < last < judge.width()
    assert judge.width() == view.slider.width()
    # Each bar has its author's colour, from the bottom up.
    for strip, x, own in ((judge, first, True), (entity, last, False)):
        ink = strip.grab().toImage().pixelColor(x, strip.height() - 1)
        assert ink.name() == (theme.palette.own if own else theme.palette.other)
    assert "3" in judge.accessibleName()


def test_text_from_a_file_is_never_markup(qtbot: QtBot, theme: Theme, texts: Texts) -> None:
    odd = "\x1b[2J<img src='x'>\u202e\n" + "long " * 20
    keys = (press(0, "left", "entity", "less"), press(0, "left", "entity", "b"))
    losses = (log2012.Loss(3, "cut"),) * 2
    view = ReplayView(Recording("x", (odd,), {"left": odd}, keys, losses), theme, texts)
    qtbot.addWidget(view)
    view.show()
    labels = view.findChildren(QLabel)
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in labels if label.text())
    shown = "".join(label.text() for label in labels)
    assert "<img src='x'>" in shown
    assert not set(shown) & set("\x1b\u202e\n")
    assert "2 lines of the file could not be read." in shown
    assert "This record does not say when keys were pressed." in shown
    view.seek(view.playback.duration)
    assert plain(view, "left")[0].endswith(": <b")
    assert misfits(view) == []


# By keyboard alone


def has_keyboard(widget: QWidget) -> bool:
    return QApplication.focusWidget() is widget


def press_key(key: Qt.Key, modifier: Qt.KeyboardModifier | None = None) -> None:
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, key, modifier or Qt.KeyboardModifier.NoModifier)


def test_everything_works_with_the_keyboard(view: ReplayView) -> None:
    view.activateWindow()
    assert has_keyboard(view.play_button)
    press_key(Qt.Key.Key_Space)
    assert view._timer.isActive()
    press_key(Qt.Key.Key_Space)
    assert not view._timer.isActive()
    reached: list[QWidget] = []
    while (focused := QApplication.focusWidget()) is not None and focused not in reached:
        reached.append(focused)
        press_key(Qt.Key.Key_Tab)
    assert set(reached) == {*(view.play_button, *view.panes.values(), view.slider, view.speed_box)}

    def place(widget: QWidget) -> tuple[int, int]:
        at = widget.mapTo(view, QPoint())
        return at.y() // 60, at.x()

    in_sight = sorted(reached, key=place)
    first = in_sight.index(view.play_button)
    assert reached == in_sight[first:] + in_sight[:first], "the tab order follows the layout"


def test_space_plays_from_the_slider_and_arrow_keys_change_the_speed(
    view: ReplayView,
) -> None:
    view.activateWindow()
    view.slider.setFocus()
    press_key(Qt.Key.Key_Space)
    assert view.play_button.text() == "&Pause"
    press_key(Qt.Key.Key_Space)
    assert view.play_button.text() == "&Play"
    view.speed_box.setFocus()
    press_key(Qt.Key.Key_Down)
    assert view.playback.speed == 2


def test_viewers_may_guess_before_the_sides_are_named(
    qtbot: QtBot, theme: Theme, texts: Texts
) -> None:
    view = ReplayView(SMALL, theme, texts)
    qtbot.addWidget(view)
    view.show()

    def words() -> str:
        return " ".join(label.text() for label in view.findChildren(QLabel) if label.isVisible())

    assert "LEFT – Partner" in words()
    assert "Program" not in words()
    left = next(b for b in view.findChildren(QPushButton) if b.text() == "On the LEFT")
    QTest.mouseClick(left, Qt.MouseButton.LeftButton)
    assert "You are wrong. The human was on the RIGHT." in words()
    assert "LEFT – Program" in words()
    assert not left.isVisible()


# The window


@pytest.mark.parametrize(("look", "zoom", "language"), FITS)
def test_it_fits(language: str, look: str, zoom: int, qtbot: QtBot, theme: Theme) -> None:
    theme.choose(look)
    theme.set_zoom(zoom)
    window = ReplayWindow(SMALL, theme, load(language))
    qtbot.addWidget(window)
    window.resize(1024, 768)
    window.show()
    window.view.seek(window.view.playback.duration)
    assert misfits(window) == []
    assert (window.width(), window.height()) == (1024, 768)
    for pane in window.view.panes.values():
        assert pane.viewport().height() >= 2 * pane.fontMetrics().lineSpacing()
    theme.set_zoom(100 if zoom == 200 else 200)
    assert misfits(window) == []
