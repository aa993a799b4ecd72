"""A seat that a window and a scripted person share: the person leaves at the window's first act."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from contest.scripted import Person
from contest.scripted import Seat as PeoplesSeat
from loebner.demo_windows import PersonsPlace, SharedSeat
from lpp.clock import Clock, LoopClock
from lpp.pace import Pace
from lpp.wire import Refused, State, Talk, Welcome

Until = Callable[..., Awaitable[None]]


class Visitor(Person):
    """A person who notes what happens, and types one letter at each state."""

    def __init__(self) -> None:
        super().__init__("visitor", Pace(), "judge", 0)
        self.events: list[object] = []
        self.ended = False

    async def play(self, seat: PeoplesSeat, clock: Clock) -> None:
        self.seat = seat
        async for event in seat:
            self.events.append(event)
            if isinstance(event, Talk):
                await seat.press(event.place, "p")
        self.ended = True


class Unplugged(SharedSeat):
    """A seat without a socket; `hear` is the server's."""

    async def _live(self) -> None:
        await asyncio.Event().wait()

    def hear(self) -> None:
        self._take(Welcome("J1", "judge", "A contest", 4, paste="type"))
        self._take(State("interaction", 1, 1, ("left", "right")))
        self._take(Talk(1, 1, "left", []))


@pytest.fixture
async def person() -> Visitor:
    return Visitor()


@pytest.fixture
async def seat(person: Visitor) -> AsyncIterator[Unplugged]:
    async with Unplugged("ws://127.0.0.1:1/seat", "code", person, LoopClock()) as seat:
        yield seat


async def test_what_the_person_types_stands_in_the_window(
    seat: Unplugged, person: Visitor, until: Until
) -> None:
    seat.hear()
    await until(lambda: seat.keys("left"))
    assert seat.keys("left") == [("judge", "p")]
    assert seat.played
    assert [type(event) for event in person.events] == [Welcome, State, Talk]


async def test_the_person_has_a_seat_as_any_other(seat: Unplugged, person: Visitor) -> None:
    seat.hear()
    await asyncio.sleep(0)
    place = person.seat
    assert isinstance(place, PersonsPlace)
    assert isinstance(place, PeoplesSeat)
    assert (place.phase, place.round, place.attempt) == ("interaction", 1, 1)
    assert place.places == ("left", "right")
    assert place.remaining() is None
    assert place.keys("left") == seat.keys("left")
    assert await place.press("left", "q")
    assert not await place.press("only", "q")
    assert seat.played


ACTS: dict[str, Callable[[SharedSeat], Awaitable[object]]] = {
    "press": lambda seat: seat.press("left", "x"),
    "paste": lambda seat: seat.paste("left", "text"),
    "verdict": lambda seat: seat.verdict("left", 50, "because"),
    "rank": lambda seat: seat.rank({"1 left": 2}),
    "agree": lambda seat: seat.agree(True, "Somebody"),
}


@pytest.mark.parametrize("act", ACTS)
async def test_the_first_act_at_the_window_takes_the_seat(
    seat: Unplugged, person: Visitor, until: Until, act: str
) -> None:
    seat.hear()
    await until(lambda: len(person.events) == 3)
    await ACTS[act](seat)
    await until(lambda: not seat.played)
    before = len(person.events)
    seat.hear()
    await asyncio.sleep(0)
    assert len(person.events) == before
    assert not person.ended  # nobody told the person that it was over


async def test_no_act_of_the_person_follows_the_window_s_first(
    seat: Unplugged, person: Visitor, until: Until
) -> None:
    """Whoever types next must not find a letter of the person's between his own."""
    seat.hear()
    await until(lambda: len(person.events) == 3)
    place = person.seat
    await seat.press("left", "x")
    assert not seat.played
    assert not await place.press("left", "q")
    await place.verdict("left")
    await place.rank({"1 left": 2})
    assert [key for _, key in seat.keys("left")] == ["p", "x"]
    assert seat.unsaved == frozenset()


async def test_looking_is_no_act(seat: Unplugged, until: Until, person: Visitor) -> None:
    seat.hear()
    await until(lambda: len(person.events) == 3)
    await seat.read(1, 1, "left")
    seat.painted({"left": 0})
    await asyncio.sleep(0)
    assert seat.played


async def test_what_the_person_decides_is_the_seat_s(
    seat: Unplugged, person: Visitor, until: Until
) -> None:
    seat.hear()
    await until(lambda: len(person.events) == 3)
    await person.seat.verdict("right", 75, "a reason")
    await person.seat.rank({"1 left": 2})
    assert seat.unsaved == {"verdict", "ranking"}
    assert seat.played


async def test_the_person_leaves_with_the_seat() -> None:
    person = Visitor()
    async with Unplugged("ws://127.0.0.1:1/seat", "code", person, LoopClock()) as seat:
        seat.hear()
        assert seat.played
    assert not seat.played


async def test_a_seat_that_is_refused_is_the_end_for_the_person(until: Until) -> None:
    person = Visitor()

    class Refusing(Unplugged):
        async def _live(self) -> None:
            self._take(Refused("bad-code", "no", "hello"))

    async with Refusing("ws://127.0.0.1:1/seat", "code", person, LoopClock()) as seat:
        await until(lambda: person.ended)
        assert not seat.played
