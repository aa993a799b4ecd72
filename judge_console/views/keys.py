"""From what a keyboard gives to what it means: key presses of the protocol, a command, or nothing.
Also keys that press nothing while a page with buttons has just come, and keys that are held down.

The rules:

1. What counts is the text that a keyboard gives, whatever it calls the key: an apostrophe is
   `quoteright` on X11 too. AltGr comes as Ctrl+Alt on Windows, with a text of its own, and that
   text is typed; Ctrl with a letter is a shortcut, and so is Alt with a letter or a digit.
2. Dead keys and input methods give their text when it is complete (`typed`): in NFC, a key press
   for each code point.
3. BackSpace, Tab and Return are key presses, the Enter of the key pad too. Shift, Ctrl, arrows,
   function keys, Delete and their like send nothing.
4. A key that is held down repeats its character or its BackSpace, as at any terminal; a Return, a
   Tab or a command that is held counts once.
5. What can't be sent, such as a control character, is not sent. What nobody could see, such as the
   joiners between the parts of an emoji, is left out: the parts are sent.
6. Tab is sent, so another key changes the side: F6, or Ctrl+Tab.
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
    """What a key does instead of being sent."""

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
        keys: their names, in order.
        unsendable: the first character that no key press carries; empty if there is none. The
            others are sent.
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

#: Commands that go on while their key is held down.
_GOING_ON: Final = frozenset(
    {Command.LINE_UP, Command.LINE_DOWN, Command.PAGE_UP, Command.PAGE_DOWN}
)


def meaning(event: QKeyEvent, repeated: bool = False) -> Meaning:
    """What a key of the keyboard means.

    Arguments:
        event: the key press.
        repeated: whether the key is held down, where more is known than Qt says.

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
    # A key gives a control character where it gives no text, so nobody meant to send it.
    control = unicodedata.category(meant.unsendable or " ") == "Cc"
    return meant if meant.keys or (meant.unsendable and not control) else None


def typed(text: str) -> Typed:
    """What a text means that an input method or a dead key gives.

    Arguments:
        text: it; of its line ends each is a Return.

    Returns:
        Its key presses, in NFC.
    """
    keys, unsendable = [], ""
    for char in plain_text(_whole(text)):
        try:
            # BackSpace is a key, and never a text.
            key = name_of(char if char != "\b" else "\0")
        except NotAKey:
            unsendable = unsendable or char
        else:
            keys.append(key)
    return Typed(tuple(keys), unsendable)


def _whole(text: str) -> str:
    """A text whose halves of UTF-16 are put together; a half alone stays what it is."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _is_shortcut(text: str, held: Qt.KeyboardModifier) -> bool:
    if held & _META:
        return True
    ctrl, alt = bool(held & _CTRL), bool(held & _ALT)
    if ctrl and alt:
        return False
    return ctrl or (alt and text.isascii() and (text.isalnum() or text.isspace()))


#: Milliseconds without any key until keys count again.
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
    """Lets no key through to a window until the person has stopped typing: judges who type on when
    the talk ends must not press a button of the next page.

    Arguments:
        window: the window; the gate is its child.

    Signals:
        changed: (shut) it is shut now, or open again.
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
            # The filter sees each event of the application, so it is there only while needed.
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
        """Takes the window's keys away. A key that is held down repeats, and so stays stopped."""
        if not self.is_shut or event.type() not in _KEYS or not self._is_ours(watched):
            return False
        self._timer.start(QUIET)
        event.accept()
        # A key comes to Qt's window first, which must pass it on: it is stopped at the widget.
        return not isinstance(watched, QWindow) or event.type() == QEvent.Type.ShortcutOverride

    def _is_ours(self, watched: QObject) -> bool:
        if isinstance(watched, QWindow):
            return watched is self._window.windowHandle()
        # A menu or a box of choices that has popped up belongs to it too.
        return isinstance(watched, QWidget) and (
            watched.window() is self._window or watched is QApplication.activePopupWidget()
        )


class Repeats:
    """Knows the repeats of a widget's keys. Each key that comes up there has to be told."""

    def __init__(self) -> None:
        self._up = (0, 0)

    def released(self, event: QKeyEvent) -> None:
        """A key came up."""
        self._up = (_number_of(event), event.timestamp())

    def is_repeat(self, event: QKeyEvent) -> bool:
        """Whether a key that goes down was down before."""
        if event.isAutoRepeat():
            return True
        # A time of 0 is none: such events are made by programs.
        return event.timestamp() > 0 and self._up == (_number_of(event), event.timestamp())


def _number_of(event: QKeyEvent) -> int:
    """Which key of the keyboard it is, whatever it types at the moment: a key that went down with
    Shift may come up without."""
    return event.nativeScanCode() or event.key()
