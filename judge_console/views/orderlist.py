"""A list that is put in order, by the mouse and by keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from PySide6.QtCore import QMimeData, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QDropEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QListWidget, QListWidgetItem, QWidget

#: What is dragged: a row of such a list, by its label.
_MIME: Final = "application/x-loebner-participant"
_LABEL: Final = Qt.ItemDataRole.UserRole
_ALT: Final = {
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
    Qt.Key.Key_Home: "top",
    Qt.Key.Key_End: "bottom",
}
#: Both cases, and the sign for it.
_SHARE: Final = ("t", "T", "=")


class Line(NamedTuple):
    """A row: its label, what is seen, and what is read out."""

    label: str
    text: str
    spoken: str


class OrderList(QListWidget):
    """Rows that can be dragged into another order; what becomes of it is the owner's to say.

    Arguments:
        parent: as Qt has it.

    Signals:
        dropped: a row's label, and the number of rows above the gap that it was dropped into.
        dropped_on: a row's label, and that of the row that it was dropped on.
        wished: what a key asks for the row that is chosen: "up", "down", "top", "bottom" (Alt with
            Up, Down, Home, End), "share" (T, or =), "read" (Return).
    """

    dropped = Signal(str, int)
    dropped_on = Signal(str, str)
    wished = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._on_rows = False
        self.setWordWrap(True)
        self.setSpacing(3)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDropIndicatorShown(True)
        self.setTabKeyNavigation(False)

    def show_lines(self, lines: Sequence[Line], *, movable: bool, on_rows: bool) -> None:
        """Shows rows; the one that was chosen stays chosen, wherever it is now.

        Arguments:
            lines: they, in their order.
            movable: whether they can be dragged.
            on_rows: whether one can be dropped on another.
        """
        chosen = self.label
        labels = [line.label for line in lines]
        with QSignalBlocker(self):
            while self.count() > len(lines):
                self.takeItem(self.count() - 1)
            while self.count() < len(lines):
                self.addItem(QListWidgetItem())
            for row, line in enumerate(lines):
                self._fill(self.item(row), line, movable, movable and on_rows)
            if lines:
                self.setCurrentRow(labels.index(chosen) if chosen in labels else 0)
        if self.label != chosen:
            self.currentRowChanged.emit(self.currentRow())

    @staticmethod
    def _fill(item: QListWidgetItem, line: Line, movable: bool, on_rows: bool) -> None:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if movable:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        if on_rows:
            flags |= Qt.ItemFlag.ItemIsDropEnabled
        item.setFlags(flags)
        item.setText(line.text)
        item.setData(_LABEL, line.label)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, line.spoken)

    @property
    def label(self) -> str:
        """The label of the row that is chosen; empty if none is."""
        row = self.currentRow()
        return str(self.item(row).data(_LABEL)) if row >= 0 else ""

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Moves with Alt; everything else as Qt has it."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        wish: str | None = None
        if modifiers == Qt.KeyboardModifier.AltModifier:
            wish = next((wish for key, wish in _ALT.items() if key == event.key()), None)
        elif event.text() in _SHARE and not modifiers & ~Qt.KeyboardModifier.ShiftModifier:
            wish = "share"
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not modifiers:
            wish = "read"
        if wish is None:
            super().keyPressEvent(event)
        elif self.label and not (event.isAutoRepeat() and wish in ("share", "read")):
            self.wished.emit(wish)

    # Dragging

    def mimeTypes(self) -> list[str]:
        """See Qt."""
        return [_MIME]

    def mimeData(self, items: Sequence[QListWidgetItem]) -> QMimeData:
        """See Qt."""
        data = QMimeData()
        for item in items[:1]:
            data.setData(_MIME, str(item.data(_LABEL)).encode())
        return data

    def supportedDropActions(self) -> Qt.DropAction:
        """See Qt."""
        return Qt.DropAction.MoveAction

    def dropEvent(self, event: QDropEvent) -> None:
        """Says what was dropped where, and moves nothing by itself."""
        label = bytes(event.mimeData().data(_MIME).data()).decode("utf-8", "replace")
        at = self.indexAt(event.position().toPoint())
        where = self.dropIndicatorPosition()
        # Qt takes the row away where the drag ends as a move, and a copy was not offered.
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()
        self.setState(QAbstractItemView.State.NoState)
        self.viewport().update()
        if label not in self._labels():
            return
        if not at.isValid() or where == QAbstractItemView.DropIndicatorPosition.OnViewport:
            # Between two rows, above the first or below the last there is no row.
            rows = (self.visualItemRect(self.item(row)) for row in range(self.count()))
            above = sum(row.center().y() < event.position().y() for row in rows)
            self.dropped.emit(label, above)
        elif where == QAbstractItemView.DropIndicatorPosition.OnItem:
            self.dropped_on.emit(label, str(at.data(_LABEL)))
        else:
            below = where == QAbstractItemView.DropIndicatorPosition.BelowItem
            self.dropped.emit(label, at.row() + below)

    def _labels(self) -> list[str]:
        return [str(self.item(row).data(_LABEL)) for row in range(self.count())]
