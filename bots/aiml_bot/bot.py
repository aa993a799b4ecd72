"""Robin the gardener, with AIML categories written for this project."""

from __future__ import annotations

from pathlib import Path

from bots.adapters.aiml_folder import AimlFolderBot
from bots.bot import Context
from lpp.pace import Pace


class AimlBot(AimlFolderBot):
    """Robin, who looks after the gardens of a small town and has a cat."""

    name = "aiml"
    summary = "Robin the gardener, in AIML categories"
    pace = Pace(gap=0.16, spread=0.5, word_pause=0.07, thought=1.6, slips=0.02)

    def __init__(self, context: Context) -> None:
        super().__init__(context, sorted(Path(__file__).parent.glob("*.aiml")), bot="Robin")
