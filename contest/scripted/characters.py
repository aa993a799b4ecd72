"""The characters of the scripted people: who they are, what they say, and how they choose it from
the words of a line.

In `data/`, `judge_NAME.toml` holds a `Judge`, `confederate_NAME.toml` a `Character`, and
`facts.toml` what every confederate knows.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import TypeVar

import msgspec

from lpp.pace import Pace

_FILE = resources.files("contest.scripted").joinpath("data", "stop_words.txt")
#: Words that say nothing about the subject of a line.
STOP = frozenset(_FILE.read_text("utf-8").split())
_QUESTION = re.compile(
    r"(?:what|who|where|when|how)s?|why|which|whose|do|does|did|is|are|was|were|can|could|would|will"
    r"|have|has|should|may|any|ever|got"
)


@lru_cache(maxsize=8192)
def tokens(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, without apostrophes and punctuation ("don't": "dont")."""
    plain = text.lower().replace("'", "").replace("\u2019", "")
    return tuple(re.findall(r"[a-z]+|[0-9]+", plain))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The beginning of a word, roughly the same for its forms."""
    return word.rstrip("s")[:5]


def shared(one: str, other: str) -> int:
    """How many content words of one text occur in the other."""
    left, right = (
        {stem(word) for word in tokens(each) if word not in STOP} for each in (one, other)
    )
    return len(left & right)


def similarity(one: str, other: str) -> float:
    """The similarity of two texts by common words: 0 (none) to 1 (the same words)."""
    left, right = Counter(tokens(one)), Counter(tokens(other))
    return 2 * (left & right).total() / max(1, left.total() + right.total())


def matches(words: Sequence[str], pattern: str) -> int:
    """How well a text matches a pattern, all of whose words must occur in order.

    Arguments:
        words: the text's tokens.
        pattern: words, compared by their stems.

    Returns:
        0 if it does not match; otherwise 5 for each content word and 1 for each other word.
    """
    met, wanted = iter(words), tokens(pattern)
    if not all(any(stem(word) == stem(each) for word in met) for each in wanted):
        return 0
    return sum(1 if word in STOP else 5 for word in wanted)


def is_question(text: str) -> bool:
    """Whether a line is a question, by its question mark or, without one, by its first word."""
    words = tokens(text)
    return "?" in text or (len(words) >= 3 and _QUESTION.fullmatch(words[0]) is not None)


_SLOT = re.compile(r"\{(\w+)\}")
#: The minimum score for a topic to match: one content word, or three others.
_GOOD_MATCH = 3


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Topic(_Table, frozen=True):
    """Lines that a character says on a topic. `on` holds patterns for `matches`."""

    on: list[str]
    say: list[str]


class Question(_Table, frozen=True):
    """A judge's question: the line, lines that may follow any answer, and, if the answer can be
    checked, words of which a right answer contains at least one."""

    ask: str
    then: list[str] = []
    accept: list[str] = []


class Character(_Table, frozen=True):
    """A confederate; also the base class of judges.

    Attributes:
        name: one word.
        about: a description in one sentence.
        pace: how this person types.
        patience: the maximum number of seconds to wait for the other side.
        lines: lines for each situation, with slots in braces: `{answer}`, `{word}` (the subject of
            the other's line), `{round}`.
        topic: lines for topics.
    """

    name: str
    about: str
    pace: Pace
    patience: float
    lines: dict[str, list[str]]
    topic: list[Topic]


class Judge(Character, frozen=True, kw_only=True):
    """A judge.

    Attributes:
        hurries: the probability of not waiting for the end of an answer.
        muses: mean seconds of thought before each line.
        follows: the probability of staying with the subject of an answer.
        weights: feature of a talk (`people.FEATURES`) to its weight in the decision.
        questions: the questions.
    """

    hurries: float
    muses: float
    follows: float
    weights: dict[str, float]
    questions: list[Question]


# At import, because msgspec crashes if two threads use a struct for the first time at once; see
# `contest.record.events.kinds_in`. The windows of a demo and its contest have a thread each.
for _struct in (Topic, Character, Judge):
    msgspec.json.Decoder(_struct)


class Repertoire:
    """The lines that a character can still use in one talk: none is repeated while others are left.

    Arguments:
        character: the speaker.
        rng: the source of randomness.
    """

    def __init__(self, character: Character, rng: random.Random) -> None:
        self.character = character
        self._rng = rng
        self._used: set[str] = set()

    def pick(self, pool: Iterable[str], **slots: str) -> str | None:
        """An unused line whose slots are all given; None if there is none."""
        left = [each for each in pool if each not in self._used]
        left = [each for each in left if slots.keys() >= {*_SLOT.findall(each)}]
        if not left:
            return None
        line = self._rng.choice(left)
        self._used.add(line)
        return _SLOT.sub(lambda slot: slots[slot.group(1)], line)

    def say(self, *pools: Sequence[str], **slots: str) -> str:
        """A line from the first pool that has any left, or a repeated one from the last pool."""
        for pool in pools:
            if line := self.pick(pool, **slots):
                return line
        self._used.difference_update(pools[-1])
        return self.say(pools[-1], **slots)


def matching(line: str, topics: Iterable[Topic]) -> list[list[str]]:
    """The lines for the topics that a line matches, the best match first."""
    words = tokens(line)
    scored = [(max(matches(words, each) for each in topic.on), topic.say) for topic in topics]
    scored.sort(key=lambda each: -each[0])
    return [say for score, say in scored if score >= _GOOD_MATCH]


_T = TypeVar("_T")


def _load(prefix: str, kind: type[_T]) -> list[_T]:
    """Loads the data files whose names begin with a prefix, sorted by name."""
    files = sorted(resources.files("contest.scripted").joinpath("data").iterdir(), key=str)
    found = [file.read_bytes() for file in files if file.name.startswith(prefix)]
    return [msgspec.toml.decode(each, type=kind) for each in found]


@cache
def judges() -> list[Judge]:
    """All judges."""
    return _load("judge_", Judge)


@cache
def confederates() -> list[Character]:
    """All confederates."""
    return _load("confederate_", Character)


@cache
def facts() -> list[Topic]:
    """The facts that every confederate knows, by the patterns of questions."""
    return _load("facts", dict[str, list[Topic]])[0]["facts"]
