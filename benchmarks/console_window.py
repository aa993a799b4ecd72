"""The windows of the console's benchmark, in a separate process:

    python -m benchmarks.console_window ours HOST:PORT COUNT
    python -m benchmarks.console_window bare COUNT

`ours` is the judge's window connected to a server. `bare` is two Qt text widgets into which a timer
puts the same keys, without a talk, a thread or a socket. Each prints its measurements as JSON when
all keys have arrived.
"""

from __future__ import annotations

import json
import os
import sys
import time
from array import array
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPlainTextEdit, QWidget

from benchmarks.flood import RATE, keys
from lpp.lines import Pane
from lpp.names import BACKSPACE, char_of

#: Seconds between two refreshes of a screen.
TICK = 0.016
#: The part of the keys after which memory is first measured, when buffers have their full size.
WARM = 0.2


class Measured(QApplication):
    """An application that measures the handling of each event."""

    def __init__(self) -> None:
        super().__init__(["loebner"])
        # For each event, when its handling began and ended, including waits for the interpreter's
        # lock and for a processor, and the thread's own computing time. Arrays take little memory.
        self.begun, self.ended, self.worked = array("d"), array("d"), array("d")
        self._depth = 0

    def notify(self, receiver: QObject, event: QEvent, /) -> bool:
        """Handles an event."""
        if self._depth:
            return super().notify(receiver, event)
        self._depth += 1
        begun, before = time.perf_counter(), time.thread_time()
        try:
            return super().notify(receiver, event)
        finally:
            self._depth -= 1
            self.worked.append(time.thread_time() - before)
            self.ended.append(time.perf_counter())
            self.begun.append(begun)

    def forget(self) -> None:
        """Discards all measurements."""
        for times in (self.begun, self.ended, self.worked):
            del times[:]

    def per_tick(self) -> tuple[list[float], list[float]]:
        """For each tick, from the first event to the last, in milliseconds: how long the thread was
        busy, and how long it computed."""
        if not self.begun:
            return [], []
        origin = self.begun[0]
        cells = int((self.ended[-1] - origin) / TICK) + 1
        busy, computed = [0.0] * cells, [0.0] * cells
        for begun, ended, worked in zip(self.begun, self.ended, self.worked, strict=True):
            share = worked / max(ended - begun, 1e-9)
            at = begun - origin
            while at < ended - origin:
                cell = int(at / TICK)
                until = min((cell + 1) * TICK, ended - origin)
                busy[cell] += (until - at) * 1000
                computed[cell] += (until - at) * share * 1000
                at = max(until, at + 1e-9)
        return busy, computed


def memory() -> float:
    """This process's memory in bytes; 0 if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return float(pages * os.sysconf("SC_PAGESIZE"))


class Report:
    """The measurements while keys arrive."""

    def __init__(self, app: Measured, count: int) -> None:
        self._app = app
        self._count = count
        self._warm_at = round(count * WARM)
        self._warm: float | None = None

    def begin(self) -> None:
        """Called when the keys begin to arrive."""
        self._app.forget()

    def arrived(self, count: int) -> None:
        """Called with the number of keys that have arrived from each partner."""
        if self._warm is None and count >= self._warm_at:
            self._warm = memory()

    def end(self, *, right: bool) -> None:
        """Called when all keys have arrived. `right`: whether the text equals the typed text."""
        gained = max(0.0, memory() - (self._warm or 0.0))
        busy, computed = self._app.per_tick()
        per_key = gained / max(1, 2 * (self._count - self._warm_at))
        found = {"busy": busy, "computed": computed, "memory": per_key, "right": right}
        print(json.dumps(found), flush=True)


def ours(server: str, count: int) -> None:
    """Runs the judge's window."""
    from judge_console.client import SeatClient, seat_url
    from judge_console.look.theme import Theme
    from judge_console.session import Session
    from judge_console.views.pane import PaneView
    from judge_console.window import ConsoleWindow
    from texts import load

    app = Measured()
    report = Report(app, count)
    session = Session(lambda: SeatClient(seat_url(server), "code", acknowledge=False))
    window = ConsoleWindow(session, Theme(app, "light"), load("en"))
    wanted = Pane(keys(count)).text

    def drawn() -> None:
        arrived = min(session.heard("left"), session.heard("right"))
        if not arrived:
            report.begin()
        report.arrived(arrived)

    def changed() -> None:
        if session.window_state.state.phase == "over":
            stands = [talk.text("entity") for talk in session.talks.values()]
            panes = [pane for pane in window.findChildren(PaneView) if pane.conversation.blocks]
            same = all(_as_drawn(pane) == list(pane.lines()) for pane in panes)
            report.end(right=stands == [wanted] * 2 and len(panes) == 2 and same)
            app.quit()

    session.conversations_changed.connect(drawn)
    session.changed.connect(changed)
    window.show()
    session.start()
    app.exec()
    session.close()


def _as_drawn(pane: QPlainTextEdit) -> list[str]:
    block, found = pane.document().begin(), []
    while block.isValid():
        found.append(block.text())
        block = block.next()
    return found


def bare(count: int) -> None:
    """Runs two text widgets."""
    app = Measured()
    report = Report(app, count)
    window = QWidget()
    row = QHBoxLayout(window)
    panes = [QPlainTextEdit(window) for _ in range(2)]
    for pane in panes:
        pane.setReadOnly(True)
        pane.setUndoRedoEnabled(False)
        row.addWidget(pane)
    window.resize(1180, 700)
    typed = keys(count)
    wanted = Pane(typed).text
    start, sent = time.perf_counter(), 0

    def tick() -> None:
        nonlocal sent
        due = min(count, int((time.perf_counter() - start) * RATE))
        for pane in panes:
            cursor = QTextCursor(pane.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.beginEditBlock()
            pending = ""
            for key in typed[sent:due]:
                if key == BACKSPACE:
                    cursor.insertText(pending)
                    pending = ""
                    cursor.deletePreviousChar()
                else:
                    pending += char_of(key) or ""
            cursor.insertText(pending)
            cursor.endEditBlock()
            pane.verticalScrollBar().setValue(pane.verticalScrollBar().maximum())
        sent = due
        report.arrived(sent)
        if sent == count:
            report.end(right=all(pane.toPlainText() == wanted for pane in panes))
            app.quit()

    window.show()
    timer = QTimer(window)
    timer.timeout.connect(tick)
    timer.start(round(TICK * 1000))
    report.begin()
    app.exec()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["ours", str(server), str(number)]:
            ours(server, int(number))
        case ["bare", str(number)]:
            bare(int(number))
        case _:
            sys.exit(__doc__)
