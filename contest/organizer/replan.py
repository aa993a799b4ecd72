"""The schedule's pages of the board: who meets whom, and the rest of the rounds planned anew.

To plan changes nothing, and is asked for by the address alone; a plan that is chosen goes the way
of the order `replan`. Plans are kept for a while, so that what is adopted is what was shown.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import msgspec
from aiohttp import web
from multidict import MultiMapping

import scheduler
from contest.errors import BadOrder, ContestError, WrongMoment
from contest.net.login import Refused, Session, back_to, checked_form
from contest.organizer import forms as orders
from contest.organizer.orders import Replan, read_order
from contest.organizer.replan_apart import LONGEST, Question, planned_apart
from contest.organizer.replan_showing import (
    Both,
    in_words,
    people,
    side_by_side,
    void_in_words,
    whole,
)
from contest.setup.settings import people_of
from contest.state.schedules import not_counting
from scheduler.planning import read_options
from scheduler.repair import pairings_of

if TYPE_CHECKING:
    from contest.serving.server import Server

#: Where the page stands on the board.
PAGE = "/schedule"
#: Plans that are kept.
KEPT = 16
#: Characters of what is typed about who must not meet.
_LONGEST = 500


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
        """Reads an address; what is no round is none."""
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
    """Plans that were shown.

    Attributes:
        asked: what was asked for.
        question: what that was, all in all.
        both: the plans.
    """

    asked: Asked
    question: Question
    both: Both


class ReplanPages:
    """The schedule's pages.

    Arguments:
        server: the contest's.
        show: makes a page: template, which page of the board it is, session, context.
    """

    def __init__(self, server: Server, show: Callable[..., web.Response]) -> None:
        self._server = server
        self._controls = server.controls
        self._show = show
        self._kept: OrderedDict[str, Planned] = OrderedDict()
        self._one_by_one = asyncio.Lock()

    def routes(self) -> Mapping[str, Callable[[web.Request, Session], Awaitable[web.Response]]]:
        """Address to page, under the board's own."""
        return {PAGE: self._page}

    def forms(self) -> Mapping[str, Callable[[web.Request, Session], Awaitable[web.Response]]]:
        """Address to what takes its form."""
        return {PAGE: self._adopt}

    async def _page(self, request: web.Request, session: Session) -> web.Response:
        server, trouble, key = self._server, "", ""
        void: list[str] = []
        asked = Asked.of(request.query)
        why_not = orders.why_not(server.overview.status())["replan"]
        settings, conductor = server.settings, server.conductor
        try:
            plan = conductor.schedule
            void = void_in_words(self._void(plan), plan)
            if request.query.get("plan") and not why_not:
                key = await self._planned(asked)
        except (ContestError, scheduler.SchedulerError) as exc:
            trouble = str(exc)
        begun = conductor.status().round
        judges = people_of(settings)[0]
        # In a thread: of a large contest these are thousands of cells, and keys go first.
        return await asyncio.to_thread(
            self._show,
            "replan.html",
            PAGE,
            session,
            asked=asked,
            begun=begun,
            void=void,
            people=people(settings),
            wishes=in_words(settings.schedule.wishes()),
            table=await asyncio.to_thread(whole, conductor.schedule, judges, begun),
            why_not=why_not,
            trouble=trouble,
            key=key,
            both=self._kept[key].both if key else None,
            two_persons=settings.rules.two_persons,
            longest=round(LONGEST),
        )

    def _void(self, plan: scheduler.Schedule) -> tuple[scheduler.Pairing, ...]:
        """What of the rounds begun does not count by the record."""
        return not_counting(self._server.conductor.state, plan)

    async def _planned(self, asked: Asked) -> str:
        """Plans, unless it was planned already; gives the name under which the plans are kept."""
        async with self._one_by_one:
            question = await self._question(asked)
            key = hashlib.sha256(msgspec.json.encode(question)).hexdigest()
            if key not in self._kept:
                found = await planned_apart(question)
                judges = people_of(self._server.settings)[0]
                both = await asyncio.to_thread(side_by_side, found, question.schedule, judges)
                self._kept[key] = Planned(asked, question, both)
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return key

    async def _question(self, asked: Asked) -> Question:
        conductor, settings = self._server.conductor, self._server.settings
        played = conductor.status().round
        plan = conductor.schedule
        judges, entries, confederates = people_of(settings)
        # Who has no desk in the plan as it is may be there all the same, and have one in the next.
        schedule = scheduler.Schedule.of(
            plan.pairings, judges=judges, entries=entries, confederates=confederates
        )
        if later := [number for number in asked.void if number > played]:
            raise BadOrder(f"round {later[0]} was not begun: it can't be void")
        void = {*self._void(plan), *pairings_of(plan, asked.void)}
        more = read_options(conflicts=(asked.conflicts,))
        wishes = settings.schedule.wishes().and_also(more)
        return Question(schedule, played, asked.gone, tuple(sorted(void)), wishes)

    async def _adopt(self, request: web.Request, session: Session) -> web.Response:
        back = PAGE
        try:
            form = await checked_form(request, session)
            kept = self._kept.get(form.get("plan", ""))
            if kept is None:
                raise WrongMoment("these plans are not kept any more: plan once more")
            back = kept.asked.address
            order = self._order(kept, form)
            answer = await self._controls.perform(order, session.who)
        except (Refused, ContestError) as exc:
            session.said = (str(exc), False)
            return back_to(back)
        session.said = (f"Done: {answer['done']}.", True)
        return back_to("")

    def _order(self, kept: Planned, form: Mapping[str, str]) -> Replan:
        chosen = [each for each in kept.both.plans if each.name == form.get("which")]
        if not chosen:
            raise BadOrder("choose one of the plans")
        conductor = self._server.conductor
        now = (conductor.status().round, set(conductor.schedule.pairings))
        if now != (kept.question.played, set(kept.question.schedule.pairings)):
            raise WrongMoment("the contest has gone on since these plans were made: plan once more")
        if chosen[0].why_not:
            raise WrongMoment(chosen[0].why_not)
        reason = form.get("reason", "").strip()
        if not reason:
            raise BadOrder("give a reason: it goes on record")
        document = {"action": "replan", "rounds": chosen[0].rounds, "reason": reason}
        order = read_order(msgspec.json.encode(document))
        assert isinstance(order, Replan)
        return order
