"""Checks of what the contest is written to: the folder, and room on its disk."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

from contest.errors import InUse
from contest.preflight.finding import Check, Seen, green, red, yellow
from contest.preflight.ground import Ground, in_bytes
from contest.setup.lock import FILE_NAME as LOCK_FILE
from contest.setup.lock import locked

#: Bytes that a contest's folder should have, and must have. A day of 2010's takes some 50 MB.
ROOM, LEAST = 1_000_000_000, 200_000_000


def folder(ground: Ground) -> Iterator[Seen]:
    """No other server holds the folder, and it can be written."""
    if ground.running is not None:
        return
    probe = ground.folder / f".preflight-{secrets.token_hex(4)}"
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
        # Who has the lock is asked only where one was ever taken: nothing is to be left behind.
        if (ground.folder / LOCK_FILE).exists():
            with locked(ground.folder):
                pass
    except OSError as exc:
        yield red(
            f"{ground.folder} can't be written ({exc.strerror or exc})",
            "give write permission, or move the contest elsewhere",
        )
    except InUse as exc:
        yield red(str(exc), "end the program that holds it; `loebner control` may find it")
    else:
        kind = ground.machine.network_kind(ground.folder)
        if kind is not None:
            yield yellow(
                f"{ground.folder} lies on a network mount ({kind}): databases are not safe there",
                "move the folder to a disk of this machine",
            )
        else:
            yield green(f"{ground.folder} can be written, and no server holds it")


def space(ground: Ground) -> Iterator[Seen]:
    """There is room on the disk."""
    free = ground.machine.free(ground.folder)
    found = f"{in_bytes(free)} are free"
    remedy = "free the disk: a contest pauses itself when it is full"
    if free < LEAST:
        yield red(found, remedy)
    elif free < ROOM:
        yield yellow(found, remedy)
    else:
        yield green(found)


CHECKS = (
    Check("folder", "the folder", folder, settings=False),
    Check("disk-space", "room on the disk", space, settings=False),
)
