"""Submissions for tests: one that keeps all rules of 2010, and changes of it."""

from __future__ import annotations

import datetime as dt
from typing import Any

import msgspec

from contest.record.events import Event
from contest.screening.bodies import (
    AnyBody,
    ComplianceTested,
    Conformance,
    EntryRegistered,
    Form,
    ItemTested,
)
from contest.setup.calendar import SeasonTable

TABLE = SeasonTable()

GOOD = Form(
    program="Suzette",
    entrant="Ada Wilcox",
    posted=dt.date(2010, 5, 10),
    received=dt.date(2010, 5, 14),
    way=1,
    posted_at=dt.time(14, 5),
    service="FedEx",
    proof="8701",
    media="CD",
    platforms=("Windows XP",),
)
#: As GOOD, but that the entrant brings a computer.
BROUGHT = msgspec.structs.replace(
    GOOD,
    way=3,
    platforms=("Debian",),
    testing=dt.date(2010, 6, 9),
    agreed=dt.date(2010, 6, 6),
    present=True,
)

#: What is written of GOOD.
WRITTEN: dict[str, Any] = {
    "program": "Suzette",
    "entrant": "Ada Wilcox",
    "posted": "2010-05-10 14:05",
    "received": "2010-05-14",
    "way": "1",
    "service": "FedEx",
    "proof": "8701",
    "media": "CD",
    "platforms": ["Windows XP"],
}

PASSED = {name: ItemTested("pass") for name in ("programs", "path", "variable", "browse")}
SPEAKS = Conformance("0" * 64, True, {"pass": ["2.B/removes"]})


def form(base: Form = GOOD, **changed: Any) -> Form:
    """A submission that differs in some fields; dates as text."""
    read = {
        name: dt.date.fromisoformat(value)
        if name in ("posted", "received", "testing", "agreed") and value is not None
        else dt.time.fromisoformat(value)
        if name in ("posted_at", "received_at") and value is not None
        else value
        for name, value in changed.items()
    }
    return msgspec.structs.replace(base, **read)


def event(body: AnyBody, by: str = "Ada") -> tuple[Event, AnyBody]:
    """An event with its body, as a season gives them; only who and when matter here."""
    at = "2010-06-01T09:00:00.000000Z"
    return Event(1, None, at, 0, by, body.kind, {}, "", ""), body


def registered(**forms: Form) -> list[tuple[Event, AnyBody]]:
    """Registrations of entries by their ids."""
    return [event(EntryRegistered(id_, 1, each)) for id_, each in forms.items()]


def complied(id_: str, base: Form = GOOD, **items: ItemTested) -> tuple[Event, AnyBody]:
    """A test by which an entry complies, but for the items that are given."""
    runs = {"runs": ItemTested("pass")} if base.way != 3 else {}
    return event(ComplianceTested(id_, base.received, {**PASSED, **runs, **items}, SPEAKS))
