"""A recording in a window of the console."""

from __future__ import annotations

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication

from judge_console.answers import Remembered, answers_path
from judge_console.app import application
from judge_console.interrupts import Interrupts
from judge_console.look.icon import app_icon
from judge_console.look.theme import Theme
from judge_console.replay_window import ReplayWindow
from judge_console.texts import load
from lpp.recording import Recording


def show_window(recording: Recording, speed: float) -> int:
    """Plays a recording in a window, until the person closes it. Colours, text size and language
    are those that the person has chosen in the console.

    Arguments:
        recording: what to play.
        speed: how many times as fast as it was; 0 shows the end at once.

    Returns:
        The exit code. Without a display the process ends here, with 1 and a line on standard
        error.
    """
    app = QApplication.instance() or application()
    assert isinstance(app, QApplication)
    app.setWindowIcon(app_icon())
    answers = Remembered(answers_path()).answers
    theme = Theme(app, answers.theme, answers.text_size)
    texts = load(answers.language, QLocale.system().uiLanguages())
    window = ReplayWindow(recording, theme, texts)
    interrupts = Interrupts()
    interrupts.asked.connect(window.close)
    window.show()
    if speed:
        window.view.set_speed(speed)
        window.view.play()
    else:
        window.view.seek(window.view.playback.duration)
    try:
        return app.exec()
    finally:
        interrupts.close()
