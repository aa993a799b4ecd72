"""`loebner rater`: a rater's window."""

from __future__ import annotations

import click

from loebner.judge import look_options
from lpp.errors import UserError


@click.command(epilog="Exit code: 0 the window was closed, 2 usage error.")
@click.argument("link", metavar="LINK")
@look_options
def rater(link: str, theme: str | None, language: str, text_size: int | None) -> int:
    """Rate in a window what `loebner ige rate` or `loebner labyrinth rate` serves.

    LINK is the link that you were given. It always takes you back to where you were, here or in a
    browser. Your answers are saved as you type. While the server can't be reached, they are kept
    on this computer.

    \b
        loebner rater http://192.168.1.10:8765/r/R1-7KQ2-M4XD-9TRA
    """
    # Qt first, so that the message names the right extra if it is missing.
    import platformdirs
    from PySide6.QtCore import QCoreApplication, QEvent

    from judge_console.application import (
        AppearanceSaver,
        TerminationSignals,
        application,
        localized,
    )
    from judge_console.look.theme import Theme
    from judge_console.model.rating import rater_link
    from judge_console.preferences import PreferencesFile, preferences_path
    from judge_console.rater import RaterClient
    from judge_console.views.rating import RatingWindow

    try:
        rater_link(link)
    except UserError as exc:
        raise click.UsageError(f"LINK: {exc}") from None
    remembered = PreferencesFile(preferences_path())
    saved, app = remembered.preferences, application()
    with localized(app, language) as texts:
        look = Theme(app, theme or saved.theme, text_size or saved.text_size)
        client = RaterClient(link, platformdirs.user_state_path("loebner") / "seats")
        window = RatingWindow(client, look, texts)
        AppearanceSaver(remembered, look, window)
        interrupts = TerminationSignals()
        interrupts.asked.connect(window.close)
        window.show()
        client.work()
        try:
            return app.exec()
        finally:
            interrupts.close()
            window.deleteLater()
            # Qt must delete its objects before the interpreter ends.
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
