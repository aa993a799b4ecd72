"""Robin the gardener: AIML categories of our own on the library python-aiml.

`kernel` makes the library's kernel behave as an entry needs it; the categories are in the
`*.aiml` files beside it.
"""

from bots.aiml_bot.bot import AimlBot

__all__ = ["AimlBot"]
