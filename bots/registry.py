"""The bots that come with the project, by name.

To add one, write its class (see `bots.bot`) and give it a line in `BOTS`. A module is imported
only when its bot is asked for, so that a bot's own dependencies bother nobody else.
"""

from __future__ import annotations

import importlib
from typing import NamedTuple

from bots.bot import Bot
from lpp.errors import YoursToFix


class UnknownBot(YoursToFix):
    """A name that no bot has."""


class BundledBot(NamedTuple):
    """Where a bot's class is, as module:name, and what it does, in one line."""

    place: str
    summary: str


BOTS: dict[str, BundledBot] = {
    "therapist": BundledBot(
        "bots.therapist.bot:Therapist", "turns what you say back to you, as in 1966"
    ),
    "aiml": BundledBot("bots.aiml_bot.bot:AimlBot", "Robin the gardener, in AIML categories"),
    "screening": BundledBot(
        "bots.screening.bot:ScreeningBot",
        "answers the four kinds of screening question: time, things, relations, memory",
    ),
    "retrieval": BundledBot(
        "bots.retrieval.bot:RetrievalBot",
        "Sam from the bicycle shop, who says the best fitting of some hundreds of lines",
    ),
}


def find(name: str) -> type[Bot]:
    """The class of a bot, its module imported now.

    Arguments:
        name: a name of `BOTS`.

    Raises:
        UnknownBot: if no bot has that name.
        ModuleNotFoundError: if a library that this bot stands on is not installed.
    """
    if name not in BOTS:
        raise UnknownBot(f"no bot is called {name!r}; choose one of {', '.join(BOTS)}")
    module, _, attribute = BOTS[name].place.partition(":")
    found: type[Bot] = getattr(importlib.import_module(module), attribute)
    return found
