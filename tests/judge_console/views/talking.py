"""A console's window for tests: open, in a talk, with the keyboard focus."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from judge_console.look.theme import Theme
from judge_console.session import Session
from judge_console.views.talk import TalkSide
from judge_console.window import ConsoleWindow
from lpp.wire import Paste, Phase, Place, Press, Role, State, Talk, Welcome
from tests.judge_console.fake_server import FakeServer
from texts import Texts

MINUTE = 60_000


class Seated:
    """A window at a played seat.

    Arguments:
        qtbot, theme, texts: of the test.
        role: the role of the seat.
        paste: how the contest treats pasted text.

    Attributes:
        played: the other end.
        session, window: this end.
    """

    def __init__(
        self,
        qtbot: QtBot,
        theme: Theme,
        texts: Texts,
        role: Role = "judge",
        paste: Paste = "refuse",
    ) -> None:
        self.played = FakeServer()
        self.session: Session = self.played.session()
        self.welcome = Welcome(
            "J1" if role == "judge" else "C1", role, "A contest", 4, name="Anna", paste=paste
        )
        self.places: tuple[Place, ...] = ("left", "right") if role == "judge" else ("only",)
        self.played.say(self.welcome)
        self.window = ConsoleWindow(self.session, theme, texts)
        qtbot.addWidget(self.window, before_close_func=self._let_go)
        self.window.resize(1024, 768)
        self.window.show()
        self.window.activateWindow()
        qtbot.waitUntil(lambda: QApplication.activeWindow() is self.window)

    def _let_go(self, window: ConsoleWindow) -> None:
        # Closing a window in a talk would ask first.
        self.played.say(State("over"))
        window.gate.open()

    def phase(
        self,
        phase: Phase,
        minutes: float | None = 25,
        reason: str = "",
        round_: int = 1,
        attempt: int = 1,
    ) -> None:
        """Sends a phase from the server."""
        left = None if minutes is None else round(minutes * MINUTE)
        self.played.say(State(phase, round_, attempt, self.places, left, reason))

    def begin(self, round_: int = 1, attempt: int = 1) -> None:
        """Begins a round."""
        self.phase("interaction", round_=round_, attempt=attempt)
        self.played.say(*(Talk(round_, attempt, place, []) for place in self.places))

    def side(self, place: Place) -> TalkSide:
        """One of the talks."""
        return self.window.talk.sides[place]

    def at(self, seconds: float) -> None:
        """Moves the clock to this many seconds."""
        self.played.now = seconds
        self.window.header.refresh()

    @property
    def pressed(self) -> list[tuple[Place, str]]:
        """The keys sent, in order, with their places."""
        return [(frame.place, frame.key) for frame in self.played.sent if isinstance(frame, Press)]


Sit = Callable[..., Seated]
