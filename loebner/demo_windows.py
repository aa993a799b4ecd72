"""`loebner demo --windows`: windows for two judges and a confederate in a running demo.

The contest runs in a separate thread. Each window has a real seat at its server, which a scripted
person plays until somebody types. If a window is closed, the scripted person takes over again,
because the contest waits for everybody.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QLabel

from contest.results.contest import Contest
from contest.scripted import Person, scripted_people
from contest.serving.server import Server
from judge_console.application import TerminationSignals, application, localized
from judge_console.client import SeatClient, SeatEvent
from judge_console.look.theme import Theme
from judge_console.model.seat import Decision
from judge_console.session import Session
from judge_console.window import ConsoleWindow
from loebner.demo_play import play
from lpp.clock import Clock, LoopClock
from lpp.lines import LineEditor
from lpp.wire import Place, Read
from scheduler import explain_places
from texts import Texts

#: The minimum height of a window with room for a talk, in pixels.
LOW_HEIGHT = 480
#: Whether the scripted person is the one acting at a seat.
_SCRIPTED: ContextVar[bool] = ContextVar("scripted", default=False)


class SharedSeat(SeatClient):
    """A seat at the server that a window shares with a scripted person.

    Any action in the window takes the seat from the scripted person, and removes that person's
    unfinished lines. The window shows the scripted person's keys like anybody's.

    Arguments:
        url, code: see SeatClient.
        person: the scripted person.
        clock: the contest's clock in this loop.
        taken: called when somebody takes the seat.
        monotonic: see SeatClient.
    """

    def __init__(
        self,
        url: str,
        code: str,
        person: Person,
        clock: Clock,
        taken: Callable[[], None] = lambda: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(
            url, code, client="window of a demo", acknowledge=False, monotonic=monotonic
        )
        self._person, self._clock, self._taken = person, clock, taken
        self._loop = asyncio.get_running_loop()
        self._playing: asyncio.Task[None] | None = None
        #: Whether the scripted person is playing.
        self.played = False

    def open(self) -> None:
        """See SeatClient."""
        super().open()
        self._sit()

    async def close(self) -> None:
        """See SeatClient."""
        await super().close()
        self.played = False
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.wait([self._playing])

    def recall(self) -> None:
        """Lets the scripted person take over again, because the window was closed. May be called in
        any thread."""
        with contextlib.suppress(RuntimeError):  # the loop may be closed already
            self._loop.call_soon_threadsafe(self._sit)

    def _sit(self) -> None:
        if not self.played:
            self.played = True
            self._playing = asyncio.create_task(self._play(), name="scripted person")

    async def _play(self) -> None:
        _SCRIPTED.set(True)  # for this task, and those that it starts
        await self._person.play(self, self._clock)

    async def __aiter__(self) -> AsyncIterator[SeatEvent]:
        """Yields what the scripted person sees: the current state, then all events at the seat."""
        events: asyncio.Queue[SeatEvent | None] = asyncio.Queue()
        for known in (self.model.state, self.model.rank_these):
            if known is not None:
                events.put_nowait(known)
        self.watchers.append(events.put_nowait)
        while (event := await events.get()) is not None:
            yield event

    async def _admit(self) -> bool:
        """Whether an action counts: the window's always do, and the scripted person's only before
        the first one in the window."""
        if _SCRIPTED.get():
            return self.played
        if self.played:
            # The person's tasks need a few turns of the loop to end, and could still act in these.
            self.played = False
            if self._playing is not None:
                self._playing.cancel()
            await self._clear_drafts()
            self._taken()
        return True

    async def _clear_drafts(self) -> None:
        for place in self.places:
            draft = LineEditor()
            for author, key in self.keys(place):
                if author == self.model.own:
                    draft.press(key)
            while draft.unsent and await super().press(place, "BackSpace"):
                draft.press("BackSpace")

    async def press(self, place: Place, key: str) -> bool:
        """See SeatClient."""
        return await self._admit() and await super().press(place, key)

    async def paste(self, place: Place, text: str) -> bool:
        """See SeatClient."""
        return await self._admit() and await super().paste(place, text)

    async def give(self, frame: Decision | Read) -> None:
        """See SeatClient. Reading doesn't count as an action."""
        if isinstance(frame, Read) or await self._admit():
            await super().give(frame)


class DemoWindow(ConsoleWindow):
    """A console's window whose seat continues without it after it is closed.

    Arguments:
        make: makes the seat, given a function to call when somebody takes it from the scripted
            person.
        theme, texts, monotonic: see ConsoleWindow and Session.

    Signals:
        closed: the window was closed.
        taken: somebody has taken the seat from the scripted person.

    Attributes:
        session: the seat.
        note: the line at the bottom.
    """

    closed, taken = Signal(), Signal()

    def __init__(
        self,
        make: Callable[[Callable[[], None]], SharedSeat],
        theme: Theme,
        texts: Texts,
        monotonic: Callable[[], float],
    ) -> None:
        seats: list[SharedSeat] = []

        def seat() -> SeatClient:
            seats.append(make(self.taken.emit))
            return seats[0]

        self.session, self._seats = Session(seat, monotonic=monotonic), seats
        super().__init__(self.session, theme, texts)
        self.note = QLabel(texts("demo.scripted"))
        self.note.setWordWrap(True)
        self.statusBar().addWidget(self.note, 1)
        self.statusBar().setSizeGripEnabled(False)
        self.taken.connect(lambda: self.note.setText(texts("demo.taken")))
        self.session.start()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leaves the seat to the scripted person, without asking, because nothing is lost."""
        event.accept()
        for seat in self._seats:
            seat.recall()
        self.closed.emit()


def people_of(seed: int) -> dict[str, Person]:
    """The scripted people at the seats with windows, two judges and a confederate: the same as in a
    demo without windows.

    Arguments:
        seed: the demo's seed.
    """
    return scripted_people(("J1", "J2"), ("C1",), seed)


class Windows(QObject):
    """All windows of a demo.

    Arguments:
        address: the server's address.
        codes: the seats' codes; a seat without a code gets no window.
        seed: the demo's seed.
        speed: seconds of contest time per second.
        theme, texts: as for all windows.
        monotonic: the clock for the remaining time, in seconds.

    Signals:
        over: the contest is over; passes the result in words.
        done: the contest is over, and all windows are closed.

    Attributes:
        windows: in the order of `people_of`; closed ones stay here, hidden.
    """

    over, done = Signal(str), Signal()

    def __init__(
        self,
        address: str,
        codes: Mapping[str, str],
        seed: int,
        speed: float,
        theme: Theme,
        texts: Texts,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._texts, self._over = texts, False
        self.over.connect(self._say_result)

        def maker(code: str, person: Person) -> Callable[[Callable[[], None]], SharedSeat]:
            url = f"ws://{address}/seat"
            return lambda taken: SharedSeat(url, code, person, LoopClock(speed), taken, monotonic)

        self.windows = [
            DemoWindow(maker(codes[seat], person), theme, texts, monotonic)
            for seat, person in people_of(seed).items()
            if seat in codes
        ]
        for window in self.windows:
            window.closed.connect(self._check_end, Qt.ConnectionType.QueuedConnection)

    def open(self) -> None:
        """Shows the windows side by side."""
        screen = QApplication.primaryScreen().availableGeometry()
        for window, place in zip(self.windows, tiles(screen, len(self.windows)), strict=True):
            window.setGeometry(place)
            window.show()

    @Slot()
    def _check_end(self) -> None:
        if self._over and not any(window.isVisible() for window in self.windows):
            self.done.emit()

    @Slot(str)
    def _say_result(self, words: str) -> None:
        self._over = True
        for window in self.windows:
            window.header.hide()  # the server has ended, so nobody should wait for it
            window.note.setText(f"{words} {self._texts('demo.thanks')}")
        self._check_end()

    def close(self) -> None:
        """Closes all windows, and leaves the seats."""
        for window in self.windows:
            window.hide()
            window.session.close()
            window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def tiles(screen: QRect, count: int) -> list[QRect]:
    """Places for this many windows on a screen without overlaps: two in a row, or all in one row if
    two rows would be too low."""
    across = 2 if screen.height() >= 2 * LOW_HEIGHT else count
    width, height = screen.width() // across, screen.height() // -(-count // across)
    places = []
    for number in range(count):
        row, column = divmod(number, across)
        left, top = screen.left() + column * width, screen.top() + row * height
        # Leave space for the frame, which the window manager adds.
        places.append(QRect(left + 4, top + 28, width - 8, height - 32))
    return places


def play_with_windows(folder: Path, seed: int, speed: float) -> None:
    """Plays a demo in a thread, and shows windows until the user closes them.

    Arguments:
        folder, seed, speed: see `loebner.demo_play.play`.

    Raises:
        KeyboardInterrupt: the demo was interrupted.
        UserError: see `loebner.demo_play.play`.
    """
    app = application()
    app.setQuitOnLastWindowClosed(False)
    opened: Future[Server] = Future()
    # The contest's loop and task, to end it.
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Contest]]] = []

    def seat_others(server: Server) -> Collection[str]:
        opened.set_result(server)
        return people_of(seed)

    async def contest() -> Contest:
        task = asyncio.create_task(play(folder, seed, speed, seat_others))
        running.append((asyncio.get_running_loop(), task))
        return await task

    def fail(played: Future[Contest]) -> None:
        if not opened.done():
            opened.set_exception(played.exception())

    with ThreadPoolExecutor(1, "contest") as threads:
        played = threads.submit(lambda: asyncio.run(contest()))
        played.add_done_callback(fail)
        try:
            server = opened.result()
            with localized(app, "system") as texts:
                place = server.address, server.codes
                _show(app, Windows(*place, seed, speed, Theme(app), texts), played)
        finally:
            with contextlib.suppress(RuntimeError):  # the loop may be closed already
                for loop, task in running:
                    loop.call_soon_threadsafe(task.cancel)
    if isinstance(played.exception(), asyncio.CancelledError):
        raise KeyboardInterrupt
    played.result()


def _show(app: QApplication, windows: Windows, played: Future[Contest]) -> None:
    """Shows the windows until all are closed and the contest is over, or somebody ends it."""

    def end(played: Future[Contest]) -> None:
        """Reports the end; called in the contest's thread."""
        if played.exception() is None:
            windows.over.emit("  ".join(explain_places(played.result().tally)))
        else:
            windows.done.emit()

    with contextlib.closing(TerminationSignals()) as interrupts:
        interrupts.asked.connect(app.quit)
        windows.done.connect(app.quit)
        windows.open()
        played.add_done_callback(end)
        try:
            app.exec()
        finally:
            windows.close()
