"""Tests the model of a seat: the keys that it shows and sends, and that each key is accepted
once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from judge_console.model.seat import SeatModel
from lpp.wire import (
    Place,
    Refused,
    Saved,
    State,
    ToSeat,
    Verdict,
)
from tests.judge_console.model_server import ModelServer


def seated(server: ModelServer) -> SeatModel:
    """A model that has just been greeted by a server."""
    model = SeatModel("secret")
    take(model, server.receive(model.hello()))
    return model


def take(model: SeatModel, frames: Iterable[ToSeat], now: float = 0.0) -> None:
    for frame in frames:
        model.receive(frame, now)


def exchange(model: SeatModel, server: ModelServer) -> None:
    """Exchanges frames until neither side has any left to send."""
    while frames := model.outgoing():
        for frame in frames:
            take(model, server.receive(frame))


def is_unsaved(model: SeatModel) -> frozenset[str]:
    """Reads the property again, because a type checker assumes that it hasn't changed."""
    return model.unsaved


# Time


def test_the_remaining_time_is_counted_by_the_local_clock() -> None:
    model = SeatModel("secret")
    assert model.remaining(5.0) is None
    model.receive(State("interaction", 1, 1, remaining_ms=60_000, speed=10.0), 100.0)
    assert model.remaining(100.0) == 60.0
    assert model.remaining(102.0) == 40.0
    assert model.remaining(200.0) == 0.0
    model.receive(State("paused", 1, 1, remaining_ms=40_000, speed=10.0), 102.0)
    assert model.remaining(150.0) == 40.0


# Decisions


def test_a_verdict_is_sent_until_it_is_saved() -> None:
    server = ModelServer()
    model = seated(server)
    model.give(Verdict(1, 1, "left", 70, "it asked back"))
    assert model.outgoing() == [Verdict(1, 1, "left", 70, "it asked back")]
    assert model.outgoing() == []
    assert model.unsaved, "the server has not confirmed that it is durable"
    take(model, server.receive(model.hello()))
    exchange(model, server)
    assert server.verdicts == [Verdict(1, 1, "left", 70, "it asked back")]
    assert not is_unsaved(model)
    take(model, server.receive(model.hello()))
    assert model.outgoing() == []


def test_an_earlier_saved_verdict_does_not_answer_a_new_one() -> None:
    """After a reconnect the server sends the saved verdict, which must not replace a correction
    under way."""
    server = ModelServer()
    model = seated(server)
    model.give(Verdict(1, 1, "left"))
    exchange(model, server)
    model.give(Verdict(1, 1, "right"))
    take(model, server.receive(model.hello()))
    assert model.outgoing() == [Verdict(1, 1, "right")]
    told = Saved("verdict", 1, "2010-10-23T17:00:00Z", 1, 1, human="left", again=True)
    model.receive(told, 0.0)
    assert model.unsaved == {"verdict"}
    assert model.saved["verdict"].human == "left"
    take(model, server.receive(model.hello()))
    exchange(model, server)
    assert [verdict.human for verdict in server.verdicts] == ["left", "right"]
    assert not model.unsaved


def test_keys_of_a_killed_console_are_sent_by_the_next_one() -> None:
    server = ModelServer()
    first = seated(server)
    for key in "ab":
        first.press("left", key)
    exchange(first, server)
    for key in "cd":
        first.press("left", key)  # killed before any of this was sent
    earlier = {first.talk_key("left"): {1: "a", 2: "b", 3: "c", 4: "d"}}
    second = SeatModel("K7QM", earlier=earlier)
    take(second, server.receive(second.hello()))
    assert second.keys("left") == [("judge", key) for key in "abcd"]
    exchange(second, server)
    assert server.talks["left"].taken == list("abcd")


def test_keys_that_another_console_has_overtaken_are_not_sent() -> None:
    server = ModelServer()
    other = seated(server)
    for key in "abX":
        other.press("left", key)
    exchange(other, server)
    # The earlier console had typed abcd, but c and d never arrived.
    earlier = {other.talk_key("left"): {1: "a", 2: "b", 3: "c", 4: "d"}}
    again = SeatModel("K7QM", earlier=earlier)
    take(again, server.receive(again.hello()))
    assert again.keys("left") == [("judge", key) for key in "abX"]
    exchange(again, server)
    assert server.talks["left"].taken == list("abX")


# Refusals


def test_a_gap_at_the_server_is_closed_by_a_new_connection() -> None:
    server = ModelServer()
    model = seated(server)
    model.press("left", "a")
    model.outgoing()  # lost, although the connection is open
    model.press("left", "b")
    model.receive(Refused("gap", "key 1 is missing"), 0.0)
    assert model.needs_snapshot
    take(model, server.receive(model.hello()))
    exchange(model, server)
    assert server.talks["left"].taken == ["a", "b"]


def test_a_seat_takes_itself_over_only_after_a_cut() -> None:
    model = SeatModel("secret")
    assert not model.hello().take_over
    model = seated(ModelServer())
    assert model.hello(cut=True).take_over
    assert not model.hello(cut=False).take_over
    assert SeatModel("secret", take_over=True).hello(cut=False).take_over


# Any order of events


class Wire:
    """A connection that carries frames in both directions, and can lose frames under way."""

    def __init__(self, model: SeatModel, server: ModelServer) -> None:
        self.model, self.server = model, server
        self.up: deque[Any] = deque([model.hello()])
        self.down: deque[ToSeat] = deque()

    def carry_up(self, count: int) -> None:
        self.up.extend(self.model.outgoing())
        for _ in range(min(count, len(self.up))):
            self.down.extend(self.server.receive(self.up.popleft()))

    def carry_down(self, count: int) -> None:
        for _ in range(min(count, len(self.down))):
            self.model.receive(self.down.popleft(), 0.0)
            assert not self.model.needs_snapshot
            self.model.painted()

    def settle(self) -> None:
        while self.up or self.down:
            self.carry_up(1000)
            self.carry_down(1000)
            self.up.extend(self.model.outgoing())


ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("own"), st.sampled_from(["left", "right"])),
        st.tuples(st.just("other"), st.sampled_from(["left", "right"])),
        st.tuples(st.just("up"), st.integers(1, 5)),
        st.tuples(st.just("down"), st.integers(1, 5)),
        st.tuples(st.just("cut"), st.just(0)),
    ),
    max_size=60,
)


@given(ACTS)
def test_each_key_is_taken_once_and_in_order(acts: list[tuple[str, Any]]) -> None:
    server = ModelServer()
    model = SeatModel("secret")
    wire = Wire(model, server)
    pressed: dict[Place, list[str]] = {"left": [], "right": []}
    for number, (act, what) in enumerate(acts):
        if act == "own":
            if model.press(what, chr(0x4E00 + number)):
                pressed[what].append(chr(0x4E00 + number))
        elif act == "other":
            key = server.type(what, chr(0x5E00 + number))
            if server.hellos:
                wire.down.append(key)
        elif act == "up":
            wire.carry_up(what)
        elif act == "down":
            wire.carry_down(what)
        else:
            wire = Wire(model, server)
            server.hellos.clear()
    wire = Wire(model, server)
    wire.settle()
    for place, talk in server.talks.items():
        assert talk.taken == pressed[place]
        assert talk.acknowledged == server.typed(place)
        assert sorted(model.keys(place)) == sorted(talk.keys)
        heard = [key for author, key in model.keys(place) if author == "entity"]
        assert heard == [key for author, key in talk.keys if author == "entity"]
        assert model.talks[place].unconfirmed == 0
    assert model.lost_keys == 0
