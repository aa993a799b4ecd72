"""The page of the talks: two panes for a judge, one for a confederate, each with its line.

All keys go to one side, whose frame is thick and whose badge says so in words; F6, Ctrl+Tab or a
click turn to the other.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from judge_console.look.theme import Theme
from judge_console.session import Session
from judge_console.texts import Texts
from judge_console.views.side import TalkSide, Turn
from lpp.conversation import Conversation
from lpp.wire import Place

#: The draft that says which side had the keyboard last.
_SIDE: Final = "side"


class TalkPage(QWidget):
    """The page on which judge and confederate talk.

    Arguments:
        session: the seat; the page follows it by itself.
        theme: colours and sizes.
        texts: the words.
        parent: as Qt has it.

    Signals:
        news: words for a moment that answer what the person has just done.

    Attributes:
        sides: the talks by place; a judge's left one stands on the left.
    """

    news = Signal(str)

    def __init__(
        self, session: Session, theme: Theme, texts: Texts, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._theme, self._texts = session, theme, texts
        self.sides: dict[Place, TalkSide] = {}
        self._current: Place = "left"
        self._round = (0, 0)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        session.changed.connect(self._follow)
        session.talks_changed.connect(self._show_talks)
        session.drawn.connect(self._draw)
        self._follow()
        self._show_talks()

    @property
    def current(self) -> Place:
        """Which side the keys go to."""
        return self._current

    @property
    def held(self) -> frozenset[int]:
        """The keys that are down, by `judge_console.views.repeats.number_of`."""
        return frozenset[int]().union(*(side.line.held for side in self.sides.values()))

    @Slot()
    def switch(self) -> None:
        """Turns to the other side."""
        others = [place for place in self.sides if place != self._current]
        if others:
            self.turn_to(others[0])

    def turn_to(self, place: Place) -> None:
        """Has the keys go to a side."""
        if place != self._current:
            self._session.drafts.put(_SIDE, [*self._round, place])
        self._current = place
        line = self.sides[place].line
        self.setFocusProxy(line)
        if not line.hasFocus():
            line.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_turns()

    # Following

    @Slot()
    def _follow(self) -> None:
        welcome, state = self._session.picture.welcome, self._session.picture.state
        if welcome is not None:
            everywhere: tuple[Place, ...] = (
                ("left", "right") if welcome.role == "judge" else ("only",)
            )
            # At a desk for practice a judge has one partner only.
            self._place_sides(state.places or everywhere)
        if state.places and (state.round, state.attempt) != self._round:
            self._round = (state.round, state.attempt)
            self._current = self._first_side()
            if self.isVisible():
                self.turn_to(self._current)
        for side in self.sides.values():
            side.follow()
        self._show_turns()

    def _first_side(self) -> Place:
        """Where the keys go when a round comes: to the left, but where a console before this one
        had them in this very round. Who goes on typing after a crash means that partner."""
        match self._session.drafts.get(_SIDE):
            case [int(round_), int(attempt), str(place)] if (
                round_,
                attempt,
            ) == self._round and place in self.sides:
                return place
        return next(iter(self.sides), "left")

    def _place_sides(self, places: tuple[Place, ...]) -> None:
        if tuple(self.sides) == places:
            return
        for side in self.sides.values():
            self._row.removeWidget(side)
            side.deleteLater()
        self.sides = {}
        for place in places:
            side = TalkSide(self._session, self._theme, self._texts, place)
            side.turned.connect(self._turn_to_sender)
            side.switched.connect(self.switch)
            side.news.connect(self.news)
            # Equal, whatever stands in them.
            side.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
            self._row.addWidget(side, 1)
            self.sides[place] = side
        self._current = places[0]
        self._show_talks()

    @Slot()
    def _turn_to_sender(self) -> None:
        side = self.sender()
        if isinstance(side, TalkSide):
            self.turn_to(side.place)

    @Slot()
    def _show_talks(self) -> None:
        for place, side in self.sides.items():
            talk = self._session.talks.get(place)
            side.show_talk(talk if talk is not None else Conversation(self._session.own))

    @Slot()
    def _draw(self) -> None:
        for side in self.sides.values():
            side.draw()

    def _show_turns(self) -> None:
        stopped = self._session.picture.state.phase == "paused"
        for place, side in self.sides.items():
            turn: Turn = "here" if place == self._current else "there"
            if stopped:
                turn = "stopped"
            elif turn == "here" and not self.isActiveWindow():
                turn = "away"
            side.set_turn(turn)

    def event(self, event: QEvent) -> bool:
        """Shows where keys go when the window gets or loses the keyboard."""
        if event.type() in (QEvent.Type.WindowActivate, QEvent.Type.WindowDeactivate):
            self._show_turns()
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Gives the line of the side the keyboard."""
        super().showEvent(event)
        if self._current in self.sides:
            self.turn_to(self._current)
