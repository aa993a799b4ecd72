"""The disk of a contest fills up again and again while everybody types: each recorded key was read
or made by an entry exactly once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from contest.live.conductor import RECORD_UNAVAILABLE
from contest.verify.verify import verify
from tests.faults.test_server import Room, Server, quiet, seated, served, typing, until, until_true

#: Bytes of the disk: room for the record, its log and some more.
SIZE = 12 * 2**20
#: The size in bytes from which SQLite writes its log back: 1000 pages.
LOG = 1000 * 4096


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk for this test."""
    place = tmp_path / "disk"
    place.mkdir()
    if sys.platform != "linux":
        pytest.skip("a small disk is mounted as tmpfs")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small disk")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path) -> Path:
    """Fills a disk to the last byte; returns the file that fills it."""
    file = place / "filler"
    with file.open("ab", buffering=0) as out:
        for size in (65536, 512, 1):
            try:
                while True:
                    out.write(b"x" * size)
            except OSError:
                continue
    return file


async def full(room: Room, server: Server, disk: Path) -> Path:
    """Fills the disk, and waits until the contest has paused itself and the entries have read
    every recorded key: a full disk must not hold back a key that is on record."""
    filler = fill(disk)
    await room.in_phase("paused")
    assert (await server.order("status"))["reason"] == RECORD_UNAVAILABLE
    assert await server.order("codes")  # it changes nothing
    await until_true(room.compare_entries)
    return filler


@pytest.mark.timeout(180)
async def test_repeatedly_full_disk_repeats_no_key(disk: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    # The server's log is also on the full disk.
    async with (
        served(disk / "contest", notes=notes) as server,
        seated(server, notes) as room,
    ):
        await server.order("start", anyway=True)
        async with typing(room):
            # After a checkpoint the record overwrites its log from the beginning, so it can still
            # write for a while when the disk is full.
            log = server.place / "record.db-wal"
            await until(lambda: log.stat().st_size > LOG)
            await room.typed(100)
            (await full(room, server, disk)).unlink()
            await server.writes_again()
            await server.order("resume")
            # The server is killed while the disk is full; the links are not.
            await room.typed(40)
            filler = await full(room, server, disk)
            await server.kill()
            filler.unlink()
            await server.start()
            await room.back()
            if (await server.order("status"))["phase"] == "paused":
                await server.order("resume")
            await room.typed(40)
        await quiet(room, server)
        await server.end()
    assert "Traceback" not in server.said()
    report = verify(server.place)
    assert report.ok, report
    assert not any(check.notes for check in report.checks)
