"""Problems for tests, and the best plans for tiny ones, found by trying all plans. Nothing here is
shared with the planner except the class of the problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, permutations, product
from typing import Any

from scheduler.planning import Problem
from scheduler.schedule import Pairing

PLACES = {"judge_entry": (0, 1), "judge_confederate": (0, 2), "entry_confederate": (1, 2)}

Trio = tuple[str, str, str]


def asked(judges: int, entries: int, confederates: int, rounds: int, **more: Any) -> Problem:
    """A problem of so many people and rounds."""
    names = [
        tuple(f"{kind}{i}" for i in range(1, n + 1))
        for kind, n in zip("JEC", (judges, entries, confederates), strict=True)
    ]
    return Problem(names[0], names[1], names[2], tuple(range(1, rounds + 1)), **more)


def pair(text: str) -> frozenset[str]:
    """Two who must not meet, such as J1E2."""
    return frozenset((text[:2], text[2:]))


def allowed(problem: Problem, number: int) -> Iterator[Trio]:
    """All pairings that a round may have."""
    for trio in product(problem.judges, problem.entries, problem.confederates):
        if all(number not in problem.away.get(name, ()) for name in trio) and not any(
            frozenset(two) in problem.conflicts for two in combinations(trio, 2)
        ):
            yield trio


def plays(problem: Problem, number: int) -> list[tuple[Trio, ...]]:
    """All that a round may be."""
    judges, entries, confederates = problem.people
    may = set(allowed(problem, number))
    desks = problem.desks.get(number, 99)
    found: list[tuple[Trio, ...]] = []
    for size in range(min(len(judges), len(entries), len(confederates), desks) + 1):
        for js in combinations(judges, size):
            for es in permutations(entries, size):
                for cs in permutations(confederates, size):
                    play = tuple(zip(js, es, cs, strict=True))
                    if all(trio in may for trio in play):
                        found.append(play)
    return found


def price(problem: Problem, planned: Iterable[Pairing]) -> tuple[int, int, int]:
    """What is missing, repeated and uneven, counted in the plainest way."""
    planned = list(planned)
    before = [(p.judge, p.entry, p.confederate) for p in problem.played]
    now = [(p.judge, p.entry, p.confederate) for p in planned]
    missing = repeats = 0
    for kind, (i, k) in PLACES.items():
        weight = problem.weights.get(kind, 1)
        old, new = [(t[i], t[k]) for t in before], [(t[i], t[k]) for t in now]
        missing += weight * len(could_meet(problem)[kind] - set(old) - set(new))
        seen = set(old)
        for met in new:
            repeats += weight * (met in seen)
            seen.add(met)
    everybody = {name for names in problem.people for name in names}
    talks = Counter(name for trio in before + now for name in trio if name in everybody)
    uneven = sum(n * n for n in talks.values())
    uneven += sum(n * n for n in Counter(p.round for p in planned).values())
    return missing, repeats, uneven


def could_meet(problem: Problem) -> dict[str, set[tuple[str, str]]]:
    """For each kind the pairs that some round may have."""
    if id(problem) not in _COULD:
        trios = {
            trio
            for number in problem.rounds
            if problem.desks.get(number, 1) > 0
            for trio in allowed(problem, number)
        }
        pairs = {kind: {(t[i], t[k]) for t in trios} for kind, (i, k) in PLACES.items()}
        # The problem is kept with what belongs to it, so that no other takes its number.
        _COULD[id(problem)] = (problem, pairs)
    return _COULD[id(problem)][1]


_COULD: dict[int, tuple[Problem, dict[str, set[tuple[str, str]]]]] = {}


def kept(problem: Problem, planned: Iterable[Pairing]) -> bool:
    """Whether no pair is missing of a kind that must be whole."""
    met = [(p.judge, p.entry, p.confederate) for p in (*problem.played, *planned)]
    for kind in problem.hard:
        i, k = PLACES[kind]
        if could_meet(problem)[kind] - {(t[i], t[k]) for t in met}:
            return False
    return True


def best(problem: Problem) -> tuple[int, int, int] | None:
    """The lowest price of all plans there are; None where none keeps what has to be kept."""
    lowest = None
    for chosen in product(*(plays(problem, number) for number in problem.rounds)):
        planned = [
            Pairing(number, *trio)
            for number, play in zip(problem.rounds, chosen, strict=True)
            for trio in play
        ]
        if kept(problem, planned):
            now = price(problem, planned)
            lowest = now if lowest is None else min(lowest, now)
    return lowest


def unlawful(problem: Problem, planned: Iterable[Pairing]) -> list[str]:
    """What a plan does that it must not."""
    faults = []
    planned = list(planned)
    for number in {p.round for p in planned}:
        here = [p for p in planned if p.round == number]
        names = [name for p in here for name in (p.judge, p.entry, p.confederate)]
        if len(names) != len(set(names)):
            faults.append(f"somebody is in two places in round {number}")
        if len(here) > problem.desks.get(number, len(here)):
            faults.append(f"too few desks in round {number}")
        may = set(allowed(problem, number))
        faults += [p.label for p in here if (p.judge, p.entry, p.confederate) not in may]
    return faults
