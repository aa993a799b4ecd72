"""Both ends of a link, without any I/O: the server's end and the entry's end.

Each takes a numbered frame once, and says which frames to send. Frames for the record are numbered,
kept until the server has taken them, and sent again after a reconnect. The server's end recognizes
keys that a restarted link finds in the directory. The entry's end says which directories may be
removed, which of the judge's keys to make, and when to empty the directory. `link` and `directory`
wrap them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from contest.errors import Refusal
from contest.links import linkwire
from contest.links.linkwire import AHEAD, UNDER_WAY, WINDOW, WireError
from lpp.keypress import Rule

#: How many names of keys the server remembers until the link reports that they have been removed.
REMEMBERED = 50_000
#: While this many frames wait at a link, reports other than keys are dropped.
QUEUED_REPORTS = 2000
#: The maximum number of bytes of names in one frame of left-overs, as JSON.
NAMES = 32 * 1024
#: The maximum number of characters of a text in a report.
TEXT = 1000


@dataclass(eq=False)
class Item:
    """A frame for the record.

    Attributes:
        frame: the frame from the link.
        n: its number; 0 for a frame from an earlier life of the link.
        done: whether it is durable.
    """

    frame: linkwire.Numbered
    n: int
    done: bool = False


class ServerEnd:
    """The server's end of a link.

    Arguments:
        entry: the entry's id.
        title: the contest's name.
        contest: the contest's id.
        talk: the number of the entry's current talk; above 0 after a restart of the server.
        known: the names of that talk's keys in the record.

    Attributes:
        talk: the number of the entry's current or last talk; 0 before the first.
        prepared: whether the directory was emptied for it.
        made: how many of the judge's keys were made in it.
        life: the life of the link that connected last.
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
        # All items, in order, from the first one that is not durable; those of them that were not
        # given to the record yet; and how many were given to it and are not durable yet.
        self._waiting: deque[Item] = deque()
        self._to_give: deque[Item] = deque()
        self._under_way = 0
        # Name of a key to the life of the link that last sent it (None: to an earlier server) and
        # its number; and numbers and names of this life's keys that may still be in the directory.
        self._known: dict[str, tuple[str | None, int]] = dict.fromkeys(known, (None, 0))
        self._standing: deque[tuple[int, str]] = deque(maxlen=REMEMBERED)
        self._to_send: list[linkwire.ToLink] = []
        self._confirmed = self._sent = 0
        self._asked = False
        # Orders to restart the program: how many were given and, as far as known, carried out.
        self._restart = self._restarted = 0
        self._restart_sent = False

    # The contest

    def prepare(self) -> None:
        """Begins a new talk, for which the directory must be emptied."""
        self.talk += 1
        self._keys.clear()
        self.made = self._sent = 0
        self.prepared = self._asked = False

    def press(self, key: str) -> None:
        """Adds a key of the judge, to be made in the directory."""
        self._keys.append(key)

    @property
    def waiting(self) -> int:
        """How many of the judge's keys are not made yet, as far as known."""
        return len(self._keys) - self.made

    def restart(self) -> None:
        """Orders a restart of the entry's program."""
        self._restart += 1
        self._restart_sent = False

    def to_record(self, *, everything: bool = False) -> Item | None:
        """The next item to record; the caller calls `durable` once it is. None if there is none or,
        without `everything`, while `UNDER_WAY` items are not durable yet: the record is written in
        the order of arrival, and one link's flood must not delay other desks' keys."""
        if not self._to_give or (self._under_way >= UNDER_WAY and not everything):
            return None
        self._under_way += 1
        return self._to_give.popleft()

    def durable(self, item: Item) -> None:
        """Notes that an item is in the record."""
        item.done = True
        self._under_way -= 1
        self._confirm()

    def _confirm(self) -> None:
        while self._waiting and self._waiting[0].done:
            self._taken = max(self._taken, self._waiting.popleft().n)

    # The connection

    def hello(self, frame: linkwire.Hello) -> None:
        """Handles the hello of a link, and prepares the answer.

        Raises:
            Refusal: if numbers are missing.
        """
        if frame.life == self.life:
            if frame.next > self._accepted + 1:
                raise Refusal("gap", f"number {self._accepted + 1} is missing", "hello")
        else:
            self.life = frame.life
            # The new life counts from 1; frames from the last one are still recorded.
            for item in self._waiting:
                item.n = 0
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
        self._confirmed = self._taken
        self._to_send = [linkwire.Welcome(self.entry, self._title, self._contest, self._taken)]

    def lost(self) -> None:
        """Handles the loss of the connection."""
        self._connected = False
        self._to_send.clear()

    def take(self, frame: linkwire.ToServer) -> None:
        """Handles a frame from the link; `to_record` returns those for the record.

        Raises:
            Refusal: if the link breaks the rules of the exchange.
        """
        match frame:
            case linkwire.Hello():
                raise Refusal("hello", "this link has already said hello", "hello")
            case linkwire.Made():
                if frame.talk == self.talk:
                    if frame.upto > self._sent:
                        raise Refusal("made", f"key {frame.upto} was never sent", "made")
                    self.made = max(self.made, frame.upto)
            case linkwire.Gone():
                while self._standing and self._standing[0][0] <= frame.upto:
                    n, raw = self._standing.popleft()
                    if self._known.get(raw) == (self.life, n):
                        del self._known[raw]
            case linkwire.Standing() | linkwire.Pong():
                pass
            case _:
                self._number(frame)

    def outgoing(self) -> list[linkwire.ToLink]:
        """The frames to send now, in order; each is returned once per connection."""
        if not self._connected:
            return []
        frames, self._to_send = self._to_send, []
        if self._confirmed < self._taken:
            self._confirmed = self._taken
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

    def _number(self, frame: linkwire.Numbered) -> None:
        if frame.n <= self._accepted:
            return
        tag = str(frame.__struct_config__.tag)
        if frame.n > self._accepted + 1:
            raise Refusal("gap", f"number {self._accepted + 1} is missing", tag)
        if frame.n > self._taken + WINDOW:
            raise Refusal("flood", f"more than {WINDOW} frames before they are taken", tag)
        self._accepted = frame.n
        item = Item(frame, frame.n)
        match frame:
            case linkwire.Key():
                item.done = self._is_known(frame)
                self._standing.append((frame.n, frame.raw))
            case linkwire.LeftOvers():
                # Keys that the link's last life sent are not left-overs.
                names = [name for name in frame.names if name not in self._known]
                item.frame = linkwire.LeftOvers(frame.n, frame.talk, names)
            case linkwire.Started():
                self._restarted = self._restart
            case linkwire.Prepared():
                # If it was sent again to a new server, clear nothing: keys have come since the
                # directory was emptied.
                if frame.talk == self.talk and not self.prepared:
                    self.prepared = True
                    self._known.clear()
        self._waiting.append(item)
        if not item.done:
            self._to_give.append(item)
        self._confirm()

    def _is_known(self, frame: linkwire.Key) -> bool:
        """Whether an earlier life of the link sent the same key. It was given to the record then,
        and is taken once all frames before it are durable."""
        life, _ = self._known.pop(frame.raw, (self.life, 0))
        self._known[frame.raw] = (self.life, frame.n)
        if len(self._known) > REMEMBERED:
            # Forget the oldest, so that a faulty link can't fill the memory.
            del self._known[next(iter(self._known))]
        return life != self.life


class LinkRefused(Exception):
    """The server refuses the link.

    Attributes:
        code: the code from the wire.
    """

    exit_code = 1

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class SavedState(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The data that a link keeps across restarts: the contest and talk for which the directory was
    last emptied, and how many of the judge's keys were made in it. `number` is the highest sequence
    number of the judge's keys; with `doing`, it is the number of key `made + 1`, which was about to
    be made. `serial` counts the states that were saved."""

    contest: str = ""
    talk: int = 0
    made: int = 0
    number: int = -1
    doing: bool = False
    serial: int = 0


class EntryEnd:
    """The entry's end of a link.

    Arguments:
        code: the entry's code; may be changed for the next connection.
        life: a text that differs for each process that runs a link.
        client: the link's name and version.
        saved_state: the data from the last life's file.

    Attributes:
        contest, talk: the contest and talk for which the directory was last emptied.
        to_empty: the talk for which the directory must be emptied now, if any.
        presses: the judge's keys to make, as (number, key name), in order.
        to_restart: whether the entry's program must be restarted; reset by the caller.
        connected: whether the server has welcomed the link, and the connection is open.
        welcomed: whether a server has ever welcomed the link.
        entry, server_contest: the entry's id and the contest's id from the server; empty before.
    """

    def __init__(self, code: str, life: str, client: str, saved_state: SavedState) -> None:
        self.code, self._life, self._client = code, life, client
        self.contest, self.talk = saved_state.contest, saved_state.talk
        self._made = saved_state.made
        self._received = saved_state.made  # the highest number of the judge's keys received
        self.to_empty: int | None = None
        self.presses: deque[tuple[int, str]] = deque()
        self.to_restart = False
        self._restarts = 0
        self.connected = False
        self.welcomed = False
        self.entry = ""
        self.server_contest = ""
        self._numbered: deque[linkwire.Numbered] = deque()
        self._next = 1
        self._taken = 0
        self._sent = 0
        self._raw_names: dict[int, str] = {}  # keys that must stay in the directory
        self._released: dict[int, str] = {}  # keys that may be removed, and may still be there
        self._gone = 0
        self._standing = linkwire.Standing(0, 0)
        # The last frame of each kind of status that the server has.
        self._reported: dict[type, linkwire.ToServer] = {}
        self._pongs: list[linkwire.Pong] = []

    # Events on the entry's machine

    def key(self, raw: str, rules: Sequence[Rule] = ()) -> None:
        """Adds a key of the entry: its directory's name as printable text, and the rules that it
        breaks. The directory must stay until `take` returns its name."""
        self._raw_names[self._next] = raw
        self._add(linkwire.Key(self._next, self.talk, raw, list(rules)))

    def report(self, kind: type[linkwire.Report], *values: Any) -> None:
        """Adds a report for the record, of this kind and with these fields after the number. It is
        dropped if too many are waiting. Long texts are cut."""
        if len(self._numbered) < QUEUED_REPORTS:
            cut: list[Any] = [v[:TEXT] if isinstance(v, str) else v for v in values]
            self._add(kind(self._next, *cut))

    def emptied(self, names: Sequence[str]) -> None:
        """Notes that the directory was emptied for talk `to_empty`, and the names that were in it,
        as printable text."""
        assert self.to_empty is not None
        self.contest, self.talk, self.to_empty = self.server_contest, self.to_empty, None
        self._made = self._received = 0
        self._reported[linkwire.Made] = linkwire.Made(self.talk, 0)
        self._raw_names.clear()
        self._released.clear()
        self._gone = self._taken
        for part in _parts(names):
            self._add(linkwire.LeftOvers(self._next, self.talk, part))
        self._add(linkwire.Prepared(self._next, self.talk))

    def made(self, n: int) -> None:
        """Records that the judge's key `n`, first of `presses`, is in the directory and saved."""
        if self.presses and self.presses[0][0] == n:
            self.presses.popleft()
            self._made = n

    def standing(self, count: int, oldest_ms: int) -> None:
        """Sets how many of the judge's keys are unread, and the age of the oldest in
        milliseconds."""
        self._standing = linkwire.Standing(count, oldest_ms)

    @property
    def released(self) -> bool:
        """Whether a `listing` is needed."""
        return bool(self._released)

    def listing(self, names: Iterable[str]) -> None:
        """Uses a listing of the directory, as printable text, to find out which removable keys are
        gone."""
        stand = set(names)
        self._released = {n: raw for n, raw in self._released.items() if raw in stand}
        self._gone = min(self._released, default=self._taken + 1) - 1

    def _add(self, frame: linkwire.Numbered) -> None:
        self._numbered.append(frame)
        self._next += 1

    # The connection

    def hello(self) -> linkwire.Hello:
        """Begins a connection; returns its first frame."""
        self.lost()
        return linkwire.Hello(
            self.code,
            self._life,
            self._taken + 1,
            linkwire.VERSION,
            self._client,
            self.contest,
            self.talk,
            self._made,
        )

    def lost(self) -> None:
        """Handles the loss of the connection."""
        self.connected = False
        self._pongs.clear()

    def take(self, frame: linkwire.ToLink) -> list[str]:
        """Handles a frame from the server; returns the names of directories that may be removed
        now.

        Raises:
            LinkRefused: if the server refuses the link.
            WireError: if the frame is out of place; the connection can't be used any more.
        """
        match frame:
            case linkwire.Refused():
                raise LinkRefused(frame.code, frame.message)
            case linkwire.Welcome():
                return self._welcomed(frame)
            case _ if not self.connected:
                raise WireError("the server sent a frame before it welcomed the link")
            case linkwire.Taken():
                return self._remove_taken(frame.n)
            case linkwire.Prepare():
                done = self.contest == self.server_contest and frame.talk <= self.talk
                if not done and (self.to_empty is None or frame.talk > self.to_empty):
                    self.to_empty = frame.talk
                    self.presses.clear()
            case linkwire.Press():
                self._press(frame)
            case linkwire.Restart():
                self.to_restart = self.to_restart or frame.n > self._restarts
                self._restarts = max(self._restarts, frame.n)
            case linkwire.Ping():
                self._pongs.append(linkwire.Pong(frame.n))
        return []

    def outgoing(self) -> list[linkwire.ToServer]:
        """The frames to send now, in order; each is returned once per connection."""
        if not self.connected:
            return []
        frames: list[linkwire.ToServer] = [*self._pongs]
        self._pongs.clear()
        first = self._taken + 1
        upto = min(self._next - 1, self._taken + UNDER_WAY)
        if self._sent < upto:
            frames += [self._numbered[n - first] for n in range(self._sent + 1, upto + 1)]
            self._sent = upto
        for frame in (
            linkwire.Made(self.talk, self._made),
            linkwire.Gone(self._gone),
            self._standing,
        ):
            if self._reported[type(frame)] != frame:
                self._reported[type(frame)] = frame
                frames.append(frame)
        return frames

    def _welcomed(self, frame: linkwire.Welcome) -> list[str]:
        if self.connected:
            raise WireError("the server welcomed the link twice")
        self.connected = True
        self.welcomed = True
        self.entry, self.server_contest = frame.entry, frame.contest
        # The server sends the keys again that were received but not made yet.
        self.presses.clear()
        self._received = self._made
        reported = (linkwire.Made(self.talk, self._made), linkwire.Gone(0), linkwire.Standing(0, 0))
        self._reported = {type(each): each for each in reported}
        names = self._remove_taken(frame.taken)
        self._sent = self._taken
        return names

    def _remove_taken(self, n: int) -> list[str]:
        if n >= self._next:
            raise WireError(f"the server has taken number {n}, which was never sent")
        names = []
        while self._taken < n:
            self._taken += 1
            self._numbered.popleft()
            raw = self._raw_names.pop(self._taken, None)
            if raw is not None:
                self._released[self._taken] = raw
                names.append(raw)
        # After a reconnect, a frame may be taken before it was sent again.
        self._sent = max(self._sent, self._taken)
        return names

    def _press(self, frame: linkwire.Press) -> None:
        if frame.talk != self.talk or self.to_empty is not None:
            return  # a key of the last talk
        if frame.n > self._received + 1:
            raise WireError(f"key {self._received + 1} of the judge is missing")
        if frame.n == self._received + 1:
            self._received = frame.n
            self.presses.append((frame.n, frame.key))


def _parts(names: Sequence[str]) -> list[list[str]]:
    """Splits names into parts that fit in a frame."""
    parts: list[list[str]] = []
    room = 0
    for name in names:
        size = len(msgspec.json.encode(name)) + 1
        if size > room:
            parts.append([])
            room = NAMES
        parts[-1].append(name)
        room -= size
    return parts
