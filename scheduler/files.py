"""Reads a file or standard input. No other module in this package does I/O."""

import sys
from pathlib import Path
from typing import BinaryIO

from scheduler.errors import BadInput

MAX_BYTES = 256 * 2**20
"""More than the largest schedule as JSON (order 997); prevents /dev/zero from filling the
memory."""


def read_text(path: str | Path, stdin: BinaryIO | None = None) -> str:
    """Reads a file as text.

    Arguments:
        path: its path; ``-`` for standard input.
        stdin: the stream to read for ``-``; standard input by default.

    Returns:
        The text without byte order mark.

    Raises:
        BadInput: the file doesn't exist, can't be read, is too large, empty or not text.
    """
    source = "standard input" if str(path) == "-" else str(path)
    return decode(read_bytes(path, MAX_BYTES, stdin), source)


def read_bytes(path: str | Path, limit: int, stdin: BinaryIO | None = None) -> bytes:
    """Reads a file.

    Arguments:
        path, stdin: as for :func:`read_text`.
        limit: the most bytes that the file may have.

    Raises:
        BadInput: the file doesn't exist, can't be read, or is too large.
    """
    name = str(path)
    source = "standard input" if name == "-" else name
    try:
        if name == "-":
            data = (stdin or sys.stdin.buffer).read(limit + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(limit + 1)
    except FileNotFoundError:
        raise BadInput("there is no such file; check the name", source=source) from None
    except IsADirectoryError:
        raise BadInput("is a directory; give a file", source=source) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"can't be read ({reason})", source=source) from None
    if len(data) > limit:
        raise BadInput(f"is larger than {limit // 2**20} MB", source=source)
    return data


def decode(data: bytes, source: str) -> str:
    """Decodes UTF-8 with or without byte order mark, or UTF-16 with one.

    Arguments:
        data: the bytes.

    Returns:
        The text without byte order mark.

    Raises:
        BadInput: the bytes are not such text, or contain only white space.
    """
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1 if encoding == "utf-8-sig" else None
        raise BadInput(
            f"byte {error.start + 1} of the file is not text in {encoding.removesuffix('-sig')}; "
            "save the file as UTF-8",
            source=source,
            line=line,
        ) from None
    if not text.strip():
        raise BadInput("is empty", source=source)
    return text
