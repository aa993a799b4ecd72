"""Somebody at a seat: phases, pauses, attempts, coming late, going away."""

from __future__ import annotations

import asyncio

import pytest

from contest.scripted import Person, ScriptedConfederate, ScriptedJudge, Seat
from contest.scripted.characters import confederates, judges
from contest.scripted.person import PAUSE, Transcript, Turn
from judge_console.client import SeatClient
from lpp.clock import Clock, LoopClock
from lpp.names import keys_of
from lpp.pace import Pace
from lpp.wire import Author, Place, RankThese, State
from tests.contest.scripted.table import Table, TableSeat

virtual = pytest.mark.looptime(noop_cycles=4)
JUDGES = {judge.name: judge for judge in judges()}
CONFEDERATES = {confederate.name: confederate for confederate in confederates()}


def lines_of(table: Table, author: Author) -> list[str]:
    """An author's lines on the left."""
    transcript = Transcript()
    transcript.read(table.panes["left"].shown, 0.0)
    return transcript.by(author)


def seated(table: Table, clock: Clock, judge: str = "marcus") -> list[asyncio.Task[None]]:
    """Everybody sits down at a table."""
    return [
        asyncio.create_task(ScriptedJudge(JUDGES[judge]).play(table.judge, clock)),
        asyncio.create_task(ScriptedConfederate(CONFEDERATES["ben"]).play(table.left, clock)),
        asyncio.create_task(ScriptedConfederate(CONFEDERATES["lucia"]).play(table.right, clock)),
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
    openings = {*JUDGES["marcus"].lines["opening"]}
    assert sum(line in openings for line in lines_of(table, "judge")) <= 1, (
        "the talk goes on, it does not begin again"
    )
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
async def test_a_talk_whose_snapshot_comes_late_is_waited_for() -> None:
    clock = LoopClock()
    table = Table(clock)
    late = LateSeat(table, "judge", {"left": "left", "right": "right"})
    player = asyncio.create_task(ScriptedJudge(JUDGES["harriet"]).play(late, clock))
    begin(table, 1)
    late.tell(State("interaction", 1, 1, late.places))
    await clock.sleep(60)
    assert table.talk("left") == table.talk("right") == []
    late.here = True
    await clock.sleep(30)
    first = (table.talk("left") or table.talk("right"))[0]
    assert first[2].isupper(), "no key of the first line is lost"
    late.tell(State("over"))
    await player


class LateSeat(TableSeat):
    """A seat that takes no key until its talks are here."""

    here = False

    async def press(self, place: Place, key: str) -> bool:
        return self.here and await super().press(place, key)


class Clumsy(Person):
    """Somebody with a bug."""

    async def talk(self, turn: Turn) -> None:
        raise ZeroDivisionError


@virtual
async def test_a_bug_of_ours_is_not_hidden() -> None:
    clock = LoopClock()
    table = Table(clock)
    begin(table, 1)
    with pytest.raises(ExceptionGroup) as caught:
        await Clumsy("clumsy", Pace(), "judge", 0).play(table.judge, clock)
    assert caught.group_contains(ZeroDivisionError)


def test_a_line_ends_with_return_or_a_pause() -> None:
    transcript = Transcript()
    shown: list[tuple[Author, str]] = []
    for now, author, text in (
        (0.0, "judge", "hellp\bo\n"),
        (1.0, "entity", "well, "),
        (2.0, "judge", "?\n\n"),
        (1.0 + PAUSE, "judge", ""),
        (20.0, "entity", "yes"),
    ):
        shown += [(author, key) for key in keys_of(text)]  # type: ignore[misc]
        transcript.read(shown, now)
    assert transcript.lines == [("judge", "hello"), ("judge", "?"), ("entity", "well, ")]
    assert transcript.unsent == {"judge": "", "entity": "yes"}
    transcript.read([], 21.0)  # a seat that reconnects
    transcript.read(shown, 22.0)
    assert transcript.unsent["entity"] == "yes"


def test_a_consoles_client_is_a_seat() -> None:
    client = SeatClient("ws://127.0.0.1:1/seat", "secret")
    seat: Seat = client  # mypy compares each signature
    assert isinstance(seat, Seat)
    table_seat: Seat = Table(LoopClock()).judge
    assert isinstance(table_seat, Seat)
