"""A seat without a server: the desk in this process, and communications directories behind it.

`DeskSeat` is a `Seat` like any other (seat.py): windows do not know the difference. deskopening.py
makes it. The shell's work is to carry: the seat's frames to the desk (model/desk.py), the desk's
notes to whoever keeps the record, and, once they are durable, keys to the screen and into the
directories.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from judge_console.desk import NoRecord, Recorder, Scribe
from judge_console.desklink import DeskLink, Ears, check_directories
from judge_console.model import SeatModel
from judge_console.model.desk import Desk
from judge_console.model.desknotes import KeyNote, Noted, Opening, Side
from judge_console.model.deskwork import ToMake
from judge_console.seat import Lost, Seat
from judge_console.texts import Texts
from lpp import keypress
from lpp.clock import LoopClock
from lpp.directory import Directory
from lpp.keypress import printable
from lpp.session import Received
from lpp.violations import Violation
from lpp.wire import Place

_AWAY = {"left": "desk.away_left", "right": "desk.away_right", "only": "desk.away_only"}


class DeskSeat(Seat):
    """A seat whose other end is in this process; see deskopening.py for what makes it.

    A directory that goes away in the middle, or a record that can't be written, is told as `Lost`,
    and a `Welcome` comes when all is well again; what was typed meanwhile is kept, and made and
    recorded then. No message names a directory: its path could tell a judge who sits there.

    Arguments:
        opening: who sits where.
        directories: the directory behind each place.
        scoring: seconds of scoring; None is without a limit.
        recorder, texts, acknowledge, monotonic, clock: see deskopening.py.
        wall: the machine's wall clock, in seconds since 1970.

    Raises:
        YoursToFix: if a directory can't be used.
    """

    can_end = True

    def __init__(
        self,
        opening: Opening,
        directories: Mapping[Place, Directory],
        *,
        scoring: float | None = None,
        recorder: Recorder | None,
        texts: Texts,
        acknowledge: bool,
        monotonic: Callable[[], float],
        clock: LoopClock,
        wall: Callable[[], float] = time.time,
    ) -> None:
        check_directories(*directories.values())
        super().__init__(SeatModel("", "desk"), acknowledge=acknowledge, monotonic=monotonic)
        self._opening = opening
        self._texts = texts
        self._clock, self._wall = clock, wall
        self._recorder: Recorder = recorder if recorder is not None else NoRecord()
        self._desk = Desk(opening, contest_id=secrets.token_hex(16), scoring=scoring, say=texts)
        ours = keypress.Side.JUDGE if opening.role == "judge" else keypress.Side.OTHER
        ears = Ears(
            heard=self._on_heard,
            made=self._on_made,
            broken=self._on_broken,
            troubled=self._on_troubled,
            away=self._on_away,
            died=self._fail,
        )
        self._links = {
            place: DeskLink(place, directory, ours, ears)
            for place, directory in directories.items()
        }
        self._scribe = Scribe(
            self._recorder, self._on_record, lambda reason: self._on_away("record", reason)
        )
        self._leaving = False
        self._held: dict[int, tuple[DeskLink, Received]] = {}
        self._away: dict[str, str] = {}
        self._failure: BaseException | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def where(self) -> str:
        """The other end, for messages."""
        return "a desk without a server"

    @property
    def record(self) -> str:
        """Where the record is; empty if none is kept."""
        return self._recorder.where

    @property
    def human(self) -> Side | None:
        """Where the human sits, if there are two: not for the judge's eyes before all is over."""
        return self._opening.human if self._desk.verdicts else None

    async def end(self) -> None:
        """Ends the talk, or the scoring, before its time: the one that this seat has been told is
        on. Who asks twice, before the end of the talk was told, does not end the scoring too."""
        if self.phase == self._desk.phase:
            self._desk.end(self._clock.now())
            self._to_send.set()

    # Life

    async def _live(self) -> None:
        desk, now = self._desk, self._clock.now
        writing = asyncio.create_task(self._scribe.run(), name="record of a desk")
        writing.add_done_callback(self._writing_ended)
        try:
            desk.receive(self.model.hello(cut=False), now())
            desk.open(now())
            self._carry()
            await self._scribe.drained()
            await self._talk()
            desk.close(now())
            await self._run(lambda: False)
        finally:
            self._leaving = True
            desk.leave(now())
            desk.close(now())
            self._collect()
            self._scribe.stop()
            await asyncio.wait([writing])
            if self._timer is not None:
                self._timer.cancel()
            self._recorder.close()

    async def _talk(self) -> None:
        """From the opening of the directories to the end of all."""
        desk = self._desk
        async with contextlib.AsyncExitStack() as stack:
            left_overs: dict[Place, list[str]] = {}
            for place, link in self._links.items():
                await stack.enter_async_context(link)
                if desk.own == "judge":
                    left_overs[place] = await link.empty()
            desk.ready(left_overs, self._clock.now())
            for link in self._links.values():
                link.listen()
            await self._run(lambda: desk.phase == "over")
            for link in self._links.values():
                await link.deafen()
            # What was typed up to the end goes on record, and on to the other side.
            self._collect()
            await self._scribe.drained()
        for place in self._links:
            self._on_away(place, "")  # nobody needs it any more

    async def _run(self, until: Callable[[], bool]) -> None:
        """Carries frames whenever there is something to carry, until a condition holds.

        Raises:
            BaseException: what a task of ours has ended by.
        """
        while True:
            self._to_send.clear()
            self._desk.tick(self._clock.now())
            self._carry()
            if self._failure is not None:
                raise self._failure
            if until():
                return
            await self._to_send.wait()

    def _carry(self) -> None:
        """Carries what there is between the seat, the desk, the record and the directories, until
        nothing moves."""
        desk, moved = self._desk, True
        while moved:
            self._collect()
            for press in desk.take_presses():
                self._links[press.place].make(press)
            frames = desk.take_frames()
            for frame in frames:
                self._take(frame)
            if self.model.needs_snapshot:
                desk.receive(self.model.hello(cut=False), self._clock.now())
            said = self.model.outgoing()
            for saying in said:
                desk.receive(saying, self._clock.now())
            moved = bool(frames or said)
        self._set_timer()

    def _collect(self) -> None:
        wall_us = round(self._wall() * 1_000_000)
        self._scribe.add([replace(noted, wall_us=wall_us) for noted in self._desk.take_notes()])

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self._desk.due()
        if due is not None:
            wait = max(0.0, due - self._clock.now()) / self._clock.speed
            self._timer = asyncio.get_running_loop().call_later(wait, self._to_send.set)

    # The record

    def _on_record(self, batch: list[Noted]) -> None:
        self._desk.recorded(batch, self._clock.now())
        for noted in batch:
            held = self._held.pop(noted.note.id, None) if isinstance(noted.note, KeyNote) else None
            if held is not None:
                link, received = held
                link.release(received)
        self._carry()

    def _writing_ended(self, writing: asyncio.Task[None]) -> None:
        exc = None if writing.cancelled() else writing.exception()
        if exc is not None:
            self._fail(exc)

    # The directories

    def _on_heard(self, place: Place, received: Received) -> None:
        press = received.press
        id_ = self._desk.hear(
            place,
            press.key,
            press.number,
            printable(press.raw),
            [violation.rule.value for violation in received.violations],
            self._clock.now(),
        )
        self._held[id_] = (self._links[place], received)
        self._carry()

    def _on_made(self, press: ToMake) -> None:
        self._desk.made(press, self._clock.now())
        self._set_timer()

    def _on_broken(self, place: Place, what: Violation) -> None:
        name = printable(what.name)
        self._desk.breach(place, what.rule.value, name, what.detail, self._clock.now())
        self._collect()

    def _on_troubled(self, place: Place, what: str) -> None:
        self._desk.trouble(place, what, self._clock.now())
        self._collect()

    def _on_away(self, what: str, reason: str) -> None:
        """Something that the desk needs can't be had, or (without a reason) can be had again."""
        before = dict(self._away)
        if reason:
            self._away[what] = self._texts(_AWAY.get(what, "desk.not_recorded"), reason=reason)
        else:
            self._away.pop(what, None)
        if self._away == before or self._leaving:
            return
        if self._away:
            self._linked = False
            self._tell(Lost(" ".join(self._away.values())))
        else:
            self._take(self._desk.welcome)

    def _fail(self, exc: BaseException) -> None:
        if self._failure is None:
            self._failure = exc
        self._to_send.set()
