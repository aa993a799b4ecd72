"""Plays a recorded talk in the panes that the judges saw, and the window around it.

`judge_console.model.playback.Playback` plays the recording. This module has the panes, a slider for
the position with everybody's typing below it, and the buttons. A timer runs only while playing. If
one side is a human and the other a program, the viewer may guess which before the sides are named.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import PurePath
from typing import Final

from PySide6.QtCore import QSize, Qt, QTimer, Slot
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QMainWindow,
    QPushButton,
    QSizePolicy,
    QSlider,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from judge_console.look.theme import Theme, set_style_property
from judge_console.model.playback import SPEEDS, Playback
from judge_console.model.timer import text_of
from judge_console.session import TICK
from judge_console.views.controls import (
    TextLabel,
    announce,
    buttons_row,
    open_with_size,
    scrolled,
    set_silently,
)
from judge_console.views.pane import PaneView
from judge_console.views.viewmenu import ViewMenu, add_action
from lpp.log2012 import Author, Place
from lpp.names import char_of
from lpp.recording import RecordedKey, Recording
from texts import Texts

#: The window's size when it opens, in pixels, if the screen is large enough.
SIZE: Final = QSize(1100, 800)
#: By how many seconds an arrow key moves the position, and Page Up and Page Down.
ARROW, PAGE = 5, 60
#: The most characters of a name in a recording; longer names are cut.
_NAME_LIMIT: Final = 24
#: The highest speed at which screen readers get finished lines; nobody could follow faster ones.
_READ_ALOUD: Final = 2.0
#: The minimum number of visible lines in a pane.
_LEAST_LINES: Final = 3
_AUTHORS: Final[tuple[Author, Author]] = ("judge", "entity")
#: Pixels of a bar of typing.
_BAR: Final = 2


class TypingStrip(QWidget):
    """Shows when one author typed in one talk, on the scale of the slider above: the more keys, the
    higher the bar.

    Arguments:
        times: when the keys were pressed, in seconds of the recording.
        duration: of the recording, in seconds.
        slider: the slider above.
        theme: the colours.
        own: whether the author is the judge.

    Attributes:
        keys: the number of key presses.
    """

    def __init__(
        self, times: Sequence[float], duration: float, slider: QSlider, theme: Theme, *, own: bool
    ) -> None:
        super().__init__()
        self.keys = len(times)
        self._times, self._duration, self._slider = times, max(duration, 1.0), slider
        self._theme, self._own = theme, own
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """As high as a line of text."""
        return QSize(280, self.fontMetrics().height())

    def bars(self) -> Counter[int]:
        """How many keys each bar stands for; a bar is named by its left edge, in pixels."""
        handle = self.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, None, self._slider)
        room = max(1, self.width() - handle)
        at = (handle / 2 + time / self._duration * room for time in self._times)
        return Counter(int(x // _BAR) * _BAR for x in at)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the bars."""
        palette, bars = self._theme.palette, self.bars()
        ink = QColor(palette.own if self._own else palette.other)
        most = max(bars.values(), default=0)
        painter = QPainter(self)
        for x, count in bars.items():
            # Square roots, so that people's typing stays visible next to a program's flood.
            high = math.ceil(math.sqrt(count / most) * self.height())
            painter.fillRect(x, self.height() - high, _BAR, high, ink)
        painter.end()


class ReplayView(QWidget):
    """Shows a recording with its controls. It starts paused, at the beginning.

    Arguments:
        recording: what to play; for a judge's earlier talk, `recording_of(past)`.
        theme: colours and sizes.
        texts: the words.
        monotonic: the clock for playing, in seconds.

    Attributes:
        playback: what is played, and its position.
        panes: the pane of each side.
        slider: the position, in full seconds.
        strips: show below the slider when the judge and the entity of each side typed.
        play_button, speed_box: play and pause, and how fast.
        guess: asks which side is the human's; hidden if the recording doesn't say.
    """

    def __init__(
        self,
        recording: Recording,
        theme: Theme,
        texts: Texts,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self.playback = Playback(recording)
        self.panes: dict[Place, PaneView] = {}
        self._texts, self._monotonic = texts, monotonic
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
        for side in recording.entities:
            pane = PaneView(theme, texts, {})
            pane.setAccessibleName(texts(f"talk.{side}_pane"))
            row.addWidget(pane.in_frame(""), 1)
            self.panes[side] = pane
        layout.addLayout(row, 1)
        self._make_position(layout, theme)
        self._make_bar(layout)
        self._about = self._make_about(recording)
        layout.addWidget(self._about)
        self._names = entity_names(recording, texts)
        hidden = dict.fromkeys(self._names, texts("replay.entity"))
        theme.changed.connect(self._look)
        self._look()
        self._draw_again()
        self._name_sides(hidden if self.can_guess else self._names)
        self._follow()

    # The parts

    def _make_guess(self, recording: Recording) -> QWidget:
        texts = self._texts
        self._human = next((side for side, who in recording.entities.items() if who == "human"), "")
        self.can_guess = set(recording.entities.values()) == {"human", "program"}
        self.guess = QWidget()
        self._asked = TextLabel(texts("replay.guess"))
        self._answers = []
        for key, side in (
            ("verdict.left", "left"),
            ("verdict.right", "right"),
            ("replay.tell", ""),
        ):
            button = QPushButton(texts(key))
            button.clicked.connect(partial(self.reveal, side))
            self._answers.append(button)
        column = QVBoxLayout(self.guess)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._asked)
        column.addLayout(buttons_row(*self._answers))
        self.guess.setVisible(self.can_guess)
        return self.guess

    def _make_position(self, layout: QVBoxLayout, theme: Theme) -> None:
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, math.ceil(self.playback.duration))
        self.slider.setSingleStep(ARROW)
        self.slider.setPageStep(PAGE)
        self.slider.setAccessibleName(self._texts("replay.position_label"))
        self.slider.setAccessibleDescription(self._texts("replay.position_keys"))
        self.slider.setToolTip(self._texts("replay.position_keys"))
        self.slider.valueChanged.connect(lambda seconds: self.seek(float(seconds)))
        self.position_label = TextLabel()
        self.position_label.setWordWrap(False)
        grid = QGridLayout()
        grid.setVerticalSpacing(2)
        self.strips: dict[tuple[Place, Author], tuple[TextLabel, TypingStrip]] = {}
        recording = self.playback.recording
        times = [us / 1_000_000 for us in recording.offsets_us()]
        for side in recording.entities:
            for author in _AUTHORS:
                own = [
                    time
                    for press, time in zip(recording.presses, times, strict=True)
                    if (press.side, press.author) == (side, author)
                ]
                name = TextLabel("", "muted")
                strip = TypingStrip(
                    own, self.playback.duration, self.slider, theme, own=author == "judge"
                )
                self.strips[side, author] = name, strip
                grid.addWidget(name, len(self.strips), 0)
                grid.addWidget(strip, len(self.strips), 1)
        grid.addWidget(self.position_label, 0, 0)
        grid.addWidget(self.slider, 0, 1)
        grid.setColumnStretch(1, 1)
        layout.addLayout(grid)

    def _make_bar(self, layout: QVBoxLayout) -> None:
        texts = self._texts
        self.play_button = QPushButton(texts("replay.play"))
        self.play_button.clicked.connect(self.toggle)
        set_style_property(self.play_button, "primary", True)
        self.speed_box = QComboBox()
        for speed in SPEEDS:
            self.speed_box.addItem(self._speed_text(speed), speed)
        self.speed_box.setCurrentIndex(SPEEDS.index(1.0))
        self.speed_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.speed_box.currentIndexChanged.connect(self._choose_speed)
        label = TextLabel(texts("replay.speed"))
        label.setWordWrap(False)
        label.setBuddy(self.speed_box)
        row = buttons_row(self.play_button)
        row.addWidget(label)
        row.addWidget(self.speed_box)
        layout.addLayout(row)

    def _make_about(self, recording: Recording) -> TextLabel:
        lines = [_plain(line) for line in recording.about]
        if recording.losses:
            lines.append(self._texts("replay.losses", n=len(recording.losses)))
        if not self.playback.has_times:
            lines.append(self._texts("replay.no_times"))
        about = TextLabel(" · ".join(line for line in lines if line), "muted")
        # A file's header names the sides.
        about.setVisible(bool(about.text()) and not self.can_guess)
        return about

    def _speed_text(self, speed: float) -> str:
        if speed == 1:
            return self._texts("replay.speed_real")
        return self._texts("replay.speed_value", speed=f"{speed:g}")

    # The sides' names

    def reveal(self, guessed: str = "", _checked: bool = False) -> None:
        """Names the sides, and says whether a guess ("left" or "right") was correct."""
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
            pane.heading.setText(self._who(side, names[side]))
        for (side, author), (name, strip) in self.strips.items():
            who = self._who(side, self._texts("replay.judge") if author == "judge" else names[side])
            name.setText(who)
            strip.setAccessibleName(self._texts("replay.typed", who=who, n=strip.keys))

    def _who(self, side: Place, name: str) -> str:
        return self._texts("replay.pane", side=self._texts(f"talk.{side}"), who=name)

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
        """Starts or resumes playing; at the end, starts again from the beginning."""
        at_end = self.playback.at_end
        self.playback.play()
        if at_end:
            self._draw_again()
        if self.playback.playing:
            self._ticked = self._monotonic()
            self._timer.start()
        self._follow()

    @Slot()
    def pause(self) -> None:
        """Pauses."""
        self.playback.playing = False
        self._follow()

    def seek(self, position: float) -> None:
        """Moves to another position, in seconds of the recording."""
        self._draw(again=self.playback.seek(position))

    def set_speed(self, speed: float) -> None:
        """Changes the speed; one that is not in the list is added to it.

        Arguments:
            speed: how many times as fast.

        Raises:
            ValueError: see `Playback.set_speed`.
        """
        if speed != self.playback.speed:
            self.tick()  # until now the old speed applies
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
        """Shows the key presses that were due since the last call."""
        if not self.playback.playing:
            return
        now = self._monotonic()
        gone, self._ticked = now - self._ticked, now
        due = self.playback.advance(gone)
        self._draw()
        if self.playback.speed <= _READ_ALOUD:
            self._read_out(due)

    def _read_out(self, due: Iterable[RecordedKey]) -> None:
        for press in due:
            if char_of(press.key) == "\n" and press.side in self.panes:
                text = self.playback.talks[press.side].text(press.author)
                line = text.removesuffix("\n").rpartition("\n")[2]
                names = {"judge": self._texts("replay.judge")}
                name = names.get(press.author, self._shown_names[press.side])
                who = self._who(press.side, name)
                announce(self.panes[press.side], self._texts("replay.said", who=who, text=line))

    def _draw(self, *, again: bool = False) -> None:
        if again:
            self._draw_again()
        else:
            for pane in self.panes.values():
                pane.draw()
        self._follow()

    def _draw_again(self) -> None:
        for side, pane in self.panes.items():
            pane.show_conversation(self.playback.talks[side])

    def _follow(self) -> None:
        """Shows the position, and whether it is playing."""
        playback, texts = self.playback, self._texts
        if not playback.playing:
            self._timer.stop()
        set_silently(self.slider, "value", int(playback.position))
        at, total = text_of(int(playback.position)), text_of(int(playback.duration))
        position = texts("replay.position", at=at, total=total)
        if playback.at_end and playback.recording.presses:
            position += f" – {texts('replay.done')}"
        if position != self.position_label.text():
            self.position_label.setText(position)
        word = texts("replay.pause" if playback.playing else "replay.play")
        if word != self.play_button.text():
            self.play_button.setText(word)
            announce(self, texts("replay.playing" if playback.playing else "replay.paused"))

    # Qt's events

    @Slot()
    def _look(self) -> None:
        for pane in self.panes.values():
            metrics = pane.fontMetrics()
            pane.setMinimumSize(8 * metrics.averageCharWidth(), _LEAST_LINES * metrics.height())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Gives the first button the focus. (A focus proxy would take the panes out of the tab
        order.)"""
        self.play_button.setFocus(event.reason())

    def hideEvent(self, event: QHideEvent) -> None:
        """Pauses when another page covers it."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.pause()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space plays and pauses, unless a control uses it."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self.toggle()
        else:
            super().keyPressEvent(event)


def entity_names(recording: Recording, texts: Texts) -> dict[Place, str]:
    """The name of the person or program on each side of a recording, to show."""
    known = {who: texts(f"replay.{who}") for who in ("program", "human", "entity")}
    return {
        side: known[who] if who in known else _cut(_plain(who)) or known["entity"]
        for side, who in recording.entities.items()
    }


def _cut(name: str) -> str:
    return name if len(name) <= _NAME_LIMIT else name[: _NAME_LIMIT - 1] + "…"


def _plain(line: str) -> str:
    """Text from a file as one line, without characters that reverse or hide the text around it."""
    return " ".join("".join(char if char.isprintable() else " " for char in line).split())


class ReplayWindow(QMainWindow):
    """A window around a `ReplayView`.

    Arguments:
        recording: what to play.
        theme: colours and sizes, which the window's menu sets.
        texts: the words.

    Attributes:
        view: what is played.
    """

    def __init__(self, recording: Recording, theme: Theme, texts: Texts) -> None:
        super().__init__()
        talk = self.menuBar().addMenu(texts("menu.talk"))
        quit_keys = QKeySequence(QKeySequence.StandardKey.Quit)
        add_action(talk, texts("menu.quit"), self.close, quit_keys)
        self._view_menu = ViewMenu(self, theme, texts)
        self.menuBar().addMenu(self._view_menu)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self.leave_full_screen)
        self.view = ReplayView(recording, theme, texts)
        self.setCentralWidget(self.view)
        self.view.setFocus()
        # A file's name is shown as text; a title leaves out what can't be shown.
        file = "".join(char for char in PurePath(recording.name).name if char.isprintable())
        self.setWindowTitle(texts("window.replay", file=file))
        open_with_size(self, SIZE)

    @Slot()
    def leave_full_screen(self) -> None:
        """Leaves full screen, if the window is in it."""
        if self.isFullScreen():
            self._view_menu.toggle_full_screen()
