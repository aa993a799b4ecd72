"""Words in lines, compared roughly: scripted people find their topics by them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources

_FILE = resources.files("contest.scripted").joinpath("data", "stop_words.txt")
#: Words that say nothing about the matter of a line.
STOP = frozenset(_FILE.read_text("utf-8").split())
_QUESTION = re.compile(
    r"(?:what|who|where|when|how)s?|why|which|whose|do|does|did|is|are|was|were|can|could|would|will"
    r"|have|has|should|may|any|ever|got"
)


@lru_cache(maxsize=8192)
def tokens(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, without apostrophes and marks ("don't" is "dont")."""
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
    """How many words two texts have in common: 0 (none) to 1 (the same words)."""
    left, right = Counter(tokens(one)), Counter(tokens(other))
    return 2 * (left & right).total() / max(1, left.total() + right.total())


def matches(words: Sequence[str], pattern: str) -> int:
    """Whether all words of a pattern occur in a text, in their order.

    Arguments:
        words: the text's tokens.
        pattern: words, compared by their stems.

    Returns:
        0 if not; else how telling the match is: 5 for each content word, 1 for each other one.
    """
    met, wanted = iter(words), tokens(pattern)
    if not all(any(stem(word) == stem(each) for word in met) for each in wanted):
        return 0
    return sum(1 if word in STOP else 5 for word in wanted)


def is_question(text: str) -> bool:
    """Whether a line asks something: by its mark, or by its first word where the mark is left
    out."""
    words = tokens(text)
    return "?" in text or (len(words) >= 3 and _QUESTION.fullmatch(words[0]) is not None)
