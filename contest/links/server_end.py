"""The server's end of a link to an entry on another machine, without any I/O.

It takes each numbered frame once, knows again what a link that was started anew finds standing in
the directory, and says which frames to send. The shell around it is remote.py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from contest.links import linkwire
from contest.links.linkwire import AHEAD, WINDOW
from contest.live.refusal import Refusal

#: Names of keys that are remembered until the link says that they are gone; the oldest are
#: forgotten beyond it, so that a link that never says so can't fill our memory.
REMEMBERED = 50_000


class NotTaken(Refusal):
    """A frame of a link that can't be taken."""


@dataclass
class Item:
    """A numbered frame that was taken in, to be put on record.

    Attributes:
        n: its number.
        frame: it.
        life: of the link that sent it.
        done: whether it is durable.
        again: the same key, as it came in from the link's next life.
    """

    n: int
    frame: linkwire.Numbered
    life: str = ""
    done: bool = False
    again: Item | None = None


class ServerEnd:
    """The server's end.

    Arguments:
        entry: the entry's id.
        title: the contest's name.
        contest: what tells this contest from any other.
        talk: the number of the entry's talk that is on; more than 0 where a contest is taken up
            again from its record.
        known: the names of keys of that talk that are in the record.

    Attributes:
        talk: the number of the entry's talk that is on, or was last; 0 before the first.
        prepared: whether the directory is empty for it.
        made: keys of the judge that were made in it.
        life: of the link that was there last.
    """

    def __init__(
        self, entry: str, title: str, contest: str, talk: int = 0, known: Iterable[str] = ()
    ) -> None:
        self.entry, self._title, self._contest = entry, title, contest
        self.talk = talk
        self.prepared = talk == 0
        self.made = 0
        self.life = ""
        self._keys: list[str] = []
        self._connected = False
        self._accepted = 0
        self._taken = 0
        # Taken in and not yet durable, with what was taken in behind them, in order.
        self._waiting: deque[Item] = deque()
        # None for one that an earlier server took.
        self._known: dict[str, Item | None] = dict.fromkeys(known)
        # Those of this life of the link that may still stand in the directory, by their numbers.
        self._standing: deque[tuple[str, Item]] = deque(maxlen=REMEMBERED)
        self._to_send: list[linkwire.ToLink] = []
        self._told_taken = self._sent = 0
        self._asked = False
        # Orders to start the program anew: given, and carried out as far as is known.
        self._restart = self._restarted = 0
        self._restart_sent = False

    # The contest

    def prepare(self) -> None:
        """A talk is to come, for which the directory has to be emptied."""
        self.talk += 1
        self._keys.clear()
        self.made = self._sent = 0
        self.prepared = self._asked = False

    def press(self, key: str) -> None:
        """A key of the judge is to be made."""
        self._keys.append(key)

    @property
    def waiting(self) -> int:
        """Keys of the judge that are not yet made, as far as is known."""
        return len(self._keys) - self.made

    def restart(self) -> None:
        """The entry's program is to be ended and started anew."""
        self._restart += 1
        self._restart_sent = False

    def durable(self, item: Item) -> None:
        """What an item says is in the record."""
        each: Item | None = item
        while each is not None:
            each.done = True
            each = each.again
        while self._waiting and self._waiting[0].done:
            self._taken = self._waiting.popleft().n

    # The connection

    def hello(self, frame: linkwire.Hello) -> None:
        """A link has come; what it is told first goes out next.

        Raises:
            NotTaken: if numbers are missing.
        """
        if frame.life == self.life:
            if frame.next > self._accepted + 1:
                raise NotTaken("gap", f"number {self._accepted + 1} is missing", "hello")
        else:
            self.life = frame.life
            self._waiting.clear()
            self._standing.clear()
            self._accepted = self._taken = frame.next - 1
        if frame.contest == self._contest and frame.talk == self.talk:
            self.prepared = True
            self.made = min(frame.made, len(self._keys))
        else:
            self.prepared = self.talk == 0
            self.made = 0
        self._sent, self._asked = self.made, False
        self._restart_sent = False
        self._connected = True
        self._told_taken = self._taken
        self._to_send = [linkwire.Welcome(self.entry, self._title, self._contest, self._taken)]

    def lost(self) -> None:
        """The connection is gone."""
        self._connected = False
        self._to_send.clear()

    def take(self, frame: linkwire.ToServer) -> Item | None:
        """A frame has come from the link.

        Returns:
            What is to be put on record, and then to be told `durable`; None if it was taken
            before, or is not for the record.

        Raises:
            NotTaken: if the link breaks the rules of the exchange.
        """
        match frame:
            case linkwire.Hello():
                raise NotTaken("hello", "this link has said hello before", "hello")
            case linkwire.Made():
                if frame.talk == self.talk:
                    if frame.upto > self._sent:
                        raise NotTaken("made", f"key {frame.upto} was never sent", "made")
                    self.made = max(self.made, frame.upto)
            case linkwire.Gone():
                self._forget(frame.upto)
            case linkwire.Standing() | linkwire.Pong():
                pass
            case _:
                return self._number(frame)
        return None

    def outgoing(self) -> list[linkwire.ToLink]:
        """What is to be sent now, in order; each is given once in a connection."""
        if not self._connected:
            return []
        frames, self._to_send = self._to_send, []
        if self._told_taken < self._taken:
            self._told_taken = self._taken
            frames.append(linkwire.Taken(self._taken))
        if self._restarted < self._restart and not self._restart_sent:
            self._restart_sent = True
            frames.append(linkwire.Restart(self._restart))
        if not self.prepared and not self._asked:
            self._asked = True
            frames.append(linkwire.Prepare(self.talk))
        if self.prepared:
            upto = min(len(self._keys), self.made + AHEAD)
            for n in range(self._sent + 1, upto + 1):
                frames.append(linkwire.Press(self.talk, n, self._keys[n - 1]))
            self._sent = max(self._sent, upto)
        return frames

    def _number(self, frame: linkwire.Numbered) -> Item | None:
        if frame.n <= self._accepted:
            return None
        tag = str(frame.__struct_config__.tag)
        if frame.n > self._accepted + 1:
            raise NotTaken("gap", f"number {self._accepted + 1} is missing", tag)
        if frame.n > self._taken + WINDOW:
            raise NotTaken("flood", f"more than {WINDOW} frames before they are taken", tag)
        self._accepted = frame.n
        item = Item(frame.n, frame, self.life)
        self._waiting.append(item)
        match frame:
            case linkwire.Key():
                return item if self._is_new(frame.raw, item) else None
            case linkwire.LeftOvers():
                # What the link's last life has told as keys is no left-over.
                names = [name for name in frame.names if name not in self._known]
                item.frame = linkwire.LeftOvers(frame.n, frame.talk, names)
            case linkwire.Started():
                self._restarted = self._restart
            case linkwire.Prepared():
                # Sent again to a server that was started anew, it clears nothing: keys have come
                # since the directory was emptied.
                if frame.talk == self.talk and not self.prepared:
                    self.prepared = True
                    self._known.clear()
        return item

    def _is_new(self, raw: str, item: Item) -> bool:
        is_known = raw in self._known
        before = self._known.pop(raw, None)
        self._known[raw] = item
        self._standing.append((raw, item))
        if len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]
        if not is_known or (before is not None and before.life == self.life):
            return True  # a writer that repeats itself, in the same life
        if before is not None:
            before.again = item
        if before is None or before.done:
            self.durable(item)
        return False

    def _forget(self, upto: int) -> None:
        while self._standing and self._standing[0][1].n <= upto:
            raw, item = self._standing.popleft()
            if self._known.get(raw) is item:
                del self._known[raw]
