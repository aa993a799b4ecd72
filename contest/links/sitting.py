"""An entry's place at a talk: what every link does with what comes from the entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from contest.links.held import Held
from contest.links.linkwire import UNDER_WAY
from contest.record.bodies import (
    AnyBody,
    Breach,
    EntryExited,
    EntryStarted,
    KeyInDoubt,
    LeftOvers,
    Trouble,
)
from contest.record.events import Event
from contest.record.journal import Journal
from contest.state.model import Talk
from contest.talks.exchange import Durable, Exchange
from lpp.keypress import KeyPress, printable
from lpp.violations import Rule

#: Names of left-overs in one event: a flood must not make one that nobody can carry.
NAMES = 1000
#: Seconds that a judge's key may stand unread before it is told of: an entry that is right reads
#: within one.
UNREAD = 5.0


class Sitting:
    """One entry's place.

    Arguments:
        entry: the entry's id.
        journal: the record.
        hub: where keys go.
        hear: told of each of the judge's keys that is to be made.
        on_room: called when there is room for more in the record, after there was none.

    Attributes:
        talk: where the entry sits; None between talks.
    """

    def __init__(
        self,
        entry: str,
        journal: Journal,
        hub: Exchange,
        hear: Callable[[Talk, Durable], None],
        on_room: Callable[[], None],
    ) -> None:
        self.entry = entry
        self.talk: Talk | None = None
        self._journal = journal
        self._hub = hub
        self._to = hear
        self._on_room = on_room
        self._writing = 0  # events of this entry that are not yet durable
        self._stuck: float | None = None
        self._held = Held(lambda: hub.paused, journal.clock)

    @property
    def room(self) -> bool:
        """Whether the record takes more of this entry now. The record is written in the order of
        coming, so what a flooding entry has beyond this would keep other desks waiting."""
        return self._writing < UNDER_WAY

    def join(self, talk: Talk) -> None:
        """From now on the entry sits at this talk."""
        self.talk = talk
        self._hub.listen(talk, self._hear)

    def leave(self) -> None:
        """The talk is over for the entry."""
        self._held.let_go()
        self.talk = None

    def close(self) -> None:
        """The link ends; what is held stands in the directory."""
        self._held.drop()

    def _hear(self, talk: Talk, key: Durable) -> None:
        if key.author == "judge" and key.shown is not None:
            self._to(talk, key)

    def take(
        self,
        press: KeyPress,
        rules: Sequence[Rule],
        on_durable: Callable[[], None],
        *,
        late: bool = False,
    ) -> None:
        """A key of the entry. One that comes in a pause waits for its end (held.py).

        Arguments:
            press: which.
            rules: what it breaks.
            on_durable: called when it is in the record, be it as a key or as a breach.
            late: whether it belongs to an earlier talk than the one that is on.
        """
        raw, talk = printable(press.raw), self.talk
        if talk is None or late:
            detail = "came when its talk was over" if late else "typed while no talk was on"
            self.breach(Rule.NOT_ON, raw, detail, on_durable)
            return

        def durable() -> None:
            on_durable()
            self._done()

        def give_on() -> None:
            self._writing += 1
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

        self._held.take(give_on)

    def made(self, talk: Talk, shown: int) -> None:
        """The judge's keys up to that number stand in the directory."""
        self._hub.seen(talk, "judge", shown)

    def breach(
        self, rule: Rule, name: str, detail: str, on_durable: Callable[[], None] | None = None
    ) -> None:
        """Puts a breach that belongs to no key press on record."""
        self._write(self.entry, Breach(self.entry, rule.value, printable(name), detail), on_durable)

    def trouble(self, what: str, where: str = "directory") -> None:
        """Puts trouble with the entry's directory, or its link, on record."""
        self._write("server", Trouble(f"{where} of {self.entry}", what))

    def in_doubt(self, talk: int, n: int) -> None:
        """Puts on record that key `n` of the judge may have been made twice in the entry's talk
        number `talk`."""
        self._write("server", KeyInDoubt(self.entry, talk, n))

    def left_overs(self, names: Sequence[str]) -> None:
        """Puts what stood in the directory before a talk on record, in parts."""
        for first in range(0, len(names), NAMES):
            self._write("server", LeftOvers(self.entry, list(names[first : first + NAMES])))

    def program(self, body: EntryStarted | EntryExited) -> None:
        """Puts on record how the entry's program does."""
        self._write("server" if isinstance(body, EntryStarted) else self.entry, body)

    def _write(
        self, actor: str, body: AnyBody, on_durable: Callable[[], None] | None = None
    ) -> None:
        def durable(_event: Event) -> None:
            if on_durable is not None:
                on_durable()
            self._done()

        self._writing += 1
        self._journal.write(None, actor, body, durable)

    def _done(self) -> None:
        full = not self.room
        self._writing -= 1
        if full:
            self._on_room()

    def reading(self, standing: int, since: float, now: float) -> None:
        """Tells of an entry that stops reading, and of its going on.

        Arguments:
            standing: how many of the judge's keys stand unread.
            since: when the oldest of them was made; seconds of the same clock as `now`.
            now: the time.
        """
        if not standing:
            if self._stuck is not None:
                seconds = now - self._stuck
                self.trouble(f"the entry has read all again, after some {seconds:.0f} seconds")
            self._stuck = None
        elif self._stuck is None and now - since >= UNREAD:
            self._stuck = since
            self.trouble(
                f"{standing} keys of the judge stand unread, the oldest for "
                f"{now - since:.0f} seconds: the entry is stopped, slow or gone"
            )
