"""Tests that needed but missing people and programs come first on the board, with remedies."""

from __future__ import annotations

from typing import Any

import pytest

from contest.organizer.status import missing
from contest.state.phases import Phase


def status(*here: str) -> dict[str, Any]:
    """Two desks, and a third judge and confederate who have none in this round."""
    roles = {"J": "judge", "C": "confederate"}
    return {
        "pairings": [{"judge": f"J{n}", "confederate": f"C{n}", "entry": f"E{n}"} for n in (1, 2)],
        "seats": [
            {"seat": seat, "name": seat, "role": roles[seat[0]], "here": seat in here}
            for seat in ("C1", "C2", "C3", "J1", "J2", "J3")
        ],
        "entries": [
            {"entry": entry, "name": entry, "here": entry in here, "program": program}
            for entry, program in (("E1", "ended"), ("E2", None), ("E3", None))
        ],
    }


@pytest.mark.parametrize(
    ("phase", "here", "found"),
    [
        ("interaction", (), ["J1", "J2", "C1", "C2", "E1", "E2"]),
        ("interaction", ("J1", "C1", "E1", "E2"), ["J2", "C2", "E1"]),
        ("paused", ("J1", "J2", "C1", "C2", "E2"), ["E1"]),
        ("scoring", ("J1",), ["J2"]),
        ("ranking", ("J1",), ["J2", "J3"]),
        ("before", (), []),
        ("closed", (), []),
        ("over", (), []),
    ],
)
def test_missing_people_and_programs_come_first(
    phase: str, here: tuple[str, ...], found: list[str]
) -> None:
    known = status(*here)
    told = missing(Phase(phase), known["pairings"], known["seats"], known["entries"])
    assert [each["id"] for each in told] == found
    assert all(each["remedy"] for each in told)
    assert all(("pause" in each["remedy"]) == (phase == "interaction") for each in told)
