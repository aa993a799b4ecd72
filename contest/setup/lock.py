"""One server for one contest, one link for one entry: locks on files of a contest's folder, which
die with their process."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contest.errors import InUse, Surroundings

FILE_NAME = "server.lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds a contest's folder while the context is open.

    Raises:
        InUse: if another process holds it.
        Surroundings: if the folder can't be written.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(hold(folder / FILE_NAME))
        except InUse as exc:
            raise InUse(
                f"{folder}: another server holds this contest; end that one first, or see what it "
                "does with `loebner control`"
            ) from exc
        yield


@contextmanager
def hold(file: Path) -> Iterator[None]:
    """Holds a file while the context is open. The system takes the lock back when the process ends
    in whatever way; the file stays, and means nothing by itself.

    Raises:
        InUse: if another process holds it.
        Surroundings: if it can't be written.
    """
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as exc:
        raise Surroundings(f"{file}: can't be written ({exc.strerror or exc})") from exc
    try:
        try:
            _take(handle)
        except OSError as exc:
            raise InUse(f"{file}: another process holds it") from exc
        yield
    finally:
        # Closing gives the lock back.
        with contextlib.suppress(OSError):
            os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
