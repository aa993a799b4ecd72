"""One who watches, however slow: what waits is bounded, and who falls behind gets all that there is
to see anew in place of what was missed."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

#: Frames that may wait for a slow viewer: some five seconds of them.
QUEUE = 50


class Numbered(NamedTuple):
    """A frame's text, with the number of the step in which it was made. The number stays here."""

    step: int
    text: str


class Viewer:
    """A viewer's frames.

    Arguments:
        whole: gives a frame with all that there is to see now.
    """

    def __init__(self, whole: Callable[[], Numbered]) -> None:
        self._whole = whole
        self._waiting: deque[Numbered] = deque()
        self._wake = asyncio.Event()
        self._wake.set()
        self._behind = True
        self._seen = 0

    def put(self, frame: Numbered) -> None:
        """Takes a frame; never blocks. All texts are shared by all viewers."""
        if len(self._waiting) < QUEUE:
            self._waiting.append(frame)
        else:
            self._waiting.clear()
            self._behind = True
        self._wake.set()

    async def next(self) -> str:
        """The next frame to send; first of all, all that there is to see."""
        while True:
            if self._behind:
                self._waiting.clear()
                self._behind = False
                self._seen, text = self._whole()
                return text
            while self._waiting:
                step, text = self._waiting.popleft()
                # A step that is being handed out may be part of what was sent as a whole.
                if step > self._seen:
                    return text
            self._wake.clear()
            await self._wake.wait()
