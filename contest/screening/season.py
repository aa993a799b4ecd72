"""A season's record, open for writing or read: its events stand in the contest's record.

Each step is checked against the state before it is written (`CHECKS`), and `verify` makes the same
checks of what was written. One process writes at a time, a command or a server; reading writes
nothing and waits for nobody. A season that was begun by the first version of this program goes on
in a file of its own, `season.db`.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib.metadata
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from contest.errors import BadOrder, InUse, NotAContest, RecordTrouble, WrongMoment
from contest.record import database, reading
from contest.record import season as kinds
from contest.record.bodies import ContestClosed, ContestOpened
from contest.record.body import Body, Salts, to_json
from contest.record.events import Draft, Event, canonical
from contest.record.store import FILE_NAME as RECORD_FILE
from contest.record.store import Record, record_url, sqlite_url
from contest.screening import compliance, marking, paper, ranking, register, selection
from contest.screening.sitting import Timing
from contest.screening.state import State, fold, settings_in, unplaced
from contest.setup import settings
from contest.setup.lock import hold

#: The record of a season of the first version; what a command holds while it writes a season.
EARLIER, LOCK_NAME = "season.db", "season.lock"
#: How often it is read, at most, while others write.
_LOOKS = 10
#: Tables of contest.toml that a season goes by; their changes are on record.
TABLES = ("contest", "season", "screening")


class Stamped(NamedTuple):
    """What is to be written, stamped with its time; and its body as a struct."""

    draft: Draft
    body: Body


def check_opened(state: State, _by: str, body: kinds.SeasonOpened) -> None:
    """Raises ContestError where no season can be opened."""
    if state.opened:
        raise WrongMoment("the season was opened before")
    if not 1 <= body.format <= kinds.FORMAT:
        raise BadOrder(f"its format is {body.format}; this program knows {kinds.FORMAT}")


def check_set(_state: State, _by: str, body: kinds.SeasonSet) -> None:
    """Raises ContestError where settings can't be used."""
    settings_in(body)


def check_paper(state: State, _by: str, body: kinds.PaperSet) -> None:
    """Raises ContestError where a paper can't be set."""
    if state.asked is not None:
        raise WrongMoment("a paper was set before, and holds for all")
    paper.parse(body.paper.encode(), "its paper")
    Timing.of(body.timing)


#: Kind to what raises ContestError where such an event does not fit the state.
CHECKS: Mapping[str, Callable[[State, str, Any], None]] = {
    kinds.SeasonOpened.kind: check_opened,
    kinds.SeasonSet.kind: check_set,
    kinds.EntryRegistered.kind: register.check_registered,
    kinds.EntryWithdrawn.kind: register.check_withdrawn,
    kinds.EntryRestored.kind: register.check_restored,
    kinds.ComplianceTested.kind: compliance.check_tested,
    kinds.PriorityDecided.kind: selection.check_decided,
    kinds.ScreeningBegun.kind: selection.check_begun,
    kinds.PaperSet.kind: check_paper,
    kinds.ScaleSet.kind: marking.check_scale,
    kinds.LettersDrawn.kind: marking.check_drawn,
    kinds.Marked.kind: marking.check_marked,
    kinds.MarkSettled.kind: marking.check_settled,
    kinds.LettersRevealed.kind: marking.check_revealed,
    kinds.QualityOpened.kind: marking.check_quality,
    kinds.TieRuleStated.kind: ranking.check_tie_rule,
    kinds.CutDecided.kind: ranking.check_cut,
    kinds.FinalistsSet.kind: ranking.check_finalists,
}


def check(state: State, by: str, body: Body) -> None:
    """Whether an event that is no sitting's can follow.

    Raises:
        ContestError: if not; says why.
    """
    if not state.opened and not isinstance(body, kinds.SeasonOpened):
        raise WrongMoment("the season was not opened")
    CHECKS[body.kind](state, by, body)


class Season:
    """A season, open for writing; use as a context manager. A new one begins with the first event
    that is written: a command that is refused leaves none behind.

    Arguments:
        folder: the contest's folder.
        wall: the present time, for the label of events.
        clock: seconds of a clock that never runs back, for `mono_ns`: counted on from the last
            event of the command before, so that only the time of open commands is counted.

    Attributes:
        folder: the contest's.
        settings: the contest's.
        state: the season's, up to the last event.

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
        self.settings = settings.load(folder)
        self._wall = wall
        self._clock = clock
        self._salts = Salts()
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(hold(folder / LOCK_NAME))
            except InUse as exc:
                raise InUse(
                    f"{folder}: another `loebner screen` writes this season; wait until it has "
                    "ended, and try again"
                ) from exc
            self._stack = stack
            self._record: Record | None = None
            self._over: bool | None = None
            self._origin = clock()
            self.state = State(settings=self.settings)
            self._url = place_of(folder, self.settings)
            if self._url != sqlite_url(folder / RECORD_FILE) or (folder / RECORD_FILE).exists():
                last = self.record.chains.last_seq
                found = next(self.record.events(after=last - 1), None) if last else None
                self._origin -= 0 if found is None else found.mono_ns / 1e9
                self.state = self._read()
                if self.state.opened:
                    self.write("server")
            self._stack = stack.pop_all()

    def __enter__(self) -> Season:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.close()

    @property
    def record(self) -> Record:
        """Where events go; made by the first one, so that a command that is refused leaves no
        record behind."""
        if self._record is None:
            try:
                self._record = self._stack.enter_context(Record(self._url, create=True))
            except InUse as exc:
                raise InUse(
                    f"{self.folder}: a server has this record; use its board, or end it first"
                ) from exc
        return self._record

    def write(self, actor: str, *bodies: Body) -> None:
        """Checks events against the state, and appends them in one transaction: all of them, or
        none. When this returns they are durable.

        Arguments:
            actor: who did it: a person's name, or `server`.
            bodies: what happened, in order.

        Raises:
            ContestError: if a step can't be taken now, or could not be written.
        """
        self._refuse_when_over()
        stamped = [self.stamped("server", body) for body in opening(self.state, self.settings)]
        stamped += [self.stamped(actor, body) for body in bodies]
        try:
            for each in stamped:
                check(self.state, each.draft.actor, each.body)
                self.state.apply(unplaced(each.draft), each.body)
            self.record.append([each.draft for each in stamped])
        except BaseException:
            self.state = self._read()
            raise
        self.state.settings = self.settings

    def append(self, stamped: Sequence[Stamped]) -> None:
        """Appends events of sittings, which need no check.

        Raises:
            RecordTrouble: if they could not be written.
        """
        if stamped:
            self._refuse_when_over()
            self.record.append([each.draft for each in stamped])
            for each in stamped:
                self.state.apply(unplaced(each.draft), each.body)

    def seal(self, name: str, value: Any) -> None:
        """Keeps something sealed, outside the chains."""
        self.record.seal(name, value)

    def unseal(self, name: str) -> Any:
        """What was sealed under a name; None if nothing was."""
        return self.record.unseal(name).get(name)

    @property
    def contest_begun(self) -> bool:
        """Whether the contest itself has begun."""
        if self._url == sqlite_url(self.folder / EARLIER):
            return (self.folder / RECORD_FILE).exists()
        return any(True for _ in self.record.events(kind=ContestOpened.kind))

    def stamped(self, actor: str, body: Body, talk: str | None = None) -> Stamped:
        """An event stamped now, to be written later.

        Arguments:
            actor: who did it.
            body: what happened.
            talk: whose chain, such as `screening.E7`; None is the contest's own.
        """
        at = self._wall().isoformat(timespec="microseconds").replace("+00:00", "Z")
        mono_ns = round((self._clock() - self._origin) * 1e9)
        plain = to_json(body)
        if self._url != sqlite_url(self.folder / EARLIER):
            plain.setdefault("salt", self._salts.next())
        return Stamped(Draft(talk, at, mono_ns, actor, body.kind, plain), body)

    def _refuse_when_over(self) -> None:
        # The close of a contest has the heads of all: nothing may follow it. Who has the record
        # is alone with it, and asks once.
        if self._over is None:
            closes = () if self._record is None else self._record.events(kind=ContestClosed.kind)
            self._over = any(True for _ in closes)
        if self._over:
            raise WrongMoment("nothing is written: the contest is over, and its record closed")

    def _season_events(self) -> Iterator[Event]:
        earlier = self._url == sqlite_url(self.folder / EARLIER)
        return self.record.events() if earlier else self.record.events(kinds=kinds.KINDS)

    def _read(self) -> State:
        state = State() if self._record is None else fold(self._season_events())
        state.settings = self.settings
        return state


def opening(state: State, now: settings.Settings) -> Iterator[Body]:
    """What stands on record before the next event: that a season begins, and its settings where
    they have changed.

    Arguments:
        state: the season's.
        now: the contest's settings.
    """
    if not state.opened:
        version = importlib.metadata.version("loebner")
        yield kinds.SeasonOpened(kinds.FORMAT, f"loebner {version}")
    plain = now.as_json()
    held = kinds.SeasonSet({name: plain[name] for name in TABLES if name in plain})
    if canonical(held.settings) != state.set_as:
        yield held


def place_of(folder: Path, now: settings.Settings) -> str:
    """The URL of the record in which a season stands.

    Arguments:
        folder: the contest's folder.
        now: its settings.
    """
    earlier = folder / EARLIER
    return sqlite_url(earlier) if earlier.exists() else record_url(folder, now.record.database)


def read(folder: Path) -> State:
    """The state of a season, without writing anything.

    A command may begin to write, or end, while somebody reads: then it is read again.

    Arguments:
        folder: the contest's folder.

    Raises:
        NotAContest: if there is no such folder.
        BadSettings: if its settings can't be used.
        LaterRecord, RecordTrouble: if the record can't be read.
    """
    if not folder.is_dir():
        raise NotAContest(f"{folder}: no such folder; name the folder of a contest")
    now = settings.load(folder)
    place = place_of(folder, now)
    file = database.file_of(database.address(place))
    for look in range(_LOOKS):
        before = _stamp(file)
        try:
            found = fold(_events(place, file))
        except (NotAContest, RecordTrouble):
            if _stamp(file) == before or look == _LOOKS - 1:
                raise
        else:
            if _stamp(file) == before:
                break
    # Those of the folder have what is not on record, too, such as the prizes.
    found.settings = now
    return found


def _events(place: str, file: Path | None) -> Iterator[Event]:
    if (file is not None and not file.exists()) or not reading.opened(place).is_begun():
        return
    known = None if file is not None and file.name == EARLIER else kinds.KINDS
    for row in reading.rows_at(place, kinds=known):
        try:
            yield Event(**{**row._asdict(), "body": json.loads(row.body)})
        except (TypeError, ValueError, RecursionError) as exc:
            raise RecordTrouble(f"{place}: event {row.seq!r} can't be read ({exc})") from exc


def _stamp(file: Path | None) -> list[tuple[int, int] | None]:
    """What changes when somebody writes a database in a file."""
    found: list[tuple[int, int] | None] = []
    if file is None:
        return found
    for ending in ("", "-wal"):
        try:
            stat = file.with_name(file.name + ending).stat()
            found.append((stat.st_mtime_ns, stat.st_size))
        except FileNotFoundError:
            found.append(None)
    return found
