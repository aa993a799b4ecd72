"""The server's side of the link to an entry, on this machine or another.

A key of the entry is confirmed to its link only when it is durable, and stays in the entry's
directory until then. While the link is away, keys wait at both ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import statistics
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from contest.doors.limits import Rate
from contest.doors.protocol import Client, WireProtocol
from contest.links import linkwire
from contest.links.server_end import Item, NotTaken, ServerEnd
from contest.links.sitting import Sitting
from contest.record.bodies import EntryExited, EntryStarted
from contest.record.journal import Journal
from contest.state.model import Talk
from contest.talks.exchange import Durable, Exchange
from lpp.keypress import KeyPress, Side, parse
from lpp.violations import Violation

#: Seconds that the beginning of a talk waits for a link that is there to empty the directory.
PREPARING = 10.0
#: Seconds between two measurements of the delay, and until a link that gives no answer is lost.
PING_EVERY = 1.0
PING_LIMIT = 8.0
#: Measurements of the delay that are kept.
MEASURED = 60
#: Reports other than keys in one talk that go on record; more are dropped, and that is told.
REPORTS = 2000
#: As many reports counts one frame of left-overs, for it holds many names.
LEFT_OVERS_COUNT = 10


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """How a link does now.

    Attributes:
        entry: the entry's id.
        here: whether keys can go both ways, and the directory was emptied for the talk.
        waiting: keys of the judge that are not yet made in the directory.
        standing: keys of the judge that stand there unread.
        oldest: seconds that the oldest of them stands, as far as is known.
        delay: seconds that a frame needs to the entry's machine and back, the middle one of the
            last measurements; None where none was made.
        running: whether the entry's program runs; None if the link has none in its care, as far as
            is known.
    """

    entry: str
    here: bool
    waiting: int
    standing: int
    oldest: float
    delay: float | None
    running: bool | None = None


class Outlet(Protocol):
    """A link's connection."""

    def send(self, frame: linkwire.ToLink) -> None:
        """Sends a frame; never blocks."""

    def close(self, why: str) -> None:
        """Ends the connection."""


class Link:
    """The server's end of the link to an entry's communications directory.

    Arguments:
        entry: the entry's id.
        journal: the record.
        hub: where keys go.
        title: the contest's name.
        contest: what tells this contest from any other.
        changed: called when the link has come, has gone, or is ready for a talk.
        talk: in a contest that is taken up again, the number of attempts that were opened.
        known: the names of keys that are on record since the last of them was.
        program: whether the entry's program ran when the record was left; None if the link has
            none in its care, as far as is known.
    """

    def __init__(
        self,
        entry: str,
        journal: Journal,
        hub: Exchange,
        title: str,
        contest: str,
        changed: Callable[[], None] = lambda: None,
        talk: int = 0,
        known: Iterable[str] = (),
        program: bool | None = None,
    ) -> None:
        self.entry = entry
        self._hub = hub
        self._sitting = Sitting(entry, journal, hub, self._hear, self._take_in)
        self._end = ServerEnd(entry, title, contest, talk, known)
        # What has come and waits for room in the record; no more than the protocol's window.
        self._items: deque[Item] = deque()
        #: Whether the entry's program runs, which the link has in its care; None if it has none.
        self.running = program
        self._changed = changed
        self._moved = asyncio.Event()
        self._outlet: Outlet | None = None
        self._lost_at: float | None = None
        self._talk: Talk | None = None
        self._reports = 0
        self._standing, self._oldest = 0, 0.0
        self._pings: dict[int, float] = {}
        self._ping = 0
        self._delays: deque[float] = deque(maxlen=MEASURED)
        self._pinging: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Begins to measure."""
        self._pinging = asyncio.create_task(self._measure(), name=f"delay of {self.entry}")
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._pinging is not None:
            self._pinging.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._pinging
        self._sitting.close()
        self.hang_up("the server ends")

    # The conductor's

    @property
    def here(self) -> bool:
        """Whether the link is there, and the directory empty for the talk."""
        return self._outlet is not None and self._end.prepared

    @property
    def unread(self) -> int:
        """Keys of the judge that wait to be made."""
        return self._end.waiting

    async def prepare(self) -> None:
        """Has the directory emptied before a talk; what stood there goes on record.

        A link that is away is asked when it is back, and is not `here` until then.
        """
        self._talk = None
        self._reports = 0
        self._end.prepare()
        self._flush()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PREPARING):
                while self._outlet is not None and not self._end.prepared:
                    self._moved.clear()
                    await self._moved.wait()

    def join(self, talk: Talk) -> None:
        """From now on the entry sits at this talk."""
        self._talk = talk
        # In a contest that is taken up again the judge may have typed before.
        for author, key in self._hub.shown(talk):
            if author == "judge":
                self._end.press(key)
        self._sitting.join(talk)
        self._flush()

    def leave(self) -> None:
        """The talk is over for the entry; what it types from now on is no part of any."""
        # Nothing more is to be kept in time: what came before belongs to the talk.
        while self._items:
            self._record(self._items.popleft())
        self._sitting.leave()

    def restart(self) -> None:
        """Has the entry's program ended and started anew, now or when the link is back."""
        self._end.restart()
        self._flush()

    def hang_up(self, why: str) -> None:
        """Ends the connection, if there is one; the link may come again."""
        if self._outlet is not None:
            self._outlet.close(why)

    def status(self) -> LinkStatus:
        """How it does now."""
        delay = statistics.median(self._delays) if self._delays else None
        return LinkStatus(
            *(self.entry, self.here, self.unread, self._standing, self._oldest),
            *(delay, self.running),
        )

    def _hear(self, talk: Talk, key: Durable) -> None:
        if talk is self._talk:
            self._end.press(key.key)
            self._flush()

    # The link's

    def connect(self, outlet: Outlet, hello: linkwire.Hello) -> None:
        """A link has come.

        Raises:
            NotTaken: if another one is there, or its numbers do not fit.
        """
        if self._outlet is not None:
            if hello.life != self._end.life:
                raise NotTaken(
                    "link-taken", f"another link of {self.entry} is there; end that one", "hello"
                )
            before = self._outlet
            self._gone("the link has come anew")
            before.close("the link has come anew")
        self._end.hello(hello)
        if self._talk is not None:
            self._sitting.made(self._talk, self._end.made)
        self._outlet = outlet
        self._pings.clear()
        if self._lost_at is not None:
            away = asyncio.get_running_loop().time() - self._lost_at
            self._sitting.trouble(f"it is back, after some {away:.0f} seconds", "link")
            self._lost_at = None
        self._flush()
        self._tell()

    def disconnect(self, outlet: Outlet, why: str) -> None:
        """A link's connection has ended."""
        if outlet is self._outlet:
            self._gone(why)

    def receive(self, frame: linkwire.ToServer) -> None:
        """A frame has come from the link.

        Raises:
            NotTaken: if it breaks the rules of the exchange.
        """
        item = self._end.take(frame)
        match frame:
            case linkwire.Pong():
                sent = self._pings.pop(frame.n, None)
                if sent is not None:
                    self._delays.append(asyncio.get_running_loop().time() - sent)
            case linkwire.Standing():
                self._standing, self._oldest = frame.count, frame.oldest_ms / 1000
                now = asyncio.get_running_loop().time()
                self._sitting.reading(frame.count, now - self._oldest, now)
            case linkwire.Made():
                if self._talk is not None and frame.talk == self._end.talk:
                    self._sitting.made(self._talk, self._end.made)
            case linkwire.Key() if _of_entry(frame) is None:
                raise NotTaken("bad-key", f"{frame.raw[:40]!r} is no key press of an entry", "key")
            case _ if item is not None:
                self._items.append(item)
                self._take_in()
        if isinstance(frame, linkwire.Prepared | linkwire.Started):
            self._tell()
        self._flush()

    def _take_in(self) -> None:
        while self._items and self._sitting.room:
            self._record(self._items.popleft())
        self._flush()

    def _record(self, item: Item) -> None:
        def durable() -> None:
            self._end.durable(item)
            self._flush()

        frame = item.frame
        if isinstance(frame, linkwire.Key):
            parsed = _of_entry(frame)
            assert parsed is not None, "others are not taken in"
            press, broken = parsed
            rules = dict.fromkeys([*(each.rule for each in broken), *frame.rules])
            self._sitting.take(press, list(rules), durable, late=frame.talk != self._end.talk)
            return
        if self._may_report(frame):
            self._put_down(frame)
        self._end.durable(item)

    def _put_down(self, frame: linkwire.Numbered) -> None:
        match frame:
            case linkwire.Breach():
                self._sitting.breach(frame.rule, frame.name, frame.detail)
            case linkwire.Trouble():
                self._sitting.trouble(frame.what)
            case linkwire.InDoubt():
                self._sitting.in_doubt(frame.talk, frame.key)
            case linkwire.Started():
                self.running = True
                self._sitting.program(EntryStarted(self.entry, frame.command))
            case linkwire.Exited():
                self.running = False
                self._sitting.program(EntryExited(self.entry, frame.code))
            case linkwire.LeftOvers():
                self._sitting.left_overs(frame.names)

    def _may_report(self, frame: linkwire.Numbered) -> bool:
        before = self._reports
        self._reports += LEFT_OVERS_COUNT if isinstance(frame, linkwire.LeftOvers) else 1
        if before < REPORTS <= self._reports:
            self._sitting.trouble("it reports too much; no more goes on record", "link")
        return self._reports < REPORTS

    def _flush(self) -> None:
        if self._outlet is not None:
            for frame in self._end.outgoing():
                self._outlet.send(frame)

    def _gone(self, why: str) -> None:
        self._outlet = None
        self._end.lost()
        self._lost_at = asyncio.get_running_loop().time()
        self._sitting.trouble(f"it is lost: {why[:200]}; keys wait", "link")
        self._tell()

    def _tell(self) -> None:
        self._moved.set()
        self._changed()

    async def _measure(self) -> None:
        loop = asyncio.get_running_loop()
        # Not all links at the same moment: of hundreds, keys would have to wait for it.
        wait = random.random() * PING_EVERY
        while True:
            await asyncio.sleep(wait)
            wait = PING_EVERY
            if self._outlet is None:
                continue
            # Counted, not timed: while this server stood still no link could answer it.
            if len(self._pings) * PING_EVERY > PING_LIMIT:
                outlet = self._outlet
                self._gone(f"no answer for {PING_LIMIT:g} seconds")
                outlet.close("no answer")
                continue
            self._ping += 1
            self._pings[self._ping] = loop.time()
            self._outlet.send(linkwire.Ping(self._ping))


def _of_entry(frame: linkwire.Key) -> tuple[KeyPress, Sequence[Violation]] | None:
    """The key press of an entry and what its name breaks; None if it is none."""
    parsed = parse(frame.raw)
    return parsed if parsed is not None and parsed[0].side is Side.OTHER else None


LINK: WireProtocol[linkwire.Hello, linkwire.ToServer, linkwire.ToLink] = WireProtocol(
    *("link", "link", linkwire.VERSION, linkwire.Hello),
    *(linkwire.decode_to_server, linkwire.encode, linkwire.Refused),
)


def join_link(
    links: Mapping[str, Link], rate: Rate, entry: str, hello: linkwire.Hello, outlet: Outlet
) -> Client[linkwire.ToServer]:
    """Lets the process beside an entry in.

    Arguments:
        links: entry id to its link.
        rate: how fast its frames may come, in real time.
        entry: which entry its code opened.
        hello: its first frame.
        outlet: its connection.

    Raises:
        Refusal: if another one is there, or its numbers do not fit.
    """
    link = links[entry]
    link.connect(outlet, hello)
    return Client(link.receive, lambda why: link.disconnect(outlet, why), {None: rate})


def status_of(links: Mapping[str, Link], entry: str) -> LinkStatus:
    """How the link of an entry does: away where there is none, as in a contest that is over and
    only shown.

    Arguments:
        links: entry id to its link.
        entry: the entry's id.
    """
    link = links.get(entry)
    if link is not None:
        return link.status()
    return LinkStatus(entry, here=False, waiting=0, standing=0, oldest=0.0, delay=None)
