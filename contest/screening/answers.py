"""Suggested marks, from comparing an answer with the key of its question. A suggestion only helps a
person to decide: it looks for words, and says which ones it found. Marks are in halves: 2 for a
full answer, 1 for half an answer, 0 for none.

* An answer is read as *tokens*: contractions are written out, numbers become digits, words lose
  their endings. A *pattern* is a sequence of words; `...` stands for up to six other words.
* Sentences that ask something in return, repeat the question, or say that the answer is not known
  are ignored.
* If the question offers a choice, the first thing that an answer names and does not negate counts.
* Some answers depend on the time (`paper.RULES`). The system's clock may be off by as much as the
  rules allow, so around midnight both dates are right, and around the end of a round both rounds.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from contest.screening import questions
from contest.screening.paper import Facts, Question
from texts import Sentence

FULL, HALF, NONE = 2, 1, 0
#: The characters of an answer that are examined; the rest is ignored.
EXAMINED_LENGTH = 4000
#: The maximum number of words of a question that may still be an answer, as in "A grapefruit?"
_SHORT_QUESTION = 4
#: The maximum number of minutes by which a time may be off for half a mark.
_HALF_MARK_MINUTES = 15

_DATA = questions.data("answers")
#: Words that negate the thing named after them; words that make a sentence choose nothing.
_DENIES, _OPEN = {"not", "than", "instead"}, {"or", "and"}
_NUMBERS: Mapping[str, int] = {
    **{word: number for number, word in enumerate(_DATA["units"])},
    **{word: number for number, word in enumerate(_DATA["ordinals"], 1)},
    **{word: 10 * number for number, word in enumerate(_DATA["tens"], 2)},
    **_DATA["numbers"],
}


class Suggestion(NamedTuple):
    """A suggested mark, in halves, and the reason in one line."""

    mark: int
    why: str


class Wanted(NamedTuple):
    """The contents of a right answer: patterns as in a question; or a number, such as that of the
    round; or the time of day."""

    words: tuple[str, ...] = ()
    half: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    explanation: str = ""
    number: int | None = None
    clock: dt.datetime | None = None

    def __str__(self) -> str:
        return self.explanation or " or ".join(self.words[:3])


def suggest(question: Question, answer: str, when: dt.datetime, facts: Facts) -> Suggestion:
    """Suggests a mark for an answer, with the reason.

    Arguments:
        question: the question, with its key.
        answer: the answer, one or more lines.
        when: local time of the question, for answers that depend on it; a time zone is dropped.
        facts: the facts of the paper.
    """
    of_question = [tokens(sentence) for sentence, _ in sentences(question.text)]
    said = []
    for sentence, asks in sentences(answer[:EXAMINED_LENGTH]):
        known = _without_doubt(tokens(sentence))
        returned = asks and len(sentence.split()) > _SHORT_QUESTION
        if known and not returned and not any(_repeats(known, each) for each in of_question):
            said.append(known)
    if not said:
        return Suggestion(NONE, _why("nothing"))
    if not question.rule:
        key = Wanted(question.words, question.half, question.wrong, question.explanation)
        return _mark(key, said, facts)
    # For the rule `clock` the allowance is applied elsewhere.
    off = 0 if question.rule == "clock" else facts.clock_minutes
    moments = (when.replace(tzinfo=None) + dt.timedelta(minutes=each) for each in (0, -off, off))
    all_ = [wanted_at(question.rule, question.number, moment, facts) for moment in moments]
    return max((_mark(each, said, facts) for each in all_), key=lambda each: each.mark)


# Wanted answers


def clock_text(moment: dt.datetime) -> str:
    """A time of day such as 9:05 AM."""
    return f"{moment.hour % 12 or 12}:{moment.minute:02d} {'AM' if moment.hour < 12 else 'PM'}"


def wanted_at(rule: str, number: int, when: dt.datetime, facts: Facts) -> Wanted:
    """The right answer at a moment, by one of `paper.RULES` and its number."""
    here, there = facts.round_at(when), when + dt.timedelta(days=number)
    match rule:
        case "clock" | "opens":
            later = when + dt.timedelta(minutes=number)
            clock = later if rule == "clock" else facts.start_of(number)
            return Wanted(clock=clock, explanation=clock_text(clock))
        case "am-pm":
            right, wrong = ("am", "pm") if when.hour < 12 else ("pm", "am")
            return Wanted((right,), wrong=(wrong,))
        case "part":
            hour, parts = when.hour + when.minute / 60, _DATA["parts"]
            fit = [it for it in parts if any(first <= hour < last for first, last in parts[it])]
            # "Good day" names no part of the day, but is not wrong either.
            half = ("day",) if 6 <= hour < 18 else ()
            return Wanted(tuple(fit), half, tuple(it for it in parts if it not in fit))
        case "day" | "contest-day":
            day = there if rule == "day" else facts.start
            return _of_names(_DATA["days"], day.weekday())
        case "month" | "contest-month":
            month = when.month + number if rule == "month" else facts.start.month
            return _of_names(_DATA["months"], (month - 1) % 12)
        case "date":
            return _date(there)
        case "year":
            year = when.year + number
            return Wanted((str(year),), (f"{year % 100:02d}",))
        case "rounds" | "round-minutes":
            many = facts.rounds if rule == "rounds" else facts.round_minutes
            return Wanted(number=many, explanation=str(many))
        case "over" if here > facts.rounds:
            yes = (*_DATA["yes"], *_DATA["over"])
            return Wanted(yes, wrong=tuple(_DATA["no"]), explanation="yes")
        case "over":
            more = _DATA["not_yet"] if here == 0 else ("still", "round ... of")
            no = (*_DATA["no"], *more)
            return Wanted(no, wrong=("yes",), explanation="no, it is not over")
    # The number of a round, or a number of rounds, or that there is none.
    over, rounds = _DATA["over"], facts.rounds
    wanted, none = {
        "round": (here, over if here else _DATA["not_yet"]),
        "next-round": (here + 1, [*over, "last"]),
        "rounds-done": (here - 1, _DATA["none_done"]),
        "rounds-left": (rounds - here, [*over, "0", "last"]),
    }[rule]
    if not 1 <= wanted <= rounds:
        why = "none: the contest has not started" if not here else "none"
        return Wanted(tuple(none), explanation=why)
    every = ("all",) if wanted == rounds and rule.startswith("rounds") else ()
    return Wanted(every, number=wanted, explanation=f"{wanted} of {rounds}")


def _of_names(names: Sequence[str], index: int) -> Wanted:
    others = tuple(name for name in names if name != names[index])
    return Wanted((names[index], names[index][:3]), wrong=others, explanation=names[index])


def _date(there: dt.datetime) -> Wanted:
    month, day, year = _DATA["months"][there.month - 1], there.day, there.year
    words = [f"{month} {day}", f"{day} {month}", f"{day} of {month}", f"{month[:3]} {day}"]
    words += [f"{day} {month[:3]}", f"{year} {there.month} {day}"]
    for shown in (year, year % 100):
        words += [f"{there.month} {day} {shown}", f"{day} {there.month} {shown}"]
    half = (month, f"the {day}", f"{there.month} {day}", f"{day} {there.month}")
    return Wanted(tuple(words), half, explanation=f"{day} {month} {year}")


# Marks

Sentences = Sequence[Sequence[str]]


def _mark(wanted: Wanted, said: Sentences, facts: Facts) -> Suggestion:
    text = " . ".join(" ".join(each) for each in said)
    if wanted.clock is not None:
        return _mark_clock(wanted.clock, text, facts.clock_minutes)
    if wanted.number is not None:
        # Numbers after "round", the last one first; or all numbers if there are none.
        numbers = re.findall(r"\bround (?:number )?(\d{1,4})\b(?!:)", text)[::-1]
        numbers = numbers or re.findall(r"(?<![\d:])\d{1,4}(?![\d:])", text)
        if numbers:
            mark = FULL if int(numbers[0]) == wanted.number else NONE
            return Suggestion(mark, _why("number", said=int(numbers[0]), answer=wanted))
    if any(find(pattern, each) is not None for pattern in wanted.wrong for each in said):
        chosen = next(filter(None, (_chosen(wanted, each) for each in said)), None)
        mark = FULL if chosen in wanted.words else NONE
        key = "undecided" if chosen is None else "choice"
        return Suggestion(mark, _why(key, said=chosen, answer=wanted))
    for mark, patterns in ((FULL, wanted.words), (HALF, wanted.half)):
        for pattern in patterns:
            if find(pattern, text.split()) is not None:
                return Suggestion(mark, _why("words", said=pattern))
    return Suggestion(NONE, _why("not_found", answer=wanted))


def _why(name: str, **fields: object) -> Sentence:
    return Sentence(f"season.suggestion.{name}", **fields)


def _chosen(wanted: Wanted, said: Sequence[str]) -> str | None:
    """The first pattern of a choice that a sentence names and does not negate; None if there is
    none, or the sentence leaves the choice open."""
    places = [
        (at, pattern)
        for pattern in (*wanted.words, *wanted.wrong)
        if (at := find(pattern, said)) is not None and _DENIES.isdisjoint(said[max(at - 3, 0) : at])
    ]
    return min(places)[1] if places and _OPEN.isdisjoint(said) else None


def _mark_clock(clock: dt.datetime, text: str, allowed: int) -> Suggestion:
    """Marks by the time in the text that is nearest to the right one."""
    right, best = clock.hour * 60 + clock.minute, Suggestion(NONE, _why("no_time"))
    for hour, minute, half in _TIME.findall(text):
        if int(hour) > 24 or int(minute or 0) > 59 or not (minute or half):
            continue
        time, is_half = int(hour) * 60 + int(minute or 0), half in ("am", "pm")
        nearly = min((time - right) % 720, (right - time) % 720)
        if is_half:
            time = time % 720 + 720 * (half == "pm")
        whole = 720 if not is_half and int(hour) < 13 else 1440
        off = min((time - right) % whole, (right - time) % whole)
        mark = FULL if off <= allowed else HALF if nearly <= _HALF_MARK_MINUTES else NONE
        best = max(best, Suggestion(mark, _why("off", minutes=off)), key=lambda each: each.mark)
    return best._replace(why=_why("time", why=best.why, answer=clock_text(clock)))


def _repeats(said: list[str], of_question: list[str]) -> bool:
    """Whether a sentence contains a whole sentence of the question."""
    return (
        len(of_question) > _SHORT_QUESTION and f" {' '.join(of_question)} " in f" {' '.join(said)} "
    )


def _without_doubt(said: list[str]) -> list[str]:
    """The part of a sentence that answers in spite of doubt: "a plane" in "I am not sure, but a
    plane"."""
    if all(find(pattern, said) is None for pattern in _DATA["unknown"]):
        return said
    return said[said.index("but") + 1 :] if "but" in said else []


# Tokens

_MARKS = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "`": "'", "\u2013": "-"})
_TOKEN = re.compile(
    # A time, but not part of a date such as 23.10.2010.
    r"(?<![\d.:])\d{1,2}[:.]\d{2}(?!\d|[.:]\d)|\d+|[^\W\d_]+(?:'[^\W\d_]+)*"
)
#: The end of a sentence, but not within 10.17 or a.m.
_END = re.compile(r"(?<!\b[apAP])(?<!\b[apAP]\.[mM])[.!?]+(?=\s|$)|\n+")
_HALF_DAY = re.compile(r"\b([ap])\.\s?m\b\.?", re.IGNORECASE)
#: AM, PM and ordinal endings that directly follow a number.
_ATTACHED_ENDING = re.compile(r"(?<=\d)(?=[ap]\.?m\b)|(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)
#: A time among tokens: hour, minute, and half of the day.
_TIME = re.compile(r"(?<!\S)(\d{1,2})(?:[: ](\d{2}))?(?: (o'clock|am|pm))?(?!\S)")


def sentences(text: str) -> list[tuple[str, bool]]:
    """The sentences of a text, each with whether it ends with a question mark."""
    found, start, plain = [], 0, text.translate(_MARKS)
    for end in [*_END.finditer(plain), None]:
        sentence = plain[start : end.start() if end else len(plain)].strip()
        if re.search(r"\w", sentence):
            found.append((sentence, end is not None and "?" in end[0]))
        start = end.end() if end else start
    return found


def tokens(text: str) -> list[str]:
    """The tokens of a text: lower case, numbers as digits (also number words and ordinals), times
    as 10:17, words without their endings."""
    plain = unicodedata.normalize("NFKC", text).translate(_MARKS).casefold()
    plain = _ATTACHED_ENDING.sub(
        lambda match: " " if not match[0] else "", _HALF_DAY.sub(r"\1m ", plain)
    )
    raw: list[str] = []
    for token in _TOKEN.findall(plain):
        token = _DATA["short"].get(token, token)
        token = f"{token[:-3]} not" if token.endswith("n't") else token
        raw += re.sub(r"'(?:s|re|ve|ll|d|m)$", "", token).split()
    found: list[str] = []
    tens = False
    for word in raw:
        number = _NUMBERS.get(word)
        if word == "am" and found[-1:] == ["i"]:
            found.append(stem("be"))
        elif number is None:
            found.append(stem(word))
        elif tens and 0 < number < 10:
            found[-1] = str(int(found[-1]) + number)
        else:
            found.append(str(number))
        tens = word in _DATA["tens"]
    return found


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without its ending, the same for all its forms; not always a word itself. Leading
    zeros are stripped from the text of a number, without converting it, because Python refuses to
    convert thousands of digits."""
    if word.isdigit():
        return word.lstrip("0") or "0"
    if word[0].isdigit():
        hour, minute = re.split("[:.]", word)
        return f"{int(hour)}:{minute}"
    word = questions.irregular().get(word, word)
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return word[:-3] + "i"
    if (many := 3 if word.endswith("ing") else 2 if word.endswith("ed") else 0) and (
        len(word) > many + 2
    ):
        word = word[:-many]
        # "running" becomes "run", but "calling" becomes "call".
        doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz"
        word = word[:-1] if doubled else word
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-2] if word.endswith(("shes", "ches", "xes", "sses", "zes")) else word[:-1]
    if len(word) > 3 and word.endswith("e"):
        return word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


def find(pattern: str, said: Sequence[str]) -> int | None:
    """The index of the first token of a pattern, or None if it is not found."""
    text = f" {' '.join(said)} "
    found = _compiled(pattern).search(text)
    return None if found is None else text.count(" ", 0, found.start())


@lru_cache(maxsize=20_000)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = [" ".join(tokens(part)) for part in pattern.split("...")]
    between = r"(?: \S+){0,6} "
    return re.compile(f" {between.join(map(re.escape, filter(None, parts))) or '(?!)'} ")
