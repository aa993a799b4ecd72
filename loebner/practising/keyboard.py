"""A terminal's keyboard, key by key, under asyncio: POSIX by termios, Windows by msvcrt.

What is typed comes as text: Return as a newline, BackSpace as `\\b`, Tab as a tab. Ctrl-C and
Ctrl-D come as `END`; arrows, function keys and other controls are swallowed.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterator

#: What Ctrl-D sends, and Ctrl-C where the terminal makes no signal of it.
END = "\x04"

# What a key that is no character sends: ESC [ … letter, ESC O letter, ESC and a character.
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?<>=]*[ -/]*[@-~]|O.|[^\[O]|$)")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;?<>=]*[ -/]*|O)?$")
_SAME = str.maketrans({"\r": "\n", "\x7f": "\b", "\x03": END})


class Typed:
    """Makes typed text of what a terminal sends, which may come in pieces."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, data: bytes) -> str:
        """The characters typed, of the next piece."""
        text = self._rest + self._decoder.decode(data)
        unfinished = _UNFINISHED.search(text)
        # The Escape key alone sends nothing more: it waits here for the next key, and goes.
        self._rest = unfinished.group() if unfinished else ""
        text = text.removesuffix(self._rest) if self._rest else text
        return keys_only(_ESCAPES.sub("", text))


def keys_only(text: str) -> str:
    """Typed text without controls that no key press stands for."""
    text = text.replace("\r\n", "\n").translate(_SAME)
    return "".join(char for char in text if char >= " " or char in "\n\t\b" + END)


if sys.platform == "win32":
    import msvcrt
    import threading

    @contextlib.contextmanager
    def keyboard(on_text: Callable[[str], None]) -> Iterator[None]:
        """See below: the same by msvcrt."""
        loop = asyncio.get_running_loop()
        ended = threading.Event()

        def read() -> None:
            while not ended.wait(0.01):
                while msvcrt.kbhit():
                    char = msvcrt.getwch()
                    if char in "\x00\xe0":
                        msvcrt.getwch()  # a function key: its second half
                        continue
                    loop.call_soon_threadsafe(on_text, keys_only(char))

        thread = threading.Thread(target=read, name="keyboard")
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

else:
    import termios
    import tty

    @contextlib.contextmanager
    def keyboard(on_text: Callable[[str], None]) -> Iterator[None]:
        """Listens to the terminal at standard input while in this context, echo and lines off.

        Arguments:
            on_text: called on the loop's thread with each piece of typed text.
        """
        fd = sys.stdin.fileno()
        loop = asyncio.get_running_loop()
        typed = Typed()

        def read() -> None:
            try:
                data = os.read(fd, 4096)
            except OSError:
                data = b""
            # No terminal any more: nobody types.
            text = typed.feed(data) if data else END
            if not data:
                loop.remove_reader(fd)
            if text:
                on_text(text)

        before = termios.tcgetattr(fd)
        tty.setcbreak(fd)
        changed = termios.tcgetattr(fd)
        # Ctrl-Z would leave the shell with a terminal that echoes nothing.
        changed[6][termios.VSUSP] = b"\x00"
        termios.tcsetattr(fd, termios.TCSADRAIN, changed)
        loop.add_reader(fd, read)
        try:
            yield
        finally:
            loop.remove_reader(fd)
            termios.tcsetattr(fd, termios.TCSADRAIN, before)
