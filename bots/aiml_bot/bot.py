"""Robin as a bot: the kernel with its categories."""

from __future__ import annotations

from pathlib import Path

from bots.aiml_bot.kernel import Kernel
from bots.bot import Bot, Context
from lpp.pace import Pace

#: Said where no category matches at all: a line without a word in it.
SPEECHLESS = ("Hm?", "Sorry, what was that?", "You have lost me there.")


class AimlBot(Bot):
    """Robin, who looks after the gardens of a small town and has a cat."""

    name = "aiml"
    summary = "Robin the gardener, in AIML categories"
    pace = Pace(gap=0.16, spread=0.5, word_pause=0.07, thought=1.6, slips=0.02)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        files = sorted(Path(__file__).parent.glob("*.aiml"))
        self._kernel = Kernel(files, context.rng, context.now)
        self._kernel.setBotPredicate("name", "Robin")
        self._speechless = 0

    def begin(self) -> None:
        """Forgets the person."""
        self._kernel.begin()

    def reply(self, line: str) -> str:
        """Answers by the category that fits best."""
        answer = self._kernel.answer(line)
        if answer:
            return answer
        self._speechless += 1
        return SPEECHLESS[self._speechless % len(SPEECHLESS)]

    def overhear(self, line: str) -> None:
        """Lets the categories remember what they would, and says nothing."""
        self._kernel.answer(line)
