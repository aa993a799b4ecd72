"""A seat as the window has it: news once in a tick, talks in reading order, a quiet end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from judge_console import session as session_module
from judge_console.memory import Drafts
from judge_console.session import TICK, Session
from judge_console.testing import Played
from judge_console.updates import Picture, Stream, Update
from judge_console.worker import Worker
from lpp.conversation import Conversation
from lpp.wire import Author, Place, State, Talk, Verdict, Welcome
from tests.judge_console.model_server import ModelServer
from tests.judge_console.test_worker import ModelSeat, seats

WELCOME = Welcome("J1", "judge", "A contest", 4, contest_id="first")
INTERACTION = State("interaction", 1, 1, ("left", "right"), 60_000)


class Hand:
    """What a session lets a seat do, as a list; and updates that a test gives it."""

    def __init__(self, news: Callable[[], None]) -> None:
        self.news = news
        self.updates: list[Update] = []
        self.done: list[tuple[str, Any]] = []
        self.takes = 0

    def tell(self, *updates: Update) -> None:
        """There is something to take."""
        self.updates += updates
        self.news()

    def take(self) -> list[Update]:
        self.takes += 1
        updates, self.updates = self.updates, []
        return updates

    def start(self) -> None:
        self.done.append(("start", None))

    def stop(self, saving: float = 0.0) -> None:
        self.done.append(("stop", saving))

    def press(self, place: Place, key: str) -> None:
        self.done.append(("press", (place, key)))

    def paste(self, place: Place, text: str) -> None:
        self.done.append(("paste", (place, text)))

    def verdict(self, human: str, confidence: int | None, reason: str) -> None:
        self.done.append(("verdict", (human, confidence, reason)))

    def rank(self, half_steps: Mapping[str, int]) -> None:
        self.done.append(("rank", dict(half_steps)))

    def agree(self, publish: bool, pseudonym: str) -> None:
        self.done.append(("agree", (publish, pseudonym)))

    def read(self, round_: int, attempt: int, place: Place) -> None:
        self.done.append(("read", (round_, attempt, place)))

    def end(self) -> None:
        self.done.append(("end", None))

    def painted(self, heard: Mapping[Place, int]) -> None:
        self.done.append(("painted", dict(heard)))


class Clock:
    """The clock by which ticks are counted."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(session_module, "time", clock)
    return clock


def a_session(drafts: Drafts | None = None) -> tuple[Session, Hand]:
    made: list[Hand] = []

    def hands(news: Callable[[], None]) -> Hand:
        made.append(Hand(news))
        return made[0]

    session = Session(hands, drafts)
    session.start()
    return session, made[0]


def keys(place: Place, text: str, heard: int = 0, fresh: bool = False) -> Update:
    """The other side has typed."""
    stream = Stream(place, fresh, tuple(("entity", key) for key in text), heard or len(text))
    return Update(None, (stream,), ("left", "right"))


def opened() -> Update:
    """A round begins."""
    picture = Picture(connected=True, welcome=WELCOME, state=INTERACTION)
    places: tuple[Place, Place] = ("left", "right")
    return Update(picture, tuple(Stream(place, True, (), 0) for place in places), places)


def timers(session: Session) -> list[QTimer]:
    return [timer for timer in session.findChildren(QTimer) if timer.isActive()]


# News


def test_the_first_news_are_taken_at_once_and_the_rest_once_in_a_tick(
    qapp: QApplication, qtbot: QtBot, clock: Clock
) -> None:
    session, hand = a_session()
    drawn: list[int] = []
    session.drawn.connect(lambda: drawn.append(len(session.talks["left"].text("entity"))))
    hand.tell(opened())
    qapp.processEvents()
    assert hand.takes == 1
    assert drawn == [0]
    for n in range(1, 51):
        clock.now += TICK / 100
        hand.tell(keys("left", "x", heard=n))
        qapp.processEvents()
    assert hand.takes == 1, "half a tick later nothing has been drawn"
    assert len(timers(session)) == 1
    clock.now += TICK
    qtbot.waitUntil(lambda: hand.takes == 2)
    assert drawn == [0, 50], "all of it in one drawing"
    assert timers(session) == []
    clock.now += TICK
    hand.tell(keys("left", "y", heard=51))
    qapp.processEvents()
    assert drawn == [0, 50, 51], "after a quiet moment at once again"
    session.close()


def test_the_signals_come_in_their_order_and_then_the_acknowledgement(
    qapp: QApplication, clock: Clock
) -> None:
    session, hand = a_session()
    order: list[str] = []
    session.changed.connect(lambda: order.append("changed"))
    session.talks_changed.connect(lambda: order.append("talks changed"))
    session.drawn.connect(lambda: order.append(f"drawn, {len(hand.done)} done"))
    hand.tell(opened())
    qapp.processEvents()
    assert order == ["changed", "talks changed", "drawn, 1 done"]
    assert hand.done[-1] == ("painted", {"left": 0, "right": 0})
    order.clear()
    clock.now += 1
    hand.tell(keys("right", "Hi"))
    qapp.processEvents()
    assert order == ["drawn, 2 done"], "a key is no other picture and no other talk"
    assert hand.done[-1] == ("painted", {"left": 0, "right": 2})
    assert session.heard("right") == 2
    order.clear()
    clock.now += 1
    hand.tell(Update(Picture(welcome=WELCOME), (), ("left", "right")))
    qapp.processEvents()
    assert order == ["changed"]
    assert hand.done[-1] == ("painted", {"left": 0, "right": 2}), "nothing new was drawn"
    session.close()


def test_talks_go_with_their_round(qapp: QApplication, clock: Clock) -> None:
    session, hand = a_session()
    hand.tell(opened(), keys("left", "Hi"))
    qapp.processEvents()
    left, right = session.talks["left"], session.talks["right"]
    assert left.text("entity") == "Hi"
    changed: list[None] = []
    session.talks_changed.connect(lambda: changed.append(None))
    clock.now += 1
    hand.tell(keys("left", "Ho!", fresh=True))
    qapp.processEvents()
    assert session.talks["left"] is not left, "a snapshot is another conversation"
    assert session.talks["left"].text("entity") == "Ho!"
    assert session.talks["right"] is right
    clock.now += 1
    hand.tell(Update(Picture(welcome=WELCOME), (), ()))
    qapp.processEvents()
    assert session.talks == {}
    assert session.heard("left") == 0
    assert len(changed) == 2
    session.close()


def test_what_came_for_a_talk_that_is_gone_is_nobodys(qapp: QApplication, clock: Clock) -> None:
    session, hand = a_session()
    gone = Update(None, (Stream("left", True, (("entity", "x"),), 1),), ())
    hand.tell(opened(), gone, Update(Picture(welcome=WELCOME), (), ()))
    qapp.processEvents()
    assert session.talks == {}
    session.close()


def test_a_confederates_own_keys_are_the_entitys(qapp: QApplication) -> None:
    played = Played()
    session = played.session()
    played.say(
        Welcome("C1", "confederate", "A contest", 4),
        State("interaction", 1, 1, ("only",)),
        Talk(1, 1, "only", []),
    )
    assert session.own == "entity"
    played.type("only", "Hello\n")
    session.press("only", "H")
    assert session.talks["only"].draft == "H"
    assert session.talks["only"].text("judge") == "Hello\n"
    session.close()


def test_remaining_time_runs_by_the_clock(qapp: QApplication) -> None:
    played = Played()
    session = played.session()
    assert session.remaining() is None
    played.say(WELCOME, INTERACTION)
    played.now += 12.5
    assert session.remaining() == 47.5
    played.say(State("paused", 1, 1, ("left", "right"), 47_500))
    played.now += 100
    assert session.remaining() == 47.5
    session.close()


# Acts


def test_what_the_person_does_goes_to_the_seat_at_once(qapp: QApplication) -> None:
    session, hand = a_session()
    session.press("left", "H")
    session.paste("left", "some text")
    session.verdict("left", 50, "because")
    session.rank({"A": 2})
    session.agree(True, "Aurora")
    session.read(1, 1, "left")
    session.end()
    assert hand.done == [
        ("start", None),
        ("press", ("left", "H")),
        ("paste", ("left", "some text")),
        ("verdict", ("left", 50, "because")),
        ("rank", {"A": 2}),
        ("agree", (True, "Aurora")),
        ("read", (1, 1, "left")),
        ("end", None),
    ]
    session.close()


press = st.tuples(
    st.sampled_from(["judge", "entity"]),
    st.sampled_from(["left", "right"]),
    st.sampled_from(["a", "b", "space", "Return", "BackSpace", "Shift_L"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(press | st.sampled_from(["snapshot", "cut"]), max_size=60))
def test_the_talks_are_what_was_typed_whatever_the_link_does(
    qapp: QApplication, steps: list[Any]
) -> None:
    server = ModelServer()
    played = Played(server.receive)
    session = played.session()
    played.say(WELCOME, *server.snapshot())
    linked = True
    for step in steps:
        if step == "cut":
            played.lose()
            linked = False
        elif step == "snapshot":
            played.say(WELCOME, *server.snapshot())
            linked = True
        else:
            author, place, key = step
            if author == "judge":
                session.press(place, key)
            else:
                frame = server.type(place, key)
                if linked:
                    played.say(frame)
    played.say(WELCOME, *server.snapshot())
    for place, talk in server.talks.items():
        expected = Conversation("judge", talk.keys)
        authors: tuple[Author, Author] = ("judge", "entity")
        for author in authors:
            assert session.talks[place].text(author) == expected.text(author)
        typed = [step[2] for step in steps if step[:2] == ("judge", place)]
        assert talk.taken == typed, "each key once, in its order"
        assert session.heard(place) == server.typed(place)
    session.close()


# Drafts


def test_drafts_are_those_of_the_contest_that_is_held(qapp: QApplication, tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    drafts.of("first")
    drafts.put("ranking", 1)
    drafts.close()
    played = Played()
    session = played.session(Drafts(tmp_path))
    seen: list[Any] = []
    session.changed.connect(lambda: seen.append(session.drafts.get("ranking")))
    played.say(WELCOME)
    assert seen == [1], "known before the views are told"
    session.close()


# The end


def test_after_the_end_nothing_is_taken_and_no_timer_runs(
    qapp: QApplication, clock: Clock, tmp_path: Path
) -> None:
    session, hand = a_session(Drafts(tmp_path))
    hand.tell(opened())
    qapp.processEvents()
    session.drafts.of("first")
    session.drafts.put("ranking", 1)
    hand.tell(keys("left", "x"))
    qapp.processEvents()
    assert len(timers(session)) == 1
    hand.tell(keys("left", "y"))
    session.close(saving=2.5)
    assert hand.done[-1] == ("stop", 2.5)
    assert timers(session) == []
    # What the thread told before it ended is still in the queue.
    hand.tell(keys("left", "z"))
    qapp.processEvents()
    assert timers(session) == []
    clock.now += 1
    hand.tell(keys("left", "z"))
    qapp.processEvents()
    session.refresh()
    assert session.talks["left"].text("entity") == ""
    session.close()
    assert [name for name, _ in hand.done].count("stop") == 1


def test_with_a_real_thread(qapp: QApplication, qtbot: QtBot) -> None:
    server = ModelServer()
    session = Session(lambda news: Worker(lambda: ModelSeat(server), news))
    session.start()
    qtbot.waitUntil(lambda: set(session.talks) == {"left", "right"})
    for key in "Hello":
        session.press("left", key)
    session.press("left", "Return")
    session.verdict("left", 100)
    qtbot.waitUntil(lambda: session.talks["left"].text("judge") == "Hello\n")
    qtbot.waitUntil(lambda: "verdict" in session.picture.saved)
    session.close(saving=5.0)
    assert seats() == []
    assert server.verdicts == [Verdict(1, 1, "left", 100)]
    # News on their way to a window that has gone are let go.
    session.deleteLater()
    QCoreApplication.sendPostedEvents(session)
    qapp.processEvents()
