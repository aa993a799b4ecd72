"""A seat that a window shows and a scripted person uses, until somebody at the window does
something: then it is theirs."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from contest.scripted import Person
from judge_console.client import SeatClient, SeatEvent
from judge_console.model.seat import Decision, Human
from lpp.clock import Clock
from lpp.pace import Pace
from lpp.wire import Author, Phase, Place, Ranks, Read, Verdict


class SharedSeat(SeatClient):
    """A seat at the server with a scripted person in front of it.

    What the window does takes the seat from the person for good; what the person does is seen in
    the window as anybody's keys are.

    Arguments:
        url, code: see SeatClient.
        person: who sits here.
        clock: the contest's clock in this loop.
        take_over, monotonic: see SeatClient.
    """

    def __init__(
        self,
        url: str,
        code: str,
        person: Person,
        clock: Clock,
        *,
        take_over: bool = False,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(
            url,
            code,
            client="window of a demo",
            take_over=take_over,
            acknowledge=False,
            monotonic=monotonic,
        )
        self._person = person
        self._clock = clock
        self._playing: asyncio.Task[None] | None = None
        self._dismissed = False

    @property
    def played(self) -> bool:
        """Whether the scripted person still sits here."""
        return not self._dismissed and self._playing is not None and not self._playing.done()

    def open(self) -> None:
        """See Seat.open."""
        super().open()
        if self._playing is None:
            place = PersonsPlace(self)
            self.watchers.append(place.tell)
            self._playing = asyncio.create_task(
                self._person.play(place, self._clock), name="scripted person"
            )

    async def close(self) -> None:
        """See Seat.close."""
        await super().close()
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.wait([self._playing])

    def dismiss(self) -> None:
        """Somebody has come: the scripted person leaves, and does nothing more from now on."""
        # The person's tasks end within some turns of the loop, and could still act in these.
        self._dismissed = True
        if self._playing is not None:
            self._playing.cancel()

    # By the window

    async def press(self, place: Place, key: str) -> bool:
        """See Seat.press."""
        self.dismiss()
        return await super().press(place, key)

    async def paste(self, place: Place, text: str, pace: Pace | None = None) -> bool:
        """See Seat.paste."""
        self.dismiss()
        return await super().paste(place, text, pace)

    async def give(self, frame: Decision | Read) -> None:
        """See SeatClient.give."""
        if not isinstance(frame, Read):  # to read is no act
            self.dismiss()
        await super().give(frame)


class PersonsPlace:
    """The seat as the scripted person has it: a `contest.scripted.Seat` with events of its own."""

    def __init__(self, seat: SharedSeat) -> None:
        self._seat = seat
        self._events: deque[SeatEvent | None] = deque()
        self._happened = asyncio.Event()

    def tell(self, event: SeatEvent | None) -> None:
        """Something has happened; None is the end."""
        self._events.append(event)
        self._happened.set()

    @property
    def phase(self) -> Phase:
        """See Seat."""
        return self._seat.phase

    @property
    def round(self) -> int:
        """See Seat."""
        return self._seat.round

    @property
    def attempt(self) -> int:
        """See Seat."""
        return self._seat.attempt

    @property
    def places(self) -> tuple[Place, ...]:
        """See Seat."""
        return self._seat.places

    def remaining(self) -> float | None:
        """See Seat."""
        return self._seat.remaining()

    def keys(self, place: Place) -> Sequence[tuple[Author, str]]:
        """See Seat."""
        return self._seat.keys(place)

    async def press(self, place: Place, key: str) -> bool:
        """See Seat."""
        return self._seat.played and await SeatClient.press(self._seat, place, key)

    async def verdict(self, human: Human, confidence: int | None = None, reason: str = "") -> None:
        """See Seat."""
        if self._seat.played:
            frame = Verdict(self.round, self.attempt, human, confidence, reason)
            await SeatClient.give(self._seat, frame)

    async def rank(self, half_steps: Mapping[str, int]) -> None:
        """See Seat."""
        if self._seat.played:
            await SeatClient.give(self._seat, Ranks(dict(half_steps)))

    def __aiter__(self) -> AsyncIterator[object]:
        return self._all()

    async def _all(self) -> AsyncIterator[object]:
        while True:
            while not self._events:
                self._happened.clear()
                await self._happened.wait()
            event = self._events.popleft()
            if event is None:
                return
            yield event
