"""Two persons for what changes results: one proposes an order, the other confirms it.

What is here follows from the events `order-proposed`, `order-confirmed` and `order-dropped` alone.
A proposal belongs to its moment: to end an interaction, say, is nothing that could be confirmed
when another round is on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contest.errors import WrongMoment
from contest.record.bodies import AnyBody, OrderConfirmed, OrderDropped, OrderProposed
from contest.state.incidents import order_in_words
from contest.state.phases import Phase
from contest.talks.seat import Status

_TYPING = {Phase.INTERACTION.value, Phase.PAUSED.value}
_AT_THE_END = {Phase.RANKING.value, Phase.OVER.value}


@dataclass(frozen=True, slots=True)
class Proposal:
    """An order that was proposed.

    Attributes:
        by: who did: `organizer` or `witness`.
        body: the event's.
    """

    by: str
    body: OrderProposed

    @property
    def document(self) -> dict[str, Any]:
        """The order, with its reason."""
        return {**self.body.order, "reason": self.body.reason}

    @property
    def words(self) -> str:
        """The order in short, as it would stand at a terminal."""
        return order_in_words(self.body.order)

    def holds(self, status: Status) -> bool:
        """Whether its moment is not gone."""
        now, then = status.phase.value, self.body
        here = (status.round, status.attempt) == (then.round, then.attempt)
        match then.order.get("action"):
            case "end":
                return here and now in _TYPING
            case "close":
                return here and now == then.phase
            case "again" | "stop":
                return here and now not in _AT_THE_END
            case "replace" | "swap" | "replan":
                return now not in _AT_THE_END
            case "void":
                return now != Phase.OVER.value
            case _:
                return True

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "number": self.body.number,
            "by": self.by,
            "order": dict(self.body.order),
            "reason": self.body.reason,
            "words": self.words,
        }


class Proposals:
    """All that was proposed.

    Attributes:
        last: the highest number.
    """

    def __init__(self) -> None:
        self._waiting: dict[int, Proposal] = {}
        self._settled: dict[int, str] = {}
        self.last = 0

    def take(self, actor: str, body: AnyBody) -> None:
        """Takes the next event; of other kinds than its own nothing comes."""
        match body:
            case OrderProposed():
                self._waiting[body.number] = Proposal(actor, body)
                self.last = max(self.last, body.number)
            case OrderConfirmed():
                self._settle(body.number, "was confirmed")
            case OrderDropped():
                self._settle(body.number, "was dropped")
            case _:
                pass

    def waiting(self, status: Status) -> list[Proposal]:
        """What waits to be confirmed, in order; what can't be any more is left out.

        Arguments:
            status: what the contest is doing now.
        """
        return [each for each in self._waiting.values() if each.holds(status)]

    def to_confirm(self, number: int, by: str, status: Status) -> Proposal:
        """What somebody confirms.

        Raises:
            WrongMoment: if it does not wait, was proposed by the same person, or its moment is
                gone.
        """
        found = self._found(number)
        if found.by == by:
            raise WrongMoment(
                f"order {number} ({found.words}) is your own; the other of you two confirms it"
            )
        if not found.holds(status):
            raise WrongMoment(
                f"order {number} ({found.words}) can't be confirmed any more: its moment is gone"
            )
        return found

    def to_drop(self, number: int) -> Proposal:
        """What somebody drops.

        Raises:
            WrongMoment: if it does not wait.
        """
        return self._found(number)

    def _found(self, number: int) -> Proposal:
        if number not in self._waiting:
            why = self._settled.get(number, "was never proposed")
            raise WrongMoment(f"order {number} does not wait to be confirmed: it {why}")
        return self._waiting[number]

    def _settle(self, number: int, how: str) -> None:
        if self._waiting.pop(number, None) is not None or how == "was dropped":
            self._settled[number] = how
