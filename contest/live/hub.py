"""The hub: every key's one way from who pressed it to who sees it.

A key is stamped and judged on receipt, written to the record, and only when it is durable shown to
the other side and confirmed to its own. A confederate's key and an entry's key take the same way,
so that nothing in timing tells a judge which is which.

The hub knows no sockets and no directories: those who sit at a talk (seats and links) give keys in
and listen, by the contract of `contest.live.exchange`.
"""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from contest.live.exchange import Durable, Listener
from contest.record.bodies import (
    LARGEST,
    Author,
    DelaysDiffer,
    Key,
    Place,
    TalkClosed,
    TalkOpened,
    Times,
    talk_id,
)
from contest.record.events import Event
from contest.record.journal import Journal
from contest.state.model import State, Talk
from contest.state.phases import Phase
from contest.state.reducer import apply
from lpp.keypress import Rule
from lpp.names import shown_as

#: Keys whose times are in one event: those of a flood would hold up the keys behind it.
TIMES = 500
#: Keys of one author whose delays are kept: more than anybody types in a minute.
KEPT = 2000
#: Seconds of contest time over which medians of delays are taken.
WINDOW = 60.0
#: Milliseconds of real time by which two medians may differ. Where the judge's screen shows what
#: comes, nothing of ours may tell the sides apart. What somebody else sees reaches the judge only
#: through an answer, where nobody notices less than this.
FAIR_MS: Mapping[Author, int] = {"judge": 2, "entity": 100}
#: How many standard errors of the difference may be chance.
CHANCE = 3
#: Keys of each side that a median needs to be reliable.
ENOUGH = 10


@dataclass(frozen=True, slots=True)
class Delay:
    """How long a talk's keys of one author took of late: medians in milliseconds of real time.

    Attributes:
        keys: how many there are.
        whole: from received to standing before the other side: a screen has drawn them, or a
            directory holds them.
        console: from durable to that and confirmed: to the other side's machine and back.
        error: the standard error of `whole`.
    """

    keys: int
    whole: int
    console: int
    error: float = 0.0


@dataclass
class _Told:
    """How far a talk is told; all that its state holds when the hub takes it over is durable.

    Attributes:
        shown: how many of each author's shown keys are durable.
        durable: the highest own number of each author that is.
        seen: how many of each author's shown keys the other side has on its screen.
        times: number to `[seq, durable_ns, shown_ns]` of keys whose times are not on record.
        received: number to when it came, of keys that nobody has seen yet.
        ways: when each of the latest keys was received, durable and seen, by author.
    """

    shown: dict[Author, int]
    durable: dict[Author, int]
    seen: dict[Author, int] = field(default_factory=lambda: {"judge": 0, "entity": 0})
    times: dict[int, list[int | None]] = field(default_factory=dict)
    received: dict[int, int] = field(default_factory=dict)
    ways: dict[Author, deque[tuple[int, int, int]]] = field(
        default_factory=lambda: {"judge": deque(maxlen=KEPT), "entity": deque(maxlen=KEPT)}
    )
    listeners: list[Listener] = field(default_factory=list)


class Hub:
    """All talks of a contest, in the process that has its record; see
    contest.live.exchange.Exchange.

    Arguments:
        journal: the record.
        phase: the phase of the round that is on.
        state: the contest's, of one that was begun. What is written is applied to it at once.
    """

    def __init__(
        self, journal: Journal, phase: Callable[[], Phase], state: State | None = None
    ) -> None:
        self.state = state = State() if state is None else state
        journal.apply = partial(apply, state)
        self._journal = journal
        self._phase = phase
        self._told: dict[str, _Told] = {}
        self.talks: Mapping[str, Talk] = state.talks
        for talk in state.talks.values():
            self._follow(talk)

    @property
    def paused(self) -> bool:
        """Whether the clock of the interaction stands still."""
        return self._phase() is Phase.PAUSED

    def open_talk(self, round_: int, attempt: int, judge: str, entity: str, side: Place) -> Talk:
        """Opens a talk and its chain."""
        name = talk_id(round_, attempt, judge, side)
        self._journal.write(name, "server", TalkOpened(round_, attempt, judge, entity, side))
        self._follow(self.talks[name])
        return self.talks[name]

    def close_talk(self, talk: Talk) -> None:
        """Closes a talk; keys that come later are recorded as out of phase."""
        while self.flush_times(talk, everything=True):
            pass
        for ways in self._told[talk.id].ways.values():
            ways.clear()
        self._journal.write(talk.id, "server", TalkClosed())

    def listen(self, talk: Talk, listener: Listener) -> None:
        """See Exchange."""
        self._told[talk.id].listeners.append(listener)

    def silence(self, talk: Talk) -> None:
        """See Exchange."""
        self._told[talk.id].listeners.clear()

    def shown(self, talk: Talk) -> list[tuple[Author, str]]:
        """See Exchange."""
        return talk.shown[: sum(self._told[talk.id].shown.values())]

    def durable(self, talk: Talk, author: Author) -> int:
        """See Exchange."""
        return self._told[talk.id].durable[author]

    def times(self, talk: Talk) -> Mapping[int, Sequence[int | None]]:
        """Number to `[seq, durable_ns, shown_ns]` of keys whose times are not on record."""
        return self._told[talk.id].times

    def ways(self, talk: Talk, author: Author) -> Sequence[tuple[int, int, int]]:
        """When each of an author's latest keys was received, durable, and seen by the other side,
        in nanoseconds of the contest's clock; the oldest first."""
        return self._told[talk.id].ways[author]

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
        """A key comes in; see Exchange."""
        if raw is None and n != talk.accepted[author] + 1:
            return False
        out_of_phase = self._out_of_phase(talk, author)
        name = shown_as(key) if out_of_phase is None else None

        def durable(event: Event) -> None:
            told = self._told[talk.id]
            told.durable[author] = max(told.durable[author], n)
            heard = Durable(author, key, n, None)
            if out_of_phase is None:
                if talk.open:
                    told.times[event.seq] = [event.seq, self._now(), None]
                    told.received[event.seq] = event.mono_ns
                if name is not None:
                    told.shown[author] += 1
                    heard = Durable(author, name, n, told.shown[author])
            for listener in list(told.listeners):
                listener(talk, heard)
            if on_durable is not None:
                on_durable()

        body = Key(author, talk.side, key, min(n, LARGEST), raw, list(rules), out_of_phase)
        self._journal.write(talk.id, actor, body, durable)
        return True

    def seen(self, talk: Talk, author: Author, shown: int) -> None:
        """The other side has this author's shown keys up to that number before it: a screen has
        drawn them, or a directory holds them."""
        now, told = self._now(), self._told[talk.id]
        upto = min(shown, told.shown[author])
        for seq in talk.seqs[author][told.seen[author] : upto]:
            # Of others the times are on record, or the talk was closed meanwhile.
            if seq in talk.untimed:
                # When it was durable was known to a server that is gone, if it is not known here.
                row = told.times.setdefault(seq, [seq, None, None])
                row[2], received = now, told.received.pop(seq, None)
                if received is not None and row[1] is not None:
                    told.ways[author].append((received, row[1], now))
        told.seen[author] = max(told.seen[author], upto)

    def flush_times(self, talk: Talk, *, everything: bool = False) -> bool:
        """Records when keys of a talk were durable and shown, of so many keys as fit one event;
        `everything` also of keys that nobody has seen yet. Gives whether there are more."""
        told = self._told[talk.id]
        ripe = (seq for seq, row in told.times.items() if everything or row[2] is not None)
        seqs = list(islice(ripe, TIMES + 1))
        rows = [told.times.pop(seq) for seq in seqs[:TIMES]]
        for seq in seqs[:TIMES]:
            told.received.pop(seq, None)
        if rows:
            self._journal.write(talk.id, "server", Times(rows))
        return len(seqs) > TIMES

    def delay(self, talk: Talk, author: Author, now_ns: int) -> Delay | None:
        """How long an author's keys of the last minute took in a talk that is open; None if there
        were none."""
        since = now_ns - round(WINDOW * 1e9)
        ways = [way for way in self.ways(talk, author) if way[0] >= since]
        if not ways or not talk.open:
            return None
        wholes = [shown - received for received, _, shown in ways]
        whole = statistics.median(wholes)
        # Of a median about 1.25 times that of a mean; `statistics` takes fifteen times as long.
        mean = [statistics.fmean(wholes)] * len(wholes)
        error = 1.25 * math.dist(wholes, mean) / len(wholes)
        console = statistics.median(shown - durable for _, durable, shown in ways)
        real_ms = 1e6 * self._journal.clock.speed
        return Delay(len(ways), round(whole / real_ms), round(console / real_ms), error / real_ms)

    def differing(self, talks: Mapping[Place, Talk], now_ns: int) -> DelaysDiffer | None:
        """What a judge could notice of delays at a desk with these talks; None for nothing."""
        if len(talks) < 2:
            return None
        left, right = talks["left"], talks["right"]
        ways: tuple[tuple[Author, Author], ...] = (("entity", "judge"), ("judge", "entity"))
        for author, to in ways:
            one, other = self.delay(left, author, now_ns), self.delay(right, author, now_ns)
            if one is None or other is None or min(one.keys, other.keys) < ENOUGH:
                continue
            chance = CHANCE * math.hypot(one.error, other.error)
            if abs(one.whole - other.whole) > FAIR_MS[to] + chance:
                place = (left.round, left.attempt, left.judge)
                return DelaysDiffer(*place, to, one.whole, other.whole)
        return None

    def _follow(self, talk: Talk) -> None:
        shown: dict[Author, int] = {author: len(seqs) for author, seqs in talk.seqs.items()}
        self._told[talk.id] = _Told(shown, dict(talk.accepted))

    def _now(self) -> int:
        return round(self._journal.clock.now() * 1e9)

    def _out_of_phase(self, talk: Talk, author: Author) -> str | None:
        phase = self._phase()
        if not talk.open or phase in (Phase.SCORING, Phase.CLOSED, Phase.RANKING, Phase.OVER):
            return Rule.AFTER_END.value
        if author == "entity" and not talk.begun:
            return Rule.WAITS.value
        if phase is not Phase.INTERACTION:
            return Rule.NOT_ON.value
        return None
