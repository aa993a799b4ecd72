"""What settings wish for of the schedule beside its numbers: who must not meet, who is away, how
many desks there are, and how much each kind of pair counts.

The keys are those of a file of wishes (`loebner schedule make --wishes`), and are read by the same
code; `contest.setup.settings` has the table, `contest.setup.planning` plans by it. A record from
before this table has no wishes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

import scheduler
from contest.errors import BadSettings, RecordTrouble
from scheduler.planning import Problem, Wishes, wishes_of

#: Who is there: judges, entries, confederates, by their ids.
People = tuple[Sequence[str], Sequence[str], Sequence[str]]


class ScheduleTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[schedule]`: what is wished for of a schedule that is made, and what one of the organizer's
    own, and each that is planned anew on the day, has to keep."""

    #: Two who must not meet, each: such as `J1E2` or `J3/hal`, or both ids in a list.
    conflicts: tuple[str | tuple[str, str], ...] = ()
    #: Id to the rounds in which that one is not there.
    away: dict[str, tuple[int, ...]] = {}
    #: How many desks there are, or one number a round; empty for enough.
    desks: int | tuple[int, ...] = ()
    #: A wish's letter (a, b, c: rules 2010, section 3) to what a missing pair of it counts.
    weights: dict[str, int] = {}
    #: Letters of the wishes that have to be granted whole.
    hard: tuple[str, ...] = ()
    #: One after the other: `name`, `rounds`, `desks`, `away` each.
    session: tuple[dict[str, Any], ...] = ()
    #: Where the desks stand: `name`, `desks`, `sessions` each.
    room: tuple[dict[str, Any], ...] = ()

    def wishes(self) -> Wishes:
        """As `scheduler` has them.

        Raises:
            scheduler.BadInput: if a value does not fit; without the name of the file.
        """
        return wishes_of(msgspec.json.decode(msgspec.json.encode(self)), "")


def check(table: ScheduleTable, people: People, rounds: int, where: str) -> None:
    """Whether these options can be used.

    Arguments:
        table: the wishes.
        people: who is there.
        rounds: how many.
        where: what errors call the file.

    Raises:
        BadSettings: if a value does not fit, or names somebody, or a round, that there is not.
    """
    problem_of(table, people, rounds, where)


def problem_of(table: ScheduleTable, people: People, rounds: int, where: str) -> Problem:
    """What is asked for, all in all; see `check`."""
    try:
        return table.wishes().problem(*people, rounds)
    except scheduler.BadInput as exc:
        field = f" {exc.field}" if exc.field else ""
        raise BadSettings(f"{where}: [schedule]{field}: {exc.problem}") from None


def wishes_in(settings: Mapping[str, Any]) -> Wishes:
    """The wishes of a contest on record.

    Arguments:
        settings: those that the contest was opened with, as the record has them.

    Raises:
        RecordTrouble: if they can't be used.
    """
    try:
        return msgspec.convert(settings.get("schedule", {}), ScheduleTable).wishes()
    except (msgspec.ValidationError, scheduler.BadInput) as exc:
        raise RecordTrouble(f"the wishes in the record's settings can't be used: {exc}") from exc
