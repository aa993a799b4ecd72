"""The end of a contest that an organizer has in hand: the result is on record and provisional, it
is shown to the public step by step, and declared final.

What is here follows from the events `result`, `revealed` and `declared-final` alone: a contest that
is taken up again gives them to `take`.
"""

from __future__ import annotations

from contest.errors import WrongMoment
from contest.record.bodies import AnyBody, DeclaredFinal, Result, Revealed
from contest.results import revealing


class Ending:
    """Where the end of a contest is.

    Attributes:
        result: the official result; None before it is on record.
        shown: the steps that were shown to the public, in their order.
        final: what declared the result final, or None.
    """

    def __init__(self) -> None:
        self.result: Result | None = None
        self.shown: list[str] = []
        self.final: DeclaredFinal | None = None

    def take(self, body: AnyBody) -> None:
        """Takes the next event; of other kinds than its own nothing comes."""
        match body:
            case Result():
                self.result = body
            case Revealed() if body.step not in self.shown:
                self.shown.append(body.step)
            case DeclaredFinal():
                self.final = body
            case _:
                pass

    @property
    def state(self) -> str | None:
        """`provisional`, `final`, or None before there is a result."""
        if self.result is None:
            return None
        return "provisional" if self.final is None else "final"

    @property
    def steps(self) -> list[str]:
        """All steps in which the result is shown."""
        return [] if self.result is None else revealing.steps_of(self.result)

    @property
    def left(self) -> list[str]:
        """The steps that are still to be shown."""
        return revealing.left(self.steps, self.shown)

    def next_steps(self, everything: bool) -> list[str]:
        """The steps to be shown next.

        Arguments:
            everything: all that are left, and not only the next one.

        Raises:
            WrongMoment: if there is no result yet, or all is shown.
        """
        self._refuse_without_result("nothing can be shown")
        if not self.left:
            raise WrongMoment("all of the result is shown; `final` closes the contest")
        return self.left if everything else self.left[:1]

    def declaration(self, reason: str, still_open: list[str], anyway: bool) -> DeclaredFinal:
        """What declares the result final.

        Arguments:
            reason: why, for the record.
            still_open: what is open; see `contest.results.finality.still_open`.
            anyway: whether that is not waited for.

        Raises:
            WrongMoment: if there is no result yet, it is final already, or something is open.
        """
        self._refuse_without_result("nothing can be declared final")
        if self.final is not None:
            raise WrongMoment("the result is final already")
        if still_open and not anyway:
            items = "".join(f"\n- {item}" for item in still_open)
            raise WrongMoment(
                f"the result can't be final yet, for this is open:{items}\n"
                "`final --anyway` does not wait for it, and puts that on record"
            )
        return DeclaredFinal(reason, still_open)

    def _refuse_without_result(self, what: str) -> None:
        if self.result is None:
            raise WrongMoment(
                f"there is no result yet, and {what}: it is there when the ranking is closed"
            )
