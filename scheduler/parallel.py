"""Whether a matrix can be played in parallel rounds.

A *transversal* of a square matrix is a choice of cells that takes each judge, each entry and each
confederate exactly once: a round in which everybody plays. A matrix of order n can be played in n
rounds just when its cells can be parted into n transversals. The cyclic Latin square has none where
its order is even (Euler, 1782). All others are searched, with a bound.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from scheduler.schedule import Matrix, Pairing, Schedule
from scheduler.texts import counted

MAX_WORK = 10_000_000
"""How many comparisons a search makes before it says that it does not know: some seconds."""

MAX_TRANSVERSALS = 5_000
"""How many transversals are collected before their parting is given up (order 10 has about 900)."""

MAX_OPTIONS = 100_000
"""How many choices of a round for a cell are laid out at all: more would fill the memory."""

Item = TypeVar("Item", bound=Hashable)
Option = TypeVar("Option", bound=Hashable)
Triple = tuple[str, str, str]


class Undecided(Exception):
    """The bound was reached before the search came to its end."""


@dataclass(frozen=True, slots=True)
class Play:
    """Whether, and how, a matrix can be played in parallel rounds.

    Arguments:
        rounds: in how many rounds.
        schedulable: True, False, or None where the search was stopped undecided.
        reason: why not, or why it is not known; empty if it can be played.
        schedule: one way to play it, if there is one.
    """

    rounds: int
    schedulable: bool | None
    reason: str = ""
    schedule: Schedule | None = None


def play(matrix: Matrix, max_work: int = MAX_WORK) -> Play:
    """Parts a matrix into as many rounds as its busiest judge or entry has talks.

    Arguments:
        max_work: how many comparisons the search may make before it gives up undecided.
    """
    cells, roster = matrix.triples, matrix.roster
    load = Counter(name for cell in cells for name in cell)
    rounds = max(load[name] for name in (*roster.judges, *roster.entries))
    cannot = f"can't be played in {counted(rounds, 'parallel round')}"
    if over := [name for name in roster.confederates if load[name] > rounds]:
        reason = f"the matrix {cannot}: {over[0]} stands in {load[over[0]]} cells"
        return Play(rounds, False, reason)
    search = _Search(max_work)
    try:
        numbers, reason = (
            _latin(matrix, cannot, search)
            if _is_latin(matrix)
            else _colouring(cells, rounds, cannot, search)
        )
    except Undecided:
        reason = (
            f"not decided whether the matrix can be played in {rounds} parallel rounds: the "
            f"search was stopped at its bound of {max_work:,} comparisons or "
            f"{MAX_OPTIONS:,} choices"
        )
        return Play(rounds, None, reason)
    if not numbers:
        return Play(rounds, False, reason)
    # Rounds in the order in which the cells first use them.
    order = {number: k for k, number in enumerate(dict.fromkeys(numbers), 1)}
    pairings = (Pairing(order[n], *cell) for cell, n in zip(cells, numbers, strict=True))
    return Play(rounds, True, "", Schedule.of(pairings))


def _is_latin(matrix: Matrix) -> bool:
    """Whether each judge and each entry meets each confederate exactly once in the matrix."""
    order = len(matrix.judges)
    return len(matrix.entries) == len(matrix.roster.confederates) == order and all(
        None not in line and len(set(line)) == order
        for line in (*matrix.cells, *zip(*matrix.cells, strict=True))
    )


def _latin(matrix: Matrix, cannot: str, search: "_Search") -> tuple[list[int], str]:
    """The round of each cell of a Latin square, where every round has to be a transversal; or none,
    and why."""
    cells, order = matrix.triples, len(matrix.judges)
    if order % 2 == 0 and _is_cyclic(matrix):
        return [], (
            f"the matrix has no transversal and {cannot}: it is the cyclic Latin square of order "
            f"{order}, and none of even order has one (number judges, entries and confederates "
            "from 0 so that in each cell the confederate is judge plus entry modulo "
            f"{order}: in a full round, judges and entries together add up to "
            f"{order * (order - 1) % order} modulo {order}, confederates to "
            f"{order * (order - 1) // 2 % order})"
        )
    people = tuple(dict.fromkeys(name for cell in cells for name in cell))
    transversals: dict[int, tuple[Triple, ...]] = {}
    for found in search.covers({cell: cell for cell in cells}, people):
        transversals[len(transversals)] = found
        if len(transversals) > MAX_TRANSVERSALS:
            # Too many to choose among, so that the cells are better given rounds one by one.
            return _colouring(cells, order, cannot, search)
    if not transversals:
        return [], f"the matrix has no transversal (all ways were tried) and {cannot}"
    cover = next(search.covers(transversals, cells), None)
    if cover is None:
        return [], (
            f"the matrix {cannot}: it has {counted(len(transversals), 'transversal')}, but "
            f"its cells can't be parted into {order} of them (all ways were tried)"
        )
    rounds = {cell: k for k, chosen in enumerate(cover) for cell in transversals[chosen]}
    return [rounds[cell] for cell in cells], ""


def _is_cyclic(matrix: Matrix) -> bool:
    """Whether the square is the table of a cyclic group, but for the order of rows and columns."""
    order, first = len(matrix.judges), matrix.cells[0]
    for line in matrix.cells:
        step = dict(zip(first, line, strict=True))
        along = [first[0]]
        while (following := step[along[-1]]) != first[0]:
            along.append(following)
        if len(along) == order:
            # This row leads through all confederates: count along it, and all rows are shifts.
            number = {name: i for i, name in enumerate(along)}
            return all(
                len({(number[b] - number[a]) % order for a, b in zip(first, row, strict=True)}) == 1
                for row in matrix.cells
            )
    return False


def _colouring(
    cells: Sequence[Triple], rounds: int, cannot: str, search: "_Search"
) -> tuple[list[int], str]:
    """A round for each cell, so that nobody is in two places at once; or none, and why."""
    if len(cells) * rounds > MAX_OPTIONS:
        raise Undecided
    load = Counter(name for cell in cells for name in cell)
    # The busiest person's talks may be numbered at will: it saves trying all orders of rounds.
    busiest = max(load, key=lambda name: load[name])
    fixed = {cell: i for i, cell in enumerate(c for c in cells if busiest in c)}
    options: dict[tuple[Triple, int], tuple[object, ...]] = {}
    for cell in cells:
        for number in [fixed[cell]] if cell in fixed else range(rounds):
            options[cell, number] = (cell, *((name, number) for name in cell))
    must: list[object] = list(cells)
    must += [(n, r) for n, talks in load.items() if talks == rounds for r in range(rounds)]
    cover = next(search.covers(options, must), None)
    if cover is None:
        return [], f"the matrix {cannot} (all ways were tried)"
    return [dict(cover)[cell] for cell in cells], ""


class _Search:
    """Exact cover by Knuth's Algorithm X, with a bound on the work of all its searches.

    It is exact: unless the bound is reached, what it does not find does not exist.

    Arguments:
        work: how many comparisons may be made; time goes with them, whatever the problem's size.
    """

    def __init__(self, work: int) -> None:
        self._left = work

    def _spend(self, comparisons: int) -> None:
        self._left -= comparisons
        if self._left < 0:
            raise Undecided

    def covers(
        self, options: Mapping[Option, Collection[Item]], items: Collection[Item]
    ) -> Iterator[tuple[Option, ...]]:
        """Gives all sets of options that hold each item exactly once, and other items at most once.

        Raises:
            Undecided: the bound was reached first.
        """
        # Dictionaries as ordered sets, so that the first cover found is the same in every run.
        holders: dict[Item, dict[Option, None]] = {item: {} for item in items}
        for option, covered in options.items():
            for item in covered:
                holders.setdefault(item, {})[option] = None
        wanted, must = frozenset(items), dict.fromkeys(items)
        chosen: list[tuple[Option, list[tuple[Item, dict[Option, None]]]]] = []

        def select(option: Option) -> None:
            removed = []
            for item in options[option]:
                self._spend(len(holders[item]))
                for clashing in holders[item]:
                    for other in options[clashing]:
                        if other != item:
                            del holders[other][clashing]
                removed.append((item, holders.pop(item)))
                must.pop(item, None)
            chosen.append((option, removed))

        def deselect() -> None:
            for item, held in reversed(chosen.pop()[1]):
                holders[item] = held
                if item in wanted:
                    must[item] = None
                for clashing in held:
                    for other in options[clashing]:
                        if other != item:
                            holders[other][clashing] = None

        # An own stack: a schedule of some hundred talks would exceed Python's.
        stack: list[Iterator[Option]] = []
        while True:
            if must:
                self._spend(len(must))
                item = min(must, key=lambda i: len(holders[i]))
                stack.append(iter(list(holders[item])))
            else:
                yield tuple(option for option, _ in chosen)
                if chosen:
                    deselect()
            while stack and (following := next(stack[-1], None)) is None:
                stack.pop()
                if chosen:
                    deselect()
            if not stack or following is None:
                return
            select(following)
