"""The stage: everything that a running contest consists of, set up in order and taken down in
reverse.

Record, journal, conductor, codes, entries' directories and links, entries' programs, server: when
one of them can't be had, those that were are undone, and the error says what is wrong.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import scheduler
from contest import codes, door, timeline
from contest.bodies import ContestClosed
from contest.conductor import Conductor
from contest.controls import Controls
from contest.entrylink import EntryLink
from contest.errors import BadSettings, YoursToFix
from contest.journal import Journal
from contest.links.link import Link
from contest.links.remote import RemoteLink
from contest.lock import locked
from contest.overview import Overview
from contest.page import html_page
from contest.programs import EntryProgram, command_line
from contest.record import FILE_NAME as RECORD_NAME
from contest.record import Copy, Record, record_url
from contest.results import results_text
from contest.routes import House, routes
from contest.settings import EntryTable, Settings
from contest.tallying import result_body
from contest.verify import HEAD_FILE
from contest.web import application, serving
from lpp.clock import Clock
from lpp.directory import rooms_parent

#: Seconds of real time that consoles have at the end to take in what they are told.
FAREWELL = 5.0


@dataclass
class Stage:
    """A contest that can be played.

    Attributes:
        folder: the contest's folder.
        address: where consoles connect to, `HOST:PORT`.
        codes: seat to code.
        link_codes: entry to the code of its link, of entries on other machines.
        conductor: plays it.
        links: entry id to its link.
        programs: entry id to its program.
        overview: what the organizer sees of it.
    """

    folder: Path
    address: str
    codes: dict[str, str]
    link_codes: dict[str, str]
    conductor: Conductor
    journal: Journal
    record: Record
    links: dict[str, Link]
    programs: dict[str, EntryProgram]
    overview: Overview

    async def play(self) -> str:
        """Plays the contest to its end, and writes results and head beside the record.

        Returns:
            The head to publish: the hash of the contest chain's last event.
        """
        await self.conductor.play(self.links)
        await self.journal.flushed()
        # Nothing but the record says what the result is: it is read back and computed from there.
        result = await asyncio.to_thread(lambda: result_body(timeline.read(self.record.events())))
        await self.journal.written(None, "server", result)
        last = await self.conductor.close()
        (self.folder / HEAD_FILE).write_text(last.hash + "\n", encoding="ascii")
        await asyncio.to_thread(self._write_results)
        self.conductor.over()
        return last.hash

    async def farewell(self, patience: float = FAREWELL) -> None:
        """Lets every console hear all that it was told, the end of the contest last, and hangs up.

        Arguments:
            patience: seconds of real time at most: a console that is gone hinders nobody.
        """
        seats = self.conductor.seats
        sitting = [(seat, seat.outlet) for seat in seats.seats.values() if seat.outlet is not None]
        for _, outlet in sitting:
            outlet.close("the contest is over")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while any(seat.outlet is outlet for seat, outlet in sitting):
                    seats.changed.clear()
                    await seats.changed.wait()

    def _write_results(self) -> None:
        view = timeline.read(self.record.events())
        (self.folder / "results.json").write_text(results_text(view), encoding="utf-8")
        (self.folder / "results.html").write_text(html_page(view), encoding="utf-8")


@asynccontextmanager
async def set_up(
    folder: Path,
    settings: Settings,
    schedule: scheduler.Schedule,
    clock: Clock,
    *,
    speed: float = 1.0,
    program: str = "loebner",
    host: str = "127.0.0.1",
    port: int = 0,
    rng: random.Random | None = None,
    announce: bool = False,
    manual: bool = False,
) -> AsyncIterator[Stage]:
    """Sets a contest up, and takes it down when the context ends.

    Arguments:
        folder: the contest's folder.
        settings: its settings.
        schedule: who meets whom.
        clock: the contest's clock.
        speed: seconds of contest time in a second.
        program: name and version of what plays it, for the record.
        host: the address to listen at.
        port: the port; 0 takes a free one.
        rng: where sides are drawn from; the system's randomness if left out.
        announce: whether consoles on the local network are to find the server by themselves.
        manual: whether an organizer has the contest in hand: rounds wait for the start, and orders
            are taken (contest.controls).

    Raises:
        YoursToFix: settings that can't be used, or a contest that was played already.
        InUse: another server holds the contest.
        Surroundings: a record that can't be written, a port that can't be had.
    """
    _refuse_remote_commands(settings)
    async with AsyncExitStack() as stack:
        stack.enter_context(locked(folder))
        undo = stack.enter_context(_undone(folder, settings))
        record = stack.enter_context(
            Record(record_url(folder, settings.record.database), create=True)
        )
        if record.chains.last_seq:
            _refuse_begun(record)
        copy = None
        if settings.record.copy_to:
            copy = Copy(folder / settings.record.copy_to, record)
            stack.callback(copy.close)
        journal = await stack.enter_async_context(Journal(record, clock, copy))
        conductor = Conductor(
            settings,
            schedule,
            journal,
            clock,
            speed=speed,
            program=program,
            rng=rng,
            manual=manual,
        )
        await conductor.open()

        issued = codes.issue(conductor.seats.seats)
        link_codes = codes.issue(each.id for each in settings.entry if each.link == "remote")
        hashes, link_hashes = await asyncio.to_thread(
            lambda: [
                {whose: codes.hashed(code) for whose, code in each.items()}
                for each in (issued, link_codes)
            ]
        )
        await journal.seal("codes", hashes | link_hashes)
        organizer = codes.issue([codes.ORGANIZER])[codes.ORGANIZER] if manual else ""
        try:
            codes.write_file(issued | link_codes, folder / codes.FILE_NAME, organizer)
        except FileExistsError as exc:
            raise YoursToFix(
                f"{exc.filename}: codes of another contest are here; move them away first"
            ) from exc

        rooms = Path(tempfile.mkdtemp(prefix="loebner-", dir=rooms_parent()))
        stack.callback(shutil.rmtree, rooms, ignore_errors=True)
        links: dict[str, Link] = {}
        remote: dict[str, RemoteLink] = {}
        programs: dict[str, EntryProgram] = {}
        for entry in settings.entry:
            if entry.id in link_codes:
                links[entry.id] = remote[entry.id] = await stack.enter_async_context(
                    RemoteLink(
                        *(entry.id, journal, conductor.hub, settings.contest.name),
                        *(conductor.seats.contest_id, conductor.seats.changed.set),
                    )
                )
                continue
            directory = _directory(entry, rooms)
            links[entry.id] = await stack.enter_async_context(
                EntryLink(entry.id, directory, journal, conductor.hub)
            )
            if entry.command:
                words = command_line(entry.id, entry.command, directory)
                log_file = folder / "logs" / f"{entry.id}.log"
                programs[entry.id] = await stack.enter_async_context(
                    EntryProgram(entry.id, words, log_file, journal)
                )
        await asyncio.gather(*(each.spoken() for each in programs.values()))
        _refuse_dead(programs, folder)

        overview = Overview(conductor, links, programs)
        journal.watchers.append(overview.event)
        controls, hash_ = None, ""
        if manual:
            hash_ = await asyncio.to_thread(codes.hashed, organizer)
            await journal.seal("codes/organizer", {codes.ORGANIZER: hash_})
            controls = Controls(
                *(conductor, journal, overview, programs, issued, hashes),
                *(folder / codes.FILE_NAME, organizer),
            )
        house = House(
            *(folder, settings, conductor, journal, record, links, remote, link_hashes, overview),
            *(controls, hash_),
        )
        app = application(conductor.seats, hashes, routes(house))
        address = await stack.enter_async_context(serving(app, host, port))
        if manual:
            stack.enter_context(door.shown(folder, address, organizer))
        if announce:
            # Only here: a contest in one process has no use for it, and no wish to wait for it.
            from contest.announce import announced

            await stack.enter_async_context(announced(address, settings.contest.name))
        undo.clear()
        yield Stage(
            *(folder, address, issued, link_codes, conductor, journal, record),
            *(links, programs, overview),
        )
        with contextlib.suppress(RuntimeError):
            await journal.flushed()


@contextmanager
def _undone(folder: Path, settings: Settings) -> Iterator[list[Path]]:
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
            for beside in ("", "-wal", "-shm"):
                file.with_name(file.name + beside).unlink(missing_ok=True)


def _refuse_begun(record: Record) -> None:
    if next(record.events(kind=ContestClosed.kind), None) is not None:
        raise YoursToFix(f"{record.name}: this contest was played already; make a new folder")
    raise YoursToFix(
        f"{record.name}: this contest was begun and not finished, and this version can't go on "
        "with it; its record can be verified and exported, and a new folder begins anew"
    )


def _directory(entry: EntryTable, rooms: Path) -> Path:
    if entry.directory:
        return Path(entry.directory)
    directory = rooms / entry.id
    directory.mkdir()
    return directory


def _refuse_remote_commands(settings: Settings) -> None:
    for entry in settings.entry:
        for option in ("command", "directory"):
            if entry.link == "remote" and getattr(entry, option):
                raise BadSettings(
                    f'{entry.id} has link = "remote" and a {option}, but that is another '
                    f"machine's: leave {option} out, and give it to `loebner link` there"
                )


def _refuse_dead(programs: dict[str, EntryProgram], folder: Path) -> None:
    for entry, program in programs.items():
        if not program.running:
            raise BadSettings(
                f"the program of {entry} ended as soon as it was started; "
                f"see {folder / 'logs' / (entry + '.log')}"
            )
