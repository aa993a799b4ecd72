"""The controls that the pages are made of. All text in them is plain text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from PySide6.QtCore import (
    QObject,
    QPoint,
    QRect,
    QSignalBlocker,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFontMetrics,
    QKeyEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLayoutItem,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from judge_console.look.resources import base_font
from judge_console.look.style import talk_points
from judge_console.look.theme import Theme, mark
from judge_console.texts import Texts
from judge_console.views.keys import Repeats

_RETURN: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Words(QLabel):
    """Words that are only words, broken into lines where the room ends.

    Arguments:
        text: they.
        role: how the style sheet shows them (`judge_console.look.style`).
    """

    def __init__(self, text: str = "", role: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        if role:
            self.setProperty("role", role)
        self.setText(text)


class Notice(Words):
    """Where something stands: one line that changes in its place, and is read out when it does."""

    def __init__(self) -> None:
        super().__init__(role="notice")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def say(self, text: str, tone: str = "") -> None:
        """Says it; `tone` is "ok", "error" or empty."""
        mark(self, "tone", tone)
        if text != self.text():
            self.setText(text)
            if self.isVisible():
                announce(self, text, urgent=tone == "error")


class ActButton(QPushButton):
    """A button that Return presses too, once however long it is held.

    Arguments:
        text: what stands on it.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self._repeats = Repeats()

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
    """Buttons beside each other, at their own width."""
    row = QHBoxLayout()
    for button in buttons:
        row.addWidget(button)
    row.addStretch(0)
    return row


def scrolled(page: QWidget) -> QScrollArea:
    """A page that can be scrolled where the window is too small for it. What is on it has the
    focus, never the area itself."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(page)
    return area


def focus_on(widget: QWidget) -> None:
    """Gives a widget the keyboard, for a reason of the page's own."""
    widget.setFocus(Qt.FocusReason.OtherFocusReason)


class CalmComboBox(QComboBox):
    """A list of choices that the wheel changes only where it has the keyboard: a page that is
    scrolled must not change what was chosen."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Changes the choice, or leaves the wheel to the page."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def put(widget: Any, name: str, value: Any) -> None:
    """Sets what a control shows, where it shows something else, without its saying so.

    Arguments:
        widget: the control.
        name: of what: "value" for `value()` and `setValue`, and so on.
        value: what it is to show.
    """
    if getattr(widget, name)() != value:
        with QSignalBlocker(widget):
            getattr(widget, f"set{name[0].upper()}{name[1:]}")(value)


def once(parent: QObject, act: Callable[[], object]) -> QTimer:
    """A timer that acts once after each start."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(act)
    return timer


def announce(widget: QWidget, text: str, *, urgent: bool = False) -> None:
    """Has a screen reader say something, wherever the focus is; where none runs, nothing happens.

    Arguments:
        widget: where it stands on the screen.
        text: what.
        urgent: whether it may cut off what is being read.
    """
    if not text:
        return
    event = QAccessibleAnnouncementEvent(widget, text)
    if urgent:
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
    QAccessible.updateAccessibility(event)


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
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int, /) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int, /) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """It takes no more room than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """The narrower it is, the more rows it has."""
        return True

    def heightForWidth(self, width: int, /) -> int:
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


#: The widest that a line of reading should be, in widths of an average character.
_MEASURE: Final = 60


class MessagePage(QScrollArea):
    """Words in the middle of the window.

    Arguments:
        theme: sizes.

    Signals:
        acted: the button was pressed.
    """

    acted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.heading = Words(role="heading")
        self.sentences = [Words(), Words(), Words(role="muted")]
        for words in self.sentences:
            words.setProperty("talk", True)
        self.button = ActButton()
        self.button.clicked.connect(self.acted)
        self.button.hide()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._card = QFrame()
        self._card.setProperty("card", True)
        self._column = QVBoxLayout(self._card)
        for words in (self.heading, *self.sentences):
            self._column.addWidget(words)
        self._column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        body = QWidget()
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(self._card, 1000)
        across.addStretch(1)
        outer = QVBoxLayout(body)
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

    def say(self, heading: str, sentences: Sequence[str], button: str = "") -> None:
        """Says it.

        Arguments:
            heading: in a few words.
            sentences: up to three; the first is what matters. Empty ones are left out.
            button: what stands on the button; empty for none.
        """
        said = [sentence for sentence in sentences if sentence]
        for label, words in zip(
            (self.heading, *self.sentences), (heading, *said, "", "", ""), strict=False
        ):
            if words != label.text():
                label.setText(words)
            label.setVisible(bool(words))
        if button != self.button.text():
            self.button.setText(button)
        self.button.setVisible(bool(button))
        self.setAccessibleName(heading)
        self.setAccessibleDescription(" ".join(said))


class Question(QFrame):
    """A question in its place, with two answers of which the safe one comes first; it covers
    nothing, and is hidden until it is asked.

    Arguments:
        no, yes: the buttons' texts.
        in_a_row: whether the buttons stand beside the words, which takes less height.

    Attributes:
        words: the question.
        no, yes: the buttons.
    """

    def __init__(self, no: str, yes: str, *, in_a_row: bool = False) -> None:
        super().__init__()
        mark(self, "card", True)
        self.words = Words()
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.no, self.yes = ActButton(no), ActButton(yes)
        box = QHBoxLayout(self) if in_a_row else QVBoxLayout(self)
        box.addWidget(self.words, 1)
        box.addLayout(buttons_row(self.no, self.yes))
        self.hide()

    def ask(self, words: str) -> None:
        """Asks; no words ask nothing."""
        self.words.setText(words)
        self.setVisible(bool(words))


#: The texts of how keys are called on a keyboard, and of what each does.
KEYS: Final = (
    ("keys.called.switch", "keys.switch"),
    ("keys.called.scroll", "keys.scroll"),
    ("keys.called.read", "keys.read"),
    ("keys.called.copy", "keys.copy"),
    ("keys.called.larger", "keys.larger"),
    ("keys.called.smaller", "keys.smaller"),
    ("keys.called.normal", "keys.normal"),
    ("keys.called.full_screen", "keys.full_screen"),
    ("keys.called.leave_full_screen", "keys.leave_full_screen"),
    ("keys.called.help", "keys.help"),
)


class KeyHelp(QDialog):
    """A list of the keys, beside the window and never in its way: it is closed with Esc, and by
    itself when another page comes.

    Arguments:
        texts: the words.
        parent: the window.
    """

    def __init__(self, texts: Texts, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(texts("keys.heading"))
        body = QWidget()
        grid = QGridLayout(body)
        grid.setColumnStretch(1, 1)
        grid.setHorizontalSpacing(2 * grid.horizontalSpacing() + self.fontMetrics().height())
        for row, (called, does) in enumerate(KEYS):
            name = Words(texts(called), "side")
            name.setWordWrap(False)
            grid.addWidget(name, row, 0)
            grid.addWidget(Words(texts(does)), row, 1)
        area = QScrollArea()
        area.setWidget(body)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        close = ActButton(texts("keys.close"))
        close.clicked.connect(self.close)
        column = QVBoxLayout(self)
        column.addWidget(area, 1)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        close.setFocus()
        self.resize(self.sizeHint().expandedTo(body.sizeHint()).boundedTo(parent.size()))
