"""Seasons of the first version, in a file of their own, verify."""

from __future__ import annotations

from pathlib import Path

import pytest

from contest.screening.verify import verify

EARLIER = Path(__file__).with_name("earlier")


@pytest.mark.parametrize(("name", "events"), [("finished", 472), ("marking", 466)])
def test_they_verify(name: str, events: int) -> None:
    report = verify(EARLIER / name)
    assert report is not None
    assert [str(fault) for check in report.checks for fault in check.faults] == []
    assert (report.events, report.finished) == (events, name == "finished")
