"""A text that grows at its end, and shows it, unless the person reads further above."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QTextCursor,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

#: How often the end is looked for at most.
_LOOKS: Final = 4


class FollowingText(QPlainTextEdit):
    """A text to be read, selected and copied. It follows its end as long as that is in sight.
    Where the person has scrolled up it stays, and a sign says that there is more below; a click on
    the sign goes there.

    Arguments:
        more: what the sign says.
        parent: as Qt has it.
    """

    def __init__(self, more: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._follows = True
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setAcceptDrops(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._more = QPushButton(more, self)
        self._more.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._more.clicked.connect(self.scroll_to_end)
        self._more.hide()
        bar = self.verticalScrollBar()
        bar.actionTriggered.connect(self._on_action)
        # Queued: within Qt's own laying out a scroll would be half of the old and half of the new.
        bar.rangeChanged.connect(self._to_end, Qt.ConnectionType.QueuedConnection)

    # Where to

    def follow(self) -> None:
        """Follows the end from now on, wherever the person has scrolled to."""
        self._follows = True

    def scroll_to_end(self) -> None:
        """Shows the end, and follows it from now on."""
        self.follow()
        self._to_end()

    def scroll_lines(self, lines: int) -> None:
        """Scrolls by so many lines, up where it is less than 0."""
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + lines)
        self._person_scrolled()

    def scroll_pages(self, pages: int) -> None:
        """Scrolls by so many panes, up where it is less than 0."""
        self.scroll_lines(pages * max(1, self.verticalScrollBar().pageStep() - 1))

    def scroll_to_beginning(self) -> None:
        """Shows the beginning."""
        self.verticalScrollBar().setValue(0)
        self._person_scrolled()

    # A selection survives what is written below it.

    def _selection(self) -> tuple[int, int] | None:
        cursor = self.textCursor()
        return (cursor.anchor(), cursor.position()) if cursor.hasSelection() else None

    def _select_again(self, selected: tuple[int, int] | None) -> None:
        if selected is None:
            return
        end = self.document().characterCount() - 1
        anchor, position = (min(place, end) for place in selected)
        cursor = self.textCursor()
        if (cursor.anchor(), cursor.position()) != (anchor, position):
            top = self.verticalScrollBar().value()
            cursor.setPosition(anchor)
            cursor.setPosition(position, QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)
            self.verticalScrollBar().setValue(top)

    # Where the person has scrolled to

    @Slot()
    def _to_end(self) -> None:
        if not self._follows:
            self._show_sign()
            return
        bar = self.verticalScrollBar()
        # What comes into sight is laid out only now, and may turn out to be longer.
        for _ in range(_LOOKS):
            bar.setValue(bar.maximum())
            if bar.value() == bar.maximum() and self._end_is_in_sight():
                break
            # Qt lays a paragraph out when it is first looked at, and counts its lines only then: it
            # has to be told that there are more, and goes to a line only from another one.
            layout = self.document().documentLayout()
            layout.documentSizeChanged.emit(layout.documentSize())
            bar.setValue(bar.maximum() - 1)
        else:
            bar.setValue(bar.maximum())
        self._show_sign()

    def _end_is_in_sight(self) -> bool:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return self.cursorRect(cursor).bottom() <= self.viewport().height()

    @Slot(int)
    def _on_action(self, action: int) -> None:
        # By the mouse, in any way; the value itself is set only after this.
        bar = self.verticalScrollBar()
        self._follows = bar.sliderPosition() >= bar.maximum()
        self._show_sign()

    def _person_scrolled(self) -> None:
        bar = self.verticalScrollBar()
        self._follows = bar.value() >= bar.maximum()
        self._show_sign()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Goes through the text, and away from its end."""
        super().keyPressEvent(event)
        self._person_scrolled()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Selects, and scrolls where the mouse leaves the pane."""
        super().mouseMoveEvent(event)
        self._person_scrolled()

    def _show_sign(self) -> None:
        self._more.setVisible(not self._follows)

    def _place_sign(self) -> None:
        self._more.adjustSize()
        area = self.viewport().geometry()
        self._more.move(
            area.right() - self._more.width() - 4, area.bottom() - self._more.height() - 4
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stays at the end where it was there."""
        super().resizeEvent(event)
        self._to_end()
        self._place_sign()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolls; the size of the text is the window's business (QPlainTextEdit would zoom)."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            super().wheelEvent(event)
