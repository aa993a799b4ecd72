"""Tests asking on virtual time: the questions, the end of an answer, programs that die, stay
silent, are late or never send a Return, and continuing after an interruption."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import cast

import pytest

from contest.errors import BadOrder, WrongMoment
from contest.record.events import Event
from contest.record.season import LineAsked, LineBegun, LineEnded, SittingKey
from contest.screening import marking
from contest.screening.ask import Opened, Subject, ask, set_paper, subjects_of
from contest.screening.paper import Paper, Question
from contest.screening.season import Season
from contest.screening.sitting import Answer, Sitting
from contest.screening.state import Asked
from lpp.channel import DirectoryChannel
from lpp.errors import UserError
from lpp.lines import Pane
from lpp.names import keys_of
from lpp.pace import Pace
from lpp.program import Program
from lpp.testing import MemoryDirectory
from tests.contest.screening.seasons import (
    Life,
    Quiet,
    answers,
    asking_options,
    begin,
    dies,
    lines,
    new_contest,
    on_virtual_time,
    opened,
    press,
    sat,
    season_body,
    silent,
)

FAST = Pace(0.05, 0.3, 0.0, 0.1, 0.2)
CATS = Question("things-1", "things", "What says meow?", words=("cat",))
DOGS = Question("things-2", "things", "What says woof?", words=("dog",))
COWS = Question("things-3", "things", "What says moo?", words=("cow",))
TOLD = "Ben went to the beach."
WHO = Question("memory-1", "memory", "Who went to the beach?", about=TOLD, words=("Ben",))
PAPER = Paper(None, (CATS, DOGS, COWS))
RIGHT = {"meow": "A cat.", "woof": "A dog.", "moo": "A cow."}


def right(line: str) -> str:
    return next((said for sound, said in RIGHT.items() if sound in line), "Who knows?")


@pytest.fixture
def season(tmp_path: Path) -> Iterator[Season]:
    with opened(new_contest(tmp_path / "contest")) as made:
        begin(made, ["E1", "E2", "E3", "E4"])
        yield made


def sitting_of(season: Season, what: Asked, id_: str = "E1") -> tuple[Sitting, dict[str, Answer]]:
    """A sitting, and its answers."""
    sitting = season.state.sittings[id_]
    return sitting, sitting.answers(what.paper)


async def asked(
    season: Season, paper: Paper, lives: dict[str, Life], told: Quiet | None = None
) -> Asked:
    what = set_paper(season, paper, typing_seed=1)
    await ask(
        season,
        what,
        [Subject(id_, "x {dir}") for id_ in lives],
        asking_options(lives, pace=FAST),
        told or Quiet(),
    )
    return what


@on_virtual_time
async def test_each_answer_is_stored_with_its_question(season: Season) -> None:
    told = Quiet()
    what = await asked(season, PAPER, {"E1": answers(right), "E2": answers(str.upper)}, told)
    assert list(season.state.sittings) == ["E1", "E2"]
    one, found = sitting_of(season, what)
    assert one.ended
    assert [answer.text for answer in found.values()] == list(RIGHT.values())
    assert {answer.how for answer in found.values()} == {"quiet"}
    assert sitting_of(season, what, "E2")[1]["things-2"].text == "WHAT SAYS WOOF?"
    assert one.talk[:2] == [("judge", "What says meow?"), ("entity", "A cat.")]
    assert ("E1", "quiet", 3) in told.told


@on_virtual_time
async def test_an_answer_ends_soon_after_its_last_key(season: Season) -> None:
    """An answer ends after 6 s of quiet after a Return or 8 s without one, not after the time for
    silence."""
    for id_, end, quiet in (("E1", "\n", 6), ("E2", "", 8)):
        began = asyncio.get_running_loop().time()
        await asked(season, PAPER, {id_: answers(right, after=1, end=end)})
        took = asyncio.get_running_loop().time() - began
        # A line is typed and answered in at most five seconds.
        assert 3 * quiet < took < 3 * (quiet + 5)


@on_virtual_time
async def test_all_subjects_get_the_same_keys_and_corrections(season: Season) -> None:
    await asked(season, PAPER, {"E1": answers(right), "E2": silent})
    typed = {
        id_: [
            body.key
            for event in season.record.events(f"screening.{id_}")
            if isinstance(body := season_body(event), SittingKey) and body.author == "judge"
        ]
        for id_ in ("E1", "E2")
    }
    assert typed["E1"] == typed["E2"]
    assert "BackSpace" in typed["E1"]
    assert Pane(typed["E1"]).text == "What says meow?\nWhat says woof?\nWhat says moo?\n"


@on_virtual_time
async def test_a_correction_in_an_answer_is_applied(season: Season) -> None:
    async def live(channel: DirectoryChannel, _nth: int) -> None:
        async for _ in lines(channel):
            await press(channel, "A bat")
            for key in ("BackSpace", "BackSpace", "BackSpace"):
                await channel.send(key)
            await press(channel, "cat.\n")

    what = await asked(season, PAPER, {"E1": live})
    answer = sitting_of(season, what)[1]["things-1"]
    assert answer.text == "A cat."


@on_virtual_time
async def test_a_silent_program_takes_only_its_time_limit(season: Season) -> None:
    what = await asked(season, PAPER, {"E1": silent})
    sitting, found = sitting_of(season, what)
    assert [answer.how for answer in found.values()] == ["silent"] * 3
    assert sitting.ended
    took = asyncio.get_running_loop().time()
    # Three questions, and one more wait for late text.
    assert 4 * 45 < took < 4 * 45 + 30


@on_virtual_time
async def test_endless_answers_are_cut_off_and_the_rest_is_late(season: Season) -> None:
    async def live(channel: DirectoryChannel, _nth: int) -> None:
        async for _ in lines(channel):
            for _ in range(50):
                await asyncio.sleep(4)
                await press(channel, "On and on.\n")

    what = await asked(season, Paper(None, (CATS,)), {"E1": live})
    answer = sitting_of(season, what)[1]["things-1"]
    assert answer.how == "too-long"
    assert answer.late
    assert answer.text.count("On and on.") > 15


@on_virtual_time
async def test_a_late_answer_is_kept_with_both_questions(season: Season) -> None:
    what = await asked(season, PAPER, {"E1": answers(right, after=50)})
    _, found = sitting_of(season, what)
    first, second, third = found.values()
    assert first.how == "silent"
    assert first.text == ""
    # The answer to the first question came after the second one.
    assert second.text == "A cat."
    assert first.belonging == "A cat."
    # From now on it is behind: text after the next question may belong to this one.
    assert second.belonging == "A cat.\nA dog.\nA cow."
    assert third.belonging == "A dog.\nA cow."


@pytest.mark.parametrize(
    ("keys", "answer_texts", "late"),
    [
        # The judge's Return of the second question comes within a line.
        ([(-1.0, "I "), (0.1, "see.\n"), (3.0, "A dog.\n")], ["", "A dog."], ["I see."]),
        # A program that never presses Return pauses between its answers.
        ([(-20.0, "A cat."), (3.0, "A dog.")], ["", "A dog."], ["A cat."]),
        ([(-1.0, "I see.\n"), (0.1, "A dog.\n")], ["", "A dog."], ["I see."]),
    ],
)
def test_a_line_belongs_where_it_began(
    keys: list[tuple[float, str]], answer_texts: list[str], late: list[str]
) -> None:
    """The texts are typed at seconds before or after the Return of the second question; the first
    one got no answer in time."""
    sitting, local = Sitting("E1"), dt.datetime(2010, 6, 30, 9, 30)
    typed = [
        (at + nth / 20, SittingKey("entity", key))
        for at, text in keys
        for nth, key in enumerate(keys_of(text))
    ]
    bodies = [
        (-100.0, LineAsked("things-1", True, local)),
        (-55.0, LineEnded("things-1", True, "silent")),
        (0.0, LineAsked("things-2", True, local)),
        *typed,
    ]
    for at, body in sorted(bodies, key=lambda each: each[0]):
        ns = round((1000 + at) * 1e9)
        sitting.apply(
            Event(1, "screening.E1", "2010-06-30T09:30:00Z", ns, "E1", body.kind, {}), body
        )
    sitting.apply(
        Event(1, "screening.E1", "2010-06-30T09:30:00Z", 0, "judge", LineEnded.kind, {}),
        LineEnded("things-2", True, "quiet"),
    )
    first, second = sitting.answers(PAPER).values()
    assert [first.text, second.text] == answer_texts
    assert first.late == late


@on_virtual_time
async def test_a_line_that_began_before_the_question_does_not_end_its_answer(
    season: Season,
) -> None:
    """The entry types the rest of a line after the judge's Return, thinks, and answers."""

    async def live(channel: DirectoryChannel, nth: int) -> None:
        async for received in channel:
            if received.press.key == "Return":
                await press(channel, "yes, I see.\n")
                await asyncio.sleep(10)
                await press(channel, "A cat.\n")
            elif received.press.key == "m":
                await press(channel, "Well, ")

    what = await asked(season, PAPER, {"E1": live})
    found = sitting_of(season, what)[1]["things-1"]
    assert found.text == "A cat."


@on_virtual_time
async def test_a_dead_program_is_restarted_and_asked_the_next_question(season: Season) -> None:
    what = await asked(season, PAPER, {"E1": dies("woof")})
    sitting, found = sitting_of(season, what)
    assert [answer.how for answer in found.values()] == ["quiet", "died", "quiet"]
    assert found["things-3"].text == "You said: What says moo?"
    assert sitting.starts == 2
    assert sitting.deaths == ["exit code 1"]


@on_virtual_time
async def test_a_program_that_dies_at_every_key_finishes_its_sitting(season: Season) -> None:
    async def live(channel: DirectoryChannel, _nth: int) -> None:
        await channel.__anext__()

    what = await asked(season, PAPER, {"E1": live})
    sitting, found = sitting_of(season, what)
    assert [answer.how for answer in found.values()] == ["died"] * 3
    assert sitting.starts == 6


@on_virtual_time
async def test_a_program_that_can_not_be_started_does_not_delay_others(season: Season) -> None:
    lives: dict[str, Life] = {"E1": answers(right), "E2": answers(right)}
    here = asking_options(lives, pace=FAST)

    class Never:
        words = ["missing"]  # noqa: RUF012 -- the protocol has a mutable attribute
        running = False
        ending = ""
        has_output = False

        async def start(self, _changed: object) -> None:
            raise UserError("there is no such program")

        async def stop(self) -> None:
            pass

    @contextlib.asynccontextmanager
    async def opens(subject: Subject) -> AsyncIterator[Opened]:
        if subject.id == "E2":
            yield MemoryDirectory(), cast(Program, Never())
        else:
            async with here.opens(subject) as both:
                yield both

    told = Quiet()
    what = set_paper(season, PAPER)
    subjects = [Subject(id_, "x {dir}") for id_ in lives]
    failed = await ask(season, what, subjects, here._replace(opens=opens), told)
    assert failed == {"E2": "there is no such program"}
    sittings = season.state.sittings
    assert sittings["E1"].ended
    assert not sittings["E2"].ended


@on_virtual_time
async def test_asking_continues_after_an_interruption(season: Season) -> None:
    paper = Paper(
        None,
        (Question("things-1", "things", CATS.text, (TOLD,), words=CATS.words), DOGS, COWS, WHO),
    )
    lives: dict[str, Life] = {"E1": answers(right)}
    what = set_paper(season, paper)

    class Watching(Quiet):
        two = asyncio.Event()

        def __call__(self, subject: str, what: str, done: int) -> None:
            if done == 2:
                self.two.set()

    watching = Watching()
    first = asyncio.create_task(
        ask(season, what, [Subject("E1", "x {dir}")], asking_options(lives, pace=FAST), watching)
    )
    await watching.two.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    told = Quiet()
    await ask(season, what, [Subject("E1", "x {dir}")], asking_options(lives, pace=FAST), told)
    assert told.told[0] == ("E1", "begins", 2)
    sitting, found = sitting_of(season, what)
    assert sitting.ended
    assert list(found) == ["things-1", "things-2", "things-3", "memory-1"]
    bodies = map(season_body, season.record.events())
    begun = [body for body in bodies if isinstance(body, LineBegun)]
    assert [body.question for body in begun if body.asks].count("things-1") == 1
    # Statements from before the break are repeated if a question about them is still to come.
    assert [body.again for body in begun if not body.asks] == [False, True]
    # A subject that has finished is not asked again.
    events = season.record.chains.last_seq
    await ask(season, what, [Subject("E1", "x {dir}")], asking_options(lives, pace=FAST), told)
    assert season.record.chains.last_seq == events


def test_the_paper_can_be_set_only_once(season: Season) -> None:
    with pytest.raises(BadOrder, match="--paper"):
        set_paper(season, None)
    what = set_paper(season, PAPER)
    assert set_paper(season, None) == set_paper(season, PAPER) == what
    with pytest.raises(WrongMoment, match="another paper"):
        set_paper(season, Paper(None, (CATS,)))


def test_the_options_select_the_subjects_to_ask(season: Season, tmp_path: Path) -> None:
    state = season.state
    assert [subject.id for subject in subjects_of(state)] == ["E1", "E2", "E3", "E4"]
    assert [subject.id for subject in subjects_of(state, ["E3"])] == ["E3"]
    control = subjects_of(state, controls={"H1": tmp_path})
    assert control == [Subject("H1", directory=tmp_path, human=True)]
    by_hand = subjects_of(state, ["E2"], by_hand={"E2": tmp_path})
    assert by_hand == [Subject("E2", directory=tmp_path)]
    with pytest.raises(BadOrder, match="E9 is not being screened"):
        subjects_of(state, ["E9"])
    with pytest.raises(BadOrder, match="E1 is an entry's id"):
        subjects_of(state, controls={"E1": tmp_path})


def test_nobody_is_asked_before_screening_or_after_marking_has_begun(tmp_path: Path) -> None:
    with (
        opened(new_contest(tmp_path / "early")) as season,
        pytest.raises(WrongMoment, match="begin"),
    ):
        subjects_of(season.state)
    with sat(tmp_path / "late") as season:
        marking.begin(season)
        with pytest.raises(WrongMoment, match="marking has begun"):
            subjects_of(season.state, controls={"H2": tmp_path})
