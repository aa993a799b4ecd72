"""Tests that the memory for verifying and exporting does not grow with the number of keys, because
a record may be larger than memory."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.server.process import furnish
from benchmarks.server.record_writer import write
from contest.results.exports import export
from contest.results.published import verify_all

#: The keys of the smaller record, and the factor of keys and rounds of the larger one.
KEYS, TIMES = 2_500, 3
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


@pytest.fixture(scope="module")
def contests(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two contests of talks of the same length, the second with more of them."""
    made = []
    for times in (1, TIMES):
        contest = furnish(tmp_path_factory.mktemp("size"), 2, rounds=times)
        write(contest, times * KEYS)
        made.append(contest)
    return made[0], made[1]


def peak(work: Callable[[], object]) -> int:
    """The peak memory of a piece of work, in bytes."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# The formats share their readers, so the default run tests only one.
@pytest.mark.parametrize("name", ["verify", "csv", pytest.param("json", marks=pytest.mark.soak)])
def test_memory_does_not_grow_with_the_keys(
    name: str, contests: tuple[Path, Path], tmp_path: Path
) -> None:
    small, large = contests
    # Run once first, because imports and compiled code are not counted.
    WORK[name](small, tmp_path / "first")
    least = peak(lambda: WORK[name](small, tmp_path / "small"))
    most = peak(lambda: WORK[name](large, tmp_path / "large"))
    assert most < MORE * least, f"{least:,} bytes for {KEYS} keys, {most:,} for {TIMES * KEYS}"
