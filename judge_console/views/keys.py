"""Translates keyboard events to key presses of the protocol or commands. Also blocks keys when a
page with buttons has just appeared, and recognizes keys that are held down.

The rules:

1. The text of a keyboard event counts, not the name of its key: an apostrophe is `quoteright` on
   X11 too. On Windows, AltGr arrives as Ctrl+Alt with a text, and that text is typed. Ctrl with a
   letter is a shortcut, and so is Alt with a letter or a digit.
2. Text from dead keys and input methods is sent when complete (`typed`): in NFC, one key press per
   code point.
3. BackSpace, Tab, Return and the key pad's Enter are key presses. Shift, Ctrl, arrows, function
   keys, Delete and similar keys send nothing.
4. A key that is held down repeats its character or BackSpace, as in any program, and so do the
   commands that scroll by a line or a page. Return, Tab and all other commands count once.
5. Characters that can't be sent, such as control characters, are refused. Invisible ones, such as
   the joiners between the parts of an emoji, are left out.
6. Tab is sent, so other keys switch sides: F6 and Ctrl+Tab.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, TypeAlias

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtWidgets import QApplication, QWidget

from lpp.errors import NotAKey
from lpp.names import BACKSPACE, RETURN, TAB, name_of, plain_text


class Command(Enum):
    """What a key does if it is not sent."""

    SWITCH = auto()  # type to the other side
    READ = auto()  # put the caret into the talk, to go through it
    COPY = auto()
    PASTE = auto()
    SELECT_ALL = auto()
    LINE_UP = auto()
    LINE_DOWN = auto()
    PAGE_UP = auto()
    PAGE_DOWN = auto()
    TO_BEGINNING = auto()
    TO_END = auto()


@dataclass(frozen=True, slots=True)
class Typed:
    """Key presses to send.

    Attributes:
        keys: the key names, in order.
        unsendable: the first character without a key name; empty if there is none. All others are
            sent.
    """

    keys: tuple[str, ...]
    unsendable: str = ""


Meaning: TypeAlias = Typed | Command | None

_Key: TypeAlias = Qt.Key
_NONE: Final = Qt.KeyboardModifier.NoModifier
_SHIFT: Final = Qt.KeyboardModifier.ShiftModifier
_CTRL: Final = Qt.KeyboardModifier.ControlModifier
_ALT: Final = Qt.KeyboardModifier.AltModifier
_META: Final = Qt.KeyboardModifier.MetaModifier

_SENT: Final[dict[int, Typed]] = {
    _Key.Key_Backspace: Typed((BACKSPACE,)),
    _Key.Key_Return: Typed((RETURN,)),
    _Key.Key_Enter: Typed((RETURN,)),
    _Key.Key_Tab: Typed((TAB,)),
}

_COMMANDS: Final[dict[tuple[int, Qt.KeyboardModifier], Command]] = {
    (_Key.Key_F6, _NONE): Command.SWITCH,
    (_Key.Key_Tab, _CTRL): Command.SWITCH,
    (_Key.Key_Backtab, _CTRL | _SHIFT): Command.SWITCH,
    (_Key.Key_F6, _SHIFT): Command.READ,
    (_Key.Key_C, _CTRL): Command.COPY,
    (_Key.Key_Insert, _CTRL): Command.COPY,
    (_Key.Key_V, _CTRL): Command.PASTE,
    (_Key.Key_Insert, _SHIFT): Command.PASTE,
    (_Key.Key_A, _CTRL): Command.SELECT_ALL,
    (_Key.Key_Up, _NONE): Command.LINE_UP,
    (_Key.Key_Down, _NONE): Command.LINE_DOWN,
    (_Key.Key_PageUp, _NONE): Command.PAGE_UP,
    (_Key.Key_PageDown, _NONE): Command.PAGE_DOWN,
    (_Key.Key_Home, _CTRL): Command.TO_BEGINNING,
    (_Key.Key_End, _CTRL): Command.TO_END,
}

#: Commands that repeat while their key is held down.
_GOING_ON: Final = frozenset(
    {Command.LINE_UP, Command.LINE_DOWN, Command.PAGE_UP, Command.PAGE_DOWN}
)


def meaning(event: QKeyEvent, repeated: bool = False) -> Meaning:
    """The meaning of a keyboard event.

    Arguments:
        event: the key press.
        repeated: whether the key is held down, if that is known better than from Qt.

    Returns:
        Key presses to send, a command, or None for nothing.
    """
    key, text = event.key(), event.text()
    held = event.modifiers() & (_SHIFT | _CTRL | _ALT | _META)
    repeated = repeated or event.isAutoRepeat()
    command = _COMMANDS.get((key, held))
    if command is not None:
        return command if not repeated or command in _GOING_ON else None
    if key in _SENT:
        refused = held & ~_SHIFT or (repeated and key != _Key.Key_Backspace)
        return None if refused else _SENT[key]
    if not text or _is_shortcut(text, held):
        return None
    meant = typed(text)
    # Keys without a text give a control character, which nobody meant to send.
    control = unicodedata.category(meant.unsendable or " ") == "Cc"
    return meant if meant.keys or (meant.unsendable and not control) else None


def typed(text: str) -> Typed:
    """The key presses of a text from an input method or a dead key.

    Arguments:
        text: the text; each of its line ends is a Return.

    Returns:
        The key presses, in NFC.
    """
    keys, unsendable = [], ""
    for char in plain_text(_whole(text)):
        try:
            # BackSpace is a key, never text.
            key = name_of(char if char != "\b" else "\0")
        except NotAKey:
            unsendable = unsendable or char
        else:
            keys.append(key)
    return Typed(tuple(keys), unsendable)


def _whole(text: str) -> str:
    """Joins the surrogate pairs of a text; a single surrogate stays as it is."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _is_shortcut(text: str, held: Qt.KeyboardModifier) -> bool:
    if held & _META:
        return True
    ctrl, alt = bool(held & _CTRL), bool(held & _ALT)
    if ctrl and alt:
        return False
    return ctrl or (alt and text.isascii() and (text.isalnum() or text.isspace()))


#: Milliseconds without a key until keys count again.
QUIET: Final = 1000
_KEYS: Final = frozenset(
    {
        QEvent.Type.KeyPress,
        QEvent.Type.KeyRelease,
        QEvent.Type.ShortcutOverride,
        QEvent.Type.Shortcut,
        QEvent.Type.InputMethod,
    }
)


class KeyGate(QObject):
    """Blocks a window's keys until the person has stopped typing: judges who go on typing when the
    talk ends must not press a button of the next page.

    Arguments:
        window: the window, which owns the gate.

    Signals:
        changed: (shut) the gate was shut or opened.
    """

    changed = Signal(bool)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._application = QApplication.instance()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.open)
        self.is_shut = False

    def shut(self) -> None:
        """Stops keys until none has come for `QUIET` milliseconds."""
        self._timer.start(QUIET)
        if not self.is_shut and self._application is not None:
            self.is_shut = True
            # The filter sees every event of the application, so it is installed only while needed.
            self._application.installEventFilter(self)
            self.changed.emit(True)

    def open(self) -> None:
        """Lets all keys through."""
        if self.is_shut and self._application is not None:
            self.is_shut = False
            self._timer.stop()
            self._application.removeEventFilter(self)
            self.changed.emit(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Blocks the window's keys. A key that is held down repeats, and so stays blocked."""
        if not self.is_shut or event.type() not in _KEYS or not self._is_ours(watched):
            return False
        self._timer.start(QUIET)
        event.accept()
        # A key arrives at Qt's window first, which must pass it on; it is blocked at the widget.
        return not isinstance(watched, QWindow) or event.type() == QEvent.Type.ShortcutOverride

    def _is_ours(self, watched: QObject) -> bool:
        if isinstance(watched, QWindow):
            return watched is self._window.windowHandle()
        # Menus and lists that have popped up belong to the window too.
        return isinstance(watched, QWidget) and (
            watched.window() is self._window or watched is QApplication.activePopupWidget()
        )


class RepeatDetector:
    """Recognizes the repeats of a widget's keys. Each released key has to be reported."""

    def __init__(self) -> None:
        self._up = (0, 0)

    def released(self, event: QKeyEvent) -> None:
        """Takes a released key."""
        self._up = (_number_of(event), event.timestamp())

    def is_repeat(self, event: QKeyEvent) -> bool:
        """Whether a pressed key was down before."""
        if event.isAutoRepeat():
            return True
        # Events without a time (0) are made by programs.
        return event.timestamp() > 0 and self._up == (_number_of(event), event.timestamp())


def _number_of(event: QKeyEvent) -> int:
    """Identifies the physical key, whatever it types at the moment: a key that was pressed with
    Shift may be released without."""
    return event.nativeScanCode() or event.key()
