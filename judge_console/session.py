"""A seat as the window has it: the newest picture, the talks in reading order, and the acts.

The worker (worker.py) lives in its own thread; a `Session` lives in the window's. News come as one
queued signal, and are taken at most once in `TICK`: however fast both sides type, the window is
drawn as often as a screen is, and not more. The first news after a quiet moment are taken at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from judge_console.memory import Drafts
from judge_console.model import Human, remaining
from judge_console.updates import Picture, Update
from judge_console.worker import Hands
from lpp.conversation import Conversation
from lpp.wire import Author, Place

#: Seconds between two drawings at least: a screen's own beat.
TICK = 0.016


class Session(QObject):
    """A seat in the window's thread.

    Arguments:
        hands: makes what carries out the acts, given what it calls when there are news:
            `lambda news: Worker(make_seat, news)`.
        drafts: where choices that are not saved yet are kept.
        monotonic: the clock of the remaining time, in seconds; the seat's must be the same.
        parent: the owner, as Qt has it.

    Signals, in this order when one set of news is taken:
        changed: `picture` is another one.
        talks_changed: `talks` has other conversations than before: draw them anew.
        drawn: there is something new in a conversation: draw what changed, before returning.

    Attributes:
        picture: all that is known but the talks.
        talks: what is said at each place, for the views to draw.
    """

    changed = Signal()
    talks_changed = Signal()
    drawn = Signal()
    _news = Signal()

    def __init__(
        self,
        hands: Callable[[Callable[[], None]], Hands],
        drafts: Drafts | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.picture = Picture()
        self.talks: dict[Place, Conversation] = {}
        self.drafts = drafts if drafts is not None else Drafts()
        self._heard: dict[Place, int] = {}
        self._monotonic = monotonic
        self._hands = hands(self._news.emit)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.refresh)
        self._taken_at = float("-inf")
        self._closed = False
        self._news.connect(self._on_news, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        """Begins to live."""
        self._hands.start()

    def close(self, saving: float = 0.0) -> None:
        """Leaves the seat, and waits until it is left.

        Arguments:
            saving: seconds to wait at most for what is not confirmed or saved yet.
        """
        if not self._closed:
            self._hands.stop(saving)
            self.let_go()

    def let_go(self) -> None:
        """Ends this where somebody else has left the seat already, or has tried to."""
        if not self._closed:
            self._closed = True
            self._timer.stop()
            self.drafts.close()

    # What is known

    @property
    def own(self) -> Author:
        """Under which author's name this seat types."""
        welcome = self.picture.welcome
        return "entity" if welcome is not None and welcome.role == "confederate" else "judge"

    def remaining(self) -> float | None:
        """What is left of the phase now, in seconds of contest time; None without a limit."""
        return remaining(self.picture.state, self.picture.state_at, self._monotonic())

    def heard(self, place: Place) -> int:
        """How many keys the other side of a talk has pressed; corrections count as well."""
        return self._heard.get(place, 0)

    # What the person does

    def press(self, place: Place, key: str) -> None:
        """A key was pressed: it is shown with the next drawing, and sent at once."""
        self._hands.press(place, key)

    def paste(self, place: Place, text: str) -> None:
        """A text was pasted: typed at a person's pace, if the contest allows it."""
        self._hands.paste(place, text)

    def verdict(self, human: Human, confidence: int | None = None, reason: str = "") -> None:
        """The judge has decided; `picture.saved` says when the server has it."""
        self._hands.verdict(human, confidence, reason)

    def rank(self, half_steps: Mapping[str, int]) -> None:
        """The judge has ranked all; `picture.saved` says when the server has it."""
        self._hands.rank(half_steps)

    def agree(self, publish: bool, pseudonym: str = "") -> None:
        """The person has answered the agreement; `picture.saved` says when the server has it."""
        self._hands.agree(publish, pseudonym)

    def read(self, round_: int, attempt: int, place: Place) -> None:
        """The judge wants to read an earlier talk; `picture.past` has it when it has come."""
        self._hands.read(round_, attempt, place)

    def end(self) -> None:
        """Ends the talk before its time, where `picture.can_end` says that this person may."""
        self._hands.end()

    # News

    @Slot()
    def _on_news(self) -> None:
        if self._closed:
            return  # told before, and queued
        wait = self._taken_at + TICK - time.monotonic()
        if wait <= 0:
            self.refresh()
        elif not self._timer.isActive():
            self._timer.start(max(1, round(wait * 1000)))

    @Slot()
    def refresh(self) -> None:
        """Takes the news now."""
        if self._closed:
            return
        self._taken_at = time.monotonic()
        updates = self._hands.take()
        if not updates:
            return
        before = dict(self.talks)
        pictures = [update.picture for update in updates if update.picture is not None]
        if pictures:
            self._take_picture(pictures[-1])
        for update in updates:
            self._take_streams(update)
        if pictures:
            self.changed.emit()
        if before != self.talks:
            self.talks_changed.emit()
        if any(update.streams for update in updates):
            self.drawn.emit()
            self._hands.painted(dict(self._heard))

    def _take_picture(self, picture: Picture) -> None:
        if picture.welcome is not None:
            self.drafts.of(picture.welcome.contest_id)
        self.picture = picture

    def _take_streams(self, update: Update) -> None:
        for place in [place for place in self.talks if place not in update.places]:
            del self.talks[place], self._heard[place]
        for stream in update.streams:
            if stream.place not in update.places:
                continue
            if stream.fresh:
                self.talks[stream.place] = Conversation(self.own)
            for author, key in stream.keys:
                self.talks[stream.place].press(author, key)
            self._heard[stream.place] = stream.heard
