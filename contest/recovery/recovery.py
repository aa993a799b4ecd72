"""Recovery: a new contest folder from what is left of a contest's record and its second copy.

The new record is the longest run of events, from the first one on, that is there without a gap;
each of them is checked by its hash and its place in its chain. Events behind the first gap are kept
beside it, in `salvaged.jsonl`: no record can hold them any more. Nothing is changed where it was
found.

An event tells by its hash whether it is whole, wherever it was found. So every way of getting one
is tried: as the database gives them; where it breaks off, by SQLite's own recovery (`.recover` of
its shell, where that is installed), and by ranges of numbers.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from contest.errors import BadSettings, ContestError, NotAContest, RecordTrouble, Surroundings
from contest.net import codes
from contest.record import bodies, database, reading
from contest.record.database import EVENTS, SEALED
from contest.record.events import GENESIS, Chains, Event, canonical, rehash
from contest.record.reading import Row
from contest.record.store import FILE_NAME, Record, record_url, sqlite_url
from contest.recovery.settings import Moved, moved, of_record
from contest.setup import folder
from contest.setup.settings import FILE_NAME as SETTINGS_FILE
from contest.setup.settings import Settings, parse
from contest.verify.findings import several
from contest.verify.verify import HEAD_FILE
from lpp.private import open_private

#: Events that can be read but not be put back into the record, one a line.
SALVAGED = "salvaged.jsonl"
#: The name under which the text of contest.toml is sealed.
SEALED_SETTINGS = SETTINGS_FILE

_AT_ONCE = 10_000
#: Numbers that are asked for at once where a database breaks off.
_BLOCK = 200
#: Bytes of a page of a record's file.
_PAGE = 4096
#: Bytes of an event at least: those of its two hashes.
_LEAST = 128


class Part(NamedTuple):
    """Events that came from one place: the first and the last number."""

    place: str
    first: int
    last: int


@dataclass
class Recovered:
    """What was recovered.

    Attributes:
        out: the new contest's folder.
        events: how many events its record holds.
        head: the hash of the contest chain's last event; empty if there is none.
        finished: whether the contest was closed.
        parts: where the events came from, in their order.
        troubles: of each place that was looked at, what is wrong with it, in words, or nothing.
        sealed: how many things are sealed in it.
        salvaged: how many events are in `salvaged.jsonl`.
        settings: where contest.toml came from; empty if it is missing.
        missing: what is missing or not known to be there, in words; nothing if all is there.
        notes: what else has to be known, in words.
    """

    out: Path
    events: int = 0
    head: str = ""
    finished: bool = False
    parts: list[Part] = field(default_factory=list)
    troubles: dict[str, str] = field(default_factory=dict)
    sealed: int = 0
    salvaged: int = 0
    settings: str = ""
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing

    def as_json(self) -> dict[str, Any]:
        """The document of `recover --json`."""
        plain = asdict(self)
        troubles = plain.pop("troubles")
        return plain | {
            "whole": self.whole,
            "out": str(self.out),
            "head": self.head or None,
            "parts": [part._asdict() for part in self.parts],
            "places": [{"place": name, "trouble": why or None} for name, why in troubles.items()],
            "settings": self.settings or None,
        }


def recover(place: Path, out: Path, copy: Path | None = None) -> Recovered:
    """Makes a new contest folder from what is left of a contest.

    Arguments:
        place: the contest's folder; or the file of a record or of its copy alone.
        out: the new folder: an empty one, or one that is made.
        copy: the second copy; left out, that of the settings.

    Raises:
        YoursToFix: if there is nothing to recover from, or `out` is not empty.
        Surroundings: if nothing could be read, or `out` can't be written.
    """
    folder.refuse_unless_empty(out)
    found = Recovered(out)
    home, text, settings = _home(place, found)
    main = sqlite_url(place)
    if home is not None:
        main = record_url(home, settings.record.database if settings else "")
        if copy is None and settings is not None and settings.record.copy_to:
            copy = home / settings.record.copy_to
    urls = [main] if copy is None else [main, sqlite_url(copy)]
    sources = list(_sources(urls, found))
    run = _run(sources, found)
    salvaged = _salvaged(sources, run)
    if not run and not salvaged:
        troubles = "; ".join(trouble for trouble in found.troubles.values() if trouble)
        raise RecordTrouble(f"{place}: no event can be read any more ({troubles or 'it is empty'})")
    sealed = _sealed(sources, run, found)
    _say_what_is_missing(sources, run, salvaged, found)
    own = database.name_of(database.address(main))
    if not found.finished and (home is None or any(part.place != own for part in found.parts)):
        found.notes.append("a copy trails its record by a moment: the last keys may not be in it")
    head_fits = home is not None and _fits(home, found)
    chosen = _settings(home, text, sealed, run, found)
    with _writing(out):
        _write(out, run, salvaged, sealed, chosen)
        if home is not None:
            _take_along(home, out, (HEAD_FILE if head_fits else "", codes.FILE_NAME))
        _write_schedule(home, out, chosen.settings if chosen else None, run)
    return found


def _home(place: Path, found: Recovered) -> tuple[Path | None, str, Settings | None]:
    """The contest's folder, the text of its contest.toml and what that says, as far as they are."""
    if place.is_file():
        return None, "", None
    if not place.is_dir():
        raise NotAContest(f"{place}: no such folder or file; name a contest's folder, or a copy")
    file = place / SETTINGS_FILE
    try:
        text = file.read_text(encoding="utf-8-sig")
        return place, text, parse(text, str(file))
    except FileNotFoundError:
        found.notes.append(f"{place} holds no {SETTINGS_FILE}")
    except (OSError, UnicodeDecodeError) as exc:
        found.notes.append(f"{file} can't be read ({exc})")
    except BadSettings as exc:
        found.notes.append(f"{exc}: not used")
    return place, "", None


# What a database holds


@dataclass
class Source:
    """What one database gave.

    Attributes:
        name: what messages call it.
        events: number to the events that are as they were written; more than one only where
            somebody has rewritten the record.
        sealed: name to what may be sealed under it, as JSON; of several the first is likelier.
        trouble: in words, why not all could be read as usual; empty if it could.
        last: the number of the last event by the database's own account; None where it has none.
    """

    name: str
    events: dict[int, list[Event]] = field(default_factory=dict)
    sealed: dict[str, list[str]] = field(default_factory=dict)
    trouble: str = ""
    last: int | None = None

    def at(self, seq: int) -> list[Event]:
        """The events that it has under a number."""
        return self.events.get(seq, [])

    def take(self, row: Row) -> bool:
        """Takes a row; says whether it is an event as it was written."""
        if any(event.hash == row.hash for event in self.at(row.seq)):
            return True
        event = _event_of(row)
        if event is not None:
            self.events.setdefault(event.seq, []).append(event)
        return event is not None

    def seal(self, name: object, value: object) -> None:
        """Takes what may be sealed."""
        if not (isinstance(name, str) and isinstance(value, str)):
            return
        with contextlib.suppress(ValueError, RecursionError):
            if canonical(json.loads(value)).decode() == value:
                self.sealed.setdefault(name, []).append(value)


def _sources(urls: list[str], found: Recovered) -> Iterator[Source]:
    for url in urls:
        try:
            source = source_of(url)
        except ContestError as exc:
            if len(urls) == 1:
                raise
            found.notes.append(str(exc))
        else:
            found.troubles[source.name] = source.trouble
            yield source
    if not found.troubles:
        raise NotAContest(f"there is nothing to recover from: {'; '.join(found.notes)}")


def source_of(place: str) -> Source:
    """Gets out of a record's database what is left in it.

    Arguments:
        place: its URL.

    Returns:
        What it gave; nothing, with the trouble, if nothing could be read.

    Raises:
        BadSettings: if the URL can't be used.
        NotAContest: if there is no record.
        LaterRecord: if a later version of this program made it.
    """
    url = database.address(place)
    source = Source(database.name_of(url))
    try:
        wrong = sum(not source.take(row) for row in reading.rows_at(place, thorough=True))
        if wrong:
            source.trouble = f"{source.name}: {several(wrong, 'event')} not as written"
        for name, value in reading.opened(place).sealed().items():
            source.seal(name, value)
    except RecordTrouble as exc:
        source.trouble = str(exc)
    file = database.file_of(url)
    if not source.trouble:
        source.last = max(source.events, default=0)
    elif file is None:
        _by_ranges(source, place)
    else:
        try:
            with tempfile.TemporaryDirectory() as made:
                copy = _copied(file, Path(made))
                sizes = (each.stat().st_size for each in Path(made).iterdir())
                _by_ranges(source, sqlite_url(copy), sum(sizes) // _LEAST)
                _by_shell(source, copy)
        except OSError as exc:
            source.trouble += f"; it can't be copied ({exc})"
    return source


def _event_of(row: Row) -> Event | None:
    """The event of a row, if it is as it was written: its hash is that of its content."""
    try:
        body = json.loads(row.body)
        event = Event(**{**row._asdict(), "body": body})
        whole = (
            isinstance(body, dict)
            and type(row.seq) is int
            and type(row.mono_ns) is int
            and row.seq > 0
            and len(row.prev) == len(GENESIS)
            and canonical(body).decode() == row.body
            and rehash(event) == row.hash
        )
    except (TypeError, ValueError, RecursionError):
        return None
    return event if whole else None


def _copied(file: Path, to: Path) -> Path:
    """A copy of a SQLite database that can be opened: it has a sound first page."""
    copy = to / "broken.db"
    for ending in ("", "-wal"):
        if Path(f"{file}{ending}").exists():
            shutil.copy(f"{file}{ending}", f"{copy}{ending}")
    try:
        reading.opened(sqlite_url(copy)).last_number()
    except (RecordTrouble, NotAContest):
        # In all new records the tables are at the same places.
        with Record(sqlite_url(to / "new.db"), create=True):
            pass
        first = bytearray((to / "new.db").read_bytes()[:_PAGE])
        first[28:32] = bytes(4)  # how many pages there are: the file's size says so
        with copy.open("r+b") as broken:
            broken.write(first)
    return copy


def _by_ranges(source: Source, place: str, most: int | None = None) -> None:
    """Takes what can be read by ranges of numbers: where one can't be read, its halves. A damaged
    database may name any last number; it has no more than `most` events."""
    try:
        reader = reading.opened(place)
        source.last = reader.last_number()
        for name, value in reader.sealed().items():
            source.seal(name, value)
    except (RecordTrouble, NotAContest):
        return
    last = source.last
    if most is not None and last > most:
        source.last, last = None, most
    for begin in range(1, last + 1, _BLOCK):
        ranges = [(begin, min(begin + _BLOCK - 1, last))]
        while ranges:
            low, high = ranges.pop()
            try:
                for row in reader.rows(None, low, high):
                    source.take(row)
            except RecordTrouble:
                middle = (low + high) // 2
                if low < high:
                    ranges += [(middle + 1, high), (low, middle)]


def _by_shell(source: Source, file: Path) -> None:
    """Takes what SQLite's shell recovers of a file."""
    shell = shutil.which("sqlite3")
    if shell is None:
        source.trouble += "; with SQLite's shell (sqlite3) installed more may be found"
        return
    mended = file.with_name("mended.db")
    try:
        with subprocess.Popen(
            [shell, file, ".recover"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as script:
            subprocess.run([shell, mended], stdin=script.stdout, capture_output=True, check=False)
        with contextlib.closing(sqlite3.connect(mended)) as connection:
            _take_mended(source, connection)
    except sqlite3.Error as exc:
        source.trouble += f"; SQLite's shell can't recover it ({exc})"


def _take_mended(source: Source, connection: sqlite3.Connection) -> None:
    """Takes rows by the number of their columns: the names of tables may be lost."""
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
        for values in connection.execute(f'SELECT rowid, * FROM "{table}"'):
            rowid, row = values[0], values[1:]
            if table.startswith("lost_and_found"):
                # Before the columns: root page, page, number of columns, rowid.
                rowid, row = row[3], row[4 : 4 + row[2]]
            if len(row) == len(SEALED.c):
                source.seal(*row)
            elif len(row) == len(EVENTS.c):
                # The number is that of the row; in its column may be nothing.
                source.take(Row(rowid, *row[1:]))


# What is put together from them


def _run(sources: list[Source], found: Recovered) -> list[Event]:
    """The longest run without a gap, from the first event on."""
    run: list[Event] = []
    chains = Chains()
    while True:
        seq = len(run) + 1
        fitting = [
            (source, event)
            for source in sources
            for event in source.at(seq)
            if event.prev == chains.head(event.talk)
        ]
        if not fitting:
            return run
        source, event = fitting[0]
        if not found.missing and any(other != event for _, other in fitting):
            found.missing.append(
                f"from event {seq} on {' and '.join(s.name for s, _ in fitting)} say different "
                f"things, each of them whole: those of {source.name} were taken, the others are in "
                f"{SALVAGED}"
            )
        chains.follow(event)
        run.append(event)
        if found.parts and found.parts[-1].place == source.name:
            found.parts[-1] = found.parts[-1]._replace(last=seq)
        else:
            found.parts.append(Part(source.name, seq, seq))


def _salvaged(sources: list[Source], run: list[Event]) -> list[Event]:
    """Events that are whole and not in the run, each once, in the order of their numbers."""
    kept = {event.hash for event in run}
    others = {
        event.hash: event
        for source in sources
        for events in source.events.values()
        for event in events
        if event.hash not in kept
    }
    return sorted(others.values(), key=lambda event: (event.seq, event.hash))


def _sealed(sources: list[Source], run: list[Event], found: Recovered) -> dict[str, Any]:
    """What is sealed, by name. Of where the human sat the record holds a seal to check it by."""
    seals: dict[str, str] = {}
    for event in run:
        if event.kind == bodies.SideSealed.kind:
            b = event.body.get
            seals[f"side/{b('round')}.{b('attempt')}.{b('judge')}"] = str(b("seal"))
    sealed: dict[str, Any] = {}
    for source in sources:
        for name, values in source.sealed.items():
            for value in map(json.loads, values):
                if name not in sealed and (name not in seals or _seal_of(value) == seals[name]):
                    sealed[name] = value
    lost = sorted(seals.keys() - sealed.keys())
    if lost and not any(event.kind == bodies.SidesRevealed.kind for event in run):
        which = ", ".join(name.removeprefix("side/") for name in lost)
        found.missing.append(f"where the human sat is lost of {which} (round.attempt.judge)")
    found.sealed = len(sealed)
    return sealed


def _seal_of(value: Any) -> str:
    if not isinstance(value, Mapping):
        return ""
    return hashlib.sha256(f"{value.get('human')}:{value.get('nonce')}".encode()).hexdigest()


def _say_what_is_missing(
    sources: list[Source], run: list[Event], salvaged: list[Event], found: Recovered
) -> None:
    last = len(run)
    found.events, found.salvaged = last, len(salvaged)
    found.finished = bool(run) and run[-1].kind == bodies.ContestClosed.kind
    found.head = next((event.hash for event in reversed(run) if event.talk is None), "")
    there = sorted({event.seq for event in salvaged if event.seq > last})
    known = max([source.last or 0 for source in sources] + there)
    gaps = [
        (before + 1, after - 1)
        for before, after in zip([last, *there], [*there, known + 1], strict=True)
        if before + 1 < after
    ]
    if gaps:
        number = sum(end - first + 1 for first, end in gaps)
        shown = [str(first) if first == end else f"{first} to {end}" for first, end in gaps[:5]]
        more = f", and {len(gaps) - 5:,} further gaps" if len(gaps) > 5 else ""
        found.missing.append(f"{several(number, 'event')} are lost: {', '.join(shown)}{more}")
    if there:
        found.missing.append(
            f"{several(len(there), 'event')} behind that can be read, and are in {SALVAGED}"
        )
    if sources[0].last is None and not found.finished and not gaps:
        found.missing.append(
            f"nobody knows whether anything followed event {last}: {sources[0].name} can't say "
            "what its last event was"
        )


def _fits(home: Path, found: Recovered) -> bool:
    """Whether the head that was published is that of what was recovered."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        published = (home / HEAD_FILE).read_text(encoding="ascii").strip().lower()
        if published == found.head:
            return True
        found.missing.append(
            f"{HEAD_FILE} has another head than what was recovered: {published[:64]}"
        )
    return False


def _settings(
    home: Path | None, text: str, sealed: Mapping[str, Any], run: list[Event], found: Recovered
) -> Moved | None:
    kept = sealed.get(SEALED_SETTINGS)
    for given, where in (
        (text, f"the folder {home}"),
        (kept if isinstance(kept, str) else "", "what is sealed in the record"),
        (next(filter(None, map(of_record, run)), ""), "the contest's first event on record"),
    ):
        if not given:
            continue
        try:
            chosen = moved(given)
        except BadSettings as exc:
            found.notes.append(f"{SETTINGS_FILE} of {where} can't be used: {exc}")
            continue
        found.settings = where
        found.notes.extend(chosen.notes)
        return chosen
    found.missing.append(f"{SETTINGS_FILE} is nowhere; put one into {found.out}")
    return None


# The new folder


def _write(
    out: Path,
    run: list[Event],
    salvaged: list[Event],
    sealed: Mapping[str, Any],
    chosen: Moved | None,
) -> None:
    if chosen is not None:
        folder.make(out, chosen.text)
    else:
        out.mkdir(parents=True, exist_ok=True)
    if salvaged:
        with os.fdopen(open_private(out / SALVAGED, os.O_EXCL), "wb") as lines:
            lines.writelines(canonical(event.as_json()) + b"\n" for event in salvaged)
    if run:
        with Record(sqlite_url(out / FILE_NAME), create=True) as record:
            for at in range(0, len(run), _AT_ONCE):
                record.take_over(run[at : at + _AT_ONCE])
            for name, value in sealed.items():
                record.seal(name, value)


def _take_along(home: Path, out: Path, names: tuple[str, ...]) -> None:
    """Copies files beside the record."""
    for name in filter(None, names):
        if (home / name).is_file():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(home / name, out / name)


def _write_schedule(
    home: Path | None, out: Path, settings: Settings | None, run: list[Event]
) -> None:
    """The schedule's own file: that of the folder, else the schedule on record."""
    name = settings.rules.schedule if settings else ""
    if not name or not (out / name).resolve().is_relative_to(out.resolve()):
        return  # elsewhere, where it stays
    if home is not None:
        _take_along(home, out, (name,))
    opened = next((e for e in run if e.kind == bodies.ContestOpened.kind), None)
    if opened is not None and not (out / name).exists():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        planned = json.dumps(opened.body.get("schedule"), indent=1)
        (out / name).write_text(planned, encoding="utf-8")


@contextlib.contextmanager
def _writing(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise Surroundings(f"{out}: can't be written ({exc.strerror or exc})") from exc
