"""A seat as a window uses it: its state, the talks in reading order, and the person's actions.

A window must never wait for a network, and Qt's loop can't run asyncio's sockets. So the seat runs
in a separate thread. A queue brings `Update`s from there to the window; the person's actions go the
other way, through that thread's loop, by calls that return at once. The queue wakes the window with
one signal until the window has emptied it, and the window empties it at most once per `TICK`.
However fast both sides type, the window is drawn no more often than a screen is. The first update
after a pause is taken at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, Signal, Slot

from judge_console.client import ConnectionLost, SeatClient, SeatEvent
from judge_console.memory import Drafts
from judge_console.model.pages import KNOWN_BY_MODEL, WindowState
from judge_console.model.seat import Decision, SeatModel, remaining
from judge_console.views.controls import single_shot
from lpp.conversation import Conversation
from lpp.errors import EnvironmentProblem, UserError
from lpp.wire import Author, Key, Place, Read, Taken, Welcome

log = logging.getLogger(__name__)

#: The shortest time between two drawings, in seconds: the refresh period of a screen.
TICK = 0.016
#: Keys within this many seconds are reported together: far less than a screen's refresh period.
REPORT_INTERVAL = 0.004
#: Seconds to wait for a seat to leave cleanly.
LEAVE_TIMEOUT = 5.0

Shown = list[tuple[Author, str]]


class Stream(NamedTuple):
    """The news of a talk.

    Attributes:
        fresh: whether `keys` are the whole talk and replace what was shown.
        keys: (author, key name), in the order in which they were shown.
        heard: the number of the other side's last key so far.
    """

    fresh: bool
    keys: Shown
    heard: int


class Update(NamedTuple):
    """The changes: the whole window state, or None if it is the same, and a stream for each place
    with a talk."""

    window_state: WindowState | None
    streams: dict[Place, Stream]


class Differences:
    """Finds what has changed in a model since the last update.

    Arguments:
        model: a seat's.
        can_end: see `WindowState`.
    """

    def __init__(self, model: SeatModel, can_end: bool = False) -> None:
        self._model, self._can_end = model, can_end
        self._given: dict[Place, tuple[Shown, int]] = {}

    def update(
        self, link: tuple[bool, ConnectionLost, BaseException | None] | None = None
    ) -> Update | None:
        """The changes in the talks, and with `link` the whole window state; None if nothing has
        changed.

        Arguments:
            link: whether the seat is connected, how the last connection was lost, and why the seat
                has ended.
        """
        given, streams = self._given, {}
        self._given = {}
        for place, talk in self._model.talks.items():
            shown, count = given.get(place, (None, 0))
            fresh = shown is not talk.shown
            streams[place] = Stream(fresh, talk.shown[0 if fresh else count :], talk.heard)
            self._given[place] = (talk.shown, len(talk.shown))
        if link is None:
            news = any(stream.fresh or stream.keys for stream in streams.values())
            return Update(None, streams) if news else None
        connected, lost, ended = link
        window_state = WindowState(
            connected=connected,
            can_end=self._can_end,
            trouble=lost.trouble,
            kind=lost.kind,
            fingerprint=lost.fingerprint,
            ended=ended,
            **{name: copy(getattr(self._model, name)) for name in KNOWN_BY_MODEL},
        )
        return Update(window_state, streams)


class SeatThread:
    """A seat in a separate thread.

    Arguments:
        make: makes the seat; called in the thread, in its loop. It may take long.
        on_news: called in the thread when there is an update, once until the window takes it.
        can_end: see `WindowState`.
    """

    def __init__(
        self, make: Callable[[], SeatClient], on_news: Callable[[], None], can_end: bool
    ) -> None:
        self._make, self._on_news, self._can_end = make, on_news, can_end
        self._lock = threading.Lock()
        self._updates: list[Update] = []
        self._seat: SeatClient | None = None
        self._lost = ConnectionLost("")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._left: asyncio.Event | None = None
        self._acts: set[asyncio.Future[object]] = set()
        self._later: asyncio.TimerHandle | None = None
        self._said_at = float("-inf")
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="seat", daemon=True)

    # For the window

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()
        self._ready.wait()

    def leave(self, saving: float) -> None:
        """Starts to leave the seat; waits at most `saving` seconds for unconfirmed keys and
        decisions."""
        self._call(self._act, lambda _seat: self._leave(saving), True)

    def join(self, patience: float) -> None:
        """Waits until the thread has left the seat, at most `patience` seconds."""
        if self._thread.ident is not None:
            self._thread.join(patience)

    def take(self) -> list[Update]:
        """Returns all updates since the last call, in order."""
        with self._lock:
            updates, self._updates = self._updates, []
        return updates

    def do(self, act: Callable[[SeatClient], Awaitable[object]], *, key: bool = False) -> None:
        """Runs an action at the seat; `key` means that it changes only a talk."""
        if self._seat is not None:
            self._call(self._act, act, not key)

    def painted(self, heard: Mapping[Place, int]) -> None:
        """See `SeatModel.painted`."""
        if self._seat is not None:
            self._call(self._seat.painted, heard)

    def _call(self, what: Callable[..., object], *arguments: object) -> None:
        """Calls something in the thread; does nothing once the thread has ended."""
        if self._loop is not None:
            # The loop may be closed, or just closing.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(what, *arguments)

    # In the thread

    def _act(self, act: Callable[[SeatClient | None], Awaitable[object]], with_state: bool) -> None:
        # Tasks begin in the order in which they were made, and no action waits before it has done
        # its work, so keys stay in order.
        task = asyncio.ensure_future(act(self._seat))
        self._acts.add(task)
        task.add_done_callback(partial(self._acted, with_state))

    def _acted(self, with_state: bool, task: asyncio.Future[object]) -> None:
        self._acts.discard(task)
        if not task.cancelled() and isinstance(exc := task.exception(), UserError):
            # The forms should never pass on a decision that the model refuses.
            log.warning("the action was refused: %s", exc)
        if self._seat is not None:
            self._tell(with_state)

    async def _leave(self, saving: float) -> None:
        seat, end = self._seat, time.monotonic() + saving
        # These change with the server's frames, a few times a second.
        while (  # noqa: ASYNC110
            seat is not None
            and seat.connected
            and (seat.model.unsaved or seat.model.unconfirmed)
            and time.monotonic() < end
        ):
            await asyncio.sleep(0.02)
        if self._left is not None:
            self._left.set()

    def _run(self) -> None:
        try:
            asyncio.run(self._live())
        except Exception as exc:
            if not isinstance(exc, UserError | EnvironmentProblem):
                log.exception("the seat's thread has died: this is a bug in loebner")
            self._put(Update(WindowState(ended=exc), {}))
        finally:
            self._ready.set()

    async def _live(self) -> None:
        self._loop, self._left = asyncio.get_running_loop(), asyncio.Event()
        # Before the seat is made, because the window must not wait for it.
        self._ready.set()
        self._seat = self._make()
        self._differences = Differences(self._seat.model, self._can_end)
        self._seat.watchers.append(self._on_event)
        async with self._seat:
            # If the seat ends by itself, the window learns of it and decides when to leave.
            await self._left.wait()
            self._seat.watchers.clear()

    def _on_event(self, event: SeatEvent | None) -> None:
        """Handles an event at the seat; None is its end."""
        assert self._seat is not None
        error = self._seat.error
        if event is None and error and not isinstance(error, UserError | EnvironmentProblem):
            log.error("the seat has ended: this is a bug in loebner", exc_info=error)
        elif isinstance(event, ConnectionLost):
            self._lost = event
        elif isinstance(event, Welcome):
            self._lost = ConnectionLost("")
        self._tell(not isinstance(event, Key | Taken))

    def _tell(self, with_state: bool) -> None:
        """Reports changes. Keys in quick succession are reported together, because each report
        takes the interpreter from the window; everything else is reported at once."""
        loop = asyncio.get_running_loop()
        if with_state or loop.time() >= self._said_at + REPORT_INTERVAL:
            self._say(with_state)
        elif self._later is None:
            self._later = loop.call_at(self._said_at + REPORT_INTERVAL, self._say)

    def _say(self, with_state: bool = False) -> None:
        assert self._seat is not None
        if self._later is not None:
            self._later.cancel()
            self._later = None
        self._said_at = asyncio.get_running_loop().time()
        seat = self._seat
        link = (seat.connected, self._lost, seat.error) if with_state else None
        update = self._differences.update(link)
        if update is not None:
            self._put(update)

    def _put(self, update: Update) -> None:
        with self._lock:
            self._updates.append(update)
            first = len(self._updates) == 1
        if first:
            self._on_news()


class Session(QObject):
    """A seat in the window's thread.

    Arguments:
        make: makes the seat, in the seat's thread.
        drafts: keeps choices that are not saved yet.
        monotonic: the clock for the remaining time, in seconds; the same as the seat's.
        end: ends the talk early, if this person may do so; called with the current phase.
        thread: runs the seat; a new one if left out.

    Signals, in this order for each set of updates:
        changed: `window_state` has changed.
        talks_changed: `talks` has new conversations: draw them from the beginning.
        conversations_changed: a conversation has changed: draw the changes before returning.

    Attributes:
        window_state: everything that the window shows, except the talks.
        talks: the conversation at each place.
    """

    changed = Signal()
    talks_changed = Signal()
    conversations_changed = Signal()
    _news = Signal()

    def __init__(
        self,
        make: Callable[[], SeatClient],
        drafts: Drafts | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        end: Callable[[str], None] | None = None,
        thread: SeatThread | None = None,
    ) -> None:
        super().__init__()
        self.window_state = WindowState()
        self.talks: dict[Place, Conversation] = {}
        self.drafts = drafts if drafts is not None else Drafts()
        self._heard: dict[Place, int] = {}
        self._monotonic = monotonic
        self._end = end
        self._thread = thread or SeatThread(make, self._news.emit, end is not None)
        self._timer = single_shot(self, self.refresh)
        self._taken_at = float("-inf")
        self._closed = False
        self._news.connect(self._on_news, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        """Starts the seat's thread."""
        self._thread.start()

    def leave(self, saving: float = 0.0) -> None:
        """Starts to leave the seat. There are no further updates.

        Arguments:
            saving: the most seconds to wait for unconfirmed keys and unsaved decisions.
        """
        if not self._closed:
            self._closed = True
            self._timer.stop()
            self.drafts.close()
            self._thread.leave(saving)

    def close(self, saving: float = 0.0) -> None:
        """Leaves the seat and waits until that is done; see `leave`."""
        self.leave(saving)
        self._thread.join(LEAVE_TIMEOUT + saving)

    # The state

    @property
    def own(self) -> Author:
        """The author of this seat's keys."""
        welcome = self.window_state.welcome
        return "entity" if welcome is not None and welcome.role == "confederate" else "judge"

    def remaining(self) -> float | None:
        """The remaining time of the phase, in seconds of contest time; None without a limit."""
        return remaining(self.window_state.state, self.window_state.state_at, self._monotonic())

    def heard(self, place: Place) -> int:
        """How many keys the other side of a talk has pressed, including corrections."""
        return self._heard.get(place, 0)

    # The person's actions

    def press(self, place: Place, key: str) -> None:
        """Sends a pressed key at once, and shows it with the next drawing."""
        self._thread.do(lambda seat: seat.press(place, key), key=True)

    def paste(self, place: Place, text: str) -> None:
        """Types a pasted text at a person's pace, if the contest allows pasting."""
        self._thread.do(lambda seat: seat.paste(place, text))

    def give(self, frame: Decision | Read) -> None:
        """Sends a decision or the request for an earlier talk; the answer appears in
        `window_state`."""
        self._thread.do(lambda seat: seat.give(frame))

    def end(self) -> None:
        """Ends the talk early, if `window_state.can_end` says that this person may."""
        if self._end is not None:
            self._end(self.window_state.state.phase)

    # News

    @Slot()
    def _on_news(self) -> None:
        wait = self._taken_at + TICK - time.monotonic()
        if wait <= 0:
            self.refresh()
        elif not self._timer.isActive() and not self._closed:
            self._timer.start(max(1, round(wait * 1000)))

    @Slot()
    def refresh(self) -> None:
        """Takes all updates now."""
        if self._closed:
            return
        self._taken_at = time.monotonic()
        updates = self._thread.take()
        before = dict(self.talks)
        states = [update.window_state for update in updates if update.window_state is not None]
        if states:
            self.window_state = states[-1]
            if self.window_state.welcome is not None:
                self.drafts.contest = self.window_state.welcome.contest_id
        fresh = [self._take(update) for update in updates]
        if states:
            self.changed.emit()
        if before != self.talks:
            self.talks_changed.emit()
        if any(fresh):
            self.conversations_changed.emit()
            self._thread.painted(dict(self._heard))

    def _take(self, update: Update) -> bool:
        """Takes an update of the talks; returns whether anything in them is new."""
        for place in self.talks.keys() - update.streams.keys():
            del self.talks[place], self._heard[place]
        for place, stream in update.streams.items():
            if stream.fresh:
                self.talks[place] = Conversation(self.own)
            for author, key in stream.keys:
                self.talks[place].press(author, key)
            self._heard[place] = stream.heard
        return any(stream.fresh or stream.keys for stream in update.streams.values())
