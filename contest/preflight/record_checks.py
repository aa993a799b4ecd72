"""Checks of the record: how soon a key is durable, whether it can be had, its copy, the codes."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa

from contest.errors import BadSettings, ContestError, RecordTrouble
from contest.net import codes
from contest.preflight.findings import Ground, Seen, green, red, yellow
from contest.record import database, reading
from contest.record.bodies import ContestOpened
from contest.record.database import NotAllowed, scratch
from contest.record.events import Draft
from contest.record.season import SeasonOpened
from contest.record.store import Record, record_url
from contest.setup.settings import FILE_NAME as SETTINGS_FILE
from contest.verify.verify import verify, verify_rows

#: Seconds that a commit may take, as the 99th of 100: more than this is seen while typing, and more
#: than that makes talking hard.
NOTICED, TOO_SLOW = 0.05, 0.5
#: Commits that are measured, and seconds for all of them.
COMMITS, _PATIENCE = 150, 6.0


def speed(ground: Ground) -> Iterator[Seen]:
    """A key is durable soon: a small record is written where the contest's is, and thrown away."""
    try:
        with scratch(_address(ground)) as place:
            times = commits(place)
    except BadSettings:
        return  # which `record` says
    except NotAllowed as exc:
        yield yellow(
            f"not measured: {exc}",
            "let the user make schemas (GRANT CREATE ON DATABASE), or look at the delays on the "
            "organizer's board",
        )
        return
    except (RecordTrouble, OSError) as exc:
        yield red(f"no record can be written: {exc}", "give write permission, or free the disk")
        return
    middle, late = times[len(times) // 2], times[int(len(times) * 0.99)]
    found = f"a key is durable after {middle * 1000:.1f} ms, 99 of 100 after {late * 1000:.1f} ms"
    yield (red if late > TOO_SLOW else yellow if late > NOTICED else green)(found)


def commits(database: str) -> list[float]:
    """How long commits of one key take.

    Arguments:
        database: the address of an empty one; a record is made in it.

    Returns:
        Seconds, sorted.

    Raises:
        RecordTrouble: if none can be written.
    """
    key = Draft("1.1.J1.left", "2010-10-23T09:30:00.000000Z", 0, "J1", "key", {"key": "H", "n": 1})
    times: list[float] = []
    with Record(database, create=True) as record:
        end = time.perf_counter() + _PATIENCE
        while len(times) < COMMITS and time.perf_counter() < end:
            began = time.perf_counter()
            record.append([key])
            times.append(time.perf_counter() - began)
    return sorted(times)


def record(ground: Ground) -> Iterator[Seen]:
    """The record can be had: there is none yet, or one that can be taken up."""
    if ground.running is not None:
        yield green("the server has it open")
        return
    try:
        elsewhere = ground.serving.database
        if _is_empty(ground) or _is_season(elsewhere or reading.place_of(ground.folder)):
            yield green("there is none yet: a new contest begins")
            return
        report = (
            verify(ground.folder)
            if elsewhere is None
            else verify_rows(reading.rows_at(elsewhere, thorough=True))
        )
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


def _is_season(url: str) -> bool:
    """Whether a record holds the season before a contest, and no contest."""
    kinds = (SeasonOpened.kind, ContestOpened.kind)
    with contextlib.suppress(ContestError):
        return {row.kind for row in reading.rows_at(url, kinds=kinds)} == {SeasonOpened.kind}
    return False


def _is_empty(ground: Ground) -> bool:
    """Whether no contest was begun.

    Raises:
        BadSettings: if the record's address can't be used.
        ContestError: if the database can't be asked, or is another program's.
    """
    url = _address(ground)
    if database.is_sqlite(url):
        file = database.file_of(url)
        return file is None or not file.is_file() or not file.stat().st_size
    found = reading.opened(url.render_as_string(hide_password=False))
    return not found.is_begun() or found.last() is None


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


def _address(ground: Ground) -> sa.URL:
    """Where the record is, or will be; the contest's folder if the settings can't be read."""
    setting = ground.settings.record.database if ground.settings is not None else ""
    return database.address(record_url(ground.folder, setting))


def _record_folder(ground: Ground) -> Path:
    """The folder of the record's file; of a database elsewhere, the contest's."""
    try:
        file = database.file_of(_address(ground))
    except BadSettings:
        file = None
    return ground.folder if file is None else file.parent
