"""The therapist as a bot: the engine with its script, and the pace of somebody who listens."""

from __future__ import annotations

from importlib import resources

from bots.bot import Bot, Context
from bots.therapist.engine import Engine, read_script
from lpp.pace import Pace


class Therapist(Bot):
    """Turns what you say back to you."""

    name = "therapist"
    summary = "turns what you say back to you, after the manner of 1966"
    pace = Pace(gap=0.18, spread=0.4, word_pause=0.1, thought=1.6, slips=0.01)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        text = resources.files("bots.therapist").joinpath("script.toml").read_text("utf-8")
        self._engine = Engine(read_script(text), context.rng)

    def begin(self) -> None:
        """Forgets what was said, and begins each rotation anew."""
        self._engine.begin()

    def reply(self, line: str) -> str:
        """Answers by the script."""
        return self._engine.answer(line)

    def overhear(self, line: str) -> None:
        """Remembers what the line says of the person's own."""
        self._engine.listen(line)
