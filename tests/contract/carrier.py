"""An exchange that behaves as if it were in another process than the hub.

Between it and the hub is a carrier that delays, reorders and repeats messages, as a carrier with
at-least-once delivery may do. This shows how the contract of contest.live.hub can be kept over
such a carrier: messages are numbered for each talk and direction, and each number is accepted once
and in order. It is only for tests: everything is in one process, and the test decides when a
message arrives.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from contest.live.hub import DurableKey, Hub, Listener
from contest.record.bodies import Author
from contest.state.model import Talk


class Direction:
    """One direction of a talk: messages arrive at any time, in any order, once or more often.

    Arguments:
        rng: decides which message arrives next.
        arrive: called with each message, once and in the order of sending.
    """

    def __init__(self, rng: random.Random, arrive: Callable[[object], None]) -> None:
        self._rng = rng
        self._arrive = arrive
        self._sent = 0
        self._in_transit: list[tuple[int, object]] = []
        # At the other end: messages that arrived too early, and the next number.
        self._early: dict[int, object] = {}
        self._next = 1

    def send(self, message: object) -> None:
        """Sends a message."""
        self._sent += 1
        self._in_transit.append((self._sent, message))

    @property
    def empty(self) -> bool:
        """Whether no message is in transit."""
        return not self._in_transit

    def move(self) -> None:
        """Lets a message arrive; sometimes it will arrive again."""
        if self.empty:
            return
        at = self._rng.randrange(len(self._in_transit))
        number, message = self._in_transit[at]
        if self._rng.random() < 0.7:
            del self._in_transit[at]
        if number >= self._next:
            self._early[number] = message
        while self._next in self._early:
            self._next += 1
            self._arrive(self._early.pop(self._next - 1))


@dataclass(frozen=True)
class _Press:
    n: int
    author: Author
    actor: str
    key: str
    raw: str | None
    rules: tuple[str, ...]
    answer: int


@dataclass(frozen=True)
class _Seen:
    author: Author
    shown: int


@dataclass(frozen=True)
class _Done:
    answer: int


class CarriedExchange:
    """The exchange of a process that has neither the hub nor the record.

    Arguments:
        hub: the hub of the other process.
        rng: decides which messages arrive when.
    """

    def __init__(self, hub: Hub, rng: random.Random) -> None:
        self._hub = hub
        self._rng = rng
        self._to_hub: dict[str, Direction] = {}
        self._from_hub: dict[str, Direction] = {}
        self._waiting: dict[int, Callable[[], None]] = {}
        self._asked = 0
        self.talks: dict[str, Talk] = {}
        self._shown: dict[str, list[tuple[Author, str]]] = {}
        self._durable: dict[str, dict[Author, int]] = {}
        self._listeners: dict[str, list[Listener]] = {}

    def follow(self, original: Talk) -> Talk:
        """Follows a talk from its current state on; returns this exchange's copy of it.

        Arguments:
            original: the hub's talk.
        """
        copy = replace(original, accepted=dict(original.accepted))
        self.talks[original.id] = copy
        self._shown[original.id] = self._hub.shown(original)
        self._durable[original.id] = {a: self._hub.durable(original, a) for a in original.accepted}
        self._listeners[original.id] = []
        self._to_hub[original.id] = Direction(
            self._rng, lambda message: self._arrive_at_hub(original, message)
        )
        back = self._from_hub[original.id] = Direction(
            self._rng, lambda message: self._arrive_from_hub(copy, message)
        )
        self._hub.listen(original, lambda _talk, key: back.send(key))
        return copy

    @property
    def quiet(self) -> bool:
        """Whether no message is in transit."""
        return all(
            direction.empty for direction in (*self._to_hub.values(), *self._from_hub.values())
        )

    def move(self) -> None:
        """Lets a message arrive in one of the directions."""
        directions = [
            direction
            for direction in (*self._to_hub.values(), *self._from_hub.values())
            if not direction.empty
        ]
        if directions:
            self._rng.choice(directions).move()

    # The methods of Hub that seats and links use

    @property
    def paused(self) -> bool:
        """The phase is the same in every process."""
        return self._hub.paused

    def listen(self, talk: Talk, listener: Listener) -> None:
        """See Hub."""
        self._listeners[talk.id].append(listener)

    def remove_listeners(self, talk: Talk) -> None:
        """See Hub."""
        self._listeners[talk.id].clear()

    def shown(self, talk: Talk) -> list[tuple[Author, str]]:
        """See Hub."""
        return list(self._shown[talk.id])

    def durable(self, talk: Talk, author: Author) -> int:
        """See Hub."""
        return self._durable[talk.id][author]

    def press(
        self,
        talk: Talk,
        author: Author,
        actor: str,
        key: str,
        n: int,
        *,
        raw: str | None = None,
        rules: Sequence[str] = (),
        on_durable: Callable[[], None] | None = None,
    ) -> bool:
        """See Hub."""
        if raw is None:
            if n != talk.accepted[author] + 1:
                return False
            talk.accepted[author] = n
        self._asked += 1
        if on_durable is not None:
            self._waiting[self._asked] = on_durable
        press = _Press(n, author, actor, key, raw, tuple(rules), self._asked)
        self._to_hub[talk.id].send(press)
        return True

    def seen(self, talk: Talk, author: Author, shown: int) -> None:
        """See Hub."""
        self._to_hub[talk.id].send(_Seen(author, shown))

    # Arriving messages

    def _arrive_at_hub(self, talk: Talk, message: object) -> None:
        if isinstance(message, _Seen):
            self._hub.seen(talk, message.author, message.shown)
        elif isinstance(message, _Press):
            done = _Done(message.answer)
            back = self._from_hub[talk.id]
            self._hub.press(
                talk,
                message.author,
                message.actor,
                message.key,
                message.n,
                raw=message.raw,
                rules=message.rules,
                on_durable=lambda: back.send(done),
            )

    def _arrive_from_hub(self, talk: Talk, message: object) -> None:
        if isinstance(message, _Done):
            call = self._waiting.pop(message.answer, None)
            if call is not None:
                call()
        elif isinstance(message, DurableKey):
            durable = self._durable[talk.id]
            durable[message.author] = max(durable[message.author], message.n)
            # The key may have been sent through another process before the person reconnected.
            talk.accepted[message.author] = max(talk.accepted[message.author], message.n)
            if message.shown is not None:
                self._shown[talk.id].append((message.author, message.key))
            for listener in list(self._listeners[talk.id]):
                listener(talk, message)
