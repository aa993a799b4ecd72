"""A therapist in the style of ELIZA (Weizenbaum, 1966), who reflects what you say back to you.

The script, script.toml, was written for this project. The engine has ELIZA's parts:

1. *Keywords with ranks.* The clause of a line whose keyword has the highest rank is used. Its
   keywords are tried by rank, and equal ranks in order.
2. *Decomposition.* A keyword's patterns are tried in order. In a pattern `*` matches any number of
   words, `@kin` one of the synonyms named `kin`, and anything else itself. The matches of `*` and
   `@` are the captures {1}, {2}, ...
3. *Reflection.* Captures change persons: my becomes your, I am becomes you are.
4. *Reassembly.* Each pattern's answers are used in rotation, except those whose captures are empty
   or too long; {1<3} accepts a capture of at most three words. `=word` continues with the keyword
   of that word.
5. *Memory.* Some patterns also store an answer, which is used when a later line has no keyword.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any

from bots.bot import Bot, Context
from bots.english import expand, to_listener
from lpp.pace import Pace

#: The most words of a capture that is repeated; longer ones sound like a parrot.
CAPTURE_LIMIT = 9

#: The most words of a clause that are considered, because patterns with several `*` try each split.
WORD_LIMIT = 60

#: The most stored answers; the oldest is dropped.
MEMORY_LIMIT = 6

#: The most steps from keyword to keyword (`=word`) in one answer: some rules refer to each other.
MAX_KEYWORD_STEPS = 10

_CLAUSE_END = re.compile(r"[.!?,;:()\n]+|\bbut\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_SLOT = re.compile(r"\{(\d)(?:<(\d))?\}")


class Therapist(Bot):
    """Reflects what you say back to you."""

    name = "therapist"
    summary = "reflects what you say back to you, like ELIZA in 1966"
    pace = Pace(gap=0.18, spread=0.4, word_pause=0.1, thought=1.6, slips=0.01)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        text = resources.files("bots.therapist").joinpath("script.toml").read_text("utf-8")
        self._script = tomllib.loads(text)
        self._keywords: dict[str, dict[str, Any]] = {
            word: keyword for keyword in self._script["keyword"] for word in keyword["words"]
        }
        self.begin()

    def begin(self) -> None:
        """Forgets what was said, and restarts each rotation."""
        self._turns: dict[tuple[str, ...], int] = {}
        self._memory: deque[str] = deque(maxlen=MEMORY_LIMIT)
        self._last: list[str] = []

    def reply(self, line: str) -> str:
        """Answers by the script; the answer is never empty."""
        words = [word.lower() for word in _WORD.findall(line)]
        again, self._last = words == self._last and bool(words), words
        if again:
            return self._next(self._script["again"]["say"])
        clause, found = self._best_clause(line)
        for keyword in found:
            answer = self._by_keyword(keyword, clause)
            if answer is not None:
                return answer
        if self._memory:
            return self._memory.popleft()
        return self._next(self._script["nothing"]["say"])

    def _best_clause(self, line: str) -> tuple[list[str], list[str]]:
        best: tuple[list[str], list[str]] = ([], [])
        best_rank: float = -math.inf
        for piece in _CLAUSE_END.split(expand(line)):
            clause: list[str] = []
            for word in _WORD.findall(piece)[:WORD_LIMIT]:
                clause += self._script["before"].get(word.lower(), word).split()
            found = [
                word for word in dict.fromkeys(map(str.lower, clause)) if word in self._keywords
            ]
            found.sort(key=lambda word: -self._rank(word))
            if found and self._rank(found[0]) > best_rank:
                best, best_rank = (clause, found), self._rank(found[0])
        return best

    def _rank(self, word: str) -> int:
        return int(self._keywords[word].get("rank", 0))

    def _by_keyword(
        self, keyword: str, clause: Sequence[str], steps: int = MAX_KEYWORD_STEPS
    ) -> str | None:
        for rule in self._keywords[keyword]["rules"]:
            captures = match(rule.get("match", "*"), clause, self._script["synonyms"])
            if captures is None:
                continue
            answer = self._reassemble(rule["say"], captures)
            if answer is None:
                continue
            if not answer.startswith("="):
                self._remember(rule, captures)
                return answer
            if steps:
                return self._by_keyword(answer[1:], clause, steps - 1)
        return None

    def _remember(self, rule: Mapping[str, Any], captures: Sequence[Sequence[str]]) -> None:
        if "remember" in rule:
            laid_aside = self._reassemble(rule["remember"], captures)
            if laid_aside is not None and laid_aside not in self._memory:
                self._memory.append(laid_aside)

    def _reassemble(
        self, templates: Sequence[str], captures: Sequence[Sequence[str]]
    ) -> str | None:
        # Skip templates whose captures are empty or too long to repeat.
        fitting = tuple(
            template
            for template in templates
            if all(
                1 <= len(captures[int(slot) - 1]) <= int(limit or CAPTURE_LIMIT)
                for slot, limit in _SLOT.findall(template)
            )
        )
        if not fitting:
            return None
        template = self._next(fitting)
        # A word in capitals is repeated in lower case; names keep their capital letter.
        said = [
            " ".join(word.lower() if word.isupper() and len(word) > 1 else word for word in words)
            for words in captures
        ]
        return _SLOT.sub(lambda slot: to_listener(said[int(slot[1]) - 1]), template)

    def _next(self, templates: Sequence[str]) -> str:
        key = tuple(templates)
        turn = self._turns.setdefault(key, self.context.rng.randrange(len(key)))
        self._turns[key] = turn + 1
        return key[turn % len(key)]


def match(
    pattern: str, words: Iterable[str], synonyms: Mapping[str, Iterable[str]]
) -> list[list[str]] | None:
    """Matches words against a pattern.

    Arguments:
        pattern: `*`, `@group` or words; see the beginning of this module.
        words: the clause.
        synonyms: the groups.

    Returns:
        The captures, with each `*` as short as possible from the left; None if the pattern doesn't
        match.
    """
    regex = ""
    for part in pattern.split():
        if part == "*":
            regex += r"((?:\S+ )*?)"
        elif part.startswith("@"):
            regex += f"({'|'.join(map(re.escape, synonyms[part[1:]]))}) "
        else:
            regex += f"{re.escape(part)} "
    found = re.fullmatch(regex, "".join(f"{word} " for word in words), re.IGNORECASE)
    return None if found is None else [capture.split() for capture in found.groups()]
