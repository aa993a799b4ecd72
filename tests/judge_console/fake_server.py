"""Replaces a seat's server for tests and screenshots: no thread, no socket, and a clock that the
test sets.

    played = FakeServer()
    session = played.session()
    played.say(Welcome("J1", "judge", "A contest", 4))
    played.say(State("interaction", 1, 1, ("left", "right")))
    played.say(Talk(1, 1, "left", []), Talk(1, 1, "right", []))
    window = JudgeWindow(session)
    played.type("left", "Hello")
    assert played.sent == […]
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, cast

from judge_console.client import ConnectionLost, SeatClient
from judge_console.memory import Drafts
from judge_console.model.seat import Decision, SeatModel, SeatRefused
from judge_console.session import Differences, SeatThread, Session, Update
from lpp.names import keys_of
from lpp.wire import Key, Place, Read, Taken, ToSeat, ToServer


class FakeServer:
    """The other end of a session, in place of its `SeatThread`, and the seat at which its
    acts are done.

    Arguments:
        answer: what the other end says to each frame, at once; nothing if left out.
        can_end: see `judge_console.session.WindowState`.

    Attributes:
        model: the seat's.
        sent: all frames that the seat has sent.
        pasted: (place, text) of each paste.
        ended_in: the phases in which the person ended the talk.
        now: seconds of the clock of the remaining time.
    """

    def __init__(
        self,
        answer: Callable[[ToServer], Iterable[ToSeat]] | None = None,
        can_end: bool = False,
    ) -> None:
        self.model = SeatModel("code", "test")
        self.sent: list[ToServer] = []
        self.pasted: list[tuple[Place, str]] = []
        self.ended_in: list[str] = []
        self.now = 0.0
        self.stopped = False
        self._answer = answer
        self._can_end = can_end
        self._differences = Differences(self.model, can_end)
        self._connected = False
        self._trouble = ""
        self._ended: BaseException | None = None
        self._updates: list[Update] = []
        self._session: Session | None = None

    def session(self, drafts: Drafts | None = None) -> Session:
        """A session that is connected to this server."""
        end = self.ended_in.append if self._can_end else None

        def make() -> SeatClient:
            raise AssertionError("a played seat has no client")

        self._session = Session(make, drafts, lambda: self.now, end, cast(SeatThread, self))
        self._session.start()
        return self._session

    # Actions of the test

    def say(self, *frames: ToSeat) -> None:
        """Sends a frame to the console; the first frame of a connection must be `Welcome`."""
        for frame in frames:
            try:
                self.model.receive(frame, self.now)
            except SeatRefused as exc:
                self._connected, self._ended = False, exc
            else:
                self._connected = True
        self._trouble = ""
        self._carry(not all(isinstance(frame, Key | Taken) for frame in frames))

    def type(self, place: Place, text: str) -> None:
        """Types a text as the other side (for single key names, see `hear`)."""
        self.hear(place, *keys_of(text))

    def hear(self, place: Place, *keys: str) -> None:
        """Presses keys as the other side."""
        talk = self.model.talks[place]
        other = "entity" if talk.own == "judge" else "judge"
        self.say(
            *(
                Key(talk.round, talk.attempt, place, other, talk.heard + n, key)  # type: ignore[arg-type]
                for n, key in enumerate(keys, 1)
            )
        )

    def lose(self, trouble: str = "the cable is out") -> None:
        """Cuts the connection; `say(Welcome(…))` restores it."""
        self._connected, self._trouble = False, trouble
        self.model.hello()
        self._tell(True)

    def _carry(self, with_state: bool) -> None:
        """Takes all frames from the seat, answers them, and updates the session.

        Arguments:
            with_state: whether the update has the whole window state; key presses change only the
                talks.
        """
        while self._connected and (frames := self.model.outgoing()):
            self.sent += frames
            for frame in frames if self._answer is not None else ():
                assert self._answer is not None
                for answer in self._answer(frame):
                    self.model.receive(answer, self.now)
        self._tell(with_state)

    def _tell(self, with_state: bool) -> None:
        link = (self._connected, ConnectionLost(self._trouble), self._ended)
        update = self._differences.update(link if with_state else None)
        if update is not None:
            self._updates.append(update)
        if self._session is not None:
            self._session.refresh()

    # The thread

    def start(self) -> None: ...

    def leave(self, saving: float) -> None:
        self.stopped = True

    def join(self, patience: float) -> None: ...

    def take(self) -> list[Update]:
        updates, self._updates = self._updates, []
        return updates

    def do(self, act: Callable[[Any], Awaitable[object]], *, key: bool = False) -> None:
        # None of the actions below waits.
        coroutine = act(self)
        assert asyncio.iscoroutine(coroutine)
        try:
            coroutine.send(None)
        except StopIteration:
            self._carry(not key)
        else:
            raise AssertionError("an act at a played seat can't wait")

    def painted(self, heard: Mapping[Place, int]) -> None:
        self.model.painted(heard)

    # The seat

    async def press(self, place: Place, key: str) -> None:
        self.model.press(place, key)

    async def paste(self, place: Place, text: str) -> None:
        self.pasted.append((place, text))

    async def give(self, frame: Decision | Read) -> None:
        self.model.give(frame)
