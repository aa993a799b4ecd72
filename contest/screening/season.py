"""A season's record: its events are in the contest's record, before those of the contest.

Each event is checked against the state before it is written (`checks`); `verify` later makes the
same checks on the record. Only one process writes at a time; reading writes nothing.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib.metadata
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from contest.errors import InUse, WrongMoment
from contest.record import database, reading
from contest.record import season as kinds
from contest.record.bodies import ContestClosed
from contest.record.events import Body, Event, canonical, salts, to_json
from contest.record.store import Record
from contest.screening.checks import check
from contest.screening.state import State, fold
from contest.setup import settings
from contest.setup.lock import lock_file
from texts import Sentence

#: The lock that a command holds while it writes a season.
LOCK_NAME = "season.lock"
#: The tables of contest.toml that a season uses; their changes are recorded.
TABLES = ("contest", "season", "screening")


class Season(contextlib.AbstractContextManager["Season"]):
    """A season that is open for writing; use as a context manager. A new season begins with the
    first event that is written, so a refused command leaves nothing behind.

    Arguments:
        folder: the contest's folder.
        wall: returns the current time, for `at`.
        clock: seconds of a monotonic clock, for `mono_ns`, which continues from the last event, so
            that only the time during commands counts.

    Attributes:
        settings: the contest's settings.
        state: the season's state after the last event.

    Raises:
        NotAContest, BadSettings: if there is no usable contest in the folder.
        InUse: if another command, or a server, is writing the record.
        NewerRecord, RecordTrouble, EnvironmentProblem: if the record can't be used.
    """

    def __init__(
        self,
        folder: Path,
        *,
        wall: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder = folder
        self.settings = settings.load(folder)
        self.state = State(settings=self.settings)
        self._wall, self._clock, self._origin = wall, clock, clock()
        self._salts = salts()
        self._record: Record | None = None
        self._over: bool | None = None
        self._waiting: list[Event] = []
        self._url = database.record_url(folder, self.settings.record.database)
        with contextlib.ExitStack() as self._stack:
            refusal = (
                f"{folder}: another `loebner screen` is writing to this season; wait until it ends"
            )
            self._stack.enter_context(lock_file(folder / LOCK_NAME, refusal))
            if _may_be_there(self._url):
                last = self.record.last()
                self._origin -= 0 if last is None else last.mono_ns / 1e9
                self.state = self._read()
                if self.state.opened:
                    self.write("server")
            self._stack = self._stack.pop_all()

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def record(self) -> Record:
        """The record, created on first use."""
        if self._record is None:
            try:
                self._record = self._stack.enter_context(Record(self._url, create=True))
            except InUse as exc:
                raise InUse(
                    f"{self.folder}: a server is using this record; stop it first, and try again"
                ) from exc
        return self._record

    def write(self, actor: str, *bodies: Body) -> None:
        """Checks events, in order, against the state, and appends them in one transaction: all of
        them, or none. They are durable when this returns. The actor is a person's name, or
        `server`. Raises ContestError if a step can't be taken now, or could not be written."""
        self.flush()
        drafts = []
        try:
            for by, body in [*self._opening(), *((actor, body) for body in bodies)]:
                check(self.state, by, body)
                drafts.append(self._apply(None, by, body))
            self._append(drafts)
        except BaseException:
            self.state = self._read()
            raise
        self.state.settings = self.settings

    def note(self, subject: str, actor: str, body: Body) -> None:
        """Adds an event of a sitting, which needs no check; it is durable after `flush`."""
        self._waiting.append(self._apply(kinds.SITTING + subject, actor, body))

    def flush(self) -> None:
        """Makes all events of sittings durable; raises RecordTrouble if they can't be written."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._append(waiting)

    def has(self, kind: str) -> bool:
        """Whether the record has an event of a kind."""
        return self._record is not None and any(True for _ in self._record.events(kind=kind))

    def _append(self, drafts: list[Event]) -> None:
        # The last event of a contest takes in the heads of all chains, so nothing may follow it.
        # Nobody else can write at the same time, so checking once is enough.
        if self._over is None:
            self._over = self.has(ContestClosed.kind)
        if self._over:
            raise WrongMoment(Sentence("season.refused.over"))
        self.record.append(drafts)

    def _apply(self, talk: str | None, actor: str, body: Body) -> Event:
        at = self._wall().isoformat(timespec="microseconds").replace("+00:00", "Z")
        mono_ns = round((self._clock() - self._origin) * 1e9)
        plain = {"salt": next(self._salts), **to_json(body)}  # letters already have a salt
        event = Event(0, talk, at, mono_ns, actor, body.kind, plain)
        self.state.apply(event, body)
        return event

    def _opening(self) -> Iterator[tuple[str, Body]]:
        """The events to write before the next one: the opening, and changed settings."""
        if not self.state.opened:
            version = importlib.metadata.version("loebner")
            yield "server", kinds.SeasonOpened(kinds.FORMAT, f"loebner {version}")
        plain = self.settings.as_json()
        held = {name: plain[name] for name in TABLES if name in plain}
        if canonical(held) != self.state.set_as:
            yield "server", kinds.SeasonSet(held)

    def _read(self) -> State:
        state = State() if self._record is None else fold(self._record.events(kind=kinds.KINDS))
        state.settings = self.settings
        return state


def _may_be_there(url: str) -> bool:
    """Whether there may be a record: in a database on a server, or in an existing file."""
    file = database.file_of(database.address(url))
    return file is None or file.exists()


def read(folder: Path) -> State:
    """Reads the state of the season in a contest's folder, without writing or waiting for a lock.

    Raises:
        NotAContest: if there is no such folder.
        BadSettings: if its settings can't be used.
        NewerRecord, RecordTrouble: if the record can't be read.
    """
    now = settings.load(folder)
    url, found = database.record_url(folder, now.record.database), State()
    # Another command may be creating the record just now.
    if _may_be_there(url) and (record := reading.open_reader(url)).exists():
        found = fold(record.events(kind=kinds.KINDS))
    # The folder's settings have tables that the record lacks, such as the prizes.
    found.settings = now
    return found
