"""What any grown-up can answer: which is larger, what a thing is for, a small sum, what was said.

These are the four sorts of screening question (rules 2010, section 4) but for the time, which is a
matter of manner more than of knowledge. Each function gives the bare answer in a word or a few, or
None where the question is none of its sort; how it is put is the persona's business (mind.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from contest.people.lines import Common, Order
from contest.people.words import (
    STOP,
    content_words,
    is_question,
    near,
    shared,
    stem,
    tokens,
    word_set,
)

_THAN = re.compile(r"\b([a-z]+) (?:is|was) (?:much |a bit |a lot )?([a-z]+er) than ([a-z]+)")
_SUPERLATIVE = re.compile(r"\b(?:who|which)\b.*?\b([a-z]+est)\b")
_USE = re.compile(r"\bwhats?\b.*\b(?:for|with)$|\buse[ds]?\b|\bwhat\b.*\bdo with\b")
_SUM = re.compile(r"\b([0-9]{1,4}) ?(plus|minus|times|and|x|\+|-|\*) ?([0-9]{1,4})\b")
_SMALL_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
_REMEMBERING = re.compile(
    r"\bremember|\bi (?:say|said|tell|told|mention)|\bwhat (?:was|is|did|does|do)\b.*\bmy\b"
    r"|\bmy\b.*\bagain\b|\bearlier\b|\bwho (?:was|is) my\b|\b(?:how|where|which|when)\b.*\bmy\b"
)
_NAMED = re.compile(r"(?:named|called|name is|name's|names are) ([A-Z]?[a-z]+)", re.IGNORECASE)
_CAPITAL = re.compile(r"(?<=[a-z,] )([A-Z][a-z]+)")
_PLACE = re.compile(r"\b(?:in|at|from|to|on|under|behind|near|inside) (?:the |a |an |my )?([a-z]+)")
_COLOURS = word_set("red blue green yellow orange purple pink brown black white grey gray")


def compare(text: str, common: Common) -> str | None:
    """Which of two things is larger, faster, hotter, ...: one of the question's own words."""
    words = tokens(text)
    if "or" not in words:
        return None
    for order in common.order:
        more = any(word in order.more for word in words)
        less = any(word in order.less for word in words)
        if more == less:
            continue
        met = [(place, word) for word in words if (place := _place(word, order)) is not None]
        if len(met) >= 2:
            return (max if more else min)(met)[1]
    return None


def confirm(text: str, common: Common) -> str | None:
    """Whether one thing is larger, faster, older, ... than another: yes or no."""
    words = tokens(text)
    if "than" not in words or words[0] not in ("is", "are"):
        return None
    first, second = words[: words.index("than")], words[words.index("than") :]
    for order in common.order:
        places = [
            next((place for word in half if (place := _place(word, order)) is not None), None)
            for half in (first, second)
        ]
        one, other = places
        more = any(word in order.more for word in first)
        less = any(word in order.less for word in first)
        if one is not None and other is not None and one != other and more != less:
            return "yes" if (one > other) == more else "no"
    return None


def _place(word: str, order: Order) -> int | None:
    return next(
        (place for place, thing in enumerate(order.things) if stem(word) == stem(thing)), None
    )


def arrange(text: str, told: Sequence[str]) -> str | None:
    """Who is the oldest, tallest, ... of those of whom the judge said who exceeds whom.

    Arguments:
        text: the question.
        told: the judge's lines so far; the question may hold its own facts.
    """
    asked = _SUPERLATIVE.search(text.lower())
    if asked is None:
        return None
    wanted = asked.group(1).removesuffix("est")
    opposites = {"young": "old", "short": "tall", "small": "bigg", "slow": "fast", "poor": "rich"}
    facts = [match for line in [*told, text] for match in _THAN.findall(line.lower())]
    above: dict[str, set[str]] = {}
    for one, comparative, other in facts:
        kind = comparative.removesuffix("er")
        if kind == wanted:
            winner, loser = one, other
        elif kind == opposites.get(wanted) or opposites.get(kind) == wanted:
            winner, loser = other, one
        else:
            continue
        above.setdefault(loser, set()).add(winner)
        above.setdefault(winner, set())
    top = [name for name, winners in above.items() if not winners]
    return top[0].capitalize() if len(top) == 1 else None


def use(text: str, common: Common) -> str | None:
    """What a thing is for."""
    if not _USE.search(" ".join(tokens(text))):
        return None
    words = [stem(word) for word in tokens(text)]
    met = [what for thing, what in common.uses.items() if stem(thing) in words]
    return met[0] if len(met) == 1 else None


def add_up(text: str) -> str | None:
    """A small sum in digits or small number words."""
    lowered = " ".join(
        str(_SMALL_NUMBERS.index(word)) if word in _SMALL_NUMBERS else word
        for word in re.findall(r"[a-z]+|[0-9]+|[+*-]", text.lower())
    )
    match = _SUM.search(lowered)
    if match is None or (match.group(2) in ("and", "-", "x") and not is_question(text)):
        return None
    one, sign, other = int(match.group(1)), match.group(2), int(match.group(3))
    if sign in ("times", "x", "*"):
        return str(one * other)
    return str(one - other if sign in ("minus", "-") else one + other)


def recall(text: str, told: Sequence[str]) -> str | None:
    """What the judge said before.

    Arguments:
        text: the judge's question.
        told: the judge's lines before it.

    Returns:
        The part that the question asks for, as well as it can be guessed, or None where the line
        is no such question, or nothing of the kind was said.
    """
    lowered = text.lower()
    if not _REMEMBERING.search(lowered):
        return None
    # A statement without a number tells no number: what holds no answer is not what is meant.
    statements = [line for line in reversed(told) if not is_question(line)]
    ranked = sorted(statements, key=lambda line: -shared(text, line))
    for line in ranked:
        if not shared(text, line):
            break
        answer = _asked_part(lowered, line)
        if answer is not None:
            return answer
    return None


def _asked_part(question: str, statement: str) -> str | None:
    if re.search(r"\bnamed?s?\b|\bcalled\b|\bwho\b", question):
        match = _NAMED.search(statement) or _CAPITAL.search(statement)
        return match.group(1).capitalize() if match else None
    if re.search(r"how (?:many|much|old)|what (?:time|number|year)", question):
        words = re.findall(r"[a-z]+|[0-9]+", statement.lower())
        # "One" is a pronoun more often than a number.
        return next((w for w in words if w.isdigit() or w in _SMALL_NUMBERS[2:]), None)
    if re.search(r"colou?r", question):
        return next((word for word in tokens(statement) if word in _COLOURS), None)
    if re.search(r"\bwhere\b", question):
        places = _PLACE.findall(statement.lower())
        return places[-1] if places else None
    known = content_words(question)
    rest = [
        word
        for word in tokens(statement)
        if word not in STOP and not any(near(stem(word), each) for each in known)
    ]
    return " ".join(rest[-2:]) or None
