"""Tries at a seat: a session lives here until it is welcomed, or is left again.

To leave a session takes as long as its network lets go: a name that is being looked up can't be
interrupted. The window must not wait for that, so sessions that nobody wants any more are left in
a thread of their own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from judge_console.memory import Drafts
from judge_console.seat import Seat
from judge_console.session import Session
from judge_console.worker import Worker


class Tries(QObject):
    """One try at a time.

    Signals:
        seated: the other end has welcomed this console; the `Session`, which belongs to whoever
            takes it from now on.
        failed: there will be none; the last `judge_console.updates.Picture`.
    """

    seated = Signal(object)
    failed = Signal(object)
    _left = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self._worker: Worker | None = None
        self._leaving: dict[Session, threading.Thread] = {}
        self._left.connect(self._forget)

    def begin(self, make: Callable[[], Seat], drafts: Drafts) -> None:
        """Tries; a try that is on is given up.

        Arguments:
            make: makes the seat; called in its own thread and loop.
            drafts: the seat's.
        """
        self.give_up()
        workers: list[Worker] = []

        def hands(news: Callable[[], None]) -> Worker:
            workers.append(Worker(make, news))
            return workers[0]

        self._session = Session(hands, drafts)
        self._worker = workers[0]
        self._session.changed.connect(self._changed)
        self._session.start()

    def give_up(self) -> None:
        """Ends the try that is on, if there is one, without waiting for it."""
        session, worker = self._session, self._worker
        self._session = self._worker = None
        if session is None or worker is None:
            return
        session.changed.disconnect(self._changed)

        def leave() -> None:
            worker.stop()
            self._left.emit(session)

        thread = threading.Thread(target=leave, name="leaving a seat")
        self._leaving[session] = thread
        thread.start()

    def close(self) -> None:
        """Ends everything, and waits for it."""
        self.give_up()
        for session in list(self._leaving):
            self._forget(session)

    @Slot()
    def _changed(self) -> None:
        session = self._session
        if session is None:
            return
        picture = session.picture
        if picture.welcome is not None:
            session.changed.disconnect(self._changed)
            self._session = self._worker = None
            self.seated.emit(session)
        elif picture.ended is not None or picture.trouble:
            self.give_up()
            self.failed.emit(picture)

    @Slot(object)
    def _forget(self, session: Session) -> None:
        thread = self._leaving.pop(session, None)
        if thread is not None:
            thread.join()
            # Not closed: a network that has not let go yet would be waited for once more, here.
            session.let_go()
            session.deleteLater()
