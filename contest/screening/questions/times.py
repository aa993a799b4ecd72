"""Set 1, questions relating to time: clock, date, day, part of the day, round, what is next.

Answers that depend on the moment are rules of `contest.screening.moments`; the others are computed
here.
"""

from __future__ import annotations

import datetime as dt

from contest.screening.moments import DAYS, MONTHS, face
from contest.screening.questions.drawing import Draw
from contest.screening.questions.making import Made
from contest.screening.questions.parts import Facts, Key, Rule

_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_NTH = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth"}
_SEASONS = ("winter", "spring", "summer", "fall")
_MEALS = ("breakfast", "lunch", "dinner")
_PARTS = ("morning", "noon", "afternoon", "evening")
#: A part of the day, when it begins, and what people do then.
_DOING = (
    ("morning", ("wake up", "get out of bed", "eat breakfast")),
    ("noon", ("eat lunch",)),
    ("evening", ("eat dinner",)),
    ("night", ("sleep", "see the moon and the stars")),
)


def clock(draw: Draw, facts: Facts) -> Made:
    """The time."""
    asked = ("What time is it?", "What time is it now?", "Can you tell me the time?")
    return _rule("clock", draw.of(asked), "clock", 0, facts)


def clock_later(draw: Draw, facts: Facts) -> Made:
    """The time, some minutes from now or ago."""
    minutes = draw.between(1, 23) * 5
    if draw.below(2):
        text = f"What time will it be in {minutes} minutes?"
        return _rule(f"in {minutes}", text, "clock", minutes, facts)
    text = f"What time was it {minutes} minutes ago?"
    return _rule(f"ago {minutes}", text, "clock", -minutes, facts)


def clock_sum(draw: Draw, facts: Facts) -> Made:
    """A time, some time after another one."""
    start = dt.datetime(2010, 1, 1, draw.between(1, 11), 15 * draw.below(4))
    minutes = 15 * draw.between(1, 8)
    end = start + dt.timedelta(minutes=minutes)
    shown = f"{start.hour % 12 or 12}:{start.minute:02d}"
    spoken = {60: "one hour", 120: "two hours"}.get(minutes, f"{minutes} minutes")
    text = draw.of(
        (
            f"School starts at {shown}. What time will it be {spoken} later?",
            f"I put a cake in the oven at {shown}. It needs {spoken}. When is it ready?",
            f"The train leaves at {shown} and needs {spoken}. When does it get there?",
        )
    )
    words = (face(end).split()[0], *_spoken(end))
    why = f"{shown} and {spoken} is {words[0]}."
    return Made(f"sum {shown} {minutes}", text, Key(words, explanation=why))


def half_day(draw: Draw, facts: Facts) -> Made:
    """AM or PM."""
    return _rule("am-pm", draw.of(("Is it AM or PM?", "Is it AM or PM now?")), "am-pm", 0, facts)


def part(draw: Draw, facts: Facts) -> Made:
    """The part of the day."""
    asked = (
        "Is it morning, noon, or night?",
        "Is it morning, afternoon, or evening now?",
        "What part of the day is it?",
        "Do I say good morning, good afternoon, or good evening now?",
    )
    return _rule("part", draw.of(asked), "part", 0, facts)


def day(draw: Draw, facts: Facts) -> Made:
    """The day of the week, today or near it."""
    text, number = draw.of(
        (
            ("What day is it today?", 0),
            ("What day of the week is it?", 0),
            ("What day is tomorrow?", 1),
            ("What day will it be tomorrow?", 1),
            ("What day was yesterday?", -1),
            ("What day was it yesterday?", -1),
            ("What day will it be the day after tomorrow?", 2),
        )
    )
    return _rule(f"day {number}", text, "day", number, facts)


def date(draw: Draw, facts: Facts) -> Made:
    """The date, the month or the year."""
    text, rule, number = draw.of(
        (
            ("What is the date today?", "date", 0),
            ("What is today's date?", "date", 0),
            ("What is the date tomorrow?", "date", 1),
            ("What month is it?", "month", 0),
            ("What month comes after this month?", "month", 1),
            ("What year is it?", "year", 0),
            ("What year will it be next year?", "year", 1),
            ("What year was it last year?", "year", -1),
        )
    )
    return _rule(f"{rule} {number}", text, rule, number, facts)


def round_(draw: Draw, facts: Facts) -> Made:
    """The round, before, during and after the contest."""
    text, rule = draw.of(
        (
            ("What round is this?", "round"),
            ("Which round is this?", "round"),
            ("What round is it now?", "round"),
            ("Which round comes next?", "next-round"),
            ("Which round comes after this round?", "next-round"),
            ("How many rounds are over?", "rounds-done"),
            ("How many rounds are left after this one?", "rounds-left"),
            ("Is the contest over?", "over"),
        )
    )
    return _rule(rule, text, rule, 0, facts)


def contest(draw: Draw, facts: Facts) -> Made:
    """What the facts say of the contest."""
    start, end = facts.start, facts.start_of(facts.rounds + 1)
    nth = draw.between(1, min(facts.rounds, 6))
    opens, closes = facts.start_of(nth), facts.start_of(nth + 1)
    minutes = facts.round_minutes
    length = (f"{minutes} minute", *(("half ... hour",) if minutes == 30 else ()))
    weekday = DAYS[start.weekday()]
    month = MONTHS[start.month - 1]
    topic, text, words = draw.of(
        (
            ("start", "What time does the contest start?", _times(start)),
            ("end", "What time does the contest end?", _times(end)),
            ("day", "What day of the week is the contest?", (weekday,)),
            ("month", "What month is the contest in?", (month,)),
            ("rounds", "How many rounds are there?", (str(facts.rounds),)),
            ("rounds", "How many rounds does the contest have?", (str(facts.rounds),)),
            ("length", "How long is a round?", length),
            ("length", "How many minutes is each round?", (str(minutes),)),
            (f"opens {nth}", f"What time does round {_NUMBERS[nth]} start?", _times(opens)),
            (f"closes {nth}", f"What time does the {_NTH[nth]} round end?", _times(closes)),
        )
    )
    why = f"The contest starts on {weekday}, {start.day} {month} {start.year}, at {face(start)}, "
    why += f"with {facts.rounds} rounds of {minutes} minutes each."
    return Made(f"contest {topic}", text, Key(words, explanation=why))


def next_(draw: Draw, facts: Facts) -> Made:
    """What comes next, or before: days, months, seasons, parts of the day, meals."""
    kind, names, turning = draw.of(
        (
            ("day", DAYS, True),
            ("month", MONTHS, True),
            ("season", _SEASONS, True),
            ("meal", _MEALS, False),
            ("part of the day", _PARTS, False),
        )
    )
    after = draw.below(2) == 1
    spots = range(len(names)) if turning else range(1, len(names) - 1)
    if not turning:
        spots = range(len(names) - 1) if after else range(1, len(names))
    index = draw.of(spots)
    answer = names[(index + (1 if after else -1)) % len(names)]
    way = "after" if after else "before"
    text = draw.of(
        (
            f"What {kind} comes {way} {names[index]}?",
            f"Which {kind} comes right {way} {names[index]}?",
        )
    )
    words: tuple[str, ...] = (answer, "autumn") if answer == "fall" else (answer,)
    if answer in ("noon", "dinner"):
        words += {"noon": ("midday",), "dinner": ("supper",)}[answer]
    key = Key(words, explanation=f"{answer.capitalize()} comes {way} {names[index]}.")
    return Made(f"{way} {names[index]}", text, key)


def days_on(draw: Draw, facts: Facts) -> Made:
    """The day some days from a named one."""
    today, days = draw.below(7), draw.between(2, 6)
    answer = DAYS[(today + days) % 7]
    text = draw.of(
        (
            f"If today is {DAYS[today]}, what day will it be in {_NUMBERS[days]} days?",
            f"If it is {DAYS[today]} now, what day comes {_NUMBERS[days]} days later?",
        )
    )
    why = f"{days} days after {DAYS[today]} is {answer}."
    return Made(f"{today} {days}", text, Key((answer,), explanation=why))


def doing(draw: Draw, facts: Facts) -> Made:
    """When in a day people do something."""
    name, things = draw.of(_DOING)
    thing = draw.of(things)
    wrong = tuple(other for other, _ in _DOING if other != name)
    text = f"Do people {thing} in the morning, at noon, in the evening, or at night?"
    key = Key((name,), wrong=wrong, explanation=f"People {thing} in the {name}.")
    if name in ("noon", "night"):
        key = Key((name,), wrong=wrong, explanation=f"People {thing} at {name}.")
    return Made(f"doing {thing}", text, key)


#: What makes a question of this set, by turns.
FAMILIES = (
    *(clock, day, round_, part, next_, date, contest, clock_later, days_on, clock_sum, half_day),
    doing,
)


def _rule(topic: str, text: str, name: str, number: int, facts: Facts) -> Made:
    return Made(topic, text, Key(rule=Rule(name, number, facts)))


def _times(moment: dt.datetime) -> tuple[str, ...]:
    return (face(moment).split()[0], *_spoken(moment))


def _spoken(moment: dt.datetime) -> tuple[str, ...]:
    """A time of the day in words, as patterns."""
    hour, minute = moment.hour % 12 or 12, moment.minute
    following = hour % 12 + 1
    spoken = [f"{hour} {minute}"] if minute else [f"{hour} o'clock", f"{hour} am", f"{hour} pm"]
    if minute == 0:
        spoken.append(f"at {hour}")
    elif minute == 15:
        spoken += [f"quarter past {hour}", f"quarter after {hour}"]
    elif minute == 30:
        spoken += [f"half past {hour}", f"half {hour}"]
    elif minute == 45:
        spoken += [f"quarter to {following}", f"quarter before {following}"]
    return tuple(spoken)
