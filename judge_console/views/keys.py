"""Keys that press nothing while a page with buttons has just come, and keys that are held down."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtWidgets import QApplication, QWidget

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
