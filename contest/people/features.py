"""What can be counted in a talk, out of nothing but what the judge saw.

`measure` looks at the timed keys of one talk and gives a `Measure` for each of `FEATURES`: a value
from 0 (as a person would) to 1 (as a machine would), and the count behind it. Where a talk is too
short to tell, the value is None, and the judgement takes it for 0.5.

docs/explanation/scripted-people.md states each feature in words. They are a rule of thumb of our
own for scripted judges, with no claim about people or programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import TypeAlias

from contest.people.seen import Line, TimedKey, lines_of
from contest.people.words import (
    STOP,
    content_words,
    has_number,
    is_question,
    near,
    same_but_for_slips,
    shared,
    similarity,
    tokens,
    word_set,
)


@dataclass(frozen=True, slots=True)
class Probe:
    """A question to which the judge knows the answer.

    Attributes:
        ask: the question.
        accept: words, in lower case; an answer that holds one of them is right.
    """

    ask: str
    accept: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measure:
    """One feature of one talk.

    Attributes:
        value: 0 (as a person) to 1 (as a machine); None where the talk is too short to tell.
        count: the number that a judge would name in words.
    """

    value: float | None
    count: int = 0


Measures: TypeAlias = dict[str, Measure]

#: The features in the order in which they are stated, with the words for a judge's reason;
#: `{n}` is the count, `{s}` an s if it is not 1.
FEATURES = {
    "dodged": "dodged {n} question{s}",
    "repeated": "repeated itself {n} time{s}",
    "echoed": "handed my own words back {n} time{s}",
    "contradicted": "contradicted itself",
    "failed": "could not answer {n} easy question{s}",
    "silent": "left {n} line{s} of mine unanswered",
    "unpaced": "took as long for a word as for a sentence",
    "even": "nearly always began after the same pause",
    "flawless": "hardly made a slip in {n} keys",
    "hasty": "typed {n} line{s} faster than fingers can",
    "forgetful": "hardly came back to anything said before",
}

#: A line counts as a repetition from this similarity on, and an answer as the judge's own words.
SAME_LINE = 0.85
SAME_WORDS = 0.75
#: Keys in a second that nobody types, over a line of at least so many keys.
TOO_FAST = 15.0
FAST_LINE = 10
#: What a talk must hold before a feature of rhythm says anything.
ENOUGH_ANSWERS = 5
ENOUGH_KEYS = 60

_SWAP = {"my": "your", "your": "my", "i": "you", "you": "i", "me": "you", "am": "are", "im": "you"}
_YES_NO = re.compile(
    r"^(?:and |so |but )?(?:do|does|did|is|are|was|were|can|could|would|will|have|has|should)\b"
)
_CLEAR = word_set("yes yeah yep yup no nope nah sure never maybe sometimes definitely")
_UNSURE = word_set("know idea forgot forget remember sorry")
_ASKS_NUMBER = re.compile(r"how (?:many|much|old|far|long|tall)|what (?:time|year|date)|\bwhen\b")
_DEFLECTS = re.compile(
    r"why do you (?:ask|say|want)|tell me more|go on|let's talk|lets talk|change the subject"
    r"|what do you think|how does that make you|interesting question|good question|i see\b"
    r"|please continue|what makes you|that is interesting|that's interesting|do you often"
)
_FACTS = (
    ("name", re.compile(r"\b(?:my name is|my name's|call me|i am called|i'm called) ([a-z]+)")),
    ("age", re.compile(r"\bi(?:'m| am) ([0-9]{1,3}|(?:twenty|thirty|forty|fifty)[- a-z]*)\b")),
    ("home", re.compile(r"\bi(?:'m| am) from ([a-z]+)|\bi live in ([a-z]+)")),
    ("work", re.compile(r"\bi work (?:as|for|in|at) an? ([a-z]+)")),
    ("kids", re.compile(r"\bi (have|don't have|have no|never had) (?:any )?(?:kids|children)")),
)


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A line of the judge, and what came while it was still fresh."""

    asked: Line
    replies: tuple[Line, ...]

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.replies[:3])


def measure(keys: Iterable[TimedKey], probes: Sequence[Probe] = ()) -> Measures:
    """All features of one talk.

    Arguments:
        keys: the talk's keys as the judge saw them, own ones included.
        probes: the questions of this judge whose answers can be checked.

    Returns:
        A measure for each of `FEATURES`, in that order.
    """
    lines = [line for line in lines_of(keys) if line.text.strip()]
    judge = [line for line in lines if line.author == "judge"]
    entity = [line for line in lines if line.author == "entity"]
    exchanges = _exchanges(judge, entity)
    answered = [each for each in exchanges if each.replies]
    measures = {
        "dodged": _dodged(answered, probes),
        "repeated": _repeated(entity),
        "echoed": _echoed(judge, entity),
        "contradicted": _contradicted(entity),
        "failed": _failed(answered, probes),
        "silent": _silent(exchanges),
        "unpaced": _unpaced(answered),
        "even": _even(answered),
        "flawless": _flawless(entity),
        "hasty": _hasty(entity),
        "forgetful": _forgetful(judge, entity),
    }
    assert list(measures) == list(FEATURES)
    return measures


def _exchanges(judge: Sequence[Line], entity: Sequence[Line]) -> list[_Exchange]:
    # Turns overlap, and an answer may come when the next question stands already: whatever is
    # finished before the judge has said two more things may be meant as an answer.
    result = []
    for index, asked in enumerate(judge):
        until = judge[index + 2].ended if index + 2 < len(judge) else float("inf")
        replies = (line for line in entity if asked.ended < line.ended < until)
        result.append(_Exchange(asked, tuple(replies)))
    return result


def _dodged(answered: Sequence[_Exchange], probes: Sequence[Probe]) -> Measure:
    values = [_dodge(each, probes) for each in answered if is_question(each.asked.text)]
    if not values:
        return Measure(None)
    return Measure(fmean(values), sum(value == 1.0 for value in values))


def _dodge(exchange: _Exchange, probes: Sequence[Probe]) -> float:
    question, answer = exchange.asked.text, exchange.text
    words = tokens(answer)
    probe = _probe(question, probes)
    if probe is not None and _accepted(words, probe):
        return 0.0
    if _YES_NO.match(question.lower()) and words and words[0] in _CLEAR:
        return 0.0
    if _ASKS_NUMBER.search(question.lower()) and has_number(answer):
        return 0.0
    if _DEFLECTS.search(answer.lower()):
        return 1.0
    if shared(question, answer):
        return 0.0
    # A question back, and nothing else, is no answer; a plain line may be one in other words.
    own = [line.text for line in exchange.replies[:3]]
    return 1.0 if all("?" in line for line in own) else 0.4


def _repeated(entity: Sequence[Line]) -> Measure:
    spoken = [tokens(line.text) for line in entity]
    count = 0
    for index, words in enumerate(spoken):
        # Nobody minds a "yes" or an "I don't know" twice.
        if len(words) >= 4 and any(
            similarity(words, earlier) >= SAME_LINE for earlier in spoken[:index]
        ):
            count += 1
    return Measure(min(1.0, count / 5), count)


def _echoed(judge: Sequence[Line], entity: Sequence[Line]) -> Measure:
    count = 0
    for line in entity:
        words = tokens(line.text)
        before = [asked for asked in judge if asked.ended < line.ended][-2:]
        for asked in before:
            turned = [_SWAP.get(word, word) for word in tokens(asked.text)]
            kept = sum(word in turned for word in words)
            if len(words) >= 4 and len(turned) >= 4 and kept / len(words) >= SAME_WORDS:
                count += 1
                break
    return Measure(min(1.0, count / 5), count)


def _contradicted(entity: Sequence[Line]) -> Measure:
    said: dict[str, set[str]] = {}
    for line in entity:
        for fact, pattern in _FACTS:
            for match in pattern.finditer(line.text.lower()):
                value = next(group for group in match.groups() if group)
                if value not in STOP or fact == "kids":
                    said.setdefault(fact, set()).add(value.strip())
    count = sum(len(values) > 1 for values in said.values())
    return Measure(min(1.0, float(count)), count)


def _probe(question: str, probes: Sequence[Probe]) -> Probe | None:
    words = tokens(question)
    return next((each for each in probes if same_but_for_slips(words, tokens(each.ask))), None)


def _accepted(words: Sequence[str], probe: Probe) -> bool:
    return any(near(word, wanted) for word in words for wanted in probe.accept)


def _failed(answered: Sequence[_Exchange], probes: Sequence[Probe]) -> Measure:
    values = []
    for each in answered:
        probe = _probe(each.asked.text, probes)
        if probe is not None:
            words = tokens(each.text)
            # To say that one does not know, or forgot, is half as bad as to talk past it.
            unsure = _UNSURE & set(words)
            values.append(0.0 if _accepted(words, probe) else 0.5 if unsure else 1.0)
    if not values:
        return Measure(None)
    return Measure(fmean(values), sum(value > 0 for value in values))


def _silent(exchanges: Sequence[_Exchange]) -> Measure:
    # The last line may have come too late to be answered.
    considered = exchanges[:-1]
    if not considered:
        return Measure(None)
    count = sum(not each.replies for each in considered)
    return Measure(count / len(considered), count)


def _unpaced(answered: Sequence[_Exchange]) -> Measure:
    pairs = [(len(each.replies[0].text), _taken(each)) for each in answered]
    if len(pairs) < ENOUGH_ANSWERS:
        return Measure(None)
    lengths, times = zip(*pairs, strict=True)
    return Measure(1.0 - max(0.0, _rank_correlation(lengths, times)))


def _taken(exchange: _Exchange) -> float:
    return exchange.replies[0].ended - exchange.asked.ended


def _even(answered: Sequence[_Exchange]) -> Measure:
    starts = [each.replies[0].began - each.asked.ended for each in answered]
    starts = [start for start in starts if start > 0]
    if len(starts) < ENOUGH_ANSWERS:
        return Measure(None)
    variation = pstdev(starts) / fmean(starts)
    return Measure(max(0.0, 1.0 - variation / 0.6))


def _flawless(entity: Sequence[Line]) -> Measure:
    keys = sum(line.keys for line in entity)
    if keys < ENOUGH_KEYS:
        return Measure(None)
    share = sum(line.corrections for line in entity) / keys
    # The confederates of 2012 corrected about one key in forty.
    return Measure(max(0.0, 1.0 - share * 40), keys)


def _hasty(entity: Sequence[Line]) -> Measure:
    long_enough = [line for line in entity if line.keys >= FAST_LINE]
    if not long_enough:
        return Measure(None)
    count = sum(line.keys > TOO_FAST * (line.ended - line.began) for line in long_enough)
    return Measure(count / len(long_enough), count)


def _forgetful(judge: Sequence[Line], entity: Sequence[Line]) -> Measure:
    chances = hits = 0
    for line in entity:
        before = [asked for asked in judge if asked.ended < line.ended]
        if len(before) < 4:
            continue
        chances += 1
        recent = {word for asked in before[-2:] for word in content_words(asked.text)}
        earlier = {word for asked in before[:-2] for word in content_words(asked.text)} - recent
        hits += any(word in earlier for word in content_words(line.text))
    if chances < ENOUGH_ANSWERS:
        return Measure(None)
    # Somebody who comes back to an earlier matter in one line of five forgets nothing.
    return Measure(max(0.0, 1.0 - 5 * hits / chances), hits)


def _rank_correlation(one: Sequence[float], other: Sequence[float]) -> float:
    ranks_one, ranks_other = _ranks(one), _ranks(other)
    spread = pstdev(ranks_one) * pstdev(ranks_other)
    if not spread:
        return 0.0
    mean = (len(one) + 1) / 2
    covariance = fmean((a - mean) * (b - mean) for a, b in zip(ranks_one, ranks_other, strict=True))
    return covariance / spread


def _ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value, from 1; equal values share the mean of their places."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]
