"""Tests the pauses between attempts to reconnect to the server."""

from __future__ import annotations

from lpp.connection import FIRST_PAUSE, LONGEST_PAUSE, next_pause


def test_pauses_grow_to_a_limit_and_start_over() -> None:
    pauses = [next_pause(0.0, 0.0)]
    for _ in range(9):
        pauses.append(next_pause(pauses[-1], 0.01))
    assert pauses[0] == FIRST_PAUSE
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE
    assert next_pause(LONGEST_PAUSE, LONGEST_PAUSE + 1) == FIRST_PAUSE
