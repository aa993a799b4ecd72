"""Which hint and which pace of looking a directory gets, unless somebody says otherwise."""

from __future__ import annotations

import os
from dataclasses import dataclass

from lpp import inotify
from lpp.hints import SHARED, Hint, NoHint
from lpp.mounts import network_kind

#: Seconds between two looks when no hint comes; the upper bound of latency where hints fail.
SWEEP = 0.25
#: The same where no hint can be had.
SWEEP_NETWORK = 0.02

#: The hint that channels of this process share on Linux, where watchdog has its descriptor.
SHARED_INOTIFY = inotify.InotifyHint()


@dataclass(frozen=True, slots=True)
class Choice:
    """What wakes a channel.

    Attributes:
        hint: what wakes it at once.
        sweep: seconds between looks without a wake.
        reason: why, in words.
    """

    hint: Hint
    sweep: float
    reason: str


def choose(path: str | os.PathLike[str]) -> Choice:
    """The hint for a directory, and the pace of looking.

    Arguments:
        path: the directory.
    """
    path = os.fspath(path)
    kind = network_kind(path)
    if kind is not None:
        return Choice(
            NoHint(),
            SWEEP_NETWORK,
            f"{path} lies on a network mount ({kind}), where no watcher sees what another machine "
            f"makes: it is listed every {SWEEP_NETWORK * 1000:g} ms",
        )
    if inotify.available():
        return Choice(
            SHARED_INOTIFY,
            SWEEP,
            f"{path} lies on this machine, and watchdog has inotify's shared descriptor: one for "
            "all directories, the least time from a key to its reader",
        )
    return Choice(
        SHARED,
        SWEEP,
        f"{path} lies on this machine: watchdog's observer of this system wakes",
    )
