"""Questions on what stands in a row: which of two comes first, what day it will be some days on,
what time it is after so many minutes, at what part of a day people do something.

The rows that are no days, months, numbers or letters are in facts.toml.
"""

from __future__ import annotations

import datetime
import functools
import re
import tomllib
from importlib import resources

from bots.english import as_sentence
from bots.screening.clock import DAYS, MONTHS
from bots.screening.rules import Match, Rules
from bots.screening.wording import bare, number

RULES: Rules[datetime.datetime] = Rules()

_DAYS = "|".join(DAYS).lower()
_SECOND = ("later", "last", "second", "after", "next")
# What of a name only says which row it stands in.
_SORT = re.compile(r"^(?:the )?(?:number|letter|month(?: of)?|day|season|word)\s+", re.IGNORECASE)

_CLOCK = re.compile(r"\b(\d{1,2}):(\d\d)\b")
_SPAN = re.compile(r"\b(half an|an?|\d{1,4}|[a-z]+) (hour|minute)s?\b")
_PASSES = re.compile(r"\b(?:later|needs?|takes?|lasts?|after|in|long|goes on)\b")
_BACK = re.compile(r"\b(?:earlier|before|ago)\b")

#: When in a day people do what; the first that is found counts.
_DEEDS = (
    (
        r"\b(?:breakfast|wake|get (?:up|out of bed)|go to school|sun (?:rises?|comes? up))\b",
        "morning",
    ),
    (r"\blunch\b", "noon"),
    (r"\b(?:dinner|supper|come home|sun (?:sets?|goes? down))\b", "evening"),
    (r"\b(?:sleep|dream|stars|moon|owls?|dark)\b", "night"),
)


@functools.cache
def _rows() -> tuple[tuple[str, ...], ...]:
    file = resources.files("bots.screening").joinpath("facts.toml")
    told = tomllib.loads(file.read_text("utf-8"))["rows"]
    row_of_text = [tuple(row.split(", ")) for row in told]
    return (
        tuple(day.lower() for day in DAYS),
        tuple(month.lower() for month in MONTHS),
        tuple("abcdefghijklmnopqrstuvwxyz"),
        *row_of_text,
    )


@RULES.on(
    r"\b(?:which|what|who)(?: one)?(?: of (?:them|these|the two))? (?:comes?|came|is|was|happens?) "
    r"(?P<way>first|earlier|sooner|before|later|last|second)[:,]? (?P<one>.+?),? or (?P<other>.+)$"
)
def _of_two(match: Match, now: datetime.datetime) -> str | None:
    one, other = match["one"], match["other"]
    first = _in_order(one, other)
    if first is None:
        return None
    chosen = one if first == (match["way"] not in _SECOND) else other
    return as_sentence(chosen)


def _in_order(one: str, other: str) -> bool | None:
    """Whether the first one comes first; None if no row holds both."""
    names = [_SORT.sub("", name).strip() for name in (one, other)]
    numbers = [number(name) for name in names]
    if None not in numbers and not {"a", "an"} & set(names):
        return (numbers[0] or 0) < (numbers[1] or 0)
    # The letter a is no article.
    bared = [bare(name) or name for name in names]
    for row in _rows():
        if bared[0] in row and bared[1] in row and bared[0] != bared[1]:
            return row.index(bared[0]) < row.index(bared[1])
    return None


@RULES.on(
    rf"\bif (?:today|it) (?:is|was|were) (?:a )?(?P<name>{_DAYS})(?: today| now)?,? "
    r"(?:then )?(?:what|which) day\b.*?\b(?P<count>[a-z]+|\d{1,4}) days?\b"
    r"(?: (?P<back>ago|before|earlier))?",
    rf"\b(?:what|which) day\b.*?\b(?P<count>[a-z]+|\d{{1,4}}) days? (?:(?P<back>before)|after) "
    rf"(?P<name>{_DAYS})\b",
)
def _days_on(match: Match, now: datetime.datetime) -> str | None:
    days = number(match["count"])
    if days is None:
        return None
    step = -days if match["back"] else days
    return f"{DAYS[(DAYS.index(match['name'].capitalize()) + step) % 7]}."


@RULES.on(
    r"\b(?:what|which) (?P<what>day|month|year) (?:comes|came|follows|is|was) (?:right |just )?"
    r"(?P<way>after|before)? ?(?:this|the present|the current) (?:day|month|year|one)\b"
)
def _after_this(match: Match, now: datetime.datetime) -> str | None:
    step = -1 if match["way"] == "before" else 1
    if match["what"] == "day":
        return f"{DAYS[(now.weekday() + step) % 7]}."
    if match["what"] == "month":
        return f"{MONTHS[(now.month - 1 + step) % 12]}."
    return f"{now.year + step}."


@RULES.on(
    r"\b(?:do|does) (?P<deed>[a-z' ]+?),? (?:in the|at) (?:morning|noon|night|evening|afternoon)\b"
    r".*\bor\b",
)
def _part_for(match: Match, now: datetime.datetime) -> str | None:
    part = next((part for deed, part in _DEEDS if re.search(deed, match["deed"])), None)
    if part is None:
        return None
    # Of those parts that were named, the one that is meant or the one beside it.
    near = {"noon": ("noon", "afternoon"), "evening": ("evening", "night")}.get(part, (part,))
    named = next((name for name in near if name in match.string), None)
    if named is None:
        return None
    return f"At {named}." if named in ("noon", "night") else f"In the {named}."


def time_sum(line: str) -> str | None:
    """What the clock shows after a time that a line tells: "The film starts at 4:15 and takes two
    hours. When is it over?"

    Arguments:
        line: what the judge said, contractions written out.

    Returns:
        The answer, or None if it is no such line.
    """
    text = " ".join(line.lower().split())
    clocks, spans = _CLOCK.findall(text), _SPAN.findall(text)
    if len(clocks) != 1 or not spans or not re.search(r"\b(?:when|what time)\b", text):
        return None
    minutes = 0
    for count, unit in spans:
        amount = 0.5 if count == "half an" else number(count)
        if amount is None:
            return None
        minutes += round(amount * (60 if unit == "hour" else 1))
    back = _BACK.search(text) is not None
    if not back and not _PASSES.search(text):
        return None
    start = int(clocks[0][0]) * 60 + int(clocks[0][1])
    hour, minute = divmod((start - minutes if back else start + minutes) % (24 * 60), 60)
    return f"At {hour if int(clocks[0][0]) > 12 else hour % 12 or 12}:{minute:02d}."
