"""A page that only says something: a heading, a few sentences, and at most one button."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from judge_console.look.fonts import base_font
from judge_console.look.style import talk_points
from judge_console.look.theme import Theme
from judge_console.views.controls import ActButton, Words

#: The widest that a line of reading should be, in widths of an average character.
_MEASURE: Final = 60


class MessagePage(QScrollArea):
    """Words in the middle of the window.

    Arguments:
        theme: sizes.
        parent: as Qt has it.

    Signals:
        acted: the button was pressed.
    """

    acted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.heading = Words(role="heading")
        self.sentences = [Words(), Words(), Words(role="muted")]
        for words in self.sentences:
            words.setProperty("talk", True)
        self.button = ActButton()
        self.button.clicked.connect(self.acted)
        self.button.hide()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._card = QFrame()
        self._card.setProperty("card", True)
        self._column = QVBoxLayout(self._card)
        for words in (self.heading, *self.sentences):
            self._column.addWidget(words)
        self._column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        body = QWidget()
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(self._card, 1000)
        across.addStretch(1)
        outer = QVBoxLayout(body)
        outer.addStretch(1)
        outer.addLayout(across)
        outer.addStretch(2)
        self.setWidget(body)
        theme.changed.connect(self._fit)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        metrics = QFontMetrics(base_font(talk_points(self._theme.zoom)))
        space = metrics.height()
        self._column.setSpacing(space // 2)
        self._column.setContentsMargins(space, space, space, space)
        self._card.setMaximumWidth(_MEASURE * metrics.averageCharWidth() + 2 * space)

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
