"""Sam from the bicycle shop, who says what fits best."""

from bots.retrieval.bot import RetrievalBot

__all__ = ["RetrievalBot"]
