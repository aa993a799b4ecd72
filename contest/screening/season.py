"""A season's record: `season.db` in the contest's folder, beside that of the contest.

The same events, chains, canonical JSON and append-only tables as the contest's record
(`contest.record.store`), with a codebook of its own (`contest.screening.bodies`). A season lasts
months and is written by many commands, one at a time; each opens the season, writes, and ends.
Whoever only looks uses `read`, which writes nothing and holds nobody up.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib.metadata
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

from contest.errors import InUse, NotAContest, RecordTrouble
from contest.record import reading
from contest.record.events import Draft, Event, canonical
from contest.record.store import Record, sqlite_url
from contest.screening.bodies import (
    FORMAT,
    AnyBody,
    SeasonOpened,
    SeasonSet,
    from_json,
    to_json,
)
from contest.setup import settings
from contest.setup.lock import hold
from contest.setup.settings import Settings

#: The season's record in a contest's folder, and what is held while a command writes there.
FILE_NAME, LOCK_NAME = "season.db", "season.lock"

#: How often it is read, at most, while others write.
_LOOKS = 10
#: Tables of contest.toml that a season goes by; their changes are on record.
TABLES = ("contest", "season", "screening")


class Season:
    """A season, open for writing; use as a context manager. Where there is none, one begins with
    the first event that is written: a command that is refused leaves none behind.

    Arguments:
        folder: the contest's folder.
        wall: the present time, for the label of events.
        clock: seconds of a clock that never runs back, for `mono_ns`: counted on from the last
            event of the command before, so that only the time of open commands is counted.

    Attributes:
        folder: the contest's.
        settings: the contest's.
        record: where events go.

    Raises:
        NotAContest, BadSettings: if the folder holds no contest that can be used.
        InUse: if another command, or the board, writes this season.
        LaterRecord, RecordTrouble, Surroundings: if the record can't be used.
    """

    def __init__(
        self,
        folder: Path,
        *,
        wall: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder = folder
        self.settings: Settings = settings.load(folder)
        self._wall = wall
        self._clock = clock
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(hold(folder / LOCK_NAME))
            except InUse as exc:
                raise InUse(
                    f"{folder}: another `loebner screen` writes this season, or the board does; "
                    "wait until it has ended, and try again"
                ) from exc
            self.record = stack.enter_context(Record(sqlite_url(folder / FILE_NAME), create=True))
            last = self.record.chains.last_seq
            found = next(self.record.events(after=last - 1), None) if last else None
            self._origin = clock() - (0 if found is None else found.mono_ns / 1e9)
            self._first = self._opening()
            if self._first and last:
                self.write_all([])
            self._stack = stack.pop_all()

    def __enter__(self) -> Season:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the record, and of the season."""
        self._stack.close()

    def write(self, actor: str, body: AnyBody, talk: str | None = None) -> Event:
        """Appends an event; when this returns it is durable.

        Arguments:
            actor: who did it: a person's name, or an id of the season.
            body: what happened.
            talk: whose chain, such as `screening.E7`; None is the season's own.

        Raises:
            RecordTrouble: if it could not be written.
        """
        return self.write_all([self.draft(actor, body, talk)])[0]

    def write_all(self, drafts: Sequence[Draft]) -> list[Event]:
        """Appends events in one transaction: all of them, or none.

        Raises:
            RecordTrouble: if they could not be written.
        """
        first = self._first
        written = self.record.append([*first, *drafts])
        self._first = []
        return written[len(first) :]

    def draft(self, actor: str, body: AnyBody, talk: str | None = None) -> Draft:
        """An event stamped now, to be written with others by `write_all`."""
        return Draft(
            talk,
            self._wall().isoformat(timespec="microseconds").replace("+00:00", "Z"),
            round((self._clock() - self._origin) * 1e9),
            actor,
            body.kind,
            to_json(body),
        )

    def events(self, talk: str | None = None, kind: str | None = None) -> Iterator[Event]:
        """The events of the season in their order, all or of one talk or kind.

        Raises:
            RecordTrouble: if one can't be read.
        """
        return self.record.events(talk, kind)

    def _opening(self) -> list[Draft]:
        """What a season begins with, or that its settings have changed."""
        events = list(self.record.events(kind=SeasonSet.kind))
        drafts = []
        if not self.record.chains.last_seq:
            version = importlib.metadata.version("loebner")
            drafts.append(self.draft("server", SeasonOpened(FORMAT, f"loebner {version}")))
        plain = self.settings.as_json()
        held = SeasonSet({name: plain[name] for name in TABLES if name in plain})
        if not events or canonical(events[-1].body) != canonical(to_json(held)):
            drafts.append(self.draft("server", held))
        return drafts


def read(folder: Path) -> list[Event]:
    """The events of a season, without writing anything.

    A command may begin to write, or end, while somebody reads: what was read then is read anew.

    Arguments:
        folder: the contest's folder.

    Returns:
        Them in their order; none where no season has begun.

    Raises:
        NotAContest: if there is no such folder.
        LaterRecord, RecordTrouble: if the record can't be read.
    """
    if not folder.is_dir():
        raise NotAContest(f"{folder}: no such folder; name the folder of a contest")
    file = folder / FILE_NAME
    for _ in range(_LOOKS - 1):
        before = _stamp(file)
        try:
            found = _events(file)
        except (NotAContest, RecordTrouble):
            if _stamp(file) == before:
                raise
        else:
            if _stamp(file) == before:
                return found
    return _events(file)


def _events(file: Path) -> list[Event]:
    if not file.exists() or not reading.begun_at(sqlite_url(file)):
        return []
    found = []
    for row in reading.rows_at(sqlite_url(file)):
        try:
            found.append(Event(**{**row._asdict(), "body": json.loads(row.body)}))
        except (TypeError, ValueError, RecursionError) as exc:
            raise RecordTrouble(f"{file}: event {row.seq!r} can't be read ({exc})") from exc
    return found


def _stamp(file: Path) -> list[tuple[int, int] | None]:
    """What changes when somebody writes a database."""
    found: list[tuple[int, int] | None] = []
    for ending in ("", "-wal"):
        try:
            stat = file.with_name(file.name + ending).stat()
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((stat.st_mtime_ns, stat.st_size))
    return found


def bodies(events: Iterable[Event]) -> Iterator[tuple[Event, AnyBody]]:
    """Events with their bodies as structs.

    Raises:
        RecordTrouble: if one is of an unknown kind or not of its form.
    """
    for event in events:
        try:
            yield event, from_json(event.kind, event.body)
        except ValueError as exc:
            raise RecordTrouble(f"{FILE_NAME}: event {event.seq}: {exc}") from exc
