"""A recording in a window of the console."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from judge_console.answers import Remembered, answers_path
from judge_console.application import Interrupts, KeptLooks, application, speaking
from judge_console.look.theme import Theme
from judge_console.replay_window import ReplayWindow
from lpp.recording import Recording


def show_window(recording: Recording, speed: float) -> int:
    """Plays a recording in a window, until the person closes it. Colours, text size and language
    are those that were chosen the last time, here or in the console.

    Arguments:
        recording: what to play.
        speed: how many times as fast as it was; 0 shows the end at once.

    Returns:
        The exit code. Without a display the process ends here, with 1 and a line on standard
        error.
    """
    app = QApplication.instance() or application()
    assert isinstance(app, QApplication)
    remembered = Remembered(answers_path())
    answers = remembered.answers
    with speaking(app, answers.language) as texts:
        theme = Theme(app, answers.theme, answers.text_size)
        window = ReplayWindow(recording, theme, texts, language=answers.language)
        kept = KeptLooks(remembered, theme, window)
        window.language_chosen.connect(kept.choose_language)
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
