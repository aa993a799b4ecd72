"""The time line of a recording: who pressed how many keys when, and where the playing stands.

A row for each author of each talk. Bars are key presses by their number; above them a filled
triangle that points down is a Return, below them a hollow one that points left is a BackSpace, so
that they are told apart by place and shape. All that does not move is drawn once into a pixmap;
what moves is one line.
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

#: At 100 %, in pixels: the width of a bar, the size of a mark, the least height of bars.
_BAR: Final = 2
_MARK: Final = 8
_BARS: Final = 16
#: Beside the names.
_MARGIN: Final = 8
#: Between two rows.
_GAP: Final = 4


class TimelineView(QAbstractSlider):
    """Where the playing stands, and where it can go.

    Arguments:
        playback: what is played; the view never moves it by itself.
        theme: colours and sizes.
        texts: the words.
        sitters: how who sits at each side is called.
        parent: as Qt has it.

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
        self._still: QPixmap | None = None
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setRange(0, math.ceil(playback.duration))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(texts("replay.timeline"))
        self.setToolTip(texts("replay.timeline_keys"))
        self.setWhatsThis(texts("replay.timeline_keys"))
        self.valueChanged.connect(self._value_changed)
        theme.changed.connect(self._look)
        self._look()
        self.follow()

    @Slot()
    def follow(self) -> None:
        """Shows where the playing stands now."""
        value = int(self._playback.position)
        if value != self.value() or not self.accessibleDescription():
            self.blockSignals(True)  # it is not the person who moves it
            self.setValue(value)
            self.blockSignals(False)
            self.setAccessibleDescription(" ".join([self._in_words(), *self._summaries()]))
        self.update()

    def _in_words(self) -> str:
        at, total = clock(self._playback.position), clock(self._playback.duration)
        return self._texts("replay.position", at=at, total=total) + "."

    def _summaries(self) -> list[str]:
        return [
            self._texts(
                "replay.row",
                who=name,
                keys=row.keys,
                returns=len(row.returns),
                backspaces=len(row.backspaces),
            )
            for name, row in zip(self._names, self._rows, strict=True)
        ]

    # Where things are

    def _small_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(self._theme.points * 0.85)
        return font

    def _scaled(self, pixels: float) -> int:
        # Marks need not grow as fast as text does: they are read by their shape.
        return round(pixels * math.pow(max(1.0, self._theme.zoom / 100), 0.4))

    @property
    def _row_height(self) -> int:
        marks = self._scaled(_BARS) + 2 * self._scaled(_MARK) + 2 * self._scaled(_GAP)
        return max(QFontMetrics(self._small_font()).height(), marks)

    def _top(self, row: int) -> int:
        return self._scaled(_GAP) + row * self._row_height

    @property
    def _bottom(self) -> int:
        return self._top(len(self._rows))

    @property
    def _left(self) -> int:
        metrics = QFontMetrics(self._small_font())
        widest = max((metrics.horizontalAdvance(name) for name in self._names), default=0)
        return widest + 2 * self._scaled(_MARGIN)

    @property
    def _right(self) -> int:
        # Room for half of the last label.
        label = QFontMetrics(self._small_font()).horizontalAdvance(clock(self._playback.duration))
        return label // 2 + self._scaled(6)

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
        return QSize(self._left + self._right + 400, self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """As high as its rows and labels; as wide as to be of use."""
        label = QFontMetrics(self._small_font()).height()
        height = self._bottom + label + self._scaled(10)
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
        key, position = event.key(), self._playback.position
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
            if key in steps:
                self.stepped.emit(steps[Qt.Key(key)])
                return
        to = {
            Qt.Key.Key_Left: position - ARROW,
            Qt.Key.Key_Down: position - ARROW,
            Qt.Key.Key_Right: position + ARROW,
            Qt.Key.Key_Up: position + ARROW,
            Qt.Key.Key_PageDown: position - PAGE,
            Qt.Key.Key_PageUp: position + PAGE,
            Qt.Key.Key_Home: 0.0,
            Qt.Key.Key_End: self._playback.duration,
        }.get(Qt.Key(key))
        if to is None:
            event.ignore()
        else:
            self.sought.emit(to)

    @Slot(int)
    def _value_changed(self, value: int) -> None:
        self.sought.emit(float(value))

    # Drawing

    @Slot()
    def _look(self) -> None:
        self._still = None
        self.updateGeometry()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Is drawn anew."""
        super().resizeEvent(event)
        self._still = None

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws what stands still from the pixmap, and the position over it."""
        ratio = self.devicePixelRatioF()
        if self._still is None or self._still.devicePixelRatio() != ratio:
            self._still = self._drawn(ratio)
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._still)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self._theme.palette
        x, bottom = self.x_of(self._playback.position), self._bottom
        thick = self._scaled(2)
        painter.setPen(QPen(QColor(palette.accent), thick))
        painter.drawLine(QPointF(x, 0), QPointF(x, bottom + self._scaled(4)))
        knob = self._scaled(5)
        painter.setBrush(QColor(palette.accent))
        painter.drawEllipse(QPointF(x, bottom + self._scaled(4)), knob, knob)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            half = thick / 2
            painter.drawRect(QRectF(self.rect()).adjusted(half, half, -half, -half))
        painter.end()

    def _drawn(self, ratio: float) -> QPixmap:
        pixmap = QPixmap(self.size() * ratio)
        pixmap.setDevicePixelRatio(ratio)
        palette = self._theme.palette
        pixmap.fill(QColor(palette.surface))
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._small_font())
        cells = max(1, self._line_width // self._scaled(_BAR))
        duration = self._playback.duration
        bars = heights([counts(row.typed, duration, cells) for row in self._rows])
        for index, (row, name, high) in enumerate(zip(self._rows, self._names, bars, strict=True)):
            top = self._top(index)
            painter.setPen(QColor(palette.text))
            painter.drawText(
                QRectF(0, top, self._left - self._scaled(_MARGIN), self._row_height),
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                name,
            )
            self._draw_row(painter, row, high, top)
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
        duration = self._playback.duration
        painter.setBrush(ink)
        for cell_number in sorted({cell_of(time, duration, marks) for time in row.returns}):
            x = self._left + (cell_number + 0.5) * width / marks
            painter.drawPolygon(return_mark(x, top + gap / 2, mark))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for cell_number in sorted({cell_of(time, duration, marks) for time in row.backspaces}):
            x = self._left + (cell_number + 0.5) * width / marks
            painter.drawPolygon(backspace_mark(x, base + 1, mark))

    def _draw_ticks(self, painter: QPainter) -> None:
        palette = self._theme.palette
        metrics = QFontMetrics(painter.font())
        duration = self._playback.duration
        widest = metrics.horizontalAdvance(clock(duration)) + self._scaled(16)
        top = self._bottom
        for tick in ticks(duration, self._line_width / widest):
            x = self.x_of(tick.time)
            painter.setPen(QPen(QColor(palette.pane_inactive), 1))
            painter.drawLine(QPointF(x, top), QPointF(x, top + self._scaled(8)))
            painter.setPen(QColor(palette.muted))
            painter.drawText(
                QRectF(x - widest / 2, top + self._scaled(8), widest, metrics.height()),
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
