"""The base class of bots, which answer lines.

A bot doesn't deal with key presses, directories, typing or asyncio: `bots.runner` listens, ends
lines, types at the bot's pace and handles its failures. A bot can be written in fifteen lines; see
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
    """A bot's source of randomness and time, so that a talk can be repeated.

    Attributes:
        rng: the source of randomness.
        now: the contest's wall clock, local time without a zone.
    """

    rng: random.Random
    now: Callable[[], datetime.datetime]


class Bot(abc.ABC):
    """The part of an entry that answers. Subclass it, set `name` and `summary`, and write `reply`.

    The methods are plain functions. They are called one at a time in a separate thread, so they may
    be slow: keys are still read meanwhile.

    Arguments:
        context: randomness and the wall clock.

    Attributes:
        name: its name on the command line.
        summary: what it does, in one line.
        pace: how it types.
    """

    name: str = ""
    summary: str = ""
    pace: Pace = Pace()

    def __init__(self, context: Context) -> None:
        self.context = context

    def begin(self) -> None:  # noqa: B027 -- optional: a bot may remember nothing
        """Starts a new talk with a new judge: forget the last one."""

    @abc.abstractmethod
    def reply(self, line: str) -> str | None:
        """Answers a line from the judge.

        Arguments:
            line: what the judge said, never blank. If the judge is fast, earlier lines that have
                not been answered may precede it, each ended by a newline.

        Returns:
            What to say; newlines separate lines. None or "" says nothing.
        """

    def close(self) -> None:  # noqa: B027 -- optional: most bots hold no resources
        """Releases resources when the program ends. May be called while `reply` still runs."""
