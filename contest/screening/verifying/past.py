"""What stands on record before an event, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from contest.errors import ContestError
from contest.record.events import Event
from contest.screening.bodies import AnyBody, SeasonSet
from contest.screening.register import Register
from contest.setup import calendar
from contest.setup.settings import ContestTable, Settings
from contest.verification.findings import Faults, quoted
from scheduler.texts import listed

_Found = TypeVar("_Found")

#: What the record calls itself in messages.
OWN = "season"


class Past:
    """The events so far.

    Attributes:
        kept: them, in their order.
        settings: those that hold by the record, of the tables that it has.
        register: all entries.
    """

    def __init__(self) -> None:
        self.kept: list[tuple[Event, AnyBody]] = []
        self.settings = Settings(ContestTable(""))
        self.register = Register()

    def take(self, event: Event, body: AnyBody) -> None:
        """Takes an event, after all checks have taken it; one that does not fit those before it
        changes what follows from it where it can."""
        self.kept.append((event, body))
        if isinstance(body, SeasonSet):
            try:
                self.settings = settings_in(body)
            except ValueError:
                return  # the check of the register says so
        try:
            self.register.take(event, body)
        except LookupError:
            return  # likewise: of an entry that was never registered


def settings_in(body: SeasonSet) -> Settings:
    """The settings that an event puts on record.

    Raises:
        ValueError: if they can't be used.
    """
    try:
        # Dates stand there as text.
        found = msgspec.convert(body.settings, Settings, strict=False)
        calendar.check(found.season, "they say")
    except (msgspec.ValidationError, ContestError) as exc:
        raise ValueError(str(exc)) from exc
    return found


def named(ids: Sequence[str]) -> str:
    """Ids in words."""
    return listed(map(quoted, ids)) if ids else "nobody"


def anew(faults: Faults, event: Event, what: str, compute: Callable[[], _Found]) -> _Found | None:
    """What is computed anew, or None, and a fault, where the record gives nothing to compute from.

    Arguments:
        faults: where that is told.
        event: of which.
        what: is computed, in words.
        compute: does.
    """
    try:
        return compute()
    except ContestError as exc:
        why = str(exc)
    except (LookupError, ValueError, ArithmeticError):
        # Nothing that a season writes: the event to blame was named already.
        why = "an event before it does not fit"
    faults.at(event, f"{what} can't be computed anew: {why}")
    return None
