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
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import scheduler
from contest import codes, timeline
from contest.conductor import Conductor
from contest.entrylink import EntryLink
from contest.errors import BadSettings, YoursToFix
from contest.journal import Journal
from contest.page import html_page
from contest.programs import EntryProgram, command_line
from contest.record import Copy, Record, record_url
from contest.results import results_text
from contest.settings import EntryTable, Settings
from contest.tallying import result_body
from contest.verify import HEAD_FILE
from contest.web import application, serving
from lpp.clock import Clock
from lpp.directory import rooms_parent


@dataclass
class Stage:
    """A contest that can be played.

    Attributes:
        folder: the contest's folder.
        address: where consoles connect to, `HOST:PORT`.
        codes: seat to code.
        conductor: plays it.
        links: entry id to its link.
        programs: entry id to its program.
    """

    folder: Path
    address: str
    codes: dict[str, str]
    conductor: Conductor
    journal: Journal
    record: Record
    links: dict[str, EntryLink]
    programs: dict[str, EntryProgram]

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

    Raises:
        YoursToFix: settings that can't be used, or a contest that was played already.
        Surroundings: a record that can't be written, a port that can't be had.
    """
    _refuse_remote(settings)
    async with AsyncExitStack() as stack:
        record = stack.enter_context(
            Record(record_url(folder, settings.record.database), create=True)
        )
        if record.chains.last_seq:
            raise YoursToFix(f"{record.name}: this contest was played already; make a new folder")
        copy = None
        if settings.record.copy_to:
            copy = Copy(folder / settings.record.copy_to, record)
            stack.callback(copy.close)
        journal = await stack.enter_async_context(Journal(record, clock, copy))
        conductor = Conductor(
            settings, schedule, journal, clock, speed=speed, program=program, rng=rng
        )
        await conductor.open()

        issued = codes.issue(conductor.seats.seats)
        hashes = await asyncio.to_thread(
            lambda: {seat: codes.hashed(code) for seat, code in issued.items()}
        )
        await journal.seal("codes", hashes)
        codes.write_file(issued, folder / codes.FILE_NAME)

        rooms = Path(tempfile.mkdtemp(prefix="loebner-", dir=rooms_parent()))
        stack.callback(shutil.rmtree, rooms, ignore_errors=True)
        links: dict[str, EntryLink] = {}
        programs: dict[str, EntryProgram] = {}
        for entry in settings.entry:
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

        app = application(conductor.seats, hashes)
        address = await stack.enter_async_context(serving(app, host, port))
        if announce:
            # Only here: a contest in one process has no use for it, and no wish to wait for it.
            from contest.announce import announced

            await stack.enter_async_context(announced(address, settings.contest.name))
        yield Stage(folder, address, issued, conductor, journal, record, links, programs)
        with contextlib.suppress(RuntimeError):
            await journal.flushed()


def _directory(entry: EntryTable, rooms: Path) -> Path:
    if entry.directory:
        return Path(entry.directory)
    directory = rooms / entry.id
    directory.mkdir()
    return directory


def _refuse_remote(settings: Settings) -> None:
    for entry in settings.entry:
        if entry.link == "remote":
            raise BadSettings(
                f'{entry.id} has link = "remote", but this version carries no entries on other '
                "machines; run it here, and leave link out"
            )


def _refuse_dead(programs: dict[str, EntryProgram], folder: Path) -> None:
    for entry, program in programs.items():
        if not program.running:
            raise BadSettings(
                f"the program of {entry} ended as soon as it was started; "
                f"see {folder / 'logs' / (entry + '.log')}"
            )
