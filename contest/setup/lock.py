"""Locks on files of a contest's folder, so that a contest has only one server, and an entry only
one link. A lock is released when its process ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from contest.errors import EnvironmentProblem, InUse

FILE_NAME = "server.lock"
#: Seconds to wait for a lock: it can outlive a killed process for a moment, because a program that
#: was being started has a copy until it runs its own code.
WAIT = 0.5


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds a contest's folder while the context is open.

    Raises:
        InUse: if another process holds it.
        EnvironmentProblem: if the folder can't be written.
    """
    with lock_file(
        folder / FILE_NAME,
        f"{folder}: another server runs this contest; end it first, or control it with `loebner "
        "control`",
    ):
        yield


@contextmanager
def lock_file(file: Path, refusal: str = "", wait: float = WAIT) -> Iterator[None]:
    """Locks a file while the context is open. The system releases the lock when the process ends,
    for any reason. The file itself remains, and has no meaning.

    Arguments:
        file: the file; its folder must exist.
        refusal: the message of InUse; by default that another process holds the file.
        wait: for how many seconds to wait for another process's lock.

    Raises:
        InUse: if another process holds it.
        EnvironmentProblem: if it can't be written.
    """
    # One thread may take the lock, and another one release it.
    lock = FileLock(file, timeout=wait, mode=0o600, thread_local=False)
    try:
        if not file.parent.is_dir():
            raise FileNotFoundError(2, "there is no such folder")
        lock.acquire()
    except Timeout:
        raise InUse(refusal or f"{file}: another process holds it") from None
    except OSError as exc:
        raise EnvironmentProblem(f"{file}: can't be written ({exc.strerror or exc})") from exc
    try:
        yield
    finally:
        lock.release()
