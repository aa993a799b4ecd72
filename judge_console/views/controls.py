"""The controls of the pages. All their text is plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFontMetrics,
    QKeyEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from judge_console.look.resources import base_font
from judge_console.look.style import talk_points
from judge_console.look.theme import Theme, set_style_property
from judge_console.views.keys import RepeatDetector

#: The most pixels that a desktop adds around a window.
FRAME: Final = QSize(16, 48)
#: The keys that count as Return.
_RETURN: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
#: The longest word, in characters, that is not broken.
LONG_WORD: Final = 24
#: The greatest width of a line to read, in average characters.
_MEASURE: Final = 60
_MAY_BREAK: Final = "\u200b"  # zero-width space


class TextLabel(QLabel):
    """Plain text that wraps.

    Arguments:
        text: the text.
        role: a name in the style sheet (`judge_console.look.style`).
    """

    def __init__(self, text: str = "", role: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        if role:
            self.setProperty("role", role)
        self.setText(text)


class Notice(TextLabel):
    """One line of news, which a screen reader reads when it changes. It is hidden while empty."""

    def __init__(self) -> None:
        super().__init__(role="notice")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.hide()

    def say(self, text: str, tone: str = "") -> None:
        """Shows a message; `tone` is a name in the style sheet, or empty for plain news."""
        set_style_property(self, "tone", tone)
        text = breakable(text)
        if text != self.text():
            self.setText(text)
            around = self.parentWidget()
            if around is not None and around.isVisible():
                announce(self, text, urgent=tone == "error")
        self.setVisible(bool(text))


def breakable(text: str) -> str:
    """A text whose long words, such as paths and addresses, may break: at punctuation, or anywhere
    if there is none."""
    return re.sub(rf"\S{{{LONG_WORD + 1},}}", lambda word: _broken(word[0]), text)


def _broken(word: str) -> str:
    pieces = re.split(r"(?<=[/\\.:_-])", word)
    shorter = (
        piece[at : at + LONG_WORD] for piece in pieces for at in range(0, len(piece), LONG_WORD)
    )
    return _MAY_BREAK.join(shorter)


class ReturnButton(QPushButton):
    """A button that Return presses too, only once if it is held down.

    Arguments:
        text: the button's text.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self._repeats = RepeatDetector()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _RETURN and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            if not self._repeats.is_repeat(event):
                self.click()
            return
        super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        self._repeats.released(event)
        super().keyReleaseEvent(event)


def buttons_row(*buttons: QPushButton) -> QHBoxLayout:
    """A row of buttons, each as wide as its text."""
    row = QHBoxLayout()
    for button in buttons:
        row.addWidget(button)
    row.addStretch(0)
    return row


def scrolled(page: QWidget) -> QScrollArea:
    """A page that scrolls if the window is too small for it. Its controls get the focus, never the
    area itself."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(page)
    return area


def focus_on(widget: QWidget) -> None:
    """Gives a widget the focus on behalf of the page, not of the mouse or Tab."""
    widget.setFocus(Qt.FocusReason.OtherFocusReason)


class Choices(QButtonGroup):
    """Radio buttons. None is chosen at first, so as not to suggest an answer. The arrow
    keys choose; Return chooses the focused button, or moves on if that is chosen already.

    Arguments:
        parent: the page.
        texts: value to the button's text.
        focus_next: gives the next control the focus.
        starts: another widget on which the arrow keys choose.

    Signals:
        chosen: (value) the person has chosen.

    Attributes:
        options: the buttons by value.
    """

    chosen = Signal(object)

    def __init__(
        self,
        parent: QWidget,
        texts: Mapping[Any, str],
        focus_next: Callable[[], object],
        starts: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._focus_next = focus_next
        self.options: dict[Any, QRadioButton] = {
            value: QRadioButton(text) for value, text in texts.items()
        }
        for value, button in self.options.items():
            self.addButton(button)
            button.clicked.connect(lambda _=False, value=value: self.chosen.emit(value))
        for widget in (*self.options.values(), starts):
            if widget is not None:
                widget.installEventFilter(self)

    def show(self, value: object, *, free: bool) -> None:
        """Shows the chosen button, if any, and enables or disables choosing."""
        # There is no other way to clear an exclusive group.
        self.setExclusive(value is not None)
        for each, button in self.options.items():
            button.setEnabled(free)
            button.setChecked(each == value)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handles Return, and the arrow keys while nothing is chosen, when Qt ignores them."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        buttons = list(self.options.values())
        before, after = buttons[0], buttons[-1]
        if isinstance(watched, QRadioButton):
            at = buttons.index(watched)
            before, after = buttons[max(0, at - 1)], buttons[min(at + 1, len(buttons) - 1)]
        sides: dict[int, QRadioButton] = {Qt.Key.Key_Left: before, Qt.Key.Key_Right: after}
        if isinstance(watched, QRadioButton):
            # On other pages these keys scroll, and the person may still intend that.
            sides |= {Qt.Key.Key_Up: before, Qt.Key.Key_Down: after}
        wanted = sides.get(event.key())
        if event.key() in _RETURN and isinstance(watched, QRadioButton):
            if not event.isAutoRepeat() and watched.isChecked():
                self._focus_next()
            elif not event.isAutoRepeat():
                watched.click()
        elif wanted is not None and wanted.isEnabled():
            wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)
            wanted.click()
        else:
            return False
        return True


class FocusWheelComboBox(QComboBox):
    """A list of choices that the wheel changes only if it has the focus: scrolling a page must not
    change a choice."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Changes the choice, or lets the page scroll."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def set_silently(widget: Any, name: str, value: Any) -> None:
    """Sets a control's value, if it differs, without emitting signals.

    Arguments:
        widget: the control.
        name: of the property: "value" for `value()` and `setValue`, and so on.
        value: the new value.
    """
    if getattr(widget, name)() != value:
        with QSignalBlocker(widget):
            getattr(widget, f"set{name[0].upper()}{name[1:]}")(value)


def single_shot(parent: QObject, act: Callable[[], object]) -> QTimer:
    """A timer that fires once after each start."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(act)
    return timer


def announce(widget: QWidget, text: str, *, urgent: bool = False) -> None:
    """Makes a screen reader announce a text, wherever the focus is; does nothing if none is
    running.

    Arguments:
        widget: where the text is on the screen.
        text: the text.
        urgent: whether it may interrupt what is being read.
    """
    if not text:
        return
    event = QAccessibleAnnouncementEvent(widget, text)
    if urgent:
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
    QAccessible.updateAccessibility(event)


def open_with_size(window: QWidget, size: QSize) -> None:
    """Gives a window its first size; with its frame, it is no larger than the screen."""
    window.resize(size.boundedTo(window.screen().availableSize() - FRAME))


class MessagePage(QScrollArea):
    """A message in the middle of the window.

    Arguments:
        theme: sizes.

    Signals:
        acted: the button was pressed.
    """

    acted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.heading, self.words = TextLabel(role="heading"), TextLabel()
        set_style_property(self.words, "talk", True)
        self.button = ReturnButton()
        self.button.clicked.connect(self.acted)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._card = QFrame()
        set_style_property(self._card, "card", True)
        self._column = QVBoxLayout(self._card)
        self._column.addWidget(self.heading)
        self._column.addWidget(self.words)
        self._column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        body = QWidget()
        across, outer = QHBoxLayout(), QVBoxLayout(body)
        across.addStretch(1)
        across.addWidget(self._card, 1000)
        across.addStretch(1)
        outer.addStretch(1)
        outer.addLayout(across)
        outer.addStretch(2)
        self.setWidget(body)
        theme.changed.connect(self._fit)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        metrics = QFontMetrics(base_font(talk_points(self._theme.zoom)))
        space = metrics.height()
        self._column.setSpacing(space // 2)
        self._column.setContentsMargins(space, space, space, space)
        self._card.setMaximumWidth(_MEASURE * metrics.averageCharWidth() + 2 * space)

    def say(self, heading: str, *sentences: str, button: str = "") -> None:
        """Shows a message.

        Arguments:
            heading: in a few words.
            sentences: each a paragraph; empty ones are left out.
            button: the button's text; empty for no button.
        """
        words = "\n\n".join(filter(None, sentences))
        for label, text in ((self.heading, heading), (self.words, words), (self.button, button)):
            set_silently(label, "text", text)
            label.setVisible(bool(text))
        self.setAccessibleName(heading)
        self.setAccessibleDescription(words)


class Question(QFrame):
    """A question with two answers, the safe one first. It covers no other control, and is hidden
    until asked.

    Arguments:
        no, yes: the buttons' texts.
        in_a_row: whether the buttons are beside the words, which takes less height.

    Attributes:
        words: the question.
        no, yes: the buttons.
    """

    def __init__(self, no: str, yes: str, *, in_a_row: bool = False) -> None:
        super().__init__()
        set_style_property(self, "card", True)
        self.words = TextLabel()
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.no, self.yes = ReturnButton(no), ReturnButton(yes)
        box = QHBoxLayout(self) if in_a_row else QVBoxLayout(self)
        box.addWidget(self.words, 1)
        box.addLayout(buttons_row(self.no, self.yes))
        self.hide()

    def ask(self, words: str) -> None:
        """Shows the question, and lets a screen reader read it; hides it if there are no words."""
        new = words != self.words.text()
        self.words.setText(words)
        self.setVisible(bool(words))
        if new:
            announce(self, words, urgent=True)
