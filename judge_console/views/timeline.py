"""The time line of a recording: who pressed how many keys when, and where the playing is.

A row for each author of each talk. Bars are key presses by their number; above them a filled
triangle that points down is a Return, below them a hollow one that points left is a BackSpace, so
that they are told apart by place and shape. All that does not move is drawn once into a pixmap;
one line moves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QWidget

from judge_console.look.theme import Theme
from judge_console.model.playback import Playback
from judge_console.model.timeline import Row, cell_of, clock, counts, heights, rows_of, ticks
from judge_console.texts import Texts
from lpp.log2012 import Place

#: Seconds of the recording that the arrow keys go, and that Page Up and Page Down go.
ARROW, PAGE = 5.0, 60.0

#: At 100 %, in pixels: the width of a bar, the size of a mark, the least height of bars, the space
#: beside the names, and between two rows.
_BAR, _MARK, _BARS, _MARGIN, _GAP = 2, 8, 16, 8, 4

_STEPS: Final = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_LEAPS: Final = {
    Qt.Key.Key_Left: -ARROW,
    Qt.Key.Key_Down: -ARROW,
    Qt.Key.Key_Right: ARROW,
    Qt.Key.Key_Up: ARROW,
    Qt.Key.Key_PageDown: -PAGE,
    Qt.Key.Key_PageUp: PAGE,
    Qt.Key.Key_Home: -math.inf,
    Qt.Key.Key_End: math.inf,
}


class TimelineView(QAbstractSlider):
    """Where the playing is, and where it can go.

    Arguments:
        playback: what is played; the view never moves it by itself.
        theme: colours and sizes.
        texts: the words.
        sitters: the name of who sits at each side.

    Signals:
        sought: (seconds) the person wants to go there, by mouse, keys or a screen reader.
        stepped: (keys) the person wants to go so many key presses on, or back.

    The slider's value is the position in full seconds, for screen readers.
    """

    sought = Signal(float)
    stepped = Signal(int)

    def __init__(
        self,
        playback: Playback,
        theme: Theme,
        texts: Texts,
        sitters: Mapping[Place, str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._playback = playback
        self._theme = theme
        self._texts = texts
        self._rows = rows_of(playback.recording)
        self._names = [_name(row, sitters, texts) for row in self._rows]
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setRange(0, math.ceil(playback.duration))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(texts("replay.timeline"))
        self.setToolTip(texts("replay.timeline_keys"))
        self.setWhatsThis(texts("replay.timeline_keys"))
        self.valueChanged.connect(lambda value: self.sought.emit(float(value)))
        theme.changed.connect(self._look)
        self._look()
        self.follow()

    @Slot()
    def follow(self) -> None:
        """Shows where the playing is now."""
        value = int(self._playback.position)
        if value != self.value() or not self.accessibleDescription():
            self.blockSignals(True)  # it is not the person who moves it
            self.setValue(value)
            self.blockSignals(False)
            self.setAccessibleDescription(self._in_words())
        self.update()

    def _in_words(self) -> str:
        at, total = clock(self._playback.position), clock(self._playback.duration)
        said = [self._texts("replay.position", at=at, total=total) + "."]
        for name, row in zip(self._names, self._rows, strict=True):
            fields = {"returns": len(row.returns), "backspaces": len(row.backspaces)}
            said.append(self._texts("replay.row", who=name, keys=row.keys, **fields))
        return " ".join(said)

    # Where things are

    @Slot()
    def _look(self) -> None:
        """Measures all parts by the size of the text."""
        self._font = QFont(self.font())
        self._font.setPointSizeF(self._theme.points * 0.85)
        metrics = QFontMetrics(self._font)
        marks = self._scaled(_BARS) + 2 * self._scaled(_MARK) + 2 * self._scaled(_GAP)
        self._row_height = max(metrics.height(), marks)
        self._bottom = self._scaled(_GAP) + len(self._rows) * self._row_height
        widest = max((metrics.horizontalAdvance(name) for name in self._names), default=0)
        self._left = widest + 2 * self._scaled(_MARGIN)
        # Room for half of the last label.
        self._label = metrics.horizontalAdvance(clock(self._playback.duration))
        self._right = self._label // 2 + self._scaled(6)
        self._still: QPixmap | None = None
        self.updateGeometry()
        self.update()

    def _scaled(self, pixels: float) -> int:
        # Marks need not grow as fast as text does: they are read by their shape.
        return round(pixels * math.pow(max(1.0, self._theme.zoom / 100), 0.4))

    @property
    def _line_width(self) -> int:
        return max(1, self.width() - self._left - self._right)

    def x_of(self, position: float) -> float:
        """Where a position is, in pixels from the left."""
        duration = self._playback.duration
        return self._left + (position / duration if duration else 0.0) * self._line_width

    def position_at(self, x: float) -> float:
        """Which position is at so many pixels from the left, in seconds."""
        part = (x - self._left) / self._line_width
        return min(1.0, max(0.0, part)) * self._playback.duration

    def sizeHint(self) -> QSize:
        """As high as its rows and labels."""
        return self.minimumSizeHint() + QSize(280, 0)

    def minimumSizeHint(self) -> QSize:
        """As high as its rows and labels; as wide as to be of use."""
        height = self._bottom + QFontMetrics(self._font).height() + self._scaled(10)
        return QSize(self._left + self._right + 120, height)

    # What the person does

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Goes to where the mouse is."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self.sought.emit(self.position_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Goes along with the mouse."""
        if self.isSliderDown():
            self.sought.emit(self.position_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Stays where it is."""
        self.setSliderDown(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Goes by arrows, pages, to the beginning or the end; with Ctrl, an arrow goes one key."""
        key = Qt.Key(event.key())
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and key in _STEPS:
            self.stepped.emit(_STEPS[key])
        elif key in _LEAPS:
            to = self._playback.position + _LEAPS[key]
            if math.isinf(to):
                to = 0.0 if to < 0 else self._playback.duration
            self.sought.emit(to)
        else:
            event.ignore()

    # Drawing

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draws everything again."""
        super().resizeEvent(event)
        self._still = None

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the pixmap of all that does not move, and the position over it."""
        ratio = self.devicePixelRatioF()
        if self._still is None or self._still.devicePixelRatio() != ratio:
            self._still = self._drawn(ratio)
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._still)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        accent, thick = QColor(self._theme.palette.accent), self._scaled(2)
        end = QPointF(self.x_of(self._playback.position), self._bottom + self._scaled(4))
        painter.setPen(QPen(accent, thick))
        painter.drawLine(QPointF(end.x(), 0), end)
        painter.setBrush(accent)
        painter.drawEllipse(end, self._scaled(5), self._scaled(5))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            half = thick / 2
            painter.drawRect(QRectF(self.rect()).adjusted(half, half, -half, -half))
        painter.end()

    def _drawn(self, ratio: float) -> QPixmap:
        pixmap = QPixmap(self.size() * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(QColor(self._theme.palette.surface))
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        cells = max(1, self._line_width // self._scaled(_BAR))
        duration = self._playback.duration
        bars = heights([counts(row.typed, duration, cells) for row in self._rows])
        top = self._scaled(_GAP)
        for row, name, high in zip(self._rows, self._names, bars, strict=True):
            painter.setPen(QColor(self._theme.palette.text))
            painter.drawText(
                QRectF(0, top, self._left - self._scaled(_MARGIN), self._row_height),
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                name,
            )
            self._draw_row(painter, row, high, top)
            top += self._row_height
        self._draw_ticks(painter)
        painter.end()
        return pixmap

    def _draw_row(self, painter: QPainter, row: Row, bars: list[float], top: int) -> None:
        palette, mark, width = self._theme.palette, self._scaled(_MARK), self._line_width
        ink = QColor(palette.own if row.author == "judge" else palette.other)
        gap = self._scaled(_GAP)
        base = top + self._row_height - mark - gap
        high = self._row_height - 2 * (mark + gap)
        painter.setPen(QPen(QColor(palette.pane_inactive), 1))
        painter.drawLine(QPointF(self._left, base), QPointF(self._left + width, base))
        cell = width / len(bars)
        for number, bar in enumerate(bars):
            if bar:
                up = bar * high
                painter.fillRect(QRectF(self._left + number * cell, base - up, cell, up), ink)
        painter.setPen(QPen(ink, 1.2))
        marks = max(1, width // mark)
        for times, brush, draw, at in (
            (row.returns, Qt.BrushStyle.SolidPattern, return_mark, top + gap / 2),
            (row.backspaces, Qt.BrushStyle.NoBrush, backspace_mark, base + 1),
        ):
            painter.setBrush(ink)
            if brush is Qt.BrushStyle.NoBrush:
                painter.setBrush(brush)
            for number in sorted({cell_of(t, self._playback.duration, marks) for t in times}):
                painter.drawPolygon(draw(self._left + (number + 0.5) * width / marks, at, mark))

    def _draw_ticks(self, painter: QPainter) -> None:
        palette = self._theme.palette
        widest = self._label + self._scaled(16)
        below = self._bottom + self._scaled(8)
        for tick in ticks(self._playback.duration, self._line_width / widest):
            x = self.x_of(tick.time)
            painter.setPen(QPen(QColor(palette.pane_inactive), 1))
            painter.drawLine(QPointF(x, self._bottom), QPointF(x, below))
            painter.setPen(QColor(palette.muted))
            painter.drawText(
                QRectF(x - widest / 2, below, widest, painter.fontMetrics().height()),
                Qt.AlignmentFlag.AlignCenter,
                tick.label,
            )


def return_mark(x: float, top: float, size: float) -> QPolygonF:
    """A triangle that points down: a Return."""
    half, low = size * 0.4, top + size * 0.8
    return QPolygonF([QPointF(x - half, top), QPointF(x + half, top), QPointF(x, low)])


def backspace_mark(x: float, top: float, size: float) -> QPolygonF:
    """A triangle that points left: a BackSpace."""
    half, low = size * 0.4, top + size * 0.8
    return QPolygonF(
        [QPointF(x + half, top), QPointF(x + half, low), QPointF(x - half, (top + low) / 2)]
    )


def _name(row: Row, sitters: Mapping[Place, str], texts: Texts) -> str:
    who = texts("replay.judge") if row.author == "judge" else sitters[row.side]
    if len(sitters) == 1:
        return who
    return texts("replay.row_name", side=texts(f"replay.{row.side}"), who=who)
