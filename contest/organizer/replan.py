"""The schedule's page of the board: who meets whom, and the rest of the rounds planned again.

To plan changes nothing, and is asked for by the address alone; a plan that is chosen goes the way
of the order `replan`. Plans are made in a process of their own, and kept for a while, so that what
is adopted is what was shown.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

import msgspec
from aiohttp import web
from multidict import MultiMapping

import scheduler
from contest import apart
from contest.errors import BadOrder, ContestError, WrongMoment
from contest.net.login import Refused, Session, back_to, checked_form
from contest.organizer.orders import ORDERS, Given, order_of
from contest.setup.settings import people_of
from contest.state.schedules import as_rounds, not_counting
from scheduler import BadInput, Pairing, Schedule
from scheduler import Refused as NoPlan
from scheduler.checking import KINDS
from scheduler.planning import Wishes, read_options
from scheduler.planning.model import SolverMissing
from scheduler.repair import Repair, Rest, introduced, pairings_of, proved, reasons, repair
from scheduler.texts import listed, together

if TYPE_CHECKING:
    from contest.serving.server import Server

#: Where the page is on the board.
PAGE = "/schedule"
#: Seconds that the solver may search, and that all of it may take, its start included.
SOLVER, LONGEST = 20.0, 60.0
#: Plans that are kept.
KEPT = 16
#: Characters of what is typed about who must not meet.
_LONGEST = 500
#: The names under which the two plans are chosen.
STANDS, REPAIRED = "stands", "repaired"


# In a process of its own


class Question(msgspec.Struct, frozen=True):
    """What is to be planned; see `scheduler.repair.repair`.

    Attributes:
        schedule: all rounds as they are planned.
        played: how many were begun.
        gone: who is not there any more.
        void: pairings of the rounds begun that do not count.
        wishes: what holds for the rest.
    """

    schedule: Schedule
    played: int
    gone: tuple[str, ...] = ()
    void: tuple[Pairing, ...] = ()
    wishes: Wishes = Wishes()


class Answer(msgspec.Struct, frozen=True):
    """Both plans, or why there are none, and whether that is for the organizer to mend."""

    found: Repair | None = None
    refused: str = ""
    to_mend: bool = False


async def planned_apart(question: Question, longest: float = LONGEST) -> Repair:
    """Plans the rest again, within so many seconds of real time.

    Raises:
        BadOrder: if it names somebody, or a round, that there is not.
        WrongMoment: if there is nothing to be planned, or the time did not suffice.
        Surroundings: if the process can't be started, or broke down.
    """
    try:
        said = await apart.run(__name__, msgspec.json.encode(question), longest)
    except TimeoutError:
        raise WrongMoment(
            f"no plan was found within {longest:g} seconds; `loebner schedule repair` at a "
            "terminal may take its time"
        ) from None
    answer = msgspec.json.decode(said, type=Answer)
    if answer.found is not None:
        return answer.found
    raise BadOrder(answer.refused) if answer.to_mend else WrongMoment(answer.refused)


def answered(question: bytes) -> bytes:
    """What the process does; see `contest.apart`."""
    asked = msgspec.json.decode(question, type=Question)
    try:
        found = repair(
            *(asked.schedule, asked.played, asked.gone, asked.void),
            seconds=SOLVER,
            wishes=asked.wishes,
        )
    except (BadInput, NoPlan, SolverMissing) as exc:
        return msgspec.json.encode(Answer(None, str(exc), isinstance(exc, BadInput)))
    return msgspec.json.encode(Answer(found))


# What is shown


class Cell(NamedTuple):
    """What a desk has in a round: entry and confederate, empty where it is free; and what is other
    about it, as a shape (templates/replan_table.html) and in words."""

    words: str = ""
    mark: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rounds, each with a word that is to be said of it; and for each judge the cells."""

    rounds: Sequence[tuple[int, str]]
    rows: Sequence[tuple[str, Sequence[Cell]]]

    @classmethod
    def of(
        cls,
        judges: Sequence[str],
        numbers: Iterable[int],
        cell: Callable[[str, int], Cell],
        begun: int = 0,
    ) -> Table:
        """A table of these judges and rounds."""
        rounds = [(number, "begun" if number <= begun else "") for number in numbers]
        return cls(rounds, [(j, [cell(j, number) for number, _ in rounds]) for j in judges])


@dataclass(frozen=True, slots=True)
class Shown:
    """A plan.

    Attributes:
        name: under which it is chosen.
        title: what it is called.
        table: its rounds to come.
        plan: it, with the pairs that are lost, and why.
        why_not: why it can't be chosen, in words; empty if it can.
        rounds: its rounds to come, as an order has them.
    """

    name: str
    title: str
    table: Table
    plan: Rest
    why_not: str
    rounds: Mapping[str, Any]

    @property
    def reasons(self) -> list[str]:
        """Why pairs are lost, in sentences."""
        return reasons(self.plan)

    @property
    def pairs(self) -> list[tuple[str, str, str]]:
        """For each kind of pair its name, how many meet, and what is repeated."""
        found = []
        for kind, words in KINDS.items():
            pairs = self.plan.pairs[kind]
            again = f"again: {', '.join(map(together, pairs.repeated))}" if pairs.repeated else ""
            found.append((words, f"{pairs.covered} of {pairs.of}", again))
        return found


def side_by_side(found: Repair, schedule: Schedule, judges: Sequence[str]) -> list[Shown]:
    """The plan as it stands, and the one that is proposed where that is another.

    Arguments:
        found: what the planning has found.
        schedule: all rounds as they are planned now.
        judges: whose desks there are, in the order of the settings.
    """
    to_come = range(found.played + 1, len(schedule.rounds) + 1)
    before, kept = _cells(schedule), _cells(found.as_it_stands.schedule)
    after, gone = _cells(found.repaired.schedule), set(found.gone)

    def falling(judge: str, number: int) -> Cell:
        now, old = kept.get((number, judge), ""), before.get((number, judge), "")
        if now or not old:
            return Cell(now)
        absent = [name for name in (judge, *old.split()) if name in gone]
        verb = "is" if len(absent) == 1 else "are"
        return Cell(old, "out", f"falls out: {listed(absent)} {verb} gone")

    def changing(judge: str, number: int) -> Cell:
        now, old = after.get((number, judge), ""), kept.get((number, judge), "")
        if now == old:
            return Cell(now)
        if not now:
            return Cell("", "free", "free now")
        return Cell(now, "other", "changed") if old else Cell(now, "new", "new")

    def shown(name: str, title: str, plan: Rest, cell: Callable[[str, int], Cell]) -> Shown:
        rounds = as_rounds(plan.schedule)
        to_play = {str(number): rounds.get(str(number), []) for number in to_come}
        why_not = ""
        if empty := [number for number, pairings in to_play.items() if not pairings]:
            why_not = (
                f"nobody plays in round {empty[0]}, and a round without talks can't be played; the "
                "order No more rounds ends the rounds earlier"
            )
        elif set(plan.schedule.pairings) == set(schedule.pairings):
            why_not = "this is the plan that holds already"
        return Shown(name, title, Table.of(judges, to_come, cell), plan, why_not, to_play)

    title = "As it stands" + ", without those who are gone" * bool(gone)
    plans = [shown(STANDS, title, found.as_it_stands, falling)]
    if found.repaired != found.as_it_stands:
        plans.append(shown(REPAIRED, "New plan", found.repaired, changing))
    return plans


def whole(schedule: Schedule, judges: Sequence[str], begun: int) -> Table:
    """The schedule as it is; so many rounds were begun."""
    held = _cells(schedule)
    numbers = range(1, len(schedule.rounds) + 1)
    return Table.of(judges, numbers, lambda j, n: Cell(held.get((n, j), "")), begun)


def in_words(wishes: Wishes) -> list[str]:
    """What holds for each plan by the settings, in words without a full stop."""
    away: dict[str, list[int]] = {}
    for name, number in wishes.away:
        away.setdefault(name, []).append(number)
    said = []
    if wishes.conflicts:
        said.append(f"must not meet: {', '.join(map(together, wishes.conflicts))}")
    for name, numbers in away.items():
        where = f"round{'s' * (len(numbers) > 1)} {listed(map(str, sorted(numbers)))}"
        said.append(f"{name} is away in {where}")
    for session in wishes.sessions:
        if session.away:
            said.append(f"{listed(session.away)} away in the session {session.name}")
    if wishes.desks:
        rounds = " by round" * (len(wishes.desks) > 1)
        said.append(f"desks{rounds}: {', '.join(map(str, wishes.desks))}")
    if wishes.weights:
        counts = ", ".join(f"({letter}) counts {weight}" for letter, weight in wishes.weights)
        said.append(f"a lost pair of wish {counts}")
    return said


def void_in_words(void: Iterable[Pairing], schedule: Schedule) -> list[str]:
    """What does not count, round by round: whole rounds, or their talks by name."""
    rounds: dict[int, list[Pairing]] = {}
    for pairing in void:
        rounds.setdefault(pairing.round, []).append(pairing)
    said = []
    for number, held in sorted(rounds.items()):
        named = (together((p.judge, p.entry, p.confederate)) for p in held)
        every = len(held) == len(schedule.rounds[number - 1])
        said.append(f"round {number}" if every else f"in round {number} {', '.join(named)}")
    return said


def _cells(schedule: Schedule) -> dict[tuple[int, str], str]:
    """Round and judge to entry and confederate."""
    return {(p.round, p.judge): f"{p.entry} {p.confederate}" for p in schedule.pairings}


# The page


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for in the page's address.

    Attributes:
        gone: ids.
        void: numbers of rounds.
        conflicts: pairs, as they were typed.
    """

    gone: tuple[str, ...] = ()
    void: tuple[int, ...] = ()
    conflicts: str = ""

    @classmethod
    def of(cls, query: MultiMapping[str]) -> Asked:
        """Reads an address; what is no number of a round is left out."""
        numbers = (text for text in query.getall("void", []) if text.isascii() and text.isdigit())
        return cls(
            tuple(dict.fromkeys(query.getall("gone", []))),
            tuple(sorted({int(text[:9]) for text in numbers})),
            query.get("conflicts", "").strip()[:_LONGEST],
        )

    @property
    def address(self) -> str:
        """The page's with this in it."""
        query = {"plan": "yes", "gone": self.gone, "void": self.void, "conflicts": self.conflicts}
        return f"{PAGE}?{urlencode(query, doseq=True)}"


@dataclass(frozen=True, slots=True)
class Planned:
    """Plans that were shown: what was asked for, what that was all in all, and the plans; from
    where was planned (`words`), and what is proved."""

    asked: Asked
    question: Question
    plans: Sequence[Shown]
    words: Sequence[str]
    proof: str


class ReplanPages:
    """The schedule's page.

    Arguments:
        server: the contest's.
        show: makes a page: template, which page of the board it is, session, context.
    """

    def __init__(self, server: Server, show: Callable[..., web.Response]) -> None:
        self._server = server
        self._show = show
        self._kept: OrderedDict[str, Planned] = OrderedDict()
        self._one_by_one = asyncio.Lock()

    async def page(self, request: web.Request, session: Session) -> web.Response:
        """Shows the schedule, and the plans that are asked for."""
        settings, conductor = self._server.settings, self._server.conductor
        asked, trouble, key = Asked.of(request.query), "", ""
        void: list[str] = []
        why_not = ORDERS["replan"].why_not(conductor.state, conductor.now_ns())
        try:
            plan = conductor.schedule
            void = void_in_words(not_counting(conductor.state, plan), plan)
            if request.query.get("plan") and not why_not:
                key = await self._planned(asked)
        except (ContestError, scheduler.SchedulerError) as exc:
            trouble = str(exc)
        begun, judges = conductor.status().round, people_of(settings)[0]
        tables = {
            "Judges": settings.judge,
            "Confederates": settings.confederate,
            "Entries": settings.entry,
        }
        # In a thread: of a large contest these are thousands of cells, and keys go first.
        return await asyncio.to_thread(
            lambda: self._show(
                *("replan.html", PAGE, session),
                asked=asked,
                begun=begun,
                void=void,
                people=tables,
                wishes=in_words(settings.schedule.wishes()),
                table=whole(conductor.schedule, judges, begun),
                why_not=why_not,
                trouble=trouble,
                key=key,
                both=self._kept[key] if key else None,
                two_persons=settings.rules.two_persons,
                longest=round(LONGEST),
            )
        )

    async def _planned(self, asked: Asked) -> str:
        """Plans, unless it was planned already; gives the name under which the plans are kept."""
        async with self._one_by_one:
            question = await self._question(asked)
            key = hashlib.sha256(msgspec.json.encode(question)).hexdigest()
            if key not in self._kept:
                found = await planned_apart(question)
                judges = people_of(self._server.settings)[0]
                plans = await asyncio.to_thread(side_by_side, found, question.schedule, judges)
                words = [f"{words}." for words in introduced(found)]
                self._kept[key] = Planned(asked, question, plans, words, proved(found))
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return key

    async def _question(self, asked: Asked) -> Question:
        conductor, settings = self._server.conductor, self._server.settings
        played, plan = conductor.status().round, conductor.schedule
        judges, entries, confederates = people_of(settings)
        # Who has no desk in the plan as it is may be there all the same, and have one in the next.
        schedule = Schedule.of(
            plan.pairings, judges=judges, entries=entries, confederates=confederates
        )
        if later := [number for number in asked.void if number > played]:
            raise BadOrder(f"round {later[0]} was not begun: it can't be void")
        void = {*not_counting(conductor.state, plan), *pairings_of(plan, asked.void)}
        wishes = settings.schedule.wishes().and_also(read_options(conflicts=(asked.conflicts,)))
        return Question(schedule, played, asked.gone, tuple(sorted(void)), wishes)

    async def adopt(self, request: web.Request, session: Session) -> web.Response:
        """Gives the order to play by the plan that was chosen."""
        back = PAGE
        try:
            form = await checked_form(request, session)
            kept = self._kept.get(form.get("plan", ""))
            if kept is None:
                raise WrongMoment("these plans are not kept any more: plan once more")
            back = kept.asked.address
            order = self._order(kept, form)
            answer = await self._server.controls.perform(order, session.who)
        except (Refused, ContestError) as exc:
            session.said = (str(exc), False)
            return back_to(back)
        session.said = (f"Done: {answer['done']}.", True)
        return back_to("")

    def _order(self, kept: Planned, form: Mapping[str, str]) -> Given:
        chosen = next((each for each in kept.plans if each.name == form.get("which")), None)
        if chosen is None:
            raise BadOrder("choose one of the plans")
        conductor, question = self._server.conductor, kept.question
        now = (conductor.status().round, set(conductor.schedule.pairings))
        if now != (question.played, set(question.schedule.pairings)):
            raise WrongMoment("the contest has gone on since these plans were made: plan once more")
        if chosen.why_not:
            raise WrongMoment(chosen.why_not)
        reason = form.get("reason", "")
        return order_of({"action": "replan", "rounds": chosen.rounds, "reason": reason})
