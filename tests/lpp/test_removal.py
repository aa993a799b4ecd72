"""Tests removal in the background, on virtual time: each name is removed once, and refused removals
are retried."""

from __future__ import annotations

import asyncio
import errno
from itertools import pairwise

import pytest

from lpp.directory import Directory
from lpp.keypress import Violation
from lpp.removal import BATCH, FIRST_RETRY, LONGEST_RETRY, Remover
from lpp.testing import MemoryDirectory
from tests.lpp.faulty import FaultyDirectory

pytestmark = pytest.mark.looptime

IN_USE = PermissionError(errno.EACCES, "in use by a virus scanner")


class Bench:
    """A remover, its directory, and what it reported."""

    def __init__(self, directory: Directory | None = None, names: int = 3) -> None:
        self.memory = MemoryDirectory()
        self.faulty = FaultyDirectory(self.memory)
        self.gone: list[str] = []
        self.reports: list[Violation | OSError] = []
        self.names = [f"{number:010d}.a.other" for number in range(names)]
        self.memory.entries.update(self.names)
        self.remover = Remover(
            self.faulty if directory is None else directory, self.gone.extend, self.reports.append
        )


@pytest.mark.parametrize("names", [0, 1, 3, 4 * BATCH + 1])
async def test_all_names_are_removed_and_reported_as_gone(names: int) -> None:
    bench = Bench(names=names)
    bench.remover.remove(bench.names)
    assert bench.gone == []  # the reader of the keys runs first
    await bench.remover.settled()
    assert bench.gone == bench.names
    assert bench.memory.entries == set()
    assert bench.reports == []
    await bench.remover.close()


async def test_refused_removals_are_retried_with_growing_pauses() -> None:
    bench = Bench(names=1)
    tries: list[float] = []
    loop = asyncio.get_running_loop()

    def refuse(name: str) -> OSError:
        tries.append(loop.time())
        return IN_USE

    bench.faulty.remove_error = refuse
    bench.remover.remove(bench.names)
    await bench.remover.tried()
    assert len(tries) == 1
    await asyncio.sleep(10)
    pauses = [after - before for before, after in pairwise(tries)]
    assert pauses[0] == pytest.approx(FIRST_RETRY, rel=0.3)
    assert pauses[:7] == pytest.approx([FIRST_RETRY * 2**k for k in range(7)], rel=0.3)
    assert pauses[7:] == pytest.approx([LONGEST_RETRY] * len(pauses[7:]), rel=0.3)
    assert bench.gone == []
    bench.faulty.remove_error = None
    await bench.remover.settled()
    assert bench.gone == bench.names


async def test_closing_retries_once_and_reports_what_remains() -> None:
    bench = Bench(names=2)
    bench.faulty.remove_error = IN_USE
    bench.remover.remove(bench.names)
    await asyncio.sleep(1)
    tried = bench.faulty.removals
    await bench.remover.close()
    assert bench.faulty.removals == tried + 2
    assert bench.reports == [IN_USE]
    await bench.remover.settled()
    await asyncio.sleep(60)
    assert bench.faulty.removals == tried + 2
    assert bench.remover.known == frozenset()
    await bench.remover.close()
