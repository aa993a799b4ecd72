"""The entry's end of a link to the server, without any I/O.

The shell (directory.py) tells what came from the directory and from the server; this end says which
frames to send, which directories may go, which keys of the judge to make, and when to empty the
directory. What is for the record is numbered, kept until the server has taken it, and sent again
after a reconnect.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import msgspec

from contest.links import linkwire
from contest.links.linkwire import UNDER_WAY, WireError
from lpp.keypress import Rule

#: Reports other than keys that wait to be taken at most; what comes while so many wait is dropped.
REPORTS = 2000
#: Bytes of names in one frame of left-overs, as JSON.
NAMES = 32 * 1024
#: Characters of a text in a report.
TEXT = 1000


class LinkRefused(Exception):
    """The server does not have us.

    Attributes:
        code: the wire's.
    """

    exit_code = 1

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class OnFile:
    """What a link remembers over its own death.

    Attributes:
        contest: whose talk it was.
        talk: for which the directory was emptied last.
        made: keys of the judge that were made in it.
    """

    contest: str = ""
    talk: int = 0
    made: int = 0


class EntryEnd:
    """The entry's end.

    Arguments:
        code: the entry's code.
        life: another one for each process that runs a link.
        client: its name and version.
        on_file: what the last life left on file.

    Attributes:
        code: what it says to the next server that it meets.
        contest, talk: for which the directory was emptied last.
        to_empty: the talk for which the directory is to be emptied now, if any.
        presses: keys of the judge to be made, as (number, key name), in order.
        to_restart: whether the entry's program is to be started anew; taken back where it is.
        connected: whether the server has welcomed us, and the connection holds.
        welcomes: how often a server has.
        entry: whose link the server says this is; empty before it has.
        server_contest: which contest the server has; empty before it has said so.
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
        self.welcomes = 0
        self.entry = ""
        self.server_contest = ""
        self._numbered: deque[linkwire.Numbered] = deque()
        self._next = 1
        self._reports = 0
        self._taken = 0
        self._sent = 0
        self._raws: dict[int, str] = {}  # of keys that may not go yet
        self._released: dict[int, str] = {}  # of keys that may go, and may stand yet
        self._gone = 0
        self._told_made = self._told_gone = 0
        self._standing = self._told_standing = (0, 0)
        self._pongs: list[linkwire.Pong] = []

    # What happens on the entry's machine

    def key(self, raw: str, rules: Sequence[Rule] = ()) -> None:
        """A key of the entry has come; its directory stands until `take` says that it may go.

        Arguments:
            raw: its directory's name, as printable text.
            rules: the rules that its coming breaks.
        """
        self._raws[self._next] = raw
        self._add(linkwire.Key(self._next, self.talk, raw, list(rules)))

    def breach(self, rule: Rule, name: str, detail: str) -> None:
        """A breach that belongs to no key press."""
        self._report(lambda n: linkwire.Breach(n, rule, name[:TEXT], detail[:TEXT]))

    def trouble(self, what: str) -> None:
        """The machine's trouble."""
        self._report(lambda n: linkwire.Trouble(n, what[:TEXT]))

    def in_doubt(self, talk: int, key: int) -> None:
        """The last life ended while it made key `key` of the judge in that talk. It can't be known
        whether it did, and the key is made again."""
        self._report(lambda n: linkwire.InDoubt(n, talk, key))

    def started(self, command: Sequence[str]) -> None:
        """The entry's program was started."""
        self._report(lambda n: linkwire.Started(n, [word[:TEXT] for word in command[:20]]))

    def exited(self, code: int) -> None:
        """The entry's program has ended."""
        self._report(lambda n: linkwire.Exited(n, code))

    def emptied(self, names: Sequence[str]) -> None:
        """The directory is empty for talk `to_empty`.

        Arguments:
            names: what stood there, as printable text.
        """
        assert self.to_empty is not None
        self.contest, self.talk, self.to_empty = self.server_contest, self.to_empty, None
        self._made = self._got = self._told_made = 0
        self._raws.clear()
        self._released.clear()
        self._gone = self._taken
        for part in _parts(names):
            self._add(linkwire.LeftOvers(self._next, self.talk, part))
        self._add(linkwire.Prepared(self._next, self.talk))

    def made(self, n: int) -> None:
        """Key `n` of the judge, the first of `presses`, stands in the directory, and that is on
        file."""
        if self.presses and self.presses[0][0] == n:
            self.presses.popleft()
            self._made = n

    def standing(self, count: int, oldest_ms: int) -> None:
        """So many keys of the judge stand unread, the oldest for so many milliseconds."""
        self._standing = (count, oldest_ms)

    @property
    def released(self) -> bool:
        """Whether it is of use to tell a `listing`."""
        return bool(self._released)

    def listing(self, names: Iterable[str]) -> None:
        """What stands in the directory, as printable text: what may go and is gone is told."""
        stand = set(names)
        self._released = {n: raw for n, raw in self._released.items() if raw in stand}
        self._gone = min(self._released, default=self._taken + 1) - 1

    def _report(self, make: Callable[[int], linkwire.Numbered]) -> None:
        if self._reports < REPORTS:
            self._reports += 1
            self._add(make(self._next))

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
        """A frame has come from the server.

        Returns:
            The names of directories that may go now, as printable text.

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
        if self._told_made < self._made:
            frames.append(linkwire.Made(self.talk, self._made))
            self._told_made = self._made
        if self._told_gone < self._gone:
            frames.append(linkwire.Gone(self._gone))
            self._told_gone = self._gone
        if self._told_standing != self._standing:
            frames.append(linkwire.Standing(*self._standing))
            self._told_standing = self._standing
        return frames

    def _welcomed(self, frame: linkwire.Welcome) -> list[str]:
        if self.connected:
            raise WireError("the server welcomes the link twice")
        self.connected = True
        self.welcomes += 1
        self.entry, self.server_contest = frame.entry, frame.contest
        # What came and is not yet made comes again.
        self.presses.clear()
        self._got = self._told_made = self._made
        self._told_gone, self._told_standing = 0, (0, 0)
        names = self._taken_to(frame.taken)
        self._sent = self._taken
        return names

    def _taken_to(self, n: int) -> list[str]:
        if n >= self._next:
            raise WireError(f"the server has taken number {n}, which was never sent")
        names = []
        while self._taken < n:
            self._taken += 1
            if not isinstance(self._numbered.popleft(), linkwire.Key):
                self._reports = max(0, self._reports - 1)
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
