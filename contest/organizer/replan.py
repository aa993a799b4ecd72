"""The board's schedule page: who meets whom, and new plans for the remaining rounds.

Planning changes nothing; the page's address holds the whole request. A separate process makes the
plans. The organizer adopts one with the order `replan`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from aiohttp import web

import scheduler
from contest import worker
from contest.errors import BadOrder, ContestError, WrongMoment
from contest.net.login import Session
from contest.organizer.orders import orders_in
from contest.setup.settings import people_of
from contest.state.schedules import voided_pairings
from scheduler import BadInput, Pairing, Schedule
from scheduler import Refused as NoPlan
from scheduler.checking import KINDS, Pairs
from scheduler.planning.model import SolverMissing
from scheduler.planning.wishes import Wishes, read_options
from scheduler.repair import (
    RemainingPlan,
    Repair,
    compare,
    introduction,
    pairings_of,
    reasons,
    repair,
)
from scheduler.texts import listed, together
from texts import Sentence, Texts

if TYPE_CHECKING:
    from contest.serving.server import Server

#: Time limits in seconds: for the solver, and for everything, including the process's start.
SOLVER_LIMIT, TIME_LIMIT = 20.0, 60.0
_TIMEOUT_MESSAGE = Sentence("board.schedule.late", seconds=round(TIME_LIMIT))
#: The maximum number of characters in the field for people who must not meet.
_CONFLICTS_LENGTH = 500


def replan(
    schedule: Schedule,
    played: int,
    gone: tuple[str, ...],
    void: tuple[Pairing, ...],
    wishes: Wishes,
) -> Repair:
    """Makes a new plan for the remaining rounds; see `scheduler.repair.repair`.

    Arguments:
        schedule: all rounds of the current plan.
        played: how many rounds have begun.
        gone: the ids of participants who have left.
        void: pairings that do not count, in rounds that have begun.
        wishes: wishes for the remaining rounds.

    Raises:
        BadOrder: if it names an unknown participant or round.
        WrongMoment: if there is nothing to plan.
    """
    try:
        return repair(schedule, played, gone, void, seconds=SOLVER_LIMIT, wishes=wishes)
    except BadInput as exc:
        raise BadOrder(exc.args[0]) from exc
    except (NoPlan, SolverMissing) as exc:
        raise WrongMoment(exc.args[0]) from exc


# Tables


class Cell(NamedTuple):
    """A desk in a round: its entry and confederate, or nothing if it is free; and the change, as a
    shape (templates/replan_table.html) and in words."""

    words: str = ""
    mark: str = ""
    note: str = ""


class Table(NamedTuple):
    """The rounds, each with a remark, and the cells of each judge."""

    rounds: Sequence[tuple[int, str]]
    rows: Sequence[tuple[str, Sequence[Cell]]]


def current_table(schedule: Schedule, judges: Sequence[str], begun: int, texts: Texts) -> Table:
    """The current schedule, with the rounds that have begun marked."""
    word = texts.plain("board.schedule.begun")
    held, numbers = _cells(schedule), range(1, len(schedule.rounds) + 1)
    rounds = [(number, word if number <= begun else "") for number in numbers]
    return Table(rounds, [(j, [Cell(held.get((n, j), "")) for n in numbers]) for j in judges])


def side_by_side(
    found: Repair, schedule: Schedule, judges: Sequence[str], texts: Texts
) -> list[Mapping[str, Any]]:
    """The current plan, and the proposed plan if it differs.

    Arguments:
        found: the result of the planning.
        schedule: all rounds of the current plan.
        judges: the ids of the judges, in the order of the settings.
        texts: the texts of the language.

    Returns:
        For each plan its `name` (`stands` or `repaired`), `title`, `table` of the rounds to come,
        how many pairs are `lost` and the `reasons`, the `pairs` (name, how many meet and which
        repeat), `why_not` (why it can't be chosen; empty if it can), and its `rounds` to come, one
        line each, for the order's form.
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

    def proposal(
        name: str,
        title: str,
        plan: RemainingPlan,
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
    plans = [proposal("stands", title, found.as_it_stands, kept, before)]
    if found.repaired != found.as_it_stands:
        plans.append(
            proposal("repaired", say("board.schedule.repaired"), found.repaired, after, kept)
        )
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
        server: the contest's server.
        show: renders a page from template, page of the board, session and context.
    """

    def __init__(self, server: Server, show: Callable[..., web.Response]) -> None:
        self._server = server
        self._show = show
        self._one_by_one = asyncio.Lock()

    async def page(self, request: web.Request, session: Session) -> web.Response:
        """Shows the schedule and the requested plans."""
        settings, conductor = self._server.settings, self._server.conductor
        begun, judges, query = conductor.status().round, people_of(settings)[0], request.query
        numbers = (text for text in query.getall("void", []) if text.isascii() and text.isdigit())
        order = orders_in(session.texts.language)["replan"]
        context: dict[str, Any] = {
            "gone": list(dict.fromkeys(query.getall("gone", []))),
            "void": sorted({int(text[:9]) for text in numbers}),
            "conflicts": query.get("conflicts", "").strip()[:_CONFLICTS_LENGTH],
            "begun": begun,
            "people": {
                "judges": settings.judge,
                "confederates": settings.confederate,
                "entries": settings.entry,
            },
            "why_not": order.why_not(conductor.state, conductor.now_ns()),
            "reason": next(each for each in order.fields if each.name == "reason"),
            "trouble": "",
            "plans": [],
            "two_persons": settings.rules.two_persons,
            "longest": round(TIME_LIMIT),
        }
        try:
            if query.get("plan") and not context["why_not"]:
                plan = self._schedule()
                async with self._one_by_one:
                    found = await self._replan(
                        plan, context["gone"], context["void"], context["conflicts"]
                    )
                plans = await asyncio.to_thread(side_by_side, found, plan, judges, session.texts)
                context |= {"plans": plans, "words": introduction(found), "proof": compare(found)}
        except (ContestError, scheduler.SchedulerError) as exc:
            context["trouble"] = exc
        # In a thread: a large contest has thousands of cells, and keys go first.
        table = await asyncio.to_thread(
            current_table, conductor.schedule, judges, begun, session.texts
        )
        page = ("replan.html", "/schedule", session)
        return await asyncio.to_thread(lambda: self._show(*page, table=table, **context))

    def _schedule(self) -> Schedule:
        # Participants without a desk in the current plan may get one in the next.
        judges, entries, confederates = people_of(self._server.settings)
        pairings = self._server.conductor.schedule.pairings
        return Schedule.of(pairings, judges=judges, entries=entries, confederates=confederates)

    async def _replan(
        self, plan: Schedule, gone: Iterable[str], void: Sequence[int], conflicts: str
    ) -> Repair:
        conductor, settings = self._server.conductor, self._server.settings
        played = conductor.status().round
        if later := [number for number in void if number > played]:
            raise BadOrder(Sentence("board.schedule.not_begun", round=later[0]))
        not_counted = {*voided_pairings(conductor.state, plan), *pairings_of(plan, void)}
        wishes = settings.schedule.wishes().and_also(read_options(conflicts=(conflicts,)))
        given = (plan, played, tuple(gone), tuple(sorted(not_counted)), wishes)
        return await worker.call(replan, TIME_LIMIT, _TIMEOUT_MESSAGE, *given)
