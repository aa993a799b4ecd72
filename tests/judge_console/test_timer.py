"""Tests the remaining time in words, its warnings, and when any of it changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_console.model.timer import Clock, Level, clock_of, text_of
from lpp.wire import Phase


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00"), (7, "0:07"), (60, "1:00"), (1499, "24:59"), (3600, "1:00:00"), (5401, "1:30:01")],
)
def test_a_time_as_a_person_reads_it(seconds: int, text: str) -> None:
    assert text_of(seconds) == text


@pytest.mark.parametrize(
    ("remaining", "phase", "speed", "clock"),
    [
        (None, "interaction", 1.0, Clock()),
        (1500.0, "interaction", 1.0, Clock("25:00", change_in=1.0)),
        (1499.25, "interaction", 1.0, Clock("25:00", change_in=0.25)),
        (300.5, "interaction", 1.0, Clock("5:01", change_in=0.5)),
        (300.0, "interaction", 1.0, Clock("5:00", warning=300, change_in=1.0)),
        (288.25, "interaction", 1.0, Clock("4:49", warning=300, change_in=0.25)),
        (287.5, "interaction", 1.0, Clock("4:48", change_in=0.5)),
        (120.0, "interaction", 1.0, Clock("2:00", "soon", warning=120, change_in=1.0)),
        (60.0, "interaction", 1.0, Clock("1:00", "soon", warning=60, change_in=1.0)),
        (20.0, "interaction", 1.0, Clock("0:20", "last", warning=20, change_in=1.0)),
        (8.0, "interaction", 1.0, Clock("0:08", "last", change_in=1.0)),
        (0.25, "interaction", 1.0, Clock("0:01", "last", change_in=0.25)),
        (0.0, "interaction", 1.0, Clock("0:00", "last")),
        # Words stay for seconds of the wall, but never beyond the next warning.
        (1500.0, "interaction", 60.0, Clock("25:00", change_in=1 / 60)),
        (150.0, "interaction", 60.0, Clock("2:30", warning=300, change_in=1 / 60)),
        (119.0, "interaction", 60.0, Clock("1:59", "soon", warning=120, change_in=1 / 60)),
        (294.0, "interaction", 0.5, Clock("4:54", change_in=2.0)),
        # Nothing runs.
        (250.0, "paused", 1.0, Clock("4:10", stands=True)),
        (100.5, "paused", 1.0, Clock("1:41", "soon", stands=True)),
        (100.0, "interaction", 0.0, Clock("1:40", "soon")),
        # A verdict is due too; other phases are nobody's to hurry for.
        (60.0, "scoring", 1.0, Clock("1:00", "soon", warning=60, change_in=1.0)),
        (10.0, "waiting", 1.0, Clock("0:10", change_in=1.0)),
    ],
)
def test_the_clock(remaining: float | None, phase: Phase, speed: float, clock: Clock) -> None:
    assert clock_of(remaining, phase, speed) == clock


def test_no_warning_is_as_long_as_the_phase() -> None:
    assert clock_of(299.0, "scoring", began=300.0).warning is None
    assert clock_of(299.0, "scoring", began=301.0).warning == 300
    assert clock_of(119.0, "scoring", began=300.0).warning == 120


@given(
    st.floats(0.001, 4000, allow_nan=False),
    st.sampled_from([0.5, 1.0, 2.0, 7.0, 60.0]),
    st.floats(0.01, 0.99),
)
def test_nothing_changes_before_it_is_due_and_something_does_then(
    remaining: float, speed: float, part: float
) -> None:
    now = clock_of(remaining, "interaction", speed)
    assert now.change_in is not None
    assert now.change_in > 0

    def shown(clock: Clock) -> tuple[str, Level, int | None]:
        return clock.text, clock.level, clock.warning

    between = remaining - part * now.change_in * speed
    assert shown(clock_of(between, "interaction", speed)) == shown(now)
    then = max(0.0, remaining - now.change_in * speed - 1e-9 * remaining)
    assert shown(clock_of(then, "interaction", speed)) != shown(now)
