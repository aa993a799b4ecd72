"""The phase of a round: every boundary in a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.history.phases import (
    Lengths,
    Phase,
    RoundTimes,
    end_of_interaction,
    phase,
    played,
)

LENGTHS = Lengths(interaction=1500, scoring=300)
OPENED = RoundTimes(opened=10)
STARTED = RoundTimes(opened=10, started=100)
PAUSED = STARTED.paused(400)
RESUMED = PAUSED.resumed(460)
ENDED = RoundTimes(opened=10, started=100, ended=700)
CLOSED = RoundTimes(opened=10, started=100, closed=1700)

TABLE = [
    (0, RoundTimes(), Phase.BEFORE, None),
    (9.9, OPENED, Phase.BEFORE, None),
    (10, OPENED, Phase.WAITING, None),
    (1e6, OPENED, Phase.WAITING, None),
    (99.9, STARTED, Phase.WAITING, None),
    (100, STARTED, Phase.INTERACTION, 1500),
    (101, STARTED, Phase.INTERACTION, 1499),
    (1599.5, STARTED, Phase.INTERACTION, 0.5),
    (1600, STARTED, Phase.SCORING, 300),
    (1900, STARTED, Phase.SCORING, 0),
    (5000, STARTED, Phase.SCORING, 0),
    (399, PAUSED, Phase.INTERACTION, 1201),
    (400, PAUSED, Phase.PAUSED, 1200),
    (9999, PAUSED, Phase.PAUSED, 1200),
    (459, RESUMED, Phase.PAUSED, 1200),
    (460, RESUMED, Phase.INTERACTION, 1200),
    (1659, RESUMED, Phase.INTERACTION, 1),
    (1660, RESUMED, Phase.SCORING, 300),
    (699, ENDED, Phase.INTERACTION, 901),
    (700, ENDED, Phase.SCORING, 300),
    (1699, CLOSED, Phase.SCORING, 201),
    (1700, CLOSED, Phase.CLOSED, None),
]


@pytest.mark.parametrize(("now", "times", "expected", "left"), TABLE)
def test_phases(now: float, times: RoundTimes, expected: Phase, left: float | None) -> None:
    assert phase(now, LENGTHS, times) == (expected, left)


def test_an_end_is_open_before_the_start_and_in_a_pause() -> None:
    assert end_of_interaction(OPENED, LENGTHS) is None
    assert end_of_interaction(PAUSED, LENGTHS) is None
    assert end_of_interaction(RESUMED, LENGTHS) == 1660


def test_a_pause_after_the_end_takes_nothing_out() -> None:
    late = STARTED.paused(1700).resumed(1800)
    assert end_of_interaction(late, LENGTHS) == 1600
    assert phase(1750, LENGTHS, late) == (Phase.SCORING, 150)


@given(
    st.lists(st.tuples(st.integers(1, 400), st.integers(1, 400)), max_size=5),
    st.integers(0, 6000),
)
def test_pauses_are_taken_out_of_the_time(intervals: list[tuple[int, int]], elapsed: int) -> None:
    times, at = STARTED, 100
    for run, stop in intervals:
        if at + run >= (end_of_interaction(times, LENGTHS) or 0):
            break
        times = times.paused(at + run).resumed(at + run + stop)
        at += run + stop
    now = 100 + elapsed
    out = sum(
        1
        for second in range(100, now)
        if any(since <= second < (to or 1e9) for since, to in times.pauses)
    )
    assert played(now, times) == pytest.approx(elapsed - out)
    current, left = phase(now, LENGTHS, times)
    if current in (Phase.INTERACTION, Phase.PAUSED):
        assert left == pytest.approx(1500 - (elapsed - out))
    else:
        assert elapsed - out >= 1500
