"""Problems for tests, and the best plans for tiny ones, found by trying all plans. The only code
shared with the planner is the class of problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, permutations, product
from typing import Any

from scheduler.planning.problem import Problem
from scheduler.schedule import Pairing

PLACES = {"judge_entry": (0, 1), "judge_confederate": (0, 2), "entry_confederate": (1, 2)}

Trio = tuple[str, str, str]


def problem_for(judges: int, entries: int, confederates: int, rounds: int, **more: Any) -> Problem:
    """A problem with these numbers of people and rounds."""
    names = [
        tuple(f"{kind}{i}" for i in range(1, n + 1))
        for kind, n in zip("JEC", (judges, entries, confederates), strict=True)
    ]
    return Problem(names[0], names[1], names[2], tuple(range(1, rounds + 1)), **more)


def pair(text: str) -> frozenset[str]:
    """Two people who must not meet, such as J1E2."""
    return frozenset((text[:2], text[2:]))


def allowed(problem: Problem, number: int) -> Iterator[Trio]:
    """Yields all pairings that a round may contain."""
    for trio in product(problem.judges, problem.entries, problem.confederates):
        if all(number not in problem.away.get(name, ()) for name in trio) and not any(
            frozenset(two) in problem.conflicts for two in combinations(trio, 2)
        ):
            yield trio


def possible_rounds(problem: Problem, number: int) -> list[tuple[Trio, ...]]:
    """All ways to play a round."""
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


def counted_cost(problem: Problem, planned: Iterable[Pairing]) -> tuple[int, int, int]:
    """The missing pairs, repeats and unevenness of a plan, counted in the simplest way."""
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
    """For each kind, the pairs that could meet in some round."""
    if id(problem) not in _COULD_MEET:
        trios = {
            trio
            for number in problem.rounds
            if problem.desks.get(number, 1) > 0
            for trio in allowed(problem, number)
        }
        pairs = {kind: {(t[i], t[k]) for t in trios} for kind, (i, k) in PLACES.items()}
        # Keep the problem with its pairs, so that no other problem gets its id.
        _COULD_MEET[id(problem)] = (problem, pairs)
    return _COULD_MEET[id(problem)][1]


_COULD_MEET: dict[int, tuple[Problem, dict[str, set[tuple[str, str]]]]] = {}


def grants_hard_wishes(problem: Problem, planned: Iterable[Pairing]) -> bool:
    """Whether no pair of a hard kind is missing."""
    met = [(p.judge, p.entry, p.confederate) for p in (*problem.played, *planned)]
    for kind in problem.hard:
        i, k = PLACES[kind]
        if could_meet(problem)[kind] - {(t[i], t[k]) for t in met}:
            return False
    return True


def lowest_cost(problem: Problem) -> tuple[int, int, int] | None:
    """The lowest cost of all plans; None if none grants the hard wishes."""
    lowest = None
    for chosen in product(*(possible_rounds(problem, number) for number in problem.rounds)):
        planned = [
            Pairing(number, *trio)
            for number, play in zip(problem.rounds, chosen, strict=True)
            for trio in play
        ]
        if grants_hard_wishes(problem, planned):
            now = counted_cost(problem, planned)
            lowest = now if lowest is None else min(lowest, now)
    return lowest


def broken_rules(problem: Problem, planned: Iterable[Pairing]) -> list[str]:
    """The rules that a plan breaks, in words."""
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
