"""Tests the hub: keys are durable before they are shown, take the same path from people and
programs, and are recorded even if out of phase."""

from __future__ import annotations

import asyncio

import pytest

from contest.live import hub
from contest.live.hub import DurableKey, Hub
from contest.record import bodies as bodies_
from contest.record.bodies import Author
from contest.record.store import Record
from contest.state.phases import Phase
from contest.state.reducer import fold
from tests.contest.build import Builder, small
from tests.contest.conftest import ManualClock
from tests.contest.journals import InlineJournal, bodies


class HubRig:
    """A hub with one talk, in a phase that the test sets."""

    def __init__(self, journal: InlineJournal, clock: ManualClock) -> None:
        self.phase = Phase.INTERACTION
        self.hub = Hub(journal, lambda: self.phase)
        self.talk = self.hub.open_talk(1, 1, "J1", "C1", "left")
        self.heard: list[DurableKey] = []
        self.hub.listen(self.talk, lambda _talk, key: self.heard.append(key))
        self._numbers: dict[Author, int] = {"judge": 0, "entity": 0}

    async def press(self, author: Author, *keys: str) -> None:
        for key in keys:
            self._numbers[author] += 1
            assert self.hub.press(self.talk, author, "J1", key, self._numbers[author])
        await asyncio.sleep(0)


@pytest.fixture
async def rig(journal: InlineJournal, clock: ManualClock) -> HubRig:
    return HubRig(journal, clock)


async def test_entitys_keys_before_the_judge_begins_are_out_of_phase(
    rig: HubRig, record: Record
) -> None:
    await rig.press("entity", "H", "i")
    await rig.press("judge", "Y")
    await rig.press("entity", "o")
    assert [(b["key"], b.get("out_of_phase")) for b in bodies(record, "key")] == [
        ("H", "3/waits"),
        ("i", "3/waits"),
        ("Y", None),
        ("o", None),
    ]
    assert rig.talk.shown == [("judge", "Y"), ("entity", "o")]
    assert [(key.n, key.shown) for key in rig.heard] == [(1, None), (2, None), (1, 1), (3, 1)]


@pytest.mark.parametrize(
    ("phase", "author", "rule"),
    [
        (Phase.WAITING, "judge", "3/not-on"),
        (Phase.PAUSED, "judge", "3/not-on"),
        (Phase.WAITING, "entity", "3/waits"),
        (Phase.SCORING, "judge", "3/after-end"),
        (Phase.SCORING, "entity", "3/after-end"),
        (Phase.CLOSED, "entity", "3/after-end"),
        (Phase.OVER, "judge", "3/after-end"),
    ],
)
async def test_keys_out_of_phase_are_recorded_and_not_shown(
    rig: HubRig, record: Record, phase: Phase, author: Author, rule: str
) -> None:
    rig.phase = phase
    await rig.press(author, "H")
    assert bodies(record, "key")[0]["out_of_phase"] == rule
    assert rig.talk.shown == rig.hub.shown(rig.talk) == []
    assert rig.heard == [DurableKey(author, "H", 1, None)]
    assert rig.hub.durable(rig.talk, author) == 1


async def test_times_at_which_keys_were_durable_and_shown_are_recorded(
    rig: HubRig, record: Record, clock: ManualClock
) -> None:
    await rig.press("judge", "H", "i", "!")
    seqs = [event.seq for event in record.events(kind="key")]
    clock.time = 2.0
    rig.hub.seen(rig.talk, "judge", 2)
    rig.hub.flush_times(rig.talk)
    rig.hub.flush_times(rig.talk)
    clock.time = 9.0
    rig.hub.seen(rig.talk, "judge", 1)  # an old acknowledgement changes nothing
    rig.hub.seen(rig.talk, "judge", 99)  # a number that is too high means all keys
    rig.hub.close_talk(rig.talk)
    assert [body["keys"] for body in bodies(record, "times")] == [
        [[seqs[0], 0, 2_000_000_000], [seqs[1], 0, 2_000_000_000]],
        [[seqs[2], 0, 9_000_000_000]],
    ]


async def test_times_of_many_keys_are_recorded_in_parts(
    rig: HubRig, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "TIMES_PER_EVENT", 3)
    await rig.press("judge", *"abcdefg")
    rig.hub.seen(rig.talk, "judge", 5)
    assert rig.hub.flush_times(rig.talk)
    assert not rig.hub.flush_times(rig.talk)
    assert not rig.hub.flush_times(rig.talk)
    rig.hub.close_talk(rig.talk)
    seqs = [event.seq for event in record.events(kind="key")]
    rows = [[row[0] for row in body["keys"]] for body in bodies(record, "times")]  # type: ignore[attr-defined]
    assert rows == [seqs[:3], seqs[3:5], seqs[5:]]


async def test_key_delivered_after_the_end_of_its_talk_is_ignored(
    rig: HubRig, record: Record
) -> None:
    await rig.press("judge", "H", "i")
    rig.hub.seen(rig.talk, "judge", 1)
    rig.hub.close_talk(rig.talk)
    rig.hub.seen(rig.talk, "judge", 2)
    rig.hub.flush_times(rig.talk, everything=True)
    (body,) = bodies(record, "times")
    assert [row[2] is None for row in body["keys"]] == [False, True]  # type: ignore[attr-defined]


async def test_keys_shown_by_a_killed_server_count_as_shown_when_confirmed_again(
    journal: InlineJournal, clock: ManualClock, record: Record
) -> None:
    seqs: list[int] = []

    def play(b: Builder, talks: dict[str, str]) -> None:
        for key in "abcd":
            seqs.append(b.key(talks["C1"], "judge", "J1", key).seq)
        late = b.key(talks["C1"], "judge", "J1", "e", out_of_phase="3/not-on")
        assert late.seq not in seqs
        # The old server recorded the times of the first key.
        b.write(bodies_.Times([[seqs[0], b.now_ns, b.now_ns]]), talks["C1"])

    state = fold(small(play, close=False).events)
    (talk,) = (talk for talk in state.talks.values() if talk.entity == "C1")
    restored = Hub(journal, lambda: Phase.INTERACTION, state)
    restored.seen(talk, "judge", 3)
    now = round(clock.now() * 1e9)
    restored.flush_times(talk)
    restored.flush_times(talk, everything=True)
    assert [body["keys"] for body in bodies(record, "times")] == [
        [[seqs[1], None, now], [seqs[2], None, now]],
    ]


async def test_delays_are_known_while_the_talk_is_open(rig: HubRig, clock: ManualClock) -> None:
    clock.time = 10.0
    await rig.press("judge", "H", "i")
    clock.time = 12.0
    rig.hub.seen(rig.talk, "judge", 1)
    rig.hub.flush_times(rig.talk)
    (timing,) = rig.hub.progress[rig.talk.id].timings["judge"]
    assert timing == (10_000_000_000, 10_000_000_000, 12_000_000_000)
    rig.hub.close_talk(rig.talk)
    assert not rig.hub.progress[rig.talk.id].timings["judge"]
