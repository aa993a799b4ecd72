"""Seconds and memory of `verify`, `tally` and exports for 10,000 to 1,000,000 keys, compared with
reading each event and computing its hash."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.report import Row, Target
from benchmarks.server.load import load
from benchmarks.server.process import folder, furnish
from benchmarks.server.record_writer import write
from contest.record import reading

NAME = "records"
DESKS = 4
#: Keys per round, and the most rounds that settings may have.
ROUND, ROUNDS = 8_000, 100
FORMATS = ("json", "csv", "html", "text", "lpp2012")
#: Target: seconds for a million keys, and MB at any size.
VERIFIED, MEMORY = Target(30, ratio=False), Target(300, ratio=False)
#: Runs a command and prints its peak memory in KB. On Linux a process's peak begins with the memory
#: of the process that started it, so this one is small.
_MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def run(*, sizes: tuple[int, ...] = (10_000, 100_000, 1_000_000)) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        sizes: keys on record.
    """
    return [row for size in sizes for row in _rows(size)]


def _rows(size: int) -> list[Row]:
    before = load()
    rows = []
    with folder() as place:
        contest = furnish(place, DESKS, rounds=max(1, min(ROUNDS, size // ROUND)))
        write(contest, size)
        bare = _seconds(lambda: _read_and_hash(contest))
        commands = {"verified": ["verify", str(contest)], "tallied": ["tally", str(contest)]} | {
            f"exported as {form}": [
                *("export", str(contest), "--format", form, "--out", str(place / form))
            ]
            for form in FORMATS
        }
        for what, words in commands.items():
            seconds, memory, code = _command(words)
            said = "all green" if code == 0 else f"NOT GREEN: exit code {code}"
            note = f"{said}; load average {before} before"
            target = VERIFIED if what == "verified" else None
            rows += [
                Row(NAME, f"{size:,} keys, {what}", seconds, "s", bare, target, note, what, size),
                Row(
                    *(NAME, f"{size:,} keys, {what}, memory", memory, "MB", None, MEMORY),
                    line=f"{what}, memory",
                    size=size,
                ),
            ]
    return rows


def _command(words: list[str]) -> tuple[float, float, int]:
    """Runs `loebner` in a separate process; returns seconds, peak memory in MB and exit code."""
    command = [sys.executable, "-m", "loebner", *words]
    begun = time.perf_counter()
    ended = subprocess.run([sys.executable, "-c", _MEASURED, *command], stdout=subprocess.PIPE)
    return time.perf_counter() - begun, int(ended.stdout) / 1024, ended.returncode


def _read_and_hash(contest: Path) -> None:
    for row in reading.read_rows(reading.url_of(contest)):
        json.loads(row.body)
        hashlib.sha256(row.body.encode()).hexdigest()


def _seconds(what: Callable[[], object]) -> float:
    begun = time.perf_counter()
    what()
    return time.perf_counter() - begun
