"""Checks of what the contest is written to: room, speed, the record, its second copy, the codes."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa

from contest.doors import codes
from contest.errors import ContestError, InUse, NotAContest, RecordTrouble
from contest.preflight.finding import Check, Seen, green, red, yellow
from contest.preflight.ground import Ground, in_bytes
from contest.record.events import Draft
from contest.record.store import FILE_NAME as RECORD_FILE
from contest.record.store import Record, record_url, sqlite_url
from contest.setup.lock import FILE_NAME as LOCK_FILE
from contest.setup.lock import locked
from contest.setup.settings import FILE_NAME as SETTINGS_FILE
from contest.verification.verify import verify

#: Bytes that a contest's folder should have, and must have. A day of 2010's takes some 50 MB.
ROOM, LEAST = 1_000_000_000, 200_000_000
#: Seconds that a commit may take, as the 99th of 100: more than this is seen while typing, and more
#: than that makes talking hard.
NOTICED, TOO_SLOW = 0.05, 0.5
#: Commits that are measured, and seconds for all of them.
COMMITS, _PATIENCE = 150, 6.0


def folder(ground: Ground) -> Iterator[Seen]:
    """No other server holds the folder, and it can be written."""
    if ground.running is not None:
        return
    probe = ground.folder / f".preflight-{secrets.token_hex(4)}"
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
        # Who has the lock is asked only where one was ever taken: nothing is to be left behind.
        if (ground.folder / LOCK_FILE).exists():
            with locked(ground.folder):
                pass
    except OSError as exc:
        yield red(
            f"{ground.folder} can't be written ({exc.strerror or exc})",
            "give write permission, or move the contest elsewhere",
        )
    except InUse as exc:
        yield red(str(exc), "end the program that holds it; `loebner control` may find it")
    else:
        kind = ground.machine.network_kind(ground.folder)
        if kind is not None:
            yield yellow(
                f"{ground.folder} lies on a network mount ({kind}): databases are not safe there",
                "move the folder to a disk of this machine",
            )
        else:
            yield green(f"{ground.folder} can be written, and no server holds it")


def space(ground: Ground) -> Iterator[Seen]:
    """There is room on the disk."""
    free = ground.machine.free(ground.folder)
    found = f"{in_bytes(free)} are free"
    remedy = "free the disk: a contest pauses itself when it is full"
    if free < LEAST:
        yield red(found, remedy)
    elif free < ROOM:
        yield yellow(found, remedy)
    else:
        yield green(found)


def speed(ground: Ground) -> Iterator[Seen]:
    """A key is durable soon: a small record is written, as the contest's is, and thrown away."""
    try:
        times = commits(_record_folder(ground))
    except (RecordTrouble, OSError) as exc:
        yield red(f"no record can be written: {exc}", "give write permission, or free the disk")
        return
    middle, late = times[len(times) // 2], times[int(len(times) * 0.99)]
    found = f"a key is durable after {middle * 1000:.1f} ms, 99 of 100 after {late * 1000:.1f} ms"
    remedy = "put the contest on a faster disk of this machine, and end what else writes to it"
    if late > TOO_SLOW:
        yield red(found, remedy)
    elif late > NOTICED:
        yield yellow(found, remedy)
    else:
        yield green(found)


def commits(place: Path) -> list[float]:
    """How long commits of one key take.

    Arguments:
        place: a directory; a record is made there and taken away.

    Returns:
        Seconds, sorted.

    Raises:
        RecordTrouble: if none can be written.
    """
    file = place / f".preflight-{secrets.token_hex(4)}.db"
    key = Draft("1.1.J1.left", "2010-10-23T09:30:00.000000Z", 0, "J1", "key", {"key": "H", "n": 1})
    times: list[float] = []
    try:
        with Record(sqlite_url(file), create=True) as record:
            end = time.perf_counter() + _PATIENCE
            while len(times) < COMMITS and time.perf_counter() < end:
                began = time.perf_counter()
                record.append([key])
                times.append(time.perf_counter() - began)
    finally:
        for ending in ("", "-wal", "-shm", "-journal", "-lock"):
            file.with_name(file.name + ending).unlink(missing_ok=True)
    return sorted(times)


def record(ground: Ground) -> Iterator[Seen]:
    """The record can be had: there is none yet, or one that can be taken up."""
    if ground.running is not None:
        yield green("the server has it open")
        return
    try:
        if _is_empty(ground):
            yield green("there is none yet: a new contest begins")
            return
        report = verify(ground.folder)
    except ContestError as exc:
        yield red(str(exc), "mend [record] database, or start the database")
        return
    if not report.ok:
        fault = next(fault for check in report.checks for fault in check.faults)
        yield red(
            f"it is damaged: {fault}",
            "`loebner verify` names everything; take the contest up from its second copy",
        )
    elif report.finished:
        yield red("this contest was played already", "make a new folder: `loebner new`")
    else:
        yield green(
            f"{report.events:,} events of a contest that was begun, all whole: "
            "the server goes on where it was"
        )


def _is_empty(ground: Ground) -> bool:
    """Whether no contest was begun.

    Raises:
        ContestError: if the database can't be asked.
    """
    url = record_url(ground.folder, ground.set.record.database)
    try:
        place = sa.make_url(url)
        if place.get_backend_name() == "sqlite":
            file = Path(place.database or "")
            return not file.is_file() or not file.stat().st_size
        engine = sa.create_engine(place, poolclass=sa.NullPool)
    except (sa.exc.ArgumentError, ModuleNotFoundError) as exc:
        raise NotAContest(
            f"{SETTINGS_FILE}: [record] database is no address of a database that can be used "
            f"here ({exc})"
        ) from exc
    try:
        inspector = sa.inspect(engine)
        if not inspector.has_table("events"):
            return True
        with engine.connect() as connection:
            return connection.execute(sa.text("SELECT 1 FROM events LIMIT 1")).first() is None
    except sa.exc.SQLAlchemyError as exc:
        # Without the statement, and without the password that the address may hold.
        reason = getattr(exc, "orig", None) or exc
        raise RecordTrouble(f"{place.render_as_string()}: can't be used ({reason})") from exc
    finally:
        engine.dispose()


def copy(ground: Ground) -> Iterator[Seen]:
    """A second copy of the record is kept, on another disk."""
    setting = ground.set.record.copy_to
    if not setting:
        yield yellow(
            "no second copy of the record is kept",
            f"name a file on another disk as [record] copy_to in {SETTINGS_FILE}",
        )
        return
    file = ground.folder / setting
    try:
        there, here = ground.machine.disk(file.parent), ground.machine.disk(_record_folder(ground))
        probe = file.with_name(f".preflight-{secrets.token_hex(4)}")
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as exc:
        yield red(
            f"{file} can't be written ({exc.strerror or exc})",
            "make its folder, or plug its disk in, or name another file",
        )
        return
    if ground.running is None and file.exists() and file.stat().st_size and _is_empty(ground):
        yield red(
            f"{file} holds a contest already, and the folder holds none",
            "take that contest up, or name another file as [record] copy_to",
        )
    elif there == here:
        yield yellow(
            f"{file} lies on the same disk as the record",
            "name a file on another disk: both would be lost with this one",
        )
    else:
        yield green(f"{file}, on another disk")


def seat_codes(ground: Ground) -> Iterator[Seen]:
    """No codes of another contest are in the way."""
    file = ground.folder / codes.FILE_NAME
    if ground.running is not None or not file.exists():
        return
    try:
        begun = not _is_empty(ground)
    except ContestError:
        return  # which `record` says
    if begun:
        yield green(f"{file} holds the codes that were handed out")
    else:
        yield red(
            f"{file} holds codes, but no contest was begun here",
            "move it away: the server makes new codes and overwrites none",
        )


def _record_folder(ground: Ground) -> Path:
    """The folder of the record's file; of a database elsewhere, the contest's."""
    if ground.settings is not None and ground.settings.record.database:
        try:
            url = sa.make_url(ground.settings.record.database)
        except sa.exc.ArgumentError:
            return ground.folder
        if url.get_backend_name() == "sqlite" and url.database:
            return Path(url.database).parent
    return (ground.folder / RECORD_FILE).parent


CHECKS = (
    Check("folder", "the folder", folder, settings=False),
    Check("disk-space", "room on the disk", space, settings=False),
    Check("disk-speed", "speed of the disk", speed, settings=False),
    Check("record", "the record", record),
    Check("copy", "the second copy", copy),
    Check("codes", "the seats' codes", seat_codes),
)
