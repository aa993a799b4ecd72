"""Somebody at a seat: phases, pauses, attempts, coming late, going away."""

from __future__ import annotations

import asyncio
import random

import pytest

from contest.people import (
    Person,
    ScriptedConfederate,
    ScriptedJudge,
    Seat,
    scripted_confederates,
    scripted_judges,
)
from contest.people.person import Sitting
from contest.people.seen import lines_of
from contest.people.table import Table, TableSeat
from judge_console.client import SeatClient
from lpp.clock import Clock, LoopClock
from lpp.pace import Pace
from lpp.wire import Place, RankThese, State, Talk

virtual = pytest.mark.looptime(noop_cycles=4)


def seated(table: Table, clock: Clock, judge: str = "marcus") -> list[asyncio.Task[None]]:
    """Everybody sits down at a table."""
    return [
        asyncio.create_task(ScriptedJudge(judge).play(table.judge, clock)),
        asyncio.create_task(ScriptedConfederate("ben").play(table.left, clock)),
        asyncio.create_task(ScriptedConfederate("lucia").play(table.right, clock)),
    ]


def begin(table: Table, round_: int, attempt: int = 1, seconds: float = 600.0) -> None:
    table.begin(round_, attempt)
    table.enter("interaction", seconds)


@virtual
async def test_in_a_pause_no_key_is_pressed_and_afterwards_the_line_goes_on() -> None:
    clock = LoopClock()
    table = Table(clock)
    players = seated(table, clock)
    begin(table, 1)
    await clock.sleep(100)
    before = list(table.panes["left"].shown)
    table.enter("paused", 500)
    await clock.sleep(300)
    assert table.panes["left"].shown == before
    table.enter("interaction", 500)
    await clock.sleep(100)
    after = table.panes["left"].shown
    assert after[: len(before)] == before
    assert len(after) > len(before) + 50
    judge_lines = [line for line in lines_of(table.talk("left")) if line.author == "judge"]
    openings = [line.text for line in judge_lines if "marcus here" in line.text]
    assert len(openings) <= 1, "the talk goes on, it does not begin again"
    table.enter("over")
    await asyncio.gather(*players)


@virtual
async def test_a_round_begun_again_begins_from_the_opening() -> None:
    clock = LoopClock()
    table = Table(clock)
    players = seated(table, clock)
    begin(table, 1)
    await clock.sleep(60)
    first = list(table.talk("left"))
    begin(table, 1, attempt=2)
    await clock.sleep(60)
    assert table.talk("left")[0][1] == "judge"
    assert table.talk("left")[0][0] > first[-1][0]
    table.enter("scoring", 300)
    await clock.sleep(200)
    [verdict] = table.judge.verdicts
    assert (verdict.round, verdict.attempt) == (1, 2)
    table.enter("over")
    await asyncio.gather(*players)


@virtual
async def test_a_judge_who_was_away_decides_by_what_the_screen_shows() -> None:
    clock = LoopClock()
    table = Table(clock)
    begin(table, 1)
    for key in "hi":
        table.pressed("left", "judge", key)
        table.pressed("left", "entity", key)
    table.enter("scoring", 300)
    judge = asyncio.create_task(ScriptedJudge("ines").play(table.judge, clock))
    await clock.sleep(200)
    assert len(table.judge.verdicts) == 1
    table.enter("over")
    await judge


@virtual
async def test_scoring_that_is_cut_short_still_gets_its_verdict() -> None:
    clock = LoopClock()
    table = Table(clock)
    players = seated(table, clock)
    begin(table, 1, seconds=30)
    await clock.sleep(30)
    table.enter("scoring", 10)
    await clock.sleep(9)
    assert len(table.judge.verdicts) == 1
    table.enter("scoring", 10)  # told again: nothing new
    await clock.sleep(9)
    assert len(table.judge.verdicts) == 1
    table.enter("over")
    await asyncio.gather(*players)


@virtual
async def test_asked_twice_a_judge_ranks_once_and_whom_he_never_met_in_the_middle() -> None:
    clock = LoopClock()
    table = Table(clock)
    players = seated(table, clock)
    begin(table, 1, seconds=200)
    await clock.sleep(200)
    table.enter("scoring", 300)
    await clock.sleep(300)
    table.enter("ranking")
    asked = RankThese({"P": [(1, 1, "left")], "Q": [(1, 1, "right")], "R": [(7, 1, "left")]})
    table.judge.tell(asked)
    table.judge.tell(asked)
    await clock.sleep(100)
    assert table.judge.ranking is not None
    assert sum(table.judge.ranking.values()) == 12
    assert table.judge.ranking["R"] == 6, "a person on both sides is less of a machine than that"
    table.enter("over")
    await asyncio.gather(*players)


@virtual
async def test_a_snapshot_in_the_middle_changes_nothing() -> None:
    clock = LoopClock()
    table = Table(clock)
    players = seated(table, clock)
    begin(table, 1)
    for _ in range(30):
        await clock.sleep(10)
        for place in table.judge.places:
            table.judge.tell(Talk(1, 1, place, list(table.judge.keys(place))))
        table.judge.tell(State("interaction", 1, 1, table.judge.places, 300_000))
    assert len(lines_of(table.talk("left"))) >= 8
    table.enter("over")
    await asyncio.gather(*players)


class Bye(TableSeat):
    """A seat that has no talks in this round."""

    @property
    def places(self) -> tuple[Place, ...]:
        return ()


@virtual
async def test_who_has_no_talks_in_a_round_sits_and_waits() -> None:
    clock = LoopClock()
    table = Table(clock)
    judge, confederate = Bye(table, "judge", {}), Bye(table, "entity", {})
    players = [
        asyncio.create_task(ScriptedJudge("walt").play(judge, clock)),
        asyncio.create_task(ScriptedConfederate("ben").play(confederate, clock)),
    ]
    for phase in ("interaction", "scoring", "closed", "over"):
        begin(table, 1)
        for seat in (judge, confederate):
            seat.tell(State(phase, 1, 1))
        await clock.sleep(100)
    await asyncio.gather(*players)
    assert judge.verdicts == []
    assert table.talk("left") == []


@virtual
async def test_a_talk_whose_snapshot_comes_late_is_waited_for() -> None:
    clock = LoopClock()
    table = Table(clock)
    late = LateSeat(table, "judge", {"left": "left", "right": "right"})
    player = asyncio.create_task(ScriptedJudge("harriet").play(late, clock))
    begin(table, 1)
    late.tell(State("interaction", 1, 1, late.places))
    await clock.sleep(60)
    assert table.talk("left") == table.talk("right") == []
    late.here = True
    await clock.sleep(30)
    lines = lines_of(table.talk("left")) or lines_of(table.talk("right"))
    assert lines[0].text[0].isupper(), "no key of the first line is lost"
    late.tell(State("over"))
    await player


class LateSeat(TableSeat):
    """A seat that takes no key until its talks are here."""

    here = False

    async def press(self, place: Place, key: str) -> bool:
        return self.here and await super().press(place, key)


@virtual
async def test_a_closed_seat_ends_the_play() -> None:
    client = SeatClient("ws://127.0.0.1:1/seat", "secret")
    await client.close()
    async with asyncio.timeout(1):
        await ScriptedJudge("walt").play(client, LoopClock())


class Clumsy(Person):
    """Somebody with a bug."""

    async def talk(self, sitting: Sitting, round_: int) -> None:
        raise ZeroDivisionError

    async def score(self, sitting: Sitting, round_: int) -> None: ...

    async def rank(self, seat: Seat, clock: Clock, asked: RankThese) -> None: ...


@virtual
async def test_a_bug_of_ours_is_not_hidden() -> None:
    clock = LoopClock()
    table = Table(clock)
    begin(table, 1)
    with pytest.raises(ExceptionGroup) as caught:
        await Clumsy("clumsy", Pace(), "judge", 0).play(table.judge, clock)
    assert caught.group_contains(ZeroDivisionError)


@virtual
async def test_what_can_not_be_typed_is_left_out() -> None:
    clock = LoopClock()
    table = Table(clock)
    begin(table, 1)
    sitting = Sitting(table.left, clock, Pace(slips=0.0), random.Random(1), "entity")
    assert await sitting.type("only", "a\x07b\u00e9\n")
    assert [key for _, _, key in table.talk("left")] == ["a", "b", "\u00e9", "Return"]
    table.enter("closed")
    sitting.look()
    typing = asyncio.create_task(sitting.type("only", "more"))
    await clock.sleep(60)
    assert not typing.done(), "a talk may go on after a pause"
    typing.cancel()


def test_as_many_people_as_are_wanted() -> None:
    assert [judge.name for judge in scripted_judges(5)] == [
        *("harriet", "ines", "marcus", "walt", "harriet"),
    ]
    assert len({person.name for person in scripted_confederates(4)}) == 4
    assert scripted_judges(0) == []


def test_a_consoles_client_is_a_seat() -> None:
    client = SeatClient("ws://127.0.0.1:1/seat", "secret")
    seat: Seat = client  # mypy compares each signature
    assert isinstance(seat, Seat)
    table_seat: Seat = Table(LoopClock()).judge
    assert isinstance(table_seat, Seat)
