"""The Qt application of the windows: language, Ctrl-C, and saved colours and text size."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from PySide6.QtCore import (
    QLibraryInfo,
    QLocale,
    QMessageLogContext,
    QObject,
    QSocketNotifier,
    QTimer,
    QtMsgType,
    QTranslator,
    Signal,
    Slot,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from judge_console.look.resources import app_icon
from judge_console.look.theme import Theme
from judge_console.preferences import PreferencesFile
from texts import Texts, load

log = logging.getLogger(__name__)

#: The exit code if no window can be shown or nobody took a seat.
NO_WINDOW = 1
#: Milliseconds between two garbage collections.
COLLECT_EVERY = 250
#: Signals that end the program cleanly; SIGBREAK is Windows' Ctrl-Break.
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
)


def application() -> QApplication:
    """Creates the application. Without a display, Qt aborts the process with a page of text; the
    message handler, which Qt calls first, prints one line instead."""
    said: list[str] = []

    def hear(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if kind is QtMsgType.QtFatalMsg:
            _say_no_window(said or [text])
            os._exit(NO_WINDOW)  # Qt would abort now
        said.append(text)

    qInstallMessageHandler(hear)
    try:
        app = QApplication(["loebner"])
    finally:
        qInstallMessageHandler(None)
    for text in said:
        log.info("Qt: %s", text)
    app.setApplicationName("loebner")
    app.setWindowIcon(app_icon())
    GarbageCollector(app)
    return app


def _say_no_window(said: list[str]) -> None:
    why = " ".join(said[0].split())
    print(
        f"loebner: no window can be shown here ({why}); start it on a computer with a screen "
        "(docs/how-to/join.md says what a window requires)",
        file=sys.stderr,
        flush=True,
    )


class GarbageCollector(QObject):
    """Makes Python collect garbage only in the window's thread.

    By default, Python collects in any thread that allocates. A Qt object in the garbage is then
    destroyed in that thread, which takes one of Qt's locks and waits for the interpreter, while the
    window's thread holds the interpreter and waits for the lock: a deadlock.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self)
        timer.timeout.connect(self.collect)
        timer.start(COLLECT_EVERY)

    @Slot()
    def collect(self) -> None:
        """Collects the generation that the interpreter would collect now."""
        for generation in (2, 1, 0):
            if gc.get_count()[generation] > gc.get_threshold()[generation]:
                gc.collect(generation)
                return


@contextmanager
def localized(app: QApplication, language: str) -> Iterator[Texts]:
    """The texts of a language. While the context is open, Qt's own texts (file dialogs, key names
    in menus) are in this language, too.

    Arguments:
        app: the application.
        language: one of `texts.LANGUAGES`, or "system" for the person's own.
    """
    texts = load(language, QLocale.system().uiLanguages())
    before = QLocale()
    QLocale.setDefault(QLocale(texts.language))
    translator = QTranslator()
    where = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    # Qt has no translation into its own English.
    if translator.load(QLocale(texts.language), "qtbase", "_", where):
        app.installTranslator(translator)
    try:
        yield texts
    finally:
        app.removeTranslator(translator)
        QLocale.setDefault(before)


class TerminationSignals(QObject):
    """Ctrl-C and requests to terminate, as a Qt signal. Create it in the main thread.

    While Qt's loop waits, Python runs no code and no signal handlers, so Ctrl-C would wait for the
    next event that Python handles. With `signal.set_wakeup_fd` the interpreter writes each
    signal's number to a socket at once; Qt watches that socket.

    Signals:
        asked: the program was asked to end.
    """

    asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._theirs, self._ours = socket.socketpair()
        for end in (self._theirs, self._ours):
            end.setblocking(False)
        # The number is written only if there is a Python handler, which does nothing.
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
        # Other signals, such as the end of a child process, are written there, too.
        if set(numbers) & set(SIGNALS):
            self.asked.emit()

    def close(self) -> None:
        """Restores the previous signal handlers."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._woken_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._theirs.close()
        self._ours.close()


class AppearanceSaver(QObject):
    """Saves colours and text size when a person changes them.

    Arguments:
        remembered: where they are saved.
        theme: the theme whose changes are saved.
    """

    def __init__(
        self, remembered: PreferencesFile, theme: Theme, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._remembered = remembered
        self._theme = theme
        self._choice, self._zoom = theme.choice, theme.zoom
        theme.changed.connect(self._follow)

    @Slot()
    def _follow(self) -> None:
        theme = self._theme
        # Save only changes: command-line options apply to this run only.
        changed: dict[str, object] = {}
        if theme.choice != self._choice:
            changed["theme"] = self._choice = theme.choice
        if theme.zoom != self._zoom:
            changed["text_size"] = self._zoom = theme.zoom
        if changed:
            self._remembered.change(**changed)
