"""How busy the machine is with others' work, to be said beside each number."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")


def load() -> str:
    """The machine's load average of the last minute; a dash where none is available."""
    try:
        return f"{os.getloadavg()[0]:.2f}"
    except OSError:
        return "-"


def work_of(pid: int) -> float:
    """Seconds of a core that a process has taken so far, all its threads.

    Raises:
        OSError: if there is no such process, or this system does not tell.
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


class Others:
    """What everybody else takes of the machine, from now on.

    Arguments:
        ours: the processes of the measurement beside this one; what they have started is ours.
    """

    def __init__(self, ours: Iterable[int]) -> None:
        self._ours = _with_children({os.getpid(), *ours})
        self._begun = time.monotonic()
        self._busy, self._own = _busy(), self._work()

    def share(self) -> float:
        """Cores that others have taken, on the average."""
        others = (_busy() - self._busy) - (self._work() - self._own)
        return max(0.0, others) / (time.monotonic() - self._begun)

    def _work(self) -> float:
        return sum(work_of(pid) for pid in self._ours)


def _busy() -> float:
    """Seconds of cores that the machine was at work so far."""
    user, nice, system, _idle, _wait, irq, softirq, steal = map(
        int, Path("/proc/stat").read_text().split(None, 9)[1:9]
    )
    return (user + nice + system + irq + softirq + steal) / _TICK


def _with_children(pids: set[int]) -> set[int]:
    """Processes with all that they have started, and those in turn."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # one that has just ended
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = set(pids)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found
