"""`loebner demo --windows`: the windows of two judges and a confederate of a running demo.

The contest plays in a separate thread. Each window has a real seat at its server, and in front of
it sits a scripted person until somebody types. Where a window is closed, the scripted person comes
back, because the contest waits for everybody.
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
from judge_console.application import Interrupts, application, speaking
from judge_console.client import SeatClient, SeatEvent
from judge_console.look.theme import Theme
from judge_console.model.seat import Decision
from judge_console.session import Session
from judge_console.window import ConsoleWindow
from loebner.demo_play import play
from lpp.clock import Clock, LoopClock
from lpp.lines import LineEditor
from lpp.pace import Pace
from lpp.wire import Place, Read
from scheduler import explain_places
from texts import Texts

#: A window that is lower has no room for a talk, in pixels.
LOW = 480
#: Whether what acts at a seat now is the scripted person.
_SCRIPTED: ContextVar[bool] = ContextVar("scripted", default=False)


class SharedSeat(SeatClient):
    """A seat at the server with a scripted person in front of it.

    What the window does takes the seat from the person, and removes the person's unfinished lines;
    what the person does is seen in the window as anybody's keys are.

    Arguments:
        url, code: see SeatClient.
        person: who sits here.
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
        #: Whether the scripted person still sits here.
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
        """The window is closed: the scripted person comes back. May be called in any thread."""
        with contextlib.suppress(RuntimeError):  # the loop may be closed by now
            self._loop.call_soon_threadsafe(self._sit)

    def _sit(self) -> None:
        if not self.played:
            self.played = True
            self._playing = asyncio.create_task(self._play(), name="scripted person")

    async def _play(self) -> None:
        _SCRIPTED.set(True)  # for this task, and those that it starts
        await self._person.play(self, self._clock)

    async def __aiter__(self) -> AsyncIterator[SeatEvent]:
        """What the person sees: the present state, then all that happens at the seat."""
        events: asyncio.Queue[SeatEvent | None] = asyncio.Queue()
        for known in (self.model.state, self.model.rank_these):
            if known is not None:
                events.put_nowait(known)
        self.watchers.append(events.put_nowait)
        while (event := await events.get()) is not None:
            yield event

    async def _admit(self) -> bool:
        """Whether an act counts: the window's always does, and the person's none after it."""
        if _SCRIPTED.get():
            return self.played
        if self.played:
            # The person's tasks end within some turns of the loop, and could still act in these.
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

    async def paste(self, place: Place, text: str, pace: Pace | None = None) -> bool:
        """See SeatClient."""
        return await self._admit() and await super().paste(place, text, pace)

    async def give(self, frame: Decision | Read) -> None:
        """See SeatClient. To read is not an act."""
        if isinstance(frame, Read) or await self._admit():
            await super().give(frame)


class DemoWindow(ConsoleWindow):
    """A console's window whose seat goes on without it, once it is closed.

    Arguments:
        make: makes the seat, given what it calls when somebody takes it from the scripted person.
        theme, texts, monotonic: see ConsoleWindow and Session.

    Signals:
        closed: it was closed.
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
        """Leaves the seat to the scripted person; nothing is lost by it, so nobody is asked."""
        event.accept()
        for seat in self._seats:
            seat.recall()
        self.closed.emit()


def people_of(seed: int) -> dict[str, Person]:
    """The seats with windows: two judges and a confederate. The same people sit there as in a demo
    without windows.

    Arguments:
        seed: the demo's.
    """
    return scripted_people(("J1", "J2"), ("C1",), seed)


class Windows(QObject):
    """All windows of a demo.

    Arguments:
        address: the server's.
        codes: of the seats; of those without one no window is opened.
        seed: the demo's.
        speed: seconds of contest time in a second.
        theme, texts: as for all windows.
        monotonic: the clock of the remaining time, in seconds.

    Signals:
        over: the contest is over; with the result in words.
        done: the contest is over, and no window is open any more.

    Attributes:
        windows: in the order of `people_of`; those that were closed stay here, hidden.
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
            window.closed.connect(self._look, Qt.ConnectionType.QueuedConnection)

    def open(self) -> None:
        """Shows them beside each other."""
        screen = QApplication.primaryScreen().availableGeometry()
        for window, room in zip(self.windows, tiles(screen, len(self.windows)), strict=True):
            window.setGeometry(room)
            window.show()

    @Slot()
    def _look(self) -> None:
        if self._over and not any(window.isVisible() for window in self.windows):
            self.done.emit()

    @Slot(str)
    def _say_result(self, words: str) -> None:
        self._over = True
        for window in self.windows:
            window.header.hide()  # the server has gone, and nobody is to wait for it
            window.note.setText(f"{words} {self._texts('demo.thanks')}")
        self._look()

    def close(self) -> None:
        """Closes all of them, and leaves the seats."""
        for window in self.windows:
            window.hide()
            window.session.close()
            window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def tiles(screen: QRect, count: int) -> list[QRect]:
    """Rooms for so many windows on a screen that do not cover one another: two in a row, or all
    where two rows would be too low."""
    across = 2 if screen.height() >= 2 * LOW else count
    width, height = screen.width() // across, screen.height() // -(-count // across)
    rooms = []
    for number in range(count):
        row, column = divmod(number, across)
        left, top = screen.left() + column * width, screen.top() + row * height
        # The frame that a window manager draws is not part of what is asked for.
        rooms.append(QRect(left + 4, top + 28, width - 8, height - 32))
    return rooms


def play_with_windows(folder: Path, seed: int, speed: float) -> None:
    """Plays a demo in a thread, and shows windows until the person closes them.

    Arguments:
        folder, seed, speed: see `loebner.demo_play.play`.

    Raises:
        KeyboardInterrupt: the demo was interrupted.
        YoursToFix: see `loebner.demo_play.play`.
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
            with speaking(app, "system") as texts:
                place = server.address, server.codes
                _show(app, Windows(*place, seed, speed, Theme(app), texts), played)
        finally:
            with contextlib.suppress(RuntimeError):  # the loop may be closed by now
                for loop, task in running:
                    loop.call_soon_threadsafe(task.cancel)
    if isinstance(played.exception(), asyncio.CancelledError):
        raise KeyboardInterrupt
    played.result()


def _show(app: QApplication, windows: Windows, played: Future[Contest]) -> None:
    """Shows the windows until all are closed and the contest is over, or somebody ends it."""

    def end(played: Future[Contest]) -> None:
        """In the contest's thread."""
        if played.exception() is None:
            windows.over.emit("  ".join(explain_places(played.result().tally)))
        else:
            windows.done.emit()

    with contextlib.closing(Interrupts()) as interrupts:
        interrupts.asked.connect(app.quit)
        windows.done.connect(app.quit)
        windows.open()
        played.add_done_callback(end)
        try:
            app.exec()
        finally:
            windows.close()
