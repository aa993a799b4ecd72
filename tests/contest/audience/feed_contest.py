"""Passes a contest's events one by one to a feed on virtual time, and collects the frames that a
viewer receives.

Receipt and durability are two moments, as in a real contest: an event is stamped when it is
received, and passed on when it is durable, `late` seconds later. The order never changes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Coroutine, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from contest.audience.feed import Feed
from contest.record import bodies
from contest.record.bodies import AnyBody, Place
from contest.record.events import Event
from contest.results.page import Outcome
from contest.state.model import State
from contest.state.reducer import apply
from lpp.clock import LoopClock
from lpp.names import char_of, keys_of
from tests.conftest import virtual_loop

T = TypeVar("T")

SETTINGS: dict[str, Any] = {
    "contest": {"name": "A contest of tests"},
    "rules": {"rounds": 2, "interaction_minutes": "5", "scoring_minutes": "1"},
    "publication": {"default": "publish"},
    "judge": [{"id": "J1", "name": "Harriet"}, {"id": "J2", "name": "Ines"}],
    "entry": [{"id": "E1", "name": "Teapot"}, {"id": "E2", "name": "Sly"}],
    "confederate": [{"id": "C1", "name": "Ben"}, {"id": "C2", "name": "Gordon"}],
}
#: In the order of the programs, which differs from that of the judges.
PLAN = {
    "rounds": [
        [
            {"judge": "J2", "entry": "E1", "confederate": "C2"},
            {"judge": "J1", "entry": "E2", "confederate": "C1"},
        ],
        [
            {"judge": "J1", "entry": "E1", "confederate": "C2"},
            {"judge": "J2", "entry": "E2", "confederate": "C1"},
        ],
    ]
}


def desks(count: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings and schedule of a contest of one round with this many desks."""
    ids = range(1, count + 1)
    settings = {
        **SETTINGS,
        **{
            role: [{"id": f"{role[0].upper()}{n}", "name": f"{role} {n}"} for n in ids]
            for role in ("judge", "entry", "confederate")
        },
    }
    round_ = [{"judge": f"J{n}", "entry": f"E{n}", "confederate": f"C{n}"} for n in ids]
    return settings, {"rounds": [round_]}


def virtually(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs a coroutine in a new loop with virtual time."""
    with asyncio.Runner(loop_factory=virtual_loop) as runner:
        return runner.run(main())


@dataclass
class ReceivedFrame:
    """A frame that a viewer received: the time by the contest's clock, in seconds, and its text."""

    at: float
    text: str

    @property
    def frame(self) -> dict[str, Any]:
        """The decoded text."""
        read: dict[str, Any] = json.loads(self.text)
        return read


@dataclass
class FedContest:
    """A contest whose events are passed to a feed.

    Attributes:
        speed: seconds of contest time in a second of the audience's.
        late: seconds between receipt and durability.
    """

    delay: float = 2.0
    speed: float = 1.0
    late: float = 0.0
    settings: dict[str, Any] = field(default_factory=lambda: SETTINGS)
    plan: dict[str, Any] = field(default_factory=lambda: PLAN)
    outcome: Outcome = field(default_factory=Outcome)

    def __post_init__(self) -> None:
        self.clock = LoopClock(self.speed)
        self.events: list[Event] = []
        self.state, self.kept, self._sent = State(), list[Event](), 0
        self.feed = Feed(
            *(self.clock, self.delay, self.kept, self.state.talks),
            *(self._settled, lambda: self.outcome),
        )
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []

    async def _settled(self) -> None:
        count = len(self.events)
        if self._sent < count:
            settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((count, settled))
            await settled

    def event(self, body: AnyBody, talk: str | None = None, actor: str = "server") -> None:
        """Records an event now."""
        seq, now = len(self.events) + 1, round(self.clock.now() * 1e9)
        event = Event(seq, talk, "", now, actor, body.kind, bodies.to_json(body), "", "")
        self.events.append(event)
        if body.kind != bodies.Key.kind or talk in self.state.talks:
            apply(self.state, event, body)
        if self.late:
            asyncio.get_running_loop().call_later(self.late, self._durable)
        else:
            self._durable()

    def _durable(self) -> None:
        # Timers of one moment fire in any order; events become durable in the record's order.
        event = self.events[self._sent]
        self._sent += 1
        if event.kind != bodies.Key.kind:
            self.kept.append(event)
        while self._waiting and self._waiting[0][0] <= self._sent:
            _, settled = self._waiting.pop(0)
            if not settled.done():
                settled.set_result(None)

    # Events of a contest

    def open(self) -> None:
        """Opens the contest."""
        self.event(
            bodies.ContestOpened(1, "test", self.settings, self.plan, round(self.speed * 1000))
        )

    def round(self, human: dict[str, Place], number: int = 1, attempt: int = 1) -> None:
        """Begins a round.

        Arguments:
            human: judge to the side of the human.
            number, attempt: the round and attempt.
        """
        self.event(bodies.RoundOpened(number, attempt))
        for pairing in self.plan["rounds"][number - 1]:
            judge = pairing["judge"]
            at = human[judge]
            other: Place = "right" if at == "left" else "left"
            for entity, side in ((pairing["entry"], other), (pairing["confederate"], at)):
                talk = bodies.talk_id(number, attempt, judge, side)
                self.event(bodies.TalkOpened(number, attempt, judge, entity, side), talk)
        self.event(bodies.RoundStarted(number, attempt, 300))

    def key(
        self,
        talk: str,
        author: bodies.Author,
        key: str,
        *,
        actor: str = "J1",
        n: int = 1,
        raw: str | None = None,
        out_of_phase: str | None = None,
    ) -> None:
        """Records a key press."""
        side: Place = "left" if talk.endswith("left") else "right"
        self.event(bodies.Key(author, side, key, n, raw, [], out_of_phase), talk, actor)

    def type(self, talk: str, author: bodies.Author, text: str) -> None:
        """Records the key presses of a text, all at once."""
        for name in keys_of(text):
            self.key(talk, author, name)

    def typed_at(self, talk: str) -> str:
        """All text that was typed in a talk."""
        keys = (e.body["key"] for e in self.events if e.kind == "key" and e.talk == talk)
        return "".join(char_of(key) or "" for key in keys)

    # Viewers

    async def watch(
        self, seconds: float, follows: Collection[str] | None = None
    ) -> list[ReceivedFrame]:
        """Watches for some seconds of real time.

        Arguments:
            follows: the judges whose desks to follow; None for all.
        """
        received: list[ReceivedFrame] = []
        wanted = None if follows is None else frozenset(follows)

        async def listen() -> None:
            async with self.feed.watched(wanted) as viewer:
                while True:
                    message = await self.feed.next(viewer)
                    received.append(ReceivedFrame(self.clock.now(), message.text))

        listener = asyncio.create_task(listen())
        await asyncio.sleep(seconds)
        listener.cancel()
        await asyncio.wait([listener])
        return received


def final_text(received: Iterable[ReceivedFrame], talk: str) -> str:
    """The text of a talk after these frames, without distinguishing authors."""
    text = ""
    for each in received:
        frame = each.frame
        typed = frame.get("talks", {}).get(talk)
        if frame.get("type") == "whole" or (frame.get("type") == "talks" and typed is not None):
            text = ""
        text += "".join(characters for _, characters in typed or [])
    return text


def of_kind(received: Iterable[ReceivedFrame], kind: str) -> list[dict[str, Any]]:
    """The frames of one type."""
    return [each.frame for each in received if each.frame.get("type") == kind]
