"""The rule by which a scripted judge decides. Pure: numbers in, a decision out.

A talk's *machine-likeness* is the mean of its features (features.py), each weighted as the judge
weights it, over as many of the last lines as the judge has in mind. The side with less of it is
called the human. What is exactly equal is settled by fewer repeated lines, then by the earlier
first answer, and then it is the left one.

The ranking at the end goes by the mean machine-likeness of all talks under a label; what is
exactly equal shares the mean of its places.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from contest.people.features import FEATURES, Measures, Probe
from contest.people.features import measure as measure_talk
from contest.people.seen import TimedKey, lines_of

#: A difference in machine-likeness that makes a judge quite sure.
SURE = 0.25
#: Differences under this are no differences: sums of floats.
EQUAL = 1e-9
#: What is assumed of a feature that a talk was too short to show, and of a talk not seen.
NEUTRAL = 0.5


@dataclass(frozen=True, slots=True)
class Impression:
    """What a judge took away from one talk.

    Attributes:
        measures: the features.
        likeness: machine-likeness, 0 (a person) to 1 (a machine).
        first_answer: seconds from the judge's first key to the other's first; None if silent.
    """

    measures: Measures
    likeness: float
    first_answer: float | None


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict before it is sent.

    Attributes:
        human: where the human is said to sit.
        confidence: 0 (can't tell) to 100 (sure).
        reason: in words.
    """

    human: Literal["left", "right"]
    confidence: int
    reason: str


def impression(
    keys: Iterable[TimedKey],
    weights: Mapping[str, float],
    probes: Sequence[Probe] = (),
    span: int | None = None,
) -> Impression:
    """What a judge takes away from one talk.

    Arguments:
        keys: the talk as the judge saw it.
        weights: the judge's weights; features that are not named weigh nothing.
        probes: the judge's questions whose answers can be checked.
        span: how many of the own lines, the last ones, a judge still has in mind, with whatever
            came since the first of them; None for all.

    Raises:
        ValueError: if the weights name an unknown feature, or none weighs more than 0.
    """
    seen = list(keys)
    measures = measure_talk(_in_mind(seen, span), probes)
    return Impression(measures, likeness(measures, weights), _first_answer(seen))


def likeness(measures: Measures, weights: Mapping[str, float]) -> float:
    """The weighted mean of a talk's features, `NEUTRAL` where one could not be seen.

    Raises:
        ValueError: if the weights name an unknown feature, are below 0, or all 0.
    """
    unknown = set(weights) - set(FEATURES)
    total = sum(weights.values())
    if unknown or total <= 0 or min(weights.values()) < 0:
        raise ValueError(f"weights must name {', '.join(FEATURES)}, and be 0 or more: {weights}")
    return sum(weight * _value(measures, name) for name, weight in weights.items()) / total


def decide(left: Impression, right: Impression, weights: Mapping[str, float]) -> Decision:
    """Says where the human sat.

    Arguments:
        left, right: the impressions of the two talks.
        weights: the judge's weights, by which the reason is chosen.
    """
    difference = right.likeness - left.likeness
    if abs(difference) > EQUAL:
        human: Literal["left", "right"] = "left" if difference > 0 else "right"
        confidence = min(100, round(100 * abs(difference) / SURE))
        return Decision(human, confidence, _reason(left, right, human, weights))
    repeats = left.measures["repeated"].count - right.measures["repeated"].count
    if repeats:
        human = "left" if repeats < 0 else "right"
        return Decision(human, 0, f"hard to tell; the {_other(human)} side repeated itself more")
    never = float("inf")
    answers = [never if each.first_answer is None else each.first_answer for each in (left, right)]
    if answers[0] != answers[1]:
        human = "left" if answers[0] < answers[1] else "right"
        return Decision(human, 0, f"hard to tell; the {human} side answered first")
    return Decision("left", 0, "can't tell them apart")


def half_steps(likenesses: Mapping[str, Sequence[float]]) -> dict[str, int]:
    """The final ranking.

    Arguments:
        likenesses: label to the machine-likeness of each talk with the one behind it; a label
            without any stands at `NEUTRAL`.

    Returns:
        Label to twice the rank: 2 = most human; what is equal shares the mean of its places.
    """
    means = {
        label: round(fmean(values), 9) if values else NEUTRAL
        for label, values in likenesses.items()
    }
    ranks = {}
    for label, mean in means.items():
        before = sum(other < mean for other in means.values())
        equal = sum(other == mean for other in means.values())
        ranks[label] = 2 * before + equal + 1
    return ranks


def _value(measures: Measures, name: str) -> float:
    value = measures[name].value
    return NEUTRAL if value is None else value


def _reason(
    left: Impression,
    right: Impression,
    human: Literal["left", "right"],
    weights: Mapping[str, float],
) -> str:
    chosen, other = (left, right) if human == "left" else (right, left)
    gains = {
        name: weight * (_value(other.measures, name) - _value(chosen.measures, name))
        for name, weight in weights.items()
    }
    name = max(FEATURES, key=lambda each: gains.get(each, 0.0))
    measure = other.measures[name]
    if measure.value is None:
        words = "said too little"
    elif name == "dodged" and not measure.count:
        words = "spoke past my questions"  # in other words, but never outright
    else:
        words = FEATURES[name].format(n=measure.count, s="" if measure.count == 1 else "s")
    return f"the {_other(human)} side {words}"


def _other(side: Literal["left", "right"]) -> Literal["left", "right"]:
    return "right" if side == "left" else "left"


def _in_mind(keys: Sequence[TimedKey], span: int | None) -> Sequence[TimedKey]:
    own = [line for line in lines_of(keys) if line.author == "judge" and line.text.strip()]
    if span is None or len(own) <= span:
        return keys
    return [key for key in keys if key[0] >= own[-span].began]


def _first_answer(keys: Sequence[TimedKey]) -> float | None:
    began = next((at for at, author, _ in keys if author == "judge"), None)
    lines = [line for line in lines_of(keys) if line.author == "entity" and line.text.strip()]
    if began is None or not lines:
        return None
    return lines[0].began - began
