"""When an answer is over: quiet times and limits, without a clock.

A judge in a room sees when somebody has finished. A program that asks has to wait for a while
without a key; the figures below are set by the logs of 2012 and by what programs of the contest's
time did, and hold for all subjects of a season alike.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from contest.errors import BadOrder

How: TypeAlias = Literal["quiet", "too-long", "silent", "died"]

#: Milliseconds that a time can be set to.
LEAST, MOST = 100, 30 * 60_000


@dataclass(frozen=True, slots=True)
class Timing:
    """Times in milliseconds.

    Attributes:
        quiet: without a key after a Return, until an answer is over. Programs that say several
            lines pause between them; gaps of people typing are a quarter of a second.
        unfinished: the same where the last line has no Return: some programs never send one, and
            who stops within a line may be looking for a word.
        silence: without any answer to a question, until the next is asked. An entry is to answer
            within half a minute (conformance check 3/answers); half as much again is for a slow
            machine.
        statement: without any answer to a statement, which needs none.
        limit: from the question's Return, whatever still comes: a program that never stops must not
            keep the others waiting.
        ready: that a program has after its start before the first key, unless it says earlier that
            it is ready.
    """

    quiet: int = 6_000
    unfinished: int = 8_000
    silence: int = 45_000
    statement: int = 10_000
    limit: int = 120_000
    ready: int = 5_000

    def as_json(self) -> dict[str, int]:
        """For the record."""
        return dataclasses.asdict(self)

    @classmethod
    def of(cls, times: Mapping[str, int]) -> Timing:
        """Times by their names.

        Raises:
            BadOrder: if a name is none of these, or a time can't be used.
        """
        known = [field.name for field in dataclasses.fields(cls)]
        for name, value in times.items():
            if name not in known:
                raise BadOrder(f"there is no time {name!r}; there are {', '.join(known)}")
            if not LEAST <= value <= MOST:
                raise BadOrder(
                    f"the time {name} is {value / 1000:g} s; give {LEAST / 1000:g} to "
                    f"{MOST / 1000:g} s"
                )
        return cls(**times)


@dataclass(frozen=True, slots=True)
class Listening:
    """What has been heard since a line's Return; times in seconds of any one clock.

    Attributes:
        asks: whether the line is a question.
        asked: when its Return was pressed.
        last: when the last key came; None before the first.
        said: whether anything was said, so that more than blanks stands.
        unfinished: whether the last line has no Return yet.
    """

    asks: bool
    asked: float
    last: float | None = None
    said: bool = False
    unfinished: bool = False


def over_at(heard: Listening, timing: Timing) -> tuple[float, How]:
    """When nothing more is waited for if no further key comes, and how that is called.

    Arguments:
        heard: what has come so far.
        timing: the times.

    Returns:
        The moment, on the clock of `heard`.
    """
    limit = heard.asked + timing.limit / 1000
    if not heard.said:
        wait = timing.silence if heard.asks else timing.statement
        at = heard.asked + wait / 1000
        if heard.last is not None and heard.unfinished:
            # Something was typed and taken back: perhaps it is being thought over.
            at = max(at, heard.last + timing.unfinished / 1000)
        return (at, "silent") if at <= limit else (limit, "too-long")
    assert heard.last is not None
    at = heard.last + (timing.unfinished if heard.unfinished else timing.quiet) / 1000
    return (at, "quiet") if at <= limit else (limit, "too-long")
