"""Temporary directories for the benchmarks: in memory, and on a disk."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lpp.directory import communications_root


def parents() -> dict[str, Path]:
    """The places to measure in, by name; without the disk if it is the same place."""
    memory, disk = communications_root(), Path(tempfile.gettempdir())
    places = {"in memory": memory}
    if disk.stat().st_dev != memory.stat().st_dev:
        places["on disk"] = disk
    return places


@contextmanager
def directory(parent: Path) -> Iterator[str]:
    """A new directory there, removed afterwards."""
    path = tempfile.mkdtemp(prefix="lpp-bench-", dir=parent)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
