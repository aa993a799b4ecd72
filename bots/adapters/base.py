"""Common code of the adapters: refusing settings, fallback lines, time limits."""

from __future__ import annotations

import sys
from collections.abc import Callable
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
LONGEST_TIME = 1500.0


class BadSetting(UserError):
    """An adapter's option is missing, or can't be used."""


class AdapterBot(Bot):
    """A bot whose answers come from somewhere else.

    Arguments:
        context: as for any bot.
        fallback: what to say if there is no answer; if "", a few excuses in turn.
        log: called with each line for the log, without a newline; standard error by default.
    """

    def __init__(
        self, context: Context, *, fallback: str = "", log: Callable[[str], None] | None = None
    ) -> None:
        super().__init__(context)
        self._fallbacks = (fallback,) if fallback else EXCUSES
        self._fallen = 0
        self._log = log if log is not None else _to_stderr

    def record(self, text: str) -> None:
        """Logs in one line what happened, for the entrant."""
        self._log(f"{self.name}: " + " ".join(text.split()))

    def fall_back(self, why: str) -> str:
        """Logs why there is no answer, and returns what to say instead."""
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
        BadSetting: if it is not a valid time, or longer than a talk.
    """
    if not (0 <= value <= LONGEST_TIME) or (value == 0 and not zero):
        wanted = "of 0 or more" if zero else "above 0"
        raise BadSetting(f"{flag} {value:g}: give seconds {wanted}, at most {LONGEST_TIME:g}")
    return value


def within(limit: float, function: Callable[[], _T]) -> _T:
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


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
