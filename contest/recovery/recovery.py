"""Recovery: makes a new contest folder from the remains of a contest's record and its second copy.

An event's hash shows whether the event is intact; its place in the chain shows what is missing. So
every readable event is taken, from the record and from its copy. Where SQLite can't read a file to
its end, events are read in ranges of numbers around the damage. The new record is the longest run
of events without a gap, from the first one on. Events after the gap can't be part of a record; they
are kept beside it, in `salvaged.jsonl`. The originals are not changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import tomlkit
from tomlkit.exceptions import TOMLKitError

from contest.errors import BadSettings, ContestError, EnvironmentProblem, NotAContest, RecordTrouble
from contest.net import codes
from contest.record import bodies, database, reading
from contest.record.events import Chains, Event, canonical, hash_of
from contest.record.reading import Reader, Row
from contest.record.store import FILE_NAME, Record, record_url, sqlite_url
from contest.setup import folder
from contest.setup.settings import FILE_NAME as SETTINGS_FILE
from contest.setup.settings import parse
from contest.verify.verify import HEAD_FILE
from lpp.private import open_private
from scheduler.texts import counted
from texts import Sentence

#: Readable events that can't be put back into the record, one per line.
SALVAGED = "salvaged.jsonl"

_BATCH = 10_000
#: How many event numbers one query covers in a damaged database.
_BLOCK = 200
#: The fields of an event that seals a desk's sides.
_OF_SEALS = {"round", "attempt", "judge", "seal"}
#: Bytes of a page of a record's file, and the smallest possible size of an event: its two hashes.
_PAGE, _MIN_EVENT = 4096, 128


class Part(NamedTuple):
    """A run of events from one source: the first and the last number."""

    place: str
    first: int
    last: int


class Recovered(msgspec.Struct):
    """The outcome of a recovery.

    Attributes:
        out: the new contest's folder.
        events: how many events its record holds.
        head: the hash of the contest chain's last event; empty if there is none.
        finished: whether the contest was closed.
        parts: where the events came from, in order.
        troubles: for each source, what is wrong with it, in words; empty if nothing is.
        sealed: how many sealed values the record holds.
        salvaged: how many events are in `salvaged.jsonl`.
        settings: where contest.toml came from; empty if it is missing.
        missing: what is missing or may be missing, in words; empty if nothing is.
        notes: other things that the organizer should know, in words.
    """

    out: Path
    events: int = 0
    head: str = ""
    finished: bool = False
    parts: list[Part] = msgspec.field(default_factory=list)
    troubles: dict[str, str] = msgspec.field(default_factory=dict)
    sealed: int = 0
    salvaged: int = 0
    settings: str = ""
    missing: list[str] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The document of `recover --json`."""
        plain = msgspec.structs.asdict(self)
        troubles = plain.pop("troubles")
        return plain | {
            "whole": not self.missing,
            "out": str(self.out),
            "head": self.head or None,
            "parts": [part._asdict() for part in self.parts],
            "places": [{"place": name, "trouble": why or None} for name, why in troubles.items()],
            "settings": self.settings or None,
        }


def recover(place: Path, out: Path, copy: Path | None = None) -> Recovered:
    """Makes a new contest folder from the remains of a contest.

    Arguments:
        place: the contest's folder, or only the file of a record or of a copy.
        out: the new folder; it must be empty or not exist.
        copy: the second copy; if left out, the one named in the settings.

    Raises:
        UserError: if there is nothing to recover from, or `out` is not empty.
        EnvironmentProblem: if nothing could be read, or `out` can't be written.
    """
    folder.refuse_unless_empty(out)
    found = Recovered(out)
    home, text, main = None, "", sqlite_url(place)
    if place.is_dir():
        home, text = place, _settings_in(place, found)
        own = parse(text).record if text else None
        main = record_url(home, own.database if own else "")
        if copy is None and own and own.copy_to:
            copy = home / own.copy_to
    elif not place.is_file():
        raise NotAContest(f"{place}: no such folder or file; name a contest's folder, or a copy")
    sources = _sources([main] if copy is None else [main, sqlite_url(copy)], found)
    run, salvaged = _longest_run(sources, found)
    if not run and not salvaged:
        troubles = "; ".join(trouble for trouble in found.troubles.values() if trouble)
        raise RecordTrouble(f"{place}: no event can be read ({troubles or 'it is empty'})")
    sealed = _sealed(sources, run, found)
    _note_missing(sources, run, salvaged, found)
    record = "" if home is None else database.name_of(database.address(main))
    if not found.finished and found.parts and found.parts[-1].place != record:
        found.missing.append(
            f"there may be events after event {found.events}: a copy lags its record, and without "
            "the file beside it that ends in -wal, more is missing"
        )
    settings = _settings_for(text, sealed.get(SETTINGS_FILE), home, found)
    try:
        _write(out, settings, run, salvaged, sealed)
        if home is not None:
            beside = [codes.FILE_NAME] + [HEAD_FILE] * _head_matches(home, found)
            beside += [parse(settings).rules.schedule] if settings else []
            for name in filter(None, beside):
                file, to = home / name, out / name
                if file.is_file() and to.resolve().is_relative_to(out.resolve()):
                    to.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(file, to)
    except OSError as exc:
        raise EnvironmentProblem(f"{out}: can't be written ({exc.strerror or exc})") from exc
    return found


# The contents of a database


class Source(msgspec.Struct):
    """The contents of one database.

    Attributes:
        name: its name for messages.
        events: number to event, for intact events.
        sealed: name to sealed value.
        trouble: why some of the database could not be read normally; empty if all of it could.
        last: the number of the last event according to the database; None if it is unknown.
    """

    name: str
    events: dict[int, Event] = msgspec.field(default_factory=dict)
    sealed: dict[str, Any] = msgspec.field(default_factory=dict)
    trouble: str = ""
    last: int | None = None

    def take(self, row: Row) -> bool:
        """Keeps a row if it is an intact event, with the hash of its content; returns whether it
        is."""
        try:
            body = json.loads(row.body)
            event = Event(**{**row._asdict(), "body": body})
            whole = (
                isinstance(body, dict)
                and type(row.seq) is type(row.mono_ns) is int
                and canonical(body).decode() == row.body
                and hash_of(event) == row.hash
            )
        except (TypeError, ValueError, RecursionError):
            return False
        if whole:
            self.events.setdefault(event.seq, event)
        return whole

    def take_sealed(self, reader: Reader) -> None:
        """Takes all sealed values."""
        for name, text in reader.sealed().items():
            with contextlib.suppress(TypeError, ValueError, RecursionError):
                value = json.loads(text)
                if type(name) is str and canonical(value).decode() == text:
                    self.sealed.setdefault(name, value)


def _sources(urls: list[str], found: Recovered) -> list[Source]:
    sources = []
    for url in urls:
        try:
            source = source_of(url)
        except ContestError as exc:
            if len(urls) == 1:
                raise
            found.notes.append(str(exc))
        else:
            found.troubles[source.name] = source.trouble
            sources.append(source)
    if not sources:
        raise NotAContest(f"there is nothing to recover from: {'; '.join(found.notes)}")
    return sources


def source_of(place: str) -> Source:
    """Reads whatever can be read from a record's database.

    Arguments:
        place: its URL.

    Returns:
        Its contents; empty, with `trouble` set, if nothing could be read.

    Raises:
        BadSettings: if the URL can't be used.
        NotAContest: if there is no record.
        NewerRecord: if a newer version of this program made it.
    """
    url = database.address(place)
    source = Source(database.name_of(url))
    try:
        wrong = sum(not source.take(row) for row in reading.read_rows(place, thorough=True))
        if wrong:
            source.trouble = f"{source.name}: {counted(wrong, 'event')} damaged or changed"
        source.take_sealed(reading.open_reader(place))
    except RecordTrouble as exc:
        # The remedy for a damaged record is this recovery.
        source.trouble = str(exc).removesuffix(f"; {Sentence('trouble.when_damaged')}")
    file = database.file_of(url)
    if not source.trouble:
        source.last = max(source.events, default=0)
    elif file is not None:
        try:
            with tempfile.TemporaryDirectory() as made:
                _read_by_ranges(source, file, Path(made))
        except OSError as exc:
            source.trouble += f"; it can't be copied ({exc})"
    return source


def _read_by_ranges(source: Source, file: Path, made: Path) -> None:
    """Reads events from a copy of a damaged file in ranges of numbers; a range that can't be read
    is split in half and tried again."""
    copy = made / "broken.db"
    for ending in ("", "-wal"):
        if Path(f"{file}{ending}").exists():
            shutil.copy(f"{file}{ending}", f"{copy}{ending}")
    most = sum(each.stat().st_size for each in made.iterdir()) // _MIN_EVENT
    try:
        reading.open_reader(sqlite_url(copy)).sealed()
    except (RecordTrouble, NotAContest):
        # The first page says where the tables are; this is the same in all new records.
        Record(sqlite_url(made / "new.db"), create=True).close()
        first = bytearray((made / "new.db").read_bytes()[:_PAGE])
        first[28:32] = bytes(4)  # number of pages: 0 means to use the file's size
        with copy.open("r+b") as broken:
            broken.write(first)
    with contextlib.suppress(RecordTrouble, NotAContest):
        reader = reading.open_reader(sqlite_url(copy))
        with contextlib.suppress(RecordTrouble):
            source.take_sealed(reader)
            # A damaged database may give any number.
            source.last = last if (last := reader.last_number()) <= most else None
        ranges = [(low, low + _BLOCK - 1) for low in range(1, most + 1, _BLOCK)]
        while ranges:
            low, high = ranges.pop()
            try:
                for row in reader.rows(None, low - 1, high):
                    source.take(row)
            except RecordTrouble:
                middle = (low + high) // 2
                if low < high:
                    ranges += [(low, middle), (middle + 1, high)]


# Combining the sources


def _longest_run(sources: list[Source], found: Recovered) -> tuple[list[Event], list[Event]]:
    """The longest run without a gap, from the first event on; and all other intact events, each
    once, in the order of their numbers."""
    run: list[Event] = []
    chains = Chains()
    others = {event.hash: event for source in sources for event in source.events.values()}
    while True:
        seq = len(run) + 1
        fitting = [
            (source.name, event)
            for source in sources
            if (event := source.events.get(seq)) and event.prev == chains.head(event.talk)
        ]
        if not fitting:
            return run, sorted(others.values(), key=lambda event: (event.seq, event.hash))
        name, event = fitting[0]
        if not found.missing and any(other != event for _, other in fitting):
            found.missing.append(
                f"from event {seq} on, {' and '.join(name for name, _ in fitting)} hold different "
                f"events, all of them intact: those of {name} were used, the others are in "
                f"{SALVAGED}"
            )
        chains.follow(event)
        run.append(event)
        del others[event.hash]
        if found.parts and found.parts[-1].place == name:
            found.parts[-1] = found.parts[-1]._replace(last=seq)
        else:
            found.parts.append(Part(name, seq, seq))


def _sealed(sources: list[Source], run: list[Event], found: Recovered) -> dict[str, Any]:
    """The sealed values, by name. A desk's sides are checked against their seal in the record."""
    seals = {
        "side/{round}.{attempt}.{judge}".format_map(event.body): event.body["seal"]
        for event in run
        if event.kind == bodies.SideSealed.kind and event.body.keys() >= _OF_SEALS
    }
    sealed: dict[str, Any] = {}
    for source in sources:
        for name, value in source.sealed.items():
            if name not in seals or _seal_of(value) == seals[name]:
                sealed.setdefault(name, value)
    lost = sorted(seals.keys() - sealed.keys())
    if lost and not any(event.kind == bodies.SidesRevealed.kind for event in run):
        which = ", ".join(name.removeprefix("side/") for name in lost)
        found.missing.append(f"the human's side is lost for {which} (round.attempt.judge)")
    found.sealed = len(sealed)
    return sealed


def _seal_of(value: Any) -> str:
    with contextlib.suppress(KeyError, TypeError):
        return hashlib.sha256(f"{value['human']}:{value['nonce']}".encode()).hexdigest()
    return ""


def _note_missing(
    sources: list[Source], run: list[Event], salvaged: list[Event], found: Recovered
) -> None:
    last = len(run)
    found.events, found.salvaged = last, len(salvaged)
    found.finished = bool(run) and run[-1].kind == bodies.ContestClosed.kind
    found.head = next((event.hash for event in reversed(run) if event.talk is None), "")
    there = {event.seq for event in salvaged if event.seq > last}
    known = max([source.last or 0 for source in sources] + [last, *there])
    if lost := known - last - len(there):
        found.missing.append(
            f"{counted(lost, 'event')} lost, in the range from {last + 1} to {known}"
        )
    if there:
        found.missing.append(
            f"{counted(len(there), 'event')} after the gap can be read; see {SALVAGED}"
        )
    if sources[0].last is None and not found.finished and not lost:
        found.missing.append(
            f"there may have been events after event {last}: the last event of {sources[0].name} "
            "is unknown"
        )


def _head_matches(home: Path, found: Recovered) -> bool:
    """Whether the recovered record has the published head."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        published = (home / HEAD_FILE).read_text(encoding="ascii").strip().lower()
        if published == found.head:
            return True
        found.missing.append(
            f"the head in {HEAD_FILE}, {published[:64]}, is not that of the recovered record"
        )
    return False


# The settings


def _settings_in(home: Path, found: Recovered) -> str:
    """The text of a folder's contest.toml; empty if it can't be used."""
    file = home / SETTINGS_FILE
    try:
        text = file.read_text(encoding="utf-8-sig")
        parse(text, str(file))
    except FileNotFoundError:
        found.notes.append(f"there is no {SETTINGS_FILE} in {home}")
    except (OSError, UnicodeDecodeError) as exc:
        found.notes.append(f"{file} can't be read ({exc})")
    except BadSettings as exc:
        found.notes.append(f"{exc}; this file is not used")
    else:
        return text
    return ""


def _settings_for(text: str, sealed: Any, home: Path | None, found: Recovered) -> str:
    """The text of the new folder's contest.toml; empty if there is none."""
    for given, where in ((text, f"the folder {home}"), (sealed, "the record's sealed values")):
        if not (given and isinstance(given, str)):
            continue
        try:
            chosen = without_databases(given)
        except BadSettings:
            continue
        found.settings = where
        if chosen != given:
            found.notes.append(
                "[record] database and copy_to were emptied in its contest.toml: the record is now "
                "record.db in the folder; for a second copy, set copy_to to a new file"
            )
        return chosen
    found.missing.append(f"there is no {SETTINGS_FILE}; put one into {found.out}")
    return ""


def without_databases(text: str) -> str:
    """Settings without the addresses of record and copy, and so without their passwords: a new
    folder has its own record, and must not overwrite the remains of the old one.

    Arguments:
        text: the text of a contest.toml; comments are kept.

    Raises:
        BadSettings: if it can't be used.
    """
    before = parse(text)
    if not (before.record.database or before.record.copy_to):
        return text
    try:
        document = tomlkit.parse(text)
        record: Any = document["record"]
        for name in ("database", "copy_to"):
            if name in record:
                record[name] = ""
    except TOMLKitError as exc:
        raise BadSettings(f"database and copy_to can't be removed from it: {exc}") from exc
    return tomlkit.dumps(document)


# The new folder


def _write(
    out: Path, settings: str, run: list[Event], salvaged: list[Event], sealed: dict[str, Any]
) -> None:
    if settings:
        folder.make(out, settings)
    else:
        out.mkdir(parents=True, exist_ok=True)
    if salvaged:
        with os.fdopen(open_private(out / SALVAGED, os.O_EXCL), "wb") as lines:
            lines.writelines(canonical(event.as_json()) + b"\n" for event in salvaged)
    if run:
        with Record(sqlite_url(out / FILE_NAME), create=True) as record:
            for at in range(0, len(run), _BATCH):
                record.append_placed(run[at : at + _BATCH])
            for name, value in sealed.items():
                record.seal(name, value)
