"""Whole rounds at a table in memory, on virtual time: 25 minutes in half a second."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest

from contest.scripted import ScriptedConfederate, ScriptedJudge, Seat
from contest.scripted.characters import confederates, judges
from contest.scripted.person import PAUSE
from lpp.clock import Clock, LoopClock
from lpp.names import BACKSPACE, char_of, keys_of
from lpp.wire import Author, Place
from tests.contest.scripted.table import Table

#: Few idle turns of the loop before time moves: nothing here waits for another thread.
virtual = pytest.mark.looptime(noop_cycles=4)

Player = Callable[[Seat, Clock], Awaitable[None]]
SIDES: tuple[Place, ...] = ("left", "right")
AUTHORS: tuple[Author, ...] = ("judge", "entity")


def spoken(table: Table, side: Place, author: Author) -> list[tuple[float, str]]:
    """An author's lines on a side: when each began, and its text."""
    lines: list[tuple[float, str]] = []
    begun, text = -1.0, ""
    for at, by, key in table.talk(side):
        if by == author:
            begun = at if begun < 0 else begun
            text = text[:-1] if key == BACKSPACE else text + (char_of(key) or "")
            if key == "Return":
                lines.append((begun, text.strip()))
                begun, text = -1.0, ""
    return [*lines, (begun, text)] if text else lines


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
async def test_a_round_of_25_minutes() -> None:
    judge = ScriptedJudge(judges()[0], 1)
    left, right = (ScriptedConfederate(confederates()[side], 2 + side) for side in range(2))
    table = await hold(judge.play, left.play, right.play)
    keys = table.talk("left") + table.talk("right")
    assert 2000 <= len(keys) <= 6500
    corrections = sum(key == BACKSPACE for _, _, key in keys)
    assert 0.002 < corrections / len(keys) < 0.06
    for side in SIDES:
        talk = table.talk(side)
        assert talk[0][1] == "judge", "the judge begins"
        assert all(char_of(key) for _, _, key in talk)
        for author in AUTHORS:
            lines = [text for _, text in spoken(table, side, author) if len(text) > 12]
            assert len(lines) >= 10
            assert len({*lines}) == len(lines), "nothing is said twice in one talk"
    [verdict] = table.judge.verdicts
    assert judge.likenesses[1, verdict.human] == min(judge.likenesses.values())
    assert table.judge.ranking is not None
    better = "A" if verdict.human == "left" else "B"
    assert table.judge.ranking[better] == min(table.judge.ranking.values())


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
    "2000 characters": typist(lambda _: [*keys_of("so long a line " * 133), "Return"], 0.01, 150.0),
    "never stops": typist(lambda _: keys_of("and "), 0.2, 0.0),
    "the same line": typist(lambda _: keys_of("I like my old bicycle best.\n"), 0.1, 12.0),
}


@virtual
@pytest.mark.parametrize("entry", list(ODD))
async def test_a_judge_copes_with_an_odd_entry(entry: str) -> None:
    table = await hold(
        ScriptedJudge(judges()[1]).play,
        ScriptedConfederate(confederates()[0]).play,
        ODD[entry],
        minutes=4.0,
    )
    [verdict] = table.judge.verdicts
    assert verdict.human == "left", verdict
    assert verdict.reason
    for side in SIDES:
        assert len(spoken(table, side, "judge")) >= 3, "nobody is waited for without end"


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


@virtual
async def test_a_confederate_waits_for_the_judge() -> None:
    who = confederates()[0]
    table = await hold(silent, ScriptedConfederate(who).play, silent, minutes=6.0)
    assert table.talk("left") == []
    table = await hold(
        judging((300.0, "hello\n")), ScriptedConfederate(who).play, silent, minutes=8.0
    )
    said = spoken(table, "left", "entity")
    assert said
    assert said[0][0] > 300.5


@virtual
async def test_a_line_without_return_is_answered_after_a_pause() -> None:
    who = confederates()[0]
    table = await hold(
        judging((1.0, "what is a spoon for")), ScriptedConfederate(who).play, silent, minutes=1.0
    )
    [(began, text), *_] = spoken(table, "left", "entity")
    assert "soup" in text.lower()
    assert began >= 1.0 + 1.9 + PAUSE


@virtual
async def test_a_confederate_copes_with_an_odd_judge() -> None:
    who = confederates()[0]
    table = await hold(
        judging(
            (1.0, "\n\n\n"),
            (10.0, "x" * 2000 + "\n"),
            (300.0, "\b\b\bok\b\b   \n"),
            (320.0, "one\ntwo\nthree\nwhat is a spoon for?\n"),
            (440.0, "\u6f22\u5b57 \u00e9\u00e9?\n"),
        ),
        ScriptedConfederate(who).play,
        silent,
        minutes=9.0,
    )
    said = spoken(table, "left", "entity")
    assert any(200 < began < 260 for began, _ in said), "the long line is answered"
    assert any("soup" in text.lower() for _, text in said)
    assert any(began > 440 for began, _ in said)
