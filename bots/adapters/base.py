"""What adapters share: refusing settings, falling back in words, limits of time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from bots.bot import Bot, Context
from bots.runner import EXCUSES, in_daemon
from lpp.errors import YoursToFix

_T = TypeVar("_T")

#: What makes a bot, as `bots.entry.run_entry` takes it.
MakeBot: TypeAlias = Callable[[Context], Bot]

#: Seconds that an answer may take in all, unless set.
TIMEOUT = 10.0

#: Seconds that may be set for anything: a whole talk.
LONGEST_TIME = 1500.0


class BadSetting(YoursToFix):
    """An adapter's option that is missing, or can't be used."""


class AdapterBot(Bot):
    """A bot whose answers come from somewhere else.

    Arguments:
        context: as for any bot.
        fallback: what is said when there is no answer; a few excuses in turn if "".
        log: takes a line of record, without a newline; standard error if left out.
    """

    def __init__(
        self, context: Context, *, fallback: str = "", log: Callable[[str], None] | None = None
    ) -> None:
        super().__init__(context)
        self._fallbacks = (fallback,) if fallback else EXCUSES
        self._fallen = 0
        self._log = log if log is not None else _to_stderr

    def record(self, text: str) -> None:
        """Puts a line on record: what happened, for the entrant."""
        self._log(f"{self.name}: " + " ".join(text.split()))

    def fall_back(self, why: str) -> str:
        """Records why there is no answer, and gives what is said instead."""
        self.record(why)
        self._fallen += 1
        return self._fallbacks[(self._fallen - 1) % len(self._fallbacks)]


def seconds(flag: str, value: float, *, zero: bool = False) -> float:
    """Checks a time.

    Arguments:
        flag: the option, for the message.
        value: seconds.
        zero: whether 0 is allowed.

    Raises:
        BadSetting: if it is not a time, or longer than a talk.
    """
    if not (0 <= value <= LONGEST_TIME) or (value == 0 and not zero):
        wanted = "of 0 or more" if zero else "above 0"
        raise BadSetting(f"{flag} {value:g}: give seconds {wanted}, at most {LONGEST_TIME:g}")
    return value


def within(limit: float, function: Callable[[], _T]) -> _T:
    """Runs a function that may hang, and waits for it so long at most.

    Time-outs of sockets count from one byte to the next, and a look-up of a name has none: only
    another thread keeps a limit for all of it. One that hangs is left behind.

    Arguments:
        limit: seconds.
        function: what to run.

    Returns:
        What it returned. What it raises is raised.

    Raises:
        TimeoutError: if it did not end in time.
    """
    future = in_daemon(function)
    try:
        return future.result(timeout=max(0.0, limit))
    except TimeoutError:
        if future.done():
            raise
        raise TimeoutError(f"no end within {limit:g} seconds") from None


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
