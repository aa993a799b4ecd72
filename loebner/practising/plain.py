"""Practice by lines, for scripts and pipes: each line of standard input is typed to the entity,
and what happens comes out as plain text, each line with who it belongs to in front."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import threading
from collections.abc import Callable

from loebner.practising.talk import Entry, Practice
from lpp.lines import LineEditor

#: Seconds of silence after a line of the entity's, after which the next one is typed: many
#: answers have more than one line.
TURN = 1.0

YOU, ENTITY, WIRE, PROGRAM, NOTE = "you", "entity", "wire", "program", "note"


def prefixed(who: str, text: str) -> str:
    """A line as it is printed."""
    return f"{who:7} | {text}"


async def by_lines(
    practice: Practice, input_fd: int, quiet: float, write: Callable[[str], None]
) -> None:
    """Types line by line, and ends after the input's end once all have been quiet.

    The next line is typed when the entity has ended a line and has been silent for a second, or
    when it has been silent for the quiet time.

    Arguments:
        practice: the talk, open.
        input_fd: the descriptor that lines are read from, in UTF-8.
        quiet: seconds of silence that count as an end.
        write: takes each line of output.
    """
    editor = LineEditor()

    def on_key(key: str) -> None:
        line = editor.press(key)
        if line is not None:
            write(prefixed(ENTITY, line))

    def on_wire(entry: Entry) -> None:
        write(prefixed(WIRE, entry.line))

    practice.attach(on_wire, on_key)
    lines = _lines(input_fd)
    first, shown = True, ""
    try:
        while (line := await lines.get()) is not None:
            if not first:
                await practice.quiet(quiet, after_line=TURN)
                if editor.unsent not in ("", shown):
                    shown = editor.unsent
                    write(prefixed(ENTITY, f"{shown} (no Return yet)"))
            first = False
            write(prefixed(YOU, line))
            left_out = await practice.type(line + "\n")
            if left_out:
                write(prefixed(NOTE, f"no key press carries {left_out!r}; left out"))
        await practice.quiet(quiet)
    finally:
        if editor.unsent:
            write(prefixed(ENTITY, f"{editor.unsent} (without Return)"))
        for told in practice.told():
            write(prefixed(NOTE, told))


def _lines(input_fd: int) -> asyncio.Queue[str | None]:
    """The lines of a descriptor as they come, then None. A thread reads: neither files nor
    Windows' pipes can be waited for by a loop. It reads the bare descriptor, for one that is
    still waiting in a buffered file when the process ends would abort it."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | None] = asyncio.Queue()

    def read() -> None:
        decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        rest = ""
        # The loop may be closed by then.
        with contextlib.suppress(RuntimeError):
            while True:
                try:
                    data = os.read(input_fd, 65536)
                except OSError:
                    data = b""
                *whole, rest = (rest + decoder.decode(data, final=not data)).split("\n")
                for line in whole if data or not rest else [*whole, rest]:
                    loop.call_soon_threadsafe(lines.put_nowait, line.removesuffix("\r"))
                if not data:
                    loop.call_soon_threadsafe(lines.put_nowait, None)
                    return

    threading.Thread(target=read, name="standard input", daemon=True).start()
    return lines
