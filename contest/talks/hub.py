"""The hub: every key's one way from who pressed it to who sees it.

A key is stamped and judged on receipt, written to the record, and only when it is durable shown to
the other side and confirmed to its own. A confederate's key and an entry's key take the same way,
so that nothing in timing tells a judge which is which.

The hub knows no sockets and no directories: those who sit at a talk (seats and links) give keys in
and listen, by the contract of `contest.talks.exchange`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from contest.record.bodies import (
    LARGEST,
    Author,
    Key,
    Place,
    TalkClosed,
    TalkOpened,
    Times,
    talk_id,
)
from contest.record.events import Event
from contest.record.journal import Journal
from contest.state.phases import Phase
from contest.talks.exchange import Durable, Talk
from lpp.clock import Clock
from lpp.names import shown_as
from lpp.violations import Rule

__all__ = ["Durable", "Hub", "Talk"]

#: Keys whose times stand in one event: those of a flood would hold up the keys behind it.
TIMES = 500


class Hub:
    """All talks of a contest, in the process that has its record; see
    contest.talks.exchange.Exchange.

    Arguments:
        journal: the record.
        clock: the contest's clock.
        phase: the phase of the round that is on.
    """

    def __init__(self, journal: Journal, clock: Clock, phase: Callable[[], Phase]) -> None:
        self._journal = journal
        self._clock = clock
        self._phase = phase
        self.talks: dict[str, Talk] = {}

    @property
    def paused(self) -> bool:
        """Whether the clock of the interaction stands still."""
        return self._phase() is Phase.PAUSED

    def restore(self, talks: Iterable[Talk]) -> None:
        """Takes in the talks of a contest that is taken up again from its record."""
        self.talks.update((talk.id, talk) for talk in talks)

    def open_talk(self, round_: int, attempt: int, judge: str, entity: str, side: Place) -> Talk:
        """Opens a talk and its chain."""
        talk = Talk(talk_id(round_, attempt, judge, side), round_, attempt, judge, entity, side)
        self.talks[talk.id] = talk
        self._journal.write(
            talk.id, "server", TalkOpened(round_, attempt, judge, talk.entity, side)
        )
        return talk

    def close_talk(self, talk: Talk) -> None:
        """Closes a talk; keys that come later are recorded as out of phase."""
        while self.flush_times(talk, everything=True):
            pass
        talk.open = False
        self._journal.write(talk.id, "server", TalkClosed())

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
        if raw is None:
            if n != talk.accepted[author] + 1:
                return False
            talk.accepted[author] = n
        out_of_phase = self._out_of_phase(talk, author)
        if out_of_phase is None and author == "judge" and shown_as(key) is not None:
            talk.begun = True

        def durable(event: Event) -> None:
            self._on_durable(talk, event, Durable(author, key, n, None), out_of_phase is None)
            if on_durable is not None:
                on_durable()

        body = Key(author, talk.side, key, min(n, LARGEST), raw, list(rules), out_of_phase)
        self._journal.write(talk.id, actor, body, durable)
        return True

    def seen(self, talk: Talk, author: Author, shown: int) -> None:
        """The other side has this author's shown keys up to that number before it: a screen has
        drawn them, or a directory holds them."""
        now = round(self._clock.now() * 1e9)
        seqs = talk.seqs[author]
        upto = min(shown, len(seqs))
        for seq in seqs[talk.seen[author] : upto]:
            # Of a talk that was closed meanwhile the times are on record, as far as they go.
            if seq in talk.times:
                talk.times[seq][2] = now
        talk.seen[author] = max(talk.seen[author], upto)

    def flush_times(self, talk: Talk, *, everything: bool = False) -> bool:
        """Records when keys were durable and shown, of so many keys as fit one event.

        Arguments:
            talk: whose keys.
            everything: also of keys that nobody has seen yet.

        Returns:
            Whether there are more.
        """
        ripe = (row for row in talk.times.values() if everything or row[2] is not None)
        rows = list(islice(ripe, TIMES + 1))
        for row in rows[:TIMES]:
            assert row[0] is not None
            del talk.times[row[0]]
        if rows:
            self._journal.write(talk.id, "server", Times(rows[:TIMES]))
        return len(rows) > TIMES

    def _out_of_phase(self, talk: Talk, author: Author) -> str | None:
        phase = self._phase()
        if not talk.open or phase in (Phase.SCORING, Phase.CLOSED, Phase.RANKING, Phase.OVER):
            return Rule.AFTER_END.value
        if author == "entity" and not talk.begun:
            return Rule.WAITS.value
        if phase is not Phase.INTERACTION:
            return Rule.NOT_ON.value
        return None

    def _on_durable(self, talk: Talk, event: Event, key: Durable, in_phase: bool) -> None:
        talk.durable[key.author] = max(talk.durable[key.author], key.n)
        if in_phase:
            talk.times[event.seq] = [event.seq, round(self._clock.now() * 1e9), None]
            name = shown_as(key.key)
            if name is not None:
                key = Durable(key.author, name, key.n, _show(talk, event, key.author, name))
        for listener in list(talk.listeners):
            listener(talk, key)


def restore_key(talk: Talk, event: Event, key: Key) -> None:
    """Puts a key that is in the record where it was in its talk.

    When it was durable and shown was known to a server that is gone, if it is not in the record:
    then it is shown, as far as we know, when somebody confirms it again.

    Arguments:
        talk: as it was before this key.
        event: the key's.
        key: its body.
    """
    author = key.author
    if key.raw is None:
        talk.accepted[author] = max(talk.accepted[author], key.n)
    talk.durable[author] = max(talk.durable[author], key.n)
    name = shown_as(key.key)
    if key.out_of_phase is None:
        talk.times[event.seq] = [event.seq, None, None]
        if name is not None:
            talk.begun = True
            _show(talk, event, author, name)


def restore_times(talk: Talk, times: Times) -> None:
    """Takes in that the times of keys are on record; see `restore_key`."""
    for row in times.keys:
        if row and row[0] is not None:
            talk.times.pop(row[0], None)


def _show(talk: Talk, event: Event, author: Author, name: str) -> int:
    """Puts a key among those that are shown.

    Returns:
        Its number among its author's.
    """
    talk.shown.append((author, name))
    talk.shown_ns.append(event.mono_ns)
    talk.seqs[author].append(event.seq)
    return len(talk.seqs[author])
