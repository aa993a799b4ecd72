"""Robin the gardener, in AIML categories."""

from bots.aiml_bot.bot import AimlBot

__all__ = ["AimlBot"]
