"""The proof of a plan: what it covers, what it lacks, and for each missing pair the reason."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler.planning.bounds import Bounds
from scheduler.planning.plan import Plan
from scheduler.planning.problem import Problem
from scheduler.schedule import PLACES, Pair
from scheduler.texts import listed

QUANTITIES = ("missing", "repeats", "unevenness")
"""What is minimized, in this order."""


@dataclass(frozen=True)
class Lost:
    """Missing pairs of a kind, and why they are.

    Arguments:
        kind: which kind of pair.
        pairs: those that never meet.
        reason: why, as a sentence without a full stop.
        ever: whether some other schedule could have them meet.
    """

    kind: str
    pairs: tuple[Pair, ...]
    reason: str
    ever: bool

    def as_json(self) -> dict[str, object]:
        """The pairs with their reason."""
        pairs = ["".join(pair) for pair in self.pairs]
        return {"kind": self.kind, "pairs": pairs, "reason": self.reason}


@dataclass(frozen=True)
class Proof:
    """What is known of a plan.

    Arguments:
        plan: the plan.
        possible: for each kind how many of its pairs could meet, those that have met among them.
        lost: all pairs that never meet, by kind and reason.
    """

    plan: Plan
    possible: dict[str, int]
    lost: tuple[Lost, ...]

    def as_json(self) -> dict[str, object]:
        """The ``proof`` of ``schedule make --json``."""
        made = self.plan
        document: dict[str, object] = {
            name: {
                "value": made.cost[i],
                "least": made.least[i] if i <= made.proved else None,
                "proved": i < made.proved,
            }
            for i, name in enumerate(QUANTITIES)
        }
        return document | {
            "by": made.by,
            "possible": dict(self.possible),
            "lost": [lost.as_json() | {"possible": lost.ever} for lost in self.lost],
        }

    def in_words(self) -> list[str]:
        """The same as lines for people."""
        made = self.plan
        said = [
            f"{', '.join(map(_label, lost.pairs))} never meet{'s' * (len(lost.pairs) == 1)}: "
            f"{lost.reason}"
            for lost in self.lost
        ]
        if made.optimal:
            return [
                *said,
                f"optimal: no schedule lacks fewer pairs, then repeats fewer, then spreads the "
                f"talks more evenly (proved {made.by})",
            ]
        if made.proved:
            named = listed(QUANTITIES[: made.proved])
            said.append(f"{named}: nothing less is possible")
        name, value, least = (
            QUANTITIES[made.proved],
            made.cost[made.proved],
            made.least[made.proved],
        )
        return [*said, f"{name}: {value} found, less than {least} is impossible; {made.by}"]


def prove(plan: Plan) -> Proof:
    """What is known of a plan."""
    problem = plan.problem
    bounds = Bounds(problem)
    met = {
        kind: {
            ((p.judge, p.entry, p.confederate)[i], (p.judge, p.entry, p.confederate)[k])
            for p in (*problem.played, *plan.planned)
        }
        for kind, (i, k) in PLACES.items()
    }
    lost: list[Lost] = []
    for kind, (i, k) in PLACES.items():
        groups: dict[tuple[str, bool], list[Pair]] = {}
        could = set(problem.open[kind])
        missing = sum(pair not in met[kind] for pair in could)
        for one in problem.people[i]:
            for other in problem.people[k]:
                if (one, other) not in met[kind]:
                    ever = (one, other) in could
                    reason = (
                        _soft_reason(plan, bounds, kind, missing)
                        if ever
                        else _hard_reason(problem, one, other)
                    )
                    groups.setdefault((reason, ever), []).append((one, other))
        lost += [Lost(kind, tuple(pairs), reason, ever) for (reason, ever), pairs in groups.items()]
    possible = {kind: len(problem.open[kind]) + len(problem.met[kind]) for kind in PLACES}
    return Proof(plan, possible, tuple(lost))


def _hard_reason(problem: Problem, one: str, other: str) -> str:
    """Why two can never meet."""
    if problem.apart(one, other):
        return "they must not meet (conflict of interest)"
    both = [
        number
        for number in problem.rounds
        if problem.capacity(number)
        and number not in problem.away.get(one, ())
        and number not in problem.away.get(other, ())
    ]
    if not both:
        return "there is no round with a desk in which both are there"
    return "nobody is there to make three who may meet both of them"


def _soft_reason(plan: Plan, bounds: Bounds, kind: str, missing: int) -> str:
    """Why pairs that could meet do not."""
    room = bounds.rooms[kind]
    if room.reason and missing == room.open - room.held:
        return f"{room.reason}; of {room.open} pairs, {missing} stay out at least"
    if plan.proved and bounds.squareless:
        return bounds.squareless
    if plan.proved:
        return f"no schedule lacks fewer pairs in all (proved {_by(plan)})"
    return "none better was found"


def _by(plan: Plan) -> str:
    # With the missing pairs proved, a solver that was stopped was stopped at what comes after.
    return plan.by if plan.optimal else "as far as the missing pairs go"


def _label(pair: Pair) -> str:
    return "".join(pair) if all(name[-1:].isdigit() for name in pair) else " with ".join(pair)
