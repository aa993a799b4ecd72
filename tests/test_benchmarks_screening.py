"""Runs the benchmark of asking with tiny numbers, and tests that every entry is asked to the
end."""

from __future__ import annotations

import pytest

from benchmarks.screening import run


@pytest.mark.soak
def test_all_entries_are_asked_to_the_end() -> None:
    (row,) = run(entries=2, questions=4, speed=100.0)
    assert row.measured > 0
    assert row.baseline is not None
    assert "LOST" not in row.note
    assert "of 8 questions answered" in row.note
