"""A communications directory as the channel needs it: list, make, remove.

`Directory` is the interface; `LocalDirectory` the real one. `lpp.testing.MemoryDirectory` is the
same in memory.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

from lpp.errors import BadDirectory

#: Longer paths meet limits of Windows once a key press is appended (technology notes in docs).
PATH_LIMIT = 200


@runtime_checkable
class Directory(Protocol):
    """What a channel does with a communications directory. Methods block, but not for long."""

    #: Whether `remove` may take long, so that it belongs on another thread.
    slow: bool = False

    @property
    def path(self) -> str:
        """Where it is, for messages."""

    def check(self) -> None:
        """Raises BadDirectory unless key presses can be made and removed here."""
        return

    def scan(self) -> Iterator[str]:
        """All names in it, one by one in any order. Raises OSError at any step."""

    def names(self) -> list[str]:
        """All names at once. Raises OSError."""
        return list(self.scan())

    def make(self, name: str) -> None:
        """Makes a sub-directory. Raises FileExistsError if there is one, or OSError."""

    def remove_at_once(self, name: str) -> bool:
        """Removes an empty sub-directory if that takes no time.

        Returns:
            Whether it is gone; if not, `remove` is to be called.
        """

    def remove(self, name: str) -> str | None:
        """Removes an entry, of whatever kind; one that is gone already is fine.

        Returns:
            What it was if it was not an empty directory, in words, else None.

        Raises:
            OSError: if it is still there, or may come back with a share that is away.
        """


class LocalDirectory(Directory):
    """A directory of this machine. Removing takes milliseconds on some disks.

    Arguments:
        path: where it is.
    """

    slow = True

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.path.abspath(path)
        self._in_memory = _in_memory(self._path)

    @property
    def path(self) -> str:
        """The absolute path."""
        return self._path

    def check(self) -> None:
        """See Directory.

        Raises:
            BadDirectory: if it does not exist, is a file, is too long a path, or can't be written.
        """
        path = Path(self._path)
        try:
            if not path.exists():
                raise BadDirectory(
                    f"{path}: there is no such directory; make it first, or name another"
                )
            if not path.is_dir():
                raise BadDirectory(f"{path}: this is not a directory; name one for the key presses")
        except OSError as exc:
            raise BadDirectory(
                f"{path}: can't be looked at ({exc.strerror or exc}); give permission, "
                "or name another directory"
            ) from exc
        if len(self._path) > PATH_LIMIT:
            raise BadDirectory(
                f"{path}: the path has {len(self._path)} characters, more than {PATH_LIMIT}; "
                "choose a directory nearer to the root"
            )
        # Not asked by making one: whatever appears here, a stranger's program may take for a key.
        if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            raise BadDirectory(
                f"{path}: can't make sub-directories here; give read and write permission, "
                "or name another directory"
            )

    def scan(self) -> Iterator[str]:
        """See Directory."""
        with os.scandir(self._path) as entries:
            for entry in entries:
                yield entry.name

    def names(self) -> list[str]:
        """See Directory."""
        return os.listdir(self._path)

    def make(self, name: str) -> None:
        """See Directory."""
        os.mkdir(f"{self._path}{os.sep}{name}")

    def remove_at_once(self, name: str) -> bool:
        """See Directory. In memory it takes 4 µs, a tenth of what a thread for it would."""
        if not self._in_memory:
            return False
        try:
            os.rmdir(f"{self._path}{os.sep}{name}")
        except OSError:
            return False
        return True

    def remove(self, name: str) -> str | None:
        """See Directory. Programs have made plain files, links, and directories with something
        in them; all of these can be removed, and no link is ever followed."""
        target, what = f"{self._path}{os.sep}{name}", None
        try:
            try:
                os.rmdir(target)
            except NotADirectoryError:
                what = "a symbolic link" if os.path.islink(target) else "a plain file"
                os.unlink(target)
        except FileNotFoundError as exc:
            # A name that is missing because the whole directory is away for a while, as a network
            # share may be, is not gone: it may come back.
            if not os.path.isdir(self._path):
                away = "the communications directory is away"
                raise FileNotFoundError(2, away, self._path) from exc
            return None
        except OSError:
            # Not empty, or refused for a while; systems disagree on the number of either.
            if not os.path.isdir(target) or not os.listdir(target):
                raise
            # Follows no link, neither in it nor one that has taken its place.
            shutil.rmtree(target)
            return "a directory with something in it"
        return what


def rooms_parent() -> Path:
    """Where a contest on this machine keeps its communications directories unless told:
    in memory where there is such a place, else among the temporary files.

    In memory a key press costs 7.5 µs, on a disk 70 to 150 µs.
    """
    for candidate in _memory_places():
        if os.path.isdir(candidate) and os.access(candidate, os.W_OK | os.X_OK):
            return Path(candidate)
    return Path(tempfile.gettempdir())


def _memory_places() -> list[str]:
    return [place for place in ("/dev/shm", os.environ.get("XDG_RUNTIME_DIR", "")) if place]


def _in_memory(path: str) -> bool:
    for place in _memory_places():
        try:
            if os.stat(place).st_dev == os.stat(path).st_dev != os.stat("/").st_dev:
                return True
        except (OSError, ValueError):  # no such place, or a path that none can have
            continue
    return False
