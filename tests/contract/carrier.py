"""An exchange in a separate process, as far as its keys are concerned.

Between it and the hub is a carrier that delays, reorders and repeats messages, as a carrier with
at-least-once delivery may do. It shows that the contract of contest.live.exchange can be kept over
such a carrier, and how: messages are numbered for each talk and direction, and each number is taken
once and in order. The carrier is only for tests: everything is in one process, and the test decides
when a message arrives.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from contest.live.exchange import Durable, Listener
from contest.live.hub import Hub
from contest.record.bodies import Author
from contest.state.model import Talk


class Way:
    """One way of a talk: what is sent arrives at any time, in any order, once or more often.

    Arguments:
        rng: what decides.
        arrive: takes what has arrived, once and in the order of sending.
    """

    def __init__(self, rng: random.Random, arrive: Callable[[object], None]) -> None:
        self._rng = rng
        self._arrive = arrive
        self._sent = 0
        self._under_way: list[tuple[int, object]] = []
        # At the other end: what came too early, and the number that comes next.
        self._early: dict[int, object] = {}
        self._next = 1

    def send(self, what: object) -> None:
        """Sends something on its way."""
        self._sent += 1
        self._under_way.append((self._sent, what))

    @property
    def empty(self) -> bool:
        """Whether nothing is under way."""
        return not self._under_way

    def move(self) -> None:
        """Something arrives; now and then it stays under way as well."""
        if self.empty:
            return
        at = self._rng.randrange(len(self._under_way))
        number, what = self._under_way[at]
        if self._rng.random() < 0.7:
            del self._under_way[at]
        if number >= self._next:
            self._early[number] = what
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


class Carried:
    """The exchange of a process that has neither the hub nor the record.

    Arguments:
        hub: that of the other process.
        rng: what decides about the carrier's delays.
    """

    def __init__(self, hub: Hub, rng: random.Random) -> None:
        self._hub = hub
        self._rng = rng
        self._there: dict[str, Way] = {}
        self._back: dict[str, Way] = {}
        self._waiting: dict[int, Callable[[], None]] = {}
        self._asked = 0
        self.talks: dict[str, Talk] = {}
        self._shown: dict[str, list[tuple[Author, str]]] = {}
        self._durable: dict[str, dict[Author, int]] = {}
        self._listeners: dict[str, list[Listener]] = {}

    def follow(self, there: Talk) -> Talk:
        """A talk is of interest here: as it stands there now, and what comes to it from now on.

        Arguments:
            there: the hub's own.
        """
        here = replace(there, accepted=dict(there.accepted))
        self.talks[there.id] = here
        self._shown[there.id] = self._hub.shown(there)
        self._durable[there.id] = {a: self._hub.durable(there, a) for a in there.accepted}
        self._listeners[there.id] = []
        self._there[there.id] = Way(self._rng, lambda what: self._arrive_there(there, what))
        back = self._back[there.id] = Way(self._rng, lambda what: self._arrive_here(here, what))
        self._hub.listen(there, lambda _talk, key: back.send(key))
        return here

    @property
    def quiet(self) -> bool:
        """Whether nothing is under way."""
        return all(way.empty for way in (*self._there.values(), *self._back.values()))

    def move(self) -> None:
        """On one of the ways something arrives."""
        ways = [way for way in (*self._there.values(), *self._back.values()) if not way.empty]
        if ways:
            self._rng.choice(ways).move()

    # The contract's

    @property
    def paused(self) -> bool:
        """The phase is the same in every process."""
        return self._hub.paused

    def listen(self, talk: Talk, listener: Listener) -> None:
        """See Exchange."""
        self._listeners[talk.id].append(listener)

    def remove_listeners(self, talk: Talk) -> None:
        """See Exchange."""
        self._listeners[talk.id].clear()

    def shown(self, talk: Talk) -> list[tuple[Author, str]]:
        """See Exchange."""
        return list(self._shown[talk.id])

    def durable(self, talk: Talk, author: Author) -> int:
        """See Exchange."""
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
        """See Exchange."""
        if raw is None:
            if n != talk.accepted[author] + 1:
                return False
            talk.accepted[author] = n
        self._asked += 1
        if on_durable is not None:
            self._waiting[self._asked] = on_durable
        press = _Press(n, author, actor, key, raw, tuple(rules), self._asked)
        self._there[talk.id].send(press)
        return True

    def seen(self, talk: Talk, author: Author, shown: int) -> None:
        """See Exchange."""
        self._there[talk.id].send(_Seen(author, shown))

    # What arrives

    def _arrive_there(self, talk: Talk, what: object) -> None:
        if isinstance(what, _Seen):
            self._hub.seen(talk, what.author, what.shown)
        elif isinstance(what, _Press):
            done = _Done(what.answer)
            back = self._back[talk.id]
            self._hub.press(
                talk,
                what.author,
                what.actor,
                what.key,
                what.n,
                raw=what.raw,
                rules=what.rules,
                on_durable=lambda: back.send(done),
            )

    def _arrive_here(self, talk: Talk, what: object) -> None:
        if isinstance(what, _Done):
            call = self._waiting.pop(what.answer, None)
            if call is not None:
                call()
        elif isinstance(what, Durable):
            durable = self._durable[talk.id]
            durable[what.author] = max(durable[what.author], what.n)
            # It may have come by another process, where the same person sat before.
            talk.accepted[what.author] = max(talk.accepted[what.author], what.n)
            if what.shown is not None:
                self._shown[talk.id].append((what.author, what.key))
            for listener in list(self._listeners[talk.id]):
                listener(talk, what)
