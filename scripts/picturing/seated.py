"""Somebody who sits at a window: what is seen there, and what is done."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt

from judge_console.model.pages import Page, Picture
from judge_console.model.seat import What
from judge_console.session import Session
from judge_console.window import ConsoleWindow
from lpp.wire import Place
from scripts.picturing.hands import Hands, came, until


class Seated:
    """A person's hands and eyes: a judge's, where nothing else is said.

    Arguments:
        window: where the person sits.
        session: the seat that it shows.

    Attributes:
        typed: what was typed, by round and side, as "1.left".
    """

    def __init__(self, window: ConsoleWindow, session: Session) -> None:
        self.window, self._session = window, session
        self.hands = Hands(window)
        self.typed: dict[str, str] = {}

    @property
    def picture(self) -> Picture:
        """What the window knows."""
        return self._session.picture

    @property
    def round(self) -> int:
        """The number of the round."""
        return self.picture.state.round

    @property
    def remaining(self) -> float | None:
        """Seconds of contest time that are left."""
        return self._session.remaining()

    def come_to(self, page: Page, round_: int = 0) -> None:
        """Waits for a page, and until it takes keys.

        Arguments:
            page: which.
            round_: of which round; of any if left out.
        """
        window = self.window
        until(
            lambda: window.page is page and not window.gate.is_shut and round_ in (0, self.round),
            f"the page {page.name}",
        )

    def talk(self, lines: Iterable[tuple[Place, str]], patience: float) -> None:
        """Says something, line by line, and waits for an answer to each.

        Arguments:
            lines: on which side, and what.
            patience: for how long, in seconds of the wall; a partner may have no answer.
        """
        for place, line in lines:
            before = self._answers(place)
            self.say(place, line)
            came(lambda p=place, n=before: self._answers(p) > n, patience)  # type: ignore[misc]

    def listen(self, patience: float) -> None:
        """Waits until nobody is in the middle of a line; so many seconds of the wall at most."""
        came(
            lambda: all(
                talk.text("entity").endswith("\n") for talk in self._session.talks.values()
            ),
            patience,
        )

    def hear(self, place: Place, words: str) -> None:
        """Waits until what the other side has written ends with some words."""
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
        """Types on one side, and waits until all of it can be seen."""
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

    def break_in(self, place: Place, keys: str) -> None:
        """Types on one side while the scripted person may be typing there, and waits until that is
        there.

        Arguments:
            place: the side.
            keys: what; more than the person could have meant to type there.
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
        """Waits until the server has a decision, and the window says so."""
        until(
            lambda: what in self.picture.saved and what not in self.picture.unsaved,
            f"the {what} saved",
        )

    def _answers(self, place: Place) -> int:
        return self._session.talks[place].text("entity").count("\n")


def after(before: str, typed: str) -> str:
    """What stands when something is typed after a text; \\b takes one character back."""
    for char in typed:
        before = before[:-1] if char == "\b" else before + char
    return before
