"""The organizer's controls: orders carried out one after another.

An order that is not of its form is refused as such (`contest.organizer.orders`), one that comes at
the wrong moment in words; one that is carried out is answered when it is durable. Where the
settings require two persons, what changes results is only proposed by one of them, and carried out
when the other confirms it (`contest.live.decisions`).
"""

from __future__ import annotations

import asyncio
from typing import Any

import scheduler
from contest.errors import BadOrder, ContestError, RecordTrouble, WrongMoment
from contest.history import timeline
from contest.history.tallying import tally_of
from contest.live import decisions
from contest.live.conductor import Conductor
from contest.net.codes import ORGANIZER, WITNESS, Codes
from contest.organizer import orders
from contest.organizer.orders import MOST_MINUTES, Order, read_order
from contest.organizer.overview import Overview
from contest.record.bodies import EntryRestarted, OrderConfirmed, OrderDropped, OrderProposed
from contest.record.journal import Journal
from contest.results.finality import still_open
from contest.state.incidents import order_in_words
from contest.state.phases import Phase, coming

__all__ = ["MOST_MINUTES", "Controls", "Order", "read_order"]

_Answer = dict[str, Any]
_ASKS = (orders.Status, orders.Check, orders.Tally, orders.Log)
_OTHER = {ORGANIZER: WITNESS, WITNESS: ORGANIZER}
_ROLES = {ORGANIZER: ORGANIZER, WITNESS: WITNESS}


class Controls:
    """Carries out orders.

    Arguments:
        conductor: plays the contest.
        journal: the record.
        overview: looks at it.
        keyring: all codes that are handed out.
    """

    def __init__(
        self,
        conductor: Conductor,
        journal: Journal,
        overview: Overview,
        keyring: Codes,
    ) -> None:
        self.keyring = keyring
        self._conductor = conductor
        self._journal = journal
        self._overview = overview
        self._came: set[str] = set()
        self._one_by_one = asyncio.Lock()

    @property
    def two_persons(self) -> bool:
        """Whether what changes results takes two persons."""
        return self._conductor.settings.rules.two_persons

    async def perform(self, order: Order, by: str = ORGANIZER) -> _Answer:
        """Carries out an order, or puts it down as proposed.

        Arguments:
            order: what is to be done.
            by: whose code was given: `organizer` or `witness`.

        Returns:
            `done` in words (empty for an order that only asks), `status` (see Overview.status), and
            what docs/reference/control.md names with each order.

        Raises:
            WrongMoment: if it can't be had now.
            BadOrder: if it names somebody who is not there.
            RecordTrouble: if the record can't be written for the moment, and so nothing be done.
        """
        async with self._one_by_one:
            self._came.add(by)
            await self._written(order)
            if self._journal.finished and not _only_asks(order):
                # Whoever waited for the record here would wait for ever, and others behind him.
                raise WrongMoment("the contest is over, and nothing goes on its record any more")
            if self.two_persons and isinstance(order, orders.FOR_TWO):
                answer = await self._propose(order, by)
            else:
                self._conductor.by = by
                answer = await self._carry_out(order)
            if not isinstance(order, _ASKS):
                await self._journal.flushed()
        return {"done": "", **answer, "status": self._overview.status()}

    async def _written(self, order: Order) -> None:
        """Waits until what was before is on record; where nothing can be written, who only asks is
        answered all the same."""
        trouble = self._journal.trouble
        if not trouble:
            await self._journal.flushed()
        elif not isinstance(order, _ASKS):
            raise RecordTrouble(f"nothing can be done before the record can be written: {trouble}")

    async def _carry_out(self, order: Order) -> _Answer:
        match order:
            case orders.Confirm():
                return await self._confirm(order.number)
            case orders.Drop():
                return await self._drop(order.number)
            case orders.Restart():
                return await self._restart(order)
            case orders.Replace():
                return await self._replace(order)
            case orders.Swap():
                return self._swap(order)
            case orders.Replan():
                return self._replan(order)
            case orders.Codes():
                return await self._codes(order.seat)
            case orders.Reveal():
                before = len(self._conductor.state.shown)
                self._conductor.order(decisions.reveal, everything=order.everything)
                steps = self._conductor.state.shown[before:]
                return {"done": f"shown to the public: {', '.join(steps)}", "shown": steps}
            case orders.Final():
                return await self._final(order)
            case orders.Status() | orders.Check() | orders.Tally() | orders.Log() | orders.Start():
                return await self._look_or_start(order)
            case _:
                return await self._steer(order)

    async def _look_or_start(
        self, order: orders.Status | orders.Check | orders.Tally | orders.Log | orders.Start
    ) -> _Answer:
        overview = self._overview
        match order:
            case orders.Check():
                checks = overview.check()
                return {
                    "ready": all(each.ok for each in checks),
                    "checks": [each.as_json() for each in checks],
                }
            case orders.Tally():
                tally = await asyncio.to_thread(overview.chronicle.tally)
                final = self._conductor.state.final is not None
                return {**tally, "state": "final" if final else "provisional"}
            case orders.Log():
                return {"log": overview.chronicle.log(order.kind, order.who, order.last)}
            case orders.Start():
                return await self._start(order.anyway)
            case _:
                return {}

    async def _steer(
        self,
        order: orders.Pause
        | orders.Resume
        | orders.Extend
        | orders.End
        | orders.Close
        | orders.Again
        | orders.Void
        | orders.Stop,
    ) -> _Answer:
        conductor = self._conductor
        match order:
            case orders.Pause():
                conductor.order(decisions.pause, order.reason)
                return {"done": "the round is paused"}
            case orders.Resume():
                conductor.order(decisions.resume)
                return {"done": "the round goes on"}
            case orders.Extend():
                conductor.order(decisions.extend, max(1, round(order.minutes * 60)), order.reason)
                return {"done": f"the interaction is {order.minutes:g} minutes longer"}
            case orders.End():
                conductor.order(decisions.end_interaction, order.reason)
                await conductor.step()
                return {"done": "the interaction is over, and the round is being scored"}
            case orders.Close():
                return await self._close(order.reason)
            case orders.Again():
                return await self._again(order.reason)
            case orders.Void():
                conductor.order(decisions.void, order.what, order.reason)
                judges = {judge.id for judge in conductor.settings.judge}
                whose = "the ballot of " * (order.what in judges)
                return {"done": f"{whose}{order.what} does not count"}
            case orders.Stop():
                conductor.order(decisions.stop, order.reason)
                return {"done": "no more rounds: the ranking comes next"}

    # The course

    async def _start(self, anyway: bool) -> _Answer:
        conductor = self._conductor
        lacking = [f"{each.what}: {each.words}" for each in self._overview.check() if not each.ok]
        if lacking and not anyway and conductor.waits:
            raise WrongMoment(
                f"not ready ({'; '.join(lacking)}); `start --anyway` begins without them"
            )
        following = coming(conductor.state)
        conductor.start()
        await conductor.step()
        if following is None:
            return {"done": "the ranking has begun"}
        attempt = f", attempt {following[1]}," if following[1] > 1 else ""
        return {"done": f"round {following[0]}{attempt} has begun"}

    async def _close(self, reason: str) -> _Answer:
        ranking = self._conductor.status().phase is Phase.RANKING
        if ranking:
            self._conductor.order(decisions.close_ranking, reason)
        else:
            self._conductor.order(decisions.close_scoring, reason)
        await self._conductor.step()
        return {"done": "the ranking is closed" if ranking else "the scoring is closed"}

    async def _again(self, reason: str) -> _Answer:
        conductor = self._conductor
        on = conductor.status().phase is not Phase.CLOSED
        conductor.order(decisions.again, reason)
        if on:
            await conductor.step()
        return {"done": "the round is to be played again, as a new attempt"}

    async def _final(self, order: orders.Final) -> _Answer:
        events = list(self._overview.chronicle.events)

        def missing_items() -> list[str]:
            view = timeline.read(events)
            return still_open(view, tally_of(view))

        missing = await asyncio.to_thread(missing_items)
        self._conductor.order(decisions.declare_final, order.reason, missing, anyway=order.anyway)
        return {"done": "the result is final, all of it is shown, and the contest is closed"}

    # People and programs

    async def _restart(self, order: orders.Restart) -> _Answer:
        entry = order.entry
        link = self._conductor.links.get(entry)
        if link is None or link.running is None:
            raise BadOrder(
                f"no program of an entry {entry!r} is known here: whoever has started it starts it "
                "anew where it runs"
            )
        body = EntryRestarted(entry, order.reason)
        await self._journal.written(None, self._conductor.by, body)
        link.restart()
        if not link.here:
            return {"done": f"the program of {entry} is started anew as soon as its link is back"}
        return {"done": f"the program of {entry} was started anew"}

    async def _replace(self, order: orders.Replace) -> _Answer:
        if order.seat not in self._conductor.seats.seats:
            raise BadOrder(f"there is no seat {order.seat!r}")
        name = " ".join(order.name.split())
        self._conductor.order(decisions.replace, order.seat, name, order.reason)
        answer = await self._codes(order.seat)
        return {**answer, "done": f"{name} takes the seat {order.seat}; {answer['done']}"}

    def _swap(self, order: orders.Swap) -> _Answer:
        settings = self._conductor.settings
        kinds = ({each.id for each in settings.judge}, {each.id for each in settings.confederate})
        if not any({order.one, order.other} <= kind for kind in kinds) or order.one == order.other:
            raise BadOrder(
                f"{order.one!r} and {order.other!r} are not two judges, nor two confederates"
            )
        last = len(self._conductor.schedule.rounds)
        rounds = range(order.round, (last if order.later else order.round) + 1)
        one, other = order.one, order.other
        self._conductor.order(decisions.swap, rounds, one, other, order.reason)
        report = scheduler.check(self._conductor.schedule)
        when = f"from round {order.round} on" if order.later else f"in round {order.round}"
        said = f"; now {report.reason}" if report.reason else ""
        return {
            "done": f"{order.one} and {order.other} have changed their desks {when}{said}",
            "schedule": report.as_json(),
        }

    def _replan(self, order: orders.Replan) -> _Answer:
        rounds = {int(number): triples for number, triples in order.rounds.items()}
        self._conductor.order(decisions.replan, rounds, order.reason)
        report = scheduler.check(self._conductor.schedule)
        said = f"; now {report.reason}" if report.reason else ""
        return {
            "done": f"the rounds to come are planned anew{said}",
            "schedule": report.as_json(),
        }

    async def _codes(self, name: str) -> _Answer:
        if not name:
            return {"codes": self._used()}
        if name not in self.keyring:
            raise BadOrder(f"there is no seat {name!r}, nor a link that needs a code")
        if self.two_persons and name in (ORGANIZER, WITNESS) and name != self._conductor.by:
            # Whoever knew both codes could confirm what he has proposed himself.
            raise WrongMoment(
                f"the code of the {name} is for the {name} alone to have made anew; if it is "
                "lost, take its line out of codes.txt and start the server again"
            )
        code, where = await self.keyring.renew(name, self._conductor.by)
        why = "a new code was made"
        seat, link = self._conductor.seats.seats.get(name), self._conductor.links.get(name)
        # Whoever came by the old code is here no longer.
        if seat is not None and seat.outlet is not None:
            seat.outlet.close(f"{why} for this seat")
        elif link is not None:
            link.hang_up(f"{why} for this link")
        return {"done": f"the new code of {name} {where}", "code": code}

    def _used(self) -> list[_Answer]:
        here = {entry for entry, link in self._conductor.links.items() if link.here}
        used = self._conductor.state.used | here | self._came
        seats = self._conductor.seats.seats
        return [
            {
                "name": name,
                "role": seats[name].role if name in seats else _ROLES.get(name, "entry"),
                "used": name in used,
            }
            for name in self.keyring.codes
        ]

    # Two persons

    async def _propose(self, order: Order, by: str) -> _Answer:
        plain = orders.document(order)
        reason = str(plain.pop("reason"))
        status = self._conductor.status()
        number = self._conductor.state.last_proposal + 1
        where = (status.round, status.attempt, status.phase.value)
        await self._journal.written(None, by, OrderProposed(number, plain, reason, *where))
        return {
            "done": f"proposed as order {number}: it is carried out when the {_OTHER[by]} confirms "
            f"it by `confirm {number}`",
            "proposed": number,
        }

    async def _confirm(self, number: int) -> _Answer:
        by = self._conductor.by
        status = self._conductor.status()
        found = decisions.to_confirm(self._conductor.state, status, number, by)
        order = orders.again({**found.body.order, "reason": found.body.reason})
        await self._journal.written(None, by, OrderConfirmed(number))
        self._conductor.by = found.by
        try:
            answer = await self._carry_out(order)
        except ContestError as exc:
            await self._journal.written(None, "server", OrderDropped(number, str(exc)))
            raise
        return {**answer, "done": f"order {number} is confirmed: {answer['done']}"}

    async def _drop(self, number: int) -> _Answer:
        found = decisions.to_drop(self._conductor.state, number)
        await self._journal.written(None, self._conductor.by, OrderDropped(number))
        return {"done": f"order {number} ({order_in_words(found.body.order)}) is dropped"}


def _only_asks(order: Order) -> bool:
    return isinstance(order, _ASKS) or (isinstance(order, orders.Codes) and not order.seat)
