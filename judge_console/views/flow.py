"""A row of widgets that goes on below where it is too long: at a large text size, in a small
window, in a language of long words."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Widgets one after the other, in as many rows as they need.

    Arguments:
        parent: the widget that it lays out.
        spacing: between two of them, and between two rows, in pixels.
    """

    def __init__(self, parent: QWidget, spacing: int = 8) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem, /) -> None:
        """See QLayout."""
        self._items.append(item)

    def count(self) -> int:
        """See QLayout."""
        return len(self._items)

    def itemAt(self, index: int, /) -> QLayoutItem | None:
        """See QLayout."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int, /) -> QLayoutItem | None:
        """See QLayout."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """It takes no more room than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """The narrower it is, the more rows it has."""
        return True

    def heightForWidth(self, width: int, /) -> int:
        """See QLayout."""
        return self._lay_out(QRect(0, 0, width, 0), place=False)

    def setGeometry(self, rect: QRect, /) -> None:
        """Puts each widget in its place."""
        super().setGeometry(rect)
        self._lay_out(rect, place=True)

    def sizeHint(self) -> QSize:
        """All in one row."""
        width = sum(item.sizeHint().width() + self.spacing() for item in self._items)
        return QSize(max(0, width - self.spacing()), self.minimumSize().height())

    def minimumSize(self) -> QSize:
        """The largest of them."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _lay_out(self, rect: QRect, *, place: bool) -> int:
        """Goes through the rows, each widget in the middle of its row's height.

        Returns:
            The height of all rows.
        """
        top = rect.top()
        for row in self._rows(rect.width()):
            height = max(item.sizeHint().height() for item in row)
            left = rect.left()
            for item in row:
                size = item.sizeHint()
                width = min(size.width(), rect.width())
                if place:
                    down = (height - size.height()) // 2
                    item.setGeometry(QRect(QPoint(left, top + down), QSize(width, size.height())))
                left += width + self.spacing()
            top += height + self.spacing()
        return max(0, top - rect.top() - self.spacing())

    def _rows(self, width: int) -> list[list[QLayoutItem]]:
        rows: list[list[QLayoutItem]] = []
        used = 0
        for item in self._items:
            if item.isEmpty():
                continue
            wanted = item.sizeHint().width()
            if not rows or used + self.spacing() + wanted > width:
                rows.append([])
                used = -self.spacing()
            rows[-1].append(item)
            used += self.spacing() + wanted
        return rows
