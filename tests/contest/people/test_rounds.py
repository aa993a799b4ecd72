"""Whole rounds at a table in memory, on virtual time: 25 minutes in half a second."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from contest.people import ScriptedConfederate, ScriptedJudge, Seat, confederates, judges
from contest.people.judgement import decide
from contest.people.seen import PAUSE, lines_of
from contest.people.table import Table, TableSeat
from lpp.clock import Clock, LoopClock
from lpp.names import BACKSPACE, char_of, keys_of
from lpp.wire import Place

#: Few idle turns of the loop before time moves: nothing here waits for another thread.
virtual = pytest.mark.looptime(noop_cycles=4)

Player = Callable[[Seat, Clock], Awaitable[None]]
SIDES: tuple[Place, ...] = ("left", "right")


async def hold(
    judge: Player, left: Player, right: Player, minutes: float = 25.0, rounds: int = 1
) -> Table:
    """Holds a contest at a table; players that are still at it at the end are stopped."""
    clock = LoopClock()
    table = Table(clock, 60 * minutes)
    players = [
        asyncio.ensure_future(play(seat, clock))
        for play, seat in ((judge, table.judge), (left, table.left), (right, table.right))
    ]
    await table.hold(rounds)
    done, pending = await asyncio.wait(players, timeout=1.0)
    for player in pending:
        player.cancel()
    for player in done:
        player.result()
    return table


@virtual
@pytest.mark.parametrize(
    ("judge", "left", "right"),
    [
        (judge, confederates()[index % 4], confederates()[(index + 1) % 4])
        for index, judge in enumerate(judges())
    ],
)
async def test_a_round_of_25_minutes(judge: str, left: str, right: str) -> None:
    who = ScriptedJudge(judge, 1)
    table = await hold(
        who.play, ScriptedConfederate(left, 2).play, ScriptedConfederate(right, 3).play
    )
    keys = table.talk("left") + table.talk("right")
    assert 2500 <= len(keys) <= 6500
    corrections = sum(key == BACKSPACE for _, _, key in keys)
    assert 0.002 < corrections / len(keys) < 0.06
    for side in SIDES:
        talk = table.talk(side)
        assert talk[0][1] == "judge", "the judge begins"
        lines = [line for line in lines_of(talk) if line.text]
        spoken = Counter(line.author for line in lines)
        assert spoken["judge"] >= 12
        assert spoken["entity"] >= 12
        texts = [(line.author, line.text) for line in lines if len(line.text) > 12]
        assert len(set(texts)) == len(texts), "nothing is said twice in one talk"
    overlaps = sum(
        one[1] != other[1] and other[0] - one[0] < 1.0
        for side in SIDES
        for one, other in zip(table.talk(side), table.talk(side)[1:], strict=False)
    )
    assert overlaps > 3, "turns overlap"
    [verdict] = table.judge.verdicts
    mine = decide(who.impressions[1, "left"], who.impressions[1, "right"], who.weights)
    assert (verdict.human, verdict.confidence, verdict.reason) == (
        mine.human,
        mine.confidence,
        mine.reason,
    )
    assert table.judge.ranking is not None
    assert sorted(table.judge.ranking) == ["A", "B"]
    better = "A" if verdict.human == "left" else "B"
    assert table.judge.ranking[better] == min(table.judge.ranking.values())


@virtual
async def test_the_same_seed_gives_the_same_talk_and_another_another() -> None:
    async def talk(seed: int) -> list[tuple[str, str]]:
        table = await hold(
            ScriptedJudge("ines", seed).play,
            ScriptedConfederate("ben", seed).play,
            ScriptedConfederate("lucia", seed).play,
            minutes=4.0,
        )
        return [(author, key) for _, author, key in table.talk("left")]

    first = await talk(1)
    assert await talk(1) == first
    assert await talk(2) != first


@virtual
async def test_four_rounds_differ_and_each_gets_a_verdict() -> None:
    table = await hold(
        ScriptedJudge("walt").play,
        ScriptedConfederate("priya").play,
        ScriptedConfederate("gordon").play,
        minutes=3.0,
        rounds=4,
    )
    assert [(v.round, v.attempt) for v in table.judge.verdicts] == [(n, 1) for n in range(1, 5)]


# Odd entries


async def silent(seat: Seat, clock: Clock) -> None:
    await clock.sleep(10_000)


def typist(strokes: Callable[[random.Random], list[str]], gap: float, every: float) -> Player:
    """A program that presses keys at its own times, whatever is said to it."""

    async def play(seat: Seat, clock: Clock) -> None:
        rng = random.Random(1)
        while seat.phase != "over":
            for key in strokes(rng):
                await clock.sleep(gap)
                await seat.press("only", key)
            await clock.sleep(every)

    return play


NOISE = ["Shift_L", "BackSpace", "Return", "a", "quotedbl", "weird", "\u6f22", "", "0", "eacute"]

ODD: dict[str, Player] = {
    "silent": silent,
    "garbage": typist(lambda rng: rng.choices(NOISE, k=30), 0.05, 3.0),
    "without Return": typist(lambda _: keys_of("I never press that key. "), 0.1, 9.0),
    "2000 characters": typist(lambda _: [*keys_of("so long a line " * 133), "Return"], 0.01, 150.0),
    "empty lines": typist(lambda _: ["Return", "space", "Return"], 0.1, 5.0),
    "never stops": typist(lambda _: keys_of("and "), 0.2, 0.0),
    "the same line": typist(lambda _: keys_of("I like my old bicycle best.\n"), 0.1, 12.0),
    "BackSpace only": typist(lambda _: ["BackSpace"], 0.1, 1.0),
    "questions": typist(lambda _: keys_of("what do you mean?\n"), 0.1, 12.0),
}


@virtual
@pytest.mark.parametrize("entry", list(ODD))
@pytest.mark.parametrize("judge", ["marcus", "ines"])
async def test_a_judge_copes_with_an_odd_entry(judge: str, entry: str) -> None:
    table = await hold(
        ScriptedJudge(judge).play, ScriptedConfederate("ben").play, ODD[entry], minutes=6.0
    )
    [verdict] = table.judge.verdicts
    assert verdict.human == "left", verdict
    assert verdict.reason
    for side in SIDES:
        spoken = [line for line in lines_of(table.talk(side)) if line.author == "judge"]
        assert len(spoken) >= 4, "nobody is waited for for ever"


@virtual
async def test_two_silent_sides() -> None:
    table = await hold(ScriptedJudge("walt").play, silent, silent, minutes=6.0)
    assert table.judge.verdicts[0].reason == "can't tell them apart"
    assert table.judge.ranking == {"A": 3, "B": 3}


# Odd judges


def judging(*lines: tuple[float, str]) -> Player:
    """A judge who types lines on the left at their times; what has no newline gets no Return."""

    async def play(seat: Seat, clock: Clock) -> None:
        while seat.phase != "interaction":
            await clock.sleep(0.1)
        begin = clock.now()
        for at, text in lines:
            await clock.sleep(begin + at - clock.now())
            for char in text:
                await clock.sleep(0.1)
                await seat.press("left", *keys_of(char))

    return play


def answers(table: Table) -> list[tuple[float, str]]:
    lines = lines_of(table.talk("left"))
    return [(line.began, line.text) for line in lines if line.author == "entity"]


@virtual
@pytest.mark.parametrize("name", confederates())
async def test_a_confederate_waits_for_the_judge(name: str) -> None:
    table = await hold(silent, ScriptedConfederate(name).play, silent, minutes=20.0)
    assert table.talk("left") == []
    table = await hold(
        judging((300.0, "hello\n")), ScriptedConfederate(name).play, silent, minutes=8.0
    )
    said = answers(table)
    assert said
    assert all(began > 300.5 for began, _ in said)


@virtual
@pytest.mark.parametrize("name", confederates())
async def test_a_line_without_return_is_answered_after_a_pause(name: str) -> None:
    table = await hold(
        judging((1.0, "which is bigger, a mouse or a house")),
        ScriptedConfederate(name).play,
        silent,
        minutes=1.0,
    )
    [(began, text), *_] = answers(table)
    assert "house" in text.lower()
    assert began >= 1.0 + 3.4 + PAUSE


@virtual
@pytest.mark.parametrize("name", confederates())
async def test_a_confederate_copes_with_an_odd_judge(name: str) -> None:
    table = await hold(
        judging(
            (1.0, "\n\n\n"),
            (10.0, "x" * 2000 + "\n"),
            (300.0, "\b\b\bok\b\b   \n"),
            (320.0, "one\ntwo\nthree\nwhat is a spoon for?\n"),
            (380.0, "\u6f22\u5b57 \u00e9\u00e9?\n"),
        ),
        ScriptedConfederate(name).play,
        silent,
        minutes=9.0,
    )
    said = answers(table)
    assert any(200 < began < 260 for began, _ in said), "the long line is answered"
    assert any("soup" in text.lower() for _, text in said)
    assert any(began > 380 for began, _ in said)


@virtual
async def test_a_judge_who_falls_silent_is_nudged_but_not_for_ever() -> None:
    table = await hold(
        judging((1.0, "hello\n")), ScriptedConfederate("priya").play, silent, minutes=25.0
    )
    assert 3 <= len(answers(table)) <= 12


@virtual
async def test_all_that_is_typed_is_a_key() -> None:
    table = await hold(
        ScriptedJudge("harriet").play,
        ScriptedConfederate("gordon").play,
        ScriptedConfederate("lucia").play,
        minutes=3.0,
    )
    assert all(char_of(key) for side in SIDES for _, _, key in table.talk(side))
    assert isinstance(table.judge, TableSeat)
