"""What a time line shows, by itself."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_console.model.timeline import (
    LOWEST,
    STEPS,
    Row,
    cell_of,
    clock,
    counts,
    heights,
    rows_of,
    ticks,
)
from lpp.log2012 import Place
from lpp.recording import Recorded, Recording


def recording(*presses: Recorded, sides: tuple[Place, ...] = ("left", "right")) -> Recording:
    return Recording("a", (), dict.fromkeys(sides, "entity"), presses)


def test_a_row_for_each_author_of_each_talk() -> None:
    rows = rows_of(
        recording(
            Recorded(5_000_000, "left", "judge", "H", 1),
            Recorded(6_000_000, "right", "entity", "space", 2),
            Recorded(5_500_000, "left", "judge", "BackSpace", 3),  # runs back: no gap
            Recorded(7_500_000, "left", "judge", "Return", 4),
            Recorded(8_500_000, "left", "judge", "no-such-key", 5),
        )
    )
    assert rows == (
        Row("left", "judge", (0.0, 4.0), (3.0,), (1.0,)),
        Row("left", "entity", (), (), ()),
        Row("right", "judge", (), (), ()),
        Row("right", "entity", (1.0,), (), ()),
    )
    assert [row.keys for row in rows] == [4, 0, 0, 1]


def test_keys_of_a_side_that_nobody_sits_at_are_in_no_row() -> None:
    rows = rows_of(recording(Recorded(0, "right", "judge", "H", 1), sides=("left",)))
    assert [(row.side, row.author, row.keys) for row in rows] == [
        ("left", "judge", 0),
        ("left", "entity", 0),
    ]


times = st.lists(st.floats(0, 2000), max_size=50)


@given(times, st.floats(0.001, 2000), st.integers(1, 500))
def test_each_key_falls_into_one_cell(moments: list[float], duration: float, cells: int) -> None:
    found = counts(moments, duration, cells)
    assert len(found) == cells
    assert sum(found) == len(moments)
    for moment in moments:
        assert found[cell_of(moment, duration, cells)] > 0


def test_cells() -> None:
    assert counts([0, 4.9, 5, 9.99, 10], 10, 2) == [2, 3]
    assert [cell_of(time, 0, 9) for time in (0, 3)] == [0, 0]
    assert [cell_of(time, 10, 4) for time in (-1, 99)] == [0, 3]


def test_bars_are_drawn_by_one_scale_and_each_is_seen() -> None:
    assert heights([[0, 100, 25], [1, 0, 0]]) == [[0, 1, 0.5], [LOWEST, 0, 0]]
    assert heights([[0], [0]]) == [[0], [0]]
    assert heights([]) == []


@pytest.mark.parametrize(
    ("duration", "room", "labels"),
    [
        (1500, 6, ["0:00", "5:00", "10:00", "15:00", "20:00", "25:00"]),
        (1499, 5.1, ["0:00", "5:00", "10:00", "15:00", "20:00"]),
        (1500, 0, ["0:00"]),
        (61, 5, ["0:00", "0:15", "0:30", "0:45", "1:00"]),
        (0.0000005, 10, ["0:00"]),
        (0, 10, ["0:00"]),
        (7300, 4, ["0:00", "1:00:00", "2:00:00"]),
        (3, 20, ["0:00", "0:01", "0:02", "0:03"]),
    ],
)
def test_labels(duration: float, room: float, labels: list[str]) -> None:
    found = ticks(duration, room)
    assert [tick.label for tick in found] == labels
    assert len(found) <= max(1, room) + 1


@given(st.floats(0, 400 * 86400), st.floats(0.5, 300))
def test_labels_have_room(duration: float, room: float) -> None:
    found = ticks(duration, room)
    gaps = {after.time - before.time for before, after in pairwise(found)}
    assert len(gaps) <= 1
    for gap in gaps:
        assert gap in STEPS or gap % STEPS[-1] == 0
        assert duration / gap <= max(1, room) * 1.000001
    assert found[0].time == 0
    assert found[-1].time <= duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00"), (59.999, "0:59"), (187, "3:07"), (3600, "1:00:00"), (3787.5, "1:03:07")],
)
def test_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text
