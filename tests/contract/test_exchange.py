"""Tests of the contract of contest.live.hub, directly and over a carrier to another process."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.live.hub import DurableKey, Hub
from contest.record.bodies import Author
from contest.record.store import Record
from contest.state.model import Talk
from contest.state.phases import Phase
from lpp.names import MARK, keys_of
from tests.contest.journals import InlineJournal, bodies
from tests.contract.carrier import CarriedExchange

AUTHORS: tuple[Author, Author] = ("judge", "entity")


class ManualClock:
    """A clock that a test sets."""

    speed = 1.0

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError("these tests never wait")


class ExchangeRig:
    """An exchange with a record that nothing else writes.

    Arguments:
        record: an empty record.
        journal: writes the record.
        clock: the contest's clock.
    """

    def __init__(self, record: Record, journal: InlineJournal, clock: ManualClock) -> None:
        self.record = record
        self.clock = clock
        self.phase = Phase.INTERACTION
        self.hub = Hub(journal, lambda: self.phase)
        self.exchange: Hub | CarriedExchange = self.hub

    def open(self, judge: str = "J1") -> Talk:
        """Opens a talk; returns it as the exchange knows it."""
        return self.hub.open_talk(1, 1, judge, "C1", "left")

    def close(self, talk: Talk) -> None:
        """Closes a talk."""
        self.hub.close_talk(self.hub.talks[talk.id])

    async def advance(self) -> None:
        """Lets some messages arrive."""
        await asyncio.sleep(0)

    async def finish(self) -> None:
        """Lets all messages arrive."""
        await asyncio.sleep(0)

    def keys(self, talk: Talk) -> list[dict[str, Any]]:
        """The recorded key presses of a talk."""
        return [event.body for event in self.record.events(talk=talk.id, kind="key")]


class CarriedRig(ExchangeRig):
    """An exchange with a carrier between it and the hub."""

    def __init__(
        self, record: Record, journal: InlineJournal, clock: ManualClock, rng: random.Random
    ) -> None:
        super().__init__(record, journal, clock)
        self.rng = rng
        self.carried = CarriedExchange(self.hub, rng)
        self.exchange = self.carried

    def open(self, judge: str = "J1") -> Talk:
        return self.carried.follow(super().open(judge))

    async def advance(self) -> None:
        for _ in range(self.rng.randrange(4)):
            self.carried.move()
        await asyncio.sleep(0)

    async def finish(self) -> None:
        await asyncio.sleep(0)
        while not self.carried.quiet:
            self.carried.move()
            await asyncio.sleep(0)


@asynccontextmanager
async def open_rig(rng: random.Random | None) -> AsyncIterator[ExchangeRig]:
    """An exchange with a record in memory.

    Arguments:
        rng: decides when the carrier delivers; if it is None, there is no carrier.
    """
    clock = ManualClock()
    with Record("sqlite://", create=True) as record:
        async with InlineJournal(record, clock) as journal:
            if rng is None:
                yield ExchangeRig(record, journal, clock)
            else:
                yield CarriedRig(record, journal, clock, rng)


def listen(rig: ExchangeRig, talk: Talk) -> list[DurableKey]:
    """The list to which the talk's further keys will be added."""
    received: list[DurableKey] = []
    rig.exchange.listen(talk, lambda _talk, key: received.append(key))
    return received


class ExchangeContract:
    """The contract. A subclass provides the fixture `rig`."""

    @pytest.fixture
    def rig(self) -> ExchangeRig:
        raise NotImplementedError

    def type(self, rig: ExchangeRig, talk: Talk, author: Author, text: str) -> None:
        for key in text:
            number = talk.accepted[author] + 1
            assert rig.exchange.press(talk, author, "J1", key, number)

    async def test_opened_talks_are_listed(self, rig: ExchangeRig) -> None:
        talks = [rig.open("J1"), rig.open("J2")]
        assert list(rig.exchange.talks.values()) == talks
        assert [talk.id for talk in talks] == ["1.1.J1.left", "1.1.J2.left"]

    async def test_key_is_in_the_record_before_anybody_receives_it(self, rig: ExchangeRig) -> None:
        talk = rig.open()
        on_record: list[int] = []
        received = listen(rig, talk)
        rig.exchange.listen(talk, lambda *_: on_record.append(len(rig.keys(talk))))
        rig.exchange.press(
            talk, "judge", "J1", "H", 1, on_durable=lambda: on_record.append(len(rig.keys(talk)))
        )
        assert received == []
        assert on_record == []
        await rig.finish()
        assert received == [DurableKey("judge", "H", 1, 1)]
        assert on_record == [1, 1]

    async def test_persons_number_is_accepted_once_and_in_order(self, rig: ExchangeRig) -> None:
        talk = rig.open()
        received = listen(rig, talk)
        self.type(rig, talk, "judge", "Hi")
        for number in (1, 2, 4, 0):
            assert not rig.exchange.press(talk, "judge", "J1", "x", number)
        await rig.finish()
        for number in (1, 2, 4, 0):
            assert not rig.exchange.press(talk, "judge", "J1", "x", number)
        await rig.finish()
        assert [body["key"] for body in rig.keys(talk)] == ["H", "i"]
        assert [key.n for key in received] == [1, 2]
        assert [rig.exchange.durable(talk, who) for who in AUTHORS] == [2, 0]

    async def test_entrys_number_may_be_repeated(self, rig: ExchangeRig) -> None:
        talk = rig.open()
        self.type(rig, talk, "judge", "H")
        done: list[bool] = []
        for _ in range(2):
            assert rig.exchange.press(
                talk,
                "entity",
                "E1",
                "a",
                7,
                raw="7.a.other",
                rules=["2.A.a/width"],
                on_durable=lambda: done.append(True),
            )
        await rig.finish()
        of_entry = [body for body in rig.keys(talk) if body["author"] == "entity"]
        assert [(body["n"], body["raw"], body["rules"]) for body in of_entry] == [
            (7, "7.a.other", ["2.A.a/width"])
        ] * 2
        assert done == [True, True]

    async def test_all_listeners_receive_the_same_keys_in_the_order_of_the_record(
        self, rig: ExchangeRig
    ) -> None:
        talk = rig.open()
        first, second = listen(rig, talk), listen(rig, talk)
        for author in ("judge", "entity", "judge", "judge", "entity"):
            self.type(rig, talk, author, "ab")
            await rig.advance()
        await rig.finish()
        assert first == second
        assert [(key.author, key.key, key.n) for key in first] == [
            (body["author"], body["key"], body["n"]) for body in rig.keys(talk)
        ]
        shown = [key for key in first if key.shown is not None]
        assert rig.exchange.shown(talk) == [(key.author, key.key) for key in shown]
        for author in ("judge", "entity"):
            numbers = [key.shown for key in shown if key.author == author]
            assert numbers == list(range(1, len(numbers) + 1))

    async def test_later_listener_misses_nothing_and_gets_nothing_twice(
        self, rig: ExchangeRig
    ) -> None:
        talk = rig.open()
        self.type(rig, talk, "judge", "Hello")
        await rig.advance()
        so_far, later = list(rig.exchange.shown(talk)), listen(rig, talk)
        self.type(rig, talk, "judge", ", Jim.")
        await rig.finish()
        names = [key for _, key in so_far] + [key.key for key in later]
        assert names == keys_of("Hello, Jim.")

    @pytest.mark.parametrize(
        ("phase", "author", "rule"),
        [
            (Phase.INTERACTION, "entity", "3/waits"),
            (Phase.PAUSED, "judge", "3/not-on"),
            (Phase.SCORING, "judge", "3/after-end"),
        ],
    )
    async def test_key_out_of_phase_is_recorded_and_confirmed_but_not_shown(
        self, rig: ExchangeRig, phase: Phase, author: Author, rule: str
    ) -> None:
        talk = rig.open()
        received = listen(rig, talk)
        rig.phase = phase
        self.type(rig, talk, author, "H")
        await rig.finish()
        assert [body["out_of_phase"] for body in rig.keys(talk)] == [rule]
        assert received == [DurableKey(author, "H", 1, None)]
        assert rig.exchange.shown(talk) == []
        assert rig.exchange.durable(talk, author) == 1

    async def test_all_spellings_of_a_key_have_one_name_for_listeners(
        self, rig: ExchangeRig
    ) -> None:
        talk = rig.open()
        received = listen(rig, talk)
        self.type(rig, talk, "judge", "H")
        spellings = ["!", "apostrophe", "KP_1", "Ctrl_Q", "e\u0301", "\x1b", "", "\u202e", "exclam"]
        for number, key in enumerate(spellings, 1):
            assert rig.exchange.press(
                talk, "entity", "E1", key, number, raw=f"{number}.{key}.other"
            )
            await rig.advance()
        await rig.finish()
        shown = ["exclam", "quoteright", "1", "é", MARK, MARK, "exclam"]
        assert rig.exchange.shown(talk) == [("judge", "H"), *(("entity", name) for name in shown)]
        of_entry = [key for key in received if key.author == "entity" and key.shown is not None]
        assert [(key.key, key.shown) for key in of_entry] == [
            (name, number) for number, name in enumerate(shown, 1)
        ]
        # The record has all keys as received, including those that type nothing.
        keys = [body for body in rig.keys(talk) if body["author"] == "entity"]
        assert [body["key"] for body in keys] == spellings

    async def test_key_that_types_nothing_is_recorded_and_confirmed_but_not_shown(
        self, rig: ExchangeRig
    ) -> None:
        talk = rig.open()
        received = listen(rig, talk)
        assert rig.exchange.press(talk, "judge", "J1", "Shift_L", 1)
        await rig.finish()
        assert received == [DurableKey("judge", "Shift_L", 1, None)]
        assert rig.exchange.durable(talk, "judge") == 1
        # The other side has received nothing yet, so the talk has not begun.
        assert rig.exchange.press(talk, "entity", "C1", "Y", 1)
        assert rig.exchange.press(talk, "judge", "J1", "H", 2)
        await rig.finish()
        assert rig.exchange.shown(talk) == [("judge", "H")]
        assert received[-1] == DurableKey("judge", "H", 2, 1)
        assert [body.get("out_of_phase") for body in rig.keys(talk)] == [None, "3/waits", None]

    async def test_key_after_the_end_of_its_talk_is_too_late(self, rig: ExchangeRig) -> None:
        talk = rig.open()
        self.type(rig, talk, "judge", "H")
        await rig.finish()
        rig.close(talk)
        self.type(rig, talk, "judge", "i")
        await rig.finish()
        assert [body.get("out_of_phase") for body in rig.keys(talk)] == [None, "3/after-end"]
        assert rig.exchange.shown(talk) == [("judge", "H")]

    async def test_listeners_of_one_talk_receive_nothing_of_another(self, rig: ExchangeRig) -> None:
        one, other = rig.open("J1"), rig.open("J2")
        received = listen(rig, other)
        self.type(rig, one, "judge", "Hi")
        await rig.finish()
        assert received == []
        assert rig.exchange.shown(other) == []

    async def test_times_when_keys_were_seen_are_recorded(self, rig: ExchangeRig) -> None:
        talk = rig.open()
        self.type(rig, talk, "judge", "Hi!")
        await rig.finish()
        rig.clock.time = 2.0
        rig.exchange.seen(talk, "judge", 2)
        await rig.finish()
        rig.exchange.seen(talk, "judge", 1)  # an older number changes nothing
        rig.close(talk)
        times = bodies(rig.record, "times")[0]["keys"]
        assert isinstance(times, list)
        assert [shown for _, _, shown in times] == [2_000_000_000, 2_000_000_000, None]

    async def test_pause_is_known(self, rig: ExchangeRig) -> None:
        for phase in Phase:
            rig.phase = phase
            assert rig.exchange.paused is (phase is Phase.PAUSED)


class TestHub(ExchangeContract):
    @pytest.fixture
    async def rig(self) -> AsyncIterator[ExchangeRig]:
        async with open_rig(None) as rig:
            yield rig


class TestCarried(ExchangeContract):
    @pytest.fixture(params=range(2))
    async def rig(self, request: pytest.FixtureRequest) -> AsyncIterator[ExchangeRig]:
        async with open_rig(random.Random(request.param)) as rig:
            yield rig


# Any presses, repeated in any way, over any carrier

presses = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(["judge", "entity"]), st.integers(-2, 1)),
    max_size=40,
)


@settings(max_examples=25)
@given(presses, st.none() | st.randoms(use_true_random=False))
def test_each_accepted_press_is_recorded_once(
    plan: list[tuple[int, Author, int]], rng: random.Random | None
) -> None:
    asyncio.run(_check_presses(plan, rng))


async def _check_presses(plan: list[tuple[int, Author, int]], rng: random.Random | None) -> None:
    async with open_rig(rng) as rig:
        talks = [rig.open("J1"), rig.open("J2")]
        received = [listen(rig, talk) for talk in talks]
        pressed: list[dict[Author, list[str]]] = [{"judge": [], "entity": []} for _ in talks]
        done: list[str] = []
        for at, (which, author, off) in enumerate(plan):
            talk, key = talks[which], chr(ord("a") + at % 26)
            number = talk.accepted[author] + 1 + off
            accepted = rig.exchange.press(
                talk, author, "J1", key, number, on_durable=partial(done.append, key)
            )
            assert accepted == (off == 0)
            if accepted:
                pressed[which][author].append(key)
            await rig.advance()
        await rig.finish()
        for talk, keys, keys_received in zip(talks, pressed, received, strict=True):
            recorded = rig.keys(talk)
            for author, typed in keys.items():
                assert [body["key"] for body in recorded if body["author"] == author] == typed
                assert rig.exchange.durable(talk, author) == len(typed)
            assert [(key.author, key.n) for key in keys_received] == [
                (body["author"], body["n"]) for body in recorded
            ]
            assert rig.exchange.shown(talk) == [
                (k.author, k.key) for k in keys_received if k.shown is not None
            ]
        assert len(done) == sum(len(typed) for keys in pressed for typed in keys.values())


@pytest.mark.parametrize("seed", range(4))
async def test_person_who_reconnects_to_another_process_continues_without_loss(seed: int) -> None:
    async with open_rig(random.Random(seed)) as rig:
        assert isinstance(rig, CarriedRig)
        before = rig.open()
        for number, key in enumerate("Hello", 1):
            rig.exchange.press(before, "judge", "J1", key, number)
        for _ in range(6):
            await rig.advance()
        # The console sends all keys again that were not confirmed to it.
        confirmed = rig.exchange.durable(before, "judge")
        after = CarriedExchange(rig.hub, rig.rng)
        talk = after.follow(rig.hub.talks[before.id])
        for number, key in list(enumerate("Hello!", 1))[confirmed:]:
            if number == talk.accepted["judge"] + 1:
                after.press(talk, "judge", "J1", key, number)
        while not (after.quiet and rig.carried.quiet):
            after.move()
            rig.carried.move()
            await asyncio.sleep(0)
        assert "".join(body["key"] for body in rig.keys(talk)) == "Hello!"
        assert rig.exchange.durable(talk, "judge") == 6


@pytest.fixture(autouse=True)
def _no_loop_left() -> Iterator[None]:
    """Removes the event loops that the property tests run."""
    yield
    asyncio.set_event_loop(None)
