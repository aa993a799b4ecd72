"""What a recording is played by: play and pause, to the beginning and the end, key by key, and how
fast."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from judge_console.look.theme import mark
from judge_console.model.playback import SPEEDS
from judge_console.texts import Texts
from judge_console.views.flow import FlowLayout

#: Speeds that are written as fractions, which read the same in all languages.
_FRACTIONS: Final = {0.25: "¼", 0.5: "½"}


class PlayBar(QWidget):
    """Buttons, and a list of speeds. It says what the person wants, and does nothing of it.

    Arguments:
        texts: the words.
        parent: as Qt has it.

    Signals:
        toggled: play, or pause.
        to_beginning, to_end: go there.
        stepped: (keys) go so many key presses on, or back.
        speed_chosen: (speed) play so many times as fast.
    """

    toggled = Signal()
    to_beginning = Signal()
    to_end = Signal()
    stepped = Signal(int)
    speed_chosen = Signal(float)

    def __init__(self, texts: Texts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts = texts
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        flow = FlowLayout(self)
        self.play_button = self._button("replay.play", flow)
        self.play_button.clicked.connect(self.toggled)
        mark(self.play_button, "primary", True)
        self._button("replay.restart", flow).clicked.connect(self.to_beginning)
        self._button("replay.back_one", flow).clicked.connect(lambda: self.stepped.emit(-1))
        self._button("replay.forward_one", flow).clicked.connect(lambda: self.stepped.emit(1))
        self._button("replay.end", flow).clicked.connect(self.to_end)
        self.speed_box = QComboBox(self)
        for speed in SPEEDS:
            self.speed_box.addItem(self._speed_text(speed), speed)
        self.speed_box.setCurrentIndex(SPEEDS.index(1.0))
        self.speed_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.speed_box.currentIndexChanged.connect(self._index_changed)
        self.speed_box.installEventFilter(self)
        label = QLabel(texts("replay.speed"), self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setBuddy(self.speed_box)
        # Together on one row, wherever that is.
        pair = QWidget(self)
        row = QHBoxLayout(pair)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label)
        row.addWidget(self.speed_box)
        flow.addWidget(pair)

    def _button(self, key: str, flow: FlowLayout) -> QPushButton:
        button = QPushButton(self._texts(key), self)
        button.installEventFilter(self)
        flow.addWidget(button)
        return button

    def set_playing(self, playing: bool) -> bool:
        """Says on the button what it does now.

        Returns:
            Whether it did something else before.
        """
        word = self._texts("replay.pause" if playing else "replay.play")
        if word == self.play_button.text():
            return False
        self.play_button.setText(word)
        return True

    def set_speed(self, speed: float) -> None:
        """Shows a speed; one that is not in the list is added to it."""
        index = self.speed_box.findData(speed)
        if index < 0:
            faster = (n for n in range(self.speed_box.count()) if self._speed_at(n) > speed)
            index = next(faster, self.speed_box.count())
            self.speed_box.insertItem(index, self._speed_text(speed), speed)
        self.speed_box.setCurrentIndex(index)

    def _speed_text(self, speed: float) -> str:
        if speed == 1:
            return self._texts("replay.speed_real")
        return self._texts("replay.speed_value", speed=_FRACTIONS.get(speed, f"{speed:g}"))

    def _speed_at(self, index: int) -> float:
        return float(self.speed_box.itemData(index))

    @Slot(int)
    def _index_changed(self, index: int) -> None:
        self.speed_chosen.emit(self._speed_at(index))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leaves Space to a button or list that has the keyboard, whatever else it is for."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Space
        ):
            event.accept()
            return True
        return super().eventFilter(watched, event)
