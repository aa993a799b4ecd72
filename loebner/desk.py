"""The desk without a server: a contest of one pairing in this process.

`loebner judge --left DIR --right DIR` and `loebner confederate --dir DIR` set up a contest with the
same function as `loebner serve`, on 127.0.0.1 and in a separate thread. The window takes one of its
seats by the ordinary wire protocol. Each communications directory takes part:

| at the desk of | directory | is |
|---|---|---|
| the judge J1 | the program's | the directory of entry E1, by the contest's link |
| the judge J1 | the human's | seat C1, by a `Partner` that carries keys in both directions |
| the confederate C1 | the only one | seat J1, by a `Partner` |

Without a partner for the right side, nobody types at seat C1, and the window shows only the left
side. At a confederate's desk, E1 is an empty directory. The record is an ordinary contest folder.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import math
import random
import secrets
import tempfile
import threading
from collections import deque
from concurrent.futures import Future
from functools import partial
from importlib.metadata import version
from itertools import count
from pathlib import Path

import click
import tomlkit

from contest.errors import WrongMoment
from contest.links.directory import Checkpoint
from contest.links.link import link_in_process
from contest.live import decisions
from contest.live.conductor import draw_side
from contest.organizer.scripted import organize
from contest.record.events import Event
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder as folders
from contest.setup import settings
from contest.setup.filenames import safe_name
from contest.setup.planning import schedule_of
from contest.state.phases import Phase
from judge_console.client import SeatClient
from judge_console.model.seat import Human
from judge_console.serverless import DeskPlan
from lpp.channel import DirectoryChannel
from lpp.clock import LoopClock
from lpp.directory import LocalDirectory, communications_root
from lpp.errors import EnvironmentProblem, LPPError, UserError
from lpp.keypress import Side
from lpp.session import Received
from lpp.wire import Key, Place, Taken, Talk
from texts import Texts

#: Minutes of scoring after a talk (rules 2010, section 3).
SCORING_MINUTES = 5.0
#: Minutes of a talk without a limit: a day, the most that a contest can have.
NO_LIMIT = 1440.0
#: Seconds before a key press that could not be created is retried.
RETRY_SECONDS = 0.5
#: Seconds that a contest has to end cleanly after the person leaves.
CLOSE_TIMEOUT = 30.0


class Partner:
    """A participant who uses a communications directory instead of a console.

    Arguments:
        directory: the directory in which the other program reads and writes.
        side: our side there; the judge's if the partner is a confederate.
        place: the talk's place at the partner's seat.
    """

    def __init__(self, directory: Path, side: Side, place: Place) -> None:
        self._channel = DirectoryChannel(directory, side=side, keep=True)
        self._side, self._place = side, place
        self._made = 0
        # Own keys that the server has not confirmed; their directories stay until then.
        self._held: deque[tuple[int, Received]] = deque()
        self._begun = asyncio.Event()

    async def play(self, seat: SeatClient) -> None:
        """Carries keys in both directions until it is cancelled."""
        async with self._channel:
            if self._side is Side.JUDGE:
                await self._channel.empty()
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._read(seat))
                async for event in seat:
                    if seat.phase == "interaction":
                        self._begun.set()
                    match event:
                        case Talk() if event.place == self._place:
                            own = seat.model.own
                            await self._make([key for who, key in event.keys if who != own])
                        case Key() if event.place == self._place and event.n > self._made:
                            await self._make([""] * self._made + [event.key])
                        case Taken() if event.place == self._place:
                            while self._held and self._held[0][0] <= event.n:
                                self._channel.release(self._held.popleft()[1])

    async def _make(self, keys: list[str]) -> None:
        """Creates the other side's keys that are not in the directory yet, however long it
        takes."""
        for key in keys[self._made :]:
            while True:
                try:
                    await self._channel.send(key)
                except LPPError:
                    await asyncio.sleep(RETRY_SECONDS)
                else:
                    break
            self._made += 1

    async def _read(self, seat: SeatClient) -> None:
        await self._begun.wait()
        async for received in self._channel:
            if await seat.press(self._place, received.press.key):
                self._held.append((seat.model.talks[self._place].last, received))
            else:
                self._channel.release(received)  # after the end, so not part of the talk


class Desk:
    """A desk without a server; see `judge_console.serverless.Desk`.

    Arguments:
        plan: the desk that was requested.
        texts: the texts in the person's language.

    Attributes:
        folder: the contest's folder; None before `seat` is called.
    """

    def __init__(self, plan: DeskPlan, texts: Texts) -> None:
        self._plan, self._texts = plan, texts
        self._is_judge = plan.role == "judge"
        self._verdicts = self._is_judge and bool(plan.right)
        self.folder: Path | None = None
        self._opened: Future[tuple[str, str]] = Future()
        self._thread = threading.Thread(target=self._run, name="desk", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        # The phase that the person has ended, and the person's verdict.
        self._ended = self._said = ""
        self._leaving = False
        self._human: Human = "right"

    # For the console, from other threads

    def seat(self) -> SeatClient:
        """Sets up the contest, and makes the person's seat at it.

        Raises:
            UserError: if a directory can't be used.
            EnvironmentProblem: if the record can't be written.
        """
        self._thread.start()
        address, code = self._opened.result()
        return SeatClient(
            f"ws://{address}/seat",
            code,
            client=f"loebner {version('loebner')}",
            acknowledge=False,
            only=("left",) if self._is_judge and not self._plan.right else (),
        )

    def end(self, phase: str) -> None:
        """Ends the talk or the scoring early for the person. `phase` is the phase shown, so that a
        second request before the next phase is shown doesn't end that, too."""
        self._ended = phase
        self._notify()

    def leave(self) -> None:
        """Starts to end the contest, because the person leaves."""
        self._leaving = True
        self._notify()

    def close(self) -> None:
        """Ends the contest, and waits until its record is closed."""
        self.leave()
        if self._thread.ident is not None:
            self._thread.join(CLOSE_TIMEOUT)

    def _notify(self) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # it has ended
                self._loop.call_soon_threadsafe(self._wake.set)

    # In the desk's thread

    def _run(self) -> None:
        try:
            with tempfile.TemporaryDirectory(
                *("", "loebner-desk-", communications_root()), ignore_cleanup_errors=True
            ) as scratch:
                asyncio.run(self._run_contest(Path(scratch)))
        except Exception as exc:
            if self._opened.done():
                raise
            self._opened.set_exception(exc)

    async def _run_contest(self, scratch: Path) -> None:
        self._loop = asyncio.get_running_loop()
        plan = self._plan
        for path in filter(None, (plan.left, plan.right)):
            LocalDirectory(Path(path)).check()
        # The program's directory, the partner's directory, and the human's side.
        entry, partner = Path(plan.left), None
        human: Human = "right"
        if not self._is_judge:
            entry, partner, human = scratch / "nobody", entry, "left"
            entry.mkdir()
        elif plan.right:
            partner, human = Path(plan.right), plan.human
            if human == "left":
                entry, partner = partner, entry
        self.folder = self._make_folder(scratch)
        self._write_settings(self.folder, entry)
        found = settings.load(self.folder)
        if self._verdicts and plan.sides == "random":
            human = secrets.choice(("left", "right"))
        self._human = human
        own, others = ("J1", "C1") if self._is_judge else ("C1", "J1")
        async with (
            set_up(
                *(self.folder, found, schedule_of(found, self.folder), LoopClock()),
                program=f"loebner {version('loebner')} desk",
                rng=_sides(human),
            ) as server,
            link_in_process(
                *(LocalDirectory(entry), Checkpoint(scratch / "link")),
                partial(server.connect_link, "E1"),
            ),
            SeatClient(
                *(f"ws://{server.address}/seat", server.codes[others]), client="directory"
            ) as other,
        ):
            works = [server.play(), organize(lambda: server, "the desk was left")]
            if partner is not None:
                ours = Side.JUDGE if self._is_judge else Side.OTHER
                place: Place = "only" if self._is_judge else "left"
                works.append(Partner(partner, ours, place).play(other))
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(work) for work in works]
                self._opened.set_result((server.address, server.codes[own]))
                await self._steer(server)
                for task in tasks:
                    task.cancel()

    async def _steer(self, server: Server) -> None:
        """Acts as the organizer until the person has left: ends the phases that the person ends,
        and skips the ranking, which makes no sense for two participants."""
        conductor, loop = server.conductor, asyncio.get_running_loop()

        def on_event(event: Event) -> None:
            if event.kind == "verdict":
                self._said = str(event.body["human"])
            if event.kind != "key":
                loop.call_later(0.01, self._wake.set)  # after the conductor has handled the event

        server.journal.watchers.append(on_event)
        deadline = math.inf
        while True:
            phase, ended = conductor.status().phase, self._texts("desk.ended")
            with contextlib.suppress(WrongMoment):  # a moment too early: the next turn will do it
                by_person = self._leaving or self._ended == phase.value
                if phase in (Phase.INTERACTION, Phase.PAUSED) and by_person:
                    conductor.order(decisions.end_interaction, ended)
                elif phase is Phase.SCORING and (by_person or self._said or not self._verdicts):
                    conductor.order(decisions.close, ended)
                elif phase is Phase.CLOSED and conductor.waits:
                    conductor.start()  # the ranking, whether the person is still here or not
                elif phase is Phase.RANKING:
                    conductor.order(decisions.close, self._reveal() or ended)
            if self._leaving:
                deadline = min(deadline, loop.time() + 0.8 * CLOSE_TIMEOUT)
                early = phase in (Phase.BEFORE, Phase.WAITING)
                if early or server.journal.finished or loop.time() > deadline:
                    return
            self._wake.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), 0.02 if self._leaving else RETRY_SECONDS)

    def _reveal(self) -> str:
        """Says where the human was, and whether the person was right; empty if there is no
        verdict to give."""
        if not self._verdicts:
            return ""
        revealed = self._texts(f"desk.human_{self._human}")
        if not self._said:
            return revealed
        judged = "replay.guessed" if self._said == self._human else "replay.missed"
        return f"{self._texts(judged)} {revealed}"

    # The contest's folder

    def _make_folder(self, scratch: Path) -> Path:
        if not self._plan.record:
            return scratch / "contest"
        kind = "practice" if self._is_judge and not self._plan.right else self._plan.role
        parent = Path(self._plan.record)
        name = safe_name(f"{dt.datetime.now():%Y-%m-%d %H-%M} {kind}")
        try:
            parent.mkdir(parents=True, exist_ok=True)
            for number in count(1):
                folder = parent / (name if number == 1 else f"{name} {number}")
                with contextlib.suppress(FileExistsError):
                    folder.mkdir(mode=0o700)
                    break
        except OSError as exc:
            raise EnvironmentProblem(
                f"{parent}: can't write a record here ({exc.strerror or exc}); "
                "give another directory"
            ) from exc
        click.echo(f"The record is in {folder}")
        return folder

    def _write_settings(self, folder: Path, entry: Path) -> None:
        name = "window.desk" if self._plan.right or not self._is_judge else "window.practice"
        settings = {
            "contest": {"name": self._texts(name), "date": dt.date.today()},
            "rules": {
                "rounds": 1,
                "interaction_minutes": self._plan.minutes or NO_LIMIT,
                "scoring_minutes": SCORING_MINUTES,
                # Pasting is allowed for those who only practise.
                "paste": "refuse" if self._plan.right else "type",
            },
            # Nobody is asked; the owner of this record decides who gets it.
            "publication": {"default": "publish"},
            "spectators": {"show": False},
            "judge": [{"id": "J1"}],
            # A link to the server, whose other end is also in this process.
            "entry": [{"id": "E1", "name": entry.name, "link": "remote"}],
            "confederate": [{"id": "C1"}],
        }
        try:
            folders.make(folder, tomlkit.dumps(settings))
        except UnicodeEncodeError:
            raise UserError(f"{entry}: can't record a path that is not valid text") from None


def _sides(human: Human) -> random.Random:
    """A random generator whose first draw of a side puts the human there."""
    for seed in count():
        if draw_side(random.Random(seed)).human == human:
            return random.Random(seed)
    raise AssertionError("each side must be drawn by some seed")
