"""The hub: carries every key from its author to the other side.

On receipt, a key gets a time stamp, its phase is checked, and it is written to the record. Once it
is durable, the other side sees it and its author gets a confirmation. Keys of confederates and of
entries take the same path, so that their timing doesn't tell a judge which is which.

The hub knows nothing of sockets and directories. Seats and links press keys and listen, by this
contract (tests/contract/test_hub.py):

1. **Durable first.** No listener receives a key, and `on_durable` is not called, before the key is
   in the record.
2. **Accepted once.** A person's key is identified by its number. A number that was accepted
   already, or that skips one, is refused and changes nothing. Each accepted `press` becomes exactly
   one event, however often it is sent.
3. **One order per talk.** All listeners of a talk receive its keys in the order of the record,
   without gaps or repetitions. A listener that starts later continues after the keys of `shown`.
4. **Judged where it is written.** The process with the record sets the time of receipt and the
   phase: a key that is too late by its clock is too late, whatever other clocks say.
5. **Separate talks.** Listeners of a talk receive only that talk's keys.
6. **One form.** All listeners get the same name for a key, regardless of its author and its
   spelling (`lpp.names.shown_as`), so that no name reveals a program. A key that types nothing is
   recorded and confirmed, but not shown: nobody else receives it, no entry gets it, and it has no
   number among the shown keys.
"""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TypeAlias

from contest.record import bodies
from contest.record.bodies import Author, DelaysDiffer, Place, talk_id
from contest.record.events import LARGEST, Event
from contest.record.journal import Journal
from contest.state.model import State, Talk
from contest.state.phases import Phase
from contest.state.reducer import apply
from lpp.keypress import NOT_GROWING, Rule
from lpp.names import shown_as

#: The maximum number of keys whose times go into one event; a longer event would delay the keys
#: after it.
TIMES_PER_EVENT = 500
#: How many keys' delays are kept per author; more than anybody types in a minute.
DELAYS_KEPT = 2000
#: Seconds of contest time over which medians of delays are taken.
WINDOW = 60.0
#: By who reads the keys, the milliseconds of real time by which two medians may differ. Our delays
#: must not help the judge to tell the two sides on the screen apart. Delays at the entity reach the
#: judge only through its answers, where nobody notices a smaller difference.
FAIR_MS: Mapping[Author, int] = {"judge": 2, "entity": 100}
#: A difference of up to this many standard errors may be chance.
CHANCE = 3
#: The minimum number of keys on each side for a reliable median.
KEYS_FOR_MEDIAN = 10


@dataclass(frozen=True, slots=True)
class DurableKey:
    """A key that is in the record.

    Attributes:
        author: who pressed it.
        key: the name that all others receive, from `lpp.names.shown_as`; for a key that is not
            shown, the name as received.
        n: the author's number for the key.
        shown: its number among this author's shown keys, from 1; None if it is not shown, because
            it is out of phase or types nothing.
    """

    author: Author
    key: str
    n: int
    shown: int | None


Listener: TypeAlias = Callable[[Talk, DurableKey], None]


@dataclass(frozen=True, slots=True)
class Delay:
    """How long an author's recent keys in a talk took: medians in milliseconds of real time.

    Attributes:
        keys: the number of keys.
        whole: from receipt until the server knows that the other side has the key: on a screen, or
            in a directory.
        console: from when a key is durable until then; the round trip to the other side's machine.
        error: the standard error of `whole`.
    """

    keys: int
    whole: int
    console: int
    error: float = 0.0


@dataclass
class Progress:
    """The progress of a talk's keys. The hub starts from a state in which all keys are durable.

    Attributes:
        shown: how many of each author's shown keys are durable.
        durable: the highest durable key number of each author.
        seen: how many of each author's shown keys the other side has received.
        times: event number to `[seq, durable_ns, shown_ns]` of keys with times not yet recorded.
        received: event number to time of receipt, of keys that the other side does not have yet.
        timings: when each of the latest keys was received, durable and seen, by author; in
            nanoseconds of the contest's clock.
    """

    shown: dict[Author, int]
    durable: dict[Author, int]
    seen: dict[Author, int] = field(default_factory=lambda: {"judge": 0, "entity": 0})
    times: dict[int, list[int | None]] = field(default_factory=dict)
    received: dict[int, int] = field(default_factory=dict)
    timings: dict[Author, deque[tuple[int, int, int]]] = field(
        default_factory=lambda: {
            "judge": deque(maxlen=DELAYS_KEPT),
            "entity": deque(maxlen=DELAYS_KEPT),
        }
    )
    listeners: list[Listener] = field(default_factory=list)


class Hub:
    """All talks of a contest, in the process that has its record.

    Arguments:
        journal: the record.
        phase: gives the contest's phase.
        state: the state of a contest that has begun. Events are applied to it when written.

    Attributes:
        journal, state: see above.
        talks: all talks that were opened, by id, in the order in which they were opened.
        progress: the progress of their keys, by the talks' ids.
    """

    def __init__(
        self, journal: Journal, phase: Callable[[], Phase], state: State | None = None
    ) -> None:
        self.state = state = State() if state is None else state
        journal.apply = partial(apply, state)
        self.journal = journal
        self._phase = phase
        self.progress: dict[str, Progress] = {}
        self.talks: Mapping[str, Talk] = state.talks
        for talk in state.talks.values():
            self._follow(talk)

    @property
    def paused(self) -> bool:
        """Whether the interaction is paused."""
        return self._phase() is Phase.PAUSED

    def open_talk(self, round_: int, attempt: int, judge: str, entity: str, side: Place) -> Talk:
        """Opens a talk and its chain."""
        name = talk_id(round_, attempt, judge, side)
        self.journal.write(name, "server", bodies.TalkOpened(round_, attempt, judge, entity, side))
        self._follow(self.talks[name])
        return self.talks[name]

    def close_talk(self, talk: Talk) -> None:
        """Closes a talk; later keys are recorded as out of phase."""
        while self.flush_times(talk, everything=True):
            pass
        for timings in self.progress[talk.id].timings.values():
            timings.clear()
        self.journal.write(talk.id, "server", bodies.TalkClosed())

    def listen(self, talk: Talk, listener: Listener) -> None:
        """Adds a listener, which is called with each further key of a talk once it is durable.
        Listeners are called in the order in which they were added."""
        self.progress[talk.id].listeners.append(listener)

    def remove_listeners(self, talk: Talk) -> None:
        """Removes all listeners of a talk."""
        self.progress[talk.id].listeners.clear()

    def shown(self, talk: Talk) -> list[tuple[Author, str]]:
        """The author, and the name that others receive, of each durable key that is shown, in
        order."""
        return talk.shown[: sum(self.progress[talk.id].shown.values())]

    def durable(self, talk: Talk, author: Author) -> int:
        """The highest durable key number of an author."""
        return self.progress[talk.id].durable[author]

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
        """Accepts or refuses a key.

        Arguments:
            talk: the talk.
            author: which of the two sides pressed it.
            actor: the seat's or entry's id.
            key: the key's name.
            n: the author's number for the key. A person's numbers count from 1 without gaps, and
                identify the keys; an entry's are those of its directory.
            raw: for an entry, the directory's name.
            rules: the protocol's rules that the key is known to break. That its number is not
                greater than the last one is added, because a new link doesn't know that number.
            on_durable: called once the key is in the record.

        Returns:
            Whether it was accepted. A person's key is refused if its number was taken already, or
            does not follow the last one.
        """
        if raw is None and n != talk.accepted[author] + 1:
            return False
        if raw is not None and n <= talk.last_number and NOT_GROWING.isdisjoint(rules):
            rule = Rule.UNIQUE if n == talk.last_number else Rule.NUMERIC
            rules = [*rules, rule.value]
        out_of_phase = self._out_of_phase(talk, author)
        name = shown_as(key) if out_of_phase is None else None

        def durable(event: Event) -> None:
            progress = self.progress[talk.id]
            progress.durable[author] = max(progress.durable[author], n)
            pressed = DurableKey(author, key, n, None)
            if out_of_phase is None:
                if talk.open:
                    progress.times[event.seq] = [event.seq, self._now(), None]
                    progress.received[event.seq] = event.mono_ns
                if name is not None:
                    progress.shown[author] += 1
                    pressed = DurableKey(author, name, n, progress.shown[author])
            for listener in list(progress.listeners):
                listener(talk, pressed)
            if on_durable is not None:
                on_durable()

        body = bodies.Key(author, talk.side, key, min(n, LARGEST), raw, list(rules), out_of_phase)
        self.journal.write(talk.id, actor, body, durable)
        return True

    def seen(self, talk: Talk, author: Author, shown: int) -> None:
        """Notes that the other side has this author's shown keys up to this number: drawn on a
        screen, or in a directory."""
        now, progress = self._now(), self.progress[talk.id]
        upto = min(shown, progress.shown[author])
        for seq in talk.seqs[author][progress.seen[author] : upto]:
            # The times of other keys are recorded, or their talk was closed meanwhile.
            if seq in talk.untimed:
                # The time when the key became durable is unknown if an earlier server recorded it.
                row = progress.times.setdefault(seq, [seq, None, None])
                row[2], received = now, progress.received.pop(seq, None)
                if received is not None and row[1] is not None:
                    progress.timings[author].append((received, row[1], now))
        progress.seen[author] = max(progress.seen[author], upto)

    def flush_times(self, talk: Talk, *, everything: bool = False) -> bool:
        """Records when keys of a talk were durable and shown, for as many keys as fit in one event;
        with `everything` also keys that the other side does not have yet. Returns whether there are
        more."""
        progress = self.progress[talk.id]
        ripe = (seq for seq, row in progress.times.items() if everything or row[2] is not None)
        seqs = list(islice(ripe, TIMES_PER_EVENT + 1))
        rows = [progress.times.pop(seq) for seq in seqs[:TIMES_PER_EVENT]]
        for seq in seqs[:TIMES_PER_EVENT]:
            progress.received.pop(seq, None)
        if rows:
            self.journal.write(talk.id, "server", bodies.Times(rows))
        return len(seqs) > TIMES_PER_EVENT

    def delay(self, talk: Talk, author: Author, now_ns: int) -> Delay | None:
        """How long an author's keys of the last minute took in an open talk; None if there were
        none."""
        since = now_ns - round(WINDOW * 1e9)
        timings = [
            timing for timing in self.progress[talk.id].timings[author] if timing[0] >= since
        ]
        if not timings or not talk.open:
            return None
        wholes = [shown - received for received, _, shown in timings]
        whole = statistics.median(wholes)
        # A median's error is about 1.25 times a mean's. `statistics` would take 15 times as long.
        mean = [statistics.fmean(wholes)] * len(wholes)
        error = 1.25 * math.dist(wholes, mean) / len(wholes)
        console = statistics.median(shown - durable for _, durable, shown in timings)
        real_ms = 1e6 * self.journal.clock.speed
        return Delay(
            len(timings), round(whole / real_ms), round(console / real_ms), error / real_ms
        )

    def delay_difference(self, talks: Mapping[Place, Talk], now_ns: int) -> DelaysDiffer | None:
        """A difference of delays that a judge could notice at a desk with these talks, or None."""
        if len(talks) < 2:
            return None
        left, right = talks["left"], talks["right"]
        directions: tuple[tuple[Author, Author], ...] = (("entity", "judge"), ("judge", "entity"))
        for author, to in directions:
            one, other = self.delay(left, author, now_ns), self.delay(right, author, now_ns)
            if one is None or other is None or min(one.keys, other.keys) < KEYS_FOR_MEDIAN:
                continue
            chance = CHANCE * math.hypot(one.error, other.error)
            if abs(one.whole - other.whole) > FAIR_MS[to] + chance:
                place = (left.round, left.attempt, left.judge)
                return DelaysDiffer(*place, to, one.whole, other.whole)
        return None

    def _follow(self, talk: Talk) -> None:
        shown: dict[Author, int] = {author: len(seqs) for author, seqs in talk.seqs.items()}
        self.progress[talk.id] = Progress(shown, dict(talk.accepted))

    def _now(self) -> int:
        return round(self.journal.clock.now() * 1e9)

    def _out_of_phase(self, talk: Talk, author: Author) -> str | None:
        phase = self._phase()
        if not talk.open or phase in (Phase.SCORING, Phase.CLOSED, Phase.RANKING, Phase.OVER):
            return Rule.AFTER_END.value
        if author == "entity" and not talk.begun:
            return Rule.WAITS.value
        if phase is not Phase.INTERACTION:
            return Rule.NOT_ON.value
        return None
