"""The top of every page: who sits here, the round, the time, and one line of news.

The line never moves, pops up or takes the focus. It warns of the end, and says when the connection
is interrupted or the contest is paused.
"""

from __future__ import annotations

import math
from typing import Final

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from judge_console.look.theme import mark
from judge_console.model.pages import Page, Picture, heading_of, name_of, page_of, sentence_of
from judge_console.model.timer import Clock, clock_of
from judge_console.session import Session
from judge_console.views.controls import Notice, Words, once, put
from texts import Texts

#: Milliseconds for which it is said that the connection is back, and what `say` is given.
_BACK: Final = 6000
#: Pages on which the line is never empty, so that nothing below it moves when a warning appears,
#: least of all a button. The other pages contain these words themselves.
WITH_NEWS: Final = frozenset({Page.TALK, Page.VERDICT, Page.RANKING})


def reason_of(picture: Picture, texts: Texts) -> str:
    """The reason that belongs to the phase: the organizer's words as a quotation, a desk's own as
    they are; empty for nothing."""
    reason = picture.state.reason
    if not reason or picture.can_end:
        return reason
    return texts("phase.reason", reason=reason)


class Header(QWidget):
    """The top of a window.

    Arguments:
        session: the seat; the header follows it by itself.
        texts: the words.
    """

    def __init__(self, session: Session, texts: Texts) -> None:
        super().__init__()
        self._session, self._texts = session, texts
        self._keys_stopped = False
        self._was_linked = self._was_cut = False
        self._answer = ""
        self._about: tuple[str, int] = ("", 0)
        self.who = Words()
        self.round = Words(role="heading")
        self.round.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.clock = QLabel()
        self.clock.setTextFormat(Qt.TextFormat.PlainText)
        self.clock.setProperty("role", "clock")
        self.clock.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.clock.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.notice = Notice()
        row = QHBoxLayout()
        row.addWidget(self.who, 1)
        row.addWidget(self.round, 1)
        row.addWidget(self.clock, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self.notice)
        self._tick = once(self, self.refresh)
        self._back = once(self, self.refresh)
        self._answered = once(self, self.refresh)
        session.changed.connect(self.refresh)
        session.drawn.connect(self._on_drawn)
        self.refresh()

    # The window's messages

    def set_keys_stopped(self, stopped: bool) -> None:
        """Says that keys press nothing for the moment, or no longer so."""
        if stopped != self._keys_stopped:
            self._keys_stopped = stopped
            self.refresh()

    @Slot(str)
    def say(self, words: str) -> None:
        """Answers what the person has just done, for a moment."""
        self._answer = words
        self._answered.start(_BACK)
        self.refresh()

    # Following

    @Slot()
    def refresh(self) -> None:
        """Shows the present state."""
        picture = self._session.picture
        state = picture.state
        began = math.inf if state.remaining_ms is None else state.remaining_ms / 1000
        clock = clock_of(self._session.remaining(), state.phase, state.speed, began)
        if self._about != (state.phase, state.round):
            # A message about another phase is outdated.
            self._about = (state.phase, state.round)
            self._answered.stop()
        self._show_names()
        self._show_clock(clock)
        self._follow_link()
        self.notice.say(*self._news(clock))
        if clock.change_in is None or picture.ended is not None:
            self._tick.stop()
        else:
            self._tick.start(max(1, math.ceil(clock.change_in * 1000)))

    @Slot()
    def _on_drawn(self) -> None:
        # The sentence for a confederate depends on the judge's first key.
        if self._session.own == "entity" and self._session.picture.state.phase == "interaction":
            self.refresh()

    def _show_names(self) -> None:
        texts, picture = self._texts, self._session.picture
        welcome, state = picture.welcome, picture.state
        who = round_ = ""
        if welcome is not None:
            name = name_of(picture)
            name = f"{name} ({welcome.seat})" if name else welcome.seat
            who = f"{texts(f'talk.who_{welcome.role}', name=name)} · {welcome.contest}"
            if picture.ended is None and state.round and state.phase not in ("ranking", "over"):
                fields = {"round": state.round, "rounds": welcome.rounds}
                number = texts("talk.round", **fields)
                if state.attempt > 1:
                    number = texts("talk.attempt", attempt=state.attempt, **fields)
                round_ = f"{number} · {texts(heading_of(picture))}"
        put(self.who, "text", who)
        put(self.round, "text", round_)

    def _show_clock(self, clock: Clock) -> None:
        self.clock.setVisible(bool(clock.text) and self._session.picture.ended is None)
        put(self.clock, "text", self._texts("clock.left", time=clock.text))
        self.clock.setAccessibleDescription(self._texts("clock.stopped") if clock.stands else "")
        mark(self.clock, "level", clock.level)

    def _follow_link(self) -> None:
        linked = self._session.picture.connected
        if linked and self._was_cut:
            self._back.start(_BACK)
        elif not linked:
            self._back.stop()
        self._was_cut = not linked and (self._was_cut or self._was_linked)
        self._was_linked = linked

    def _news(self, clock: Clock) -> tuple[str, str]:
        """The text of the line now, and its tone: the most important message."""
        picture, texts = self._session.picture, self._texts
        if picture.welcome is None or picture.ended is not None:
            return "", ""
        if self._keys_stopped:
            return texts("window.keys_stopped"), ""
        if self._answered.isActive():
            return self._answer, ""
        if not picture.connected:
            return texts("link.down"), "error"
        reason = reason_of(picture, texts)
        if picture.state.phase == "paused":
            return f"{texts(sentence_of(picture))} {reason}".strip(), ""
        if clock.warning is not None:
            if clock.warning >= 60:
                return texts("clock.minutes", n=clock.warning // 60), "soon"
            return texts("clock.seconds", n=clock.warning), "last"
        page = page_of(picture)
        if page is not Page.TALK and picture.lost_keys:
            return texts("link.lost_keys", n=picture.lost_keys), "error"
        if self._back.isActive():
            return texts("link.back"), "ok"
        if page not in WITH_NEWS:
            return "", ""
        if clock.text == "0:00":
            return texts("clock.up"), "last"
        sentence = texts(sentence_of(picture, self._session.heard("only")))
        return f"{sentence} {reason}".strip(), ""
