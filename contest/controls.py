"""The organizer's controls: orders as documents, carried out one after another.

An order that is not of its form is refused as such, one that comes at the wrong moment in words;
one that is carried out is answered when it is durable.
"""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec

from contest import codes
from contest.bodies import CodeIssued, EntryRestarted
from contest.conductor import Conductor
from contest.errors import BadOrder, WrongMoment
from contest.journal import Journal
from contest.overview import Overview
from contest.phases import Phase
from contest.programs import Program

Reason: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
#: Minutes by which an interaction is made longer at once, at most.
MOST_MINUTES = 240


class _Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="action"):
    pass


class Status(_Order, frozen=True, tag="status"):
    """Where is the contest?"""


class Check(_Order, frozen=True, tag="check"):
    """Can the next round begin?"""


class Start(_Order, frozen=True, tag="start"):
    """Start the next round, or the ranking; `anyway`, even if not all is ready."""

    anyway: bool = False


class Pause(_Order, frozen=True, tag="pause"):
    """Stop the clock."""

    reason: Reason


class Resume(_Order, frozen=True, tag="resume"):
    """Let the clock run again."""


class Extend(_Order, frozen=True, tag="extend"):
    """Give the interaction more time."""

    minutes: Annotated[float, msgspec.Meta(gt=0, le=MOST_MINUTES)]
    reason: Reason


class End(_Order, frozen=True, tag="end"):
    """End the interaction before its time."""

    reason: Reason


class Close(_Order, frozen=True, tag="close"):
    """Close the scoring, or the ranking, before its time."""

    reason: Reason


class Again(_Order, frozen=True, tag="again"):
    """Have the running or the last round played again."""

    reason: Reason


class Void(_Order, frozen=True, tag="void"):
    """Take a talk, or an attempt, out of the count."""

    what: str
    reason: Reason


class Stop(_Order, frozen=True, tag="stop"):
    """No more rounds after this one."""

    reason: Reason


class Restart(_Order, frozen=True, tag="restart"):
    """End an entry's program and start it anew."""

    entry: str
    reason: Reason


class Codes(_Order, frozen=True, tag="codes"):
    """Make a new code for a seat."""

    seat: str


Order: TypeAlias = (
    Status
    | Check
    | Start
    | Pause
    | Resume
    | Extend
    | End
    | Close
    | Again
    | Void
    | Stop
    | Restart
    | Codes
)


def read_order(text: bytes) -> Order:
    """Reads an order.

    Arguments:
        text: a JSON object with `action` and what belongs to it, in UTF-8.

    Raises:
        BadOrder: if it is none.
    """
    try:
        order: Order = msgspec.json.decode(text, type=Order)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise BadOrder(f"this is no order: {exc}") from exc
    reason = getattr(order, "reason", "-")
    if not reason.strip():
        raise BadOrder("give a reason: it goes on record")
    return order


class Controls:
    """Carries out orders.

    Arguments:
        conductor: plays the contest.
        journal: the record.
        overview: looks at it.
        programs: entry id to its program, of those that the server has started.
        issued: seat to code, as in `file`; changed here.
        hashes: seat to the hash of its code, as the server looks them up; changed here.
        file: where the codes stand.
        organizer: the organizer's own code, which stands in that file too.
    """

    def __init__(
        self,
        conductor: Conductor,
        journal: Journal,
        overview: Overview,
        programs: MutableMapping[str, Program],
        issued: MutableMapping[str, str],
        hashes: MutableMapping[str, str],
        file: Path,
        organizer: str,
    ) -> None:
        self._conductor = conductor
        self._journal = journal
        self._overview = overview
        self._programs = programs
        self._issued = issued
        self._hashes = hashes
        self._file = file
        self._organizer = organizer
        self._new_codes = 0
        self._one_by_one = asyncio.Lock()

    async def perform(self, order: Order) -> dict[str, Any]:
        """Carries out an order.

        Returns:
            `done` in words (empty for an order that only asks), `status` (see Overview.status),
            for `check` also `checks` and `ready`, for `codes` also `code`.

        Raises:
            WrongMoment: if it can't be had now.
            BadOrder: if it names somebody who is not there.
        """
        async with self._one_by_one:
            answer = await self._carry_out(order)
            await self._journal.flushed()
        return {"done": "", **answer, "status": self._overview.status()}

    async def _carry_out(self, order: Order) -> dict[str, Any]:
        conductor = self._conductor
        match order:
            case Status():
                return {}
            case Check():
                checks = self._overview.check()
                return {
                    "ready": all(each.ok for each in checks),
                    "checks": [each.as_json() for each in checks],
                }
            case Start():
                return await self._start(order.anyway)
            case Pause():
                conductor.pause(order.reason)
                return {"done": "the round is paused"}
            case Resume():
                conductor.resume()
                return {"done": "the round goes on"}
            case Extend():
                conductor.extend(max(1, round(order.minutes * 60)), order.reason)
                return {"done": f"the interaction is {order.minutes:g} minutes longer"}
            case End():
                conductor.end_interaction(order.reason)
                await conductor.step()
                return {"done": "the interaction is over, and the round is being scored"}
            case Close():
                return await self._close(order.reason)
            case Again():
                return await self._again(order.reason)
            case Void():
                conductor.void(order.what, order.reason)
                return {"done": f"{order.what} does not count"}
            case Stop():
                conductor.stop(order.reason)
                return {"done": "no more rounds: the ranking comes next"}
            case Restart():
                return await self._restart(order)
            case Codes():
                return await self._new_code(order.seat)

    async def _start(self, anyway: bool) -> dict[str, Any]:
        conductor = self._conductor
        lacking = [f"{each.what}: {each.words}" for each in self._overview.check() if not each.ok]
        if lacking and not anyway and conductor.waits:
            raise WrongMoment(
                f"not ready ({'; '.join(lacking)}); `start --anyway` begins without them"
            )
        coming = conductor.coming
        conductor.start()
        await conductor.step()
        if coming is None:
            return {"done": "the ranking has begun"}
        attempt = f", attempt {coming[1]}," if coming[1] > 1 else ""
        return {"done": f"round {coming[0]}{attempt} has begun"}

    async def _close(self, reason: str) -> dict[str, Any]:
        ranking = self._conductor.status().phase is Phase.RANKING
        if ranking:
            self._conductor.close_ranking(reason)
        else:
            self._conductor.close_scoring(reason)
        await self._conductor.step()
        return {"done": "the ranking is closed" if ranking else "the scoring is closed"}

    async def _again(self, reason: str) -> dict[str, Any]:
        conductor = self._conductor
        on = conductor.status().phase is not Phase.CLOSED
        conductor.again(reason)
        if on:
            await conductor.step()
        return {"done": "the round is to be played again, as a new attempt"}

    async def _restart(self, order: Restart) -> dict[str, Any]:
        program = self._programs.get(order.entry)
        if program is None:
            raise BadOrder(f"this server has started no program of an entry {order.entry!r}")
        body = EntryRestarted(order.entry, order.reason)
        await self._journal.written(None, "organizer", body)
        await program.restart()
        return {"done": f"the program of {order.entry} was started anew"}

    async def _new_code(self, seat: str) -> dict[str, Any]:
        seats = self._conductor.seats.seats
        if seat not in seats:
            raise BadOrder(f"there is no seat {seat!r}")
        code = codes.issue([seat])[seat]
        hash_ = await asyncio.to_thread(codes.hashed, code)
        self._new_codes += 1
        await self._journal.seal(f"codes/{self._new_codes}", {seat: hash_})
        await self._journal.written(None, "organizer", CodeIssued(seat))
        self._hashes[seat], self._issued[seat] = hash_, code
        where = f"is in {self._file.name}"
        try:
            codes.replace_file(self._issued, self._file, self._organizer)
        except OSError as exc:
            # The code holds all the same, and the organizer is shown it.
            where = f"must be noted down: {self._file} can't be written ({exc.strerror or exc})"
        outlet = seats[seat].outlet
        if outlet is not None:
            # Whoever came by the old code sits here no longer.
            outlet.close("a new code was made for this seat")
        return {"done": f"the new code of {seat} {where}", "code": code}
