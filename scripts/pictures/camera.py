"""Takes pictures of windows, and notes what can be seen in each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenuBar,
    QPlainTextEdit,
    QWidget,
)

from scripts.pictures.png import save_png
from tests.judge_console.views.fitting import misfits

FACTS = "facts.json"
TURNS = 5
#: Marks around names that keep the direction of the text (see judge_console.views.pane).
_ISOLATES = str.maketrans("", "", "\u2068\u2069")


class Camera:
    """Takes pictures into a directory.

    Arguments:
        out: the directory, which is created if necessary.

    Attributes:
        facts: the contents of `facts.json`: under "pictures" the title, size, texts, misfits and
            focus of each picture, and anything that callers add.
    """

    def __init__(self, out: Path) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self._out = out
        self._pictures: dict[str, dict[str, Any]] = {}
        self._images: dict[str, QImage] = {}
        self.facts: dict[str, Any] = {"pictures": self._pictures}

    def take(self, name: str, window: QWidget) -> None:
        """Takes a picture of a window; `write` saves it as a file.

        Arguments:
            name: the file's name, without its suffix.
            window: the visible window.
        """
        # Updates that a change of the page has requested need a few more turns of the loop.
        for _ in range(TURNS):
            QCoreApplication.processEvents()
        # Draw and note the facts in the same turn, so that they agree.
        image = window.grab().toImage()
        seen = [*texts_of(window)]
        focus = window.focusWidget()
        self._pictures[name] = {
            "title": window.windowTitle(),
            "size": [image.width(), image.height()],
            "texts": seen,
            "focus": describe_widget(focus),
            "active": window.isActiveWindow(),
            "misfits": misfits(window),
        }
        self._images[name] = image

    def write(self) -> None:
        """Writes the pictures and `facts.json`. Call it at the end, because it takes time, and the
        contest continues meanwhile.

        Raises:
            OSError: if they can't be written.
        """
        for name, image in self._images.items():
            save_png(image, self._out / f"{name}.png")
        text = json.dumps(self.facts, ensure_ascii=False, indent=1)
        (self._out / FACTS).write_text(text + "\n", encoding="utf-8")


def texts_of(root: QWidget) -> Iterator[str]:
    """The words that can be seen in a window, widget by widget."""
    for widget in [root, *root.findChildren(QWidget)]:
        if widget.isVisible():
            for text in _texts(widget):
                if text.strip():
                    yield text.translate(_ISOLATES)


def _texts(widget: QWidget) -> Iterator[str]:
    match widget:
        case QLabel() | QAbstractSpinBox():
            yield widget.text()
        case QAbstractButton():
            yield widget.text().replace("&", "")
        case QLineEdit():
            yield widget.displayText() or widget.placeholderText()
        case QPlainTextEdit():
            yield widget.toPlainText() or widget.placeholderText()
        case QComboBox():
            yield widget.currentText()
        case QListWidget():
            yield from (widget.item(row).text() for row in range(widget.count()))
        case QMenuBar():
            yield from (action.text().replace("&", "") for action in widget.actions())


def describe_widget(widget: QWidget | None) -> str:
    """A widget's description: its class, and its name or text; empty for None."""
    if widget is None:
        return ""
    text = getattr(widget, "text", None)
    words = widget.accessibleName() or (text() if callable(text) else "")
    return f"{type(widget).__name__} {words}".replace("&", "").strip()
