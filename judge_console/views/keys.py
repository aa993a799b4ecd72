"""Keys that are stopped while a page with buttons has just come."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from typing import Final

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtWidgets import QApplication, QWidget

from judge_console.model.keyboard import KeyStop

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
    """Lets no key through to a window for a while (`KeyStop` says for how long).

    Arguments:
        window: the window; the gate is its child.
        monotonic: the clock, in seconds.

    Signals:
        changed: it is shut now, or open again.
    """

    changed = Signal(bool)

    def __init__(self, window: QWidget, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__(window)
        self._window = window
        self._monotonic = monotonic
        self._stop: KeyStop | None = None
        application = QApplication.instance()
        assert application is not None
        self._application = application
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.look)

    @property
    def is_shut(self) -> bool:
        """Whether keys are stopped now."""
        return self._stop is not None

    def shut(self, held: Iterable[int] = ()) -> None:
        """Stops keys from now on.

        Arguments:
            held: the keys that are down, by `number_of`.
        """
        was_open = self._stop is None
        self._stop = KeyStop(self._monotonic(), held)
        if was_open:
            # The filter sees each event of the application, so it is there only while it has to be.
            self._application.installEventFilter(self)
            self.changed.emit(True)
        self._wait()

    def open(self) -> None:
        """Lets all keys through."""
        if self._stop is not None:
            self._stop = None
            self._timer.stop()
            self._application.removeEventFilter(self)
            self.changed.emit(False)

    @Slot()
    def look(self) -> None:
        """Opens if it is time to."""
        if self._stop is not None:
            if self._stop.until <= self._monotonic():
                self.open()
            else:
                self._wait()

    def _wait(self) -> None:
        if self._stop is not None:
            left = self._stop.until - self._monotonic()
            self._timer.start(max(1, math.ceil(left * 1000)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Takes the window's keys away."""
        if self._stop is None:
            return False
        if event.type() not in _KEYS or not self._is_ours(watched):
            return False
        if isinstance(event, QKeyEvent) and isinstance(watched, QWidget):
            if event.type() == QEvent.Type.KeyPress:
                self._stop.press(number_of(event), self._monotonic())
            elif event.type() == QEvent.Type.KeyRelease and not event.isAutoRepeat():
                self._stop.release(number_of(event))
            self._wait()
        event.accept()
        # A key comes to Qt's window first, and goes on to the widget that has the focus: there it
        # is counted and stopped.
        return not isinstance(watched, QWindow) or event.type() == QEvent.Type.ShortcutOverride

    def _is_ours(self, watched: QObject) -> bool:
        if isinstance(watched, QWindow):
            return watched is self._window.windowHandle()
        if isinstance(watched, QWidget):
            # A menu or a box of choices that has popped up belongs to it too.
            return watched.window() is self._window or watched is QApplication.activePopupWidget()
        return False


def number_of(event: QKeyEvent) -> int:
    """Which key of the keyboard it is, whatever it types at the moment: a key that went down with
    Shift may come up without."""
    return event.nativeScanCode() or event.key()


class Repeats:
    """Knows the repeats of a widget's keys. Each key that comes up there has to be told."""

    def __init__(self) -> None:
        self._up = (0, 0)

    def released(self, event: QKeyEvent) -> None:
        """A key came up."""
        self._up = (number_of(event), event.timestamp())

    def is_repeat(self, event: QKeyEvent) -> bool:
        """Whether a key that goes down was down before."""
        if event.isAutoRepeat():
            return True
        # A time of 0 is none: such events are made by programs.
        return event.timestamp() > 0 and self._up == (number_of(event), event.timestamp())
