"""The scenes of a contest: plays judge J1 key by key, and takes a picture of everything that a
judge sees."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from contest.live import decisions
from contest.results.exports import export
from judge_console.client import seat_url
from judge_console.join import JoinDialog
from judge_console.look.theme import Theme
from judge_console.model.joining import FoundServer, JoinForm
from judge_console.model.pages import Page
from judge_console.views.ranking import OrderList
from judge_console.views.replay import ReplayWindow
from judge_console.window import ConsoleWindow
from loebner.demo_windows import Windows
from lpp.recording import load
from lpp.wire import Place
from scripts.pictures.camera import Camera
from scripts.pictures.contest import RunningContest
from scripts.pictures.hands import Hands, until
from scripts.pictures.player import Player
from texts import Texts

#: J1's lines with their sides, including corrections. \b is BackSpace.
FIRST_ROUND: tuple[tuple[Place, str], ...] = (
    ("left", "Good mornign\b\bng! What did you have for breakfast?\n"),
    ("right", "Hello, did you have far to come today?\n"),
    ("left", "And who made it, you or somebody else?\n"),
    ("right", "Tell me what you see out of the widno\b\b\bndow.\n"),
)
#: A line that is unfinished when the picture is taken.
BEGUN: tuple[Place, str] = ("left", "Is it still raining where you a")
LATER_ROUND: tuple[tuple[Place, str], ...] = (
    ("left", "What is the longest word you know?\n"),
    ("right", "Which is heavier, a goose or a gose \b\b\b\boose feather?\n"),
)
REASON = "It was tired, and said so; the other one only answered with questions."
BREAK = "A short break: a microphone is being changed."
BELL = "The bell has rung."
#: The keys that a visitor types at J2's window in the last round before leaving. This makes the
#: scripted person leave the seat, so nobody decides or ranks there, and only J1 delays the contest.
VISIT: tuple[Place, str] = ("left", "zz?")
#: Seconds of contest time that J1 waits for an answer.
ANSWER = 60.0
#: The warnings to show: seconds left, and the text's key and number.
WARNINGS = ((300.0, "clock.minutes", 5), (20.0, "clock.seconds", 20))
#: The contents of the joining dialog: an address at a venue, and an invalid code.
ADDRESS, CODE = "192.168.1.10:8765", "J1-7KQ2-M4XD-9TRA"
#: The position of the replay, as a part of the talk.
REPLAYED = 0.6


class Scenes:
    """The scenes of the contest.

    Arguments:
        running: the contest.
        camera: takes the pictures; its facts also get what J1 typed and decided.
        theme, texts: for all windows.
        size: width and height of all windows, in pixels.
    """

    def __init__(
        self,
        running: RunningContest,
        camera: Camera,
        theme: Theme,
        texts: Texts,
        size: tuple[int, int],
    ) -> None:
        self._running, self._camera = running, camera
        self._theme, self._texts, self._size = theme, texts, size
        self._verdicts: list[dict[str, Any]] = []

    def play(self) -> None:
        """Plays all scenes, from the joining dialog to the replay.

        Raises:
            Stalled: if something expected does not happen; the message says what.
            Exception: any error that ends the contest early.
        """
        running = self._running
        running.begin()
        try:
            self._join()
            until(lambda: running.ready, "the start of the contest")
            stage = running.stage
            assert stage is not None
            windows = Windows(
                *(stage.address, stage.codes, running.seed, running.speed),
                *(self._theme, self._texts, running.clock.monotonic),
            )
            try:
                windows.open()
                for window in windows.windows:
                    window.resize(*self._size)
                    window.statusBar().hide()  # a contest's window has none
                self._contest(windows)
            finally:
                windows.close()
        finally:
            running.end()
        self._replay()

    # Before the contest

    def _join(self) -> None:
        dialog = JoinDialog(JoinForm(seat_url), self._theme, self._texts)
        dialog.show()
        _front(dialog)
        dialog.show_found((FoundServer(ADDRESS, self._running.settings.contest.name),))
        Hands(dialog).type(CODE)
        self._camera.take("join", dialog)
        dialog.close()
        dialog.deleteLater()

    # The contest

    def _contest(self, windows: Windows) -> None:
        person, visitor, confederate = (
            Player(window, window.session) for window in windows.windows
        )
        judge, visited = person.window, visitor.window
        self._camera.facts |= {"typed": person.typed, "visit": visitor.typed}
        self._camera.facts["verdicts"] = self._verdicts
        _front(judge)
        self._agree(person)
        self._running.seat_the_others()
        last = self._running.settings.rules.rounds
        for number in range(1, last + 1):
            person.wait_for_page(Page.TALK, number)
            if number == 1:
                self._first_talk(person, confederate)
            else:
                person.talk(LATER_ROUND, ANSWER / self._running.speed)
            if number < last:
                self._running.act(
                    lambda conductor: conductor.order(decisions.end_interaction, BELL)
                )
            else:
                _front(visited)
                visitor.interrupt(*VISIT)
                _front(judge)
                self._warnings(person)
            person.wait_for_page(Page.VERDICT)
            self._decide(person, at_leisure=number == 1)
            if number < last:
                until(lambda: "verdict" in visitor.window_state.saved, "the other verdict")
                self._leap_to(person, 0.0)
        self._running.act(lambda conductor: conductor.order(decisions.close, BELL))
        person.wait_for_page(Page.RANKING)
        self._rank(person)
        self._running.act(lambda conductor: conductor.order(decisions.close, BELL))
        person.wait_for_page(Page.OVER)
        self._camera.take("over", judge)
        until(lambda: self._running.over, "the end of the record")

    def _agree(self, person: Player) -> None:
        page, hands = person.window.consent, person.hands
        person.wait_for_page(Page.CONSENT)
        self._camera.take("consent", person.window)
        hands.tab_to(page.answers.options[True])
        hands.press(Qt.Key.Key_Space)
        hands.tab_to(page.save_button)
        hands.press(Qt.Key.Key_Return)
        person.saved("consent")

    def _first_talk(self, person: Player, confederate: Player) -> None:
        window, act = person.window, self._running.act
        self._camera.take("begin", window)
        person.talk(FIRST_ROUND, ANSWER / self._running.speed)
        person.say(*BEGUN)
        self._camera.take("middle", window)
        confederate.hear("only", BEGUN[1])
        _front(confederate.window)
        self._camera.take("confederate", confederate.window)
        _front(window)
        self._looks(window)
        # Keys on their way when a pause begins are lost, so wait.
        person.listen(ANSWER / self._running.speed)
        act(lambda conductor: conductor.order(decisions.pause, BREAK))
        until(lambda: person.window_state.state.phase == "paused", "the pause")
        self._camera.take("paused", window)
        act(lambda conductor: conductor.order(decisions.resume))
        until(lambda: person.window_state.state.phase == "interaction", "the end of the pause")

    def _warnings(self, person: Player) -> None:
        """Shows the warnings before the end of a round."""
        notice = person.window.header.notice
        with self._running.clock.held():
            for seconds, key, number in WARNINGS:
                # A little further, because the clock stands still there.
                self._leap_to(person, seconds - 0.5)
                words = self._texts(key, n=number)
                until(lambda words=words: notice.text() == words, words)  # type: ignore[misc]
                self._camera.take(f"warning-{key.rpartition('.')[2]}", person.window)

    def _looks(self, window: ConsoleWindow) -> None:
        choice = self._theme.choice
        for other in ("light", "dark", "high-contrast"):
            if other != choice:
                self._theme.choose(other)
                self._camera.take(f"middle-{other}", window)
        self._theme.choose(choice)

    def _leap_to(self, person: Player, remaining: float) -> None:
        """Advances the clock until this many seconds are left."""
        left = person.remaining
        if left is not None:
            self._running.leap(left - remaining)

    def _decide(self, person: Player, *, at_leisure: bool) -> None:
        page, hands = person.window.verdict, person.hands
        if at_leisure:
            self._camera.take("verdict-choosing", person.window)
            hands.press(Qt.Key.Key_Right, Qt.Key.Key_Left)
            hands.tab_to(page.sureness)
            hands.press(*[Qt.Key.Key_Down] * 4)
            hands.tab_to(page.reason)
            hands.type(REASON)
            hands.tab_to(page.save_button)
            self._camera.take("verdict-confirming", person.window)
            hands.press(Qt.Key.Key_Return)
        else:
            hands.press(Qt.Key.Key_Right, Qt.Key.Key_Return, Qt.Key.Key_Return)
        person.saved("verdict")
        if at_leisure:
            self._camera.take("verdict-saved", person.window)
        form, round_ = page.form, person.round
        self._verdicts.append(
            {
                "round": round_,
                "human": form.human,
                "confidence": form.confidence,
                "reason": form.reason,
            }
        )

    def _rank(self, person: Player) -> None:
        page, hands = person.window.ranking, person.hands
        hands.press(Qt.Key.Key_Down)
        hands.press(Qt.Key.Key_Up, held=Qt.KeyboardModifier.AltModifier)
        if page.list.count() > 2:
            _last_to_top(hands, page.list)
            hands.click(page.down_button)
            page.list.setFocus()
            hands.press(Qt.Key.Key_End)
            hands.type("t")
        self._camera.take("ranking", person.window)
        hands.press(Qt.Key.Key_Home, Qt.Key.Key_Return)
        until(lambda: page.reader.view is not None, "the talk to read again")
        self._camera.take("ranking-reading", person.window)
        self._camera.facts["ranking"] = [row._asdict() for row in page.form.rows]
        hands.tab_to(page.save_button)
        hands.press(Qt.Key.Key_Return)
        person.saved("ranking")
        self._camera.take("ranking-saved", person.window)

    # After the contest

    def _replay(self) -> None:
        """Replays a log in the 2012 format, exported from the record: it has both talks of a
        pairing."""
        logs = export(self._running.folder, "lpp2012", self._running.folder / "logs-2012")
        log = next(log for log in logs if log.name.startswith("round1-attempt1-J1-"))
        window = ReplayWindow(load(log), self._theme, self._texts)
        window.resize(*self._size)
        window.show()
        _front(window)
        window.view.seek(window.view.playback.duration * REPLAYED)
        self._camera.take("replay", window)
        window.close()
        window.deleteLater()


def _last_to_top(hands: Hands, rows: OrderList) -> None:
    """Moves the last row to the top with a click and a key, because dragging needs a real mouse."""
    last = rows.item(rows.count() - 1)
    rows.scrollToItem(last)  # at 200 % it is out of sight
    hands.click(rows.viewport(), rows.visualItemRect(last).center())
    hands.press(Qt.Key.Key_Home, held=Qt.KeyboardModifier.AltModifier)


def _front(window: QWidget) -> None:
    window.raise_()
    window.activateWindow()
    until(window.isActiveWindow, f"the keyboard at {window.windowTitle()!r}")
