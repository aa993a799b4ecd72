"""Both ends of a link, without any I/O: the server's, and the one beside the entry.

Each takes a numbered frame once, and says which frames to send. What is for the record is numbered,
kept until the server has taken it, and sent again after a reconnect. The server's end knows again
what a restarted link finds in the directory; the entry's end says which directories may
go, which keys of the judge to make, and when to empty the directory. `link` and `directory` are
around them.
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

#: Names of keys that the server remembers until the link says that they are gone; the oldest are
#: forgotten beyond it, so that a link that never says so can't fill our memory.
REMEMBERED = 50_000
#: Frames that wait at a link to be taken: while there are so many, reports other than keys are
#: dropped.
REPORTS = 2000
#: Bytes of names in one frame of left-overs, as JSON.
NAMES = 32 * 1024
#: Characters of a text in a report.
TEXT = 1000


@dataclass(eq=False)
class Item:
    """Something for the record.

    Attributes:
        frame: what the link has sent.
        n: its number; 0 for what an earlier life of the link has sent.
        done: whether it is durable.
    """

    frame: linkwire.Numbered
    n: int
    done: bool = False


class ServerEnd:
    """The server's end.

    Arguments:
        entry: the entry's id.
        title: the contest's name.
        contest: the contest's own id.
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
        # What is not yet durable and what was taken in behind it, in order; what of it the record
        # was not yet given; and how many items it was given that are not durable.
        self._waiting: deque[Item] = deque()
        self._to_give: deque[Item] = deque()
        self._under_way = 0
        # Name to the life of the link that told it last (None: to an earlier server), and its
        # number; and numbers and names of keys of this life that may still be in the directory.
        self._known: dict[str, tuple[str | None, int]] = dict.fromkeys(known, (None, 0))
        self._standing: deque[tuple[int, str]] = deque(maxlen=REMEMBERED)
        self._to_send: list[linkwire.ToLink] = []
        self._told_taken = self._sent = 0
        self._asked = False
        # Orders to start the program again: given, and carried out as far as is known.
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
        """The entry's program is to be ended and started again."""
        self._restart += 1
        self._restart_sent = False

    def to_record(self, *, everything: bool = False) -> Item | None:
        """What is to be put on record next, and then to be told `durable`; None for nothing, or
        while `UNDER_WAY` of this link are not yet durable (but for `everything`): the record is
        written in the order of arrival, and a flood must not come before other desks' keys."""
        if not self._to_give or (self._under_way >= UNDER_WAY and not everything):
            return None
        self._under_way += 1
        return self._to_give.popleft()

    def durable(self, item: Item) -> None:
        """What an item says is in the record."""
        item.done = True
        self._under_way -= 1
        self._confirm()

    def _confirm(self) -> None:
        while self._waiting and self._waiting[0].done:
            self._taken = max(self._taken, self._waiting.popleft().n)

    # The connection

    def hello(self, frame: linkwire.Hello) -> None:
        """A link has come; the answer goes out next.

        Raises:
            Refusal: if numbers are missing.
        """
        if frame.life == self.life:
            if frame.next > self._accepted + 1:
                raise Refusal("gap", f"number {self._accepted + 1} is missing", "hello")
        else:
            self.life = frame.life
            # The new life numbers again; what the last one has told is recorded all the same.
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
        self._told_taken = self._taken
        self._to_send = [linkwire.Welcome(self.entry, self._title, self._contest, self._taken)]

    def lost(self) -> None:
        """The connection is gone."""
        self._connected = False
        self._to_send.clear()

    def take(self, frame: linkwire.ToServer) -> None:
        """A frame has come from the link; what is for the record is had by `to_record`.

        Raises:
            Refusal: if the link breaks the rules of the exchange.
        """
        match frame:
            case linkwire.Hello():
                raise Refusal("hello", "this link has said hello before", "hello")
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
                # What the link's last life has sent as keys is not left over.
                names = [name for name in frame.names if name not in self._known]
                item.frame = linkwire.LeftOvers(frame.n, frame.talk, names)
            case linkwire.Started():
                self._restarted = self._restart
            case linkwire.Prepared():
                # Sent again to a new server, it clears nothing: keys have come since the directory
                # was emptied.
                if frame.talk == self.talk and not self.prepared:
                    self.prepared = True
                    self._known.clear()
        self._waiting.append(item)
        if not item.done:
            self._to_give.append(item)
        self._confirm()

    def _is_known(self, frame: linkwire.Key) -> bool:
        """Whether an earlier life of the link has told the same key. It is for the record already,
        and is taken when all that came before it is durable."""
        life, _ = self._known.pop(frame.raw, (self.life, 0))
        self._known[frame.raw] = (self.life, frame.n)
        if len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]
        return life != self.life


class LinkRefused(Exception):
    """The server does not have us.

    Attributes:
        code: the wire's.
    """

    exit_code = 1

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class OnFile(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a link remembers over its own death: for which talk of which contest the directory was
    emptied last, and how many keys of the judge were made in it."""

    contest: str = ""
    talk: int = 0
    made: int = 0


class EntryEnd:
    """The entry's end.

    Arguments:
        code: the entry's code; may be changed for the next connection.
        life: different for each process that runs a link.
        client: its name and version.
        on_file: what the last life left on file.

    Attributes:
        contest, talk: for which the directory was emptied last.
        to_empty: the talk for which the directory is to be emptied now, if any.
        presses: keys of the judge to be made, as (number, key name), in order.
        to_restart: whether the entry's program is to be started again; set back by the caller.
        connected: whether the server has welcomed us, and the connection holds.
        welcomed: whether a server ever has.
        entry, server_contest: whose link this is, and which contest the server has, as it says;
            empty before that.
    """

    def __init__(self, code: str, life: str, client: str, on_file: OnFile) -> None:
        self.code, self._life, self._client = code, life, client
        self.contest, self.talk = on_file.contest, on_file.talk
        self._made = on_file.made
        self._got = on_file.made  # the highest number of the judge's keys that came
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
        self._raws: dict[int, str] = {}  # of keys that may not go yet
        self._released: dict[int, str] = {}  # of keys that may go, and may stand yet
        self._gone = 0
        self._standing = linkwire.Standing(0, 0)
        # The last of each kind that tells how something stands, as the server has it.
        self._told: dict[type, linkwire.ToServer] = {}
        self._pongs: list[linkwire.Pong] = []

    # What happens on the entry's machine

    def key(self, raw: str, rules: Sequence[Rule] = ()) -> None:
        """A key of the entry has come: its directory's name as printable text, and the rules that
        its coming breaks. The directory stays until `take` says that it may go."""
        self._raws[self._next] = raw
        self._add(linkwire.Key(self._next, self.talk, raw, list(rules)))

    def report(self, kind: type[linkwire.Report], *values: Any) -> None:
        """Something for the record other than a key, of this kind and with these fields but the
        number; dropped while too many wait to be taken. Long texts are cut."""
        if len(self._numbered) < REPORTS:
            cut: list[Any] = [v[:TEXT] if isinstance(v, str) else v for v in values]
            self._add(kind(self._next, *cut))

    def emptied(self, names: Sequence[str]) -> None:
        """The directory is empty for talk `to_empty`; these names were in it, as printable text."""
        assert self.to_empty is not None
        self.contest, self.talk, self.to_empty = self.server_contest, self.to_empty, None
        self._made = self._got = 0
        self._told[linkwire.Made] = linkwire.Made(self.talk, 0)
        self._raws.clear()
        self._released.clear()
        self._gone = self._taken
        for part in _parts(names):
            self._add(linkwire.LeftOvers(self._next, self.talk, part))
        self._add(linkwire.Prepared(self._next, self.talk))

    def made(self, n: int) -> None:
        """Key `n` of the judge, the first of `presses`, is in the directory and on file."""
        if self.presses and self.presses[0][0] == n:
            self.presses.popleft()
            self._made = n

    def standing(self, count: int, oldest_ms: int) -> None:
        """So many keys of the judge are unread, the oldest for so many milliseconds."""
        self._standing = linkwire.Standing(count, oldest_ms)

    @property
    def released(self) -> bool:
        """Whether a `listing` is wanted."""
        return bool(self._released)

    def listing(self, names: Iterable[str]) -> None:
        """What is in the directory, as printable text: reports which keys that may go are gone."""
        stand = set(names)
        self._released = {n: raw for n, raw in self._released.items() if raw in stand}
        self._gone = min(self._released, default=self._taken + 1) - 1

    def _add(self, frame: linkwire.Numbered) -> None:
        self._numbered.append(frame)
        self._next += 1

    # The connection

    def hello(self) -> linkwire.Hello:
        """A connection is there: the first frame on it."""
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
        """The connection is gone."""
        self.connected = False
        self._pongs.clear()

    def take(self, frame: linkwire.ToLink) -> list[str]:
        """A frame has come from the server; gives the names of directories that may go now.

        Raises:
            LinkRefused: if the server does not have us.
            WireError: if the frame does not belong here; the connection is of no more use.
        """
        match frame:
            case linkwire.Refused():
                raise LinkRefused(frame.code, frame.message)
            case linkwire.Welcome():
                return self._welcomed(frame)
            case _ if not self.connected:
                raise WireError("the server says something before it has welcomed the link")
            case linkwire.Taken():
                return self._taken_to(frame.n)
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
        """What is to be sent now, in order; each is given once in a connection."""
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
            if self._told[type(frame)] != frame:
                self._told[type(frame)] = frame
                frames.append(frame)
        return frames

    def _welcomed(self, frame: linkwire.Welcome) -> list[str]:
        if self.connected:
            raise WireError("the server welcomes the link twice")
        self.connected = True
        self.welcomed = True
        self.entry, self.server_contest = frame.entry, frame.contest
        # What came and is not yet made comes again.
        self.presses.clear()
        self._got = self._made
        told = (linkwire.Made(self.talk, self._made), linkwire.Gone(0), linkwire.Standing(0, 0))
        self._told = {type(each): each for each in told}
        names = self._taken_to(frame.taken)
        self._sent = self._taken
        return names

    def _taken_to(self, n: int) -> list[str]:
        if n >= self._next:
            raise WireError(f"the server has taken number {n}, which was never sent")
        names = []
        while self._taken < n:
            self._taken += 1
            self._numbered.popleft()
            raw = self._raws.pop(self._taken, None)
            if raw is not None:
                self._released[self._taken] = raw
                names.append(raw)
        # After a reconnect it may have been taken before it was to be sent again.
        self._sent = max(self._sent, self._taken)
        return names

    def _press(self, frame: linkwire.Press) -> None:
        if frame.talk != self.talk or self.to_empty is not None:
            return  # of a talk that is being left
        if frame.n > self._got + 1:
            raise WireError(f"key {self._got + 1} of the judge is missing")
        if frame.n == self._got + 1:
            self._got = frame.n
            self.presses.append((frame.n, frame.key))


def _parts(names: Sequence[str]) -> list[list[str]]:
    """Names in parts that fit a frame."""
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
