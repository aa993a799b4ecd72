"""What a program writes, as lines that can be waited for.

A thread reads, another waits. What stands unread is bounded: a program that writes without end is
held up by its pipe, as by any slow reader.
"""

from __future__ import annotations

import codecs
import threading

#: Characters that may stand unread. A line that is longer is taken as ended.
UNREAD = 64 * 1024


class Output:
    """A program's standard output, in UTF-8; what is none is replaced."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._changed = threading.Condition()
        self._text = ""
        self._ended = False
        self._unwanted = False

    # The reading thread

    def feed(self, data: bytes) -> bool:
        """Takes bytes, as soon as there is room.

        Arguments:
            data: what was read; b"" is the end.

        Returns:
            Whether more is wanted.
        """
        text = self._decoder.decode(data, final=not data)
        with self._changed:
            self._changed.wait_for(lambda: len(self._text) < UNREAD or self._unwanted)
            if not self._unwanted:
                self._text += text
            self._ended = self._ended or not data
            self._changed.notify_all()
            return not (self._ended or self._unwanted)

    # The asking thread

    def line(self, seconds: float) -> str | None:
        """The next line, without its end, once it is whole.

        Arguments:
            seconds: how long to wait for it.

        Returns:
            The line; None if none came in time, or at the end of all.
        """
        with self._changed:
            self._changed.wait_for(self._has_line, max(0.0, seconds))
            if not self._has_line() or (self._ended and not self._text):
                return None
            line, _, self._text = self._text.partition("\n")
            self._changed.notify_all()
            return line.rstrip("\r")

    def rest(self) -> str:
        """What stands without a line's end, and counts as a line now."""
        with self._changed:
            rest, self._text = self._text, ""
            self._changed.notify_all()
            return rest.rstrip("\r")

    @property
    def ended(self) -> bool:
        """Whether the program will write no more, and all it wrote is read."""
        with self._changed:
            return self._ended and not self._text

    def stop(self) -> None:
        """Nobody reads any more: whatever comes is thrown away."""
        with self._changed:
            self._unwanted = True
            self._changed.notify_all()

    def _has_line(self) -> bool:
        return "\n" in self._text or len(self._text) >= UNREAD or self._ended
