"""Words that give way: they are shortened with … where there is no room, and all there to read as a
tooltip and for screen readers. For what stands elsewhere too."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QMenuBar, QSizePolicy, QWidget

from judge_console.look.theme import Theme

#: What a menu takes beside its name, in heights of a line.
_MENU_SPACE: Final = 1.6
#: What the style sheet puts above and below the names of menus, in pixels at 100 %.
_MENU_PADDING: Final = 7


class ShortWords(QLabel):
    """A muted line that may be shortened: for the corner of a menu bar, whose menus come first.

    Arguments:
        theme: sizes.
        parent: as Qt has it.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "muted")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        theme.changed.connect(self._fit)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        self.ensurePolished()
        space = self.fontMetrics().height() // 2
        # Beside the names of the menus, and not a little lower.
        padding = round(_MENU_PADDING * self._theme.zoom / 100)
        self.setContentsMargins(space, padding, space, padding)
        self._shorten()
        self.updateGeometry()
        self._ask_for_room()

    def _ask_for_room(self) -> None:
        # A menu bar gives its corner room when that comes or goes, and at no other time.
        if not self.isHidden():
            self.hide()
            self.show()

    def set_words(self, words: str) -> None:
        """What to say."""
        if words != self._words:
            self._words = words
            self.setToolTip(words)
            self.setAccessibleName(words)
            self._shorten()
            self._ask_for_room()

    def sizeHint(self) -> QSize:
        """The room for all of the words, as far as the menus leave it."""
        wide = self.fontMetrics().horizontalAdvance(self._words) + self._around().width() + 1
        bar = self.parentWidget()
        if isinstance(bar, QMenuBar):
            wide = min(wide, bar.width() - _width_of_menus(bar))
        return QSize(max(0, wide), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """None."""
        return QSize(0, super().minimumSizeHint().height())

    def _around(self) -> QSize:
        margins = self.contentsMargins()
        return QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shortens the words anew."""
        super().resizeEvent(event)
        self._shorten()

    def _shorten(self) -> None:
        room = self.width() - self._around().width()
        self.setText(self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room))


def _width_of_menus(bar: QMenuBar) -> int:
    metrics = bar.fontMetrics()
    return sum(
        metrics.horizontalAdvance(action.text()) + round(_MENU_SPACE * metrics.height())
        for action in bar.actions()
    )
