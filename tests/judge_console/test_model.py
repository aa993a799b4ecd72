"""The pure model of a seat: what it shows, what it sends, and that each key is taken once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_console.model.seat import SeatModel, SeatRefused
from lpp.lines import Pane
from lpp.wire import (
    Consent,
    Key,
    Place,
    Press,
    Ranks,
    RankThese,
    Read,
    Refused,
    Saved,
    Shown,
    State,
    Taken,
    ToSeat,
    Verdict,
    Welcome,
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
    """Carries everything to and fro until nobody has anything to say."""
    while frames := model.outgoing():
        for frame in frames:
            take(model, server.receive(frame))


def is_unsaved(model: SeatModel) -> frozenset[str]:
    """The property, read anew (to a type checker two reads of it are one)."""
    return model.unsaved


# What is shown


def test_own_keys_stand_at_once_and_wait_for_the_server() -> None:
    model = seated(ModelServer())
    assert model.press("left", "H")
    assert model.press("left", "i")
    assert model.keys("left") == [("judge", "H"), ("judge", "i")]
    assert model.keys("right") == []
    assert model.talks["left"].unconfirmed == 2
    assert model.outgoing() == [Press(1, 1, "left", 1, "H"), Press(1, 1, "left", 2, "i")]
    assert model.outgoing() == []
    model.receive(Taken(1, 1, "left", 1), 0.0)
    assert model.talks["left"].unconfirmed == 1


def test_the_other_sides_keys_stand_in_order_and_are_acknowledged_together() -> None:
    server = ModelServer("confederate")
    model = seated(server)
    assert model.own == "entity"
    take(model, [server.type("only", key) for key in "Hello"])
    model.painted()
    assert model.outgoing() == [Shown(1, 1, "only", "judge", 5)]
    assert Pane(key for _, key in model.keys("only")).text == "Hello"


def test_a_snapshot_in_the_middle_puts_unconfirmed_own_keys_last() -> None:
    server = ModelServer()
    model = seated(server)
    for key in "abc":
        model.press("left", key)
    frames = model.outgoing()
    server.receive(frames[0])  # the answer, and the other two keys, are lost with the connection
    server.type("left", "Z")
    take(model, server.receive(model.hello()))
    assert model.keys("left") == [("judge", "a"), ("entity", "Z"), ("judge", "b"), ("judge", "c")]
    assert model.outgoing() == [Press(1, 1, "left", 2, "b"), Press(1, 1, "left", 3, "c")]


def test_a_console_started_anew_goes_on_with_the_next_number() -> None:
    server = ModelServer()
    server.talks["left"].taken = list("abc")
    server.talks["left"].keys = [("judge", "a"), ("entity", "q"), ("judge", "b")]  # c: not shown
    model = seated(server)
    model.press("left", "d")
    assert model.outgoing() == [Press(1, 1, "left", 4, "d")]
    assert model.keys("left")[-1] == ("judge", "d")
    model.receive(Key(1, 1, "left", "entity", 2, "r"), 0.0)
    assert model.keys("left")[-1] == ("entity", "r")


@pytest.mark.parametrize(
    ("number", "shown", "mend"), [(1, 2, False), (2, 2, False), (3, 3, False), (4, 2, True)]
)
def test_numbers_of_the_other_side(number: int, shown: int, mend: bool) -> None:
    server = ModelServer()
    model = seated(server)
    take(model, [server.type("left", "a"), server.type("left", "b")])
    model.receive(Key(1, 1, "left", "entity", number, "c"), 0.0)
    assert len(model.keys("left")) == shown
    assert model.needs_snapshot is mend
    model.hello()
    assert not model.needs_snapshot


# When keys count


@pytest.mark.parametrize("phase", ["before", "waiting", "paused", "scoring", "closed", "over"])
def test_outside_the_interaction_no_key_counts(phase: Any) -> None:
    model = seated(ModelServer())
    model.receive(State(phase, 1, 1, ("left", "right")), 0.0)
    assert not model.press("left", "a")
    assert model.keys("left") == []


@pytest.mark.parametrize("key", ["", "\x07", "ab", "quotedbl ", "Ctrl+C", "x" * 70_000])
def test_what_is_no_key_does_not_count(key: str) -> None:
    model = seated(ModelServer())
    assert not model.press("left", key)
    assert model.outgoing() == []


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
    assert model.unsaved, "the server has not said that it is durable"
    take(model, server.receive(model.hello()))
    exchange(model, server)
    assert server.verdicts == [Verdict(1, 1, "left", 70, "it asked back")]
    assert not is_unsaved(model)
    take(model, server.receive(model.hello()))
    assert model.outgoing() == []


def test_what_the_server_held_before_is_no_answer_to_a_new_verdict() -> None:
    """Whoever comes back is told what is saved; a correction under way must outlive that."""
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


def test_an_answer_that_was_lost_with_the_link_is_told_again() -> None:
    server = ModelServer()
    model = seated(server)
    model.give(Consent(True, "Robin"))
    for frame in model.outgoing():
        server.receive(frame)  # and the link breaks before the answer comes
    take(model, server.receive(model.hello()))
    told = Saved("consent", 1, "2010-10-23T09:00:00Z", publish=True, pseudonym="Robin", again=True)
    model.receive(told, 0.0)
    assert not model.unsaved
    assert model.outgoing() == []


def test_a_verdict_refused_for_a_round_that_is_over_is_none_of_this_round() -> None:
    server = ModelServer()
    model = seated(server)
    model.give(Verdict(1, 1, "left"))
    model.outgoing()
    model.receive(State("waiting", 2, 1, ("left", "right")), 0.0)
    model.receive(Refused("not-now", "the round is closed", "verdict"), 0.0)
    assert not model.unsaved
    assert not model.refused


def test_a_talk_that_can_not_be_read_says_so() -> None:
    server = ModelServer()
    model = seated(server)
    model.give(Read(1, 1, "left"))
    model.outgoing()
    model.receive(Refused("no-talk", "no such talk", "read"), 0.0)
    assert model.unreadable[1, 1, "left"].message == "no such talk"
    model.give(Read(1, 1, "left"))
    assert not model.unreadable


def test_an_earlier_talk_is_asked_for_once() -> None:
    server = ModelServer()
    model = seated(server)
    model.press("left", "a")
    exchange(model, server)
    model.give(Read(1, 1, "left"))
    exchange(model, server)
    assert model.past[1, 1, "left"].keys == [(0, "judge", "a")]
    model.give(Read(1, 1, "left"))
    assert model.outgoing() == []


def test_what_a_killed_console_had_typed_is_sent_by_the_next_one() -> None:
    server = ModelServer()
    first = seated(server)
    for key in "ab":
        first.press("left", key)
    exchange(first, server)
    for key in "cd":
        first.press("left", key)  # and killed before anything of it is sent
    earlier = {first.talk_key("left"): {1: "a", 2: "b", 3: "c", 4: "d"}}
    second = SeatModel("K7QM", earlier=earlier)
    take(second, server.receive(second.hello()))
    assert second.keys("left") == [("judge", key) for key in "abcd"]
    exchange(second, server)
    assert server.talks["left"].taken == list("abcd")


def test_the_end_of_a_line_that_another_console_has_typed_over_is_not_sent() -> None:
    server = ModelServer()
    other = seated(server)
    for key in "abX":
        other.press("left", key)
    exchange(other, server)
    # The console before the other one had typed abcd, and c and d never came.
    earlier = {other.talk_key("left"): {1: "a", 2: "b", 3: "c", 4: "d"}}
    again = SeatModel("K7QM", earlier=earlier)
    take(again, server.receive(again.hello()))
    assert again.keys("left") == [("judge", key) for key in "abX"]
    exchange(again, server)
    assert server.talks["left"].taken == list("abX")


def test_only_what_was_drawn_is_acknowledged() -> None:
    server = ModelServer()
    model = seated(server)
    for n, key in enumerate("ab", 1):
        server.talks["left"].keys.append(("entity", key))
        model.receive(Key(1, 1, "left", "entity", n, key), 0.0)
    model.painted({"left": 1})
    assert model.outgoing() == [Shown(1, 1, "left", "entity", 1)]
    model.painted({"left": 9})
    assert model.outgoing() == [Shown(1, 1, "left", "entity", 2)]


def test_a_ranking_is_sent_until_it_is_saved_or_all_is_over() -> None:
    server = ModelServer()
    model = seated(server)
    asked = RankThese({"A": [(1, 1, "left")], "B": [(1, 1, "right")]})
    model.receive(asked, 0.0)
    assert model.rank_these == asked
    model.give(Ranks({"A": 2, "B": 4}))
    exchange(model, server)
    assert server.ranks == [Ranks({"A": 2, "B": 4})]
    assert not model.unsaved
    model.give(Ranks({"A": 3, "B": 3}))
    model.receive(State("over"), 0.0)
    assert not model.unsaved
    assert model.outgoing() == []


@pytest.mark.parametrize("code", ["not-now", "not-yours", "bad-verdict"])
def test_a_refused_verdict_is_not_tried_again(code: str) -> None:
    server = ModelServer()
    model = seated(server)
    model.give(Verdict(1, 1, "left"))
    model.outgoing()
    assert is_unsaved(model)
    model.receive(Refused(code, "no", "verdict"), 0.0)
    assert not is_unsaved(model)
    take(model, server.receive(model.hello()))
    assert model.outgoing() == []


# Refusals


@pytest.mark.parametrize("code", ["bad-code", "version", "seat-taken"])
def test_some_refusals_end_it(code: str) -> None:
    model = SeatModel("secret")
    model.hello()
    with pytest.raises(SeatRefused, match="no such seat") as caught:
        model.receive(Refused(code, "no such seat"), 0.0)
    assert caught.value.code == code
    assert caught.value.exit_code == 2


def test_a_gap_that_the_server_sees_is_mended_by_a_new_connection() -> None:
    server = ModelServer()
    model = seated(server)
    model.press("left", "a")
    model.outgoing()  # lost, though the connection stands
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


def test_a_server_of_another_version_is_refused_here() -> None:
    model = SeatModel("secret")
    model.hello()
    with pytest.raises(SeatRefused, match="version 7") as caught:
        model.receive(Welcome("J1", "judge", "A contest", 4, version=7), 0.0)
    assert caught.value.code == "version"


# Any order of things


class Wire:
    """A connection that carries frames both ways, and can lose what is under way."""

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
