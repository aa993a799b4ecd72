"""Sam from the bicycle shop, who knows several hundred lines and says the one that fits best.

The lines, in lines.toml, were written for this project: prompts with their replies.

The fit of a prompt is the weighted sum of three parts:

* *words*: the cosine similarity of line and prompt. A word weighs more if fewer prompts contain it
  (inverse document frequency). A word that no prompt contains is read as the known word with the
  closest spelling, because people mistype.
* *spelling*: the similarity of the two strings (rapidfuzz).
* *context*: if the prompt answers something in particular (`after`), how well this matches what Sam
  said last, and a poor match rules the prompt out; for other prompts, whether they belong to the
  current subject.

A reply loses weight each time it is used, so that the talk moves on.
"""

from __future__ import annotations

import math
import random
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import NamedTuple

from rapidfuzz import fuzz, process

from bots.bot import Bot, Context
from bots.english import expand, words_of
from lpp.pace import Pace

#: The weights of the parts.
WORDS, SPELLING, CONTEXT = 0.62, 0.3, 0.35

#: A prompt with a lower fit is not used.
MIN_FIT = 0.46

#: The fit is multiplied by this if the line lacks the prompt's rarest word: "what do you use a key
#: for" shares all words but one with "what do you use a hammer for", and that one matters.
RAREST_MISSING = 0.6

#: Each use of a reply reduces its fit by this.
REPEAT_PENALTY = 0.3

#: Replies whose fits differ by less than this count as equal; one is chosen at random.
TIE_MARGIN = 0.02

#: The similarity in percent from which an unknown word is read as a known one.
TYPO_SIMILARITY = 78

#: The most words of a line that are considered.
WORD_LIMIT = 60


class Pair(NamedTuple):
    """A prompt and its possible replies.

    Attributes:
        subject: its section in the file.
        prompt: what somebody says.
        replies: what to answer.
        after: what we said before, if the prompt only makes sense as an answer to that.
    """

    subject: str
    prompt: str
    replies: tuple[str, ...]
    after: str = ""


class Found(NamedTuple):
    """A reply, the pair that contains it, and how well the pair fits (0 to about 1.3)."""

    reply: str
    pair: Pair
    fit: float


class Index:
    """An index for searching pairs.

    Arguments:
        pairs: the pairs.
        rng: chooses between replies that fit equally well.
    """

    def __init__(self, pairs: Sequence[Pair], rng: random.Random) -> None:
        self._pairs = list(pairs)
        self._rng = rng
        self._words = [_words(pair.prompt) for pair in self._pairs]
        holding = Counter(word for words in self._words for word in set(words))
        self._weight = {
            word: math.log(1 + len(self._pairs) / count) for word, count in holding.items()
        }
        self._strange = math.log(1 + len(self._pairs))
        self._vectors = [self._vector(words) for words in self._words]
        self._rarest = [
            max(words, key=lambda word: self._weight[word], default="") for words in self._words
        ]

    def best(self, line: str, said: str, subject: str, used: Mapping[str, int]) -> Found | None:
        """The reply that fits best.

        Arguments:
            line: what was said to us.
            said: what we said before, or "".
            subject: the current subject of the talk, or "".
            used: how often each reply was used.

        Returns:
            The reply, or None if none fits well enough.
        """
        words = [self._known(word) for word in _words(line)[:WORD_LIMIT]]
        vector = self._vector(words)
        spelled = " ".join(words)
        context = self._vector(_words(said)) if said else {}
        found: list[Found] = []
        for pair, prompt_words, prompt, rarest in zip(
            self._pairs, self._words, self._vectors, self._rarest, strict=True
        ):
            alike = fuzz.ratio(spelled, " ".join(prompt_words)) / 100
            fit = WORDS * _cosine(vector, prompt) + SPELLING * alike
            fit *= 1.0 if rarest in vector else RAREST_MISSING
            fit += self._context(pair, context, subject)
            found += [
                Found(reply, pair, fit - REPEAT_PENALTY * used.get(reply, 0))
                for reply in pair.replies
            ]
        found = [one for one in found if one.fit >= MIN_FIT]
        best = max((one.fit for one in found), default=0.0)
        tied = [one for one in found if one.fit > best - TIE_MARGIN]
        return self._rng.choice(tied) if tied else None

    def _context(self, pair: Pair, said: Mapping[str, float], subject: str) -> float:
        if pair.after:
            fit = _cosine(said, self._vector(_words(pair.after))) if said else 0.0
            return CONTEXT * fit if fit > 0.6 else -1.0
        return 0.05 if subject and pair.subject == subject else 0.0

    def _vector(self, words: Sequence[str]) -> dict[str, float]:
        return {
            word: self._weight.get(word, self._strange) * math.sqrt(count)
            for word, count in Counter(words).items()
        }

    def _known(self, word: str) -> str:
        if word in self._weight or len(word) < 4:
            return word
        near = process.extractOne(
            word, self._weight.keys(), scorer=fuzz.ratio, score_cutoff=TYPO_SIMILARITY
        )
        return near[0] if near is not None else word


def _words(text: str) -> list[str]:
    return words_of(expand(text))


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    shared = sum(weight * other[word] for word, weight in one.items() if word in other)
    if not shared:
        return 0.0
    return shared / (math.hypot(*one.values()) * math.hypot(*other.values()))


class RetrievalBot(Bot):
    """Sam, who repairs bicycles and picks the best of several hundred lines."""

    name = "retrieval"
    summary = "Sam from the bicycle shop, who picks the best of several hundred lines"
    pace = Pace(gap=0.14, spread=0.55, word_pause=0.05, thought=1.3, slips=0.025)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        data = resources.files("bots.retrieval")
        lines = tomllib.loads(data.joinpath("lines.toml").read_text("utf-8"))
        pairs = [
            Pair(subject, prompt, tuple(entry["say"]), entry.get("after", ""))
            for subject, section in lines.items()
            for entry in section["lines"]
            for prompt in entry["to"]
        ]
        self._index = Index(pairs, context.rng)
        evasions = tomllib.loads(data.joinpath("evasions.toml").read_text("utf-8"))
        self._to_questions: list[str] = evasions["questions"]
        self._to_statements: list[str] = evasions["statements"]
        self._openings: list[str] = evasions["openings"]
        self.begin()

    def begin(self) -> None:
        """Forgets the talk, so that each line may be used again."""
        self._used: Counter[str] = Counter()
        self._said = ""
        self._subject = ""
        self._lost = 0

    def reply(self, line: str) -> str:
        """Says the reply that fits best, or evades."""
        line = line.rpartition("\n")[2]
        found = self._index.best(line, self._said, self._subject, self._used)
        if found is None:
            self._lost += 1
            self._said = self._evade(line)
        else:
            self._lost = 0
            self._subject = found.pair.subject
            self._said = found.reply
        self._used[self._said] += 1
        return self._said

    def _evade(self, line: str) -> str:
        # Every third time in a row without a reply it brings up a subject of its own, but not after
        # its own question.
        choice = self._to_questions if "?" in line else self._to_statements
        if self._lost % 3 == 0 and not self._said.endswith("?"):
            choice = self._openings
        least = min(self._used[text] for text in choice)
        return self.context.rng.choice([text for text in choice if self._used[text] == least])
