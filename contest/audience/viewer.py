"""One who watches: which desks, and what waits to be sent.

What waits is bounded. A viewer who falls behind gets all that there is to see anew in place of what
was missed.
"""

from __future__ import annotations

import asyncio
from collections import deque

from contest.audience.frames import Message

#: Messages that may wait for a slow viewer: some five seconds of them.
QUEUE = 50


class Viewer:
    """A viewer's messages.

    Arguments:
        whole: the first one.
        follows: the judges whose desks are wanted; None for all.

    Attributes:
        follows: the same; changed by `follow`.
        given: the judges whose desks the viewer has, in the order of the desks.
        is_lacking: whether `given` may differ from what the viewer follows.
        slow: whether these are so many that they come at the slow pace.
        behind: whether messages were dropped since the last whole.
        idle: whether all that was put is handed to the network.
        quiet: whether nothing was put since this was last set.
    """

    def __init__(self, whole: Message, follows: frozenset[str] | None) -> None:
        self.follows = follows
        self.given: tuple[str, ...] = ()
        self.is_lacking = True
        self.slow = False
        self.behind = False
        self.idle = False
        self.quiet = False
        self._waiting = deque([whole])
        self._wake = asyncio.Event()

    def follow(self, judges: frozenset[str] | None) -> None:
        """Follows other desks from the next step on."""
        self.follows = judges
        self.is_lacking = True

    def put(self, message: Message) -> None:
        """Adds a message; never blocks. Once too many wait, all are dropped, and so is what comes
        before `begin_anew`."""
        if len(self._waiting) >= QUEUE:
            self._waiting.clear()
            self.given, self.behind = (), True
        if not self.behind:
            self.quiet = False
            self._waiting.append(message)
            self._wake.set()

    def begin_anew(self, whole: Message) -> None:
        """Adds a message that takes the place of all before."""
        self.given, self.is_lacking, self.slow, self.behind = (), True, False, False
        self.put(whole)

    async def next(self) -> Message:
        """The next message to send; waits for it."""
        while not self._waiting:
            self._wake.clear()
            self.idle = True
            await self._wake.wait()
        self.idle = False
        return self._waiting.popleft()
