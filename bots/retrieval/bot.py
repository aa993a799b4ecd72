"""Sam as a bot: the index, what was said before, and what to say when nothing fits."""

from __future__ import annotations

import tomllib
from collections import Counter
from importlib import resources

from bots.bot import Bot, Context
from bots.retrieval.index import Index, read_pairs
from lpp.pace import Pace


class RetrievalBot(Bot):
    """Sam, who repairs bicycles and says what fits best among some hundreds of lines."""

    name = "retrieval"
    summary = "Sam from the bicycle shop, who says what fits best among some hundreds of lines"
    pace = Pace(gap=0.14, spread=0.55, word_pause=0.05, thought=1.3, slips=0.025)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        data = resources.files("bots.retrieval")
        self._index = Index(read_pairs(data.joinpath("lines.toml").read_text("utf-8")), context.rng)
        evasions = tomllib.loads(data.joinpath("evasions.toml").read_text("utf-8"))
        self._to_questions: list[str] = evasions["questions"]
        self._to_statements: list[str] = evasions["statements"]
        self._openings: list[str] = evasions["openings"]
        self.begin()

    def begin(self) -> None:
        """Forgets the talk: each line may be said again."""
        self._used: Counter[str] = Counter()
        self._said = ""
        self._subject = ""
        self._lost = 0

    def reply(self, line: str) -> str:
        """Says the reply that fits best, or evades."""
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
        # Every third time it is lost in a row it brings up something of its own, but not as an
        # answer to its own question.
        choice = self._to_questions if "?" in line else self._to_statements
        if self._lost % 3 == 0 and not self._said.endswith("?"):
            choice = self._openings
        least = min(self._used[text] for text in choice)
        return self.context.rng.choice([text for text in choice if self._used[text] == least])
