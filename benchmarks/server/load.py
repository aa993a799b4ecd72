"""How busy the machine is with other work, to be reported with each number."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")


def load() -> str:
    """The machine's load average of the last minute; a dash if unavailable."""
    try:
        return f"{os.getloadavg()[0]:.2f}"
    except OSError:
        return "-"


def work_of(pid: int) -> float:
    """Processor seconds that a process has used so far, in all threads.

    Raises:
        OSError: if there is no such process, or this system does not report it.
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


class Others:
    """Measures other programs' use of the machine, from now on.

    Arguments:
        ours: the processes of the benchmark in addition to this one; their children are included.
    """

    def __init__(self, ours: Iterable[int]) -> None:
        self._ours = _with_children({os.getpid(), *ours})
        self._begun = time.monotonic()
        self._busy, self._own = _busy(), self._work()

    def share(self) -> float:
        """The average number of cores that others have used."""
        others = (_busy() - self._busy) - (self._work() - self._own)
        return max(0.0, others) / (time.monotonic() - self._begun)

    def _work(self) -> float:
        return sum(work_of(pid) for pid in self._ours)


def _busy() -> float:
    """Processor seconds that the machine has been busy so far."""
    user, nice, system, _idle, _wait, irq, softirq, steal = map(
        int, Path("/proc/stat").read_text().split(None, 9)[1:9]
    )
    return (user + nice + system + irq + softirq + steal) / _TICK


def _with_children(pids: set[int]) -> set[int]:
    """Processes with all their descendants."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # a process that has just ended
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = set(pids)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found
