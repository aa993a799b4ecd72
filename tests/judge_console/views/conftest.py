"""Fixtures for the tests of views: an application with our theme, and the English texts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from judge_console.look.theme import Theme
from tests.judge_console.views.talking import Seated, Sit
from texts import Texts, load


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    """The light theme at 100 %, removed after the test."""
    theme = Theme(qapp, "light")
    yield theme
    theme.deleteLater()
    QCoreApplication.sendPostedEvents(theme, QEvent.Type.DeferredDelete)


@pytest.fixture
def texts() -> Texts:
    """The English texts."""
    return load("en")


@pytest.fixture
def sit(qtbot: QtBot, theme: Theme, texts: Texts) -> Sit:
    """Opens a console's window at a played seat: `sit("confederate", paste="type")`."""
    return partial(Seated, qtbot, theme, texts)
