"""Suggested marks: an answer beside the key of its question. A suggestion only helps: it looks for
words, and says which it has found. Marks are in halves: 2 a full answer, 1 half an answer, 0 none.

* An answer is read as *tokens*: contractions written out, numbers as figures, words without their
  endings. A *pattern* is some words side by side; `...` between two stands for up to six others.
* Sentences that ask back, repeat the question, or say that the answer is not known are set aside.
* Where the question offers a choice and an answer names both things, what stands before "is larger
  than" is the larger one, what is denied is not chosen, and otherwise a sentence that names one of
  them alone decides.
* Some answers depend on the moment (`paper.RULES`); the system's clock may be off by as much as the
  rules allow, so that at midnight both dates are right, and where a round ends both rounds.
"""

from __future__ import annotations

import datetime as dt
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from contest.screening.paper import Facts, Question
from contest.screening.vocabulary import irregular

FULL, HALF, NONE = 2, 1, 0
#: Characters of an answer that are looked at: a page is no answer.
LOOKED_AT = 4000
#: Words of a question in return that may still be an answer, as in "A grapefruit?"
_SHORT_QUESTION = 4
#: Minutes by which a time may be off for half a mark.
_NEARLY = 15
_DAY = 24 * 60


@cache
def data(name: str) -> dict[str, Any]:
    """A file of `data/`: templates and what fills them."""
    file = resources.files("contest.screening").joinpath("data", f"{name}.toml")
    return tomllib.loads(file.read_text("utf-8"))


_DATA = data("answers")
DAYS: Sequence[str] = _DATA["days"]
MONTHS: Sequence[str] = _DATA["months"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A mark that may fit: in halves, and what was found, one line."""

    mark: int
    why: str


def suggest(question: Question, answer: str, when: dt.datetime, facts: Facts) -> Suggestion:
    """A mark that may fit an answer.

    Arguments:
        question: what was asked, with its key.
        answer: what came, one or more lines.
        when: local time of the answer, for what depends on it. A zone is dropped.
        facts: those of the paper.

    Returns:
        The mark and why. The answer's text is only quoted as far as the key has it.
    """
    retold = [tokens(sentence) for sentence, _ in sentences(question.text)]
    said = []
    for sentence, asks in sentences(answer[:LOOKED_AT]):
        if asks and len(sentence.split()) > _SHORT_QUESTION:
            continue
        known = _without_doubt(tokens(sentence))
        if known and not any(_repeats(known, told) for told in retold):
            said.append(known)
    if not said:
        return Suggestion(NONE, "nothing is answered")
    if question.rule:
        all_ = wanted_at(question, when.replace(tzinfo=None), facts)
    else:
        key = (question.words, question.half, question.wrong)
        all_ = (Wanted(*key, explanation=question.explanation),)
    return max((_mark(question, wanted, said) for wanted in all_), key=lambda each: each.mark)


# What is wanted


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for in an answer: patterns as of a question; or the number to be said, such as
    that of the round; or the time of the day."""

    words: tuple[str, ...] = ()
    half: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    number: int | None = None
    clock: dt.datetime | None = None
    off: int = 0
    explanation: str = ""

    def __str__(self) -> str:
        return self.explanation or " or ".join(self.words[:3])


def wanted_at(question: Question, when: dt.datetime, facts: Facts) -> tuple[Wanted, ...]:
    """What is wanted of an answer at a moment, by the question's rule: at this moment, which comes
    first, and as far before and after it as the clock may be off."""
    off = dt.timedelta(minutes=facts.clock_minutes)
    find = MOMENTS[question.rule]
    found = [find(moment, question.number, facts) for moment in (when, when - off, when + off)]
    # The clock has its own allowance, and needs no second one.
    return tuple(dict.fromkeys(found)) if question.rule != "clock" else (found[0],)


def face(moment: dt.datetime) -> str:
    """A time of the day as a clock's face and a half of the day: 9:05 AM."""
    return f"{moment.hour % 12 or 12}:{moment.minute:02d} {'AM' if moment.hour < 12 else 'PM'}"


def _patterns(name: str) -> tuple[str, ...]:
    return tuple(_DATA[name])


def _of_names(names: Sequence[str], index: int) -> Wanted:
    others = tuple(name for name in names if name != names[index])
    return Wanted((names[index], names[index][:3]), wrong=others, explanation=names[index])


def _clock(moment: dt.datetime, number: int, facts: Facts) -> Wanted:
    there, off = moment + dt.timedelta(minutes=number), facts.clock_minutes
    return Wanted(clock=there, off=off, explanation=f"{face(there)}, {off} minutes more or less")


def _half_day(moment: dt.datetime, _number: int, _facts: Facts) -> Wanted:
    right, wrong = ("am", "pm") if moment.hour < 12 else ("pm", "am")
    return Wanted((right,), wrong=(wrong,), explanation=right.upper())


def _part(moment: dt.datetime, _number: int, _facts: Facts) -> Wanted:
    hour, parts = moment.hour + moment.minute / 60, _DATA["parts"]
    fit = [name for name in parts if any(first <= hour < last for first, last in parts[name])]
    rest = tuple(name for name in parts if name not in fit)
    # "Good day" and the like are no choice, but not wrong either.
    half = ("day",) if 6 <= hour < 18 else ()
    return Wanted(tuple(fit), half, rest, explanation=" or ".join(fit))


def _date(moment: dt.datetime, number: int, _facts: Facts) -> Wanted:
    there = moment.date() + dt.timedelta(days=number)
    month, day, year = MONTHS[there.month - 1], there.day, there.year
    words = [f"{month} {day}", f"{day} {month}", f"{day} of {month}", f"{month[:3]} {day}"]
    words += [f"{day} {month[:3]}", f"{year} {there.month} {day}"]
    for shown in (year, year % 100):
        words += [f"{there.month} {day} {shown}", f"{day} {there.month} {shown}"]
    half = (month, f"the {day}", f"{there.month} {day}", f"{day} {there.month}")
    return Wanted(tuple(words), half, explanation=f"{day} {month} {year}")


def _year(moment: dt.datetime, number: int, _facts: Facts) -> Wanted:
    year = moment.year + number
    return Wanted((str(year),), (f"{year % 100:02d}",), explanation=str(year))


def _round(moment: dt.datetime, _number: int, facts: Facts) -> Wanted:
    here, start = facts.round_at(moment), facts.start
    if here == 0:
        at = f"at {face(start)} on {start.day} {MONTHS[start.month - 1]} {start.year}"
        return Wanted(_patterns("not_yet"), explanation=f"none yet: the contest starts {at}")
    if here > facts.rounds:
        return Wanted(_patterns("over"), explanation="none: the contest is over")
    return Wanted(number=here, explanation=f"round {here} of {facts.rounds}")


def _next_round(moment: dt.datetime, _number: int, facts: Facts) -> Wanted:
    following = facts.round_at(moment) + 1
    if following > facts.rounds:
        words = (*_patterns("over"), "last")
        return Wanted(words, explanation="none: there is no round after this")
    return Wanted(number=following, explanation=f"round {following}")


def _rounds_done(moment: dt.datetime, _number: int, facts: Facts) -> Wanted:
    done = max(facts.round_at(moment) - 1, 0)
    if done == 0:
        return Wanted(_patterns("none_done"), explanation="none")
    return Wanted(("all",) * (done == facts.rounds), number=done, explanation=str(done))


def _rounds_left(moment: dt.datetime, _number: int, facts: Facts) -> Wanted:
    left = facts.rounds - min(facts.round_at(moment), facts.rounds)
    if left == 0:
        return Wanted((*_patterns("over"), "0", "last"), explanation="none")
    return Wanted(("all",) * (left == facts.rounds), number=left, explanation=str(left))


def _is_over(moment: dt.datetime, _number: int, facts: Facts) -> Wanted:
    here, yes, no = facts.round_at(moment), _patterns("yes"), _patterns("no")
    if here > facts.rounds:
        return Wanted((*yes, *_patterns("over")), wrong=no, explanation="yes, it is over")
    more = _patterns("not_yet") if here == 0 else ("still", "round ... of")
    return Wanted((*no, *more), wrong=("yes",), explanation="no, it is not over")


#: By the name of a rule: what is wanted at a moment, with the rule's number and the facts.
MOMENTS: Mapping[str, Callable[[dt.datetime, int, Facts], Wanted]] = {
    "clock": _clock,
    "am-pm": _half_day,
    "part": _part,
    "day": lambda when, number, _: _of_names(DAYS, (when + dt.timedelta(number)).weekday()),
    "date": _date,
    "month": lambda when, number, _: _of_names(MONTHS, (when.month - 1 + number) % 12),
    "year": _year,
    "round": _round,
    "next-round": _next_round,
    "rounds-done": _rounds_done,
    "rounds-left": _rounds_left,
    "over": _is_over,
}


# Marks

Said = Sequence[Sequence[str]]


def _mark(question: Question, wanted: Wanted, said: Said) -> Suggestion:
    if wanted.clock is not None:
        return _mark_clock(wanted, wanted.clock, said)
    if wanted.number is not None:
        numbers = _numbers(said)
        if numbers and numbers[0] == wanted.number:
            return Suggestion(FULL, f"it says {wanted.number}")
        if numbers:
            return Suggestion(NONE, f"it says {numbers[0]}; wanted is {wanted}")
    if wanted.wrong and any(_any(wanted.wrong, each) for each in said):
        return _mark_choice(question, wanted, said)
    whole = [token for each in said for token in (*each, ".")]
    for mark, patterns in ((FULL, wanted.words), (HALF, wanted.half)):
        if hit := _any(patterns, whole):
            return Suggestion(mark, f"it says “{hit}”")
    return Suggestion(NONE, f"not found; wanted is {wanted}")


def _mark_choice(question: Question, wanted: Wanted, said: Said) -> Suggestion:
    """Both things are named, or the wrong one alone."""
    poles = _poles(question.text)
    chosen = set()
    for each in said:
        right, wrong = _chosen(wanted.words, each), _chosen(wanted.wrong, each)
        if right or wrong:
            verdict = _compared(wanted, each, *poles) if poles is not None else None
            if verdict is None and right != wrong:
                verdict = right
            chosen.add(verdict)
    chosen.discard(None)
    if chosen == {True}:
        return Suggestion(FULL, f"it chooses “{wanted.words[0]}”")
    if chosen == {False}:
        return Suggestion(NONE, f"it chooses the other; wanted is {wanted}")
    return Suggestion(NONE, f"it names both, and chooses none; wanted is {wanted}")


def _chosen(patterns: Sequence[str], said: Sequence[str]) -> bool:
    """Whether one of the patterns stands in a sentence that does not deny it."""
    found = (find(pattern, said) for pattern in patterns)
    return any(
        at is not None and not " ".join(said[max(at - 3, 0) : at]).endswith(_denials())
        for at in found
    )


def _compared(
    wanted: Wanted, said: Sequence[str], asked: set[str], opposite: set[str]
) -> bool | None:
    """What a sentence with "than" says of the two, by what stands before the comparing word."""
    both = ((wanted.words, True), (wanted.wrong, False))
    for index, token in enumerate(said):
        if token in asked or token in opposite:
            before = {right for patterns, right in both if _any(patterns, said[:index])}
            after = {right for patterns, right in both if _any(patterns, said[index:])}
            if len(before) == 1 and after:
                return before.pop() == ((token in asked) != ("not" in said[:index]))
    return None


@cache
def _denials() -> tuple[str, ...]:
    return tuple(" ".join(tokens(words)) for words in _DATA["not"])


@cache
def _all_poles() -> list[tuple[set[str], set[str]]]:
    found = []
    for row in (*data("relations")["scale"], *data("relations")["chain"]):
        more, less = (
            row[name] if isinstance(row[name], list) else [row[name], row[end]]
            for name, end in (("more", "most"), ("less", "least"))
        )
        found.append(({stem(word) for word in more}, {stem(word) for word in less}))
    return found


def _poles(text: str) -> tuple[set[str], set[str]] | None:
    """The comparing words of a question, and those of the other way round."""
    # A chain is told before it is asked about: the last sentence asks.
    asked = tokens(sentences(text)[-1][0]) if sentences(text) else []
    here: set[str] = set()
    there: set[str] = set()
    for more, less in _all_poles():
        if not more.isdisjoint(asked):
            here, there = here | more, there | less
        elif not less.isdisjoint(asked):
            here, there = here | less, there | more
    return (here, there - here) if here else None


def _numbers(said: Said) -> list[int]:
    """The numbers that are said; that of a round first, if one is named."""
    numbers: list[int] = []
    for each in said:
        for index, token in enumerate(each):
            if token.isdigit() and len(token) < 5:
                before = each[max(index - 2, 0) : index]
                of_round = stem("round") in (*before, *each[index + 1 : index + 2])
                place = 0 if of_round and "of" not in before[-1:] else len(numbers)
                numbers.insert(place, int(token))
    return numbers


def _mark_clock(wanted: Wanted, clock: dt.datetime, said: Said) -> Suggestion:
    """By the time of the day, of those that are said, that is nearest to the right one."""
    right = clock.hour * 60 + clock.minute
    found = [
        _distance(minutes, half_day, right) for each in said for minutes, half_day in _times(each)
    ]
    if not found:
        return Suggestion(NONE, f"no time is said; wanted is {wanted}")
    off, other_half = min(found)
    shown = "on the minute" if off == 0 else f"{off} minute{'s' if off != 1 else ''} off"
    if off <= wanted.off and not other_half:
        return Suggestion(FULL, f"the time is {shown}")
    if off <= wanted.off:
        return Suggestion(HALF, "the time is right, but in the other half of the day")
    mark = HALF if off <= _NEARLY and not other_half else NONE
    return Suggestion(mark, f"the time is {shown}; wanted is {wanted}")


def _distance(minutes: int, half_day: str | None, right: int) -> tuple[int, bool]:
    """Minutes on the face of a twelve-hour clock between two times, and whether the half of the day
    is another."""
    on_face = (minutes - right) % (_DAY // 2)
    off = min(on_face, _DAY // 2 - on_face)
    if half_day is None and minutes < 13 * 60:
        return off, False
    whole = minutes if half_day is None else minutes % 720 + (720 if half_day == "pm" else 0)
    around = (whole - right) % _DAY
    return off, min(around, _DAY - around) > _DAY // 4


def _times(said: Sequence[str]) -> Iterator[tuple[int, str | None]]:
    """The times in a sentence: minutes since midnight, and AM or PM where it is said."""
    for index, token in enumerate(said):
        after = said[index + 1 : index + 4]
        half_day = next((each for each in after[:2] if each in ("am", "pm")), None)
        if half_day is None and {"afternoon", "even", "night"} & {*after}:
            half_day = "pm"
        if ":" in token:
            hour, minute = map(int, token.split(":"))
            if hour < 25 and minute < 60:
                yield hour % 24 * 60 + minute, half_day
        elif token.isdigit() and len(token) < 3 and int(token) < 25:
            minutes = _spoken(said, index)
            if minutes is not None:
                yield minutes, half_day
    if "noon" in said:
        yield 12 * 60, "pm"


def _spoken(said: Sequence[str], index: int) -> int | None:
    """The time in words around an hour: ten, ten seventeen, half past ten, a quarter to ten."""
    whole = int(said[index]) % 24 * 60
    before = said[max(index - 3, 0) : index]
    after, second = [*said[index + 1 : index + 3], "", ""][:2]
    if len(before) > 1 and before[-1] in _PAST_OR_TO:
        span = {"quarter": "15", "half": "30", "minut": before[0]}.get(before[-2], before[-2])
        if span.isdigit() and len(span) < 3:
            return whole + (1 if before[-1] in ("past", "after") else -1) * int(span)
    if before and before[-1] == "half":
        return whole + 30
    if after.isdigit() and len(after) < 3 and int(after) < 60:
        return whole + int(after)
    if after == "oh" and second:
        return whole + int(second) if second.isdigit() and len(second) == 1 else whole
    if after in _PAST_OR_TO or after == "minut":
        return None
    bare = after in ("o'clock", "am", "pm", "sharp", "") or before[-1:] in (["at"], ["be"])
    return whole if bare else None


_PAST_OR_TO = ("past", "after", "to", "before", "till", "until")


def _repeats(said: list[str], told: list[str]) -> bool:
    """Whether a sentence tells one of the question again, in full."""
    length = len(told)
    return length > _SHORT_QUESTION and any(
        said[start : start + length] == told for start in range(len(said) - length + 1)
    )


def _without_doubt(said: list[str]) -> list[str]:
    """What a sentence says in spite of all doubt: "I am not sure, but a plane" says a plane."""
    if not _any(_DATA["unknown"], said):
        return said
    return said[said.index("but") + 1 :] if "but" in said else []


def _any(patterns: Sequence[str], said: Sequence[str]) -> str | None:
    return next((pattern for pattern in patterns if find(pattern, said) is not None), None)


# Tokens

_MARKS = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "`": "'", "\u2013": "-"})
_TOKEN = re.compile(
    # A time, but no part of a date such as 23.10.2010.
    r"(?<![\d.:])\d{1,2}[:.]\d{2}(?!\d|[.:]\d)|\d+|[^\W\d_]+(?:'[^\W\d_]+)*"
)
#: Where a sentence ends: not within 10.17 or a.m.
_END = re.compile(r"(?<!\b[apAP])(?<!\b[apAP]\.[mM])[.!?]+(?=\s|$)|\n+")
_HALF_DAY = re.compile(r"\b([ap])\.\s?m\b\.?", re.IGNORECASE)
#: AM and PM, and th and its like, that stick to their number.
_STUCK = re.compile(r"(?<=\d)(?=[ap]\.?m\b)|(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)
_NUMBERS: Mapping[str, int] = {
    **{word: number for number, word in enumerate(_DATA["units"])},
    **{word: number for number, word in enumerate(_DATA["ordinals"], 1)},
    **{word: 10 * number for number, word in enumerate(_DATA["tens"], 2)},
    **_DATA["numbers"],
}


def sentences(text: str) -> list[tuple[str, bool]]:
    """The sentences of a text, each with whether a question mark ends it."""
    found, start, plain = [], 0, text.translate(_MARKS)
    for end in [*_END.finditer(plain), None]:
        sentence = plain[start : end.start() if end else len(plain)].strip()
        if re.search(r"\w", sentence):
            found.append((sentence, end is not None and "?" in end[0]))
        start = end.end() if end else start
    return found


def tokens(text: str) -> list[str]:
    """The tokens of a text: lower case, numbers as figures (also where they are words, ordinals
    too), times as 10:17, words without their endings."""
    plain = unicodedata.normalize("NFKC", text).translate(_MARKS).casefold()
    plain = _STUCK.sub(lambda match: " " if not match[0] else "", _HALF_DAY.sub(r"\1m ", plain))
    raw: list[str] = []
    for token in _TOKEN.findall(plain):
        token = _DATA["short"].get(token, token)
        token = f"{token[:-3]} not" if token.endswith("n't") else token
        for ending in ("'s", "'re", "'ve", "'ll", "'d", "'m"):
            token = token.removesuffix(ending)
        raw += token.split()
    found: list[str] = []
    tens = False
    for word in raw:
        number = _NUMBERS.get(word)
        if word == "am" and found[-1:] == ["i"]:
            found.append(stem("be"))
        elif number is None:
            found.append(_figures(word) if word[0].isdigit() else stem(word))
        elif tens and 0 < number < 10:
            found[-1] = str(int(found[-1]) + number)
        else:
            found.append(str(number))
        tens = word in _DATA["tens"]
    return found


def _figures(word: str) -> str:
    if word.isdigit():
        # Python refuses to read numbers of thousands of digits.
        return word.lstrip("0") or "0"
    hour, minute = re.split("[:.]", word)
    return f"{int(hour)}:{minute}"


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without its ending, the same for all its forms; not always a word itself."""
    word = irregular().get(word, word)
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return word[:-3] + "i"
    if len(word) > 5 and word.endswith("ing"):
        word = _single(word[:-3])
    elif len(word) > 4 and word.endswith("ed"):
        word = _single(word[:-2])
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
        if word.endswith(("she", "che", "xe", "sse", "ze")):
            word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        return word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


def _single(word: str) -> str:
    """Running is of run, calling of call."""
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz"
    return word[:-1] if doubled else word


def find(pattern: str, said: Sequence[str]) -> int | None:
    """Where a pattern stands in tokens: the index of its first one, or None."""
    parts = _parts(pattern)
    starts = (start for start in range(len(said)) if parts and _follows(parts, said, start))
    return next(starts, None)


@lru_cache(maxsize=20_000)
def _parts(pattern: str) -> tuple[tuple[str, ...], ...]:
    """The pattern's words, parted where others may stand between."""
    return tuple(tuple(part) for part in map(tokens, pattern.split("...")) if part)


def _follows(parts: Sequence[tuple[str, ...]], said: Sequence[str], start: int) -> bool:
    end = start + len(parts[0])
    if tuple(said[start:end]) != parts[0]:
        return False
    return len(parts) == 1 or any(
        _follows(parts[1:], said, following) for following in range(end, min(end + 7, len(said)))
    )
