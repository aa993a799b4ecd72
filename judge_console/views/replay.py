"""A recorded talk, played again in the panes in which judges saw it.

The playing itself is `judge_console.model.playback.Playback`; here are the panes, the time line,
and what a person plays by. One timer runs, and only while something is played. Where one side is
a human and the other a program, the viewer may guess which before the sides are named.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from judge_console.look.theme import Theme, mark
from judge_console.model.playback import SPEEDS, Playback
from judge_console.model.timer import text_of
from judge_console.session import TICK
from judge_console.texts import Texts
from judge_console.views.controls import FlowLayout, Words, announce, scrolled
from judge_console.views.pane import SmallPane
from judge_console.views.timeline import TimelineView
from lpp.log2012 import Place
from lpp.names import char_of
from lpp.recording import Recorded, Recording

#: Characters of a name that a recording may give to who sits there; what is longer is cut.
_NAME_LIMIT: Final = 24
#: Up to this speed, finished lines are given to screen readers: faster they can't be followed.
_READ_ALOUD: Final = 2.0
#: Lines of text that a pane shows at least.
_LEAST_LINES: Final = 3
#: Speeds that are written as fractions, which read the same in all languages.
_FRACTIONS: Final = {0.25: "¼", 0.5: "½"}


class ReplayView(QWidget):
    """A recording with all that it is played by.

    Arguments:
        recording: what to play; of a judge's earlier talk, `recording_of(past)`.
        theme: colours and sizes.
        texts: the words.
        monotonic: the clock of the playing, in seconds.

    Signals:
        playing_changed: (playing) it plays now, or stands still.

    Attributes:
        playback: what is played, and where it stands.
        panes: what stands at each side.
        timeline: who pressed how many keys when.
        play_button, speed_box: play and pause, and how fast.
        guess: asks which side is the human's; hidden where that is not known.

    It stands at the beginning, and plays when it is told to. Space plays and pauses, wherever the
    keyboard is, but on buttons and lists, which have their own use for it.
    """

    playing_changed = Signal(bool)

    def __init__(
        self,
        recording: Recording,
        theme: Theme,
        texts: Texts,
        parent: QWidget | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self.playback = Playback(recording)
        self.panes: dict[Place, SmallPane] = {}
        self._texts, self._theme, self._monotonic = texts, theme, monotonic
        self._ticked = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(round(TICK * 1000))
        self._timer.timeout.connect(self.tick)
        self.setAccessibleName(texts("replay.heading"))
        page = QWidget()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(page))
        layout = QVBoxLayout(page)
        layout.addWidget(self._make_guess(recording))
        row = QHBoxLayout()
        for side in recording.sitters:
            pane = SmallPane(theme, texts, {})
            pane.setAccessibleName(texts(f"talk.{side}_pane"))
            row.addWidget(pane.framed(""), 1)
            self.panes[side] = pane
        layout.addLayout(row, 1)
        self._names = sitter_names(recording, texts)
        hidden = dict.fromkeys(self._names, texts("replay.entity"))
        self.timeline = TimelineView(self.playback, theme, texts, hidden)
        self.timeline.sought.connect(self.seek)
        self.timeline.stepped.connect(self.step)
        layout.addWidget(self.timeline)
        legend = QHBoxLayout()
        legend.addWidget(Words(texts("replay.timeline_about"), "muted"), 1)
        self.position_label = Words()
        self.position_label.setAlignment(Qt.AlignmentFlag.AlignRight)
        legend.addWidget(self.position_label, 1)
        layout.addLayout(legend)
        layout.addWidget(self._make_bar())
        self._about = self._make_about(recording)
        layout.addWidget(self._about)
        space = QShortcut(QKeySequence(Qt.Key.Key_Space), self, self.toggle)
        space.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        space.setAutoRepeat(False)
        theme.changed.connect(self._look)
        self._look()
        self._draw_anew()
        self._name_sides(hidden if self.can_guess else self._names)
        self._tell()

    # Its parts

    def _make_guess(self, recording: Recording) -> QWidget:
        texts = self._texts
        self._human = next((side for side, who in recording.sitters.items() if who == "human"), "")
        self.can_guess = set(recording.sitters.values()) == {"human", "program"}
        self.guess, self._answers = QWidget(), list[QPushButton]()
        flow = FlowLayout(self.guess)
        self._asked = _label(texts("replay.guess"))
        flow.addWidget(self._asked)
        for key, side in (
            ("verdict.left", "left"),
            ("verdict.right", "right"),
            ("replay.tell", ""),
        ):
            button = self._button(key, flow)
            button.clicked.connect(partial(self.reveal, side))
            self._answers.append(button)
        self.guess.setVisible(self.can_guess)
        return self.guess

    def _make_about(self, recording: Recording) -> Words:
        lines = [_plain(line) for line in recording.about]
        if recording.losses:
            lines.append(self._texts("replay.losses", n=len(recording.losses)))
        if not self.playback.has_times:
            lines.append(self._texts("replay.no_times"))
        about = Words(" · ".join(line for line in lines if line), "muted")
        # A file's header names the sides.
        about.setVisible(bool(about.text()) and not self.can_guess)
        return about

    def _make_bar(self) -> QWidget:
        texts, bar = self._texts, QWidget()
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        bar.setSizePolicy(policy)
        flow = FlowLayout(bar)
        self.play_button = self._button("replay.play", flow)
        self.play_button.clicked.connect(self.toggle)
        mark(self.play_button, "primary", True)
        for key, act in (
            ("replay.restart", partial(self.seek, 0.0)),
            ("replay.back_one", partial(self.step, -1)),
            ("replay.forward_one", partial(self.step, 1)),
            ("replay.end", partial(self.seek, math.inf)),
        ):
            self._button(key, flow).clicked.connect(lambda _=False, act=act: act())
        self.speed_box = QComboBox()
        for speed in SPEEDS:
            self.speed_box.addItem(self._speed_text(speed), speed)
        self.speed_box.setCurrentIndex(SPEEDS.index(1.0))
        self.speed_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.speed_box.currentIndexChanged.connect(self._choose_speed)
        self.speed_box.installEventFilter(self)
        label = _label(texts("replay.speed"))
        label.setBuddy(self.speed_box)
        # Together on one row, wherever that is.
        pair = QWidget()
        row = QHBoxLayout(pair)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label)
        row.addWidget(self.speed_box)
        flow.addWidget(pair)
        return bar

    def _button(self, key: str, flow: FlowLayout) -> QPushButton:
        button = QPushButton(self._texts(key))
        button.installEventFilter(self)
        flow.addWidget(button)
        return button

    def _speed_text(self, speed: float) -> str:
        if speed == 1:
            return self._texts("replay.speed_real")
        return self._texts("replay.speed_value", speed=_FRACTIONS.get(speed, f"{speed:g}"))

    # Who sits where

    def reveal(self, guessed: str = "", _checked: bool = False) -> None:
        """Names the sides; says whether a guess, "left" or "right", was right."""
        for button in self._answers:
            button.hide()
        self._about.setVisible(bool(self._about.text()))
        self._name_sides(self._names)
        told = self._texts("desk.human_left" if self._human == "left" else "desk.human_right")
        if guessed:
            right = "replay.guessed" if guessed == self._human else "replay.missed"
            told = f"{self._texts(right)} {told}"
        self._asked.setText(told)
        announce(self, told)

    def _name_sides(self, names: Mapping[Place, str]) -> None:
        self._shown_names = names
        for side, pane in self.panes.items():
            pane.set_names({"judge": self._texts("replay.judge"), "entity": names[side]})
            where = self._texts(f"talk.{side}")
            pane.heading.setText(self._texts("replay.pane", side=where, who=names[side]))
        self.timeline.name_sitters(names)

    # Playing

    @Slot()
    def toggle(self) -> None:
        """Plays, or pauses."""
        if self.playback.playing:
            self.pause()
        else:
            self.play()

    @Slot()
    def play(self) -> None:
        """Goes on; from the beginning if it stands at the end."""
        at_end = self.playback.at_end
        self.playback.play()
        if at_end:
            self._draw_anew()
        if self.playback.playing:
            self._ticked = self._monotonic()
            self._timer.start()
        self._tell()

    @Slot()
    def pause(self) -> None:
        """Stands still."""
        self.playback.pause()
        self._tell()

    @Slot(float)
    def seek(self, position: float) -> None:
        """Goes to another position, in seconds of the recording; infinity is the end."""
        self._drawn(anew=self.playback.seek(position))

    @Slot(int)
    def step(self, keys: int) -> None:
        """Stands still, so many key presses further on, or back."""
        self.playback.pause()
        self._drawn(anew=self.playback.step(keys))

    def set_speed(self, speed: float) -> None:
        """Another speed; one that is not in the list is added to it.

        Arguments:
            speed: how many times as fast.

        Raises:
            ValueError: if it can't be played so fast or so slowly; see `Playback.set_speed`.
        """
        if speed != self.playback.speed:
            self.tick()  # what has gone by has gone by at the old speed
            self.playback.set_speed(speed)
            known = [float(self.speed_box.itemData(n)) for n in range(self.speed_box.count())]
            if speed not in known:
                place = sum(other < speed for other in known)
                self.speed_box.insertItem(place, self._speed_text(speed), speed)
            self.speed_box.setCurrentIndex(self.speed_box.findData(speed))

    @Slot(int)
    def _choose_speed(self, index: int) -> None:
        self.set_speed(float(self.speed_box.itemData(index)))

    @Slot()
    def tick(self) -> None:
        """Shows what was due since the last time."""
        if not self.playback.playing:
            return
        now = self._monotonic()
        gone, self._ticked = now - self._ticked, now
        due = self.playback.advance(gone)
        self._drawn(anew=False)
        if self.playback.speed <= _READ_ALOUD:
            self._say_lines(due)

    def _say_lines(self, due: Iterable[Recorded]) -> None:
        for press in due:
            if char_of(press.key) == "\n" and press.side in self.panes:
                text = self.playback.talks[press.side].text(press.author)
                line = text.removesuffix("\n").rpartition("\n")[2]
                who = self._shown_names[press.side]
                if press.author == "judge":
                    who = self._texts("replay.judge")
                side = self._texts(f"replay.{press.side}")
                who = self._texts("replay.row_name", side=side, who=who)
                announce(self.panes[press.side], self._texts("replay.said", who=who, text=line))

    def _drawn(self, *, anew: bool) -> None:
        if anew:
            self._draw_anew()
        else:
            for pane in self.panes.values():
                pane.draw()
        self._tell()

    def _draw_anew(self) -> None:
        for side, pane in self.panes.items():
            pane.show_conversation(self.playback.talks[side])

    def _tell(self) -> None:
        """Says where it stands, and whether it plays."""
        playing = self.playback.playing
        if not playing:
            self._timer.stop()
        self.timeline.follow()
        at, total = text_of(int(self.playback.position)), text_of(int(self.playback.duration))
        position = self._texts("replay.position", at=at, total=total)
        if self.playback.at_end and self.playback.recording.presses:
            position += f" – {self._texts('replay.done')}"
        if position != self.position_label.text():
            self.position_label.setText(position)
        word = self._texts("replay.pause" if playing else "replay.play")
        if word != self.play_button.text():
            self.play_button.setText(word)
            announce(self, self._texts("replay.playing" if playing else "replay.paused"))
            self.playing_changed.emit(playing)

    # What Qt asks

    @Slot()
    def _look(self) -> None:
        for pane in self.panes.values():
            lines = _LEAST_LINES * pane.fontMetrics().lineSpacing()
            pane.setMinimumSize(QSize(8 * pane.fontMetrics().averageCharWidth(), lines))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Gives the keyboard to the first button. (A focus proxy would take the panes out of the
        round of Tab.)"""
        self.play_button.setFocus(event.reason())

    def hideEvent(self, event: QHideEvent) -> None:
        """What nobody sees is not played on."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.pause()

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


def _label(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def sitter_names(recording: Recording, texts: Texts) -> dict[Place, str]:
    """How who sits at each side of a recording is called, in words for a screen."""
    known = {
        "program": texts("replay.program"),
        "human": texts("replay.human"),
        "entity": texts("replay.entity"),
    }
    return {
        side: known[who] if who in known else _cut(_plain(who)) or texts("replay.entity")
        for side, who in recording.sitters.items()
    }


def _cut(name: str) -> str:
    return name if len(name) <= _NAME_LIMIT else name[: _NAME_LIMIT - 1] + "…"


def _plain(line: str) -> str:
    """A line of a file in one line, without what could turn or hide the text around it."""
    return " ".join("".join(char if char.isprintable() else " " for char in line).split())
