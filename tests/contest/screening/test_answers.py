"""Tests suggested marks for answers."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.screening.answers import Suggestion, find, sentences, stem, tokens
from contest.screening.answers import suggest as suggest_by
from contest.screening.paper import Facts, Question, SetName
from contest.screening.questions import Counts, make

NOW = dt.datetime(2010, 10, 23, 10, 17)


def question(text: str, set_: SetName = "things", **key: Any) -> Question:
    return Question("q", set_, text, **key)


def suggest(asked: Question, answer: str, when: dt.datetime) -> Suggestion:
    return suggest_by(asked, answer, when, Facts())


HAMMER = question(
    "What would I use a hammer for?", words=("nail", "hit", "pound"), half=("tool", "build")
)
GRAPE = question(
    "Which is larger, a grape or a grapefruit?",
    "relations",
    words=("grapefruit",),
    wrong=("grape",),
)
OLDEST = question(
    "John is older than Mary, and Mary is older than Sarah. Which of them is the oldest?",
    "relations",
    words=("John",),
    wrong=("Mary", "Sarah"),
)
YOUNGER = question(
    "Who is younger, a baby or a teacher?", "relations", words=("baby",), wrong=("teacher",)
)
TIME = question("What time is it?", "time", rule="clock")
ROUND = question("What round is this?", "time", rule="round")
DATE = question("What is the date today?", "time", rule="date")
PART = question("Is it morning, noon, or night?", "time", rule="part")
HALF_DAY = question("Is it AM or PM?", "time", rule="am-pm")
BOTH = question(
    "What did I eat this morning?",
    "memory",
    words=("rice ... plums", "plums ... rice"),
    half=("rice", "plums"),
)


@pytest.mark.parametrize(
    ("asked", "answer", "mark"),
    [
        (HAMMER, "You hit nails with it.", 2),
        (HAMMER, "For pounding things", 2),
        (HAMMER, "HAMMERING NAILS!!!", 2),
        (HAMMER, "It is a tool.", 1),
        (HAMMER, "To build houses", 1),
        (HAMMER, "I like hammers.", 0),
        (HAMMER, "I don't know. A nail?", 2),
        (HAMMER, "I do not know whether it is for nails.", 0),
        (HAMMER, "I'm not sure, but I would say nails.", 2),
        (HAMMER, "Why do you want to know whether I hit nails?", 0),
        (HAMMER, "", 0),
        (HAMMER, "   \n ...", 0),
        (GRAPE, "A grapefruit.", 2),
        (GRAPE, "the grapefruit is", 2),
        (GRAPE, "A grapefruit?", 2),
        (GRAPE, "A grapefruit is larger than a grape.", 2),
        (GRAPE, "A grape is smaller than a grapefruit.", 0),
        (GRAPE, "A grape is not larger than a grapefruit.", 0),
        (GRAPE, "A grapefruit, not a grape.", 2),
        (GRAPE, "A grape is larger than a grapefruit.", 0),
        (GRAPE, "A grape.", 0),
        (GRAPE, "A grape, or a grapefruit.", 0),
        (GRAPE, "Grapes and grapefruits are fruit. The grapefruit.", 2),
        (GRAPE, "Which do you think is larger, a grape or a grapefruit?", 0),
        (OLDEST, "John", 2),
        (OLDEST, "John is the oldest.", 2),
        (OLDEST, "Sarah is the oldest.", 0),
        (OLDEST, "Mary.", 0),
        (OLDEST, "John, Mary or Sarah.", 0),
        (OLDEST, "I never met them.", 0),
        (YOUNGER, "A baby is younger than a teacher", 2),
        (TIME, "It is 10:17 AM.", 2),
        (TIME, "10.19", 2),
        (TIME, "10:15am", 2),
        (TIME, "ten seventeen", 2),
        (TIME, "It's 10:17 a.m. here", 2),
        (TIME, "10:17 PM", 1),
        (TIME, "22:17", 1),
        (TIME, "It is 10:30.", 1),
        (TIME, "about ten o'clock", 0),
        (TIME, "It is 4 o'clock.", 0),
        (TIME, "Time to go.", 0),
        (TIME, "I have 10 brothers and 17 sisters.", 0),
        (ROUND, "This is round 2 of 6.", 2),
        (ROUND, "The second round", 2),
        (ROUND, "2nd", 2),
        (ROUND, "two", 2),
        (ROUND, "There are 6 rounds, and this is round 2.", 2),
        (ROUND, "Round 3", 0),
        (ROUND, "The contest has not started yet.", 0),
        (DATE, "October 23, 2010", 2),
        (DATE, "It's the 23rd of October.", 2),
        (DATE, "10/23/2010", 2),
        (DATE, "2010-10-23", 2),
        (DATE, "the 23rd", 1),
        (DATE, "Some day in October", 1),
        (DATE, "October 24", 1),
        (DATE, "May 3", 0),
        (PART, "It is morning.", 2),
        (PART, "Good morning!", 2),
        (PART, "It is night.", 0),
        (PART, "Morning, noon or night.", 0),
        (HALF_DAY, "It is AM: 10:17 AM.", 2),
        (HALF_DAY, "I am sure that it is p.m.", 0),
        (BOTH, "You ate rice and plums.", 2),
        (BOTH, "Plums with rice", 2),
        (BOTH, "Rice.", 1),
        (BOTH, "You had breakfast.", 0),
    ],
)
def test_answers_get_the_right_marks(asked: Question, answer: str, mark: int) -> None:
    assert suggest(asked, answer, NOW).mark == mark, suggest(asked, answer, NOW)


@pytest.mark.parametrize(
    ("when", "answers"),
    [
        (
            dt.datetime(2010, 6, 20, 12, 0),
            [
                "The contest has not started yet.",
                "None, this is only screening.",
                "There is no round now; it starts on October 23.",
            ],
        ),
        (dt.datetime(2010, 10, 23, 9, 40), ["It is the first round."]),
        (dt.datetime(2010, 10, 23, 12, 20), ["Round six, the last one."]),
        (dt.datetime(2010, 10, 24, 13, 0), ["The contest is over.", "It ended yesterday."]),
    ],
)
def test_the_number_of_the_round_has_an_answer_at_any_time(
    when: dt.datetime, answers: list[str]
) -> None:
    for answer in answers:
        assert suggest(ROUND, answer, when).mark == 2
        assert suggest(ROUND, answer, dt.datetime(2010, 10, 23, 10, 50)).mark == 0


def test_a_suggestion_has_a_reason_in_one_line() -> None:
    assert suggest(HAMMER, "You hit nails.", NOW).why == "it says “nail”"
    assert suggest(GRAPE, "A grape.", NOW).why == "it chooses “grape”; the answer is grapefruit"
    assert "both, or none" in suggest(GRAPE, "A grape, or a grapefruit.", NOW).why
    assert suggest(TIME, "10:18", NOW).why == "it is 1 min off; the answer is 10:17 AM"
    assert suggest(HAMMER, "?", NOW).why == "no answer found"
    assert suggest(TIME, "10:17", NOW.replace(tzinfo=dt.UTC)).mark == 2


MADE = [make(seed, Counts(4, 8, 4, 6)) for seed in range(12)]


def test_the_key_earns_a_full_mark_and_a_counter_question_none() -> None:
    for each in (question for paper in MADE for question in paper.questions):
        back = (each.text, each.text.replace("?", "."), f"Why do you ask: {each.text}")
        for parroted in back:
            assert suggest(each, parroted, NOW).mark == 0, (each, parroted)
        for pattern in each.words:
            answer = pattern.replace(" ... ", " and ")
            assert suggest(each, f"{answer}.", NOW).mark == 2, (each, answer)
        for pattern in each.wrong:
            assert suggest(each, f"It is the {pattern}.", NOW).mark == 0, (each, pattern)


@settings(max_examples=60, deadline=None)
@given(
    answer=st.text(max_size=300)
    | st.sampled_from(["9" * 5000, "a " * 3000, "10:" * 3000, "...a" * 1000, "²³ ٣"]),
    nth=st.integers(0, len(MADE[0].questions) - 1),
    when=st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)),
)
def test_any_text_gets_a_mark(answer: str, nth: int, when: dt.datetime) -> None:
    suggestion = suggest(MADE[0].questions[nth], answer, when)
    assert suggestion.mark in (0, 1, 2)
    assert suggestion.why.isprintable()


# Reading an answer


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Twenty-three cats weren't there.", ["23", "cat", "be", "not", "ther"]),
        ("the 3rd at 09.05", ["the", "3", "at", "9:05"]),
        ("10:15PM", ["10:15", "pm"]),
        ("23.10.2010", ["23", "10", "2010"]),
        ("I am, you’re", ["i", "be", "you"]),
    ],
)
def test_texts_are_split_into_tokens(text: str, found: list[str]) -> None:
    assert tokens(text) == found


def test_all_forms_of_a_word_have_one_stem() -> None:
    for forms in (
        *("nail nails nailing nailed", "bake bakes baking baked", "cherry cherries"),
        *("run runs running ran", "box boxes", "glass glasses", "tooth teeth", "dish dishes"),
        *("bus buses", "slice sliced slicing slices"),
    ):
        assert len({stem(form) for form in forms.split()}) == 1, forms


def test_patterns_are_found() -> None:
    said = tokens("You open the big old bottle of wine")
    assert find("open ... bottle", said) == 1
    assert find("old bottle", said) == 4
    assert find("bottle ... open", said) is None
    assert find("open ... wine", tokens("open 1 2 3 4 5 6 7 wine")) is None
    assert find("...", said) is None


def test_sentences_know_whether_they_are_questions() -> None:
    assert sentences("It is 10.17 a.m. now. Why? Yes") == [
        ("It is 10.17 a.m. now", False),
        ("Why", True),
        ("Yes", False),
    ]


# Rules that depend on the time, compared with independent computations


def at(rule: str, number: int, answer: str, when: dt.datetime, facts: Facts | None = None) -> int:
    """The mark of an answer by a rule."""
    asked = question("?", "time", rule=rule, number=number)
    return suggest_by(asked, answer, when, facts or Facts()).mark


MOMENTS = st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2060, 1, 1))


@settings(max_examples=50)
@given(now=MOMENTS, days=st.integers(-3, 3))
def test_days_and_dates_by_strftime(now: dt.datetime, days: int) -> None:
    there = now + dt.timedelta(days=days)
    said = f"It is {there:%A}, the {there.day} of {there:%B}, {there.year}."
    assert at("day", days, said, now) == 2
    for text in (said, f"{there:%B} {there.day}", f"{there:%m/%d/%y}", f"{there:%d.%m.%Y}"):
        assert at("date", days, text, now) == 2
    assert at("month", 0, f"It is {now:%B}.", now) == 2
    assert at("year", 0, f"{now:%Y}", now) == 2
    off = there + dt.timedelta(days=3)
    assert at("day", days, f"It is {off:%A}.", now) == 0
    assert at("date", days, f"{off:%B} {off.day}, {off.year}", now) < 2
    assert at("year", 0, str(now.year + 2), now) == 0


@settings(max_examples=50)
@given(now=MOMENTS, later=st.integers(-120, 120), off=st.integers(-40, 40))
def test_the_clock_may_be_off_by_two_minutes(now: dt.datetime, later: int, off: int) -> None:
    said = now + dt.timedelta(minutes=later + off)
    mark = at("clock", later, f"It is {said:%I:%M %p}.", now)
    assert mark == (2 if abs(off) <= 2 else 1 if abs(off) <= 15 else 0)
    assert at("clock", later, f"{said:%H:%M}", now) >= (2 if abs(off) <= 2 else 0)


def test_around_midnight_both_days_are_right() -> None:
    night = dt.datetime(2010, 10, 23, 23, 59)
    assert [at("day", 0, day, night) for day in ("Saturday", "Sunday", "Friday")] == [2, 2, 0]
    assert at("day", 0, "Sunday", night - dt.timedelta(minutes=2)) == 0


def test_parts_of_the_day_cover_all_hours() -> None:
    expected = {12: {"noon", "afternoon"}, 17: {"afternoon", "evening"}}
    expected |= {early: {"morning", "night"} for early in range(6)}
    expected |= {before_noon: {"morning"} for before_noon in range(6, 12)}
    expected |= {after_noon: {"afternoon"} for after_noon in range(13, 17)}
    expected |= {late: {"evening", "night"} for late in range(18, 24)}
    parts = ("morning", "noon", "afternoon", "evening", "night")
    for hour in range(24):
        now = dt.datetime(2010, 10, 23, hour, 20)
        right = {part for part in parts if at("part", 0, f"It is {part}.", now) == 2}
        assert right == expected[hour]
        assert at("am-pm", 0, "It is AM.", now) == 2 * (hour < 12)


@pytest.mark.parametrize(
    "facts",
    [Facts(clock_minutes=0), Facts(dt.datetime(2012, 5, 15, 13, 5), 4, 25, 0), Facts(rounds=1)],
)
def test_the_number_of_the_round_by_counting_minutes(facts: Facts) -> None:
    exact = Facts(facts.start, facts.rounds, facts.round_minutes, 0)
    for number in range(facts.rounds + 2):
        # The first minute of each round, and the last minute of the previous round.
        begins = exact.start + dt.timedelta(minutes=(number - 1) * exact.round_minutes)
        for when, here in ((begins, number), (begins - dt.timedelta(minutes=1), number - 1)):
            if number == 0:
                continue
            assert exact.round_at(when) == here
            for claimed in range(1, facts.rounds + 1):
                said = f"This is round {claimed} of {facts.rounds}."
                assert at("round", 0, said, when, exact) == 2 * (claimed == here)
            over = at("round", 0, "The contest is over.", when, exact)
            assert over == 2 * (here > facts.rounds)
            early = at("round", 0, "It has not started yet.", when, exact)
            assert early == 2 * (here == 0)


def test_at_the_end_of_a_round_both_rounds_are_right() -> None:
    edge = Facts().start_of(3)
    for minutes, right in ((-3, {2}), (-2, {2, 3}), (0, {2, 3}), (1, {2, 3}), (3, {3})):
        moment = edge + dt.timedelta(minutes=minutes)
        found = {n for n in range(1, 7) if at("round", 0, f"Round {n}.", moment) == 2}
        assert found == right


def test_questions_about_the_contest_use_its_facts() -> None:
    facts = Facts(dt.datetime(2011, 11, 6, 14, 45), 5, 20, 2)
    for rule, number, answer in (
        *(("opens", 1, "It starts at 2:45 PM."), ("opens", 3, "3:25"), ("opens", 6, "16:25")),
        *(("contest-day", 0, "On Sunday."), ("contest-month", 0, "November")),
        *(("rounds", 0, "There are five."), ("round-minutes", 0, "20 minutes")),
    ):
        assert at(rule, number, answer, facts.start, facts) == 2, answer
        assert at(rule, number, "It is 7:07 in May, on Friday.", facts.start, facts) == 0
