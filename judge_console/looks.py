"""How the windows look and which language they speak: as the person chose it the last time, and
kept when another is chosen."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from PySide6.QtCore import QObject, Slot

from judge_console.answers import Remembered
from judge_console.look.theme import Theme

log = logging.getLogger(__name__)


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


class KeptLooks(QObject):
    """Has colours, text size and language remembered whenever a person changes them.

    Arguments:
        remembered: where.
        theme: what is followed, until this is deleted.
        parent: as Qt has it.
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
            keep(self._remembered, **changed)

    @Slot(str)
    def choose_language(self, language: str) -> None:
        """The person wants another language from the next start on."""
        keep(self._remembered, language=language)


def keep(remembered: Remembered, **answers: object) -> None:
    """Remembers answers, beside what another window of this computer has remembered meanwhile; a
    disk that refuses is said in the log, and no more.

    Arguments:
        remembered: where.
        answers: by the names that `judge_console.answers.Answers` has for them.
    """
    remembered.refresh()
    for name, answer in answers.items():
        setattr(remembered.answers, name, answer)
    if why := remembered.keep():
        log.warning("what was answered is not remembered: %s", why)
