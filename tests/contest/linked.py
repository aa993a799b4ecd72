"""Entries and an organizer for a contest in the test's process."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from contest.links import linkwire
from contest.links.link import Link
from contest.live.conductor import Conductor
from contest.organizer.scripted import organize
from contest.serving.server import Server
from lpp.names import keys_of


async def start_rounds(conductor: Conductor, look: float = 0.5) -> None:
    """Starts each round, and the ranking, as soon as everybody is connected; runs until
    cancelled."""
    while True:
        await asyncio.sleep(look)
        if conductor.waits and conductor.all_connected():
            conductor.start()


class Entry:
    """The entry's end of a link, without a directory: it answers each frame immediately.

    Arguments:
        link: the server's end.

    Attributes:
        number: the number of its last key.
    """

    def __init__(self, link: Link) -> None:
        self.heard: list[str] = []
        self._link = link
        self.number = self._n = self._talk = self._read = 0
        self._came = asyncio.Event()
        link.connect(linkwire.Hello("code", "life", 1), self)

    def send(self, frame: linkwire.ToLink) -> None:
        asyncio.get_running_loop().call_soon(self._answer, frame)

    def close(self, why: str) -> None:
        pass

    def _answer(self, frame: linkwire.ToLink) -> None:
        match frame:
            case linkwire.Prepare():
                self._talk = frame.talk
                self._n += 1
                self._link.receive(linkwire.Prepared(self._n, frame.talk))
            case linkwire.Press():
                self.heard.append(frame.key)
                self._link.receive(linkwire.Made(frame.talk, frame.n))
                self._came.set()
            case linkwire.Ping():
                self._link.receive(linkwire.Pong(frame.n))

    async def say(self, text: str) -> None:
        """Types a text."""
        for key in keys_of(text):
            self._n, self.number = self._n + 1, self.number + 1
            raw = f"{self.number:010d}.{key}.other"
            self._link.receive(linkwire.Key(self._n, self._talk, raw))

    async def line(self) -> str:
        """The next line of the judge."""
        while "Return" not in self.heard[self._read :]:
            self._came.clear()
            await self._came.wait()
        end = self.heard.index("Return", self._read)
        line = "".join(self.heard[self._read : end])
        self._read = end + 1
        return line


def remote(text: str) -> str:
    """Puts all entries of the settings on other machines, so that tests can link them in memory."""
    text = re.sub(r'^(command|directory|link) = ".*\n', "", text, flags=re.MULTILINE)
    return re.sub(r'^(id = "E\d+"\n)', r'\1link = "remote"\n', text, flags=re.MULTILINE)


@asynccontextmanager
async def entries(server: Server, *without: str) -> AsyncIterator[dict[str, Entry]]:
    """Connects a contest's entries, and has an organizer start its rounds.

    Arguments:
        server: the contest's server.
        without: ids of entries that are not connected.
    """
    made = {name: Entry(link) for name, link in server.links.items() if name not in without}
    organizer = asyncio.create_task(organize(lambda: server, "all is said"))
    try:
        yield made
    finally:
        organizer.cancel()
        await asyncio.wait([organizer])
