"""Tests the clock display, its warnings, and the time until it changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_console.model.timer import ClockDisplay, Level, clock_display, text_of
from lpp.wire import Phase


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00"), (7, "0:07"), (60, "1:00"), (1499, "24:59"), (3600, "1:00:00"), (5401, "1:30:01")],
)
def test_times_are_formatted_for_people(seconds: int, text: str) -> None:
    assert text_of(seconds) == text


@pytest.mark.parametrize(
    ("remaining", "phase", "speed", "clock"),
    [
        (None, "interaction", 1.0, ClockDisplay()),
        (1500.0, "interaction", 1.0, ClockDisplay("25:00", change_in=1.0)),
        (1499.25, "interaction", 1.0, ClockDisplay("25:00", change_in=0.25)),
        (300.5, "interaction", 1.0, ClockDisplay("5:01", change_in=0.5)),
        (300.0, "interaction", 1.0, ClockDisplay("5:00", warning=300, change_in=1.0)),
        (288.25, "interaction", 1.0, ClockDisplay("4:49", warning=300, change_in=0.25)),
        (287.5, "interaction", 1.0, ClockDisplay("4:48", change_in=0.5)),
        (120.0, "interaction", 1.0, ClockDisplay("2:00", "soon", warning=120, change_in=1.0)),
        (60.0, "interaction", 1.0, ClockDisplay("1:00", "soon", warning=60, change_in=1.0)),
        (20.0, "interaction", 1.0, ClockDisplay("0:20", "last", warning=20, change_in=1.0)),
        (8.0, "interaction", 1.0, ClockDisplay("0:08", "last", change_in=1.0)),
        (0.25, "interaction", 1.0, ClockDisplay("0:01", "last", change_in=0.25)),
        (0.0, "interaction", 1.0, ClockDisplay("0:00", "last")),
        # A warning stays for seconds of real time, but never beyond the next one.
        (1500.0, "interaction", 60.0, ClockDisplay("25:00", change_in=1 / 60)),
        (150.0, "interaction", 60.0, ClockDisplay("2:30", warning=300, change_in=1 / 60)),
        (119.0, "interaction", 60.0, ClockDisplay("1:59", "soon", warning=120, change_in=1 / 60)),
        (294.0, "interaction", 0.5, ClockDisplay("4:54", change_in=2.0)),
        # The clock is stopped.
        (250.0, "paused", 1.0, ClockDisplay("4:10", stopped=True)),
        (100.5, "paused", 1.0, ClockDisplay("1:41", "soon", stopped=True)),
        (100.0, "interaction", 0.0, ClockDisplay("1:40", "soon")),
        # A verdict is due as well; other phases have no warnings.
        (60.0, "scoring", 1.0, ClockDisplay("1:00", "soon", warning=60, change_in=1.0)),
        (10.0, "waiting", 1.0, ClockDisplay("0:10", change_in=1.0)),
    ],
)
def test_the_clock_display(
    remaining: float | None, phase: Phase, speed: float, clock: ClockDisplay
) -> None:
    assert clock_display(remaining, phase, speed) == clock


def test_a_warning_as_long_as_the_phase_is_left_out() -> None:
    assert clock_display(299.0, "scoring", began=300.0).warning is None
    assert clock_display(299.0, "scoring", began=301.0).warning == 300
    assert clock_display(119.0, "scoring", began=300.0).warning == 120


@given(
    st.floats(0.001, 4000, allow_nan=False),
    st.sampled_from([0.5, 1.0, 2.0, 7.0, 60.0]),
    st.floats(0.01, 0.99),
)
def test_the_display_changes_exactly_when_announced(
    remaining: float, speed: float, part: float
) -> None:
    now = clock_display(remaining, "interaction", speed)
    assert now.change_in is not None
    assert now.change_in > 0

    def shown(clock: ClockDisplay) -> tuple[str, Level, int | None]:
        return clock.text, clock.level, clock.warning

    between = remaining - part * now.change_in * speed
    assert shown(clock_display(between, "interaction", speed)) == shown(now)
    then = max(0.0, remaining - now.change_in * speed - 1e-9 * remaining)
    assert shown(clock_display(then, "interaction", speed)) != shown(now)
