"""The link's process beside an entry: its communications directory around the end without I/O.

It knows no sockets: whoever carries the frames (client.py) gives them in, and sends what is
`outgoing` whenever `to_send` is set.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from contest.links import linkwire
from contest.links.checkpoint import Checkpoint
from contest.links.entry_end import EntryEnd
from lpp.channel import DirectoryChannel
from lpp.directory import Directory
from lpp.errors import LPPError, Surroundings
from lpp.keypress import Side, Violation, printable
from lpp.session import Received

#: Seconds before keys that could not be made are tried again.
RETRY = 0.5
#: Seconds between two looks whether the judge's keys are read.
LOOK_EVERY = 1.0


class LinkedDirectory:
    """An entry's directory, and what is to be told of it.

    Arguments:
        place: the communications directory.
        checkpoint: what the link remembers over its death.
        code: the entry's code.
        client: name and version of the link.

    Attributes:
        to_send: set whenever there may be something to send.
        restart: called when the entry's program is to be ended and started anew.
    """

    def __init__(
        self, place: str | Directory, checkpoint: Checkpoint, code: str, client: str = ""
    ) -> None:
        self._checkpoint = checkpoint
        self._code, self._client = code, client
        self._channel = DirectoryChannel(place, side=Side.JUDGE, keep=True, report=self._report)
        self.end: EntryEnd  # once it is open
        self.to_send = asyncio.Event()
        self.restart: Callable[[], None] = lambda: None
        self._to_work = asyncio.Event()
        # What came in and may not go yet, by the printable names; a writer may repeat itself.
        self._waiting: dict[str, deque[Received]] = {}
        self._standing: deque[tuple[str, float]] = deque()
        # What stood in the directory before the talk that is to come, until it is told.
        self._left: set[str] = set()
        self._troubled = False
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        """Opens the directory.

        Raises:
            BadDirectory: if it is none, or can't be written.
            Surroundings: if it can't be listed.
        """
        self._channel.directory.check()
        try:
            names = self._channel.directory.names()
        except OSError as exc:
            where = self._channel.directory.path
            raise Surroundings(f"{where}: can't be listed ({exc.strerror or exc})") from exc
        known = self._checkpoint.find_out(names)
        on_file = self._checkpoint.on_file
        self.end = EntryEnd(self._code, secrets.token_hex(8), self._client, on_file)
        if not known:
            self.end.in_doubt(on_file.talk, on_file.made + 1)
        await self._channel.__aenter__()
        self._channel.session.continue_after(self._checkpoint.number)
        # Keys that a last life has made and nobody has read stand there still.
        now = asyncio.get_running_loop().time()
        ours = sorted(name for name in names if name.endswith(f".{Side.JUDGE.value}"))
        self._standing.extend((name, now) for name in ours)
        for work, name in (
            (self._read(), "keys of the entry"),
            (self._work(), "keys of the judge"),
            (self._watch(), "what stands unread"),
        ):
            self._tasks.append(asyncio.create_task(work, name=name))
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await self._channel.close()
        self._checkpoint.close()

    # The connection

    def hello(self) -> linkwire.Hello:
        """A connection is there: the first frame on it."""
        return self.end.hello()

    def receive(self, frame: linkwire.ToLink) -> None:
        """A frame has come from the server.

        Raises:
            LinkRefused: if the server does not have us.
            WireError: if the frame does not belong here.
        """
        for raw in self.end.take(frame):
            waiting = self._waiting.get(raw)
            if waiting:
                self._channel.release(waiting.popleft())
                if not waiting:
                    del self._waiting[raw]
        if self.end.to_restart:
            self.end.to_restart = False
            self.restart()
        self._to_work.set()
        self.to_send.set()

    def outgoing(self) -> list[linkwire.ToServer]:
        """What is to be sent now."""
        return self.end.outgoing()

    def lost(self) -> None:
        """The connection is gone."""
        self.end.lost()

    def started(self, command: Sequence[str]) -> None:
        """The entry's program was started."""
        self.end.started([printable(word) for word in command])
        self.to_send.set()

    def exited(self, code: int) -> None:
        """The entry's program has ended."""
        self.end.exited(code)
        self.to_send.set()

    # The directory

    def _report(self, what: Violation | OSError) -> None:
        if isinstance(what, Violation):
            self.end.breach(what.rule, printable(what.name), what.detail)
        else:
            self.end.trouble(str(what))
        self.to_send.set()

    async def _read(self) -> None:
        async for received in self._channel:
            raw = printable(received.press.raw)
            self._waiting.setdefault(raw, deque()).append(received)
            self.end.key(raw, [violation.rule for violation in received.violations])
            self.to_send.set()

    async def _work(self) -> None:
        while True:
            await self._to_work.wait()
            self._to_work.clear()
            while self.end.to_empty is not None or self.end.presses:
                try:
                    if self.end.to_empty is not None:
                        await self._empty()
                    else:
                        await self._make(*self.end.presses[0])
                except LPPError as exc:
                    if not self._troubled:
                        self.end.trouble(str(exc))
                    self._troubled = True
                    self.to_send.set()
                    await asyncio.sleep(RETRY)
                else:
                    self._troubled = False
                self.to_send.set()

    async def _empty(self) -> None:
        """Empties the directory for a talk.

        Raises:
            Surroundings: if that can't be written down; to be tried again. The talk must not begin
                before: the next life of this link would empty the directory again, and the
                judge's keys would be made twice.
        """
        talk = self.end.to_empty
        assert talk is not None
        try:
            self._left.update(await self._channel.empty())
        except LPPError as exc:  # no reason to stop a round: the talk begins in what is there
            if not self._troubled:
                self.end.trouble(str(exc))
        self._waiting.clear()
        self._standing.clear()
        # If a later talk was asked for meanwhile, what was found is told with that one.
        if self.end.to_empty == talk:
            self._checkpoint.emptied(self.end.server_contest, talk)
            self.end.emptied(sorted(self._left))
            self._left.clear()

    async def _make(self, n: int, key: str) -> None:
        """Makes a key of the judge.

        Raises:
            BadDirectory, Surroundings: if it was not made; to be tried again.
        """
        try:
            press = await self._channel.send(
                key, lambda press: self._checkpoint.making(press.number)
            )
        except ValueError as exc:
            self.end.trouble(f"a key of the judge can't be made: {exc}")
        except LPPError:
            self._checkpoint.made(n - 1)
            raise
        else:
            self._standing.append((press.raw, asyncio.get_running_loop().time()))
        self._checkpoint.made(n)
        self.end.made(n)

    async def _watch(self) -> None:
        """Tells how long the judge's keys stand unread, and which of the entry's are gone."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(LOOK_EVERY)
            if self._standing or self.end.released:
                try:
                    names = set(self._channel.directory.names())
                except OSError:
                    continue  # the channel tells of that
                while self._standing and self._standing[0][0] not in names:
                    self._standing.popleft()
                self.end.listing(map(printable, names))
            age = loop.time() - self._standing[0][1] if self._standing else 0.0
            self.end.standing(len(self._standing), round(age * 1000))
            self.to_send.set()
