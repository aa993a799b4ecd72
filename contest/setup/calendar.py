"""`[season]`: the dates and numbers of a season, and the rules about the contest's own date.

The defaults are those of 2010; each date is a whole day at the place of the contest.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from contest.errors import BadSettings
from contest.setup.names import same
from contest.setup.rules import Finding

#: Entries to screen, and finalists, at most.
_MOST = 1000
#: Characters of a platform's or a medium's name.
_LONGEST = 60

_ORDER = (
    ("opens", "closes"),
    ("closes", "testing_to"),
    ("agreed_before", "testing_to"),
    ("testing_from", "testing_to"),
    ("testing_to", "announced"),
    ("announced", "contest_to"),
    ("contest_from", "contest_to"),
)


class SeasonTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[season]`: when entries may be posted, tested and announced, what they may be on and run on,
    how many are screened and how many of them are finalists (rules 2010, section 1)."""

    #: First and last day of posting.
    opens: dt.date = dt.date(2010, 5, 3)
    closes: dt.date = dt.date(2010, 6, 7)
    #: Entrants who come to be tested agree on a day before this one,
    agreed_before: dt.date = dt.date(2010, 6, 7)
    #: and come between these, both included.
    testing_from: dt.date = dt.date(2010, 6, 8)
    testing_to: dt.date = dt.date(2010, 6, 30)
    #: When the finalists are announced.
    announced: dt.date = dt.date(2010, 7, 5)
    #: Last day on which date and venue of the contest may be changed; days between which a date
    #: that is moved has to lie.
    fixed_after: dt.date = dt.date(2010, 5, 1)
    contest_from: dt.date = dt.date(2010, 10, 4)
    contest_to: dt.date = dt.date(2010, 11, 1)
    #: What entries that management's computers run have to run on, one of them at least.
    platforms: tuple[str, ...] = ("Windows XP", "Windows Vista", "Windows 7")
    media: tuple[str, ...] = ("CD", "DVD", "USB flash")
    #: How many of those that comply are screened, and how many of these are finalists.
    screened: int = 16
    finalists: int = 4


def check(table: SeasonTable, where: str) -> None:
    """Whether these settings can be used.

    Arguments:
        table: `[season]`.
        where: what errors call the file.

    Raises:
        BadSettings: if not; says which option and what to do.
    """
    for first, second in _ORDER:
        if getattr(table, first) > getattr(table, second):
            raise BadSettings(
                f"{where}: [season] {first} is {getattr(table, first)}, after {second}, "
                f"{getattr(table, second)}; put these dates in order"
            )
    for name in ("platforms", "media"):
        values: tuple[str, ...] = getattr(table, name)
        if not values:
            raise BadSettings(f"{where}: [season] {name} is empty; name one at least")
        for value in values:
            if not same(value, value) or len(value) > _LONGEST or not value.isprintable():
                raise BadSettings(
                    f"{where}: [season] {name}: {value!r} is no name; write one line of "
                    f"{_LONGEST} characters at most"
                )
    if not 1 <= table.screened <= _MOST:
        raise BadSettings(
            f"{where}: [season] screened is {table.screened}; give a number from 1 to {_MOST}"
        )
    if not 1 <= table.finalists <= table.screened:
        raise BadSettings(
            f"{where}: [season] finalists is {table.finalists}; give a number from 1 to "
            f"{table.screened}, which is how many are screened"
        )


def date_findings(table: SeasonTable, date: dt.date | None) -> list[Finding]:
    """Whether the contest's date lies where a date may lie.

    Arguments:
        table: `[season]`.
        date: the contest's, or None if it has none yet.
    """
    if date is None or table.contest_from <= date <= table.contest_to:
        return []
    return [
        Finding(
            "1/moved",
            f"the contest's date is {date}, and not between {table.contest_from} and "
            f"{table.contest_to}",
        )
    ]


def changes(table: SeasonTable, held: Iterable[tuple[dt.date, Mapping[str, Any]]]) -> list[Finding]:
    """Changes of the contest's date and venue that came too late.

    Arguments:
        table: `[season]`.
        held: the day from which settings held, and the contest's date and venue in them, in their
            order.
    """
    found = []
    before: Mapping[str, Any] | None = None
    for day, contest in held:
        for name in ("date", "venue") if before is not None and day > table.fixed_after else ():
            old, new = (before or {}).get(name), contest.get(name)
            if old and old != new:
                found.append(
                    Finding(
                        "1/date",
                        f"the contest's {name} was changed from {old} to {new or 'none'} on {day}, "
                        f"after {table.fixed_after}",
                    )
                )
        before = contest
    return found
