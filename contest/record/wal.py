"""The log beside a SQLite database (`-wal`), read without SQLite.

Each commit is appended there, and becomes durable there. A log whose server died may end in a
commit that was never finished; SQLite drops that, and rightly. But it drops in the same silence all
that stands behind a damaged place, durable or not: `log_damage` finds that.

The format is SQLite's own, described under "The Write-Ahead Log" in its documentation.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_HEADER, _FRAME_HEADER = 32, 24


class Frame(NamedTuple):
    """A page as the log has it.

    Attributes:
        page: the page's number in the database.
        commits: whether it is the last one of a commit.
        salts: by which frames of this log are told from those that it held before.
        data: the page.
    """

    page: int
    commits: bool
    salts: bytes
    data: bytes


def read(file: Path) -> bytes:
    """The log of a database; empty if there is none.

    Raises:
        OSError: if it can't be read.
    """
    try:
        return file.with_name(file.name + "-wal").read_bytes()
    except FileNotFoundError:
        return b""


def page_size_of(log: bytes) -> int:
    """The size of a page in bytes, as the log's header says it; 0 if that is cut off."""
    return int.from_bytes(log[8:12])


def frames_of(log: bytes, size: int) -> Iterator[Frame]:
    """All frames of a log, damaged ones and such as it held before too.

    Arguments:
        log: from `read`.
        size: of a page.
    """
    for at in _places(log, size):
        number, commits = struct.unpack(">II", log[at : at + 8])
        yield Frame(
            *(number, commits != 0, log[at + 8 : at + 16]),
            log[at + _FRAME_HEADER : at + _FRAME_HEADER + size],
        )


def log_damage(file: Path) -> str:
    """What is wrong with the log of a database, in words; empty if nothing is known to be.

    The end of a log may be torn, as a power cut leaves it: that was never durable. But a commit
    that was followed by another one was durable: where the log breaks before such a one, it is
    damaged. Of the last one it can't be told.

    Arguments:
        file: the database; it may be being written.

    Raises:
        OSError: if the log can't be read.
    """
    found = _damage(read(file))
    # A log that is being written can be read halfway: then it breaks elsewhere the next time.
    if found is None or _damage(read(file)) != found:
        return ""
    place, commits = found
    lost = "a commit that was" if commits == 1 else f"{commits:,} commits that were"
    return f"its log is damaged at byte {place:,}: {lost} durable can't be had from there on"


def _damage(log: bytes) -> tuple[int, int] | None:
    """Where a log breaks, and how many durable commits stand behind; None if it does not."""
    size = page_size_of(log)
    whole = _header_check(log)
    if whole is None:
        # What its pages' size was can't be trusted: that of nearly all databases.
        size = size if size in (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536) else 4096
    frames = list(frames_of(log, size)) if size else []
    if not frames:
        return None
    sound = 0 if whole is None else _sound_frames(log, size, whole)
    salts = log[16:24]
    if whole is None:
        salts = Counter(frame.salts for frame in frames).most_common(1)[0][0]
    behind = [frame for frame in frames[sound:] if frame.salts == salts]
    commits = sum(frame.commits for frame in behind[:-1])
    place = 0 if whole is None else _HEADER + sound * (_FRAME_HEADER + size)
    return (place, commits) if commits else None


def _header_check(log: bytes) -> tuple[int, int] | None:
    """The checksum of a log's header, where frames' checksums begin; None if it is wrong."""
    if len(log) < _HEADER:
        return None
    checks = _checksum(_order(log), log[:24], (0, 0))
    return checks if log[24:32] == struct.pack(">II", *checks) else None


def _sound_frames(log: bytes, size: int, checks: tuple[int, int]) -> int:
    """How many frames SQLite takes: those up to the first one that is not as it was written."""
    salts, order = log[16:24], _order(log)
    for count, at in enumerate(_places(log, size)):
        head = log[at : at + _FRAME_HEADER]
        data = log[at + _FRAME_HEADER : at + _FRAME_HEADER + size]
        if head[8:16] != salts:
            return count
        checks = _checksum(order, data, _checksum(order, head[:8], checks))
        if head[16:24] != struct.pack(">II", *checks):
            return count
    return len(_places(log, size))


def _places(log: bytes, size: int) -> range:
    step = _FRAME_HEADER + size
    return range(_HEADER, len(log) - step + 1, step)


def _order(log: bytes) -> str:
    return ">" if log[3] & 1 else "<"


def _checksum(order: str, data: bytes, start: tuple[int, int]) -> tuple[int, int]:
    one, two = start
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for first, second in zip(words, words, strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
