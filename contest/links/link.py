"""The server's side of the link to an entry's communications directory, on this or another machine.

A key of the entry stays in its directory until it is durable; only then is it confirmed to the
link. While the link is disconnected, keys wait at both ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import statistics
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Self

from contest.errors import Refusal
from contest.links import linkwire
from contest.links.client import keep_linked
from contest.links.directory import Checkpoint, LinkedDirectory
from contest.links.ends import Item, ServerEnd
from contest.live.hub import DurableKey, Hub
from contest.net.sockets import Joined, MemoryConnection, Outlet
from contest.record import bodies
from contest.state.model import Talk
from contest.tasks import running
from lpp.clock import Clock
from lpp.connection import Trust
from lpp.directory import Directory
from lpp.keypress import KeyPress, Rule, Side, Violation, parse, printable

#: Seconds that the beginning of a talk waits for a connected link to empty the directory.
PREPARING = 10.0
#: Seconds between two measurements of the delay, and until a link without an answer is lost.
PING_EVERY = 1.0
PING_LIMIT = 8.0
#: How many measurements of the delay are kept.
MEASURED = 60
#: How many reports other than keys are recorded per talk; the record says if more were dropped.
REPORTS_PER_TALK = 2000
#: How many reports one frame of left-overs counts as.
LEFT_OVERS_COUNT = 10
#: Seconds after which an unread key of the judge is reported; a correct entry reads within one.
UNREAD = 5.0

# Keys that an entry types during a pause:
#: Seconds between two checks whether the pause is over.
LOOK_EVERY = 0.1
#: The longest gap in seconds between such keys; a long pause for thought is not repeated.
LONGEST_GAP = 1.0
#: Seconds after a pause within which all its keys are passed on.
CATCH_UP = 3.0
#: Gaps are shortened to at most this share; at its own pace, an entry that keeps typing would never
#: catch up.
PACE = 0.5


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """The current status of a link.

    Attributes:
        entry: the entry's id.
        here: whether keys can go both ways, and the directory was emptied for the talk.
        waiting: how many of the judge's keys are not in the directory yet.
        standing: how many of the judge's keys are unread in the directory.
        oldest: the age in seconds of the oldest of them, as far as known.
        delay: a frame's round trip to the entry's machine in seconds, the median of the last
            measurements; None if there are none.
        running: whether the entry's program runs, as far as known; None if the link does not run
            it.
    """

    entry: str
    here: bool = False
    waiting: int = 0
    standing: int = 0
    oldest: float = 0.0
    delay: float | None = None
    running: bool | None = None


class PausedKeys:
    """Holds the keys that an entry types during a pause, and passes them on afterwards.

    People can't type during a pause, but programs don't know about pauses. Dropping their keys, or
    showing them in one block, would tell the judge which side is the program. So would a program
    that keeps typing and stays behind by the length of the pause. Therefore the keys are passed on
    in the entry's own rhythm, only faster, until the entry has caught up: within a few seconds of
    the contest's clock, which keeps running during a pause. Nothing is lost, because a key is not
    confirmed, and its directory stays, until it is passed on."""

    def __init__(self, paused: Callable[[], bool], clock: Clock) -> None:
        self._paused, self._clock = paused, clock
        self._keys: deque[tuple[float, Callable[[], None]]] = deque()
        self._last = 0.0
        self._task: asyncio.Task[None] | None = None

    def take(self, pass_on: Callable[[], None]) -> None:
        """Accepts a key, and passes it on immediately or in turn."""
        now, last = self._clock.now(), self._last
        self._last = now
        if not self._keys and not self._paused():
            pass_on()
            return
        self._keys.append((min(now - last, LONGEST_GAP), pass_on))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._pass_on(), name="keys of a pause")

    def release(self) -> None:
        """Passes on all keys immediately, because the talk is over."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        while self._keys:
            self._keys.popleft()[1]()

    def drop(self) -> None:
        """Forgets the keys. They are in the directory, where the next server finds them."""
        self._keys.clear()
        self.release()

    async def _pass_on(self) -> None:
        while self._keys:
            while self._paused():
                await self._clock.sleep(LOOK_EVERY)
            total = sum(gap for gap, _ in self._keys)
            pace = PACE if total * PACE <= CATCH_UP else CATCH_UP / total
            due = self._clock.now()
            while self._keys and not self._paused():
                due += self._keys[0][0] * pace
                # Sleep until the due time, not from key to key, so that late wake-ups don't add up.
                await self._clock.sleep(due - self._clock.now())
                if self._keys and not self._paused():
                    self._keys.popleft()[1]()


class Link:
    """The server's side of a link. It serves one directory, and so one talk at a time.

    Arguments:
        entry: the entry's id.
        hub: takes the entry's keys; its journal records everything else, and its state says what an
            earlier server knew of the link.
        title: the contest's name.
        changed: called when the link has connected, has disconnected, or is ready for a talk.
    """

    def __init__(
        self,
        entry: str,
        hub: Hub,
        title: str,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        state = hub.state
        self.entry = entry
        self.running = state.programs.get(entry)
        self._hub = hub
        known = list(state.names.get(entry, ()))
        self._end = ServerEnd(entry, title, state.contest_id, len(state.attempts), known)
        self._paused = PausedKeys(lambda: hub.paused, hub.journal.clock)
        self._changed = changed
        self._progress = asyncio.Event()
        self._outlet: Outlet | None = None
        self._lost_at: float | None = None
        # The talk for which the directory is prepared, and whether the entry has joined it.
        self._talk: Talk | None = None
        self._is_on = False
        self._reports = 0
        self._unread, self._oldest = 0, 0.0
        self._stuck: float | None = None  # when the entry stopped reading
        self._pings: dict[int, float] = {}
        self._ping = 0
        self._delays: deque[float] = deque(maxlen=MEASURED)
        self._pinging: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Starts measuring the delay."""
        self._pinging = asyncio.create_task(self._measure(), name=f"delay of {self.entry}")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._pinging is not None:
            self._pinging.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._pinging
        self._paused.drop()
        self.close_connection("the server is stopping")

    # For the conductor

    @property
    def here(self) -> bool:
        """Whether the link is connected, and the directory emptied for the talk."""
        return self._outlet is not None and self._end.prepared

    async def prepare(self) -> None:
        """Has the directory emptied before a talk, and its contents recorded.

        A disconnected link is asked when it reconnects, and is not `here` until then.
        """
        self._talk, self._is_on = None, False
        self._reports = 0
        self._end.prepare()
        self._flush()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PREPARING):
                while self._outlet is not None and not self._end.prepared:
                    self._progress.clear()
                    await self._progress.wait()

    def join(self, talk: Talk) -> None:
        """Assigns the entry to a talk."""
        self._talk, self._is_on = talk, True
        # After a restart of the server, the judge may have typed already.
        for author, key in self._hub.shown(talk):
            if author == "judge":
                self._end.press(key)
        self._hub.listen(talk, self._on_durable)
        self._flush()

    def leave(self) -> None:
        """Removes the entry from its talk; its later keys belong to no talk."""
        # Record everything now: these keys still belong to the talk.
        self._record(everything=True)
        self._paused.release()
        self._is_on = False

    def restart(self) -> None:
        """Has the entry's program restarted, now or after the link has reconnected."""
        self._end.restart()
        self._flush()

    def close_connection(self, why: str) -> None:
        """Ends the connection, if there is one; the link may reconnect."""
        if self._outlet is not None:
            self._outlet.close(why)

    def status(self) -> LinkStatus:
        """The current status."""
        delay = statistics.median(self._delays) if self._delays else None
        return LinkStatus(
            *(self.entry, self.here, self._end.waiting, self._unread, self._oldest),
            *(delay, self.running),
        )

    def _on_durable(self, talk: Talk, key: DurableKey) -> None:
        if key.author == "judge" and key.shown is not None and talk is self._talk:
            self._end.press(key.key)
            self._flush()

    # From the link

    def connect(self, hello: linkwire.Hello, outlet: Outlet) -> Joined:
        """Connects a link, with its first frame and its connection.

        Raises:
            Refusal: if another link is connected, or its numbers have a gap.
        """
        if self._outlet is not None:
            if hello.life != self._end.life:
                raise Refusal(
                    "link-taken", f"{self.entry} already has a link; end that link first", "hello"
                )
            before = self._outlet
            self._disconnected("the link has reconnected")
            before.close("the link has reconnected")
        self._end.hello(hello)
        self._made()
        self._outlet = outlet
        self._pings.clear()
        if self._lost_at is not None:
            away = asyncio.get_running_loop().time() - self._lost_at
            self._trouble(f"reconnected after about {away:.0f} seconds", "link")
            self._lost_at = None
        self._flush()
        self._report_change()
        return Joined(self.receive, partial(self.disconnect, outlet))

    def disconnect(self, outlet: Outlet, why: str) -> None:
        """Handles the end of a link's connection."""
        if outlet is self._outlet:
            self._disconnected(why)

    def receive(self, frame: linkwire.ToServer) -> None:
        """Handles a frame from the link.

        Raises:
            Refusal: if it breaks the rules of the exchange.
        """
        if isinstance(frame, linkwire.Key) and _entry_press(frame) is None:
            raise Refusal("bad-key", f"{frame.raw[:40]!r} is not an entry's key press", "key")
        self._end.take(frame)
        match frame:
            case linkwire.Pong():
                sent = self._pings.pop(frame.n, None)
                if sent is not None:
                    self._delays.append(asyncio.get_running_loop().time() - sent)
            case linkwire.Standing():
                self._unread, self._oldest = frame.count, frame.oldest_ms / 1000
                self._check_reading()
            case linkwire.Made():
                if frame.talk == self._end.talk:
                    self._made()
            case _:
                self._record()
        if isinstance(frame, linkwire.Prepared | linkwire.Started):
            self._report_change()
        self._flush()

    # The record

    def _record(self, *, everything: bool = False) -> None:
        while (item := self._end.to_record(everything=everything)) is not None:
            frame = item.frame
            if isinstance(frame, linkwire.Key):
                self._key(item, frame)
                continue
            before = self._reports
            # One frame of left-overs holds many names.
            self._reports += LEFT_OVERS_COUNT if isinstance(frame, linkwire.LeftOvers) else 1
            if before < REPORTS_PER_TALK <= self._reports:
                self._trouble("too many reports; the rest is not recorded", "link")
            if self._reports < REPORTS_PER_TALK:
                self._report(frame)
            self._end.durable(item)

    def _key(self, item: Item, frame: linkwire.Key) -> None:
        """Passes on a key of the entry; a key typed during a pause waits for its end."""
        parsed = _entry_press(frame)
        assert parsed is not None, "`receive` refuses others"
        press, broken = parsed
        rules = dict.fromkeys([*(each.rule for each in broken), *frame.rules])
        raw, talk = printable(press.raw), self._talk

        def durable() -> None:
            self._end.durable(item)
            self._record()
            self._flush()

        late = frame.talk != self._end.talk
        if talk is None or not self._is_on or late:
            detail = "arrived after its talk was over" if late else "typed outside a talk"
            self._breach(Rule.NOT_ON, raw, detail, durable)
            return

        def pass_on() -> None:
            self._hub.press(
                talk,
                "entity",
                self.entry,
                press.key,
                press.number,
                raw=raw,
                rules=[rule.value for rule in rules],
                on_durable=durable,
            )

        self._paused.take(pass_on)

    def _report(self, frame: linkwire.Numbered) -> None:
        match frame:
            case linkwire.Breach():
                self._breach(frame.rule, frame.name, frame.detail)
            case linkwire.Trouble():
                self._trouble(frame.what)
            case linkwire.InDoubt():
                # The entry may get this key twice.
                self._write("server", bodies.KeyInDoubt(self.entry, frame.talk, frame.key))
            case linkwire.Started():
                self.running = True
                self._write("server", bodies.EntryStarted(self.entry, frame.command))
            case linkwire.Exited():
                self.running = False
                self._write(self.entry, bodies.EntryExited(self.entry, frame.code))
            case linkwire.LeftOvers():
                self._write("server", bodies.LeftOvers(self.entry, list(frame.names)))

    def _breach(
        self, rule: Rule, name: str, detail: str, then: Callable[[], None] = lambda: None
    ) -> None:
        body = bodies.Breach(self.entry, rule.value, printable(name), detail)
        self._write(self.entry, body, then)

    def _trouble(self, what: str, where: str = "directory") -> None:
        self._write("server", bodies.Trouble(f"{where} of {self.entry}", what))

    def _write(
        self, actor: str, body: bodies.AnyBody, then: Callable[[], None] = lambda: None
    ) -> None:
        self._hub.journal.write(None, actor, body, lambda _event: then())

    def _made(self) -> None:
        """Tells the hub which of the judge's keys are in the directory."""
        if self._talk is not None and self._end.made:
            self._hub.seen(self._talk, "judge", self._end.made)

    def _check_reading(self) -> None:
        """Reports an entry that stops reading, and one that reads again."""
        now = asyncio.get_running_loop().time()
        if not self._unread:
            if self._stuck is not None:
                seconds = now - self._stuck
                self._trouble(f"the entry is reading again, after about {seconds:.0f} seconds")
            self._stuck = None
        elif self._stuck is None and self._oldest >= UNREAD:
            self._stuck = now - self._oldest
            self._trouble(
                f"{self._unread} keys of the judge are unread, the oldest for {self._oldest:.0f} "
                "seconds: the entry has stopped or is slow"
            )

    def _flush(self) -> None:
        if self._outlet is not None:
            for frame in self._end.outgoing():
                self._outlet.send(frame)

    def _disconnected(self, why: str) -> None:
        self._outlet = None
        self._end.lost()
        self._lost_at = asyncio.get_running_loop().time()
        self._trouble(f"connection lost: {why[:200]}; keys wait", "link")
        self._report_change()

    def _report_change(self) -> None:
        self._progress.set()
        self._changed()

    async def _measure(self) -> None:
        loop = asyncio.get_running_loop()
        # Spread the pings: hundreds of links at the same moment would delay keys.
        wait = random.random() * PING_EVERY
        while True:
            await asyncio.sleep(wait)
            wait = PING_EVERY
            if self._outlet is None:
                continue
            # Count pings instead of seconds, because no link can reach a frozen server.
            if len(self._pings) * PING_EVERY > PING_LIMIT:
                outlet = self._outlet
                self._disconnected(f"no answer for {PING_LIMIT:g} seconds")
                outlet.close("no answer")
                continue
            self._ping += 1
            self._pings[self._ping] = loop.time()
            self._outlet.send(linkwire.Ping(self._ping))


def _entry_press(frame: linkwire.Key) -> tuple[KeyPress, Sequence[Violation]] | None:
    """An entry's key press, and the rules that its name breaks; None if it is not one."""
    parsed = parse(frame.raw)
    return parsed if parsed is not None and parsed[0].side is Side.OTHER else None


@asynccontextmanager
async def link_in_process(
    directory: str | Directory,
    checkpoint: Checkpoint,
    connection: Callable[[], MemoryConnection],
) -> AsyncIterator[LinkedDirectory]:
    """The entry's side of a link in the server's own process, connected while the context is open;
    `connection` connects to the server, as `contest.serving.server.Server.connect_link` does."""
    async with LinkedDirectory(directory, checkpoint, "in this process") as end:
        linking = keep_linked(
            *(end, lambda: ("memory", Trust()), lambda _: None),
            connect=lambda _url, _trust: connection(),
        )
        async with running(linking, "link in this process"):
            yield end
