"""The schedule's page of the board: who meets whom, and the rest of the rounds planned again.

To plan changes nothing, and is asked for by the address alone. Plans are made in a process of their
own; the one that is chosen is given as the order `replan`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from aiohttp import web

import scheduler
from contest import apart
from contest.errors import BadOrder, ContestError, WrongMoment
from contest.net.login import Session
from contest.organizer.orders import ORDERS
from contest.setup.settings import people_of
from contest.state.schedules import not_counting
from scheduler import BadInput, Pairing, Schedule
from scheduler import Refused as NoPlan
from scheduler.checking import KINDS
from scheduler.planning import Wishes, read_options
from scheduler.planning.model import SolverMissing
from scheduler.repair import Repair, Rest, introduced, pairings_of, proved, reasons, repair
from scheduler.texts import listed, together

if TYPE_CHECKING:
    from contest.serving.server import Server

#: Seconds that the solver may search, and that all of it may take, its start included.
SOLVER, LONGEST = 20.0, 60.0
#: Characters of what is typed about who must not meet.
_LONGEST = 500


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
        name: `stands` or `repaired`.
        title: what it is called.
        table: its rounds to come.
        plan: it, with the pairs that are lost, and why.
        why_not: why it can't be chosen, in words; empty if it can.
        rounds: its rounds to come, a line each, as the form of the order takes them.
    """

    name: str
    title: str
    table: Table
    plan: Rest
    why_not: str
    rounds: str

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
        to_play: dict[int, list[str]] = {number: [] for number in to_come}
        for p in plan.schedule.pairings:
            if p.round in to_play:
                to_play[p.round].append(together(p.names))
        rounds = "\n".join(f"Round {n} {' '.join(names)}" for n, names in to_play.items())
        why_not = ""
        if empty := [number for number, names in to_play.items() if not names]:
            why_not = (
                f"nobody plays in round {empty[0]}, and a round without talks can't be played; the "
                "order No more rounds ends the rounds earlier"
            )
        elif set(plan.schedule.pairings) == set(schedule.pairings):
            why_not = "this is the plan that holds already"
        return Shown(name, title, Table.of(judges, to_come, cell), plan, why_not, rounds)

    title = "As it stands" + ", without those who are gone" * bool(gone)
    plans = [shown("stands", title, found.as_it_stands, falling)]
    if found.repaired != found.as_it_stands:
        plans.append(shown("repaired", "New plan", found.repaired, changing))
    return plans


def whole(schedule: Schedule, judges: Sequence[str], begun: int) -> Table:
    """The schedule as it is; so many rounds were begun."""
    held = _cells(schedule)
    numbers = range(1, len(schedule.rounds) + 1)
    return Table.of(judges, numbers, lambda j, n: Cell(held.get((n, j), "")), begun)


def _cells(schedule: Schedule) -> dict[tuple[int, str], str]:
    """Round and judge to entry and confederate."""
    return {(p.round, p.judge): f"{p.entry} {p.confederate}" for p in schedule.pairings}


# The page


class ReplanPage:
    """The schedule's page.

    Arguments:
        server: the contest's.
        show: makes a page: template, which page of the board it is, session, context.
    """

    def __init__(self, server: Server, show: Callable[..., web.Response]) -> None:
        self._server = server
        self._show = show
        self._one_by_one = asyncio.Lock()

    async def page(self, request: web.Request, session: Session) -> web.Response:
        """Shows the schedule, and the plans that are asked for."""
        settings, conductor = self._server.settings, self._server.conductor
        begun, judges, query = conductor.status().round, people_of(settings)[0], request.query
        numbers = (text for text in query.getall("void", []) if text.isascii() and text.isdigit())
        context: dict[str, Any] = {
            "gone": list(dict.fromkeys(query.getall("gone", []))),
            "void": sorted({int(text[:9]) for text in numbers}),
            "conflicts": query.get("conflicts", "").strip()[:_LONGEST],
            "begun": begun,
            "people": {
                "Judges": settings.judge,
                "Confederates": settings.confederate,
                "Entries": settings.entry,
            },
            "why_not": ORDERS["replan"].why_not(conductor.state, conductor.now_ns()),
            "trouble": "",
            "plans": [],
            "two_persons": settings.rules.two_persons,
            "longest": round(LONGEST),
        }
        try:
            if query.get("plan") and not context["why_not"]:
                question = self._question(context["gone"], context["void"], context["conflicts"])
                async with self._one_by_one:
                    found = await planned_apart(question)
                plans = await asyncio.to_thread(side_by_side, found, question.schedule, judges)
                words = [f"{words}." for words in introduced(found)]
                context |= {"plans": plans, "words": words, "proof": proved(found)}
        except (ContestError, scheduler.SchedulerError) as exc:
            context["trouble"] = str(exc)
        schedule = conductor.schedule
        # In a thread: of a large contest these are thousands of cells, and keys go first.
        return await asyncio.to_thread(
            lambda: self._show(
                *("replan.html", "/schedule", session),
                table=whole(schedule, judges, begun),
                **context,
            )
        )

    def _question(self, gone: Sequence[str], void: Sequence[int], conflicts: str) -> Question:
        conductor, settings = self._server.conductor, self._server.settings
        played, plan = conductor.status().round, conductor.schedule
        judges, entries, confederates = people_of(settings)
        # Who has no desk in the plan as it is may be there all the same, and have one in the next.
        schedule = Schedule.of(
            plan.pairings, judges=judges, entries=entries, confederates=confederates
        )
        if later := [number for number in void if number > played]:
            raise BadOrder(f"round {later[0]} was not begun: it can't be void")
        not_counted = {*not_counting(conductor.state, plan), *pairings_of(plan, void)}
        wishes = settings.schedule.wishes().and_also(read_options(conflicts=(conflicts,)))
        return Question(schedule, played, tuple(gone), tuple(sorted(not_counted)), wishes)
