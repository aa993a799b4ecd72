"""Files that only their owner can read: codes, people's typing, remembered answers."""

from __future__ import annotations

import os
from pathlib import Path

#: Without it Windows would write \r\n for each \n, and end a file at Ctrl-Z. Other systems lack it.
_BINARY: int = getattr(os, "O_BINARY", 0)


def open_private(file: Path, how: int) -> int:
    """Opens a file for writing bytes. A new file is readable by its owner only. (On Windows, the
    rights of the user's directory protect it.)

    Arguments:
        file: the file.
        how: additional flags for `os.open`: `O_EXCL`, `O_APPEND`, `O_TRUNC`.

    Returns:
        The file descriptor, which the caller must close.
    """
    return os.open(file, os.O_WRONLY | os.O_CREAT | _BINARY | how, 0o600)


def replace_private(file: Path, data: bytes) -> None:
    """Writes or replaces, atomically, a file that only its owner can read.

    Raises:
        OSError: if it can't be written; an existing file is then unchanged.
    """
    new = file.with_name(file.name + ".new")
    new.unlink(missing_ok=True)
    try:
        with open(open_private(new, os.O_EXCL), "wb") as out:
            out.write(data)
        new.replace(file)
    except OSError:
        new.unlink(missing_ok=True)
        raise
