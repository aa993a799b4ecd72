"""A seat without a server, on directories in memory and on virtual time: no disk, no window."""

from __future__ import annotations

import asyncio
import errno
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from judge_console.desk import RETRY
from judge_console.desklink import SameDirectory
from judge_console.deskopening import BadMinutes, open_confederate, open_desk
from judge_console.deskseat import DeskSeat
from judge_console.model.desknotes import (
    Breach,
    Closed,
    Ended,
    KeyNote,
    LeftOvers,
    Note,
    Noted,
    Opening,
    Times,
    Trouble,
    VerdictNote,
)
from judge_console.seat import Lost, SeatEvent
from judge_console.texts import load
from lpp.channel import DirectoryChannel
from lpp.errors import BadDirectory
from lpp.keypress import Side
from lpp.names import keys_of
from lpp.testing import MemoryDirectory, ScriptedPeer
from lpp.violations import Rule
from lpp.wire import Key, Saved, State, Welcome
from tests.lpp.faulty import FaultyDirectory

pytestmark = pytest.mark.looptime


class MemoryRecord:
    """A record in memory, with the troubles of a disk while they are set."""

    slow = False
    where = "memory"

    def __init__(self) -> None:
        self.noted: list[Noted] = []
        self.error: BaseException | None = None
        self.closed = 0

    def write(self, notes: Sequence[Noted]) -> None:
        if self.error is not None:
            raise self.error
        self.noted += notes

    def close(self) -> None:
        self.closed += 1

    @property
    def notes(self) -> list[Note]:
        return [noted.note for noted in self.noted]

    def of(self, kind: type) -> list[Any]:
        return [note for note in self.notes if isinstance(note, kind)]

    def keys(self, author: str, *, shown: bool = True) -> list[str]:
        return [
            note.key
            for note in self.notes
            if isinstance(note, KeyNote)
            and note.author == author
            and (note.out_of_phase is None) == shown
        ]


class Stand:
    """A judge's desk with a scripted peer behind each side; events are gathered."""

    def __init__(self, seat: DeskSeat, record: MemoryRecord, peers: dict[str, ScriptedPeer]):
        self.seat = seat
        self.record = record
        self.peers = peers
        self.events: list[SeatEvent] = []
        self.error: BaseException | None = None

    async def gather(self) -> None:
        try:
            async for event in self.seat:
                self.events.append(event)
        except Exception as exc:  # noqa: BLE001 -- looked at by the test
            self.error = exc

    async def say(self, place: Any, text: str) -> None:
        for key in keys_of(text):
            assert await self.seat.press(place, key)
        await asyncio.sleep(0.3)

    def phase(self) -> str:
        return self.seat.phase

    def connected(self) -> bool:
        return self.seat.connected

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def shown(self, place: Any, author: str) -> list[str]:
        return [key for by, key in self.seat.keys(place) if by == author]


@asynccontextmanager
async def desk(directories: Sequence[Any] | None = None, **options: Any) -> AsyncIterator[Stand]:
    """A desk over directories, two in memory if none are given."""
    loop = asyncio.get_running_loop()
    places = (
        [MemoryDirectory("memory/alpha"), MemoryDirectory("memory/beta")]
        if directories is None
        else directories
    )
    record = MemoryRecord()
    seat = open_desk(*places, recorder=record, monotonic=loop.time, **options)
    channels = [DirectoryChannel(place, side=Side.OTHER) for place in places]
    peers = dict(zip(("left", "right"), map(ScriptedPeer, channels), strict=False))
    stand = Stand(seat, record, peers)
    async with asyncio.TaskGroup() as group:
        for channel in channels:
            await channel.__aenter__()
        async with seat:
            group.create_task(stand.gather())
            await seat.ready()
            await asyncio.sleep(0.1)
            yield stand
        for channel in channels:
            await channel.close()


async def test_keys_go_both_ways_and_are_removed() -> None:
    places = [MemoryDirectory("memory/alpha"), MemoryDirectory("memory/beta")]
    async with desk(places) as stand:
        assert stand.phase() == "interaction"
        await stand.say("left", "Hi?\n")
        assert await stand.peers["left"].line(5) == "Hi?"
        await stand.peers["left"].say("Yes\n")
        await stand.say("right", "You?\n")
        assert await stand.peers["right"].line(5) == "You?"
        await asyncio.sleep(0.5)
        assert stand.shown("left", "entity") == ["Y", "e", "s", "Return"]
        assert stand.shown("right", "entity") == []
        assert all(talk.unconfirmed == 0 for talk in stand.seat.model.talks.values())
        assert [place.names() for place in places] == [[], []]
        assert stand.record.keys("entity") == ["Y", "e", "s", "Return"]
    # All of them were seen: the judge's in the directories, the entity's on the screen.
    times = [row for note in stand.record.of(Times) for row in note.rows]
    assert len(times) == len("Hi?\nYes\nYou?\n")
    assert all(shown is not None and durable <= shown for _, durable, shown in times)


async def test_a_whole_session_from_the_first_key_to_the_sides() -> None:
    async with desk(minutes=1, scoring_minutes=0.5) as stand:
        assert stand.seat.remaining() == 60
        await asyncio.sleep(10)
        assert stand.seat.remaining() == 60
        await stand.say("left", "H")
        await stand.peers["left"].say("x")
        await asyncio.sleep(29.7)
        assert stand.seat.remaining() == pytest.approx(30, abs=0.01)
        await asyncio.sleep(30.1)
        assert stand.phase() == "scoring"
        assert not await stand.seat.press("left", "i")
        await stand.seat.verdict("left", 60, "quick")
        await asyncio.sleep(1)
        assert [saved.human for saved in stand.of(Saved)] == ["left"]
        assert stand.seat.unsaved == frozenset()
        await asyncio.sleep(30)
        assert stand.phase() == "over"
        assert stand.of(State)[-1].reason == "The human was on the RIGHT."
        assert stand.seat.human == "right"
        assert stand.connected()
    assert stand.record.notes[-1] == Closed()
    assert stand.record.of(VerdictNote) == [VerdictNote("left", 1, 60, "quick")]
    assert stand.record.closed == 1


async def test_ended_by_hand_the_sides_are_told_at_once() -> None:
    async with desk(minutes=0, scoring_minutes=0) as stand:
        await stand.say("left", "H")
        assert stand.seat.remaining() is None
        await stand.seat.end()
        await asyncio.sleep(0.1)
        assert stand.phase() == "scoring"
        await stand.seat.end()
        await asyncio.sleep(0.1)
        assert stand.phase() == "over"
    assert stand.record.of(Ended) == [Ended("judge")]


async def test_who_ends_the_talk_twice_can_still_give_a_verdict() -> None:
    async with desk(minutes=0, scoring_minutes=0) as stand:
        await stand.say("left", "H")
        await stand.seat.end()
        await stand.seat.end()
        await asyncio.sleep(0.1)
        assert stand.phase() == "scoring"
        await stand.seat.verdict("right")
        await asyncio.sleep(0.1)
        assert [saved.human for saved in stand.of(Saved)] == ["right"]


async def test_practice_is_with_one_partner() -> None:
    async with desk([MemoryDirectory()], minutes=1) as stand:
        assert stand.seat.places == ("left",)
        assert stand.seat.human is None
        await stand.say("left", "H")
        await asyncio.sleep(60)
        assert stand.phase() == "over"
    opening = stand.record.notes[0]
    assert isinstance(opening, Opening)
    assert (opening.contest, opening.sitters, opening.human) == (
        "Practice",
        {"left": "memory"},
        None,
    )


async def test_left_overs_are_cleared_away_told_and_recorded() -> None:
    places = [MemoryDirectory("memory/alpha"), MemoryDirectory("memory/beta")]
    places[0].make("0000000003.x.other")
    places[0].make("0000000007.y.other")
    places[1].make("notes.txt")
    async with desk(places) as stand:
        assert stand.record.of(LeftOvers) == [
            LeftOvers("left", ("0000000003.x.other", "0000000007.y.other"))
        ]
        said = stand.of(State)[-1].reason
        assert said == "2 key presses of an earlier talk were cleared away."
        assert stand.seat.keys("left") == []
        assert places[0].names() == []
        assert places[1].names() == ["notes.txt"]
        assert [(n.side, n.rule) for n in stand.record.notes if isinstance(n, Breach)] == [
            ("right", Rule.NAME.value)
        ]


async def test_an_entity_that_does_not_wait_is_recorded_and_not_shown() -> None:
    async with desk() as stand:
        await stand.peers["right"].say("early")
        await asyncio.sleep(0.3)
        await stand.say("right", "H")
        await stand.peers["right"].say("late")
        await asyncio.sleep(0.5)
        assert "".join(stand.shown("right", "entity")) == "late"
        assert "".join(stand.record.keys("entity", shown=False)) == "early"


async def test_a_directory_that_is_away_is_said_calmly_and_nothing_is_lost() -> None:
    faulty = FaultyDirectory(MemoryDirectory("memory/alpha"))
    async with desk([faulty, MemoryDirectory("memory/beta")]) as stand:
        await stand.say("left", "H")
        away = OSError(errno.ENOENT, "No such file or directory")
        faulty.list_error = faulty.make_error = away
        await stand.say("left", "ello")
        await stand.say("right", "Hi")
        await asyncio.sleep(2)
        said = "The directory on the left cannot be used at the moment: "
        [lost] = stand.of(Lost)
        assert lost.trouble.startswith(said)
        assert not stand.connected()
        # The other side goes on as if nothing were.
        await stand.peers["right"].say("x")
        await asyncio.sleep(0.5)
        assert stand.shown("right", "entity") == ["x"]
        assert stand.seat.model.talks["left"].unconfirmed == 0
        faulty.list_error = faulty.make_error = None
        await asyncio.sleep(2)
        assert stand.connected()
        assert isinstance(stand.events[-1], Welcome)
        heard = [(await stand.peers["left"].key(5)).press.key for _ in "Hello"]
        assert heard == list("Hello")
    assert any(isinstance(note, Trouble) for note in stand.record.notes)


async def test_a_directory_that_takes_no_keys_is_said_once_and_until_it_does() -> None:
    faulty = FaultyDirectory(MemoryDirectory("memory/alpha"))
    async with desk([faulty]) as stand:
        faulty.make_error = OSError(errno.ENOSPC, "No space left on device")
        await stand.say("left", "Hi")
        await asyncio.sleep(5)
        [lost] = stand.of(Lost)
        assert "No space left on device" in lost.trouble
        assert "alpha" not in lost.trouble
        assert not stand.connected()
        faulty.make_error = None
        await asyncio.sleep(2)
        assert stand.connected()
        heard = [(await stand.peers["left"].key(5)).press.key for _ in "Hi"]
        assert heard == ["H", "i"]


async def test_a_record_that_cannot_be_written_holds_keys_back_until_it_can() -> None:
    async with desk() as stand:
        await stand.say("left", "H")
        stand.record.error = OSError(errno.ENOSPC, "No space left on device")
        await stand.peers["left"].say("x")
        await stand.say("left", "i")
        await asyncio.sleep(3 * RETRY)
        assert stand.shown("left", "entity") == []
        assert stand.seat.model.talks["left"].unconfirmed == 1
        [lost] = stand.of(Lost)
        assert lost.trouble == (
            "The record cannot be written at the moment: No space left on device"
        )
        assert stand.seat.keys("left")[-1] == ("judge", "i")
        stand.record.error = None
        await asyncio.sleep(2 * RETRY)
        assert stand.shown("left", "entity") == ["x"]
        assert stand.seat.model.talks["left"].unconfirmed == 0
        assert stand.connected()
        assert stand.record.keys("judge") == ["H", "i"]
        heard = [(await stand.peers["left"].key(5)).press.key for _ in "Hi"]
        assert heard == ["H", "i"]


async def test_a_record_that_fails_at_the_very_end_does_not_keep_the_seat(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with desk() as stand:
        await stand.say("left", "H")
        stand.record.error = OSError(errno.ENOSPC, "No space left on device")
    assert stand.record.closed == 1
    assert "No space left" in caplog.text
    assert not stand.record.of(Closed)


async def test_a_bug_in_the_record_ends_the_seat_and_is_told() -> None:
    async with desk() as stand:
        stand.record.error = ValueError("a bug")
        await stand.say("left", "H")
        await asyncio.sleep(1)
        assert isinstance(stand.error, ValueError)
        assert stand.record.closed == 1


async def test_leaving_in_the_middle_closes_the_record() -> None:
    async with desk() as stand:
        await stand.say("left", "H")
        for key in "ello":
            await stand.seat.press("left", key)
        await asyncio.sleep(0)
    assert stand.record.of(Ended) == [Ended("judge")]
    assert stand.record.notes[-1] == Closed()
    assert stand.record.closed == 1
    recorded = "".join(stand.record.keys("judge"))
    assert "Hello".startswith(recorded)


async def test_sides_are_drawn_by_chance_and_nothing_tells_them() -> None:
    where = set()
    for seed in range(8):
        places = [MemoryDirectory("memory/alpha"), MemoryDirectory("memory/beta")]
        faulty = [FaultyDirectory(place) for place in places]
        drawing = random.Random(seed)
        async with desk(faulty, sides="random", human="left", minutes=0, rng=drawing) as stand:
            for place in ("left", "right"):
                await stand.say(place, "Hi\n")
            for directory in faulty:
                directory.list_error = OSError(errno.EIO, "Input/output error")
            await asyncio.sleep(1)
            said = repr(stand.events)
            # The peer behind the directory that was given as left is the human.
            await stand.peers["left"].say("x")
            for directory in faulty:
                directory.list_error = None
            await asyncio.sleep(2)
            [key] = stand.of(Key)
            assert key.place == stand.seat.human
            where.add(key.place)
            assert "alpha" not in said
            assert "beta" not in said
            opening = stand.record.notes[0]
            assert isinstance(opening, Opening)
            assert opening.drawn
            assert opening.sitters[key.place] == "alpha"
            assert opening.human == key.place
    assert where == {"left", "right"}


async def test_judge_and_confederate_at_two_desks_and_one_directory() -> None:
    loop = asyncio.get_running_loop()
    between, record = MemoryDirectory(), MemoryRecord()
    human = open_confederate(between, recorder=record, monotonic=loop.time)
    judge = open_desk(between, minutes=0, monotonic=loop.time)
    async with human, judge:
        await human.ready()
        await judge.ready()
        await asyncio.sleep(0.5)
        # What he types before the judge begins is on record, and goes nowhere.
        assert await human.press("only", "x")
        for key in keys_of("Hello?\n"):
            assert await judge.press("left", key)
        await asyncio.sleep(0.5)
        for key in keys_of("Hi,\b!\n"):
            assert await human.press("only", key)
        await asyncio.sleep(0.5)
        judged = [key for by, key in judge.keys("left") if by == "entity"]
        assert judged == keys_of("Hi,\b!\n")
        assert [key for by, key in human.keys("only") if by == "judge"] == keys_of("Hello?\n")
        assert human.remaining() is None
    assert record.keys("entity", shown=False) == ["x"]
    assert record.keys("judge") == keys_of("Hello?\n")


async def test_a_confederate_clears_nothing_away_for_the_judge_may_have_come_first() -> None:
    between = MemoryDirectory()
    between.make("0000000001.H.judge")
    human = open_confederate(between, monotonic=asyncio.get_running_loop().time)
    async with human:
        await human.ready()
        await asyncio.sleep(0.5)
        assert human.keys("only") == [("judge", "H")]


async def test_what_can_be_no_desk_is_refused_at_once(tmp_path: Path) -> None:
    left, file = tmp_path / "left", tmp_path / "file"
    left.mkdir()
    file.touch()
    with pytest.raises(BadDirectory):
        open_desk(tmp_path / "missing")
    with pytest.raises(BadDirectory):
        open_desk(left, file)
    with pytest.raises(BadDirectory):
        open_confederate(file)
    (tmp_path / "same").symlink_to(left)
    with pytest.raises(SameDirectory):
        open_desk(left, tmp_path / "same")
    for minutes in (-1, float("nan"), float("inf"), 1e9):
        with pytest.raises(BadMinutes):
            open_desk(left, minutes=minutes)
        with pytest.raises(BadMinutes):
            open_confederate(left, minutes=minutes)


async def test_a_desk_speaks_the_language_that_it_is_given() -> None:
    async with desk(texts=load("de"), minutes=0) as stand:
        assert stand.of(Welcome)[0].contest == "Gespräch ohne Server"
        await stand.say("left", "H")
        await stand.seat.end()
        await asyncio.sleep(0.1)
        await stand.seat.end()
        await asyncio.sleep(0.1)
        assert stand.of(State)[-1].reason == "Der Mensch war RECHTS."


async def test_a_flood_comes_in_whole_and_in_order() -> None:
    place = MemoryDirectory()
    async with desk([place]) as stand:
        await stand.say("left", "H")
        keys = random.Random(1).choices("abcdefgh", k=6000)
        await stand.peers["left"].press(*keys)
        await asyncio.sleep(20)
        assert stand.shown("left", "entity") == keys
        assert place.names() == []
