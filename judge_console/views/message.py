"""A page that only says something: a heading, a few sentences, and at most one button."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from judge_console.views.controls import ActButton, Words

#: The widest that a line of reading should be, in widths of an average character.
_MEASURE = 60


class MessagePage(QScrollArea):
    """Words in the middle of the window.

    Arguments:
        parent: as Qt has it.

    Signals:
        acted: the button was pressed.
    """

    acted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = Words(role="heading")
        self.sentences = [Words(), Words(role="muted"), Words(role="muted")]
        self.button = ActButton()
        self.button.clicked.connect(self.acted)
        self.button.hide()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._card = QFrame()
        self._card.setProperty("card", True)
        column = QVBoxLayout(self._card)
        for words in (self.heading, *self.sentences):
            column.addWidget(words)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        body = QWidget()
        outer = QVBoxLayout(body)
        outer.addStretch(1)
        outer.addWidget(self._card)
        outer.addStretch(2)
        self.setWidget(body)

    def say(self, heading: str, sentences: Sequence[str], button: str = "") -> None:
        """Says it.

        Arguments:
            heading: in a few words.
            sentences: up to three; the first is what matters. Empty ones are left out.
            button: what stands on the button; empty for none.
        """
        said = [sentence for sentence in sentences if sentence]
        for label, words in zip(
            (self.heading, *self.sentences), (heading, *said, "", "", ""), strict=False
        ):
            if words != label.text():
                label.setText(words)
            label.setVisible(bool(words))
        if button != self.button.text():
            self.button.setText(button)
        self.button.setVisible(bool(button))
        self.setAccessibleName(heading)
        self.setAccessibleDescription(" ".join(said))
