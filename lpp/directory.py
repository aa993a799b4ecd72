"""A communications directory as the channel needs it: list, make, remove.

`Directory` is the interface; `LocalDirectory` the real one. `lpp.testing.MemoryDirectory` is the
same in memory.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Protocol

from lpp.errors import BadDirectory

#: Longer paths meet limits of Windows once a key press is appended (technology notes in docs).
PATH_LIMIT = 200


class Directory(Protocol):
    """What a channel does with a communications directory. Methods block, but not for long."""

    @property
    def path(self) -> str:
        """Where it is, for messages."""

    def check(self) -> None:
        """Raises BadDirectory unless key presses can be made and removed here."""

    def names(self) -> list[str]:
        """All names in it, in any order. Raises OSError."""

    def make(self, name: str) -> None:
        """Makes a sub-directory. Raises FileExistsError if there is one, or OSError."""

    def remove(self, name: str) -> None:
        """Removes an entry, of whatever kind; one that is gone already is fine. Raises OSError."""


class LocalDirectory:
    """A directory of this machine.

    Arguments:
        path: where it is.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.path.abspath(path)

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
        if not path.exists():
            raise BadDirectory(
                f"{path}: there is no such directory; make it first, or name another"
            )
        if not path.is_dir():
            raise BadDirectory(f"{path}: this is no directory; name one for the key presses")
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

    def names(self) -> list[str]:
        """See Directory."""
        return os.listdir(self._path)

    def make(self, name: str) -> None:
        """See Directory."""
        os.mkdir(f"{self._path}{os.sep}{name}")

    def remove(self, name: str) -> None:
        """See Directory. Programs have made plain files, links, and directories with something
        in them; all of these can be removed, and no link is ever followed."""
        target = f"{self._path}{os.sep}{name}"
        try:
            os.rmdir(target)
        except FileNotFoundError:
            return
        except NotADirectoryError:
            os.unlink(target)
        except OSError:
            if os.path.islink(target) or not os.path.isdir(target) or not os.listdir(target):
                raise
            shutil.rmtree(target)


def as_directory(place: str | os.PathLike[str] | Directory) -> Directory:
    """A Directory from a path or from a Directory."""
    if isinstance(place, (str, os.PathLike)):
        return LocalDirectory(place)
    return place


def rooms_parent() -> Path:
    """Where a contest on this machine keeps its communications directories unless told:
    in memory where there is such a place, else among the temporary files.

    In memory a key press costs 7.5 µs, on a disk 70 to 150 µs.
    """
    import tempfile

    for candidate in ("/dev/shm", os.environ.get("XDG_RUNTIME_DIR", "")):
        if candidate and os.path.isdir(candidate) and os.access(candidate, os.W_OK | os.X_OK):
            return Path(candidate)
    return Path(tempfile.gettempdir())
