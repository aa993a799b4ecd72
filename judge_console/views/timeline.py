"""The time line of a recording: who pressed how many keys when, and where the playing is.

A row for each author of each talk. Bars are key presses by their number; a line above them is a
Return, a line below them a BackSpace. All that does not move is drawn once into a pixmap.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QWidget

from judge_console.look.theme import Theme
from judge_console.model.playback import Playback
from judge_console.model.timer import text_of
from judge_console.texts import Texts
from lpp.log2012 import Author, Place
from lpp.names import BACKSPACE_CHAR, char_of
from lpp.recording import Recording

#: Seconds of the recording that the arrow keys go, and that Page Up and Page Down go.
ARROW, PAGE = 5.0, 60.0
#: Seconds between two labels, from which the smallest is taken that leaves them room.
STEPS: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 86400)
#: In pixels: the width of a bar, the space beside the names and around the rows.
_BAR, _MARGIN = 2, 8

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


class Row(NamedTuple):
    """One author's typing in one talk: the times of keys, in seconds, by what they type: "" for
    most, Return and BackSpace by their characters."""

    side: Place
    author: Author
    times: dict[str, list[float]]


def rows_of(recording: Recording) -> list[Row]:
    """The rows of a time line: for each talk the judge above and the entity below."""
    authors: tuple[Author, Author] = ("judge", "entity")
    rows = {
        (side, author): Row(side, author, {"": [], "\n": [], BACKSPACE_CHAR: []})
        for side in recording.sitters
        for author in authors
    }
    for press, offset in zip(recording.presses, recording.offsets_us(), strict=True):
        if (row := rows.get((press.side, press.author))) is not None:
            char = char_of(press.key) or ""
            row.times[char if char in row.times else ""].append(offset / 1_000_000)
    return list(rows.values())


def labels(duration: float, room: float) -> Sequence[int]:
    """The seconds that are labelled: from 0 on, as close as there is room for so many."""
    step = next((step for step in STEPS if duration < step * max(1.0, room)), math.ceil(duration))
    return range(0, math.floor(duration) + 1, max(1, step))


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
        self._playback, self._theme, self._texts = playback, theme, texts
        self._rows = rows_of(playback.recording)
        self.name_sitters(sitters)
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setRange(0, math.ceil(playback.duration))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(texts("replay.timeline"))
        self.setToolTip(texts("replay.timeline_keys"))
        self.setWhatsThis(texts("replay.timeline_keys"))
        self.valueChanged.connect(lambda value: self.sought.emit(float(value)))
        theme.changed.connect(self._look)
        self.follow()

    def name_sitters(self, sitters: Mapping[Place, str]) -> None:
        """Other names for those who sit at the sides."""
        texts = self._texts
        self._names = []
        for row in self._rows:
            who = texts("replay.judge") if row.author == "judge" else sitters[row.side]
            if len(sitters) > 1:
                who = texts("replay.row_name", side=texts(f"replay.{row.side}"), who=who)
            self._names.append(who)
        self.setAccessibleDescription("")
        self._look()

    @Slot()
    def follow(self) -> None:
        """Shows where the playing is now."""
        value = int(self._playback.position)
        if value != self.value() or not self.accessibleDescription():
            self.blockSignals(True)  # it is not the person who moves it
            self.setValue(value)
            self.blockSignals(False)
            at, total = text_of(value), text_of(int(self._playback.duration))
            said = [self._texts("replay.position", at=at, total=total) + "."]
            for name, row in zip(self._names, self._rows, strict=True):
                typed, returns, backspaces = map(len, row.times.values())
                fields = {"returns": returns, "backspaces": backspaces}
                keys = typed + returns + backspaces
                said.append(self._texts("replay.row", who=name, keys=keys, **fields))
            self.setAccessibleDescription(" ".join(said))
        self.update()

    # Where things are

    @Slot()
    def _look(self) -> None:
        """Measures all parts by the size of the text."""
        metrics = QFontMetrics(self.font())
        self._line = metrics.height()
        widest = max((metrics.horizontalAdvance(name) for name in self._names), default=0)
        self._left = widest + 2 * _MARGIN
        self._label = metrics.horizontalAdvance(text_of(int(self._playback.duration))) + 2 * _MARGIN
        self._still: QPixmap | None = None
        self.updateGeometry()
        self.update()

    @property
    def _line_width(self) -> int:
        # At the right there is room for half of the last label.
        return max(1, self.width() - self._left - self._label // 2)

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
        height = round((1.5 * len(self._rows) + 1.5) * self._line)
        return QSize(self._left + self._label + 120, height)

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
        leap = _LEAPS.get(Qt.Key(event.key()))
        if leap is None:
            event.ignore()
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier and abs(leap) == ARROW:
            self.stepped.emit(1 if leap > 0 else -1)
        else:
            to = self._playback.position + leap
            self.sought.emit(min(max(to, 0.0), self._playback.duration))

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
        accent, x = QColor(self._theme.palette.accent), self.x_of(self._playback.position)
        painter.setPen(QPen(accent, 3))
        painter.drawLine(QPointF(x, 0), QPointF(x, self.height() - self._line))
        if self.hasFocus():
            painter.drawRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5))
        painter.end()

    def _drawn(self, ratio: float) -> QPixmap:
        pixmap = QPixmap(self.size() * ratio)
        pixmap.setDevicePixelRatio(ratio)
        palette = self._theme.palette
        pixmap.fill(QColor(palette.surface))
        painter = QPainter(pixmap)
        painter.setFont(self.font())
        cell = self._line_width / max(1, self._line_width // _BAR)
        bars = [Counter(int(self.x_of(t) // cell) for t in row.times[""]) for row in self._rows]
        most = max((count for each in bars for count in each.values()), default=0)
        for number, (row, counts) in enumerate(zip(self._rows, bars, strict=True)):
            top = (1.5 * number + 0.25) * self._line
            base, mark = top + self._line, 0.2 * self._line
            painter.setPen(QColor(palette.text))
            room = QRectF(0, top, self._left - _MARGIN, self._line)
            align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(room, align, self._names[number])
            ink = QColor(palette.own if row.author == "judge" else palette.other)
            for at, count in counts.items():
                # By the root, so that a program's flood leaves people's typing to be seen.
                high = max(0.3, math.sqrt(count / most)) * (self._line - mark)
                painter.fillRect(QRectF(at * cell, base - high, cell, high), ink)
            painter.setPen(QPen(ink, 1.5))
            for char, y in (("\n", top - mark), (BACKSPACE_CHAR, base + 0.5 * mark)):
                for x in map(self.x_of, row.times[char]):
                    painter.drawLine(QPointF(x, y), QPointF(x, y + mark))
        below = self.height() - self._line
        painter.setPen(QColor(palette.muted))
        for second in labels(self._playback.duration, self._line_width / self._label):
            x = self.x_of(second)
            painter.drawText(
                QRectF(x - self._label / 2, below, self._label, self._line),
                Qt.AlignmentFlag.AlignCenter,
                text_of(second),
            )
        painter.end()
        return pixmap
