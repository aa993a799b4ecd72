"""A person at a window, who reads the screen and acts."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt

from judge_console.model.pages import Page, WindowState
from judge_console.model.seat import What
from judge_console.session import Session
from judge_console.window import ConsoleWindow
from lpp.wire import Place
from scripts.pictures.hands import Hands, until, wait_for


class Player:
    """A person at a window; the methods are for judges unless they say otherwise.

    Arguments:
        window: the person's window.
        session: the seat that it shows.

    Attributes:
        typed: the text typed, by round and side, such as "1.left".
    """

    def __init__(self, window: ConsoleWindow, session: Session) -> None:
        self.window, self._session = window, session
        self.hands = Hands(window)
        self.typed: dict[str, str] = {}

    @property
    def window_state(self) -> WindowState:
        """The window's data."""
        return self._session.window_state

    @property
    def round(self) -> int:
        """The number of the round."""
        return self.window_state.state.round

    @property
    def remaining(self) -> float | None:
        """Seconds of contest time left."""
        return self._session.remaining()

    def wait_for_page(self, page: Page, round_: int = 0) -> None:
        """Waits for a page, and until it accepts keys.

        Arguments:
            page: the page.
            round_: the number of its round; any round if left out.
        """
        window = self.window
        until(
            lambda: window.page is page and not window.gate.is_shut and round_ in (0, self.round),
            f"the page {page.name}",
        )

    def talk(self, lines: Iterable[tuple[Place, str]], patience: float) -> None:
        """Types lines one by one, and waits for an answer to each.

        Arguments:
            lines: the side and text of each.
            patience: how many seconds of real time to wait; a partner may not answer.
        """
        for place, line in lines:
            before = self._answers(place)
            self.say(place, line)
            wait_for(lambda p=place, n=before: self._answers(p) > n, patience)  # type: ignore[misc]

    def listen(self, patience: float) -> None:
        """Waits until no partner is in the middle of a line, for at most `patience` seconds of real
        time."""
        wait_for(
            lambda: all(
                talk.text("entity").endswith("\n") for talk in self._session.talks.values()
            ),
            patience,
        )

    def hear(self, place: Place, words: str) -> None:
        """Waits until the other side's text ends with some words."""
        own = self._session.own
        until(
            lambda: (
                self._session.talks[place]
                .text("entity" if own == "judge" else "judge")
                .endswith(words)
            ),
            f"{words!r} from the other side",
        )

    def say(self, place: Place, line: str) -> None:
        """Types on one side, and waits until all of it is visible."""
        talk = self.window.talk
        expected = after(self._session.talks[place].text("judge"), line)
        self._type(place, line)
        until(
            lambda: (
                self._session.talks[place].text("judge") == expected
                and talk.sides[place].line.draft == self._session.talks[place].draft
            ),
            f"{line!r} on the {place}",
        )

    def interrupt(self, place: Place, keys: str) -> None:
        """Types on one side where the scripted person may be typing too, and waits until the keys
        are there.

        Arguments:
            place: the side.
            keys: the keys, which the scripted person would not type there.
        """
        self._type(place, keys)
        until(
            lambda: self._session.talks[place].text("judge").endswith(keys),
            f"{keys!r} on the {place}",
        )

    def _type(self, place: Place, keys: str) -> None:
        if self.window.talk.current != place:
            self.hands.press(Qt.Key.Key_F6)
        self.hands.type(keys)
        key = f"{self.round}.{place}"
        self.typed[key] = self.typed.get(key, "") + keys

    def saved(self, what: What) -> None:
        """Waits until the server has saved a decision, and the window says so."""
        until(
            lambda: what in self.window_state.saved and what not in self.window_state.unsaved,
            f"the {what} saved",
        )

    def _answers(self, place: Place) -> int:
        return self._session.talks[place].text("entity").count("\n")


def after(before: str, typed: str) -> str:
    """The text after typing something at its end; \\b deletes one character."""
    for char in typed:
        before = before[:-1] if char == "\b" else before + char
    return before
