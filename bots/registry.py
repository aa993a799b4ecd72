"""The bots that come with the project, by name.

To add one, write its class (see `bots.bot`) and add a line to `BOTS`. A module is imported only
when its bot is used, so that other bots don't need its dependencies.
"""

from __future__ import annotations

import importlib
from typing import NamedTuple

from bots.bot import Bot
from lpp.errors import UserError


class UnknownBot(UserError):
    """No bot has this name."""


class BundledBot(NamedTuple):
    """The path of a bot's class, as module:name, and a summary of the bot in one line."""

    class_path: str
    summary: str


BOTS: dict[str, BundledBot] = {
    "therapist": BundledBot(
        "bots.therapist.bot:Therapist", "reflects what you say back to you, like ELIZA in 1966"
    ),
    "aiml": BundledBot("bots.aiml_bot.bot:AimlBot", "Robin the gardener, in AIML categories"),
    "screening": BundledBot(
        "bots.screening.bot:ScreeningBot",
        "answers the four kinds of screening questions: time, things, relations, memory",
    ),
    "retrieval": BundledBot(
        "bots.retrieval.bot:RetrievalBot",
        "Sam from the bicycle shop, who picks the best of several hundred lines",
    ),
}


def find(name: str) -> type[Bot]:
    """Imports a bot's module and returns its class.

    Arguments:
        name: a name in `BOTS`.

    Raises:
        UnknownBot: if no bot has that name.
        ModuleNotFoundError: if a library that this bot needs is not installed.
    """
    if name not in BOTS:
        raise UnknownBot(f"there is no bot {name!r}; choose one of {', '.join(BOTS)}")
    module, _, attribute = BOTS[name].class_path.partition(":")
    found: type[Bot] = getattr(importlib.import_module(module), attribute)
    return found
