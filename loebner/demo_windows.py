"""`loebner demo --windows`: windows for two judges and a confederate in a running demo.

Each window has a real seat at the contest's server, which a scripted person plays until somebody
types. If a window is closed, the scripted person takes over again,
because the contest waits for everybody.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from contextvars import ContextVar
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QRect, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QLabel

from contest.scripted import Person, scripted_people
from contest.serving.server import Server
from contest.tasks import running
from judge_console.application import application, localized
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
#: Seconds between two turns of Qt's loop: the refresh period of a screen.
FRAME = 0.016
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
        url, code, person: see SharedSeat.
        speed: seconds of contest time per second.
        theme, texts: see ConsoleWindow.
        monotonic: the clock for the remaining time, in seconds.

    Signals:
        taken: somebody has taken the seat from the scripted person.

    Attributes:
        session: the seat.
        note: the line at the bottom.
    """

    taken = Signal()

    def __init__(
        self,
        url: str,
        code: str,
        person: Person,
        speed: float,
        theme: Theme,
        texts: Texts,
        monotonic: Callable[[], float],
    ) -> None:
        self._seat: SharedSeat | None = None

        def seat() -> SeatClient:
            self._seat = SharedSeat(url, code, person, LoopClock(speed), self.taken.emit, monotonic)
            return self._seat

        self.session = Session(seat, monotonic=monotonic)
        super().__init__(self.session, theme, texts)
        self.note = QLabel(texts("demo.scripted"))
        self.note.setWordWrap(True)
        self.statusBar().addWidget(self.note, 1)
        self.statusBar().setSizeGripEnabled(False)
        self.taken.connect(lambda: self.note.setText(texts("demo.taken")))
        self.session.start()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leaves the seat to the scripted person, without a question because nothing is lost."""
        event.accept()
        if self._seat is not None:
            self._seat.recall()

    def show_result(self, words: str) -> None:
        """Shows the result when the contest is over."""
        self.header.hide()  # the server has ended, so nobody should wait for it
        self.note.setText(words)


def people_of(seed: int) -> dict[str, Person]:
    """The scripted people at the seats with windows, two judges and a confederate: the same as in a
    demo without windows.

    Arguments:
        seed: the demo's seed.
    """
    return scripted_people(("J1", "J2"), ("C1",), seed)


def open_windows(
    address: str,
    codes: Mapping[str, str],
    seed: int,
    speed: float,
    theme: Theme,
    texts: Texts,
    monotonic: Callable[[], float] = time.monotonic,
) -> list[DemoWindow]:
    """Opens the windows of a demo side by side, in the order of `people_of`.

    Arguments:
        address: the server's address.
        codes: the seats' codes; a seat without a code gets no window.
        seed: the demo's seed.
        speed: seconds of contest time per second.
        theme, texts: as for all windows.
        monotonic: the clock for the remaining time, in seconds.
    """
    windows = [
        DemoWindow(f"ws://{address}/seat", codes[seat], person, speed, theme, texts, monotonic)
        for seat, person in people_of(seed).items()
        if seat in codes
    ]
    screen = QApplication.primaryScreen().availableGeometry()
    for window, place in zip(windows, tiles(screen, len(windows)), strict=True):
        window.setGeometry(place)
        window.show()
    return windows


def close_windows(windows: Iterable[DemoWindow]) -> None:
    """Closes all windows, and leaves the seats."""
    for window in windows:
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


async def play_with_windows(folder: Path, seed: int, speed: float) -> None:
    """Plays a demo, and shows windows until it is over and the user has closed them. Contest and
    windows share a thread; a window's own seat has another one.

    Arguments:
        folder, seed, speed: see `loebner.demo_play.play`.

    Raises:
        UserError: see `loebner.demo_play.play`.
    """
    app = application()
    windows: list[DemoWindow] = []
    with localized(app, "system") as texts:
        theme = Theme(app)

        def seat_others(server: Server) -> Collection[str]:
            windows.extend(open_windows(server.address, server.codes, seed, speed, theme, texts))
            return people_of(seed)

        async with running(_draw(app), "windows"):
            try:
                contest = await play(folder, seed, speed, seat_others)
                result = "  ".join(explain_places(contest.tally))
                for window in windows:
                    window.show_result(f"{result} {texts('demo.thanks')}")
                while any(window.isVisible() for window in windows):  # noqa: ASYNC110
                    await asyncio.sleep(FRAME)
            finally:
                close_windows(windows)


async def _draw(app: QApplication) -> None:
    while True:
        app.processEvents()
        await asyncio.sleep(FRAME)
