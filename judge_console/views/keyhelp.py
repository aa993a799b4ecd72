"""The keys of the console, for whoever asks for them."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from judge_console.texts import Texts
from judge_console.views.controls import ActButton, Words

#: The texts of how keys are called on a keyboard, and of what each does.
KEYS: Final = (
    ("keys.called.switch", "keys.switch"),
    ("keys.called.scroll", "keys.scroll"),
    ("keys.called.read", "keys.read"),
    ("keys.called.copy", "keys.copy"),
    ("keys.called.larger", "keys.larger"),
    ("keys.called.smaller", "keys.smaller"),
    ("keys.called.normal", "keys.normal"),
    ("keys.called.full_screen", "keys.full_screen"),
    ("keys.called.leave_full_screen", "keys.leave_full_screen"),
    ("keys.called.help", "keys.help"),
)


class KeyHelp(QDialog):
    """A list of the keys, beside the window and never in its way: it is closed with Esc, and by
    itself when another page comes.

    Arguments:
        texts: the words.
        parent: the window.
    """

    def __init__(self, texts: Texts, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(texts("keys.heading"))
        body = QWidget()
        grid = QGridLayout(body)
        grid.setColumnStretch(1, 1)
        grid.setHorizontalSpacing(2 * grid.horizontalSpacing() + self.fontMetrics().height())
        for row, (called, does) in enumerate(KEYS):
            name = Words(texts(called), "side")
            name.setWordWrap(False)
            grid.addWidget(name, row, 0)
            grid.addWidget(Words(texts(does)), row, 1)
        area = QScrollArea()
        area.setWidget(body)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        close = ActButton(texts("keys.close"))
        close.clicked.connect(self.close)
        column = QVBoxLayout(self)
        column.addWidget(area, 1)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        close.setFocus()
        self.resize(self.sizeHint().expandedTo(body.sizeHint()).boundedTo(parent.size()))
