"""The console as a program of its own: an application around a `Console`."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

import platformdirs
from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QLibraryInfo,
    QLocale,
    QMessageLogContext,
    QtMsgType,
    QTranslator,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from judge_console.answers import Remembered, answers_path
from judge_console.console import Console, Wishes
from judge_console.desk import Recorder
from judge_console.discovery import Discovery
from judge_console.interrupts import Interrupts
from judge_console.look.icon import app_icon
from judge_console.look.theme import Theme
from judge_console.model.deskform import DeskPlan
from judge_console.texts import load

log = logging.getLogger(__name__)

#: What has no window can't be had.
NO_WINDOW = 1


@dataclass(frozen=True, slots=True)
class Looks:
    """How the windows are to look this time; None is as it was the last time.

    Attributes:
        theme: as judge_console.look.theme.CHOICES has it.
        text_size: percent.
        language: as judge_console.texts has it, or "system".
    """

    theme: str | None = None
    text_size: int | None = None
    language: str | None = None


def run(
    wishes: Wishes,
    looks: Looks | None = None,
    recorder: Callable[[DeskPlan], Recorder] | None = None,
) -> int:
    """Runs the console until the person leaves it. To be called once in a process.

    Arguments:
        wishes: what was asked for.
        looks: how it is to look; as the last time if left out.
        recorder: makes the record of a talk without a server.

    Returns:
        The exit code: 0 left by the person, or told to end; 1 nobody could sit down. Without a
        display the process ends here, with 1 and a line on standard error.
    """
    looks = looks if looks is not None else Looks()
    remembered = Remembered(answers_path())
    answers = remembered.answers
    app = application()
    texts = load(looks.language or answers.language, QLocale.system().uiLanguages())
    QLocale.setDefault(QLocale(texts.language))
    translator = _translate(app, texts.language)
    theme = Theme(app, looks.theme or answers.theme, looks.text_size or answers.text_size)
    app.setWindowIcon(app_icon())
    console = Console(
        wishes,
        remembered,
        theme,
        texts,
        platformdirs.user_state_path("loebner") / "seats",
        Discovery,
        recorder,
    )
    interrupts = Interrupts()
    interrupts.asked.connect(console.leave)
    console.ended.connect(app.exit)
    try:
        console.begin()
        app.exec()
    finally:
        console.close()
        interrupts.close()
        if translator is not None:
            app.removeTranslator(translator)
        # What was told to go has to go before the interpreter does.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return NO_WINDOW if console.in_vain else 0


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
    return app


def _say_no_window(said: list[str]) -> None:
    why = " ".join(said[0].split())
    print(
        f"loebner: no window can be shown here ({why}); start it on a computer with a screen, or "
        "see docs/how-to/join.md for what a screen needs",
        file=sys.stderr,
        flush=True,
    )


def _translate(app: QApplication, language: str) -> QTranslator | None:
    """Has Qt say its own words, in the dialogs for files for instance, in a language; None where
    Qt has no translation, as into its own English."""
    translator = QTranslator(app)
    where = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if not translator.load(QLocale(language), "qtbase", "_", where):
        return None
    app.installTranslator(translator)
    return translator
