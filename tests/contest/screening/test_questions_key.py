"""The answer key, compared with what is computed here by other means: clocks by counting minutes,
days by counting along the week, orders by going through all permutations, comparisons by figures.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.screening.answers import Suggestion, data
from contest.screening.answers import suggest as suggest_by
from contest.screening.paper import Facts, Question, SetName

WEEK = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

MOMENTS = st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2060, 1, 1))


Row = tuple[str, list[str], list[str]]


def rows(set_: SetName, *families: str) -> list[Row]:
    """Texts of families with their answers, and what is wrong."""
    return [tuple(row) for name in families for row in data(set_)["family"][name]["rows"]]


@dataclass(frozen=True)
class Asked:
    """A question whose answer depends on the moment, and the facts."""

    question: Question
    facts: Facts


def asked(rule: str, number: int = 0, facts: Facts | None = None) -> Asked:
    return Asked(Question("t", "time", "?", rule=rule, number=number), facts or Facts())


def suggest(asked: Asked, answer: str, when: dt.datetime) -> Suggestion:
    return suggest_by(asked.question, answer, when, asked.facts)


# Orders: all permutations


def orders_that_fit(text: str, more: str, less: str) -> list[tuple[str, ...]]:
    """All orders of the names, from the most to the least, that agree with what is told."""
    told = re.findall(rf"(\w+) is ({more}|{less}) than (\w+)", text)
    names = sorted({name for one, _, other in told for name in (one, other)})
    return [
        order
        for order in itertools.permutations(names)
        if all(
            (order.index(one) < order.index(other)) == (word == more) for one, word, other in told
        )
    ]


ENDS = {
    ("older", "younger"): ("oldest", "youngest"),
    ("taller", "shorter"): ("tallest", "shortest"),
    ("faster", "slower"): ("fastest", "slowest"),
    ("stronger", "weaker"): ("strongest", "weakest"),
    ("heavier", "lighter"): ("heaviest", "lightest"),
    ("richer", "poorer"): ("richest", "poorest"),
}


def test_chains_by_all_permutations() -> None:
    kinds = set()
    for text, words, wrong in rows("relations", "chain"):
        more, less = next(pair for pair in ENDS if f" {pair[0]} " in text or f" {pair[1]} " in text)
        most, least = ENDS[more, less]
        question = re.split(r"\. ", text)[-1]
        fitting = orders_that_fit(text, more, less)
        answers = set()
        for order in fitting:
            two = re.search(rf"Who is ({more}|{less}), (\w+) or (\w+)\?", question)
            if two:
                first, second = sorted(two.groups()[1:], key=order.index)
                answers.add(first if two[1] == more else second)
            elif most in question:
                answers.add(order[0])
            elif least in question:
                answers.add(order[-1])
            else:
                assert "middle" in question
                assert len(order) == 3
                answers.add(order[1])
        # What is told decides the answer, and it is the key's.
        assert answers == set(words), text
        assert set(wrong) == set(fitting[0]) - answers
        kinds.add((more, len(fitting[0]), question.replace(words[0], "")[:18]))
    assert {more for more, _, _ in kinds} == {more for more, _ in ENDS}
    assert {number for _, number, _ in kinds} == {3, 4}


# Comparisons: figures of our own, in cm, km/h, g, years, degrees C, cm, s


def figures(text: str) -> dict[str, float]:
    """Names, each with its number."""
    return {name: float(number) for name, number in map(str.split, text.split(","))}


FIGURES = {
    "size": figures(
        """
        ant 0.5, bee 1.5, grape 2, mouse 8, egg 6, spoon 17, potato 9, cat 45, shoe 30, hat 32,
        rabbit 40, dog 75, chair 90, goat 120, horse 240, cow 230, bed 200, table 160, elephant
        600, car 430, bus 1200, house 1300, plane 4000, church 4500, mountain 300000, town
        500000, island 3e+06, moon 3.5e+08, sun 1.4e+11
        """
    ),
    "speed": figures(
        """
        snail 0.01, worm 0.03, turtle 0.4, baby 1.2, ant 0.6, man 5.5, cow 5, duck 4, bicycle
        20, boy 20, car 100, train 150, bus 80, plane 900, rocket 28000
        """
    ),
    "weight": figures(
        """
        feather 0.1, leaf 0.5, hair 0.001, egg 60, pencil 7, key 15, apple 180, shirt 250, mouse
        25, brick 3000, cat 4500, big 2500, chair 6000, dog 20000, bicycle 14000, man 80000, pig
        150000, horse 500000, cow 700000, piano 400000, car 1.4e+06, elephant 5e+06, truck
        1e+07, ship 5e+10, train 5e+08, house 1.5e+08
        """
    ),
    "age": figures(
        """
        baby 1, boy 10, girl 10, father 38, mother 36, teacher 40, grandfather 70, grandmother
        68
        """
    ),
    "heat": figures(
        """
        ice -5, snow -3, cold 8, warm 40, boiling 100, hot 220, fire 900, sun 5500
        """
    ),
    "height": figures(
        """
        mouse 4, flower 30, egg 6, cat 28, chair 90, dog 60, man 178, door 205, horse 165, house
        800, tree 1500, church 5000, mountain 200000
        """
    ),
    "length": figures(
        """
        second 1, minute 60, hour 3600, day 86400, week 604800, month 2.6e+06, year 3.2e+07
        """
    ),
}
SCALES = {
    "size": "larger bigger smaller",
    "speed": "faster quicker slower",
    "weight": "heavier lighter",
    "age": "older younger",
    "heat": "hotter warmer colder",
    "height": "taller higher lower",
    "length": "longer shorter",
}
MORE = {
    *("larger", "bigger", "faster", "quicker", "heavier", "older", "hotter", "warmer", "taller"),
    *("higher", "longer"),
}
LESS = {"smaller", "slower", "lighter", "younger", "colder", "lower", "shorter"}


def test_comparisons_by_figures() -> None:
    seen = set()
    for text, words, wrong in rows("relations", "size", "speed", "age", "comparison"):
        match = re.fullmatch(
            r"(?:Which|Who) is (\w+), (?:an? |the )?(.+) or (?:an? |the )?(.+)\?", text
        )
        assert match, text
        word = match[1]
        assert word in MORE | LESS
        scale = next(name for name, of in SCALES.items() if word in of.split())
        one, other = (FIGURES[scale][name.split()[0]] for name in match.groups()[1:])
        assert one != other
        # Nobody has to think twice: the one is so much more than the other.
        if scale not in ("heat", "age"):
            assert max(one, other) / min(one, other) > 1.3, text
        right, left = (
            match.groups()[1:] if (one > other) == (word in MORE) else match.groups()[:0:-1]
        )
        assert right.startswith(words[0])
        assert left.startswith(wrong[0])
        seen.add(scale)
    assert seen == set(FIGURES)


def test_opposites_go_both_ways() -> None:
    table = data("relations")["opposites"]
    for word, opposites in table.items():
        for other in opposites:
            if other in table and other == opposites[0]:
                assert word in table[other], (word, other)


# The clock and the calendar


ROWS = {
    "day": [*WEEK, *WEEK],
    "month": [dt.date(2010, 1 + n % 12, 1).strftime("%B") for n in range(24)],
    "season": ["winter", "spring", "summer", "fall", "winter", "spring", "summer", "fall"],
    "meal": ["breakfast", "lunch", "dinner"],
    "part": ["morning", "noon", "afternoon", "evening"],
}


def test_what_is_next_by_its_row() -> None:
    kinds = set()
    for text, words, _ in rows("time", "next"):
        match = re.fullmatch(
            r"\w+ (\w+)(?: of the day)? comes (?:right )?(after|before) (\w+)\?", text
        )
        assert match, text
        row = ROWS[match[1]]
        step = 1 if match[2] == "after" else -1
        pairs = {(one, other) for one, other in itertools.pairwise(row if step == 1 else row[::-1])}
        assert (match[3], words[0]) in pairs, text
        kinds.add((match[1], match[2]))
    assert len(kinds) == 10


@settings(max_examples=50)
@given(now=MOMENTS, days=st.integers(-3, 3))
def test_days_and_dates_by_strftime(now: dt.datetime, days: int) -> None:
    there = now + dt.timedelta(days=days)
    said = f"It is {there:%A}, the {there.day} of {there:%B}, {there.year}."
    assert suggest(asked("day", days), said, now).mark == 2
    assert suggest(asked("date", days), said, now).mark == 2
    assert suggest(asked("date", days), f"{there:%B} {there.day}", now).mark == 2
    assert suggest(asked("date", days), there.strftime("%m/%d/%y"), now).mark == 2
    assert suggest(asked("date", days), there.strftime("%d.%m.%Y"), now).mark == 2
    assert suggest(asked("month"), f"It is {now:%B}.", now).mark == 2
    assert suggest(asked("year"), f"{now:%Y}", now).mark == 2
    off = there + dt.timedelta(days=3)
    assert suggest(asked("day", days), f"It is {off:%A}.", now).mark == 0
    assert suggest(asked("date", days), f"{off:%B} {off.day}, {off.year}", now).mark < 2
    assert suggest(asked("year"), str(now.year + 2), now).mark == 0


@settings(max_examples=50)
@given(now=MOMENTS, later=st.integers(-120, 120), off=st.integers(-40, 40))
def test_the_clock_within_two_minutes(now: dt.datetime, later: int, off: int) -> None:
    said = now + dt.timedelta(minutes=later + off)
    mark = suggest(asked("clock", later), f"It is {said:%I:%M %p}.", now).mark
    assert mark == (2 if abs(off) <= 2 else 1 if abs(off) <= 15 else 0)
    assert suggest(asked("clock", later), f"{said:%H:%M}", now).mark >= (2 if abs(off) <= 2 else 0)


def test_around_midnight_both_days_are_right() -> None:
    night = dt.datetime(2010, 10, 23, 23, 59)
    for said, mark in (("Saturday", 2), ("Sunday", 2), ("Friday", 0)):
        assert suggest(asked("day"), said, night).mark == mark
    assert suggest(asked("day"), "Sunday", night - dt.timedelta(minutes=2)).mark == 0


@pytest.mark.parametrize("hour", range(24))
def test_parts_of_the_day_leave_no_hour_out(hour: int) -> None:
    now = dt.datetime(2010, 10, 23, hour, 20)
    right = {
        part
        for part in ("morning", "noon", "afternoon", "evening", "night")
        if suggest(asked("part"), f"It is {part}.", now).mark == 2
    }
    expected = {12: {"noon", "afternoon"}, 17: {"afternoon", "evening"}}
    expected |= {early: {"morning", "night"} for early in range(6)}
    expected |= {before_noon: {"morning"} for before_noon in range(6, 12)}
    expected |= {after_noon: {"afternoon"} for after_noon in range(13, 17)}
    expected |= {late: {"evening", "night"} for late in range(18, 24)}
    assert right == expected[hour]
    half = "AM" if hour < 12 else "PM"
    other = "PM" if hour < 12 else "AM"
    assert suggest(asked("am-pm"), f"It is {half}.", now).mark == 2
    assert suggest(asked("am-pm"), f"It is {other}.", now).mark == 0


# Rounds


def rounds_by_the_minute(facts: Facts) -> dict[dt.datetime, int]:
    """Each minute of the contest's day and the number of its round, counted one by one."""
    minute = facts.start - dt.timedelta(hours=2)
    found = {}
    number, left = 0, 0
    for _ in range(12 * 60):
        if minute == facts.start:
            number, left = 1, facts.round_minutes
        found[minute] = number
        minute += dt.timedelta(minutes=1)
        if 1 <= number <= facts.rounds:
            left -= 1
            if left == 0:
                number, left = number + 1, facts.round_minutes
    return found


@pytest.mark.parametrize(
    "facts",
    [Facts(clock_minutes=0), Facts(dt.datetime(2012, 5, 15, 13, 5), 4, 25, 0), Facts(rounds=1)],
)
def test_what_round_is_this_by_counting_minutes(facts: Facts) -> None:
    exact = Facts(facts.start, facts.rounds, facts.round_minutes, 0)
    counted = rounds_by_the_minute(exact)
    before = None
    for minute, number in counted.items():
        assert exact.round_at(minute) == number
        # Marks where something changes, and the minute before.
        if number != before:
            for moment in (minute, minute - dt.timedelta(minutes=1)):
                if moment in counted:
                    _marked_right(exact, moment, counted[moment])
        before = number


def _marked_right(facts: Facts, moment: dt.datetime, number: int) -> None:
    question = asked("round", facts=facts)
    for claimed in range(1, facts.rounds + 1):
        mark = suggest(question, f"This is round {claimed} of {facts.rounds}.", moment).mark
        assert mark == (2 if claimed == number else 0)
    over = suggest(question, "The contest is over.", moment).mark
    assert over == (2 if number > facts.rounds else 0)
    early = suggest(question, "It has not started yet.", moment).mark
    assert early == (2 if number == 0 else 0)


def test_where_a_round_ends_both_are_right() -> None:
    facts = Facts()
    edge = facts.start_of(3)
    for minutes, right in ((-3, {2}), (-2, {2, 3}), (0, {2, 3}), (1, {2, 3}), (3, {3})):
        moment = edge + dt.timedelta(minutes=minutes)
        found = {
            number
            for number in range(1, 7)
            if suggest(asked("round"), f"Round {number}.", moment).mark == 2
        }
        assert found == right


def test_what_the_facts_say_of_the_contest() -> None:
    facts = Facts(dt.datetime(2011, 11, 6, 14, 45), 5, 20, 2)
    for rule, number, answer in (
        *(("opens", 1, "It starts at 2:45 PM."), ("opens", 3, "3:25"), ("opens", 6, "16:25")),
        *(("contest-day", 0, "On Sunday."), ("contest-month", 0, "November")),
        *(("rounds", 0, "There are five."), ("round-minutes", 0, "20 minutes")),
    ):
        question = asked(rule, number, facts)
        assert suggest(question, answer, facts.start).mark == 2, answer
        assert suggest(question, "It is 7:07 in May, on Friday.", facts.start).mark == 0


# Things


def test_one_thing_only_does_not_belong() -> None:
    for text, words, wrong in rows("things", "odd", "which"):
        named = {each.split(" ", 1)[1] for each in re.findall(r"\b[Aa]n? (?:\w+)", text)}
        answers = {*words, *wrong}
        assert answers <= {re.sub(" .*", "", each) for each in named} | named
        kinds = {each: next(kind for kind, of in KINDS.items() if each in of) for each in answers}
        alone = [each for each in answers if list(kinds.values()).count(kinds[each]) == 1]
        assert words[0] in alone
        if text.startswith("Which of these"):
            asked_for = next(kind for kind, sign in SIGNS.items() if sign in text)
            assert (kinds[words[0]], len(alone)) == (asked_for, 3)
        else:
            assert alone == words


SIGNS = {
    "fruit": "is a fruit",
    "clothes": "do you wear",
    "tools": "do you work with",
    "things to ride in": "can take you to another town",
    "things to eat with": "do you eat with",
    "animals": "is an animal",
}
KINDS = {
    "fruit": ["apple", "orange", "banana", "pear", "grape"],
    "clothes": ["shirt", "coat", "hat", "sock", "skirt"],
    "tools": ["hammer", "saw", "spade", "shovel"],
    "animals": ["dog", "cat", "sheep", "cow", "rabbit"],
    "furniture": ["table", "chair", "bed", "shelf"],
    "things to ride in": ["car", "bus", "train", "ship"],
    "things to eat with": ["knife", "fork", "spoon"],
}
