"""The top of every page: the person and role, the round, the time, and one line of news.

The line never moves, pops up or takes the focus. It warns of the end, and says when the connection
is interrupted or the contest is paused.
"""

from __future__ import annotations

import math
from typing import Final

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from judge_console.look.theme import set_style_property
from judge_console.model.pages import Page, WindowState, heading_of, name_of, page_of, sentence_of
from judge_console.model.timer import ClockDisplay, clock_display
from judge_console.session import Session
from judge_console.views.controls import Notice, TextLabel, set_silently, single_shot
from texts import Texts

#: Milliseconds to show that the connection is back, and the messages of `say`.
_BACK: Final = 6000
#: Pages on which the line is never empty, so that nothing below it moves when a warning appears,
#: least of all a button. The other pages contain these words themselves.
WITH_NEWS: Final = frozenset({Page.TALK, Page.VERDICT, Page.RANKING})


def reason_of(window_state: WindowState, texts: Texts) -> str:
    """The reason that belongs to the phase, named as such, but a desk's own unchanged; empty if
    there is none."""
    reason = window_state.state.reason
    if not reason or window_state.can_end:
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
        self.who = TextLabel()
        self.round = TextLabel(role="heading")
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
        self._tick = single_shot(self, self.refresh)
        self._back = single_shot(self, self.refresh)
        self._answered = single_shot(self, self.refresh)
        session.changed.connect(self.refresh)
        session.conversations_changed.connect(self._on_drawn)
        self.refresh()

    # The window's messages

    def set_keys_stopped(self, stopped: bool) -> None:
        """Shows or hides the message that keys are blocked for the moment."""
        if stopped != self._keys_stopped:
            self._keys_stopped = stopped
            self.refresh()

    @Slot(str)
    def say(self, words: str) -> None:
        """Shows a message about the person's last action for a moment."""
        self._answer = words
        self._answered.start(_BACK)
        self.refresh()

    # Following

    @Slot()
    def refresh(self) -> None:
        """Shows the present state."""
        window_state = self._session.window_state
        state = window_state.state
        began = math.inf if state.remaining_ms is None else state.remaining_ms / 1000
        clock = clock_display(self._session.remaining(), state.phase, state.speed, began)
        if self._about != (state.phase, state.round):
            # A message about another phase is outdated.
            self._about = (state.phase, state.round)
            self._answered.stop()
        self._show_names()
        self._show_clock(clock)
        self._follow_link()
        self.notice.say(*self._news(clock))
        if clock.change_in is None or window_state.ended is not None:
            self._tick.stop()
        else:
            self._tick.start(max(1, math.ceil(clock.change_in * 1000)))

    @Slot()
    def _on_drawn(self) -> None:
        # The sentence for a confederate depends on the judge's first key.
        if (
            self._session.own == "entity"
            and self._session.window_state.state.phase == "interaction"
        ):
            self.refresh()

    def _show_names(self) -> None:
        texts, window_state = self._texts, self._session.window_state
        welcome, state = window_state.welcome, window_state.state
        who = round_ = ""
        if welcome is not None:
            name = name_of(window_state)
            name = f"{name} ({welcome.seat})" if name else welcome.seat
            who = f"{texts(f'talk.who_{welcome.role}', name=name)} · {welcome.contest}"
            if (
                window_state.ended is None
                and state.round
                and state.phase not in ("ranking", "over")
            ):
                fields = {"round": state.round, "rounds": welcome.rounds}
                number = texts("talk.round", **fields)
                if state.attempt > 1:
                    number = texts("talk.attempt", attempt=state.attempt, **fields)
                round_ = f"{number} · {texts(heading_of(window_state))}"
        set_silently(self.who, "text", who)
        set_silently(self.round, "text", round_)

    def _show_clock(self, clock: ClockDisplay) -> None:
        self.clock.setVisible(bool(clock.text) and self._session.window_state.ended is None)
        set_silently(self.clock, "text", self._texts("clock.left", time=clock.text))
        self.clock.setAccessibleDescription(self._texts("clock.stopped") if clock.stopped else "")
        set_style_property(self.clock, "level", clock.level)

    def _follow_link(self) -> None:
        linked = self._session.window_state.connected
        if linked and self._was_cut:
            self._back.start(_BACK)
        elif not linked:
            self._back.stop()
        self._was_cut = not linked and (self._was_cut or self._was_linked)
        self._was_linked = linked

    def _news(self, clock: ClockDisplay) -> tuple[str, str]:
        """The text of the line now, and its tone: the most important message."""
        window_state, texts = self._session.window_state, self._texts
        if window_state.welcome is None or window_state.ended is not None:
            return "", ""
        if self._keys_stopped:
            return texts("window.keys_stopped"), ""
        if self._answered.isActive():
            return self._answer, ""
        if not window_state.connected:
            return texts("link.down"), "error"
        reason = reason_of(window_state, texts)
        if window_state.state.phase == "paused":
            return f"{texts(sentence_of(window_state))} {reason}".strip(), ""
        if clock.warning is not None:
            if clock.warning >= 60:
                return texts("clock.minutes", n=clock.warning // 60), "soon"
            return texts("clock.seconds", n=clock.warning), "last"
        page = page_of(window_state)
        if page is not Page.TALK and window_state.lost_keys:
            return texts("link.lost_keys", n=window_state.lost_keys), "error"
        if self._back.isActive():
            return texts("link.back"), "ok"
        if page not in WITH_NEWS:
            return "", ""
        if clock.text == "0:00":
            return texts("clock.up"), "last"
        sentence = texts(sentence_of(window_state, self._session.heard("only")))
        return f"{sentence} {reason}".strip(), ""
