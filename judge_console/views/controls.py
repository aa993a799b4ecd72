"""The controls of the pages on which something is decided."""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSpinBox,
)

from judge_console.look.theme import mark
from judge_console.views.announce import announce
from judge_console.views.repeats import Repeats

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
        """See Qt."""
        if event.key() in _RETURN and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            if not self._repeats.is_repeat(event):
                self.click()
            return
        super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """See Qt."""
        self._repeats.released(event)
        super().keyReleaseEvent(event)


class BrokenButton(ActButton):
    """A button whose words are broken into lines where the room ends.

    Arguments:
        words: what stands on it.
    """

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words, self._note = words, ""
        self.setAccessibleName(words)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._break()

    @property
    def words(self) -> str:
        """What stands on it, in one line."""
        return self._words

    def set_note(self, note: str) -> None:
        """A line of its own under the words; there is room for one in any case."""
        if note != self._note:
            self._note = note
            self._break()

    def _break(self) -> None:
        self.ensurePolished()
        metrics = self.fontMetrics()
        # What the style sheet puts around the words.
        around = super().sizeHint().width() - metrics.size(0, self.text()).width()
        room = self.width() - around
        broken = lines_of(self._words, metrics, room) + ([self._note] if self._note else [])
        if "\n".join(broken) != self.text():
            self.setText("\n".join(broken))

    def sizeHint(self) -> QSize:
        """Room for the note, whether there is one or not: nothing moves when it comes."""
        hint = super().sizeHint()
        if not self._note:
            hint.setHeight(hint.height() + self.fontMetrics().lineSpacing())
        return hint

    def minimumSizeHint(self) -> QSize:
        """The same."""
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Breaks the words anew."""
        super().resizeEvent(event)
        self._break()

    def changeEvent(self, event: QEvent) -> None:
        """Breaks the words anew where the size of the text is another one."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._break()


def buttons_row(*buttons: QPushButton) -> QHBoxLayout:
    """Buttons beside each other, at their own width."""
    row = QHBoxLayout()
    for button in buttons:
        row.addWidget(button)
    row.addStretch(0)
    return row


def lines_of(words: str, metrics: QFontMetrics, room: int) -> list[str]:
    """Breaks words into lines of at most `room` pixels; a word is never broken."""
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and metrics.horizontalAdvance(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


class CalmComboBox(QComboBox):
    """A list of choices that a turn of the wheel changes only where it has the keyboard: a page
    that is scrolled must not change what was chosen."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: Any) -> None:
        """See Qt."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class CalmSpinBox(QSpinBox):
    """A number; see `CalmComboBox`."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: Any) -> None:
        """See Qt."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


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
