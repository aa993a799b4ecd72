"""Tests that the memory for verifying and exporting does not grow with the number of keys, because
a record may be larger than memory."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from benchmarks.server.process import furnish
from benchmarks.server.record_writer import write
from contest.results.exports import export
from contest.results.published import verify_all

#: The allowed factor of memory for the larger record: its rounds and talks take memory, its keys
#: must not.
MORE = 1.35

WORK: dict[str, Callable[[Path, Path], object]] = {
    "verify": lambda contest, _: verify_all(contest),
    **{
        form: lambda contest, out, form=form: export(contest, form, out)  # type: ignore[misc]
        for form in ("json", "csv")
    },
}


def made(place: Path, keys: int, rounds: int = 1) -> Path:
    """A contest with this many keys in each round."""
    place.mkdir()
    contest = furnish(place, 2, rounds=rounds)
    write(contest, rounds * keys)
    return contest


def peak(work: Callable[[], object]) -> int:
    """The peak memory of a piece of work, in bytes."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# Database rows are read in groups, and tables one talk at a time. The formats share their readers,
# so the default run tests only one.
@pytest.mark.parametrize(
    ("name", "keys", "rounds"),
    [
        ("verify", 2_500, 2),
        ("csv", 1_000, 3),
        pytest.param("json", 2_500, 3, marks=pytest.mark.soak),
    ],
)
def test_memory_does_not_grow_with_the_keys(
    name: str, keys: int, rounds: int, tmp_path: Path
) -> None:
    # Run once first, because imports and compiled code are not counted.
    WORK[name](made(tmp_path / "tiny", 20), tmp_path / "first")
    least, most = (
        peak(partial(WORK[name], made(tmp_path / f"{n}", keys, n), tmp_path / f"out{n}"))
        for n in (1, rounds)
    )
    assert most < MORE * least, f"{least:,} bytes for {keys} keys, {most:,} for {rounds * keys}"
