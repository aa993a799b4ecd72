"""The application around windows of ours: Qt, its language, Ctrl-C, and remembered looks."""

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

from judge_console.answers import Remembered
from judge_console.look.resources import app_icon
from judge_console.look.theme import Theme
from texts import Texts, load

log = logging.getLogger(__name__)

#: The exit code where no window can be shown, or nobody sat down.
NO_WINDOW = 1
#: Milliseconds between two looks for garbage.
COLLECT_EVERY = 250
#: What ends a program cleanly; SIGBREAK is Windows' Ctrl-Break.
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
)


def application() -> QApplication:
    """The application. Where Qt finds no display it means to abort the process with a page of
    text; it tells its message handler before, and that says it in one line."""
    said: list[str] = []

    def hear(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if kind is QtMsgType.QtFatalMsg:
            _say_no_window(said or [text])
            os._exit(NO_WINDOW)  # what Qt does next is to abort
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
    Collector(app)
    return app


def _say_no_window(said: list[str]) -> None:
    why = " ".join(said[0].split())
    print(
        f"loebner: no window can be shown here ({why}); start it on a computer with a screen, or "
        "see docs/how-to/join.md for what a screen needs",
        file=sys.stderr,
        flush=True,
    )


class Collector(QObject):
    """Collects Python's garbage in the window's thread alone, from now on.

    Python collects in whichever thread allocates. An object of Qt among the garbage then ends in
    that thread: it takes a lock of Qt's and waits for the interpreter, while the window's thread
    has the interpreter and waits for the lock. Both wait forever.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self)
        timer.timeout.connect(self.collect)
        timer.start(COLLECT_EVERY)

    @Slot()
    def collect(self) -> None:
        """Collects what the interpreter would collect now."""
        for generation in (2, 1, 0):
            if gc.get_count()[generation] > gc.get_threshold()[generation]:
                gc.collect(generation)
                return


@contextmanager
def speaking(app: QApplication, language: str) -> Iterator[Texts]:
    """The texts of a language; while the context is open Qt says its own words in it as well, in
    the dialogs for files and beside the keys in menus.

    Arguments:
        app: the application.
        language: as texts has it; "system" is the person's own.
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


class Interrupts(QObject):
    """Ctrl-C and requests to terminate, as a signal of Qt. Make it in the main thread.

    While Qt's loop runs, Python runs nothing, and so no handler of a signal either: a Ctrl-C would
    wait for the next event that Python handles. The interpreter can be told to write each signal's
    number into a socket at once (`signal.set_wakeup_fd`); Qt watches that socket.

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


class KeptLooks(QObject):
    """Remembers colours and text size whenever a person changes them.

    Arguments:
        remembered: where.
        theme: what is followed, until this is deleted.
    """

    def __init__(self, remembered: Remembered, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._remembered = remembered
        self._theme = theme
        self._choice, self._zoom = theme.choice, theme.zoom
        theme.changed.connect(self._follow)

    @Slot()
    def _follow(self) -> None:
        theme = self._theme
        # Only what was changed here: a command's options hold for this once.
        changed: dict[str, object] = {}
        if theme.choice != self._choice:
            changed["theme"] = self._choice = theme.choice
        if theme.zoom != self._zoom:
            changed["text_size"] = self._zoom = theme.zoom
        if changed:
            self._remembered.change(**changed)
