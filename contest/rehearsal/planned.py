"""Which faults happen in a rehearsal, in which round, and when in it."""

from __future__ import annotations

import random
from dataclasses import dataclass

from contest.errors import YoursToFix
from contest.rehearsal.faults import FAULTS, Fault

#: Seconds that a fault lasts, unless the round is short.
LASTS = 20.0
#: Of the interaction, a fault takes no more than this part.
PART = 1 / 12


class UnknownFault(YoursToFix):
    """A name that no fault has."""


def choose(names: str | None) -> tuple[Fault, ...]:
    """Faults by their names.

    Arguments:
        names: with commas between them, one as often as it is to happen; None for all, `none` for
            none.

    Raises:
        UnknownFault: if there is no such fault.
    """
    if names is None:
        return tuple(FAULTS.values())
    if names.strip() == "none":
        return ()
    chosen = []
    for name in (each.strip() for each in names.split(",")):
        if name not in FAULTS:
            raise UnknownFault(
                f"there is no fault {name!r}; there are {', '.join(FAULTS)}, or none"
            )
        chosen.append(FAULTS[name])
    return tuple(chosen)


@dataclass(frozen=True, slots=True)
class Planned:
    """A fault that is to happen.

    Attributes:
        fault: which.
        round: in which round.
        at: at which part of its interaction, from 0 to 1.
    """

    fault: Fault
    round: int
    at: float


def plan(faults: tuple[Fault, ...], rounds: int, rng: random.Random) -> list[Planned]:
    """Deals faults out to rounds: as many to each, and one after the other within it.

    Arguments:
        faults: which.
        rounds: how many rounds there are.
        rng: where chance comes from.
    """
    by_round: dict[int, list[Fault]] = {}
    for number, fault in enumerate(faults):
        by_round.setdefault(number % rounds + 1, []).append(fault)
    planned = []
    for round_, its in sorted(by_round.items()):
        for place, fault in enumerate(its):
            # Neither at the very beginning, before anything is said, nor at the end.
            share = (place + rng.uniform(0.2, 0.6)) / len(its)
            planned.append(Planned(fault, round_, 0.1 + 0.7 * share))
    return planned


def lasts(interaction: float) -> float:
    """How long a fault lasts in a round.

    Arguments:
        interaction: its length in seconds.

    Returns:
        Seconds; less in a short round, so that it is over before the round is.
    """
    return min(LASTS, interaction * PART)
