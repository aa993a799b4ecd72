"""Ctrl-C and requests to terminate, as a signal of Qt.

While Qt's loop runs, Python runs nothing, and so no handler of a signal either: a Ctrl-C would
wait for the next event that somebody happens to handle in Python. The interpreter can be told to
write each signal's number into a socket at once (`signal.set_wakeup_fd`); Qt watches that socket.
"""

from __future__ import annotations

import contextlib
import signal
import socket
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier, Signal, Slot

#: What ends a program in good order; SIGBREAK is Windows' Ctrl-Break.
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
)


class Interrupts(QObject):
    """Watches for signals until it is closed. Make it in the main thread.

    Signals:
        asked: somebody asks the program to end.
    """

    asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theirs, self._ours = socket.socketpair()
        for end in (self._theirs, self._ours):
            end.setblocking(False)
        # A handler of Python's must be there, else the number is not written; it has no work.
        self._before: dict[int, Any] = {
            number: signal.signal(number, lambda *_: None) for number in SIGNALS
        }
        self._woken_before = signal.set_wakeup_fd(self._theirs.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._ours.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    @Slot()
    def _read(self) -> None:
        numbers = b""
        with contextlib.suppress(BlockingIOError):
            numbers = self._ours.recv(4096)
        # Other signals, of a child that has ended for instance, are written there as well.
        if set(numbers) & set(SIGNALS):
            self.asked.emit()

    def close(self) -> None:
        """Puts everything back as it was."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._woken_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._theirs.close()
        self._ours.close()
