"""Answers that depend on the moment: the clock, the date, the part of the day, the round.

Each rule says what is wanted at one moment; `wanted_at` allows for a clock that is off by as much
as the rules do ("accurate to within a minute or two"), so that at midnight both dates count, and
where a round ends both rounds.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from types import MappingProxyType

from contest.screening.questions.parts import Facts, Rule, Wanted

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)

#: Names of the parts of a day, and the hours, from and up to, in which each is right. They
#: overlap as people's do.
PARTS: tuple[tuple[str, tuple[tuple[float, float], ...]], ...] = (
    ("morning", ((0, 12),)),
    ("noon", ((11.5, 13),)),
    ("afternoon", ((12, 18),)),
    ("evening", ((17, 24),)),
    ("night", ((0, 6), (18, 24))),
)

#: What says that no round is on, before the contest: as a whole, and half.
NOT_YET = (
    *("not ... start", "not ... begin", "not ... yet", "before", "no round", "not ... round"),
    *("not any round", "none", "screen", "qualify", "select", "preliminary", "start ... on"),
    *("start ... at", "begin ... at", "begin ... on", "will start", "will begin"),
)
#: The same after it.
OVER = (
    *("over", "end", "finish", "done", "past", "no round", "none", "not ... round"),
    *("no more", "after"),
)
#: What says that no round is over yet.
NONE_DONE = (
    *("0", "none", "no round", "not ... any", "not ... yet", "not ... start", "not ... begin"),
    "this is ... 1",
)


def _clock(moment: dt.datetime, number: int, facts: Facts) -> Wanted:
    there = moment + dt.timedelta(minutes=number)
    return Wanted(
        clock=there,
        off=facts.clock_minutes,
        explanation=f"{face(there)}, {facts.clock_minutes} minutes more or less",
    )


def _half_day(moment: dt.datetime, number: int, facts: Facts) -> Wanted:
    names = ("am", "pm") if moment.hour < 12 else ("pm", "am")
    return Wanted((names[0],), wrong=names[1:], explanation=names[0].upper())


def _part(moment: dt.datetime, number: int, facts: Facts) -> Wanted:
    hour = moment.hour + moment.minute / 60
    fit = [name for name, spans in PARTS if any(first <= hour < last for first, last in spans)]
    rest = [name for name, _ in PARTS if name not in fit]
    # "Good day" and the like are no choice, but not wrong either.
    half = ("day",) if 6 <= hour < 18 else ()
    return Wanted(tuple(fit), half, tuple(rest), explanation=" or ".join(fit))


def _day(moment: dt.datetime, number: int, facts: Facts) -> Wanted:
    return _of_names(DAYS, (moment + dt.timedelta(days=number)).weekday())


def _date(moment: dt.datetime, number: int, facts: Facts) -> Wanted:
    there = moment.date() + dt.timedelta(days=number)
    month, day = MONTHS[there.month - 1], there.day
    year, short = there.year, there.year % 100
    words = [f"{month} {day}", f"{day} {month}", f"{day} of {month}", f"{month[:3]} {day}"]
    words += [f"{day} {month[:3]}", f"{year} {there.month} {day}"]
    for shown in (year, short):
        words += [f"{there.month} {day} {shown}", f"{day} {there.month} {shown}"]
    half = (month, f"the {day}", f"{there.month} {day}", f"{day} {there.month}")
    return Wanted(tuple(words), half, explanation=f"{day} {month} {year}")


def _month(moment: dt.datetime, number: int, facts: Facts) -> Wanted:
    return _of_names(MONTHS, (moment.month - 1 + number) % 12)


def _year(moment: dt.datetime, number: int, facts: Facts) -> Wanted:
    year = moment.year + number
    return Wanted((str(year),), (f"{year % 100:02d}",), explanation=str(year))


def _round(moment: dt.datetime, number: int, facts: Facts) -> Wanted:
    here = facts.round_at(moment)
    if here == 0:
        return Wanted(NOT_YET, explanation=f"none yet: the contest starts {_when(facts.start)}")
    if here > facts.rounds:
        return Wanted(OVER, explanation="none: the contest is over")
    return Wanted(number=here, explanation=f"round {here} of {facts.rounds}")


def _next_round(moment: dt.datetime, number: int, facts: Facts) -> Wanted:
    following = facts.round_at(moment) + 1
    if following > facts.rounds:
        words = (*OVER, "last")
        return Wanted(words, explanation="none: there is no round after this")
    return Wanted(number=following, explanation=f"round {following}")


def _rounds_done(moment: dt.datetime, number: int, facts: Facts) -> Wanted:
    done = max(facts.round_at(moment) - 1, 0)
    if done == 0:
        return Wanted(NONE_DONE, explanation="none")
    words: tuple[str, ...] = ("all",) if done == facts.rounds else ()
    return Wanted(words, number=done, explanation=str(done))


def _rounds_left(moment: dt.datetime, number: int, facts: Facts) -> Wanted:
    left = facts.rounds - min(facts.round_at(moment), facts.rounds)
    if left == 0:
        return Wanted((*OVER, "0", "last"), explanation="none")
    words: tuple[str, ...] = ("all",) if left == facts.rounds else ()
    return Wanted(words, number=left, explanation=str(left))


def _is_over(moment: dt.datetime, number: int, facts: Facts) -> Wanted:
    here = facts.round_at(moment)
    over = here > facts.rounds
    wanted = _yes_or_no(over)
    if over:
        return Wanted((*wanted.words, *OVER), wrong=wanted.wrong, explanation="yes, it is over")
    more = NOT_YET if here == 0 else ("still", "round ... of")
    return Wanted((*wanted.words, *more), wrong=("yes",), explanation="no, it is not over")


def _yes_or_no(yes: bool) -> Wanted:
    affirmed, denied = ("yes", "yeah", "yep", "sure", "it is"), ("no", "nope", "not")
    return Wanted(affirmed, wrong=denied) if yes else Wanted(denied, wrong=affirmed)


def _of_names(names: tuple[str, ...], index: int) -> Wanted:
    others = tuple(name for name in names if name != names[index])
    return Wanted((names[index], names[index][:3]), wrong=others, explanation=names[index])


#: By name: what is wanted at a moment, with the rule's number and the facts.
RULES: Mapping[str, Callable[[dt.datetime, int, Facts], Wanted]] = MappingProxyType(
    {
        "clock": _clock,
        "am-pm": _half_day,
        "part": _part,
        "day": _day,
        "date": _date,
        "month": _month,
        "year": _year,
        "round": _round,
        "next-round": _next_round,
        "rounds-done": _rounds_done,
        "rounds-left": _rounds_left,
        "over": _is_over,
    }
)

#: What each rule asks for, in words.
SAID: Mapping[str, str] = MappingProxyType(
    {
        "clock": "the time of the day",
        "am-pm": "AM or PM",
        "part": "the part of the day",
        "day": "the day of the week",
        "date": "the date",
        "month": "the month",
        "year": "the year",
        "round": "the number of the round, or that none is on",
        "next-round": "the number of the round after this one, or that there is none",
        "rounds-done": "how many rounds are over",
        "rounds-left": "how many rounds come after this one",
        "over": "whether the contest is over",
    }
)


def wanted_at(rule: Rule, when: dt.datetime) -> tuple[Wanted, ...]:
    """What is wanted of an answer at a moment.

    Arguments:
        rule: the question's.
        when: local time of the answer, without a zone.

    Returns:
        One or more that are all right: at this moment, and as far before and after it as the clock
        may be off. The first one is that of the moment itself.
    """
    off = dt.timedelta(minutes=rule.facts.clock_minutes)
    find = RULES[rule.name]
    found = [find(moment, rule.number, rule.facts) for moment in (when, when - off, when + off)]
    # The clock has its own allowance, and needs no second one.
    return tuple(dict.fromkeys(found)) if rule.name != "clock" else (found[0],)


def said(rule: Rule) -> str:
    """What a rule asks for, in words: "the day of the week, 1 day after it is asked"."""
    unit = {"clock": "minute", "month": "month", "year": "year"}.get(rule.name, "day")
    if rule.number == 0:
        return f"{SAID[rule.name]} when it is asked"
    count, way = abs(rule.number), "after" if rule.number > 0 else "before"
    return f"{SAID[rule.name]}, {count} {unit}{'' if count == 1 else 's'} {way} it is asked"


def face(moment: dt.datetime) -> str:
    """A time of the day as a clock's face and a half of the day: 9:05 AM."""
    return f"{moment.hour % 12 or 12}:{moment.minute:02d} {'AM' if moment.hour < 12 else 'PM'}"


def _when(moment: dt.datetime) -> str:
    return f"at {face(moment)} on {moment.day} {MONTHS[moment.month - 1]} {moment.year}"
