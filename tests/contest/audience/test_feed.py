"""Tests the feed: each key is shown exactly the delay after it was received, in the same frames
whoever pressed it."""

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

from contest.audience.feed import LATE, MOST_VIEWERS, Full, Viewer
from contest.audience.frames import LONG, Message
from contest.record import bodies
from contest.record.bodies import Place
from contest.results.page import Outcome
from tests.contest.audience.told import Heard, Told, desks, of_kind, text_at, virtually

LEFT, RIGHT = "1.1.J1.left", "1.1.J1.right"
HUMAN: dict[str, Place] = {"J1": "left", "J2": "right"}


async def begun(told: Told) -> None:
    """The contest is open, and the past read, before time begins to matter."""
    late, told.late = told.late, 0.0
    told.open()
    await told.feed.whole()
    told.late = late


@pytest.mark.parametrize("speed", [1.0, 60.0])
@pytest.mark.parametrize("late", [0.0, 0.4])
def test_a_key_comes_the_delay_after_it_was_received(speed: float, late: float) -> None:
    async def main() -> list[Heard]:
        told = Told(delay=2, speed=speed, late=late)
        await begun(told)
        told.round(HUMAN)
        watching = asyncio.create_task(told.watch(4))
        await asyncio.sleep(1.05)
        told.type(LEFT, "judge", "a")
        await asyncio.sleep(0.04)
        told.type(LEFT, "judge", "b")
        await asyncio.sleep(0.2)
        told.type(LEFT, "entity", "c")
        return await watching

    heard = virtually(main)
    keys = [each for each in heard if each.frame.get("type") == "keys"]
    assert [each.frame["talks"] for each in keys] == [
        {LEFT: [["judge", "ab"]]},
        {LEFT: [["entity", "c"]]},
    ]
    # Received at 1.05, 1.09 and 1.29: at the end of their steps, 1.1 and 1.3, and the delay.
    assert [each.at / speed for each in keys] == pytest.approx([3.1, 3.3], abs=0.002)


def test_phases_have_the_same_delay_as_keys() -> None:
    async def main() -> list[Heard]:
        told = Told(delay=2)
        await begun(told)
        watching = asyncio.create_task(told.watch(12))
        await asyncio.sleep(0.55)
        told.round(HUMAN)
        await asyncio.sleep(2)
        told.event(bodies.RoundPaused(1, 1, "Ben of C1 fainted"))
        await asyncio.sleep(3)
        told.event(bodies.RoundResumed(1, 1))
        await asyncio.sleep(1)
        told.event(bodies.RoundExtended(1, 1, 60, "E2 hung"))
        return await watching

    heard = virtually(main)
    assert "fainted" not in str(heard)
    assert "hung" not in str(heard)
    said = [(each.at, each.frame) for each in heard if each.frame.get("type") == "phase"]
    assert [(frame["phase"], frame["words"]) for _, frame in said] == [
        ("paused", "Round 1 of 2 is paused"),
        ("interaction", "Round 1 of 2: the talks are on"),
        ("interaction", "Round 1 of 2: the talks are on"),
    ]
    assert [at for at, _ in said] == pytest.approx([4.6, 7.6, 8.6], abs=0.002)
    assert [frame["runs"] for _, frame in said] == [False, True, True]
    left = [frame["remaining_ms"] / 1000 for _, frame in said]
    assert left == pytest.approx([298, 298, 297 + 60], abs=0.2)
    # A round is told as a whole, for all panes are new.
    wholes = [each for each in heard if each.frame.get("type") == "whole"]
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
    max_size=12,
)


async def _played(presses: Sequence[Any], human: Place, late: float) -> list[tuple[float, str]]:
    """What is heard of some presses: `one` types at the left of J1, `other` at the right."""
    told = Told(delay=2, late=late)
    await begun(told)
    told.round({"J1": human, "J2": human})
    await asyncio.sleep(1.5)  # a first viewer waits until that is durable
    watching = asyncio.create_task(told.watch(10))
    await asyncio.sleep(1)
    count = 0
    for gap, who, (strict, alias) in presses:
        await asyncio.sleep(gap)
        count += 1
        if who == "judge":
            told.key(LEFT, "judge", strict, actor="J1", n=count)
            continue
        talk, side = (LEFT, "left") if who == "one" else (RIGHT, "right")
        if side == human:
            told.key(talk, "entity", strict, actor="C1", n=count)
        else:
            n = 10**9 + 7 * count
            told.key(talk, "entity", alias, actor="E2", n=n, raw=f"{n}.{alias}.other")
            # What a program alone does, and no judge ever sees.
            told.key(talk, "entity", "Shift_L", actor="E2", n=n + 1, raw="x")
            told.key(talk, "entity", "z", actor="E2", n=n + 2, out_of_phase="3/waits")
            told.event(bodies.Breach("E2", "2.A.c", "x", "y"))
            told.event(bodies.LeftOvers("E2", ["1.a.other"]))
    return [(round(each.at, 6), each.text) for each in await watching]


@given(PRESSES, st.floats(0, 1), st.floats(0, 1))
@tries(max_examples=25)
def test_the_same_keys_give_the_same_frames_whoever_presses_them(
    presses: Sequence[Any], one_late: float, other_late: float
) -> None:
    at_left = virtually(lambda: _played(presses, "left", one_late))
    at_right = virtually(lambda: _played(presses, "right", other_late))
    assert at_left == at_right


def test_without_a_delay_nothing_is_shown_that_is_not_durable() -> None:
    async def main() -> tuple[list[Heard], float]:
        told = Told(delay=0, late=0.7)
        await begun(told)
        told.round(HUMAN)
        await asyncio.sleep(1)
        watching = asyncio.create_task(told.watch(4))
        await asyncio.sleep(1.02)
        told.type(LEFT, "judge", "a")
        return await watching, 2.02 + 0.7

    heard, durable = virtually(main)
    (keys,) = [each for each in heard if each.frame.get("type") == "keys"]
    assert durable <= keys.at < durable + 0.3


def test_who_comes_late_sees_all_that_has_come_out_and_no_more() -> None:
    async def main() -> list[Heard]:
        told = Told(delay=2)
        await begun(told)
        told.round(HUMAN)
        await asyncio.sleep(1)
        told.type(LEFT, "judge", "Hi\n")
        told.type(LEFT, "entity", "yo")
        await asyncio.sleep(1.5)
        told.type(LEFT, "judge", "later")
        await asyncio.sleep(1)
        return await told.watch(3)

    heard = virtually(main)
    assert of_kind(heard, "talks") == [
        {"type": "talks", "talks": {LEFT: [["judge", "Hi\n"], ["entity", "yo"]]}}
    ]
    assert of_kind(heard, "keys") == [{"type": "keys", "talks": {LEFT: [["judge", "later"]]}}]


def test_a_feed_that_nobody_wanted_yet_reads_what_has_happened() -> None:
    async def main() -> tuple[list[Heard], list[Heard]]:
        told = Told(delay=1)
        told.open()
        told.round(HUMAN)
        told.type(LEFT, "judge", "a")
        told.clock.now()
        await asyncio.sleep(5)
        first = await told.watch(1)
        told.type(LEFT, "judge", "b")
        await asyncio.sleep(5)
        return first, await told.watch(1)

    first, second = virtually(main)
    assert [each["talks"] for each in of_kind(first, "talks")] == [{LEFT: [["judge", "a"]]}]
    assert [each["talks"] for each in of_kind(second, "talks")] == [{LEFT: [["judge", "ab"]]}]


def test_a_server_that_stood_still_shows_at_once_what_was_typed_meanwhile() -> None:
    async def main() -> list[Heard]:
        told = Told(delay=1)
        await begun(told)
        told.round(HUMAN)
        watching = asyncio.create_task(told.watch(60))
        await asyncio.sleep(5)
        # For 30 seconds nothing becomes durable.
        told.late = 30
        told.type(LEFT, "judge", "a")
        await asyncio.sleep(40)
        return await watching

    heard = virtually(main)
    (keys,) = [each for each in heard if each.frame.get("type") == "keys"]
    assert keys.at == pytest.approx(35, abs=0.5)
    assert keys.frame["talks"] == {LEFT: [["judge", "a"]]}
    assert not [each for each in heard if 6 < each.at < 35 and each.text != "{}"]


def test_a_sign_of_life_when_nothing_happens() -> None:
    async def main() -> list[Heard]:
        told = Told()
        await begun(told)
        return await told.watch(30)

    heard = virtually(main)
    assert {each.text for each in heard[1:]} == {"{}"}
    times = [each.at for each in heard]
    assert max(later - at for at, later in itertools.pairwise([*times, 30.0])) <= 10


async def _typing(count: int, seconds: float, told: Told) -> None:
    """All type at each side of each desk, a character every 70 ms or so."""
    for n in range(round(seconds / 0.07)):
        for desk in range(1, count + 1):
            for side in ("left", "right"):
                told.type(f"1.1.J{desk}.{side}", ("judge", "entity")[n % 2], chr(97 + n % 26))
        await asyncio.sleep(0.07)


@pytest.mark.parametrize("follows", [("J3",), ("J4", "J2"), ("J9",), (), None])
def test_a_viewer_gets_the_desks_that_are_followed_and_nothing_of_the_others(
    follows: tuple[str, ...] | None,
) -> None:
    settings, plan = desks(4)

    async def main() -> tuple[Told, list[Heard]]:
        told = Told(delay=0, settings=settings, plan=plan)
        await begun(told)
        told.round({f"J{n}": "left" for n in range(1, 5)})
        typing = asyncio.create_task(_typing(4, 3, told))
        await asyncio.sleep(1)
        heard = await told.watch(3, follows)
        await typing
        return told, heard

    told, heard = virtually(main)
    for n in range(1, 5):
        for side in ("left", "right"):
            talk = f"1.1.J{n}.{side}"
            wanted = follows is None or f"J{n}" in follows
            assert text_at(heard, talk) == (told.typed_at(talk) if wanted else "")
    # One message a step at most, however many desks.
    keys = [each.at for each in heard if each.frame.get("type") == "keys"]
    assert len(keys) == len(set(keys))


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 4095)), min_size=1, max_size=8))
@tries(max_examples=15, deadline=None)
def test_whatever_is_followed_in_turn_nothing_is_lost_or_doubled(
    turns: Sequence[tuple[int, int]],
) -> None:
    """Few and many desks in any order: keys come at two paces, and no change between them shows."""
    settings, plan = desks(12)
    everywhere = {f"J{n}" for n in range(1, 13)}

    async def main() -> tuple[Told, list[Heard], set[str]]:
        told = Told(delay=0, settings=settings, plan=plan)
        await begun(told)
        told.round(dict.fromkeys(everywhere, "left"))
        heard: list[Heard] = []
        async with told.feed.watched(frozenset()) as viewer:

            async def listen() -> None:
                while True:
                    heard.append(Heard(told.clock.now(), (await told.feed.next(viewer)).text))

            seconds = sum(wait for wait, _ in turns) * 0.13
            tasks = [asyncio.create_task(each) for each in (_typing(12, seconds, told), listen())]
            follows: set[str] = set()
            for wait, chosen in turns:
                follows = {f"J{n}" for n in range(1, 13) if chosen >> n - 1 & 1}
                viewer.follow(frozenset(follows))
                await asyncio.sleep(wait * 0.13)
            await tasks[0]
            await asyncio.sleep(2)
            tasks[1].cancel()
        return told, heard, follows

    told, heard, follows = virtually(main)
    for judge in follows:
        for side in ("left", "right"):
            assert text_at(heard, f"1.1.{judge}.{side}") == told.typed_at(f"1.1.{judge}.{side}")
    talks = [each for each in heard if "talks" in each.frame]
    for judge in everywhere - follows:
        # All that came of it was the beginning of what was typed there.
        text = text_at(talks, f"1.1.{judge}.left")
        assert told.typed_at(f"1.1.{judge}.left").startswith(text)


def test_a_desk_is_encoded_once_for_all_and_only_so_much_in_a_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("contest.audience.feed.MOST_ENCODED", 500)
    settings, plan = desks(8)

    async def main() -> tuple[list[Heard], set[int], int]:
        told = Told(delay=0, settings=settings, plan=plan)
        await begun(told)
        told.round({f"J{n}": "left" for n in range(1, 9)})
        for n in range(1, 9):
            told.type(f"1.1.J{n}.left", "judge", "x" * 400)
        await asyncio.sleep(1)
        heard: list[Heard] = []
        made: set[int] = set()
        kept = []

        async def watch() -> None:
            async with told.feed.watched() as viewer:
                while True:
                    message = await told.feed.next(viewer)
                    kept.append(message)
                    made.add(id(message))
                    heard.append(Heard(told.clock.now(), message.text))

        watching = [asyncio.create_task(watch()) for _ in range(20)]
        await asyncio.sleep(2)
        for each in watching:
            each.cancel()
        await asyncio.wait(watching)
        return heard, made, len(kept)

    heard, made, count = virtually(main)
    talks = [each for each in heard if each.frame["type"] == "talks"]
    assert len(talks) == 20 * 8
    in_a_step = Counter(each.at for each in talks)
    assert set(in_a_step.values()) == {40}, "two desks, then the limit is passed"
    assert count == 20 * 9
    assert len(made) == 9, "the whole and each desk, once for all"


def test_a_viewer_who_is_late_gets_all_that_was_missed_and_who_is_too_late_starts_over() -> None:
    async def main() -> tuple[Told, list[Heard]]:
        told = Told(delay=0)
        await begun(told)
        told.round(HUMAN)
        told.type(LEFT, "judge", "a")
        heard: list[Heard] = []

        async def listen(viewer: Viewer, count: int) -> None:
            for _ in range(count):
                heard.append(Heard(told.clock.now(), (await told.feed.next(viewer)).text))

        async with told.feed.watched() as viewer:
            await asyncio.sleep(0.25)
            await listen(viewer, 2)
            for late in (0.1 * LATE - 1, 0.1 * LATE + 1):
                told.type(LEFT, "judge", "b")
                await asyncio.sleep(0.5)
                told.type(LEFT, "judge", "c")
                await asyncio.sleep(late - 0.5)
                await listen(viewer, 1)
            await listen(viewer, 1)
        return told, heard

    told, heard = virtually(main)
    assert [each.frame["type"] for each in heard] == ["whole", "talks", "keys", "whole", "talks"]
    assert text_at(heard[:3], LEFT) == "abc"
    assert text_at(heard, LEFT) == told.typed_at(LEFT) == "abcbc"


@pytest.mark.parametrize(("length", "gains"), [(LONG - 1, False), (LONG, True), (100_000, True)])
def test_a_long_message_is_compressed_once(length: int, gains: bool) -> None:
    message = Message("é" * length)
    packed = message.packed
    assert (packed is not None) == gains
    if packed is not None:
        assert zlib.decompress(packed, wbits=-zlib.MAX_WBITS).decode() == message.text
        assert message.packed is packed


def test_only_what_a_judge_sees_is_shown() -> None:
    async def main() -> list[Heard]:
        told = Told(delay=0)
        await begun(told)
        told.round(HUMAN)
        told.key(RIGHT, "entity", "x", out_of_phase="3/waits")
        told.key(LEFT, "judge", "quoteright")
        told.key(RIGHT, "judge", "apostrophe")
        for name in ("Shift_L", "nonsense"):
            told.key(LEFT, "judge", name)
        await asyncio.sleep(1)
        return await told.watch(1)

    (talks,) = of_kind(virtually(main), "talks")
    assert talks["talks"] == {LEFT: [["judge", "'"]], RIGHT: [["judge", "'"]]}


def test_a_new_attempt_begins_with_empty_panes() -> None:
    async def main() -> list[Heard]:
        told = Told(delay=0)
        await begun(told)
        told.round(HUMAN)
        told.type(LEFT, "judge", "a")
        watching = asyncio.create_task(told.watch(4))
        await asyncio.sleep(1)
        told.round(HUMAN, attempt=2)
        told.type(LEFT, "judge", "late")
        await asyncio.sleep(1)
        told.type("1.2.J1.left", "judge", "new")
        return await watching

    heard = virtually(main)
    _, first, second = of_kind(heard, "whole")
    assert first["desks"][0]["talks"][0]["id"] == LEFT
    assert [talk["id"] for talk in second["desks"][0]["talks"]] == ["1.2.J1.left", "1.2.J1.right"]
    assert text_at(heard, "1.2.J1.left") == "new"
    assert "late" not in str(heard)


def test_a_long_talk_comes_in_parts_while_keys_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("contest.audience.feed.PART", 50)
    monkeypatch.setattr("contest.audience.feed.MOST_ENCODED", 200)
    encoded: list[tuple[float, int]] = []

    async def main() -> tuple[list[Heard], Told]:
        told = Told(delay=0)
        await begun(told)
        told.round(HUMAN)
        for n in range(1500):
            told.type(LEFT, ("judge", "entity")[n % 2], str(n))
        told.type(RIGHT, "entity", "short")
        await asyncio.sleep(1)
        watching = asyncio.create_task(told.watch(10))
        for _ in range(50):
            await asyncio.sleep(0.1)
            told.type(LEFT, "judge", "l")
            told.type(RIGHT, "judge", "r")
        return await watching, told

    heard, told = virtually(main)
    for talk in (LEFT, RIGHT):
        assert text_at(heard, talk) == told.typed_at(talk)
    for each in heard:
        if each.frame["type"] in ("talks", "keys"):
            encoded.append((each.at, sum(len(t) for _, t in each.frame["talks"].get(LEFT, []))))
    at_once = Counter[float]()
    for at, count in encoded:
        at_once[at] += count
    assert max(at_once.values()) <= 200 + 50


def test_a_reveal_comes_at_once_and_to_all() -> None:
    async def main() -> list[Heard]:
        told = Told(delay=20)
        await begun(told)
        told.round(HUMAN)
        told.event(bodies.RankingOpened())
        await asyncio.sleep(25)
        watching = asyncio.create_task(told.watch(60))
        await asyncio.sleep(1)
        told.event(bodies.RankingClosed("all have ranked"))
        told.event(bodies.SidesRevealed([]))
        await asyncio.sleep(5)
        told.outcome = Outcome("<p>who sat where</p>")
        told.event(bodies.Revealed("names"))
        await asyncio.sleep(5)
        told.outcome = Outcome("<p>all</p>", complete=True)
        told.event(bodies.ContestClosed({}))
        return await watching

    heard = virtually(main)
    told = [
        (each["phase"]["words"], each["outcome"], each["archive"], len(each["desks"]))
        for each in of_kind(heard, "whole")
    ]
    assert told == [
        ("The judges rank everybody they met", "", False, 2),
        ("Everything is decided: the result", "", False, 0),
        ("Everything is decided: the result", "<p>who sat where</p>", False, 0),
        ("The contest is over", "<p>all</p>", True, 0),
    ]


def test_a_withdrawn_consent_closes_the_desk_at_once_and_what_was_typed_is_gone() -> None:
    async def main() -> list[Heard]:
        told = Told(delay=20)
        await begun(told)
        told.round(HUMAN)
        told.type(LEFT, "entity", "secret")
        await asyncio.sleep(25)
        watching = asyncio.create_task(told.watch(40))
        await asyncio.sleep(1)
        told.event(bodies.ConsentGiven("C1", False, 1), actor="C1")
        told.type(LEFT, "entity", "more")
        told.type(RIGHT, "entity", "other side")
        await asyncio.sleep(30)
        told.event(bodies.ConsentGiven("C1", True, 2), actor="C1")
        return await watching

    heard = virtually(main)
    assert of_kind(heard, "keys") == []
    shown, hidden, again = of_kind(heard, "whole")
    assert len(shown["desks"][0]["talks"]) == 2
    assert (hidden["desks"][0]["closed"], hidden["desks"][0]["talks"]) == (True, [])
    assert not hidden["desks"][1]["closed"]
    assert not again["desks"][0]["closed"]
    before, after = of_kind(heard, "talks")
    assert before["talks"] == {LEFT: [["entity", "secret"]]}
    assert after["talks"] == {LEFT: [["entity", "secretmore"]], RIGHT: [["entity", "other side"]]}


def test_nothing_runs_while_nobody_watches() -> None:
    async def main() -> tuple[int, int]:
        told = Told()
        await begun(told)
        await told.watch(1)
        return len(asyncio.all_tasks()), len(told.feed.viewers)

    assert virtually(main) == (1, 0)


def test_a_viewer_too_many_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("contest.audience.feed.MOST_VIEWERS", 2)
    assert MOST_VIEWERS >= 1000

    async def main() -> None:
        told = Told()
        await begun(told)
        async with told.feed.watched(), told.feed.watched():
            with pytest.raises(Full):
                async with told.feed.watched():
                    pytest.fail("a third one")

    virtually(main)
