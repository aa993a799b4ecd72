"""Sam from the bicycle shop, who knows some hundreds of lines and says the one that fits best.

`index` finds the line; the lines, `lines.toml`, are our own.
"""

from bots.retrieval.bot import RetrievalBot

__all__ = ["RetrievalBot"]
