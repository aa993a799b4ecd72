"""Sums such as children do: "What is seven times eight?", "If I have three apples and eat one, how
many are left?"."""

from __future__ import annotations

import re

from bots.screening.wording import number, number_word

_NUMBER = r"(\d{1,6}|[a-z]+(?:-[a-z]+)?)"
_SIGNS = {
    "plus": "+",
    "and": "+",
    "+": "+",
    "added to": "+",
    "minus": "-",
    "-": "-",
    "less": "-",
    "take away": "-",
    "times": "*",
    "x": "*",
    "*": "*",
    "multiplied by": "*",
    "divided by": "/",
    "/": "/",
}
_SIGN = "|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True))
_SUM = re.compile(
    rf"^(?:what is|how much is|how many is|what does|calculate|add|what are)?\s*{_NUMBER}"
    rf"\s*({_SIGN})\s*{_NUMBER}(?: make| equal| equals)?\s*=?$"
)
_HALF = re.compile(rf"\b(half|twice|double) (?:of )?{_NUMBER}$")
_NEXT = re.compile(rf"\b(?:number )?(?:comes |is |follows )?(after|before|follows) {_NUMBER}$")
_HAVE = re.compile(rf"\b(?:have|has|had|is|are|were) {_NUMBER} ([a-z]+)")
_CHANGE = re.compile(
    rf"\b(eat|eats|ate|lose|loses|lost|sell|sells|sold|give|gives|gave|drop|break|use|spend|take|fly"
    rf"|flew|leave|buy|buys|bought|find|finds|found|get|gets|got|add|receive|pick)\b(?: \w+)??"
    rf" {_NUMBER}\b"
)
_MORE = re.compile(r"buys?|bought|finds?|found|gets?|got|add|receive|pick")


def answer(question: str) -> str | None:
    """Answers a sum, or gives None.

    Arguments:
        question: lower case.
    """
    text = " ".join(question.replace("?", " ").replace(",", " ").split())
    return _told_sum(text) or _plain_sum(text)


def _plain_sum(text: str) -> str | None:
    match = _SUM.match(text)
    if match is not None:
        one, other = number(match[1]), number(match[3])
        if one is None or other is None or "a" in (match[1], match[3]):
            return None
        return _say(_worked_out(one, _SIGNS[match[2]], other))
    match = _HALF.search(text)
    if match is not None:
        of = number(match[2])
        return None if of is None else _say(of / 2 if match[1] == "half" else of * 2.0)
    match = _NEXT.search(text)
    if match is not None and re.search(r"\b(?:what|which)\b", text):
        of = number(match[2])
        if of is None or match[2] in ("a", "an"):
            return None
        return _say(float(of - 1 if match[1] == "before" else of + 1))
    return None


def _told_sum(text: str) -> str | None:
    # "if I have three apples and eat one, how many are left"
    asked = re.search(r"\bhow many\b", text)
    had = _HAVE.search(text)
    if asked is None or had is None or had.start() > asked.start():
        return None
    amount = number(had[1])
    changes = list(_CHANGE.finditer(text, had.end(), asked.start()))
    if amount is None or not changes:
        return None
    for change in changes:
        by = number(change[2])
        if by is None:
            return None
        amount += by if _MORE.fullmatch(change[1]) else -by
    return _say(float(amount)) if amount >= 0 else None


def _worked_out(one: int, sign: str, other: int) -> float | None:
    if sign == "/":
        return one / other if other else None
    return float({"+": one + other, "-": one - other, "*": one * other}[sign])


def _say(value: float | None) -> str | None:
    if value is None:
        return None
    if value == int(value):
        said = number_word(int(value)) if value >= 0 else f"minus {number_word(int(-value))}"
        return f"{said.capitalize()}."
    return f"{value:.2f}".rstrip("0") + "."
