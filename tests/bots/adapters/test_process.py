"""Tests that a program's lines are read correctly, however they are split into pieces."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.adapters.command import UNREAD_LIMIT, LineProgram
from tests.bots.adapters.programs import script


@contextlib.contextmanager
def writing(folder: Path, *pieces: bytes, then: str = "sys.stdin.read()") -> Iterator[LineProgram]:
    """A program that writes and flushes these pieces, then waits."""
    code = "import sys\nout = sys.stdout.buffer\n"
    code += "".join(f"out.write({piece!r}); out.flush()\n" for piece in pieces)
    process = LineProgram(script(folder, code + then))
    try:
        yield process
    finally:
        process.end()


@pytest.mark.parametrize(
    ("pieces", "lines"),
    [
        ((b"Hel", b"lo\r\nJi", b"m\n\n"), ["Hello", "Jim", ""]),
        (("n\u00e9\n".encode()[:2], "n\u00e9\n".encode()[2:]), ["n\u00e9"]),
        ((b"\xff\n",), ["\ufffd"]),
    ],
)
def test_lines_are_read_however_they_are_split(
    tmp_path: Path, pieces: tuple[bytes, ...], lines: list[str]
) -> None:
    with writing(tmp_path, *pieces) as process:
        assert [process.line(20) for _ in lines] == lines
        assert process.line(0) is None
        assert process.running


def test_an_endless_line_is_cut_and_its_writer_blocked(tmp_path: Path) -> None:
    with writing(tmp_path, b"", then="while True: out.write(b'x' * 8192)") as process:
        for _ in range(3):
            line = process.line(20)
            assert line is not None
            assert UNREAD_LIMIT <= len(line) < UNREAD_LIMIT + 8192
