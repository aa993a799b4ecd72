"""The program that opens a demo's windows: `loebner demo --only-windows`, told by `beside`.

Each window has a real seat at the running server, and in front of it sits a scripted person until
somebody types. Where a window is closed, a scripted person goes on without it: the contest waits
for everybody.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication

from contest.scripted import Person, scripted_confederates, scripted_judges
from judge_console.application import Interrupts, application, speaking
from judge_console.client import SeatClient
from judge_console.look.theme import Theme
from judge_console.session import Session
from judge_console.texts import Texts
from judge_console.window import ConsoleWindow
from loebner.windowed.beside import READY, Chair, Orders
from loebner.windowed.company import SharedSeat
from lpp.clock import LoopClock

#: The least that a window is made small to, in pixels.
LEAST = (640, 480)


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
    people: list[Person]
    if chair.role == "judge":
        people = [*scripted_judges(chair.count, seed)]
    else:
        people = [*scripted_confederates(chair.count, seed)]
    return people[chair.number]


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
            print(READY, flush=True)
            app.exec()
        finally:
            windows.close()
            interrupts.close()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return 0
