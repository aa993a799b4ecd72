"""Times of the record, for a person who looks at the clock on the wall."""

from __future__ import annotations

import datetime as dt


def time_of_day(at: str, zone: dt.tzinfo | None = None) -> str:
    """When something happened.

    Arguments:
        at: a time of the record: RFC 3339, in UTC.
        zone: whose time of day is wanted; this machine's if left out.

    Returns:
        `HH:MM:SS` there.
    """
    return dt.datetime.fromisoformat(at).astimezone(zone).strftime("%H:%M:%S")
