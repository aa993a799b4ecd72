"""A question in its place: it covers nothing and takes no focus, and its default is no."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from judge_console.texts import Texts
from judge_console.views.announce import announce
from judge_console.views.controls import ActButton, Words


class LeaveBar(QFrame):
    """Whether to leave the seat.

    Arguments:
        texts: the words.
        parent: as Qt has it.

    Signals:
        left: yes.
        stayed: no.
    """

    left = Signal()
    stayed = Signal()

    def __init__(self, texts: Texts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self.words = Words(texts("menu.leave_ask"))
        self.no = ActButton(texts("menu.leave_no"))
        self.yes = ActButton(texts("menu.leave_yes"))
        self.no.clicked.connect(self.stayed)
        self.yes.clicked.connect(self.left)
        row = QHBoxLayout(self)
        row.addWidget(self.words, 1)
        row.addWidget(self.no)
        row.addWidget(self.yes)
        self.hide()

    def ask(self) -> None:
        """Asks, or says once more what it has asked."""
        self.show()
        announce(self, self.words.text())
