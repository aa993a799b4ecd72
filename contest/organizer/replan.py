"""The schedule's page of the board: who meets whom, and the rest of the rounds planned again.

To plan changes nothing, and is asked for by the address alone. Plans are made in a process of their
own; the one that is chosen is given as the order `replan`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from aiohttp import web

import scheduler
from contest import apart
from contest.errors import BadOrder, ContestError, WrongMoment
from contest.net.login import Session
from contest.organizer.orders import orders_in
from contest.setup.settings import people_of
from contest.state.schedules import not_counting
from scheduler import BadInput, Pairing, Schedule
from scheduler import Refused as NoPlan
from scheduler.checking import KINDS, Pairs
from scheduler.planning import Wishes, read_options
from scheduler.planning.model import SolverMissing
from scheduler.repair import Repair, Rest, introduced, pairings_of, proved, reasons, repair
from scheduler.texts import listed, together
from texts import Texts

if TYPE_CHECKING:
    from contest.serving.server import Server

#: Seconds that the solver may search, and that all of it may take, its start included.
SOLVER, LONGEST = 20.0, 60.0
_LATE = (
    f"no plan was found within {LONGEST:g} seconds; `loebner schedule repair` at a terminal may "
    "take its time"
)
#: Characters of what is typed about who must not meet.
_LONGEST = 500


def planned(
    schedule: Schedule,
    played: int,
    gone: tuple[str, ...],
    void: tuple[Pairing, ...],
    wishes: Wishes,
) -> Repair:
    """Plans the rest again; see `scheduler.repair.repair`.

    Arguments:
        schedule: all rounds as they are planned.
        played: how many were begun.
        gone: who is not there any more.
        void: pairings of the rounds begun that do not count.
        wishes: what holds for the rest.

    Raises:
        BadOrder: if it names somebody, or a round, that there is not.
        WrongMoment: if there is nothing to be planned.
    """
    try:
        return repair(schedule, played, gone, void, seconds=SOLVER, wishes=wishes)
    except BadInput as exc:
        raise BadOrder(str(exc)) from exc
    except (NoPlan, SolverMissing) as exc:
        raise WrongMoment(str(exc)) from exc


# What is shown


class Cell(NamedTuple):
    """What a desk has in a round: entry and confederate, empty where it is free; and what is other
    about it, as a shape (templates/replan_table.html) and in words."""

    words: str = ""
    mark: str = ""
    note: str = ""


class Table(NamedTuple):
    """Rounds, each with a word that is to be said of it; and for each judge the cells."""

    rounds: Sequence[tuple[int, str]]
    rows: Sequence[tuple[str, Sequence[Cell]]]


def whole(schedule: Schedule, judges: Sequence[str], begun: int, texts: Texts) -> Table:
    """The schedule as it is; so many rounds were begun."""
    word = texts.plain("board.schedule.begun")
    held, numbers = _cells(schedule), range(1, len(schedule.rounds) + 1)
    rounds = [(number, word if number <= begun else "") for number in numbers]
    return Table(rounds, [(j, [Cell(held.get((n, j), "")) for n in numbers]) for j in judges])


def side_by_side(
    found: Repair, schedule: Schedule, judges: Sequence[str], texts: Texts
) -> list[Mapping[str, Any]]:
    """The plan as it stands, and the one that is proposed where that is another.

    Arguments:
        found: what the planning has found.
        schedule: all rounds as they are planned now.
        judges: whose desks there are, in the order of the settings.
        texts: of the language.

    Returns:
        Of each plan its `name` (`stands` or `repaired`), `title`, `table` of the rounds to come,
        how many pairs are `lost` and the `reasons`, the `pairs` (name, how many meet and what
        is repeated), `why_not` it can't be chosen (empty if it can), and its `rounds` to come, a
        line each, as the form of the order takes them.
    """
    say = texts.plain
    before, kept = _cells(schedule), _cells(found.as_it_stands.schedule)
    after, gone = _cells(found.repaired.schedule), set(found.gone)

    def cell(now: str, old: str, judge: str) -> Cell:
        if now == old:
            return Cell(now)
        absent = [name for name in (judge, *old.split()) if name in gone]
        if now:
            mark, word = ("other", "changed") if old else ("new", "new")
            return Cell(now, mark, say(f"board.schedule.{word}"))
        if absent:
            words = say("board.schedule.out", n=len(absent), who=listed(absent))
            return Cell(old, "out", words)
        return Cell("", "free", say("board.schedule.free"))

    to_come = range(found.played + 1, len(schedule.rounds) + 1)

    def shown(
        name: str,
        title: str,
        plan: Rest,
        now: Mapping[tuple[int, str], str],
        old: Mapping[tuple[int, str], str],
    ) -> Mapping[str, Any]:
        to_play = {
            number: [together(p.names) for p in plan.schedule.pairings if p.round == number]
            for number in to_come
        }
        why_not = ""
        if empty := [number for number, names in to_play.items() if not names]:
            why_not = say("board.schedule.empty", round=empty[0])
        elif set(plan.schedule.pairings) == set(schedule.pairings):
            why_not = say("board.schedule.same")
        return {
            "name": name,
            "title": title,
            "table": Table(
                [(number, "") for number in to_come],
                [
                    (j, [cell(now.get((n, j), ""), old.get((n, j), ""), j) for n in to_come])
                    for j in judges
                ],
            ),
            "lost": plan.lost,
            "reasons": reasons(plan),
            "pairs": [
                (say(f"board.schedule.{kind}"), _met(plan.pairs[kind], texts)) for kind in KINDS
            ],
            "why_not": why_not,
            "rounds": "\n".join(f"Round {n} {' '.join(names)}" for n, names in to_play.items()),
        }

    title = say("board.schedule.stands_gone" if gone else "board.schedule.stands")
    plans = [shown("stands", title, found.as_it_stands, kept, before)]
    if found.repaired != found.as_it_stands:
        plans.append(shown("repaired", say("board.schedule.repaired"), found.repaired, after, kept))
    return plans


def _met(pairs: Pairs, texts: Texts) -> str:
    again = ", ".join(map(together, pairs.repeated))
    key = "board.schedule.met_again" if again else "board.schedule.met"
    return texts.plain(key, met=pairs.covered, of=pairs.of, again=again)


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
        order = orders_in(session.texts.language)["replan"]
        context: dict[str, Any] = {
            "gone": list(dict.fromkeys(query.getall("gone", []))),
            "void": sorted({int(text[:9]) for text in numbers}),
            "conflicts": query.get("conflicts", "").strip()[:_LONGEST],
            "begun": begun,
            "people": {
                "judges": settings.judge,
                "confederates": settings.confederate,
                "entries": settings.entry,
            },
            "why_not": order.reason_not(conductor.state, conductor.now_ns()),
            "reason": next(each for each in order.fields if each.name == "reason"),
            "trouble": "",
            "plans": [],
            "two_persons": settings.rules.two_persons,
            "longest": round(LONGEST),
        }
        try:
            if query.get("plan") and not context["why_not"]:
                plan = self._schedule()
                async with self._one_by_one:
                    found = await self._planned(
                        plan, context["gone"], context["void"], context["conflicts"]
                    )
                plans = await asyncio.to_thread(side_by_side, found, plan, judges, session.texts)
                words = [f"{words}." for words in introduced(found)]
                context |= {"plans": plans, "words": words, "proof": proved(found)}
        except (ContestError, scheduler.SchedulerError) as exc:
            context["trouble"] = str(exc)
        # In a thread: of a large contest these are thousands of cells, and keys go first.
        table = await asyncio.to_thread(whole, conductor.schedule, judges, begun, session.texts)
        page = ("replan.html", "/schedule", session)
        return await asyncio.to_thread(lambda: self._show(*page, table=table, **context))

    def _schedule(self) -> Schedule:
        # Who has no desk in the plan as it is may be there all the same, and have one in the next.
        judges, entries, confederates = people_of(self._server.settings)
        pairings = self._server.conductor.schedule.pairings
        return Schedule.of(pairings, judges=judges, entries=entries, confederates=confederates)

    async def _planned(
        self, plan: Schedule, gone: Iterable[str], void: Sequence[int], conflicts: str
    ) -> Repair:
        conductor, settings = self._server.conductor, self._server.settings
        played = conductor.status().round
        if later := [number for number in void if number > played]:
            raise BadOrder(f"round {later[0]} was not begun: it can't be void")
        not_counted = {*not_counting(conductor.state, plan), *pairings_of(plan, void)}
        wishes = settings.schedule.wishes().and_also(read_options(conflicts=(conflicts,)))
        given = (plan, played, tuple(gone), tuple(sorted(not_counted)), wishes)
        return await apart.ask(planned, LONGEST, _LATE, *given)
