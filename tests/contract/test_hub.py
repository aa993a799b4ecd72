"""Tests of the contract of contest.live.hub."""

from __future__ import annotations

import asyncio
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
from contest.state.reducer import fold
from lpp.names import MARK, keys_of
from tests.contest.conftest import ManualClock
from tests.contest.journals import InlineJournal

AUTHORS: tuple[Author, Author] = ("judge", "entity")


class HubRig:
    """A hub with a record that nothing else writes, in a phase that the test sets.

    Arguments:
        record: an empty record.
        journal: writes the record.
    """

    def __init__(self, record: Record, journal: InlineJournal) -> None:
        self.record = record
        self.phase = Phase.INTERACTION
        self.hub = Hub(journal, lambda: self.phase)

    def open(self, judge: str = "J1") -> Talk:
        """Opens a talk."""
        return self.hub.open_talk(1, 1, judge, "C1", "left")

    def listen(self, talk: Talk) -> list[DurableKey]:
        """The list to which the talk's further keys will be added."""
        received: list[DurableKey] = []
        self.hub.listen(talk, lambda _talk, key: received.append(key))
        return received

    def type(self, talk: Talk, author: Author, text: str) -> None:
        """Presses keys with the right numbers."""
        for key in text:
            assert self.hub.press(talk, author, "J1", key, talk.accepted[author] + 1)

    def keys(self, talk: Talk) -> list[dict[str, Any]]:
        """The recorded key presses of a talk."""
        return [event.body for event in self.record.events(talk=talk.id, kind="key")]


@asynccontextmanager
async def open_rig() -> AsyncIterator[HubRig]:
    """A hub with a record in memory. Keys are durable in the loop's next turn."""
    with Record("sqlite://", create=True) as record:
        async with InlineJournal(record, ManualClock()) as journal:
            yield HubRig(record, journal)


@pytest.fixture
async def rig() -> AsyncIterator[HubRig]:
    async with open_rig() as made:
        yield made


async def test_opened_talks_are_listed(rig: HubRig) -> None:
    talks = [rig.open("J1"), rig.open("J2")]
    assert list(rig.hub.talks.values()) == talks
    assert [talk.id for talk in talks] == ["1.1.J1.left", "1.1.J2.left"]


async def test_key_is_in_the_record_before_anybody_receives_it(rig: HubRig) -> None:
    talk = rig.open()
    on_record: list[int] = []
    received = rig.listen(talk)
    rig.hub.listen(talk, lambda *_: on_record.append(len(rig.keys(talk))))
    rig.hub.press(
        talk, "judge", "J1", "H", 1, on_durable=lambda: on_record.append(len(rig.keys(talk)))
    )
    assert received == []
    assert on_record == []
    await asyncio.sleep(0)
    assert received == [DurableKey("judge", "H", 1, 1)]
    assert on_record == [1, 1]


async def test_persons_number_is_accepted_once_and_in_order(rig: HubRig) -> None:
    talk = rig.open()
    received = rig.listen(talk)
    rig.type(talk, "judge", "Hi")
    for number in (1, 2, 4, 0):
        assert not rig.hub.press(talk, "judge", "J1", "x", number)
    await asyncio.sleep(0)
    for number in (1, 2, 4, 0):
        assert not rig.hub.press(talk, "judge", "J1", "x", number)
    await asyncio.sleep(0)
    assert [body["key"] for body in rig.keys(talk)] == ["H", "i"]
    assert [key.n for key in received] == [1, 2]
    assert [rig.hub.durable(talk, who) for who in AUTHORS] == [2, 0]


@pytest.mark.parametrize(
    ("numbers", "found_by_link", "recorded"),
    [
        ([7, 7], [], [[], ["2.A.a/unique"]]),
        ([0, 0], [], [[], ["2.A.a/unique"]]),
        ([8, 1, 2], [], [[], ["2.A.a/numeric"], []]),
        ([8, 1], ["2.A.a/width"], [["2.A.a/width"], ["2.A.a/width", "2.A.a/numeric"]]),
        ([8, 1], ["2.A.a/numeric"], [["2.A.a/numeric"]] * 2),
    ],
)
async def test_entrys_number_may_be_any_and_its_broken_rule_is_recorded(
    rig: HubRig, numbers: list[int], found_by_link: list[str], recorded: list[list[str]]
) -> None:
    """A new link doesn't know the last number. The record does, even after a restart of the
    server."""
    talk = rig.open()
    rig.type(talk, "judge", "H")
    done: list[bool] = []
    for n in numbers:
        hub = Hub(rig.hub.journal, lambda: Phase.INTERACTION, fold(rig.record.events()))
        assert hub.press(
            *(hub.talks[talk.id], "entity", "E1", "a", n),
            raw=f"{n}.a.other",
            rules=found_by_link,
            on_durable=lambda: done.append(True),
        )
        await asyncio.sleep(0)
    of_entry = [body for body in rig.keys(talk) if body["author"] == "entity"]
    assert [(body["n"], body["raw"]) for body in of_entry] == [(n, f"{n}.a.other") for n in numbers]
    assert [body.get("rules", []) for body in of_entry] == recorded
    assert done == [True] * len(numbers)


async def test_all_listeners_receive_the_same_keys_in_the_order_of_the_record(
    rig: HubRig,
) -> None:
    talk = rig.open()
    first, second = rig.listen(talk), rig.listen(talk)
    for author in ("judge", "entity", "judge", "judge", "entity"):
        rig.type(talk, author, "ab")
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert first == second
    assert [(key.author, key.key, key.n) for key in first] == [
        (body["author"], body["key"], body["n"]) for body in rig.keys(talk)
    ]
    shown = [key for key in first if key.shown is not None]
    assert rig.hub.shown(talk) == [(key.author, key.key) for key in shown]
    for author in ("judge", "entity"):
        numbers = [key.shown for key in shown if key.author == author]
        assert numbers == list(range(1, len(numbers) + 1))


async def test_later_listener_misses_nothing_and_gets_nothing_twice(rig: HubRig) -> None:
    talk = rig.open()
    rig.type(talk, "judge", "Hello")
    await asyncio.sleep(0)
    so_far, later = list(rig.hub.shown(talk)), rig.listen(talk)
    rig.type(talk, "judge", ", Jim.")
    await asyncio.sleep(0)
    names = [key for _, key in so_far] + [key.key for key in later]
    assert names == keys_of("Hello, Jim.")


async def test_all_spellings_of_a_key_have_one_name_for_listeners(rig: HubRig) -> None:
    talk = rig.open()
    received = rig.listen(talk)
    rig.type(talk, "judge", "H")
    spellings = ["!", "apostrophe", "KP_1", "Ctrl_Q", "e\u0301", "\x1b", "", "\u202e", "exclam"]
    for number, key in enumerate(spellings, 1):
        assert rig.hub.press(talk, "entity", "E1", key, number, raw=f"{number}.{key}.other")
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    shown = ["exclam", "quoteright", "1", "é", MARK, MARK, "exclam"]
    assert rig.hub.shown(talk) == [("judge", "H"), *(("entity", name) for name in shown)]
    of_entry = [key for key in received if key.author == "entity" and key.shown is not None]
    assert [(key.key, key.shown) for key in of_entry] == [
        (name, number) for number, name in enumerate(shown, 1)
    ]
    # The record has all keys as received, including those that type nothing.
    keys = [body for body in rig.keys(talk) if body["author"] == "entity"]
    assert [body["key"] for body in keys] == spellings


async def test_key_that_types_nothing_is_recorded_and_confirmed_but_not_shown(
    rig: HubRig,
) -> None:
    talk = rig.open()
    received = rig.listen(talk)
    assert rig.hub.press(talk, "judge", "J1", "Shift_L", 1)
    await asyncio.sleep(0)
    assert received == [DurableKey("judge", "Shift_L", 1, None)]
    assert rig.hub.durable(talk, "judge") == 1
    # The other side has received nothing yet, so the talk has not begun.
    assert rig.hub.press(talk, "entity", "C1", "Y", 1)
    assert rig.hub.press(talk, "judge", "J1", "H", 2)
    await asyncio.sleep(0)
    assert rig.hub.shown(talk) == [("judge", "H")]
    assert received[-1] == DurableKey("judge", "H", 2, 1)
    assert [body.get("out_of_phase") for body in rig.keys(talk)] == [None, "3/waits", None]


async def test_key_after_the_end_of_its_talk_is_too_late(rig: HubRig) -> None:
    talk = rig.open()
    rig.type(talk, "judge", "H")
    await asyncio.sleep(0)
    rig.hub.close_talk(talk)
    rig.type(talk, "judge", "i")
    await asyncio.sleep(0)
    assert [body.get("out_of_phase") for body in rig.keys(talk)] == [None, "3/after-end"]
    assert rig.hub.shown(talk) == [("judge", "H")]


async def test_listeners_of_one_talk_receive_nothing_of_another(rig: HubRig) -> None:
    one, other = rig.open("J1"), rig.open("J2")
    received = rig.listen(other)
    rig.type(one, "judge", "Hi")
    await asyncio.sleep(0)
    assert received == []
    assert rig.hub.shown(other) == []


async def test_pause_is_known(rig: HubRig) -> None:
    for phase in Phase:
        rig.phase = phase
        assert rig.hub.paused is (phase is Phase.PAUSED)


# Any presses, repeated in any way

presses = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(["judge", "entity"]), st.integers(-2, 1)),
    max_size=40,
)


@settings(max_examples=25)
@given(presses)
def test_each_accepted_press_is_recorded_once(plan: list[tuple[int, Author, int]]) -> None:
    asyncio.run(_check_presses(plan))


async def _check_presses(plan: list[tuple[int, Author, int]]) -> None:
    async with open_rig() as rig:
        talks = [rig.open("J1"), rig.open("J2")]
        received = [rig.listen(talk) for talk in talks]
        pressed: list[dict[Author, list[str]]] = [{"judge": [], "entity": []} for _ in talks]
        done: list[str] = []
        for at, (which, author, off) in enumerate(plan):
            talk, key = talks[which], chr(ord("a") + at % 26)
            number = talk.accepted[author] + 1 + off
            accepted = rig.hub.press(
                talk, author, "J1", key, number, on_durable=partial(done.append, key)
            )
            assert accepted == (off == 0)
            if accepted:
                pressed[which][author].append(key)
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        for talk, keys, keys_received in zip(talks, pressed, received, strict=True):
            recorded = rig.keys(talk)
            for author, typed in keys.items():
                assert [body["key"] for body in recorded if body["author"] == author] == typed
                assert rig.hub.durable(talk, author) == len(typed)
            assert [(key.author, key.n) for key in keys_received] == [
                (body["author"], body["n"]) for body in recorded
            ]
            assert rig.hub.shown(talk) == [
                (k.author, k.key) for k in keys_received if k.shown is not None
            ]
        assert len(done) == sum(len(typed) for keys in pressed for typed in keys.values())


@pytest.fixture(autouse=True)
def _no_loop_left() -> Iterator[None]:
    """Removes the event loops that the property tests run."""
    yield
    asyncio.set_event_loop(None)
