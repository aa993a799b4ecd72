"""Takes the organizer's orders by HTTP, and carries them out one at a time.

A malformed order is refused as such (`contest.organizer.orders`); an order given at the wrong
moment is refused with the reason. An order that was carried out is answered once it is durable. If
the settings require two persons, an order that affects results is only a proposal until the other
person confirms it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from aiohttp import web

import scheduler
from contest.errors import BadOrder, ContestError, RecordTrouble, WrongMoment
from contest.live import decisions
from contest.live.conductor import Conductor
from contest.net.codes import ORGANIZER, WITNESS, Codes, CodeTable
from contest.net.limits import TooBusy
from contest.net.login import refuse_in_json
from contest.net.web import Access
from contest.organizer.log import Log
from contest.organizer.orders import Given, document_of, is_due, order_of, read_order
from contest.organizer.status import Overview
from contest.record.bodies import EntryRestarted, OrderConfirmed, OrderDropped, OrderProposed
from contest.record.reading import ListLog
from contest.results.contest import Contest
from contest.state.incidents import order_in_words
from contest.state.model import Proposal
from contest.state.phases import is_between_rounds, next_attempt
from scheduler.texts import joined
from texts import Sentence

_Answer: TypeAlias = dict[str, Any]
_OTHER = {ORGANIZER: WITNESS, WITNESS: ORGANIZER}


class Controls:
    """Carries out orders.

    Arguments:
        conductor: runs the contest.
        overview: the contest's status.
        log: the contest's log.
        keyring: all codes that were handed out.
    """

    def __init__(self, conductor: Conductor, overview: Overview, log: Log, keyring: Codes) -> None:
        self.keyring = keyring
        self._conductor = conductor
        self._state = conductor.state
        self._journal = conductor.hub.journal
        self._overview = overview
        self._log = log
        self._came: set[str] = set()
        self._two_persons = conductor.settings.rules.two_persons
        self._one_by_one = asyncio.Lock()
        # The orders that need more than a recorded decision.
        self._own: Mapping[str, Callable[[Given], Awaitable[_Answer]]] = {
            "status": self._status,
            "check": self._check,
            "tally": self._tally,
            "log": self._events,
            "start": self._start,
            "restart": self._restart,
            "replace": self._replace,
            "swap": self._change_schedule,
            "replan": self._change_schedule,
            "codes": self._codes,
            "reveal": self._reveal,
            "confirm": self._confirm,
            "drop": self._drop,
        }

    async def perform(self, given: Given, by: str = ORGANIZER) -> _Answer:
        """Carries out an order, or records it as a proposal.

        Arguments:
            given: the order.
            by: who gave it, by their code: `organizer` or `witness`.

        Returns:
            `done` in words (empty for a query), `status` (see Overview.status), and the fields that
            docs/reference/control.md lists for the order.

        Raises:
            WrongMoment: if it can't be done now.
            BadOrder: if it names an unknown participant.
            RecordTrouble: if the record can't be written at the moment.
        """
        async with self._one_by_one:
            self._came.add(by)
            trouble = self._journal.trouble
            if not trouble:
                await self._journal.flush()
            elif not given.is_query:
                raise RecordTrouble(Sentence("board.refused.unwritten", trouble=trouble))
            if self._journal.finished and not given.is_query:
                # Nothing more is recorded, so waiting for it would never end.
                raise WrongMoment(Sentence("board.refused.over"))
            if self._two_persons and given.order.two:
                answer = await self._propose(given, by)
            else:
                self._conductor.by = by
                answer = await self._carry_out(given)
            if not given.is_query:
                await self._journal.flush()
        return {"done": "", **answer, "status": self._overview.status()}

    async def _carry_out(self, given: Given) -> _Answer:
        return await self._own.get(given.order.action, self._decide)(given)

    async def _decide(self, given: Given) -> _Answer:
        order, conductor = given.order, self._conductor
        assert order.decide is not None
        values = await self._values(given)
        phase = conductor.status().phase.value
        steps = order.steps and not is_between_rounds(self._state)
        conductor.order(order.decide, **values)
        if steps:
            await conductor.step()
        return {"done": order.done.format(phase=phase, **values)}

    async def _values(self, given: Given) -> Mapping[str, Any]:
        """The values for an order's decision."""
        if given.order.decide is not decisions.declare_final:
            return given.values
        events = list(self._log.events)

        def still_open() -> list[str]:
            return Contest.of(ListLog(events)).still_open()

        return {**given.values, "still_open": await asyncio.to_thread(still_open)}

    # Queries

    async def _status(self, _given: Given) -> _Answer:
        return {}

    async def _check(self, _given: Given) -> _Answer:
        checks = self._overview.check()
        return {
            "ready": all(each.ok for each in checks),
            "checks": [each.as_json() for each in checks],
        }

    async def _tally(self, _given: Given) -> _Answer:
        events = list(self._log.events)
        tally = await asyncio.to_thread(lambda: Contest.of(ListLog(events)).tally)
        return {
            "tally": tally.as_json(),
            "words": list(scheduler.explain_places(tally)),
            "state": "provisional" if self._state.final is None else "final",
        }

    async def _events(self, given: Given) -> _Answer:
        return {"log": await asyncio.to_thread(self._log.newest, **given.values)}

    # The rounds and the end

    async def _start(self, given: Given) -> _Answer:
        conductor = self._conductor
        lacking = [each.in_words for each in self._overview.check() if not each.ok]
        if lacking and not given.values["anyway"] and conductor.waits:
            raise WrongMoment(Sentence("board.refused.not_ready", what=joined(lacking)))
        following = next_attempt(self._state)
        conductor.start()
        await conductor.step()
        if following is None:
            return {"done": "the ranking has begun"}
        attempt = f", attempt {following[1]}," if following[1] > 1 else ""
        return {"done": f"round {following[0]}{attempt} has begun"}

    async def _change_schedule(self, given: Given) -> _Answer:
        await self._decide(given)
        done = "the later rounds have a new plan"
        if given.order.action == "swap":
            number, later = given.values["round"], given.values["later"]
            when = f"from round {number} on" if later else f"in round {number}"
            done = "{one} and {other} have swapped desks {when}".format(**given.values, when=when)
        report = scheduler.check(self._conductor.schedule)
        said = f"; now {report.reason}" if report.reason else ""
        return {"done": f"{done}{said}", "schedule": report.as_json()}

    async def _reveal(self, given: Given) -> _Answer:
        before = len(self._state.shown)
        await self._decide(given)
        steps = self._state.shown[before:]
        return {"done": f"shown to the audience: {', '.join(steps)}", "shown": steps}

    # People and programs

    async def _restart(self, given: Given) -> _Answer:
        entry = given.values["entry"]
        link = self._conductor.links.get(entry)
        if link is None:
            raise BadOrder(Sentence("board.refused.no_entry", entry=repr(entry)))
        if link.running is None:
            raise BadOrder(Sentence("board.refused.no_program", entry=repr(entry)))
        await self._journal.write_and_wait(
            None, self._conductor.by, EntryRestarted(entry, given.values["reason"])
        )
        link.restart()
        if not link.here:
            return {"done": f"the program of {entry} will restart when its link is back"}
        return {"done": f"the program of {entry} was restarted"}

    async def _replace(self, given: Given) -> _Answer:
        await self._decide(given)
        seat = given.values["seat"]
        answer = await self._renew(seat)
        name = self._conductor.seats.name(seat)
        return {**answer, "done": f"{name} takes the seat {seat}; {answer['done']}"}

    async def _codes(self, given: Given) -> _Answer:
        name = given.values["seat"]
        return await self._renew(name) if name else {"codes": self.codes()}

    def codes(self) -> list[_Answer]:
        """The codes that were handed out: `name`, `role`, and whether each was `used`."""
        here = {entry for entry, link in self._conductor.links.items() if link.here}
        used = self._state.used_codes | here | self._came
        roles = {ORGANIZER: ORGANIZER, WITNESS: WITNESS}
        roles |= {seat.id: seat.role for seat in self._conductor.seats.seats.values()}
        return [
            {"name": name, "role": roles.get(name, "entry"), "used": name in used}
            for name in self.keyring.codes
        ]

    async def _renew(self, name: str) -> _Answer:
        if name not in self.keyring.codes:
            raise BadOrder(Sentence("board.refused.no_code", name=repr(name)))
        if self._two_persons and name in _OTHER and name != self._conductor.by:
            # A person who knows both codes could confirm their own proposals.
            raise WrongMoment(Sentence(f"board.refused.code_of_{name}"))
        code, where = await self.keyring.renew(name, self._conductor.by)
        seat, link = self._conductor.seats.seats.get(name), self._conductor.links.get(name)
        if seat is not None and seat.outlet is not None:
            seat.outlet.close(Sentence("left.new_code"))
        elif link is not None:
            link.close_connection("a new code was issued for this link")
        return {"done": f"the new code of {name} {where}", "code": code}

    # Two persons

    async def _propose(self, given: Given, by: str) -> _Answer:
        assert given.order.decide is not None
        values = await self._values(given)
        given.order.decide(self._state, self._conductor.now_ns(), **values)  # or refuses it
        order = document_of(given)
        reason = order.pop("reason")
        now = self._conductor.status()
        number = max(self._state.proposals.keys() | self._state.settled.keys(), default=0) + 1
        where = (now.round, now.attempt, now.phase.value)
        await self._journal.write_and_wait(None, by, OrderProposed(number, order, reason, *where))
        return {
            "done": f"proposed as order {number}; the {_OTHER[by]} must confirm it with `confirm "
            f"{number}`",
            "proposed": number,
        }

    async def _confirm(self, given: Given) -> _Answer:
        number, by = given.values["number"], self._conductor.by
        found = self._proposed(number)
        fields = {"number": number, "order": order_in_words(found.body.order)}
        if found.by == by:
            raise WrongMoment(Sentence("board.refused.own_order", **fields))
        if not is_due(found.body, self._state, self._conductor.now_ns()):
            raise WrongMoment(Sentence("board.refused.moved_on", **fields))
        order = order_of({**found.body.order, "reason": found.body.reason})
        await self._journal.write_and_wait(None, by, OrderConfirmed(number))
        self._conductor.by = found.by
        try:
            answer = await self._carry_out(order)
        except ContestError as exc:
            await self._journal.write_and_wait(None, "server", OrderDropped(number, str(exc)))
            raise
        return {**answer, "done": f"order {number} was confirmed: {answer['done']}"}

    async def _drop(self, given: Given) -> _Answer:
        number = given.values["number"]
        words = order_in_words(self._proposed(number).body.order)
        await self._journal.write_and_wait(None, self._conductor.by, OrderDropped(number))
        return {"done": f"order {number} ({words}) was dropped"}

    def _proposed(self, number: int) -> Proposal:
        if number not in self._state.proposals:
            why = self._state.settled.get(number, "unknown")
            raise WrongMoment(Sentence(f"board.refused.order_{why}", number=number))
        return self._state.proposals[number]


# By HTTP


def status_of(exc: ContestError) -> int:
    """The HTTP status for a refused order."""
    return 400 if isinstance(exc, BadOrder) else 409 if isinstance(exc, WrongMoment) else 500


def control_route(controls: Controls, organizers: CodeTable, access: Access) -> web.RouteDef:
    """The route for the organizer's orders: see docs/reference/control.md.

    Arguments:
        controls: carries out the orders.
        organizers: the codes of the people who may give orders.
        access: looks up codes.
    """

    async def control(request: web.Request) -> web.Response:
        scheme, _, code = request.headers.get("authorization", "").partition(" ")
        given = code if scheme.lower() == "bearer" else ""
        try:
            found = await access.check_code(given, organizers, request)
        except TooBusy as exc:
            return refuse_in_json(429, str(exc))
        if found is None:
            return refuse_in_json(401, "this is not the organizer's code")
        try:
            order = read_order(await request.read())
            return web.json_response(await controls.perform(order, found))
        except ContestError as exc:
            return refuse_in_json(status_of(exc), str(exc))

    return web.post("/control", control)
