"""Removing in the background, on virtual time: each name once, refused ones again and again."""

from __future__ import annotations

import asyncio
import errno
from itertools import pairwise
from typing import Any

import pytest

from lpp.directory import Directory
from lpp.keypress import Violation
from lpp.removal import AT_ONCE, RETRY_FIRST, RETRY_LAST, Remover
from lpp.testing import MemoryDirectory
from tests.lpp.faulty import FaultyDirectory

pytestmark = pytest.mark.looptime

IN_USE = PermissionError(errno.EACCES, "in use by a virus scanner")


class Bench:
    """A remover, what it removes from, and what it told."""

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


@pytest.mark.parametrize("names", [0, 1, 3, 4 * AT_ONCE + 1])
async def test_all_are_removed_and_told(names: int) -> None:
    bench = Bench(names=names)
    bench.remover.remove(bench.names)
    assert bench.gone == []  # whoever was told of the keys goes first
    await bench.remover.settled()
    assert bench.gone == bench.names
    assert bench.memory.entries == set()
    assert bench.reports == []
    await bench.remover.close()


async def test_a_name_under_way_is_not_removed_twice() -> None:
    bench = Bench()
    bench.remover.remove([*bench.names, *bench.names])
    bench.remover.remove(bench.names)
    assert bench.remover.known == set(bench.names)
    await bench.remover.settled()
    assert bench.faulty.removals == 3
    assert bench.remover.known == frozenset()
    bench.memory.make(bench.names[0])
    bench.remover.remove(bench.names[:1])  # but once it is gone, the name is a new one
    await bench.remover.settled()
    assert bench.faulty.removals == 4


async def test_what_is_refused_is_tried_again_with_growing_pauses() -> None:
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
    assert pauses[0] == pytest.approx(RETRY_FIRST, rel=0.3)
    assert pauses[:7] == pytest.approx([RETRY_FIRST * 2**k for k in range(7)], rel=0.3)
    assert pauses[7:] == pytest.approx([RETRY_LAST] * len(pauses[7:]), rel=0.3)
    assert bench.gone == []
    bench.faulty.remove_error = None
    await bench.remover.settled()
    assert bench.gone == bench.names


async def test_a_long_refusal_is_reported_once_until_all_is_well() -> None:
    bench = Bench(names=50)
    bench.faulty.remove_error = IN_USE
    bench.remover.remove(bench.names)
    await asyncio.sleep(1)
    assert bench.reports == []
    await asyncio.sleep(60)
    assert bench.reports == [IN_USE]
    bench.faulty.remove_error = None
    await bench.remover.settled()
    assert sorted(bench.gone) == bench.names
    bench.memory.make(bench.names[0])
    bench.faulty.remove_error = IN_USE
    bench.remover.remove(bench.names[:1])
    await asyncio.sleep(60)
    assert bench.reports == [IN_USE, IN_USE]
    await bench.remover.close()


async def test_closing_tries_once_more_and_says_what_stays() -> None:
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


async def test_after_closing_names_are_removed_all_the_same() -> None:
    bench = Bench(names=2 * AT_ONCE)
    await bench.remover.close()
    bench.remover.remove(bench.names[:2])
    assert bench.gone == bench.names[:2]
    bench.faulty.remove_error = IN_USE
    bench.remover.remove(bench.names[2:3])
    assert bench.reports == [IN_USE]
    await bench.remover.settled()


# Bugs must not leave anybody waiting


async def test_a_bug_is_told_to_the_loop_and_the_rest_goes_on() -> None:
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    bench = Bench()

    def fail(name: str) -> None:
        if name == bench.names[0]:
            raise ZeroDivisionError

    bench.faulty.remove_error = fail
    bench.remover.remove(bench.names[:1])
    await bench.remover.settled()
    assert [type(context["exception"]) for context in told] == [ZeroDivisionError]
    assert bench.gone == []
    bench.remover.remove(bench.names[1:])
    await bench.remover.close()
    assert bench.gone == bench.names[1:]
