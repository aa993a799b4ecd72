"""Tests the theme: contrast in all palettes, the drawn focus and active pane, sizes, shortcuts, and
the system's colours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from judge_console.look.style import BASE_POINTS, DARK, HIGH_CONTRAST, LIGHT, PALETTES, Palette
from judge_console.look.theme import (
    Theme,
    palette_for,
)
from tests.judge_console.colours import PAIRS, Pair, contrast, least

each_palette = pytest.mark.parametrize("palette", PALETTES.values(), ids=lambda p: str(p.name))


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    font = QFont(qapp.font())
    theme = Theme(qapp, "light")
    yield theme
    theme.deleteLater()
    qapp.sendPostedEvents(theme, QEvent.Type.DeferredDelete)
    qapp.setStyleSheet("")
    qapp.setPalette(qapp.style().standardPalette())
    qapp.setFont(font)


# Palettes


def lacking(palette: Palette) -> list[tuple[Pair, float]]:
    """The pairs of a palette with too little contrast, with their contrasts."""
    found = ((p, contrast(getattr(palette, p[0]), getattr(palette, p[1]))) for p in PAIRS)
    return [(pair, ratio) for pair, ratio in found if ratio < least(palette, pair.kind)]


@each_palette
def test_every_pair_of_colours_has_enough_contrast(palette: Palette) -> None:
    assert lacking(palette) == []


def test_high_contrast_requires_more_contrast() -> None:
    assert (least(LIGHT, "text"), least(LIGHT, "shape")) == (4.5, 3.0)
    assert (least(HIGH_CONTRAST, "text"), least(HIGH_CONTRAST, "shape")) == (7.0, 7.0)


# The theme


def test_choosing_changes_the_colours_and_emits_changed(qtbot: QtBot, theme: Theme) -> None:
    for choice, palette in (("dark", DARK), ("high-contrast", HIGH_CONTRAST), ("light", LIGHT)):
        with qtbot.waitSignal(theme.changed):
            theme.choose(choice)
        assert (theme.choice, theme.palette) == (choice, palette)
        label = QLabel("x")
        qtbot.addWidget(label)
        label.ensurePolished()
        assert label.palette().windowText().color().name() == palette.text
    with qtbot.assertNotEmitted(theme.changed):
        theme.choose("light")
    with pytest.raises(ValueError, match="pink"):
        theme.choose("pink")


def test_the_system_is_followed_unless_colours_are_chosen(
    qtbot: QtBot, qapp: QApplication, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = [SimpleNamespace(colorScheme=lambda: Qt.ColorScheme.Light)]
    monkeypatch.setattr(
        "judge_console.look.theme.palette_for",
        lambda choice, _: palette_for(choice, system[0]),  # type: ignore[arg-type]  # stands in
    )
    dark = Qt.ColorScheme.Dark
    theme.choose("system")
    system[0] = SimpleNamespace(colorScheme=lambda: dark)
    with qtbot.waitSignal(theme.changed):
        qapp.styleHints().colorSchemeChanged.emit(dark)
    assert theme.palette is DARK
    with qtbot.assertNotEmitted(theme.changed):
        qapp.styleHints().colorSchemeChanged.emit(dark)
    theme.choose("light")
    with qtbot.assertNotEmitted(theme.changed):
        qapp.styleHints().colorSchemeChanged.emit(dark)
    assert theme.palette is LIGHT


# Text size


def test_shortcuts_change_the_size_of_all_texts(qtbot: QtBot, theme: Theme) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    plain, heading = QLabel("0 plain"), QLabel("0 heading")
    heading.setProperty("role", "heading")
    line = QLineEdit()
    for widget in (plain, heading, line):
        layout.addWidget(widget)
    theme.zoom_actions(window)
    window.show()
    window.activateWindow()
    line.setFocus()
    qtbot.waitUntil(line.hasFocus)

    def points() -> list[float]:
        return [widget.font().pointSizeF() for widget in (plain, line, heading)]

    assert points()[:2] == [BASE_POINTS, BASE_POINTS]
    assert points()[2] > 1.2 * BASE_POINTS
    control = Qt.KeyboardModifier.ControlModifier
    for key, size in ((Qt.Key.Key_Plus, 1.1), (Qt.Key.Key_Equal, 1.25), (Qt.Key.Key_Minus, 1.1)):
        QTest.keyClick(line, key, control)
        assert points()[:2] == pytest.approx([size * BASE_POINTS] * 2)
    QTest.keyClick(line, Qt.Key.Key_0, control)
    assert points()[:2] == [BASE_POINTS, BASE_POINTS]
    assert line.text() == ""


# Drawing


def plain_button() -> QWidget:
    return QPushButton("Correct it")


def primary_button() -> QWidget:
    button = QPushButton("Save")
    button.setProperty("primary", True)
    return button


def choice(checked: bool) -> QWidget:
    button = QPushButton("The human was on the LEFT")
    button.setProperty("choice", True)
    button.setCheckable(True)
    button.setChecked(checked)
    return button


def filled_list() -> QWidget:
    made = QListWidget()
    made.addItems(["P1", "P2"])
    return made


def stream() -> QWidget:
    made = QPlainTextEdit("Hello, Jim.")
    made.setReadOnly(True)
    made.setProperty("stream", True)
    return made


FOCUSED: list[Callable[[], QWidget]] = [
    plain_button,
    primary_button,
    lambda: choice(checked=False),
    lambda: choice(checked=True),
    filled_list,
    stream,
    lambda: QLineEdit("192.168.1.10"),
    lambda: QPlainTextEdit("because"),
    lambda: QRadioButton("Yes"),
    lambda: QCheckBox("Remember"),
    QComboBox,
]


def drawn(widget: QWidget) -> QImage:
    return widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def share_that_changed(before: QImage, after: QImage) -> float:
    """The share of a frame of two pixels around the image that changed its colour by a contrast of
    3. WCAG 2.4.13 requires 1 for a focus indicator."""
    assert before.size() == after.size()
    width, height = before.width(), before.height()
    olds, news = bytes(before.constBits()), bytes(after.constBits())
    changed = 0
    for at in range(0, 4 * width * height, 4):
        old, new = olds[at : at + 3], news[at : at + 3]
        y, x = divmod(at // 4, width)
        # Only the frame: changes of the text or caret don't count.
        if old != new and min(x, y, width - 1 - x, height - 1 - y) < 8:
            changed += stands_apart(old, new)
    return changed / (2 * 2 * (width + height))


@cache
def stands_apart(one: bytes, other: bytes) -> bool:
    """Whether two pixels, blue first, have a contrast of at least 3."""
    return contrast(f"#{one[::-1].hex()}", f"#{other[::-1].hex()}") >= 3.0


@pytest.mark.parametrize("palette", [LIGHT, HIGH_CONTRAST], ids=lambda palette: palette.name)
def test_the_focus_is_visible(qtbot: QtBot, theme: Theme, palette: Palette) -> None:
    theme.choose(palette.name)
    window = QWidget()
    qtbot.addWidget(window)
    elsewhere, widgets = QLineEdit(), [make() for make in FOCUSED]
    layout = QVBoxLayout(window)
    for each in (elsewhere, *widgets):
        layout.addWidget(each)
    window.show()
    window.activateWindow()
    for widget in widgets:
        elsewhere.setFocus()
        qtbot.waitUntil(elsewhere.hasFocus)
        before, place = drawn(widget), widget.geometry()
        widget.setFocus()
        qtbot.waitUntil(widget.hasFocus)
        assert widget.geometry() == place, "the focus moves nothing"
        # Rounded corners make the frame a little shorter.
        assert share_that_changed(before, drawn(widget)) > 0.8, widget
