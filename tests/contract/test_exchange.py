"""Tests that every exchange must pass (contest.live.exchange); a new one needs only one class
here."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.live.exchange import Durable, Exchange
from contest.live.hub import Hub
from contest.record.bodies import Author
from contest.record.store import Record
from contest.state.model import Talk
from contest.state.phases import Phase
from lpp.names import MARK, keys_of
from tests.contest.journals import InlineJournal, bodies
from tests.contract.carrier import Carried

AUTHORS: tuple[Author, Author] = ("judge", "entity")


class ManualClock:
    """A clock that a test sets."""

    speed = 1.0

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError("nothing here waits")


class Stand:
    """An exchange at a record that nobody else writes.

    Arguments:
        record: a fresh one.
        journal: writes there.
        clock: the contest's.
    """

    def __init__(self, record: Record, journal: InlineJournal, clock: ManualClock) -> None:
        self.record = record
        self.clock = clock
        self.phase = Phase.INTERACTION
        self.hub = Hub(journal, lambda: self.phase)
        self.exchange: Exchange = self.hub

    def open(self, judge: str = "J1") -> Talk:
        """A new talk, as the exchange has it."""
        return self.hub.open_talk(1, 1, judge, "C1", "left")

    def close(self, talk: Talk) -> None:
        """The round of a talk is over."""
        self.hub.close_talk(self.hub.talks[talk.id])

    async def some(self) -> None:
        """A little happens."""
        await asyncio.sleep(0)

    async def settled(self) -> None:
        """All that was given in has come where it belongs."""
        await asyncio.sleep(0)

    def keys(self, talk: Talk) -> list[dict[str, Any]]:
        """The key presses of a talk that are on record."""
        return [event.body for event in self.record.events(talk=talk.id, kind="key")]


class CarriedStand(Stand):
    """The same with a carrier between the exchange and the hub."""

    def __init__(
        self, record: Record, journal: InlineJournal, clock: ManualClock, rng: random.Random
    ) -> None:
        super().__init__(record, journal, clock)
        self.rng = rng
        self.carried = Carried(self.hub, rng)
        self.exchange = self.carried

    def open(self, judge: str = "J1") -> Talk:
        return self.carried.follow(super().open(judge))

    async def some(self) -> None:
        for _ in range(self.rng.randrange(4)):
            self.carried.move()
        await asyncio.sleep(0)

    async def settled(self) -> None:
        await asyncio.sleep(0)
        while not self.carried.quiet:
            self.carried.move()
            await asyncio.sleep(0)


@asynccontextmanager
async def stood(rng: random.Random | None) -> AsyncIterator[Stand]:
    """A stand of either kind, at a record in memory.

    Arguments:
        rng: what decides about the carrier; without it there is none.
    """
    clock = ManualClock()
    with Record("sqlite://", create=True) as record:
        async with InlineJournal(record, clock) as journal:
            if rng is None:
                yield Stand(record, journal, clock)
            else:
                yield CarriedStand(record, journal, clock, rng)


def listen(stand: Stand, talk: Talk) -> list[Durable]:
    """What is heard in a talk from now on."""
    heard: list[Durable] = []
    stand.exchange.listen(talk, lambda _talk, key: heard.append(key))
    return heard


class ExchangeContract:
    """The contract: derive, and give a `stand`."""

    @pytest.fixture
    def stand(self) -> Stand:
        raise NotImplementedError

    def type(self, stand: Stand, talk: Talk, author: Author, text: str) -> None:
        for key in text:
            number = talk.accepted[author] + 1
            assert stand.exchange.press(talk, author, "J1", key, number)

    async def test_a_talk_that_was_opened_is_known(self, stand: Stand) -> None:
        talks = [stand.open("J1"), stand.open("J2")]
        assert list(stand.exchange.talks.values()) == talks
        assert [talk.id for talk in talks] == ["1.1.J1.left", "1.1.J2.left"]

    async def test_a_key_is_in_the_record_before_anybody_hears_it(self, stand: Stand) -> None:
        talk = stand.open()
        on_record: list[int] = []
        heard = listen(stand, talk)
        stand.exchange.listen(talk, lambda *_: on_record.append(len(stand.keys(talk))))
        stand.exchange.press(
            talk, "judge", "J1", "H", 1, on_durable=lambda: on_record.append(len(stand.keys(talk)))
        )
        assert heard == []
        assert on_record == []
        await stand.settled()
        assert heard == [Durable("judge", "H", 1, 1)]
        assert on_record == [1, 1]

    async def test_a_persons_number_is_taken_once_and_in_its_turn(self, stand: Stand) -> None:
        talk = stand.open()
        heard = listen(stand, talk)
        self.type(stand, talk, "judge", "Hi")
        for number in (1, 2, 4, 0):
            assert not stand.exchange.press(talk, "judge", "J1", "x", number)
        await stand.settled()
        for number in (1, 2, 4, 0):
            assert not stand.exchange.press(talk, "judge", "J1", "x", number)
        await stand.settled()
        assert [body["key"] for body in stand.keys(talk)] == ["H", "i"]
        assert [key.n for key in heard] == [1, 2]
        assert [stand.exchange.durable(talk, who) for who in AUTHORS] == [2, 0]

    async def test_an_entrys_number_may_come_again(self, stand: Stand) -> None:
        talk = stand.open()
        self.type(stand, talk, "judge", "H")
        done: list[bool] = []
        for _ in range(2):
            assert stand.exchange.press(
                talk,
                "entity",
                "E1",
                "a",
                7,
                raw="7.a.other",
                rules=["2.A.a/width"],
                on_durable=lambda: done.append(True),
            )
        await stand.settled()
        of_entry = [body for body in stand.keys(talk) if body["author"] == "entity"]
        assert [(body["n"], body["raw"], body["rules"]) for body in of_entry] == [
            (7, "7.a.other", ["2.A.a/width"])
        ] * 2
        assert done == [True, True]

    async def test_all_who_listen_hear_the_same_in_the_order_of_the_record(
        self, stand: Stand
    ) -> None:
        talk = stand.open()
        first, second = listen(stand, talk), listen(stand, talk)
        for author in ("judge", "entity", "judge", "judge", "entity"):
            self.type(stand, talk, author, "ab")
            await stand.some()
        await stand.settled()
        assert first == second
        assert [(key.author, key.key, key.n) for key in first] == [
            (body["author"], body["key"], body["n"]) for body in stand.keys(talk)
        ]
        shown = [key for key in first if key.shown is not None]
        assert stand.exchange.shown(talk) == [(key.author, key.key) for key in shown]
        for author in ("judge", "entity"):
            numbers = [key.shown for key in shown if key.author == author]
            assert numbers == list(range(1, len(numbers) + 1))

    async def test_who_listens_later_has_no_gap_and_nothing_twice(self, stand: Stand) -> None:
        talk = stand.open()
        self.type(stand, talk, "judge", "Hello")
        await stand.some()
        so_far, later = list(stand.exchange.shown(talk)), listen(stand, talk)
        self.type(stand, talk, "judge", ", Jim.")
        await stand.settled()
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
    async def test_a_key_out_of_phase_is_kept_and_confirmed_and_not_shown(
        self, stand: Stand, phase: Phase, author: Author, rule: str
    ) -> None:
        talk = stand.open()
        heard = listen(stand, talk)
        stand.phase = phase
        self.type(stand, talk, author, "H")
        await stand.settled()
        assert [body["out_of_phase"] for body in stand.keys(talk)] == [rule]
        assert heard == [Durable(author, "H", 1, None)]
        assert stand.exchange.shown(talk) == []
        assert stand.exchange.durable(talk, author) == 1

    async def test_a_key_is_heard_under_one_name_however_it_was_spelt(self, stand: Stand) -> None:
        talk = stand.open()
        heard = listen(stand, talk)
        self.type(stand, talk, "judge", "H")
        came = ["!", "apostrophe", "KP_1", "Ctrl_Q", "e\u0301", "\x1b", "", "\u202e", "exclam"]
        for number, key in enumerate(came, 1):
            assert stand.exchange.press(
                talk, "entity", "E1", key, number, raw=f"{number}.{key}.other"
            )
            await stand.some()
        await stand.settled()
        shown = ["exclam", "quoteright", "1", "é", MARK, MARK, "exclam"]
        assert stand.exchange.shown(talk) == [("judge", "H"), *(("entity", name) for name in shown)]
        of_entry = [key for key in heard if key.author == "entity" and key.shown is not None]
        assert [(key.key, key.shown) for key in of_entry] == [
            (name, number) for number, name in enumerate(shown, 1)
        ]
        # The record has each as it came, those that type nothing among them.
        keys = [body for body in stand.keys(talk) if body["author"] == "entity"]
        assert [body["key"] for body in keys] == came

    async def test_a_key_that_types_nothing_is_kept_and_confirmed_and_not_shown(
        self, stand: Stand
    ) -> None:
        talk = stand.open()
        heard = listen(stand, talk)
        assert stand.exchange.press(talk, "judge", "J1", "Shift_L", 1)
        await stand.settled()
        assert heard == [Durable("judge", "Shift_L", 1, None)]
        assert stand.exchange.durable(talk, "judge") == 1
        # The other side knows of nothing yet, so the talk has not begun.
        assert stand.exchange.press(talk, "entity", "C1", "Y", 1)
        assert stand.exchange.press(talk, "judge", "J1", "H", 2)
        await stand.settled()
        assert stand.exchange.shown(talk) == [("judge", "H")]
        assert heard[-1] == Durable("judge", "H", 2, 1)
        assert [body.get("out_of_phase") for body in stand.keys(talk)] == [None, "3/waits", None]

    async def test_a_key_that_comes_when_all_is_over_is_too_late(self, stand: Stand) -> None:
        talk = stand.open()
        self.type(stand, talk, "judge", "H")
        await stand.settled()
        stand.close(talk)
        self.type(stand, talk, "judge", "i")
        await stand.settled()
        assert [body.get("out_of_phase") for body in stand.keys(talk)] == [None, "3/after-end"]
        assert stand.exchange.shown(talk) == [("judge", "H")]

    async def test_nothing_of_a_talk_is_heard_in_another(self, stand: Stand) -> None:
        one, other = stand.open("J1"), stand.open("J2")
        heard = listen(stand, other)
        self.type(stand, one, "judge", "Hi")
        await stand.settled()
        assert heard == []
        assert stand.exchange.shown(other) == []

    async def test_what_the_other_side_has_seen_goes_on_record(self, stand: Stand) -> None:
        talk = stand.open()
        self.type(stand, talk, "judge", "Hi!")
        await stand.settled()
        stand.clock.time = 2.0
        stand.exchange.seen(talk, "judge", 2)
        await stand.settled()
        stand.exchange.seen(talk, "judge", 1)  # an old one changes nothing
        stand.close(talk)
        times = bodies(stand.record, "times")[0]["keys"]
        assert isinstance(times, list)
        assert [shown for _, _, shown in times] == [2_000_000_000, 2_000_000_000, None]

    async def test_a_pause_is_known(self, stand: Stand) -> None:
        for phase in Phase:
            stand.phase = phase
            assert stand.exchange.paused is (phase is Phase.PAUSED)


class TestHub(ExchangeContract):
    @pytest.fixture
    async def stand(self) -> AsyncIterator[Stand]:
        async with stood(None) as stand:
            yield stand


class TestCarried(ExchangeContract):
    @pytest.fixture(params=range(2))
    async def stand(self, request: pytest.FixtureRequest) -> AsyncIterator[Stand]:
        async with stood(random.Random(request.param)) as stand:
            yield stand


# Any number of presses, resent in any way, over any carrier

presses = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(["judge", "entity"]), st.integers(-2, 1)),
    max_size=40,
)


@given(presses, st.none() | st.randoms(use_true_random=False))
def test_whatever_is_pressed_is_there_once(
    plan: list[tuple[int, Author, int]], rng: random.Random | None
) -> None:
    asyncio.run(_whatever(plan, rng))


async def _whatever(plan: list[tuple[int, Author, int]], rng: random.Random | None) -> None:
    async with stood(rng) as stand:
        talks = [stand.open("J1"), stand.open("J2")]
        heard = [listen(stand, talk) for talk in talks]
        pressed: list[dict[Author, list[str]]] = [{"judge": [], "entity": []} for _ in talks]
        done: list[str] = []
        for at, (which, author, off) in enumerate(plan):
            talk, key = talks[which], chr(ord("a") + at % 26)
            number = talk.accepted[author] + 1 + off
            taken = stand.exchange.press(
                talk, author, "J1", key, number, on_durable=partial(done.append, key)
            )
            assert taken == (off == 0)
            if taken:
                pressed[which][author].append(key)
            await stand.some()
        await stand.settled()
        for talk, keys, ears in zip(talks, pressed, heard, strict=True):
            recorded = stand.keys(talk)
            for author, typed in keys.items():
                assert [body["key"] for body in recorded if body["author"] == author] == typed
                assert stand.exchange.durable(talk, author) == len(typed)
            assert [(key.author, key.n) for key in ears] == [
                (body["author"], body["n"]) for body in recorded
            ]
            assert stand.exchange.shown(talk) == [
                (k.author, k.key) for k in ears if k.shown is not None
            ]
        assert len(done) == sum(len(typed) for keys in pressed for typed in keys.values())


@pytest.mark.parametrize("seed", range(4))
async def test_a_person_who_comes_back_by_another_process_goes_on_where_he_was(seed: int) -> None:
    async with stood(random.Random(seed)) as stand:
        assert isinstance(stand, CarriedStand)
        before = stand.open()
        for number, key in enumerate("Hello", 1):
            stand.exchange.press(before, "judge", "J1", key, number)
        for _ in range(6):
            await stand.some()
        # The console knows only up to where it was told; it sends again what it was not told of.
        told = stand.exchange.durable(before, "judge")
        after = Carried(stand.hub, stand.rng)
        talk = after.follow(stand.hub.talks[before.id])
        for number, key in list(enumerate("Hello!", 1))[told:]:
            if number == talk.accepted["judge"] + 1:
                after.press(talk, "judge", "J1", key, number)
        while not (after.quiet and stand.carried.quiet):
            after.move()
            stand.carried.move()
            await asyncio.sleep(0)
        assert "".join(body["key"] for body in stand.keys(talk)) == "Hello!"
        assert stand.exchange.durable(talk, "judge") == 6


@pytest.fixture(autouse=True)
def _no_loop_left() -> Iterator[None]:
    """The properties run loops of their own; they leave none behind."""
    yield
    asyncio.set_event_loop(None)
