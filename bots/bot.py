"""What an entry has to be: a class that answers lines.

A bot knows nothing of key presses, directories, typing or asyncio: `bots.runner` listens, ends
lines, types at the bot's pace and takes care of its failures. Fifteen lines make a bot; see
docs/how-to/write-a-bot.md.
"""

from __future__ import annotations

import abc
import datetime
import random
from collections.abc import Callable
from dataclasses import dataclass

from lpp.pace import Pace


@dataclass(frozen=True, slots=True)
class Context:
    """What a bot gets from outside, so that a talk can be played again.

    Attributes:
        rng: where chance comes from.
        now: the contest's wall clock, local time without a zone.
    """

    rng: random.Random
    now: Callable[[], datetime.datetime]


class Bot(abc.ABC):
    """An entry's mind. Subclass it, give it a `name` and a `summary`, and write `reply`.

    The methods are plain functions. They are called one at a time, in a thread of their own, so
    they may take their time: keys are read on meanwhile.

    Arguments:
        context: chance and the wall clock.

    Attributes:
        name: what the command calls it.
        summary: one line on what it does.
        pace: how it types.
    """

    name: str = ""
    summary: str = ""
    pace: Pace = Pace()

    def __init__(self, context: Context) -> None:
        self.context = context

    def begin(self) -> None:  # noqa: B027 -- a bot that remembers nothing need not forget
        """A new talk with a new judge begins: forget the last one."""

    @abc.abstractmethod
    def reply(self, line: str) -> str | None:
        """Answers a line of the judge's.

        Arguments:
            line: what the judge said, never blank. A quick judge's earlier lines that had no
                answer yet may precede it, each with a newline.

        Returns:
            What to say; newlines make several lines of it. None or "" says nothing.
        """

    def close(self) -> None:  # noqa: B027 -- only a bot that holds something open cares
        """The program ends: let go of whatever is open. May come while `reply` still runs."""
