"""The line that a person types: it displays the draft, with a caret at its end.

It is not an editor and has no text of its own. Typed keys are sent one by one and come back as the
talk's draft, which is drawn here. So nothing is corrected without the person's knowledge, and the
line shows exactly what was sent. Input methods and dead keys work: the text that they compose is
underlined until it is complete.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal, Slot
from PySide6.QtGui import (
    QFocusEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QTextCursor,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QPlainTextEdit

from judge_console.look.theme import Theme, set_style_property
from judge_console.views.keys import Command, RepeatDetector, Typed, meaning, typed
from lpp.lines import limit_accents
from lpp.names import BACKSPACE

#: How many rows of a long line are visible.
LINES: Final = 2
_CARET: Final = 3

TABS: Final = frozenset({Qt.Key.Key_Tab, Qt.Key.Key_Backtab})

#: The system must not complete, correct or learn what is typed here.
_HINTS: Final = (
    Qt.InputMethodHint.ImhNoPredictiveText
    | Qt.InputMethodHint.ImhNoAutoUppercase
    | Qt.InputMethodHint.ImhSensitiveData
)


class InputLine(QPlainTextEdit):
    """Shows an unfinished line.

    Arguments:
        theme: sizes of fonts.

    Signals:
        typed: key names, as a tuple.
        unsendable: a character without a key name.
        commanded: a `Command` of the keyboard.
        pasted: a text.
        entered: the line has got the focus.
    """

    typed = Signal(object)
    unsendable = Signal(str)
    commanded = Signal(object)
    pasted = Signal(str)
    entered = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._draft = ""
        self._repeats = RepeatDetector()
        set_style_property(self, "talk", True)
        self.setUndoRedoEnabled(False)
        self.setAcceptDrops(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setInputMethodHints(_HINTS)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.set_open(True)
        theme.changed.connect(self._fit)
        self._fit()

    # What is shown

    @property
    def draft(self) -> str:
        """The draft that is shown."""
        return self._draft

    def draw(self, draft: str) -> None:
        """Shows a draft, with the caret at its end."""
        if draft == self._draft:
            return
        self._draft = draft
        self.setPlainText(limit_accents(draft))
        self.moveCursor(QTextCursor.MoveOperation.End)
        self.ensureCursorVisible()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keeps the end visible when the rows change, and when the line is first shown."""
        super().resizeEvent(event)
        self.ensureCursorVisible()

    def set_open(self, is_open: bool) -> None:
        """Shows the caret, or hides it while keys do not count."""
        width = _CARET if is_open else 0
        if width != self.cursorWidth():
            self.setCursorWidth(width)

    @Slot()
    def _fit(self) -> None:
        self.ensurePolished()
        around = 2 * int(self.document().documentMargin()) + self.contentsMargins().top()
        around += self.contentsMargins().bottom()
        self.setFixedHeight(LINES * self.fontMetrics().lineSpacing() + around)

    # Keys

    def take(self, event: QKeyEvent) -> bool:
        """Handles a key.

        Returns:
            Whether it has a meaning here.
        """
        meant = meaning(event, self._repeats.is_repeat(event))
        if isinstance(meant, Typed):
            self._type(meant)
        elif isinstance(meant, Command):
            if meant is Command.PASTE:
                self._paste(QGuiApplication.clipboard().text())
            else:
                self.commanded.emit(meant)
        return meant is not None

    def _type(self, meant: Typed) -> None:
        if meant.keys:
            self.typed.emit(meant.keys)
        if meant.unsendable:
            self.unsendable.emit(meant.unsendable)

    def event(self, event: QEvent) -> bool:
        """Keeps typed keys from being taken as shortcuts of the window."""
        if event.type() == QEvent.Type.ShortcutOverride:
            assert isinstance(event, QKeyEvent)
            # Alt alone would make the menus take the next letters; Alt with a letter opens a menu.
            event.setAccepted(meaning(event) is not None or event.key() == Qt.Key.Key_Alt)
            return event.isAccepted()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Types the key, performs its command, or leaves it to the window."""
        # A Tab without a meaning would move the focus in one of the parent widgets.
        event.setAccepted(self.take(event) or event.key() in TABS)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Notes a released key."""
        self._repeats.released(event)
        event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Reports the focus."""
        super().focusInEvent(event)
        self.entered.emit()

    def focusNextPrevChild(self, next_: bool, /) -> bool:
        """Tab is a key press of the protocol."""
        return False

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Types composed text, and shows what is still being composed."""
        length = event.replacementLength()
        if length and event.replacementStart() + length == 0:
            # Some systems write a letter first, and then replace it with one that has an accent.
            replaced = self._draft.encode("utf-16-le", "surrogatepass")[-2 * length :]
            count = len(replaced.decode("utf-16-le", "surrogatepass"))
            self.typed.emit((BACKSPACE,) * count)
        if event.commitString():
            self._type(typed(event.commitString()))
        super().inputMethodEvent(QInputMethodEvent(event.preeditString(), event.attributes()))
        event.accept()

    # All ways of pasting

    def _paste(self, text: str) -> None:
        if text:
            self.pasted.emit(text)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Handles Qt's own ways of pasting."""
        self._paste(source.text())

    # The caret stays at the end.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Takes the focus; the middle button pastes on systems where that is usual."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        clipboard = QGuiApplication.clipboard()
        if event.button() == Qt.MouseButton.MiddleButton and clipboard.supportsSelection():
            self._paste(clipboard.text(clipboard.Mode.Selection))
        event.accept()

    def _selects_nothing(self, event: QMouseEvent) -> None:
        event.accept()

    mouseMoveEvent = mouseReleaseEvent = mouseDoubleClickEvent = _selects_nothing

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolls; see `PaneView.wheelEvent`."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            super().wheelEvent(event)
