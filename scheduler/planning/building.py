"""Builds plans from Graeco-Latin squares.

A square of order n gives n rounds for n people of each kind. If there are more people of a kind,
they take turns in groups of n; if there are fewer, the pairings of absent people are left out. If
people are away or must not meet, a search assigns names to the places of the square so that the
fewest pairings are lost. The result is a candidate: if its cost equals the bound by counting, it is
optimal.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from typing import Any, TypeVar

from scheduler.planning.bounds import Bounds, spread
from scheduler.planning.problem import Problem
from scheduler.schedule import PLACES, Pairing, Trio
from scheduler.squares import IMPOSSIBLE, Triple, near_rounds, rounds

_Trio = TypeVar("_Trio", Triple, Trio)

_LARGER = 2
"""How much larger than the largest number of people a square may be; larger ones lose too much."""

_TRIES = 2_000
"""How many swaps of names are tried."""

_UPHILL = 0.1
"""How often a local search accepts a step that makes the plan worse."""

_LARGEST_TRIED = 50
"""The largest square for a local search, because each try reads the whole square."""


def build_from_squares(problem: Problem, bounds: Bounds) -> tuple[Pairing, ...] | None:
    """A plan from squares that counting proves to be optimal.

    Returns:
        The pairings. None if no plan of this kind reaches the bounds, or if somebody is absent in
        some round or must not meet somebody.
    """
    if not problem.plain:
        return None
    reached = (tuple(each) for each in _candidates(problem) if problem.cost(each) == bounds.least)
    return next(reached, None)


def _candidates(problem: Problem) -> Iterator[list[Pairing]]:
    sizes = sorted(set(map(len, problem.people)))
    for order in (*sizes, *range(sizes[-1] + 1, sizes[-1] + _LARGER + 1)):
        if order not in IMPOSSIBLE:
            found = list(_square_groups(problem, order))
            if order == sizes[0] == sizes[-1] and len(problem.rounds) > order:
                found = _evened_out(problem, found)
            yield found
    yield _with_one_missing(problem)


def assign_names(problem: Problem, seed: int = 0) -> tuple[Pairing, ...]:
    """A plan from a square with room for everybody, with the best assignment of names found.

    Local search: two names of a kind, or two rounds, are swapped if no pairings are lost by it.

    Arguments:
        seed: for the swaps; the same seed gives the same plan.

    Returns:
        The pairings; none if the square is too large, or has too few rounds. If there is no square
        of that order, the nearest approximation is used.
    """
    order = max(map(len, problem.people))
    if order > _LARGEST_TRIED or order < len(problem.rounds):
        return ()
    square = _nearest_square(problem, order) if order in IMPOSSIBLE else list(rounds(order))
    places: list[list[object]] = [list(kind) for kind in (*problem.people, problem.rounds)]
    for held in places:
        held += [None] * (order - len(held))
    desks = {number: problem.capacity(number) for number in problem.rounds}
    most = sum(desks.values())
    draw = random.Random(f"{seed}")
    best = _kept(problem, square, places, desks)
    for _ in range(_TRIES):
        if len(best) == most:
            break
        held = places[int(draw.random() * 4)]
        one, other = (int(draw.random() * order) for _ in range(2))
        held[one], held[other] = held[other], held[one]
        found = _kept(problem, square, places, desks)
        if len(found) < len(best):
            held[one], held[other] = held[other], held[one]
        else:
            best = found
    return tuple(Pairing(*each) for each in best)


def _kept(
    problem: Problem,
    square: Sequence[Sequence[Triple]],
    places: Sequence[Sequence[Any]],
    desks: Mapping[int, int],
) -> list[tuple[int, str, str, str]]:
    """The pairings of a square whose three people are present and may meet, up to the number of
    desks: their rounds and names. `places` gives the names of judges, entries, confederates and
    rounds, None for nobody."""
    kept = []
    judges, entries, confederates, numbers = places
    for number, play in zip(numbers, square, strict=True):
        if number is None:
            continue
        absent = {None, *(name for name, away in problem.away.items() if number in away)}
        left = desks[number]
        for j, e, c in play:
            names = judges[j], entries[e], confederates[c]
            if (
                left
                and absent.isdisjoint(names)
                and not (
                    problem.conflicts
                    and any(problem.must_not_meet(*two) for two in combinations(names, 2))
                )
            ):
                left -= 1
                kept.append((number, *names))
    return kept


def _nearest_square(problem: Problem, order: int) -> list[list[Triple]]:
    """The nearest approximation to a square. Its kinds are permuted so that it lacks pairs of the
    kind with the lowest weight; if weights are equal, entries with confederates, so that judges
    meet everybody whom they rank."""
    least = min(reversed(PLACES), key=lambda kind: (kind in problem.hard, problem.weight(kind)))
    # Without the permutation, it lacks pairs of its second and third numbers.
    one, other = PLACES[least]
    place = {3 - one - other: 0, one: 1, other: 2}
    return [[(t[place[0]], t[place[1]], t[place[2]]) for t in play] for play in near_rounds(order)]


def _with_one_missing(problem: Problem) -> list[Pairing]:
    """A plan in n + 2 rounds for n people of two kinds and n - 1 of the third, in which everybody
    meets.

    The square of order n loses the n pairings of the missing person, one per round; everybody of
    the other kinds plays once in these. They are played in two extra rounds, with anybody of the
    third kind who is free. To make all rounds equal, n - 2 other pairings move there, too, from
    different rounds and with different people.

    Returns:
        The pairings; none if the numbers don't fit, or no such pairings were found.
    """
    order = max(map(len, problem.people))
    if order in IMPOSSIBLE or order > _LARGEST_TRIED or len(problem.rounds) != order + 2:
        return []
    if sorted(map(len, problem.people)) != [order - 1, order, order]:
        return []
    third = next(kind for kind, names in enumerate(problem.people) if len(names) < order)
    first, second = (kind for kind in range(3) if kind != third)
    square = list(rounds(order))
    absent = order - 1
    lost = {t[first]: t[second] for play in square for t in play if t[third] == absent}
    whole = [[t for t in play if t[third] != absent] for play in square]
    moved = _pick_disjoint(whole, order - 2)
    if len(moved) < order - 2:
        return []
    # A step goes from a person of the first kind, by that person's moved pairing, to a person of
    # the second kind, and by that one's lost pairing to another person of the first kind. These
    # steps form two paths and some cycles; each extra round gets one path.
    partner = {two: one for one, two in lost.items()}
    after = {t[first]: partner[t[second]] for t in moved.values()}
    paths = [[one] for one in range(order) if one not in after.values()]
    here = set()
    step: int | None = paths[0][0]
    while step is not None:
        here.add(step)
        step = after.get(step)
    plays = [[t for t in play if t != moved.get(i)] for i, play in enumerate(whole)]
    for extra in (here, set(range(order)) - here):
        play = [t for t in moved.values() if t[first] not in extra]
        free = iter(set(range(absent)) - {t[third] for t in play})
        for one in sorted(extra):
            who = {first: one, second: lost[one], third: next(free)}
            play.append((who[0], who[1], who[2]))
        plays.append(play)
    judges, entries, confederates = problem.people
    return [
        Pairing(number, judges[j], entries[e], confederates[c])
        for number, play in zip(problem.rounds, plays, strict=True)
        for j, e, c in play
    ]


def _pick_disjoint(plays: Sequence[Sequence[_Trio]], size: int) -> dict[int, _Trio]:
    """Chooses one pairing from each of `size` rounds, so that nobody is in two of them; fewer if
    the search fails.

    Local search: it adds a pairing of a round that has none, and removes those that it clashes
    with, rarely more than one.
    """
    draw = random.Random(len(plays))
    chosen: dict[int, _Trio] = {}
    taken: dict[tuple[int, object], int] = {}
    for _ in range(_TRIES * size):
        if len(chosen) >= size:
            break
        waiting = [number for number in range(len(plays)) if number not in chosen]
        number = waiting[int(draw.random() * len(waiting))]
        options = []
        for trio in plays[number]:
            clashing = {taken[key] for key in enumerate(trio) if key in taken}
            options.append((len(clashing), draw.random(), trio, clashing))
        clashes, _, trio, clashing = min(options, key=lambda option: option[:2])
        if clashes > 1 and draw.random() > _UPHILL:
            continue
        for other in clashing:
            for key in enumerate(chosen.pop(other)):
                del taken[key]
        chosen[number] = trio
        taken.update(dict.fromkeys(enumerate(trio), number))
    return chosen


def _square_groups(problem: Problem, order: int) -> Iterator[Pairing]:
    """Yields the pairings of a square of this order, group by group, as long as there are
    rounds."""
    groups = [
        [names[i : i + order] for i in range(0, len(names), order)] for names in problem.people
    ]
    numbers = iter(problem.rounds)
    square = list(islice(rounds(order), len(problem.rounds)))
    for judges, entries, confederates in product(*groups):
        for play, number in zip(square, numbers, strict=False):
            for j, e, c in play:
                if j < len(judges) and e < len(entries) and c < len(confederates):
                    yield Pairing(number, judges[j], entries[e], confederates[c])


def _evened_out(problem: Problem, whole: Sequence[Pairing]) -> list[Pairing]:
    """Moves pairings from full rounds to empty ones, until the rounds are as even as possible;
    pairings without room are left out."""
    places = [(0, problem.capacity(number)) for number in problem.rounds]
    target = dict(zip(problem.rounds, spread(places, len(whole)), strict=True))
    held = {number: [p.names for p in whole if p.round == number] for number in problem.rounds}
    for number in problem.rounds:
        if held[number]:
            continue
        # From the fullest rounds; if more rounds than needed are equally full, from any of these.
        full = sorted((n for n in problem.rounds if held[n]), key=lambda n: -len(held[n]))
        most = sum(len(held[n]) == len(held[full[0]]) for n in full)
        giving = full[: max(most, target[number])]
        given = _pick_disjoint([held[n] for n in giving], min(target[number], len(giving)))
        for i, trio in given.items():
            held[giving[i]].remove(trio)
        held[number] = list(given.values())
    return [Pairing(number, *trio) for number, trios in held.items() for trio in trios]
