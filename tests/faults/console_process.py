"""A console as a process that a test can kill: the real window, seat and stored data, without a
screen.

    python -m tests.faults.console_process SERVER CODE FOLDER

It reads JSON commands from standard input, one per line, and answers each with one line: the
contents of its screen.

    {"type": "Hello", "on": "left"}   presses these keys (BackSpace as \\b, Return as \\n)
    {}                                only looks
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from judge_console.client import SeatClient
from judge_console.look.theme import Theme
from judge_console.memory import Drafts, KeyMemory, folder_of
from judge_console.session import Session
from judge_console.window import ConsoleWindow
from lpp.wire import Place
from texts import load

_SPECIAL = {"\b": Qt.Key.Key_Backspace, "\n": Qt.Key.Key_Return}


class Commands(QObject):
    """Carries commands out in the window's thread."""

    came = Signal(object)
    ended = Signal()

    def __init__(self, window: ConsoleWindow, session: Session) -> None:
        super().__init__()
        self._window, self._session = window, session
        self.came.connect(self._carry_out, Qt.ConnectionType.QueuedConnection)

    @Slot(object)
    def _carry_out(self, command: dict[str, Any]) -> None:
        place = cast(Place, command.get("on", "left"))
        if "type" in command:
            line = self._window.talk.sides[place].line
            for char in command["type"]:
                event = QKeyEvent(
                    QKeyEvent.Type.KeyPress,
                    _SPECIAL.get(char, Qt.Key.Key_unknown),
                    Qt.KeyboardModifier.NoModifier,
                    "" if char in _SPECIAL else char,
                )
                QApplication.sendEvent(line, event)
        print(json.dumps(self._seen()), flush=True)

    def _seen(self) -> dict[str, Any]:
        sides = self._window.talk.sides
        return {
            "connected": self._session.window_state.connected,
            "page": self._window.page.name,
            "streams": {place: list(side.pane.lines()) for place, side in sides.items()},
            "lines": {place: side.line.draft for place, side in sides.items()},
        }


def main(server: str, code: str, folder: str) -> int:
    """Runs until standard input ends."""
    app = QApplication(["console"])
    mine = folder_of(Path(folder), code)

    def seat() -> SeatClient:
        return SeatClient(server, code, take_over=True, acknowledge=False, memory=KeyMemory(mine))

    session = Session(seat, Drafts(mine))
    session.start()
    window = ConsoleWindow(session, Theme(app, "light"), load("en"))
    window.show()
    commands = Commands(window, session)
    # exit, not quit, which would ask the windows, and these refuse during a talk.
    commands.ended.connect(lambda: app.exit(0), Qt.ConnectionType.QueuedConnection)

    def read() -> None:
        for line in sys.stdin:
            commands.came.emit(json.loads(line))
        commands.ended.emit()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        return app.exec()
    finally:
        session.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
