"""A seat in its own thread: the order of what goes in, what comes out, and how it ends."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from judge_console.client import SeatClient
from judge_console.memory import KeyMemory
from judge_console.model import SeatModel, SeatRefused
from judge_console.seat import Lost, Seat
from judge_console.updates import Picture, Update
from judge_console.worker import Worker
from lpp.errors import YoursToFix
from lpp.wire import (
    Author,
    Place,
    Press,
    Refused,
    Saved,
    State,
    ToSeat,
    ToServer,
    Verdict,
    Welcome,
    decode_to_server,
    encode,
)
from tests.judge_console.model_server import ModelServer

#: Seconds after which a test has failed.
PATIENCE = 20.0


class ModelSeat(Seat):
    """A seat whose other end is in this process.

    Arguments:
        server: it.
        deaf: whether it hears nothing but the greeting.
        late: seconds until it answers.
    """

    def __init__(
        self,
        server: ModelServer,
        *,
        deaf: bool = False,
        late: float = 0.0,
        memory: KeyMemory | None = None,
    ) -> None:
        earlier = memory.typed() if memory is not None else None
        super().__init__(
            SeatModel("code", "test", earlier=earlier), acknowledge=False, memory=memory
        )
        self.server, self.deaf, self.late = server, deaf, late
        self.loop: asyncio.AbstractEventLoop | None = None

    @property
    def where(self) -> str:
        return "the model server"

    async def _live(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._answer(self.model.hello())
        while True:
            await self._to_send.wait()
            self._to_send.clear()
            for frame in self.model.outgoing():
                if self.deaf:
                    continue
                self.loop.call_later(self.late, self._answer, frame)

    def _answer(self, frame: ToServer) -> None:
        for answer in self.server.receive(frame):
            self._take(answer)

    def say(self, *frames: ToSeat) -> None:
        """The other end says something; from any thread."""
        assert self.loop is not None
        for frame in frames:
            self.loop.call_soon_threadsafe(self._take, frame)

    def cut(self, trouble: str) -> None:
        """The link is cut, and comes back."""

        def happen() -> None:
            self._linked = False
            self._tell(Lost(trouble, "unreachable"))

        assert self.loop is not None
        self.loop.call_soon_threadsafe(happen)

    def fail(self, error: Exception) -> None:
        """The seat dies."""
        assert self.loop is not None
        self.loop.call_soon_threadsafe(self._end, error)


class Makes:
    """Makes a seat, and knows it afterwards."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self.seat: ModelSeat

    def __call__(self) -> ModelSeat:
        self.seat = ModelSeat(self._server)
        return self.seat


class Window:
    """What a window makes of a worker's news."""

    def __init__(self, make: Callable[[], Seat]) -> None:
        self.news = threading.Semaphore(0)
        self.calls = 0
        self.picture = Picture()
        self.updates: list[Update] = []
        self.shown: dict[Place, list[tuple[Author, str]]] = {}
        self.worker = Worker(make, self._on_news)

    def _on_news(self) -> None:
        self.calls += 1
        self.news.release()

    def take(self) -> None:
        for update in self.worker.take():
            self.updates.append(update)
            self.picture = update.picture or self.picture
            for stream in update.streams:
                if stream.fresh:
                    self.shown[stream.place] = []
                self.shown[stream.place] += stream.keys
            self.shown = {place: self.shown[place] for place in update.places}

    def until(self, condition: Callable[[], object]) -> None:
        """Takes news until something is true, of them or of the other end."""
        end = time.monotonic() + PATIENCE
        self.take()
        while not condition():
            assert time.monotonic() < end, "it never came true"
            self.news.acquire(timeout=0.01)
            self.take()


@contextmanager
def at_work(make: Callable[[], Seat]) -> Iterator[Window]:
    window = Window(make)
    window.worker.start()
    try:
        yield window
    finally:
        window.worker.stop()


def seats() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "seat"]


def test_keys_arrive_in_their_order_and_stand_on_the_screen() -> None:
    server = ModelServer()
    with at_work(lambda: ModelSeat(server)) as window:
        window.until(lambda: set(window.shown) == {"left", "right"})
        text = [chr(ord("a") + n % 26) for n in range(600)]
        for n, key in enumerate(text):
            window.worker.press("left" if n % 3 else "right", key)
        left = [key for n, key in enumerate(text) if n % 3]
        right = [key for n, key in enumerate(text) if not n % 3]
        window.until(lambda: len(server.talks["left"].taken) == len(left))
        window.until(lambda: len(window.shown["left"] + window.shown["right"]) == len(text))
    assert server.talks["left"].taken == left
    assert server.talks["right"].taken == right
    assert [key for _, key in window.shown["left"]] == left
    assert seats() == []


def test_what_comes_is_told_as_it_grows() -> None:
    server = ModelServer()
    with at_work(makes := Makes(server)) as window:
        window.until(lambda: set(window.shown) == {"left", "right"})
        before = len(window.updates)
        for key in "Hello":
            makes.seat.say(server.type("left", key))
        window.until(lambda: len(window.shown["left"]) == 5)
        assert window.shown["left"] == [("entity", key) for key in "Hello"]
        streams = [s for update in window.updates for s in update.streams if s.place == "left"]
        assert [stream.fresh for stream in streams] == [True] + [False] * (len(streams) - 1)
        assert streams[-1].heard == 5
        new = window.updates[before:]
        assert all(update.picture is None for update in new), "a key is no new picture"
        makes.seat.say(*server.begin(2, 1))
        window.until(lambda: window.picture.state.round == 2)
        window.until(lambda: window.shown == {"left": [], "right": []})


def test_the_window_is_woken_once_until_it_takes() -> None:
    server = ModelServer()
    with at_work(makes := Makes(server)) as window:
        window.until(lambda: set(window.shown) == {"left", "right"})
        calls = window.calls
        for _ in range(200):
            window.worker.press("left", "x")
        done = threading.Event()
        assert makes.seat.loop is not None
        # After all of it: what is told to a loop is done in its order.
        makes.seat.loop.call_soon_threadsafe(makes.seat.loop.call_later, 0.05, done.set)
        assert done.wait(PATIENCE)
        assert window.calls == calls + 1
        window.take()
        assert len(window.shown["left"]) == 200
        window.worker.press("left", "y")
        window.until(lambda: len(window.shown["left"]) == 201)
        assert window.calls == calls + 2


def test_decisions_go_and_their_answers_come() -> None:
    server = ModelServer()
    with at_work(lambda: ModelSeat(server)) as window:
        window.until(lambda: window.picture.connected)
        window.worker.verdict("left", 70, "because")
        window.worker.rank({"A": 2, "B": 4})
        window.worker.agree(True, "Aurora")
        window.worker.read(1, 1, "left")
        window.until(lambda: len(window.picture.saved) == 3 and window.picture.past)
        assert window.picture.unsaved == frozenset()
    assert server.verdicts == [Verdict(1, 1, "left", 70, "because")]
    assert server.ranks[0].ranks == {"A": 2, "B": 4}
    assert server.consents[0].pseudonym == "Aurora"
    assert window.picture.saved["verdict"].reason == "because"


def test_what_is_drawn_is_acknowledged() -> None:
    server = ModelServer()
    with at_work(makes := Makes(server)) as window:
        window.until(lambda: set(window.shown) == {"left", "right"})
        makes.seat.say(server.type("left", "a"), server.type("left", "b"))
        window.until(lambda: len(window.shown["left"]) == 2)
        window.worker.painted({"left": 1})
        window.worker.press("left", "x")
        window.until(lambda: server.talks["left"].taken == ["x"])
    assert server.talks["left"].acknowledged == 1, "what was not drawn is not acknowledged"


def test_a_lost_link_is_told_with_its_reason() -> None:
    server = ModelServer()
    with at_work(makes := Makes(server)) as window:
        window.until(lambda: window.picture.connected)
        makes.seat.cut("the cable is out")
        window.until(lambda: window.picture.trouble == "the cable is out")
        assert not window.picture.connected
        assert window.picture.kind == "unreachable"
        makes.seat.say(Welcome("J1", "judge", "A contest", 4), *server.snapshot())
        window.until(lambda: window.picture.connected and not window.picture.trouble)
        assert window.picture.ended is None


# Its end


def test_it_waits_for_what_is_not_confirmed_and_no_longer() -> None:
    server = ModelServer()
    window = Window(lambda: ModelSeat(server, late=0.1))
    window.worker.start()
    window.until(lambda: set(window.shown) == {"left", "right"})
    for key in "bye":
        window.worker.press("left", key)
    window.worker.verdict("left", None, "")
    began = time.monotonic()
    window.worker.stop(saving=PATIENCE)
    assert time.monotonic() - began < PATIENCE / 2
    assert server.talks["left"].taken == ["b", "y", "e"]
    assert len(server.verdicts) == 1
    assert seats() == []


def test_it_does_not_wait_for_ever() -> None:
    window = Window(lambda: ModelSeat(ModelServer(), deaf=True))
    window.worker.start()
    window.until(lambda: set(window.shown) == {"left", "right"})
    window.worker.press("left", "x")
    window.worker.stop(saving=0.1)
    assert seats() == []


def test_it_can_be_stopped_before_it_begins_and_twice() -> None:
    Window(lambda: ModelSeat(ModelServer())).worker.stop()
    window = Window(lambda: ModelSeat(ModelServer()))
    window.worker.start()
    window.worker.stop()
    window.worker.stop()
    # And what is done to it then is done to nobody.
    window.worker.press("left", "x")
    window.worker.painted({"left": 1})
    window.worker.verdict("left", None, "")
    assert seats() == []


def test_a_refused_seat_has_ended_and_stays_so() -> None:
    with at_work(makes := Makes(ModelServer())) as window:
        window.until(lambda: window.picture.connected)
        makes.seat.fail(SeatRefused("seat-taken", "another console took it over"))
        window.until(lambda: window.picture.ended is not None)
        assert isinstance(window.picture.ended, SeatRefused)
        before = len(window.updates)
        window.worker.verdict("left", None, "")
        window.until(lambda: len(window.updates) > before)
        assert isinstance(window.picture.ended, SeatRefused), "news of others don't revive it"
        assert not window.picture.connected


def test_a_bug_in_the_seat_is_told_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    with at_work(makes := Makes(ModelServer())) as window:
        window.until(lambda: window.picture.connected)
        with caplog.at_level(logging.ERROR):
            makes.seat.fail(ZeroDivisionError("what was it?"))
            window.until(lambda: window.picture.ended is not None)
        assert isinstance(window.picture.ended, ZeroDivisionError)
    assert "a bug of ours" in caplog.text


@pytest.mark.parametrize(
    ("error", "logged"), [(YoursToFix("no such directory"), False), (KeyError("x"), True)]
)
def test_a_seat_that_cannot_be_made_has_ended(
    error: Exception, logged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def make() -> Seat:
        raise error

    with caplog.at_level(logging.ERROR), at_work(make) as window:
        window.until(lambda: window.picture.ended is not None)
        assert window.picture.ended is error
        window.worker.press("left", "x")
    assert bool(caplog.records) is logged


# After a crash


def test_keys_that_the_server_never_got_are_sent_by_the_next_console(tmp_path: Path) -> None:
    server = ModelServer()
    with at_work(lambda: ModelSeat(server, memory=KeyMemory(tmp_path))) as window:
        window.until(lambda: set(window.shown) == {"left", "right"})
        for key in "abc":
            window.worker.press("left", key)
        window.until(lambda: server.talks["left"].taken == ["a", "b", "c"])
    with at_work(lambda: ModelSeat(server, deaf=True, memory=KeyMemory(tmp_path))) as window:
        window.until(lambda: len(window.shown.get("left", [])) == 3)
        for key in "defg":
            window.worker.press("left", key)
        window.until(lambda: len(window.shown["left"]) == 7)
    with at_work(lambda: ModelSeat(server, memory=KeyMemory(tmp_path))) as window:
        window.until(lambda: len(window.shown.get("left", [])) == 7)
        window.worker.press("left", "h")
        window.until(lambda: len(server.talks["left"].taken) == 8)
        window.until(lambda: len(window.shown["left"]) == 8)
        assert [key for _, key in window.shown["left"]] == list("abcdefgh")
    assert server.talks["left"].taken == list("abcdefgh")
    numbers = [frame.n for frame in server.received if isinstance(frame, Press)]
    assert numbers == list(range(1, 9)), "each once"


# Over a socket


def test_over_a_real_socket() -> None:
    server = ModelServer()

    def handle(connection: ServerConnection) -> None:
        try:
            for text in connection:
                for answer in server.receive(decode_to_server(text)):
                    connection.send(encode(answer))
        except ConnectionClosed:
            pass

    listening = serve(handle, "127.0.0.1", 0)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    port = listening.socket.getsockname()[1]
    try:
        with at_work(lambda: SeatClient(f"ws://127.0.0.1:{port}/seat", "code")) as window:
            window.until(lambda: set(window.shown) == {"left", "right"})
            for key in "Hello":
                window.worker.press("right", key)
            window.worker.verdict("right", None, "")
            window.until(lambda: "verdict" in window.picture.saved)
    finally:
        listening.shutdown()
        thread.join(PATIENCE)
    assert server.talks["right"].taken == list("Hello")


def test_a_wrong_code_over_a_real_socket_ends_it() -> None:
    def handle(connection: ServerConnection) -> None:
        connection.recv()
        connection.send(encode(Refused("bad-code", "this code opens no seat")))

    listening = serve(handle, "127.0.0.1", 0)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    port = listening.socket.getsockname()[1]
    try:
        with at_work(lambda: SeatClient(f"ws://127.0.0.1:{port}/seat", "code")) as window:
            window.until(lambda: window.picture.ended is not None)
            assert isinstance(window.picture.ended, SeatRefused)
            assert window.picture.ended.code == "bad-code"
    finally:
        listening.shutdown()
        thread.join(PATIENCE)


def test_the_picture_of_a_round_that_is_closed() -> None:
    server = ModelServer()
    with at_work(makes := Makes(server)) as window:
        window.until(lambda: set(window.shown) == {"left", "right"})
        makes.seat.say(
            State("scoring", 1, 1, ("left", "right")), Saved("verdict", 1, "x", 1, 1, human="left")
        )
        window.until(lambda: "verdict" in window.picture.saved)
        makes.seat.say(State("waiting", 2, 1))
        window.until(lambda: window.picture.state.round == 2)
        assert window.picture.saved == {}
        assert window.shown == {}
