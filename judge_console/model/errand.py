"""A decision on its way to the server: a verdict, a ranking, a consent."""

from __future__ import annotations

from typing import Generic, TypeVar

F = TypeVar("F")


class Errand(Generic[F]):
    """Sent until it is saved or refused; where several were given, the last one again after a
    reconnect.

    Attributes:
        frame: the last one given that the server has not answered yet.
    """

    def __init__(self) -> None:
        self.frame: F | None = None
        self._unsent: list[F] = []
        self._under_way = 0

    def give(self, frame: F) -> None:
        """The person has decided."""
        self.frame = frame
        self._unsent.append(frame)

    def resend(self) -> None:
        """A new connection begins."""
        self._under_way = 0
        self._unsent = [] if self.frame is None else [self.frame]

    def outgoing(self) -> list[F]:
        """What to send now; each is given once in a connection."""
        frames, self._unsent = self._unsent, []
        self._under_way += len(frames)
        return frames

    def told_again(self, what: F) -> None:
        """The server says what it has held since before this connection: the last one given, if
        only its answer was lost."""
        if what == self.frame:
            self.frame, self._unsent = None, []

    def answered(self) -> None:
        """The server has saved, or refused, the first one under way."""
        # Each frame is answered in its turn, so the last answer is the last frame's.
        self._under_way = max(0, self._under_way - 1)
        if not self._under_way and not self._unsent:
            self.frame = None
