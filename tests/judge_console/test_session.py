"""Tests a window's seat: its thread, one update per tick, talks in reading order, and its end."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from judge_console import session as session_module
from judge_console.client import SeatClient, Socket
from judge_console.memory import Drafts, KeyMemory
from judge_console.model.pages import WindowState
from judge_console.model.seat import SeatRefused
from judge_console.session import LEAVE_TIMEOUT, SeatThread, Session, Stream, Update
from lpp.conversation import Conversation
from lpp.errors import UserError
from lpp.wire import (
    Author,
    Consent,
    Hello,
    Place,
    Ranks,
    Read,
    Refused,
    State,
    ToSeat,
    ToServer,
    Verdict,
    Welcome,
    decode_to_server,
    encode,
)
from tests.judge_console.fake_server import FakeServer
from tests.judge_console.model_server import ModelServer

#: Seconds after which a test has failed.
PATIENCE = 20.0

WELCOME = Welcome("J1", "judge", "A contest", 4, contest_id="first")
INTERACTION = State("interaction", 1, 1, ("left", "right"), 60_000)


class FakeSeatThread:
    """Replaces the seat's thread: it lists the actions, and returns updates set by the test."""

    def __init__(self) -> None:
        self.news: Callable[[], None] = lambda: None
        self.updates: list[Update] = []
        self.done: list[tuple[str, Any]] = []
        self.takes = 0

    def tell(self, *updates: Update) -> None:
        """Reports that an update is available."""
        self.updates += updates
        self.news()

    def take(self) -> list[Update]:
        self.takes += 1
        updates, self.updates = self.updates, []
        return updates

    def start(self) -> None:
        self.done.append(("start", None))

    def leave(self, saving: float) -> None:
        self.done.append(("leave", saving))

    def join(self, patience: float) -> None:
        self.done.append(("join", patience))

    def do(self, act: Callable[[Any], Awaitable[object]], *, key: bool = False) -> None:
        act(self)

    def press(self, place: Place, key: str) -> None:
        self.done.append(("press", (place, key)))

    def paste(self, place: Place, text: str) -> None:
        self.done.append(("paste", (place, text)))

    def give(self, frame: object) -> None:
        self.done.append(("give", frame))

    def painted(self, heard: Mapping[Place, int]) -> None:
        self.done.append(("painted", dict(heard)))


class Clock:
    """The clock for ticks."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(session_module, "time", clock)
    return clock


def no_seat() -> SeatClient:
    raise AssertionError("no_seat sits here")


def a_session(drafts: Drafts | None = None) -> tuple[Session, FakeSeatThread]:
    hand = FakeSeatThread()
    session = Session(
        no_seat,
        drafts,
        end=lambda phase: hand.done.append(("end", phase)),
        thread=cast(SeatThread, hand),
    )
    hand.news = session._news.emit
    session.start()
    return session, hand


def keys(place: Place, text: str, heard: int = 0, fresh: bool = False) -> Update:
    """An update with keys of the other side."""
    streams = {place: Stream(False, [], 0) for place in ("left", "right")}
    streams[place] = Stream(fresh, [("entity", key) for key in text], heard or len(text))
    return Update(None, streams)  # type: ignore[arg-type]


def opened() -> Update:
    """An update that begins a round."""
    window_state = WindowState(connected=True, welcome=WELCOME, state=INTERACTION)
    return Update(window_state, {"left": Stream(True, [], 0), "right": Stream(True, [], 0)})


def timers(session: Session) -> list[QTimer]:
    return [timer for timer in session.findChildren(QTimer) if timer.isActive()]


# News


def test_the_first_update_is_taken_at_once_and_the_rest_once_per_tick(
    qapp: QApplication, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "TICK", 60.0)  # longer than any delay of a busy machine
    session, hand = a_session()
    drawn: list[int] = []
    session.conversations_changed.connect(
        lambda: drawn.append(len(session.talks["left"].text("entity")))
    )
    hand.tell(opened())
    qapp.processEvents()
    assert hand.takes == 1
    assert drawn == [0]
    for n in range(1, 51):
        clock.now += 0.5
        hand.tell(keys("left", "x", heard=n))
        qapp.processEvents()
    assert hand.takes == 1, "nothing is drawn half a tick later"
    [timer] = timers(session)
    assert 0 < timer.interval() <= 60_000
    timer.stop()
    clock.now += 60
    timer.timeout.emit()
    assert drawn == [0, 50], "everything in one drawing"
    assert timers(session) == []
    clock.now += 60
    hand.tell(keys("left", "y", heard=51))
    qapp.processEvents()
    assert drawn == [0, 50, 51], "after a pause, updates are taken at once again"
    session.close()


# Acts


press = st.tuples(
    st.sampled_from(["judge", "entity"]),
    st.sampled_from(["left", "right"]),
    st.sampled_from(["a", "b", "space", "Return", "BackSpace", "Shift_L"]),
)


@settings(
    max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.lists(press | st.sampled_from(["snapshot", "cut"]), max_size=60))
def test_talks_match_the_typed_keys_even_if_the_connection_fails(
    qapp: QApplication, steps: list[Any]
) -> None:
    server = ModelServer()
    played = FakeServer(server.receive)
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
        expected = Conversation("judge")
        for author, key in talk.keys:
            expected.press(author, key)
        authors: tuple[Author, Author] = ("judge", "entity")
        for author in authors:
            assert session.talks[place].text(author) == expected.text(author)
        typed = [step[2] for step in steps if step[:2] == ("judge", place)]
        assert talk.taken == typed, "each key once, in order"
        assert session.heard(place) == server.typed(place)
    session.close()


# The end


def test_after_the_end_no_update_is_taken_and_no_timer_runs(
    qapp: QApplication, clock: Clock, tmp_path: Path
) -> None:
    session, hand = a_session(Drafts(tmp_path))
    hand.tell(opened())
    qapp.processEvents()
    session.drafts.contest = "first"
    session.drafts.put("ranking", 1)
    hand.tell(keys("left", "x"))
    qapp.processEvents()
    assert len(timers(session)) == 1
    hand.tell(keys("left", "y"))
    session.close(saving=2.5)
    assert hand.done[-2:] == [("leave", 2.5), ("join", LEAVE_TIMEOUT + 2.5)]
    assert timers(session) == []
    # Updates from before the end of the thread are still in the queue.
    hand.tell(keys("left", "z"))
    qapp.processEvents()
    assert timers(session) == []
    clock.now += 1
    hand.tell(keys("left", "z"))
    qapp.processEvents()
    session.refresh()
    assert session.talks["left"].text("entity") == ""
    session.close()
    assert [name for name, _ in hand.done].count("leave") == 1


# The thread


class Line:
    """Connections to a `ModelServer` in memory.

    Arguments:
        server: the other end.
        deaf: whether it ignores everything but the greeting.
        late: seconds until it answers.
    """

    def __init__(self, server: ModelServer, *, deaf: bool = False, late: float = 0.0) -> None:
        self.server, self.deaf, self.late = server, deaf, late
        self.loop: asyncio.AbstractEventLoop | None = None

    def seat(self, memory: KeyMemory | None = None) -> SeatClient:
        """Makes a seat at it."""
        return SeatClient(
            "memory", "code", acknowledge=False, memory=memory, connection=self._connect
        )

    @asynccontextmanager
    async def _connect(self) -> AsyncIterator[Socket]:
        self.loop = asyncio.get_running_loop()
        self._frames: asyncio.Queue[ToSeat | Exception] = asyncio.Queue()
        yield self

    def _answer(self, frame: ToServer) -> None:
        for answer in self.server.receive(frame):
            self._frames.put_nowait(answer)

    async def send(self, message: str) -> None:
        frame = decode_to_server(message)
        if isinstance(frame, Hello):
            self._answer(frame)
        elif not self.deaf:
            assert self.loop is not None
            self.loop.call_later(self.late, self._answer, frame)

    async def recv(self) -> str:
        frame = await self._frames.get()
        if isinstance(frame, Exception):
            raise frame
        return encode(frame)

    def say(self, *frames: ToSeat | Exception) -> None:
        """Sends a frame to the seat, or ends the connection with an error; from any thread."""
        assert self.loop is not None
        for frame in frames:
            self.loop.call_soon_threadsafe(self._frames.put_nowait, frame)


class Window:
    """Takes a thread's updates as a window does."""

    def __init__(self, make: Callable[[], SeatClient]) -> None:
        self.news = threading.Semaphore(0)
        self.calls = 0
        self.window_state = WindowState()
        self.updates: list[Update] = []
        self.shown: dict[Place, list[tuple[Author, str]]] = {}
        self.thread = SeatThread(make, self._on_news, False)

    def _on_news(self) -> None:
        self.calls += 1
        self.news.release()

    def stop(self, saving: float = 0.0) -> None:
        self.thread.leave(saving)
        self.thread.join(PATIENCE)

    def press(self, *keys: str, place: Place = "left") -> None:
        for key in keys:
            self.thread.do(lambda seat, key=key: seat.press(place, key), key=True)  # type: ignore[misc]

    def give(self, *frames: Verdict | Ranks | Consent | Read) -> None:
        for frame in frames:
            self.thread.do(lambda seat, frame=frame: seat.give(frame))  # type: ignore[misc]

    def take(self) -> None:
        for update in self.thread.take():
            self.updates.append(update)
            self.window_state = update.window_state or self.window_state
            for place, stream in update.streams.items():
                self.shown[place] = [] if stream.fresh else self.shown[place]
                self.shown[place] += stream.keys
            self.shown = {place: self.shown[place] for place in update.streams}

    def until(self, condition: Callable[[], object]) -> None:
        """Takes updates until a condition is true."""
        end = time.monotonic() + PATIENCE
        self.take()
        while not condition():
            assert time.monotonic() < end, "the condition never became true"
            self.news.acquire(timeout=0.01)
            self.take()

    def until_shown(self) -> None:
        self.until(lambda: set(self.shown) == {"left", "right"})


@contextmanager
def at_work(make: Callable[[], SeatClient]) -> Iterator[Window]:
    window = Window(make)
    window.thread.start()
    try:
        yield window
    finally:
        window.stop()


def seats() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "seat"]


def test_a_lost_connection_is_reported_with_its_reason() -> None:
    with at_work((line := Line(ModelServer())).seat) as window:
        window.until(lambda: window.window_state.connected)
        line.say(OSError("the cable is out"))
        window.until(
            lambda: any(
                u.window_state and u.window_state.kind == "unreachable" for u in window.updates
            )
        )
        lost = next(
            u.window_state for u in window.updates if u.window_state and u.window_state.trouble
        )
        assert (lost.connected, lost.trouble) == (
            False,
            "no connection to memory: the cable is out",
        )
        window.until(lambda: window.window_state.connected and not window.window_state.trouble)
        assert window.window_state.ended is None


def test_leaving_waits_until_everything_is_confirmed_and_no_longer() -> None:
    server = ModelServer()
    window = Window(Line(server, late=0.1).seat)
    window.thread.start()
    window.until_shown()
    window.press(*"bye")
    window.give(Verdict(1, 1, "left"))
    began = time.monotonic()
    window.stop(PATIENCE)
    assert time.monotonic() - began < PATIENCE / 2
    assert server.talks["left"].taken == ["b", "y", "e"]
    assert len(server.verdicts) == 1
    deaf = Window(Line(ModelServer(), deaf=True).seat)
    deaf.thread.start()
    deaf.until_shown()
    deaf.press("x")
    deaf.stop(0.1)
    assert seats() == []


@pytest.mark.parametrize(
    ("frame", "error", "logged"),
    [
        (Refused("seat-taken", "another console took it over"), SeatRefused, False),
        (ZeroDivisionError("what was it?"), ZeroDivisionError, True),
    ],
)
def test_a_seat_that_has_ended_stays_ended(
    frame: Any, error: type[Exception], logged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.ERROR),
        at_work((line := Line(ModelServer())).seat) as window,
    ):
        window.until(lambda: window.window_state.connected)
        line.say(frame)
        window.until(lambda: window.window_state.ended is not None)
        before = len(window.updates)
        window.give(Verdict(1, 1, "left"))
        window.until(lambda: len(window.updates) > before)
        assert isinstance(window.window_state.ended, error), (
            "updates of other talks don't restore it"
        )
        assert not window.window_state.connected
    assert ("a bug" in caplog.text) is logged


@pytest.mark.parametrize(
    ("error", "logged"), [(UserError("no such directory"), False), (KeyError("x"), True)]
)
def test_a_seat_that_cannot_be_created_counts_as_ended(
    error: Exception, logged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def make() -> SeatClient:
        raise error

    with caplog.at_level(logging.ERROR), at_work(make) as window:
        window.until(lambda: window.window_state.ended is not None)
        assert window.window_state.ended is error
        window.press("x")
    assert bool(caplog.records) is logged


def test_a_session_with_a_real_thread(qapp: QApplication, qtbot: QtBot) -> None:
    server = ModelServer()
    session = Session(Line(server).seat)
    session.start()
    qtbot.waitUntil(lambda: set(session.talks) == {"left", "right"})
    for key in "Hello":
        session.press("left", key)
    session.press("left", "Return")
    session.give(Verdict(1, 1, "left", 100))
    qtbot.waitUntil(lambda: session.talks["left"].text("judge") == "Hello\n")
    qtbot.waitUntil(lambda: "verdict" in session.window_state.saved)
    session.close(saving=5.0)
    assert seats() == []
    assert server.verdicts == [Verdict(1, 1, "left", 100)]
    # Updates for a closed window are dropped.
    session.deleteLater()
    QCoreApplication.sendPostedEvents(session)
    qapp.processEvents()
