"""Earlier talks of a judge, fetched from the server, to read and play again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from judge_console.look.theme import Theme
from judge_console.model.ranking import Met
from judge_console.session import Session
from judge_console.texts import Texts
from judge_console.views.controls import ActButton, Words
from judge_console.views.flow import FlowLayout
from judge_console.views.replay import ReplayView, recording_of

#: Lines of text that it is high, at least.
_LINES: Final = 21


class TalkReader(QWidget):
    """A participant's talks, one at a time, each at its end: to be read, or played from wherever
    the judge wants.

    Arguments:
        session: the judge's seat.
        theme: colours and sizes.
        texts: the words.
        parent: as Qt has it.

    Attributes:
        view: the talk that is shown; None as long as none is.
        buttons: one for each talk, where there are several.
    """

    def __init__(
        self, session: Session, theme: Theme, texts: Texts, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.view: ReplayView | None = None
        self.buttons: list[ActButton] = []
        self._session, self._theme, self._texts = session, theme, texts
        self._wanted: tuple[str, Met] | None = None
        self._asked = False
        self._takes_keys = False
        self.heading = Words(texts("ranking.read_hint"), "muted")
        self._choice = QWidget()
        self._choices = FlowLayout(self._choice)
        self._choice.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.heading)
        self._column.addWidget(self._choice)
        self._rest = QWidget()
        self._column.addWidget(self._rest, stretch=1)
        session.changed.connect(self._follow)
        theme.changed.connect(self._fit)
        self._fit()

    def open(self, talks: Sequence[tuple[str, Met]]) -> None:
        """Shows the first of some talks, and a button for each where there are more. The keyboard
        goes there when it has come.

        Arguments:
            talks: in words, and which.
        """
        for button in self.buttons:
            self._choices.removeWidget(button)
            button.deleteLater()
        self.buttons = []
        for talk in talks if len(talks) > 1 else []:
            button = ActButton(talk[0])
            button.clicked.connect(self._wanting(talk))
            self._choices.addWidget(button)
            self.buttons.append(button)
        self._choice.setVisible(bool(self.buttons))
        if talks:
            self._want(talks[0])

    def pause(self) -> None:
        """Plays no more."""
        if self.view is not None:
            self.view.pause()

    def clear(self) -> None:
        """Shows nothing: the talks are another contest's."""
        self.open(())
        self._wanted = None
        self._show(None)
        self.heading.setText(self._texts("ranking.read_hint"))

    def _wanting(self, talk: tuple[str, Met]) -> object:
        def want() -> None:
            self._want(talk)

        return want

    def _want(self, talk: tuple[str, Met]) -> None:
        self._takes_keys = True
        if talk != self._wanted or self.view is None:
            self._wanted, self._asked = talk, False
            self._show(None)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        if self._wanted is None:
            return
        words, talk = self._wanted
        past = self._session.picture.past.get(talk)
        if past is not None:
            if self.view is None:
                self.heading.setText(words)
                view = ReplayView(recording_of(past), self._theme, self._texts)
                view.seek(view.playback.duration)
                self._show(view)
            if self._takes_keys and self.view is not None:
                self._takes_keys = False
                self.view.setFocus()
            return
        refused = self._session.picture.unreadable.get(talk)
        if refused is not None:
            why = self._texts("ranking.unreadable", reason=refused.message)
            self.heading.setText(f"{words}: {why}")
            return
        self.heading.setText(f"{words}: {self._texts('ranking.loading')}")
        if not self._asked:
            self._asked = True  # the seat asks until it is answered, whatever the link does
            self._session.read(*talk)

    def _show(self, view: ReplayView | None) -> None:
        if self.view is not None:
            self.view.pause()
            self._column.removeWidget(self.view)
            self.view.hide()
            self.view.deleteLater()
        self.view = view
        self._rest.setVisible(view is None)
        if view is not None:
            self._column.addWidget(view, stretch=1)
            view.show()  # now, and not with the next turn: it is about to get the keyboard

    @Slot()
    def _fit(self) -> None:
        line = self.fontMetrics().lineSpacing()
        self.setMinimumSize(QSize(0, _LINES * line))
