"""What looks for words that do not fit finds them, and leaves alone what fits."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from judge_console.look.theme import Theme
from tests.judge_console.views.fitting import misfits


@pytest.fixture
def window(qtbot: QtBot, theme: Theme) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(400, 300)
    window.show()
    return window


def put(widget: QWidget, parent: QWidget, x: int, y: int, width: int, height: int) -> QWidget:
    widget.setParent(parent)
    widget.setGeometry(x, y, width, height)
    widget.show()
    return widget


def test_what_a_layout_places_fits(window: QWidget) -> None:
    layout = QVBoxLayout(window)
    label = QLabel("Some words that wrap, because there are quite a few of them.")
    label.setWordWrap(True)
    layout.addWidget(label)
    layout.addWidget(QPushButton("&Save"))
    assert misfits(window) == []


@pytest.mark.parametrize("kind", [QLabel, QPushButton])
def test_what_is_too_narrow_is_found(window: QWidget, kind: type[QLabel | QPushButton]) -> None:
    put(kind("The human was on the LEFT"), window, 0, 0, 60, 60)
    (fault,) = misfits(window)
    assert "LEFT" in fault


def test_a_label_that_wraps_needs_its_height_and_the_width_of_its_words(window: QWidget) -> None:
    low = QLabel("several words that need several lines, and have but one")
    low.setWordWrap(True)
    put(low, window, 0, 0, 200, low.fontMetrics().height())
    (fault,) = misfits(window)
    assert "height" in fault
    low.setGeometry(0, 0, 20, 290)
    assert any("word" in fault for fault in misfits(window))


def test_what_reaches_out_of_the_window_is_found(window: QWidget) -> None:
    put(QPushButton("Save"), window, 350, 0, 200, 60)
    (fault,) = misfits(window)
    assert "reaches out" in fault


def test_what_can_be_scrolled_to_fits_unless_it_is_wider(window: QWidget) -> None:
    area = QScrollArea()
    put(area, window, 0, 0, 300, 200)
    content = QWidget()
    area.setWidget(content)
    content.resize(250, 800)
    put(QPushButton("Save"), content, 0, 700, 120, 60)
    assert misfits(window) == []
    put(QPushButton("Leave"), content, 200, 0, 200, 60)
    assert misfits(window) != []


def test_what_is_hidden_does_not_count(window: QWidget) -> None:
    put(QLabel("Some words"), window, 0, 0, 5, 5).hide()
    assert misfits(window) == []
