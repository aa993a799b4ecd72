"""Screening questions relating to time: the clock, the day, the rounds, what comes next."""

from __future__ import annotations

import datetime
import re

import pytest

from bots.screening.clock import (
    DAYS,
    MONTHS,
    clock_face,
    date_of,
    minutes_of,
    part_of_day,
    season_of,
)
from bots.screening.rounds import Contest
from tests.bots.talking import CONTEST_DAY, last_reply, new_bot

AT = datetime.datetime


def ask(question: str, now: datetime.datetime = CONTEST_DAY) -> str:
    return last_reply(new_bot("screening", now=now), question)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What time is it?", "It is 10:17 AM."),
        ("what's the time", "It is 10:17 AM."),
        ("Do you know what time it is?", "It is 10:17 AM."),
        ("Could you please tell me the time?", "It is 10:17 AM."),
        ("Do you have the time?", "It is 10:17 AM."),
        ("What time will it be in 20 minutes?", "It will be 10:37 AM."),
        ("What time will it be in half an hour?", "It will be 10:47 AM."),
        ("What time was it two hours ago?", "It was 8:17 AM."),
        ("Is it AM or PM?", "It is AM: 10:17 AM."),
        ("Is it past ten o'clock?", "Yes, it is 10:17 AM."),
        ("Is it before 9 AM?", "No, it is 10:17 AM."),
        ("Is it morning, noon, or night?", "It is morning."),
        ("Is it day or night?", "It is day."),
        ("Is it night?", "No, it is morning: 10:17 AM."),
        ("What part of the day is it?", "It is morning."),
        ("Should I say good morning or good evening?", "Good morning, for it is 10:17 AM."),
        ("What day is it today?", "It is Saturday."),
        ("What day of the week is it?", "It is Saturday."),
        ("Is today Monday?", "No, today is Saturday."),
        ("Is it the weekend?", "Yes, today is Saturday."),
        ("Is tomorrow a school day?", "No, tomorrow is Sunday."),
        ("What was yesterday?", "Yesterday was Friday."),
        ("What day will it be the day after tomorrow?", "The day after tomorrow is Monday."),
        ("What is today's date?", "Today is Saturday, October 23, 2010."),
        ("What is the date tomorrow?", "Tomorrow is Sunday, October 24, 2010."),
        ("What month is it?", "It is October."),
        ("Is it October?", "Yes, it is October."),
        ("What month will it be next month?", "It will be November."),
        ("What year is it?", "It is 2010."),
        ("What year was it last year?", "It was 2009."),
        ("Is it 2012?", "No, it is 2010."),
        ("What season is it?", "It is fall."),
        ("Is it summer or winter?", "It is fall."),
        ("What century is this?", "It is the 21st century."),
        ("What day comes after Tuesday?", "Wednesday."),
        ("Which month comes before January?", "December."),
        ("What season follows winter?", "Spring."),
        ("If today is Monday, what day was yesterday?", "Yesterday was Sunday."),
        ("If tomorrow is Friday, what day is today?", "Today would be Thursday."),
        ("How many days until Christmas?", "63 days until Christmas."),
        ("Is it time for lunch?", "No, at 10:17 AM it is rather time for breakfast."),
        ("Is it dark outside?", "No, at 10:17 AM it should be light outside."),
        ("What round is this?", "This is round 2 of 6."),
        ("Which round are we in now?", "This is round 2 of 6."),
        ("Is this the first round?", "No, this is round 2 of 6."),
        ("Is this round two?", "Yes, this is round 2 of 6."),
        ("How many rounds are there?", "There are six rounds."),
        ("How many rounds are left?", "Four after this one."),
        ("How many rounds have we had so far?", "One is over so far."),
        ("When does the next round start?", "Round 3 begins at 10:30 AM."),
        ("When did this round begin?", "Round 2 began at 10:00 AM."),
        ("What time does round four end?", "Round 4 ends at 11:30 AM."),
        ("Which round comes next?", "Round 3."),
        ("What was the last round?", "Round 1."),
        ("How long does each round last?", "Each round takes 30 minutes."),
        ("How much time is left in this round?", "About 13 minutes: round 2 ends at 10:30 AM."),
        (
            "When does the contest start?",
            "The contest started at 9:30 AM on Saturday, October 23, 2010.",
        ),
        (
            "When will the contest end?",
            "The contest ends at 12:30 PM on Saturday, October 23, 2010.",
        ),
        (
            "Has the contest begun?",
            "Yes. The contest started at 9:30 AM on Saturday, October 23, 2010.",
        ),
        ("How long does the contest take?", "3 hours: 6 rounds of 30 minutes."),
    ],
)
def test_answers_on_time(question: str, answer: str) -> None:
    assert ask(question) == answer


@pytest.mark.parametrize(
    ("now", "number", "said"),
    [
        (AT(2010, 6, 20, 12, 0), 0, "has not started yet: round 1 begins at 9:30 AM on Saturday"),
        (AT(2010, 10, 23, 9, 29, 59), 0, "has not started yet"),
        (AT(2010, 10, 23, 9, 30), 1, "This is round 1 of 6"),
        (AT(2010, 10, 23, 9, 59, 59), 1, "This is round 1 of 6"),
        (AT(2010, 10, 23, 10, 0), 2, "This is round 2 of 6"),
        (AT(2010, 10, 23, 12, 29, 59), 6, "This is round 6 of 6"),
        (
            AT(2010, 10, 23, 12, 30),
            7,
            "the contest is over: round 6, the last one, ended at 12:30 PM",
        ),
        (AT(2026, 1, 1), 7, "the contest is over"),
    ],
)
def test_what_round_is_this_before_during_and_after(
    now: datetime.datetime, number: int, said: str
) -> None:
    assert Contest().round_at(now) == number
    assert said in ask("What round is this?", now)


@pytest.mark.parametrize(
    "question",
    [
        "What round is this?",
        "Is this the last round?",
        "How many rounds are left?",
        "How many rounds have been played?",
        "When does the next round start?",
        "When did this round begin?",
        "Which round is next?",
        "How much time is left in this round?",
        "When does the contest start?",
        "Has the contest started?",
        "Is the contest over?",
        "How long until the contest starts?",
        "How long until the contest ends?",
        "How long has the contest been going on?",
    ],
)
@pytest.mark.parametrize(
    "now",
    [AT(2010, 10, 22, 9), AT(2010, 10, 23, 9, 30), AT(2010, 10, 23, 12, 10), AT(2010, 11, 1)],
)
def test_the_rounds_have_an_answer_at_any_time(question: str, now: datetime.datetime) -> None:
    assert re.search(
        r"[Rr]ound|contest|begun|began|None|over|All six|after this one", ask(question, now)
    )


def test_the_last_round_has_none_after_it() -> None:
    last = AT(2010, 10, 23, 12, 10)
    assert ask("When does the next round start?", last) == "There is no round after this one."
    assert ask("Which round is next?", last) == "None, round 6 is the last one."
    assert ask("How many rounds are left?", last) == "None, this is the last one."
    assert ask("Is this the last round?", last) == "Yes, this is round 6 of 6."
    first = AT(2010, 10, 23, 9, 40)
    assert ask("What was the previous round?", first) == "None, this is the first round."


@pytest.mark.parametrize("question", ["What is a round table?", "Which is round, a ball or a box?"])
def test_not_every_round_is_one(question: str) -> None:
    assert "of 6" not in ask(question)


@pytest.mark.parametrize(
    ("hour", "minute", "part", "face"),
    [
        (0, 0, "night", "12:00 AM"),
        (4, 59, "night", "4:59 AM"),
        (5, 0, "morning", "5:00 AM"),
        (11, 59, "morning", "11:59 AM"),
        (12, 0, "noon", "12:00 PM"),
        (12, 15, "afternoon", "12:15 PM"),
        (17, 59, "afternoon", "5:59 PM"),
        (18, 0, "evening", "6:00 PM"),
        (21, 0, "night", "9:00 PM"),
    ],
)
def test_parts_of_the_day(hour: int, minute: int, part: str, face: str) -> None:
    moment = AT(2010, 10, 23, hour, minute)
    assert part_of_day(moment) == part
    assert clock_face(moment) == face
    assert ask("What part of the day is it?", moment) == f"It is {part}."


def test_names_of_days_and_months_are_those_of_the_calendar() -> None:
    # Against strftime, which knows better.
    for days in range(0, 800, 3):
        moment = AT(2009, 12, 28) + datetime.timedelta(days=days)
        assert DAYS[moment.weekday()] == moment.strftime("%A")
        assert MONTHS[moment.month - 1] == moment.strftime("%B")
        assert date_of(moment) == f"{moment:%A, %B} {moment.day}, {moment.year}"


def test_seasons() -> None:
    names = [season_of(AT(2010, month, 1)) for month in range(1, 13)]
    assert names == [*["winter"] * 2, *["spring"] * 3, *["summer"] * 3, *["fall"] * 3, "winter"]


@pytest.mark.parametrize(
    ("minutes", "said"),
    [
        (0, "less than a minute"),
        (1, "1 minute"),
        (60, "1 hour"),
        (125, "2 hours and 5 minutes"),
        (3000, "2 days"),
        (-5, "less than a minute"),
    ],
)
def test_spans(minutes: int, said: str) -> None:
    assert minutes_of(datetime.timedelta(minutes=minutes)) == said
