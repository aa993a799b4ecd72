"""The program that opens a demo's windows: `loebner demo --only-windows`, started by `demo_play`.

Each window has a real seat at the running server, and in front of it sits a scripted person until
somebody types. Where a window is closed, a scripted person goes on without it: the contest waits
for everybody.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication

from contest.scripted import Person, scripted_confederates, scripted_judges
from judge_console.application import Interrupts, application, speaking
from judge_console.client import SeatClient, SeatEvent
from judge_console.look.theme import Theme
from judge_console.model.seat import Decision, Human
from judge_console.session import Session
from judge_console.texts import Texts
from judge_console.window import ConsoleWindow
from loebner.demo_play import SHOWN, Chair, Orders
from lpp.clock import Clock, LoopClock
from lpp.pace import Pace
from lpp.wire import Place, Ranks, Read, Verdict

#: The least that a window is made small to, in pixels.
LEAST = (640, 480)


class SharedSeat(SeatClient):
    """A seat at the server with a scripted person in front of it.

    What the window does takes the seat from the person for good; what the person does is seen in
    the window as anybody's keys are.

    Arguments:
        url, code: see SeatClient.
        person: who sits here.
        clock: the contest's clock in this loop.
        take_over, monotonic: see SeatClient.
    """

    def __init__(
        self,
        url: str,
        code: str,
        person: Person,
        clock: Clock,
        *,
        take_over: bool = False,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(
            url,
            code,
            client="window of a demo",
            take_over=take_over,
            acknowledge=False,
            monotonic=monotonic,
        )
        self._person = person
        self._clock = clock
        self._playing: asyncio.Task[None] | None = None
        self._dismissed = False

    @property
    def played(self) -> bool:
        """Whether the scripted person still sits here."""
        return not self._dismissed and self._playing is not None and not self._playing.done()

    def open(self) -> None:
        """See Seat.open."""
        super().open()
        if self._playing is None:
            place = PersonsPlace(self)
            self.watchers.append(place.tell)
            self._playing = asyncio.create_task(
                self._person.play(place, self._clock), name="scripted person"
            )

    async def close(self) -> None:
        """See Seat.close."""
        await super().close()
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.wait([self._playing])

    def dismiss(self) -> None:
        """Somebody has come: the scripted person leaves, and does nothing more from now on."""
        # The person's tasks end within some turns of the loop, and could still act in these.
        self._dismissed = True
        if self._playing is not None:
            self._playing.cancel()

    # By the window

    async def press(self, place: Place, key: str) -> bool:
        """See Seat.press."""
        self.dismiss()
        return await super().press(place, key)

    async def paste(self, place: Place, text: str, pace: Pace | None = None) -> bool:
        """See Seat.paste."""
        self.dismiss()
        return await super().paste(place, text, pace)

    async def give(self, frame: Decision | Read) -> None:
        """See SeatClient.give."""
        if not isinstance(frame, Read):  # to read is no act
            self.dismiss()
        await super().give(frame)


class PersonsPlace:
    """The seat as the scripted person has it: a `contest.scripted.Seat` with events of its own.
    Everything that the person reads is the seat's."""

    def __init__(self, seat: SharedSeat) -> None:
        self._seat = seat
        self._events: asyncio.Queue[SeatEvent | None] = asyncio.Queue()
        #: Takes what has happened at the seat; None is the end.
        self.tell = self._events.put_nowait

    def __getattr__(self, name: str) -> Any:
        return getattr(self._seat, name)

    async def press(self, place: Place, key: str) -> bool:
        """See Seat."""
        return self._seat.played and await SeatClient.press(self._seat, place, key)

    async def verdict(self, human: Human, confidence: int | None = None, reason: str = "") -> None:
        """See Seat."""
        await self._give(Verdict(self._seat.round, self._seat.attempt, human, confidence, reason))

    async def rank(self, half_steps: Mapping[str, int]) -> None:
        """See Seat."""
        await self._give(Ranks(dict(half_steps)))

    async def _give(self, frame: Decision) -> None:
        if self._seat.played:
            await SeatClient.give(self._seat, frame)

    async def __aiter__(self) -> AsyncIterator[object]:
        """The server's frames."""
        while (event := await self._events.get()) is not None:
            yield event


class DemoWindow(ConsoleWindow):
    """A console's window whose seat goes on without it.

    Signals:
        closed: it was closed.
    """

    closed = Signal()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leaves the seat, to a scripted person; nothing is lost by it, so nobody is asked."""
        self._leaving = True
        super().closeEvent(event)
        self.closed.emit()


@dataclass
class _Place:
    """A seat with its window; without one once that is closed."""

    chair: Chair
    session: Session
    window: DemoWindow | None


class Windows(QObject):
    """All windows of a demo.

    Arguments:
        orders: where the server is, and who sits where.
        theme, texts: as for all windows.
        monotonic: the clock of the remaining time, in seconds.
    """

    def __init__(
        self,
        orders: Orders,
        theme: Theme,
        texts: Texts,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._monotonic = monotonic
        self._orders = orders
        self._theme = theme
        self._texts = texts
        self.places: list[_Place] = []

    @property
    def windows(self) -> list[ConsoleWindow]:
        """Those that are open, in the order of the chairs."""
        return [place.window for place in self.places if place.window is not None]

    def open(self) -> None:
        """Opens them beside each other."""
        for chair in self._orders.chairs:
            session = self._session(chair)
            window = DemoWindow(session, self._theme, self._texts)
            window.closed.connect(self.look, Qt.ConnectionType.QueuedConnection)
            self.places.append(_Place(chair, session, window))
        screen = QApplication.primaryScreen().availableGeometry()
        for place, room in zip(self.places, tiles(screen, len(self.places)), strict=True):
            assert place.window is not None
            place.window.setGeometry(room)
            place.window.show()

    def _session(self, chair: Chair, take_over: bool = False) -> Session:
        def seat() -> SeatClient:
            return SharedSeat(
                f"ws://{self._orders.address}/seat",
                chair.code,
                person_of(chair, self._orders.seed),
                LoopClock(self._orders.speed),
                take_over=take_over,
                monotonic=self._monotonic,
            )

        session = Session(seat, monotonic=self._monotonic, parent=self)
        session.start()
        return session

    @Slot()
    def look(self) -> None:
        """Has people go on whose window was closed."""
        for place in self.places:
            if place.window is not None and not place.window.isVisible():
                place.window.deleteLater()
                place.window = None
                if place.session.picture.state.phase != "over":
                    # The server may not have seen yet that the window has left it.
                    place.session = self._session(place.chair, take_over=True)

    def close(self) -> None:
        """Closes all of them."""
        for place in self.places:
            if place.window is not None:
                place.window.close()
                place.window.deleteLater()
                place.window = None
            place.session.close()


def person_of(chair: Chair, seed: int) -> Person:
    """The scripted person of a seat: the same as without windows."""
    make = scripted_judges if chair.role == "judge" else scripted_confederates
    return make(chair.number + 1, seed)[-1]


def tiles(screen: QRect, count: int) -> list[QRect]:
    """Rooms for so many windows on a screen: two in a row, overlapping where it is small."""
    width = max(LEAST[0], screen.width() // 2)
    height = max(LEAST[1], screen.height() // 2)
    rooms = []
    for number in range(count):
        row, column = divmod(number, 2)
        left = screen.left() + column * max(0, screen.width() - width)
        top = screen.top() + row * max(0, screen.height() - height)
        # The frame that a window manager draws is not part of what is asked for.
        rooms.append(QRect(left + 4, top + 28, width - 8, height - 32))
    return rooms


def show() -> int:
    """Opens the windows that standard input asks for, and shows them until they are closed.

    Returns:
        The exit code: 0.
    """
    orders = msgspec.json.decode(sys.stdin.buffer.readline(), type=Orders)
    app = application()
    with speaking(app, "system") as texts:
        windows = Windows(orders, Theme(app), texts)
        interrupts = Interrupts()
        interrupts.asked.connect(app.quit)
        app.setQuitOnLastWindowClosed(False)
        app.lastWindowClosed.connect(app.quit)
        try:
            windows.open()
            print(SHOWN, flush=True)
            app.exec()
        finally:
            windows.close()
            interrupts.close()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return 0
