"""What a server is set up from: the contest's record, new or to go on with; where it listens; the
codes of those who may come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import scheduler
from contest.errors import BadSettings, RecordTrouble, WrongMoment
from contest.live.sides import Sealed
from contest.live.standing import FILE_NAME as CLOCK
from contest.live.standing import StandingClock, noted
from contest.net import codes
from contest.net.tls import Identity
from contest.record import season
from contest.record.bodies import ContestOpened
from contest.record.copying import Copy
from contest.record.store import FILE_NAME as RECORD_NAME
from contest.record.store import Record, record_url
from contest.recovery import snapshot
from contest.recovery.settings import moved
from contest.recovery.snapshot import Folded
from contest.setup.settings import FILE_NAME as SETTINGS_NAME
from contest.setup.settings import Settings, resumed
from contest.state.schedules import read_schedule
from lpp.clock import Clock


@dataclass
class Opening:
    """A record that is open, and what the contest goes by.

    Attributes:
        record: it.
        begun: the fold of its record by when its last server ended; None for a new one.
        settings: its settings.
        schedule: who meets whom.
        clock: its clock, which stands until it is let go.
        copy: the second copy of the record, if there is to be one.
        differing: what the settings say now and does not hold, in words.
        read: how many events were read to know where the contest was.
    """

    record: Record
    begun: Folded | None
    settings: Settings
    schedule: scheduler.Schedule
    clock: StandingClock
    copy: Copy | None = None
    differing: list[str] = field(default_factory=list)
    read: int = 0

    @property
    def over(self) -> bool:
        """Whether the contest is over, and only shown."""
        return self.begun is not None and self.begun.state.closed

    @property
    def sides(self) -> dict[str, Sealed]:
        """Where the human sits, of all that was drawn."""
        return {name: Sealed(**value) for name, value in self.record.unseal("side/").items()}


@dataclass(frozen=True, slots=True)
class Sockets:
    """Where a server listens.

    Attributes:
        host: the address.
        port: the port; 0 takes a free one.
        identity: with it the server speaks TLS; without, it does not.
        announce: whether consoles on the local network are to find the server by themselves.
    """

    host: str = "127.0.0.1"
    port: int = 0
    identity: Identity | None = None
    announce: bool = False


#: For this machine alone, at a free port.
LOCAL = Sockets()


def open_record(
    stack: ExitStack,
    folder: Path,
    settings: Settings,
    schedule: scheduler.Schedule | Callable[[], scheduler.Schedule],
    clock: Clock,
) -> Opening:
    """Opens the record of a contest for writing.

    Arguments:
        stack: what closes it again.
        folder: the contest's folder.
        settings, schedule, clock: of a new contest; one that was begun goes on with those of its
            record, and with its clock where that was. A schedule may be given by what makes it,
            which may take long: only a new contest has it made.

    Raises:
        InUse: if another server writes it.
        RecordTrouble: if it can't be read or written.
    """
    url = record_url(folder, settings.record.database)
    record = stack.enter_context(Record(url, create=True))
    if _begun(record):
        begun, read = snapshot.fold(record, folder / snapshot.FILE_NAME)
        state = begun.state
        if state.opened is None:
            raise RecordTrouble("the record holds no event that opens a contest")
        kept, differing = resumed(state.opened.settings, settings)
        start = max(state.last_ns, noted(folder / CLOCK, state.contest_id))
        standing = StandingClock(clock, start / 1e9)
        opening = Opening(record, begun, kept, read_schedule(state.schedule), standing)
        opening.differing, opening.read = differing, read
    else:
        _refuse_unfinished_season(record, folder)
        plan = schedule if isinstance(schedule, scheduler.Schedule) else schedule()
        # A season may stand before the contest: the record's clock goes on from it.
        last = next(record.events(after=record.chains.last_seq - 1), None)
        stands = StandingClock(clock, 0.0 if last is None else last.mono_ns / 1e9)
        opening = Opening(record, None, settings, plan, stands)
        _seal_settings(record, folder)
    if settings.record.copy_to:
        opening.copy = Copy(folder / settings.record.copy_to, record)
        stack.callback(opening.copy.close)
    return opening


def _refuse_unfinished_season(record: Record, folder: Path) -> None:
    """Refuses to open a contest whose season goes on: its finalists could not become entries.

    Raises:
        WrongMoment: if a season has begun, and has no finalists yet.
    """
    if record.count(kind=season.SeasonOpened.kind) and not record.count(
        kind=season.FinalistsSet.kind
    ):
        raise WrongMoment(
            f"{folder}: its season has no finalists yet, and a contest that is opened takes no "
            "others: end it with `loebner screen finalists` (its pages: `loebner screen serve`), "
            "or hold a contest without it in a new folder, with this contest.toml"
        )


def _begun(record: Record) -> bool:
    """Whether a record holds more than the season before a contest."""
    opened = record.events(kind=ContestOpened.kind)
    first = next(record.events(), None)
    return first is not None and (first.kind not in season.KINDS or any(True for _ in opened))


def _seal_settings(record: Record, folder: Path) -> None:
    """Keeps contest.toml: with it the contest can be taken up from a copy alone. Where the record
    is, with a password maybe, is of no use there, and left out."""
    try:
        text = moved((folder / SETTINGS_NAME).read_text(encoding="utf-8-sig")).text
    except (OSError, UnicodeDecodeError, BadSettings):
        return  # settings that came from elsewhere; the first event has them all the same
    record.seal(SETTINGS_NAME, text)


@contextmanager
def undone(folder: Path, settings: Settings) -> Iterator[list[Path]]:
    """Takes away what a setting-up that fails has made, as long as the list is not cleared: nobody
    has played, and the folder is to be used again when the fault is mended."""
    files = [folder / RECORD_NAME, folder / codes.FILE_NAME]
    if settings.record.database:
        del files[0]
    if settings.record.copy_to:
        files.append(folder / settings.record.copy_to)
    made = [file for file in files if not file.exists()]
    try:
        yield made
    finally:
        for file in made:
            for beside in ("", "-wal", "-shm", "-lock"):
                file.with_name(file.name + beside).unlink(missing_ok=True)


def refuse_remote_commands(settings: Settings) -> None:
    """Refuses what only another machine can do.

    Raises:
        BadSettings: if an entry on another machine has a command or a directory here.
    """
    for entry in settings.entry:
        for option in ("command", "directory"):
            if entry.link == "remote" and getattr(entry, option):
                raise BadSettings(
                    f'{entry.id} has link = "remote" and a {option}, but that is another '
                    f"machine's: leave {option} out, and give it to `loebner link` there"
                )
