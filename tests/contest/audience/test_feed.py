"""Tests the feed: each key is shown exactly the delay after it was received, in frames that don't
depend on the author."""

from __future__ import annotations

import asyncio
import itertools
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as tries
from hypothesis import strategies as st

from contest.audience.feed import MAX_STEPS_LATE, MOST_VIEWERS, Full, Viewer
from contest.audience.frames import LONG, Message
from contest.record import bodies
from contest.record.bodies import Place
from contest.results.page import Outcome
from tests.contest.audience.feed_contest import (
    FedContest,
    ReceivedFrame,
    desks,
    final_text,
    of_kind,
    virtually,
)

LEFT, RIGHT = "1.1.J1.left", "1.1.J1.right"
HUMAN: dict[str, Place] = {"J1": "left", "J2": "right"}


async def open_contest(contest: FedContest) -> None:
    """Opens the contest, and lets the feed read its past events."""
    late, contest.late = contest.late, 0.0
    contest.open()
    await contest.feed.whole()
    contest.late = late


@pytest.mark.parametrize("speed", [1.0, 60.0])
@pytest.mark.parametrize("late", [0.0, 0.4])
def test_a_key_is_shown_the_delay_after_it_was_received(speed: float, late: float) -> None:
    async def main() -> list[ReceivedFrame]:
        contest = FedContest(delay=2, speed=speed, late=late)
        await open_contest(contest)
        contest.round(HUMAN)
        watching = asyncio.create_task(contest.watch(4))
        await asyncio.sleep(1.05)
        contest.type(LEFT, "judge", "a")
        await asyncio.sleep(0.04)
        contest.type(LEFT, "judge", "b")
        await asyncio.sleep(0.2)
        contest.type(LEFT, "entity", "c")
        return await watching

    received = virtually(main)
    keys = [each for each in received if each.frame.get("type") == "keys"]
    assert [each.frame["talks"] for each in keys] == [
        {LEFT: [["judge", "ab"]]},
        {LEFT: [["entity", "c"]]},
    ]
    # Received at 1.05, 1.09 and 1.29: at the end of their steps, 1.1 and 1.3, and the delay.
    assert [each.at / speed for each in keys] == pytest.approx([3.1, 3.3], abs=0.002)


def test_phases_have_the_same_delay_as_keys() -> None:
    async def main() -> list[ReceivedFrame]:
        contest = FedContest(delay=2)
        await open_contest(contest)
        watching = asyncio.create_task(contest.watch(12))
        await asyncio.sleep(0.55)
        contest.round(HUMAN)
        await asyncio.sleep(2)
        contest.event(bodies.RoundPaused(1, 1, "Ben of C1 fainted"))
        await asyncio.sleep(3)
        contest.event(bodies.RoundResumed(1, 1))
        await asyncio.sleep(1)
        contest.event(bodies.RoundExtended(1, 1, 60, "E2 hung"))
        return await watching

    received = virtually(main)
    assert "fainted" not in str(received)
    assert "hung" not in str(received)
    said = [(each.at, each.frame) for each in received if each.frame.get("type") == "phase"]
    assert [(frame["phase"], frame["words"]) for _, frame in said] == [
        ("paused", "Round 1 of 2 is paused"),
        ("interaction", "Round 1 of 2: the talks are in progress"),
        ("interaction", "Round 1 of 2: the talks are in progress"),
    ]
    assert [at for at, _ in said] == pytest.approx([4.6, 7.6, 8.6], abs=0.002)
    assert [frame["runs"] for _, frame in said] == [False, True, True]
    left = [frame["remaining_ms"] / 1000 for _, frame in said]
    assert left == pytest.approx([298, 298, 297 + 60], abs=0.2)
    # A new round is sent as a whole, because all panes are new.
    wholes = [each for each in received if each.frame.get("type") == "whole"]
    assert [each.frame["phase"]["phase"] for each in wholes] == ["before", "interaction"]
    assert wholes[-1].at == pytest.approx(2.6, abs=0.002)


#: A key name, and whether it comes from a directory with another name for the same character.
KEYS = st.sampled_from(
    [
        *(("a", "a"), ("quoteright", "apostrophe"), ("Return", "KP_Enter"), ("5", "KP_5")),
        *(("BackSpace", "BackSpace"), ("é", "eacute"), ("less", "less")),
    ]
)
PRESSES = st.lists(
    st.tuples(
        st.floats(0, 0.4).map(lambda gap: round(gap, 3)),
        st.sampled_from(["judge", "one", "other"]),
        KEYS,
    ),
    min_size=1,
    max_size=8,
)


async def _frames_of_presses(
    presses: Sequence[Any], human: Place, late: float
) -> list[tuple[float, str]]:
    """The received frames of some presses: `one` types at the left of J1, `other` at the right."""
    contest = FedContest(delay=2, late=late)
    await open_contest(contest)
    contest.round({"J1": human, "J2": human})
    await asyncio.sleep(1.5)  # the first viewer waits until these events are durable
    watching = asyncio.create_task(contest.watch(7.5))
    await asyncio.sleep(1)
    count = 0
    for gap, who, (strict, alias) in presses:
        await asyncio.sleep(gap)
        count += 1
        if who == "judge":
            contest.key(LEFT, "judge", strict, actor="J1", n=count)
            continue
        talk, side = (LEFT, "left") if who == "one" else (RIGHT, "right")
        if side == human:
            contest.key(talk, "entity", strict, actor="C1", n=count)
        else:
            n = 10**9 + 7 * count
            contest.key(talk, "entity", alias, actor="E2", n=n, raw=f"{n}.{alias}.other")
            # Events that only a program causes, and no judge sees.
            contest.key(talk, "entity", "Shift_L", actor="E2", n=n + 1, raw="x")
            contest.key(talk, "entity", "z", actor="E2", n=n + 2, out_of_phase="3/waits")
            contest.event(bodies.Breach("E2", "2.A.c", "x", "y"))
            contest.event(bodies.LeftOvers("E2", ["1.a.other"]))
    return [(round(each.at, 6), each.text) for each in await watching]


@given(PRESSES, st.floats(0, 1), st.floats(0, 1))
@tries(max_examples=12)
def test_frames_do_not_depend_on_who_pressed_the_keys(
    presses: Sequence[Any], one_late: float, other_late: float
) -> None:
    at_left = virtually(lambda: _frames_of_presses(presses, "left", one_late))
    at_right = virtually(lambda: _frames_of_presses(presses, "right", other_late))
    assert at_left == at_right


def test_without_a_delay_only_durable_keys_are_shown() -> None:
    async def main() -> tuple[list[ReceivedFrame], float]:
        contest = FedContest(delay=0, late=0.7)
        await open_contest(contest)
        contest.round(HUMAN)
        await asyncio.sleep(1)
        watching = asyncio.create_task(contest.watch(4))
        await asyncio.sleep(1.02)
        contest.type(LEFT, "judge", "a")
        return await watching, 2.02 + 0.7

    received, durable = virtually(main)
    (keys,) = [each for each in received if each.frame.get("type") == "keys"]
    assert durable <= keys.at < durable + 0.3


def test_late_viewers_get_all_released_keys_and_no_others() -> None:
    async def main() -> list[ReceivedFrame]:
        contest = FedContest(delay=2)
        await open_contest(contest)
        contest.round(HUMAN)
        await asyncio.sleep(1)
        contest.type(LEFT, "judge", "Hi\n")
        contest.type(LEFT, "entity", "yo")
        await asyncio.sleep(1.5)
        contest.type(LEFT, "judge", "later")
        await asyncio.sleep(1)
        return await contest.watch(3)

    received = virtually(main)
    assert of_kind(received, "talks") == [
        {"type": "talks", "talks": {LEFT: [["judge", "Hi\n"], ["entity", "yo"]]}}
    ]
    assert of_kind(received, "keys") == [{"type": "keys", "talks": {LEFT: [["judge", "later"]]}}]


def test_a_feed_without_viewers_catches_up_for_the_first_one() -> None:
    async def main() -> tuple[list[ReceivedFrame], list[ReceivedFrame]]:
        contest = FedContest(delay=1)
        contest.open()
        contest.round(HUMAN)
        contest.type(LEFT, "judge", "a")
        contest.clock.now()
        await asyncio.sleep(5)
        first = await contest.watch(1)
        contest.type(LEFT, "judge", "b")
        await asyncio.sleep(5)
        return first, await contest.watch(1)

    first, second = virtually(main)
    assert [each["talks"] for each in of_kind(first, "talks")] == [{LEFT: [["judge", "a"]]}]
    assert [each["talks"] for each in of_kind(second, "talks")] == [{LEFT: [["judge", "ab"]]}]


def test_after_a_stall_overdue_keys_are_shown_at_once() -> None:
    async def main() -> list[ReceivedFrame]:
        contest = FedContest(delay=1)
        await open_contest(contest)
        contest.round(HUMAN)
        watching = asyncio.create_task(contest.watch(20))
        await asyncio.sleep(5)
        # For 10 seconds nothing becomes durable.
        contest.late = 10
        contest.type(LEFT, "judge", "a")
        return await watching

    received = virtually(main)
    (keys,) = [each for each in received if each.frame.get("type") == "keys"]
    assert keys.at == pytest.approx(15, abs=0.5)
    assert keys.frame["talks"] == {LEFT: [["judge", "a"]]}
    assert not [each for each in received if 6 < each.at < 15 and each.text != "{}"]


def test_silent_viewers_get_heartbeats() -> None:
    async def main() -> list[ReceivedFrame]:
        contest = FedContest()
        await open_contest(contest)
        return await contest.watch(30)

    received = virtually(main)
    assert {each.text for each in received[1:]} == {"{}"}
    times = [each.at for each in received]
    assert max(later - at for at, later in itertools.pairwise([*times, 30.0])) <= 10


async def _typing(count: int, seconds: float, contest: FedContest) -> None:
    """Types at each side of each desk, about one character every 70 ms."""
    for n in range(round(seconds / 0.07)):
        for desk in range(1, count + 1):
            for side in ("left", "right"):
                contest.type(f"1.1.J{desk}.{side}", ("judge", "entity")[n % 2], chr(97 + n % 26))
        await asyncio.sleep(0.07)


@pytest.mark.parametrize("follows", [("J3",), ("J4", "J2"), ("J9",), (), None])
def test_a_viewer_gets_only_the_followed_desks(
    follows: tuple[str, ...] | None,
) -> None:
    settings, plan = desks(4)

    async def main() -> tuple[FedContest, list[ReceivedFrame]]:
        contest = FedContest(delay=0, settings=settings, plan=plan)
        await open_contest(contest)
        contest.round({f"J{n}": "left" for n in range(1, 5)})
        typing = asyncio.create_task(_typing(4, 3, contest))
        await asyncio.sleep(1)
        received = await contest.watch(3, follows)
        await typing
        return contest, received

    contest, received = virtually(main)
    for n in range(1, 5):
        for side in ("left", "right"):
            talk = f"1.1.J{n}.{side}"
            wanted = follows is None or f"J{n}" in follows
            assert final_text(received, talk) == (contest.typed_at(talk) if wanted else "")
    # At most one message per step, for any number of desks.
    keys = [each.at for each in received if each.frame.get("type") == "keys"]
    assert len(keys) == len(set(keys))


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 4095)), min_size=1, max_size=8))
@tries(max_examples=8)
def test_switching_desks_loses_and_doubles_no_keys(
    turns: Sequence[tuple[int, int]],
) -> None:
    """Switches between few and many desks, which get keys at two rates; no key is lost or
    doubled."""
    settings, plan = desks(12)
    everywhere = {f"J{n}" for n in range(1, 13)}

    async def main() -> tuple[FedContest, list[ReceivedFrame], set[str]]:
        contest = FedContest(delay=0, settings=settings, plan=plan)
        await open_contest(contest)
        contest.round(dict.fromkeys(everywhere, "left"))
        received: list[ReceivedFrame] = []
        async with contest.feed.watched(frozenset()) as viewer:

            async def listen() -> None:
                while True:
                    received.append(
                        ReceivedFrame(contest.clock.now(), (await contest.feed.next(viewer)).text)
                    )

            seconds = sum(wait for wait, _ in turns) * 0.13
            tasks = [
                asyncio.create_task(each) for each in (_typing(12, seconds, contest), listen())
            ]
            follows: set[str] = set()
            for wait, chosen in turns:
                follows = {f"J{n}" for n in range(1, 13) if chosen >> n - 1 & 1}
                viewer.follow(frozenset(follows))
                await asyncio.sleep(wait * 0.13)
            await tasks[0]
            await asyncio.sleep(2)
            tasks[1].cancel()
        return contest, received, follows

    contest, received, follows = virtually(main)
    for judge in follows:
        for side in ("left", "right"):
            assert final_text(received, f"1.1.{judge}.{side}") == contest.typed_at(
                f"1.1.{judge}.{side}"
            )
    talks = [each for each in received if "talks" in each.frame]
    for judge in everywhere - follows:
        # Only the beginning of that desk's text had arrived.
        text = final_text(talks, f"1.1.{judge}.left")
        assert contest.typed_at(f"1.1.{judge}.left").startswith(text)


def test_earlier_keys_are_encoded_once_and_limited_per_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("contest.audience.feed.MOST_ENCODED", 500)
    settings, plan = desks(8)

    async def main() -> tuple[list[ReceivedFrame], set[int], int]:
        contest = FedContest(delay=0, settings=settings, plan=plan)
        await open_contest(contest)
        contest.round({f"J{n}": "left" for n in range(1, 9)})
        for n in range(1, 9):
            contest.type(f"1.1.J{n}.left", "judge", "x" * 400)
        await asyncio.sleep(1)
        received: list[ReceivedFrame] = []
        made: set[int] = set()
        kept = []

        async def watch() -> None:
            async with contest.feed.watched() as viewer:
                while True:
                    message = await contest.feed.next(viewer)
                    kept.append(message)
                    made.add(id(message))
                    received.append(ReceivedFrame(contest.clock.now(), message.text))

        watching = [asyncio.create_task(watch()) for _ in range(20)]
        await asyncio.sleep(2)
        for each in watching:
            each.cancel()
        await asyncio.wait(watching)
        return received, made, len(kept)

    received, made, count = virtually(main)
    talks = [each for each in received if each.frame["type"] == "talks"]
    assert len(talks) == 20 * 8
    in_a_step = Counter(each.at for each in talks)
    assert set(in_a_step.values()) == {40}, "two desks reach the limit"
    assert count == 20 * 9
    assert len(made) == 9, "the page and each desk are encoded once"


def test_slow_viewers_catch_up_or_start_over() -> None:
    async def main() -> tuple[FedContest, list[ReceivedFrame]]:
        contest = FedContest(delay=0)
        await open_contest(contest)
        contest.round(HUMAN)
        contest.type(LEFT, "judge", "a")
        received: list[ReceivedFrame] = []

        async def listen(viewer: Viewer, count: int) -> None:
            for _ in range(count):
                received.append(
                    ReceivedFrame(contest.clock.now(), (await contest.feed.next(viewer)).text)
                )

        async with contest.feed.watched() as viewer:
            await asyncio.sleep(0.25)
            await listen(viewer, 2)
            for late in (0.1 * MAX_STEPS_LATE - 1, 0.1 * MAX_STEPS_LATE + 1):
                contest.type(LEFT, "judge", "b")
                await asyncio.sleep(0.5)
                contest.type(LEFT, "judge", "c")
                await asyncio.sleep(late - 0.5)
                await listen(viewer, 1)
            await listen(viewer, 1)
        return contest, received

    contest, received = virtually(main)
    assert [each.frame["type"] for each in received] == ["whole", "talks", "keys", "whole", "talks"]
    assert final_text(received[:3], LEFT) == "abc"
    assert final_text(received, LEFT) == contest.typed_at(LEFT) == "abcbc"


@pytest.mark.parametrize(("length", "gains"), [(LONG - 1, False), (LONG, True), (100_000, True)])
def test_a_long_message_is_compressed_once(length: int, gains: bool) -> None:
    message = Message("é" * length)
    packed = message.packed
    assert (packed is not None) == gains
    if packed is not None:
        assert zlib.decompress(packed, wbits=-zlib.MAX_WBITS).decode() == message.text
        assert message.packed is packed


def test_only_what_a_judge_sees_is_shown() -> None:
    async def main() -> list[ReceivedFrame]:
        contest = FedContest(delay=0)
        await open_contest(contest)
        contest.round(HUMAN)
        contest.key(RIGHT, "entity", "x", out_of_phase="3/waits")
        contest.key(LEFT, "judge", "quoteright")
        contest.key(RIGHT, "judge", "apostrophe")
        for name in ("Shift_L", "nonsense"):
            contest.key(LEFT, "judge", name)
        await asyncio.sleep(1)
        return await contest.watch(1)

    (talks,) = of_kind(virtually(main), "talks")
    assert talks["talks"] == {LEFT: [["judge", "'"]], RIGHT: [["judge", "'"]]}


def test_a_new_attempt_begins_with_empty_panes() -> None:
    async def main() -> list[ReceivedFrame]:
        contest = FedContest(delay=0)
        await open_contest(contest)
        contest.round(HUMAN)
        contest.type(LEFT, "judge", "a")
        watching = asyncio.create_task(contest.watch(4))
        await asyncio.sleep(1)
        contest.round(HUMAN, attempt=2)
        contest.type(LEFT, "judge", "late")
        await asyncio.sleep(1)
        contest.type("1.2.J1.left", "judge", "new")
        return await watching

    received = virtually(main)
    _, first, second = of_kind(received, "whole")
    assert first["desks"][0]["talks"][0]["id"] == LEFT
    assert [talk["id"] for talk in second["desks"][0]["talks"]] == ["1.2.J1.left", "1.2.J1.right"]
    assert final_text(received, "1.2.J1.left") == "new"
    assert "late" not in str(received)


def test_a_long_talk_is_sent_in_parts_while_keys_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("contest.audience.feed.KEYS_PER_PART", 50)
    monkeypatch.setattr("contest.audience.feed.MOST_ENCODED", 200)
    encoded: list[tuple[float, int]] = []

    async def main() -> tuple[list[ReceivedFrame], FedContest]:
        contest = FedContest(delay=0)
        await open_contest(contest)
        contest.round(HUMAN)
        for n in range(1500):
            contest.type(LEFT, ("judge", "entity")[n % 2], str(n))
        contest.type(RIGHT, "entity", "short")
        await asyncio.sleep(1)
        watching = asyncio.create_task(contest.watch(10))
        for _ in range(50):
            await asyncio.sleep(0.1)
            contest.type(LEFT, "judge", "l")
            contest.type(RIGHT, "judge", "r")
        return await watching, contest

    received, contest = virtually(main)
    for talk in (LEFT, RIGHT):
        assert final_text(received, talk) == contest.typed_at(talk)
    for each in received:
        if each.frame["type"] in ("talks", "keys"):
            encoded.append((each.at, sum(len(t) for _, t in each.frame["talks"].get(LEFT, []))))
    at_once = Counter[float]()
    for at, count in encoded:
        at_once[at] += count
    assert max(at_once.values()) <= 200 + 50


def test_a_reveal_reaches_all_viewers_at_once() -> None:
    async def main() -> list[ReceivedFrame]:
        contest = FedContest(delay=4)
        await open_contest(contest)
        contest.round(HUMAN)
        contest.event(bodies.RankingOpened())
        await asyncio.sleep(6)
        watching = asyncio.create_task(contest.watch(16))
        await asyncio.sleep(1)
        contest.event(bodies.RankingClosed("all have ranked"))
        contest.event(bodies.SidesRevealed([]))
        await asyncio.sleep(5)
        contest.outcome = Outcome({"en": "<p>who sat where</p>"})
        contest.event(bodies.Revealed("names"))
        await asyncio.sleep(5)
        contest.outcome = Outcome({"en": "<p>all</p>"}, complete=True)
        contest.event(bodies.ContestClosed({}))
        return await watching

    received = virtually(main)
    contest = [
        (each["phase"]["words"], each["outcome"], each["archive"], len(each["desks"]))
        for each in of_kind(received, "whole")
    ]
    assert contest == [
        ("The judges are ranking everybody they met", "", False, 2),
        ("Everything is decided: the result", "", False, 0),
        ("Everything is decided: the result", "<p>who sat where</p>", False, 0),
        ("The contest is over", "<p>all</p>", True, 0),
    ]


def test_withdrawing_consent_closes_the_desk_and_removes_its_text() -> None:
    async def main() -> list[ReceivedFrame]:
        contest = FedContest(delay=4)
        await open_contest(contest)
        contest.round(HUMAN)
        contest.type(LEFT, "entity", "secret")
        await asyncio.sleep(6)
        watching = asyncio.create_task(contest.watch(14))
        await asyncio.sleep(1)
        contest.event(bodies.ConsentGiven("C1", False, 1), actor="C1")
        contest.type(LEFT, "entity", "more")
        contest.type(RIGHT, "entity", "other side")
        await asyncio.sleep(7)
        contest.event(bodies.ConsentGiven("C1", True, 2), actor="C1")
        return await watching

    received = virtually(main)
    assert of_kind(received, "keys") == []
    shown, hidden, again = of_kind(received, "whole")
    assert len(shown["desks"][0]["talks"]) == 2
    assert (hidden["desks"][0]["closed"], hidden["desks"][0]["talks"]) == (True, [])
    assert not hidden["desks"][1]["closed"]
    assert not again["desks"][0]["closed"]
    before, after = of_kind(received, "talks")
    assert before["talks"] == {LEFT: [["entity", "secret"]]}
    assert after["talks"] == {LEFT: [["entity", "secretmore"]], RIGHT: [["entity", "other side"]]}


def test_nothing_runs_without_viewers() -> None:
    async def main() -> tuple[int, int]:
        contest = FedContest()
        await open_contest(contest)
        await contest.watch(1)
        return len(asyncio.all_tasks()), len(contest.feed.viewers)

    assert virtually(main) == (1, 0)


def test_viewers_beyond_the_maximum_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("contest.audience.feed.MOST_VIEWERS", 2)
    assert MOST_VIEWERS >= 1000

    async def main() -> None:
        contest = FedContest()
        await open_contest(contest)
        async with contest.feed.watched(), contest.feed.watched():
            with pytest.raises(Full):
                async with contest.feed.watched():
                    pytest.fail("a third viewer was accepted")

    virtually(main)
