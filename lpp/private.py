"""Files for their owner's eyes alone: codes, what people type, what is remembered."""

from __future__ import annotations

import os
from pathlib import Path

#: Windows would write \r\n for each \n, and end a file at Ctrl-Z; elsewhere there is no such thing.
_BINARY: int = getattr(os, "O_BINARY", 0)


def open_private(file: Path, how: int) -> int:
    """Opens a file to write bytes to; makes it, if it is not there, so that only its owner can
    read it. (Windows keeps a user's directory from others by its own rights.)

    Arguments:
        file: which.
        how: flags of `os.open` beside those for writing: `O_EXCL`, `O_APPEND`, `O_TRUNC`.

    Returns:
        The descriptor, which the caller closes.
    """
    return os.open(file, os.O_WRONLY | os.O_CREAT | _BINARY | how, 0o600)


def replace_private(file: Path, data: bytes) -> None:
    """Writes a file that only its owner can read, in the place of one that is there; nobody ever
    finds half of it.

    Raises:
        OSError: if it can't be written; the file is as it was then.
    """
    new = file.with_name(file.name + ".new")
    new.unlink(missing_ok=True)
    with open(open_private(new, os.O_EXCL), "wb") as out:
        out.write(data)
    new.replace(file)
