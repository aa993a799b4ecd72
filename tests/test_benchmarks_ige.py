"""Runs the benchmark of judging with tiny numbers, and tests that the dialogue is right."""

from __future__ import annotations

from benchmarks.ige import run
from tests.disciplines.test_ige_judge import pytestmark as pytestmark


def test_a_dialogue_is_judged() -> None:
    (row,) = run(seeds=2, turns=3)
    assert row.measured > 0
    assert row.note.startswith("3 of 3")
