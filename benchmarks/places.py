"""Where the benchmarks make their directories: in memory, and on a disk, both thrown away."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lpp.directory import rooms_parent


def parents() -> dict[str, Path]:
    """The places to measure in, by name; the disk is left out where it is the same place."""
    memory, disk = rooms_parent(), Path(tempfile.gettempdir())
    places = {"in memory": memory}
    if disk.stat().st_dev != memory.stat().st_dev:
        places["on disk"] = disk
    return places


@contextmanager
def directory(parent: Path) -> Iterator[str]:
    """A fresh directory there, removed afterwards."""
    path = tempfile.mkdtemp(prefix="lpp-bench-", dir=parent)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
