"""A seat as a program or a window uses it: what happens, as events; what the person does, as calls.

`Seat` holds the model and carries no frames itself; its two kinds do: `SeatClient` (client.py)
over a socket to a server, `DeskSeat` (deskseat.py) to a desk in this process that talks straight
to communications directories. Both are used in the same way:

    async with SeatClient(…) as seat:
        async for event in seat:
            ...

All of it belongs to one running loop; nothing here is safe to be called from another thread.
"""

from __future__ import annotations

import asyncio
import random
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import ClassVar, Literal, Self, TypeAlias

from judge_console.memory import KeyMemory
from judge_console.model import Human, SeatModel, What
from lpp.errors import NotAKey
from lpp.names import keys_of
from lpp.pace import Pace
from lpp.wire import Author, Phase, Place, Role, ToSeat, Welcome

#: Characters of a paste that are typed at most: some minutes at a person's pace.
PASTE_LIMIT = 1000


#: How a connection is lost: it was there, and broke off; nobody answers; there is no such host;
#: what answers is no server of contests, or speaks another protocol; it shows a certificate that
#: is not trusted; it has no room at the moment.
LostKind: TypeAlias = Literal["cut", "unreachable", "unknown-host", "stranger", "untrusted", "busy"]


@dataclass(frozen=True, slots=True)
class Lost:
    """The connection is gone, or could not be made; the seat comes back by itself.

    Attributes:
        trouble: what happened, in words.
        kind: the same, for a program.
        fingerprint: of a certificate that is not trusted; empty if it is not known.
    """

    trouble: str
    kind: LostKind = "cut"
    fingerprint: str = ""


SeatEvent: TypeAlias = ToSeat | Lost


class Seat(ABC):
    """A place at the contest.

    Arguments:
        model: what it knows.
        acknowledge: whether what has come counts as shown at once. A window says False, and calls
            `painted` when it has drawn.
        monotonic: the clock that the remaining time is counted by, in seconds.
        memory: where own keys are kept against a crash; None keeps none.

    Iterating gives, in order, each frame of the other end and each `Lost`; the view has been
    brought up to date already when an event comes out. Events are kept until they are taken, by
    one iterator at a time. The iteration ends when the seat is closed.

    Attributes:
        can_end: whether the person at this seat decides when the talk ends.
        watchers: called with each event as it happens, and with None when the seat has ended.

    Raises, from iterating and `ready`:
        SeatRefused: if the server does not let this console sit there.
    """

    can_end: ClassVar[bool] = False

    def __init__(
        self,
        model: SeatModel,
        *,
        acknowledge: bool = True,
        monotonic: Callable[[], float] = time.monotonic,
        memory: KeyMemory | None = None,
    ) -> None:
        self.model = model
        self._acknowledge = acknowledge
        self._monotonic = monotonic
        self._memory = memory
        self.watchers: list[Callable[[SeatEvent | None], None]] = []
        self._events: deque[SeatEvent] = deque()
        self._happened = asyncio.Event()
        self._to_send = asyncio.Event()
        self._greeted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._paste: asyncio.Task[None] | None = None
        self._linked = False
        self._ended = False
        self._error: BaseException | None = None

    # Life

    async def __aenter__(self) -> Self:
        self.open()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def open(self) -> None:
        """Begins to live: to connect, and to come back for ever after."""
        if self._task is None:
            self._task = asyncio.create_task(self._live(), name=f"seat at {self.where}")
            self._task.add_done_callback(self._died)

    async def close(self) -> None:
        """Leaves the seat; what was not sent is lost here, so wait for `unsaved` and `Taken`
        first, or keep a memory."""
        for task in (self._paste, self._task):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        if self._task is not None:
            # Its done callback has not run yet, but whoever iterates must not wait for it.
            self._died(self._task)
        self._end(None)
        if self._memory is not None:
            self._memory.close()

    async def ready(self) -> None:
        """Waits until this seat was greeted for the first time."""
        await self._greeted.wait()
        if self._error is not None:
            raise self._error

    @property
    @abstractmethod
    def where(self) -> str:
        """The other end, for messages."""

    @abstractmethod
    async def _live(self) -> None:
        """Carries frames for as long as the seat is open: from the other end by `_take`, to it
        whatever `model.outgoing()` gives after each `_to_send`."""

    def _died(self, task: asyncio.Task[None]) -> None:
        self._end(None if task.cancelled() else task.exception())

    # The view

    @property
    def connected(self) -> bool:
        """Whether the present connection was greeted."""
        return self._linked

    @property
    def role(self) -> Role | None:
        """Judge or confederate; None before the first greeting."""
        return self.model.role

    @property
    def phase(self) -> Phase:
        """The contest's phase."""
        return self.model.phase

    @property
    def round(self) -> int:
        """The number of the round, from 1; 0 before the first."""
        return self.model.state.round

    @property
    def attempt(self) -> int:
        """Which attempt at this round."""
        return self.model.state.attempt

    @property
    def places(self) -> tuple[Place, ...]:
        """The places of this round's talks: left and right for a judge."""
        return self.model.state.places

    @property
    def unsaved(self) -> frozenset[What]:
        """The decisions that were given and that the server has not answered."""
        return self.model.unsaved

    def remaining(self) -> float | None:
        """What is left of the phase, in seconds of contest time; None without a limit."""
        return self.model.remaining(self._monotonic())

    def keys(self, place: Place) -> list[tuple[Author, str]]:
        """What is shown at a place, as (author, key name), in the order of showing."""
        return self.model.keys(place)

    # The person's acts

    async def press(self, place: Place, key: str) -> bool:
        """A key was pressed: it is shown at once, and sent. It ends a paste.

        Arguments:
            place: in which talk.
            key: a key name.

        Returns:
            Whether it counts: it does not without a talk at this place in the interaction phase.
        """
        if self._paste is not None:
            self._paste.cancel()
            self._paste = None
        return self._press(place, key)

    def _press(self, place: Place, key: str) -> bool:
        n = self.model.press(place, key)
        if n and self._memory is not None:
            self._memory.keep(self.model.talk_key(place), n, key)
        self._to_send.set()
        return n > 0

    async def paste(self, place: Place, text: str, pace: Pace | None = None) -> bool:
        """A text was pasted: it is typed as a person would, until a key is pressed or it ends.

        Arguments:
            place: in which talk.
            text: what; characters that no key press carries are left out, and what is beyond
                `PASTE_LIMIT` characters.
            pace: how it is typed.

        Returns:
            Whether it is typed: not if the contest refuses pastes, or nothing is left of it.
        """
        text = _typable(text[:PASTE_LIMIT])
        welcome = self.model.welcome
        if welcome is None or welcome.paste != "type" or not text:
            return False
        if self._paste is not None:
            self._paste.cancel()
        strokes = (pace or Pace(thought=0.0)).strokes(text, random.SystemRandom())

        async def type_it() -> None:
            for stroke in strokes:
                await asyncio.sleep(stroke.delay)
                if not self._press(place, stroke.key):
                    return  # the talk is over

        self._paste = asyncio.create_task(type_it(), name="paste")
        return True

    async def verdict(self, human: Human, confidence: int | None = None, reason: str = "") -> None:
        """The judge decides about the running round; `Saved` comes when it is durable.

        Arguments:
            human: where the human sat.
            confidence: 0 (can't tell) up to 100 (sure), or None.
            reason: in words, or empty.

        Raises:
            YoursToFix: if the confidence is out of its range or the reason too long.
        """
        self.model.verdict(human, confidence, reason)
        self._to_send.set()

    async def rank(self, half_steps: Mapping[str, int]) -> None:
        """The judge ranks all participants; `Saved` comes when it is durable.

        Arguments:
            half_steps: label to twice the rank: 2 = first, 3 = shares the first place.
        """
        self.model.rank(half_steps)
        self._to_send.set()

    async def agree(self, publish: bool, pseudonym: str = "") -> None:
        """The person answers the agreement; `Saved` comes when it is durable.

        Arguments:
            publish: whether what this person types may be published.
            pseudonym: under which name; empty is the name that the organizer has set.
        """
        self.model.agree(publish, pseudonym)
        self._to_send.set()

    async def read(self, round_: int, attempt: int, place: Place) -> None:
        """The judge wants to read an earlier talk again; `Past` comes with it."""
        self.model.read(round_, attempt, place)
        self._to_send.set()

    async def end(self) -> None:  # noqa: B027 -- for most seats this is all there is to do
        """Ends the talk before its time, where that is this person's to say (`can_end`): at a
        server it is not."""

    def painted(self, heard: Mapping[Place, int] | None = None) -> None:
        """What stands on the screen now; see `SeatModel.painted`."""
        self.model.painted(heard)
        self._to_send.set()

    # What happens

    def __aiter__(self) -> AsyncIterator[SeatEvent]:
        return self

    async def __anext__(self) -> SeatEvent:
        while not self._events:
            if self._ended:
                if self._error is not None:
                    raise self._error
                raise StopAsyncIteration
            self._happened.clear()
            await self._happened.wait()
        return self._events.popleft()

    def _take(self, frame: ToSeat) -> None:
        """A frame of the other end has come."""
        self.model.receive(frame, self._monotonic())
        if isinstance(frame, Welcome):
            if self._memory is not None and not self._greeted.is_set():
                self._memory.only(frame.contest_id)
            self._linked = True
            self._greeted.set()
        if self._acknowledge:
            self.model.painted()
        self._tell(frame)
        # What has come already is taken without a pause, so the writer wakes after the whole
        # batch, and acknowledges it with one frame a talk.
        self._to_send.set()

    def _tell(self, event: SeatEvent) -> None:
        self._events.append(event)
        self._happened.set()
        for watcher in self.watchers:
            watcher(event)

    def _end(self, error: BaseException | None) -> None:
        if not self._ended:
            self._ended, self._linked, self._error = True, False, error
            for watcher in self.watchers:
                watcher(None)
        self._happened.set()
        self._greeted.set()


def _typable(text: str) -> str:
    kept = []
    for char in text.replace("\r\n", "\n").replace("\r", "\n"):
        try:
            keys_of(char)
        except NotAKey:
            continue
        kept.append(char)
    # Tabs and Returns of a pasted text are text as well; its BackSpaces are none.
    return "".join(kept).replace("\b", "")
