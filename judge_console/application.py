"""The application that stands around windows of ours, whichever they are."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import (
    QLibraryInfo,
    QLocale,
    QMessageLogContext,
    QtMsgType,
    QTranslator,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from judge_console.look.icon import app_icon
from judge_console.texts import LANGUAGES, Texts, load

log = logging.getLogger(__name__)

#: The exit code: what has no window can't be had.
NO_WINDOW = 1


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
    return app


def _say_no_window(said: list[str]) -> None:
    why = " ".join(said[0].split())
    print(
        f"loebner: no window can be shown here ({why}); start it on a computer with a screen, or "
        "see docs/how-to/join.md for what a screen needs",
        file=sys.stderr,
        flush=True,
    )


@contextmanager
def speaking(app: QApplication, language: str) -> Iterator[Texts]:
    """The texts of a language; while the context is open Qt says its own words in it as well, in
    the dialogs for files and beside the keys in menus.

    Arguments:
        app: the application.
        language: as judge_console.texts has it; anything else, from the settings of another
            release for instance, is "system", the person's own.
    """
    known = language if language in LANGUAGES else "system"
    texts = load(known, QLocale.system().uiLanguages())
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
