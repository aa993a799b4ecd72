"""The console as a program of its own: an application around a `Console`."""

from __future__ import annotations

from collections.abc import Callable

import platformdirs
from PySide6.QtCore import QCoreApplication, QEvent

from judge_console.answers import Remembered, answers_path
from judge_console.application import NO_WINDOW, application, speaking
from judge_console.console import Console, Wishes
from judge_console.desk import Recorder
from judge_console.discovery import Discovery
from judge_console.interrupts import Interrupts
from judge_console.look.theme import Theme
from judge_console.looks import Looks
from judge_console.model.deskform import DeskPlan


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
    with speaking(app, looks.language or answers.language) as texts:
        theme = Theme(app, looks.theme or answers.theme, looks.text_size or answers.text_size)
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
            # What was told to go has to go before the interpreter does.
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return NO_WINDOW if console.in_vain else 0
