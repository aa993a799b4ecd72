"""Common code of the adapters: refusing settings, fallback lines, time limits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import cycle
from typing import TypeAlias, TypeVar

from bots.bot import Bot, Context
from bots.runner import EXCUSES, in_daemon
from lpp.errors import UserError

_T = TypeVar("_T")

#: Creates a bot; `bots.entry.run_entry` expects one of these.
MakeBot: TypeAlias = Callable[[Context], Bot]

#: Seconds that an answer may take in total, unless set.
TIMEOUT = 10.0

#: The most seconds that any time may be set to: a whole talk.
MAX_SECONDS = 1500.0


class BadSetting(UserError):
    """An adapter's option is missing, or can't be used."""


class AdapterBot(Bot):
    """A bot that gets its answers from another program or server.

    Arguments:
        context: as for any bot.
        fallback: what to say if there is no answer; if "", one of a few excuses in turn.
    """

    def __init__(self, context: Context, *, fallback: str = "") -> None:
        super().__init__(context)
        self._fallbacks = cycle((fallback,) if fallback else EXCUSES)

    def record(self, text: str) -> None:
        """Prints an event on standard error in one line, for the entrant."""
        print(f"{self.name}:", *text.split(), file=sys.stderr, flush=True)

    def fall_back(self, why: str) -> str:
        """Records why there is no answer, and returns a fallback line."""
        self.record(why)
        return next(self._fallbacks)


def check_seconds(flag: str, value: float, *, zero: bool = False) -> float:
    """Checks the time given in an option.

    Arguments:
        flag: the option, for the message.
        value: seconds.
        zero: whether 0 is allowed.

    Raises:
        BadSetting: if it is not a valid time, or longer than a talk.
    """
    if not (0 <= value <= MAX_SECONDS) or (value == 0 and not zero):
        wanted = "from 0" if zero else "above 0 and up"
        raise BadSetting(f"{flag} {value:g}: give a number of seconds {wanted} to {MAX_SECONDS:g}")
    return value


def run_with_timeout(limit: float, function: Callable[[], _T]) -> _T:
    """Runs a function that may hang, and waits for it for a limited time.

    Timeouts of sockets apply from one byte to the next, and name lookups have none. So a limit for
    the whole needs another thread, which is abandoned if it hangs.

    Arguments:
        limit: seconds.
        function: the function to run.

    Returns:
        The function's result. Its exceptions are passed on.

    Raises:
        TimeoutError: if it didn't end in time.
    """
    future = in_daemon(function)
    try:
        return future.result(timeout=max(0.0, limit))
    except TimeoutError:
        if future.done():
            raise
        raise TimeoutError(f"not finished within {limit:g} seconds") from None
