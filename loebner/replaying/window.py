"""A recording in a window of the console."""

from __future__ import annotations

import os
import signal
import sys

from PySide6.QtWidgets import QApplication

from judge_console.answers import Remembered, answers_path
from judge_console.look.icon import app_icon
from judge_console.look.theme import Theme
from judge_console.replay_window import ReplayWindow
from judge_console.texts import load
from lpp.errors import Surroundings
from lpp.recording import Recording


class NoScreen(Surroundings):
    """No window can be opened here."""


def show_window(recording: Recording, speed: float) -> int:
    """Plays a recording in a window, until the person closes it. Colours, text size and language
    are those that the person has chosen in the console.

    Arguments:
        recording: what to play.
        speed: how many times as fast as it was; 0 shows the end at once.

    Returns:
        The exit code.

    Raises:
        NoScreen: if there is none; Qt would end the whole process.
    """
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform == "linux" and not any(map(os.environ.get, names)):
        raise NoScreen("there is no screen here to open a window on; replay it with --text")
    application = QApplication.instance() or QApplication(["loebner"])
    assert isinstance(application, QApplication)
    application.setWindowIcon(app_icon())
    answers = Remembered(answers_path()).answers
    theme = Theme(application, answers.theme, answers.text_size)
    window = ReplayWindow(recording, theme, load(answers.language))
    window.show()
    if speed:
        window.view.set_speed(speed)
        window.view.play()
    else:
        window.view.seek(window.view.playback.duration)
    # Qt's loop runs no handler of Python's while nothing happens; the system's own ends it at once.
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return application.exec()
    finally:
        signal.signal(signal.SIGINT, before)
