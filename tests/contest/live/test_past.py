"""Earlier talks, read again: whose, when, and how much of them."""

from __future__ import annotations

import asyncio

import pytest

from contest.live.hub import Hub
from contest.live.seats import Seats
from contest.state.model import Talk
from contest.state.phases import Phase, Status
from lpp import wire
from tests.contest.conftest import HandClock
from tests.contest.journals import InlineJournal

ROLES: dict[str, wire.Role] = {"J1": "judge", "C1": "confederate"}


class Console:
    """A connection that keeps what it is sent last."""

    last: wire.ToSeat

    def send(self, frame: wire.ToSeat) -> None:
        self.last = frame

    def close(self, why: str) -> None:
        pass


class Room:
    """A hub with two attempts at a round, of which the first is over."""

    def __init__(self, journal: InlineJournal, clock: HandClock) -> None:
        self.phase = Phase.INTERACTION
        self.clock = clock
        self.hub = Hub(journal, lambda: self.phase)
        self.asked = Phase.SCORING
        self.seats = Seats(
            *(self.hub.state, ROLES, "Contest", 4, self.hub, journal),
            lambda: Status(self.asked, 2, 1, None),
        )
        self.over = self.hub.open_talk(1, 1, "J1", "E1", "left")
        self.other = self.hub.open_talk(1, 1, "J2", "C1", "left")

    async def type(self, talk: Talk, author: str, keys: str, n: int = 1) -> None:
        for at, key in enumerate(keys):
            self.clock.time += 0.25
            if author == "judge":
                self.hub.press(talk, "judge", talk.judge, key, n + at)
            else:
                self.hub.press(
                    talk, "entity", talk.entity, key, n + at, raw=f"{n + at}.{key}.other"
                )
        await asyncio.sleep(0)

    def close(self) -> None:
        for talk in (self.over, self.other):
            self.hub.close_talk(talk)

    def answer(self, frame: wire.Read, seat: str = "J1") -> wire.ToSeat:
        """What a seat is told that wants to read a talk."""
        outlet = Console()
        self.seats.seats[seat].outlet = outlet
        self.seats.handle(self.seats.seats[seat], frame)
        return outlet.last

    def read(self, phase: Phase = Phase.SCORING) -> wire.Past:
        self.asked = phase
        found = self.answer(wire.Read(1, 1, "left"))
        assert isinstance(found, wire.Past), found
        return found


@pytest.fixture
def room(journal: InlineJournal, clock: HandClock) -> Room:
    return Room(journal, clock)


async def test_what_was_shown_comes_with_its_times_and_nothing_else(room: Room) -> None:
    await room.type(room.over, "entity", "x")  # before the judge: never shown
    room.clock.time = 10.0
    await room.type(room.over, "judge", "Hi")
    await room.type(room.over, "entity", "yo", 2)
    room.phase = Phase.PAUSED
    await room.type(room.over, "judge", "z", 3)
    room.close()
    assert room.read() == wire.Past(
        *(1, 1, "left"),
        [(0, "judge", "H"), (250, "judge", "i"), (500, "entity", "y"), (750, "entity", "o")],
    )


async def test_not_a_talk_that_is_not_over_nor_one_of_another_seat(room: Room) -> None:
    assert refused(room.answer(wire.Read(1, 1, "left"))), "it is still open"
    room.close()
    for seat, frame in (
        ("J1", wire.Read(1, 2, "left")),
        ("J1", wire.Read(2, 1, "left")),
        ("J1", wire.Read(1, 1, "right")),
        ("J1", wire.Read(1, 1, "only")),
        ("C1", wire.Read(1, 1, "only")),
        ("C1", wire.Read(1, 1, "left")),
    ):
        assert refused(room.answer(frame, seat))


def refused(frame: wire.ToSeat) -> bool:
    return isinstance(frame, wire.Refused) and frame.code == "no-talk"


async def test_a_talk_that_is_too_long_for_a_frame_comes_as_far_as_it_fits(room: Room) -> None:
    keys = 200_000
    room.over.shown = [("entity", "parenright")] * keys
    room.over.shown_ns = [n * 10_000_000 for n in range(keys)]
    room.close()
    frame = room.read()
    text = wire.encode(frame)
    assert wire.SNAPSHOT_LIMIT - 2048 < len(text.encode()) <= wire.SNAPSHOT_LIMIT
    assert wire.decode_to_seat(text) == frame
    assert frame.keys[-1] == ((len(frame.keys) - 1) * 10, "entity", "parenright")
