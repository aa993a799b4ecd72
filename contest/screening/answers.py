"""Suggested marks: an answer beside the key of its question.

A suggestion is no more than that: it looks for words, and says which it has found. A full answer
has two halves, half an answer one, any other none.

* Sentences that only ask back, tell the question again, or say that the answer is not known, are
  set aside.
* Where a question lets choose, an answer that names both things is looked at more closely: what
  stands before "is larger than" is the larger one, what is said to be not is not chosen, and else
  the sentence decides that names one of them alone.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from contest.screening.moments import wanted_at
from contest.screening.questions.parts import Question, Wanted
from contest.screening.questions.relations import data
from contest.screening.tokens import find, sentences, stem, tokens

#: Halves of a full mark.
FULL, HALF, NONE = 2, 1, 0

#: Characters of an answer that are looked at: a page is no answer.
LOOKED_AT = 4000
#: Words of a question in return that may still be an answer, as in "A grapefruit?"
_SHORT_QUESTION = 4
#: Minutes by which a time may be off for half a mark.
_NEARLY = 15
_UNKNOWN = ("do not know", "not know", "no idea", "not sure", "can not say", "can not tell")
#: Between a thing that is named and one that is chosen.
_NOT = (
    *("not", "not a", "not the", "not an", "instead of", "than", "than a", "than an", "than the"),
)
_DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A mark that may fit.

    Attributes:
        mark: in halves: 2 a full answer, 1 half an answer, 0 none.
        why: what was found, one line.
    """

    mark: int
    why: str


def suggest(question: Question, answer: str, when: dt.datetime) -> Suggestion:
    """A mark that may fit an answer.

    Arguments:
        question: what was asked, with its key.
        answer: what came, one or more lines.
        when: local time of the answer, for what depends on it. A zone is dropped.

    Returns:
        The mark and why. The answer's text is only ever quoted as far as the key has it.
    """
    text = answer[:LOOKED_AT]
    said = [
        tokens(sentence)
        for sentence, asked in sentences(text)
        if not (asked and len(sentence.split()) > _SHORT_QUESTION)
    ]
    retold = [tokens(sentence) for sentence, _ in sentences(question.text)]
    said = [
        known
        for each in said
        if (known := _known(each)) and not any(_holds(each, told) for told in retold)
    ]
    if not said:
        return Suggestion(NONE, "nothing is answered")
    rule = question.key.rule
    key = question.key
    if rule is None:
        all_: tuple[Wanted, ...] = (
            Wanted(key.words, key.half, key.wrong, explanation=key.explanation),
        )
    else:
        all_ = wanted_at(rule, when.replace(tzinfo=None))
    return max((_mark(question, wanted, said) for wanted in all_), key=lambda each: each.mark)


def _mark(question: Question, wanted: Wanted, said: Sequence[Sequence[str]]) -> Suggestion:
    if wanted.clock is not None:
        return _clock(wanted, said)
    if wanted.number is not None:
        found = _number(wanted, said)
        if found is not None:
            return found
    if wanted.wrong and any(_any(wanted.wrong, each) for each in said):
        return _choice(question, wanted, said)
    return _words(wanted, [token for each in said for token in (*each, ".")])


def _words(wanted: Wanted, said: Sequence[str]) -> Suggestion:
    for mark, patterns in ((FULL, wanted.words), (HALF, wanted.half)):
        hit = _any(patterns, said)
        if hit:
            return Suggestion(mark, f"it says “{hit}”")
    return Suggestion(NONE, f"not found; wanted is {_wanted(wanted)}")


def _choice(question: Question, wanted: Wanted, said: Sequence[Sequence[str]]) -> Suggestion:
    """Both things are named, or the wrong one alone."""
    poles = _poles(question.text)
    alone: set[bool] = set()
    for each in said:
        right = _chosen(wanted.words, each)
        wrong = _chosen(wanted.wrong, each)
        if right is None and wrong is None:
            continue
        verdict = None
        if poles is not None:
            verdict = _compared(wanted, each, poles)
        if verdict is None and (right is None) != (wrong is None):
            verdict = right is not None
        if verdict is not None:
            alone.add(verdict)
    if alone == {True}:
        return Suggestion(FULL, f"it chooses “{wanted.words[0]}”")
    if alone == {False}:
        return Suggestion(NONE, f"it chooses the other; wanted is {_wanted(wanted)}")
    return Suggestion(NONE, f"it names both, and chooses none; wanted is {_wanted(wanted)}")


def _chosen(patterns: Sequence[str], said: Sequence[str]) -> int | None:
    """Where one of the patterns stands in a sentence that does not deny it."""
    for pattern in patterns:
        at = find(pattern, said)
        if at is None:
            continue
        before = " ".join(said[max(at - 3, 0) : at])
        if not before.endswith(_NOT_STEMS):
            return at
    return None


def _compared(wanted: Wanted, said: Sequence[str], poles: tuple[set[str], set[str]]) -> bool | None:
    """What a sentence with "than" says of the two, by what stands before the comparing word."""
    asked, opposite = poles
    for index, token in enumerate(said):
        if token in asked or token in opposite:
            names = [(find(pattern, said[:index]), True) for pattern in wanted.words]
            names += [(find(pattern, said[:index]), False) for pattern in wanted.wrong]
            before = [(at, right) for at, right in names if at is not None]
            after = [
                right
                for patterns, right in ((wanted.words, True), (wanted.wrong, False))
                if _any(patterns, said[index:])
            ]
            if not before or not after:
                continue
            subject = max(before)[1] if len({right for _, right in before}) == 1 else None
            if subject is None:
                continue
            denied = "not" in said[:index]
            return subject == ((token in asked) != denied)
    return None


@cache
def _all_poles() -> list[tuple[set[str], set[str]]]:
    found = []
    for scale in data()["scale"]:
        found.append(
            ({stem(word) for word in scale["more"]}, {stem(word) for word in scale["less"]})
        )
    for chain in data()["chain"]:
        found.append(
            (
                {stem(chain["more"]), stem(chain["most"])},
                {stem(chain["less"]), stem(chain["least"])},
            )
        )
    return found


def _poles(text: str) -> tuple[set[str], set[str]] | None:
    """The comparing words of a question, and those of the other way round."""
    # A chain is told before it is asked about: the last sentence asks.
    asked = tokens(sentences(text)[-1][0]) if sentences(text) else []
    here: set[str] = set()
    there: set[str] = set()
    for more, less in _all_poles():
        if not more.isdisjoint(asked):
            here |= more
            there |= less
        elif not less.isdisjoint(asked):
            here |= less
            there |= more
    return (here, there - here) if here else None


def _number(wanted: Wanted, said: Sequence[Sequence[str]]) -> Suggestion | None:
    """The number that is said: that of a round if one is named, else the first one."""
    assert wanted.number is not None
    numbers: list[int] = []
    for each in said:
        for index, token in enumerate(each):
            if token.isdigit() and len(token) < 5:
                beside = (*each[max(index - 2, 0) : index], *each[index + 1 : index + 2])
                number = int(token)
                if stem("round") in beside and "of" not in each[max(index - 1, 0) : index]:
                    numbers.insert(0, number)
                else:
                    numbers.append(number)
    if not numbers:
        return None
    if numbers[0] == wanted.number:
        return Suggestion(FULL, f"it says {wanted.number}")
    return Suggestion(NONE, f"it says {numbers[0]}; wanted is {_wanted(wanted)}")


def _clock(wanted: Wanted, said: Sequence[Sequence[str]]) -> Suggestion:
    """The time of the day that is nearest to the right one of those that are said."""
    assert wanted.clock is not None
    right = wanted.clock.hour * 60 + wanted.clock.minute
    best: tuple[int, bool] | None = None
    for each in said:
        for minutes, half_day in _times(each):
            off, other_half = _distance(minutes, half_day, right)
            if best is None or (off, other_half) < best:
                best = (off, other_half)
    if best is None:
        return Suggestion(NONE, f"no time is said; wanted is {_wanted(wanted)}")
    off, other_half = best
    shown = "on the minute" if off == 0 else f"{off} minute{'s' if off != 1 else ''} off"
    if off <= wanted.off and not other_half:
        return Suggestion(FULL, f"the time is {shown}")
    if off <= wanted.off:
        return Suggestion(HALF, "the time is right, but in the other half of the day")
    if off <= _NEARLY and not other_half:
        return Suggestion(HALF, f"the time is {shown}; wanted is {_wanted(wanted)}")
    return Suggestion(NONE, f"the time is {shown}; wanted is {_wanted(wanted)}")


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


def _times(said: Sequence[str]) -> list[tuple[int, str | None]]:
    """The times in a sentence: minutes since midnight, and AM or PM where it is said."""
    found: list[tuple[int, str | None]] = []
    for index, token in enumerate(said):
        after = said[index + 1 : index + 4]
        half_day = next((each for each in after[:2] if each in ("am", "pm")), None)
        if half_day is None and {"afternoon", "even", "night"} & {*after}:
            half_day = "pm"
        if ":" in token:
            hour, minute = map(int, token.split(":"))
            if hour < 25 and minute < 60:
                found.append((hour % 24 * 60 + minute, half_day))
        elif token.isdigit() and len(token) < 3 and int(token) < 25:
            found += [(minutes, half_day) for minutes in _spoken(said, index)]
    noon = [(12 * 60, "pm")] if "noon" in said else []
    return [*found, *noon]


def _spoken(said: Sequence[str], index: int) -> list[int]:
    """Times in words around an hour: ten, ten seventeen, half past ten, a quarter to ten."""
    hour = int(said[index])
    whole = hour % 24 * 60
    before = said[max(index - 3, 0) : index]
    after = said[index + 1] if index + 1 < len(said) else ""
    if len(before) > 1 and before[-1] in _PAST_OR_TO:
        span = {"quarter": "15", "half": "30", "minut": before[0]}.get(before[-2], before[-2])
        if span.isdigit() and len(span) < 3:
            sign = 1 if before[-1] in ("past", "after") else -1
            return [whole + sign * int(span)]
    if before and before[-1] == "half":
        return [whole + 30]
    if after.isdigit() and len(after) < 3 and int(after) < 60:
        return [whole + int(after)]
    if after == "oh" and said[index + 2 : index + 3]:
        minute = said[index + 2]
        return [whole + int(minute)] if minute.isdigit() and len(minute) == 1 else [whole]
    if after in _PAST_OR_TO or after == "minut":
        return []
    bare = after in ("o'clock", "am", "pm", "sharp", "") or (before and before[-1] in ("at", "be"))
    return [whole] if bare else []


_PAST_OR_TO = ("past", "after", "to", "before", "till", "until")
_NOT_STEMS = tuple(" ".join(tokens(words)) for words in _NOT)


def _holds(said: list[str], told: list[str]) -> bool:
    """Whether a sentence tells one of the question again, in full."""
    length = len(told)
    return length > _SHORT_QUESTION and any(
        said[start : start + length] == told for start in range(len(said) - length + 1)
    )


def _known(said: list[str]) -> list[str]:
    """What a sentence says in spite of all doubt: "I am not sure, but a plane" says a plane."""
    if not _any(_UNKNOWN, said):
        return said
    return said[said.index("but") + 1 :] if "but" in said else []


def _any(patterns: Sequence[str], said: Sequence[str]) -> str | None:
    return next((pattern for pattern in patterns if find(pattern, said) is not None), None)


def _wanted(wanted: Wanted) -> str:
    return wanted.explanation or " or ".join(wanted.words[:3])
