"""Tests the phase of a round: every boundary, in a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.state.model import Attempt
from contest.state.phases import Phase, end_of_interaction, phase_of_attempt

S = 1_000_000_000
SCORING = 300 * S


def attempt(*pauses: tuple[int, int | None], **known: int) -> Attempt:
    """An attempt that began at 100, with 1500 seconds of interaction; times in seconds."""
    made = Attempt(1, 1, 10 * S, started_ns=100 * S, seconds=1500)
    made.pauses = [(since * S, None if to is None else to * S, "") for since, to in pauses]
    for name, at in known.items():
        setattr(made, name, at * S)
    return made


OPENED = Attempt(1, 1, 10 * S)
STARTED = attempt()
PAUSED = attempt((400, None))
RESUMED = attempt((400, 460))
CUT = attempt(cut_ns=700, ended_ns=700)

TABLE = [
    (10, OPENED, Phase.WAITING, None),
    (1e6, OPENED, Phase.WAITING, None),
    (100, STARTED, Phase.INTERACTION, 1500),
    (101, STARTED, Phase.INTERACTION, 1499),
    (1599.5, STARTED, Phase.INTERACTION, 0.5),
    (1600, STARTED, Phase.SCORING, 300),
    (1899, STARTED, Phase.SCORING, 1),
    (1900, STARTED, Phase.CLOSED, None),
    (400, PAUSED, Phase.PAUSED, 1200),
    (9999, PAUSED, Phase.PAUSED, 1200),
    (460, RESUMED, Phase.INTERACTION, 1200),
    (1659, RESUMED, Phase.INTERACTION, 1),
    (1660, RESUMED, Phase.SCORING, 300),
    (700, CUT, Phase.SCORING, 300),
    (800, attempt(shut_ns=800), Phase.CLOSED, None),
    (800, attempt(closed_ns=800), Phase.CLOSED, None),
]


@pytest.mark.parametrize(("now", "found", "expected", "left"), TABLE)
def test_phases(now: float, found: Attempt, expected: Phase, left: float | None) -> None:
    phase, left_ns = phase_of_attempt(found, SCORING, round(now * S))
    assert (phase, None if left_ns is None else left_ns / S) == (expected, left)


def test_end_is_unknown_before_the_start_and_during_a_pause() -> None:
    assert end_of_interaction(OPENED) is None
    assert end_of_interaction(PAUSED) is None
    assert end_of_interaction(RESUMED) == 1660 * S


def test_pause_after_the_end_does_not_move_the_end() -> None:
    late = attempt((1700, 1800))
    assert end_of_interaction(late) == 1600 * S
    assert phase_of_attempt(late, SCORING, 1750 * S) == (Phase.SCORING, 150 * S)


@given(
    st.lists(st.tuples(st.integers(1, 400), st.integers(1, 400)), max_size=5),
    st.integers(0, 6000),
)
def test_pauses_do_not_count_as_interaction_time(
    intervals: list[tuple[int, int]], elapsed: int
) -> None:
    pauses: list[tuple[int, int | None]] = []
    at = 100
    for run, stop in intervals:
        if (at + run) * S >= (end_of_interaction(attempt(*pauses)) or 0):
            break
        if at + run > 100 + elapsed:
            break
        # The end of a running pause is unknown.
        to = at + run + stop
        pauses.append((at + run, to if to <= 100 + elapsed else None))
        at = to
    now = 100 + elapsed
    out = sum(
        any(since <= second < (now if to is None else to) for since, to in pauses)
        for second in range(100, now)
    )
    phase, left = phase_of_attempt(attempt(*pauses), SCORING, now * S)
    if phase in (Phase.INTERACTION, Phase.PAUSED):
        assert left == (1500 - (elapsed - out)) * S
    else:
        assert elapsed - out >= 1500
