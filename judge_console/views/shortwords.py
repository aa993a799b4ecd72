"""Words that give way: they are shortened with … where there is no room, and all there to read as a
tooltip and for screen readers. For what stands elsewhere too."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class ShortWords(QLabel):
    """A muted line that may be shortened.

    Arguments:
        parent: as Qt has it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "muted")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def set_words(self, words: str) -> None:
        """What to say."""
        if words != self._words:
            self._words = words
            self.setToolTip(words)
            self.setAccessibleName(words)
            self._shorten()
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """The room for all of the words."""
        margins = self.contentsMargins()
        wide = self.fontMetrics().horizontalAdvance(self._words)
        return QSize(
            wide + margins.left() + margins.right() + 2 * self.margin() + 1,
            super().sizeHint().height(),
        )

    def minimumSizeHint(self) -> QSize:
        """None."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shortens the words anew."""
        super().resizeEvent(event)
        self._shorten()

    def _shorten(self) -> None:
        room = self.contentsRect().width()
        self.setText(self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room))
