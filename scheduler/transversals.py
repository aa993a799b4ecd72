"""Whether a matrix can be played in parallel rounds.

A *transversal* of a square matrix is a choice of cells that takes each judge, each entry and each
confederate exactly once: a round in which everybody plays. A matrix of order n can be played in n
rounds just when its cells can be parted into n transversals.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scheduler.exact_cover import Budget, Undecided, exact_covers
from scheduler.groups import GroupTable, group_table
from scheduler.schedule import Matrix, Pairing, Schedule

MAX_WORK = 10_000_000
"""How many comparisons a search makes before it says that it does not know: some seconds."""

MAX_TRANSVERSALS = 5_000
"""How many transversals are collected before their parting is given up (order 10 has about 900)."""

MAX_OPTIONS = 100_000
"""How many choices of a round for a cell are laid out at all: more would fill the memory."""

Triple = tuple[str, str, str]


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


def has_transversal(matrix: Matrix, max_work: int = MAX_WORK) -> bool | None:
    """Whether cells of the matrix make up a round in which everybody plays.

    Arguments:
        matrix: the matrix.
        max_work: how many comparisons the search may make.

    Returns:
        True or False, both exact; None if that did not suffice to tell.
    """
    group = _group(matrix)
    if group and group.has_no_transversal:
        return False
    roster = matrix.roster
    people = (*roster.judges, *roster.entries, *roster.confederates)
    try:
        options = {cell: cell for cell in matrix.triples}
        return next(exact_covers(options, people, Budget(max_work)), None) is not None
    except Undecided:
        return None


def play(matrix: Matrix, max_work: int = MAX_WORK) -> Play:
    """Parts a matrix into as many rounds as its busiest judge or entry has talks.

    Arguments:
        matrix: the matrix.
        max_work: how many comparisons the search may make before it gives up undecided.

    Returns:
        The rounds found, or the reason why there are none, or that it is not decided.
    """
    cells = matrix.triples
    load = Counter(name for cell in cells for name in cell)
    roster = matrix.roster
    rounds = max(load[name] for name in (*roster.judges, *roster.entries))
    cannot = f"can't be played in {rounds} parallel round{'s' * (rounds > 1)}"
    if over := [name for name in roster.confederates if load[name] > rounds]:
        return Play(
            rounds, False, f"the matrix {cannot}: {over[0]} stands in {load[over[0]]} cells"
        )
    budget = Budget(max_work)
    try:
        if is_latin(matrix):
            return _latin(matrix, cannot, budget)
        found = _colouring(cells, rounds, budget)
    except Undecided:
        return Play(
            rounds,
            None,
            f"not decided whether the matrix can be played in {rounds} parallel rounds: the "
            f"search was stopped at its bound of {max_work:,} comparisons or "
            f"{MAX_OPTIONS:,} choices",
        )
    if found is None:
        return Play(rounds, False, f"the matrix {cannot} (all ways were tried)")
    return Play(rounds, True, "", found)


def is_latin(matrix: Matrix) -> bool:
    """Whether each judge and each entry meets each confederate exactly once in the matrix.

    Arguments:
        matrix: the matrix.

    Returns:
        True for a Latin square.
    """
    order = len(matrix.judges)
    return len(matrix.entries) == len(matrix.roster.confederates) == order and all(
        None not in line and len(set(line)) == order
        for line in (*matrix.cells, *zip(*matrix.cells, strict=True))
    )


def _group(matrix: Matrix) -> GroupTable | None:
    if not is_latin(matrix):
        return None
    number = {name: i for i, name in enumerate(matrix.roster.confederates)}
    return group_table([[number[c] for c in row if c is not None] for row in matrix.cells])


def _latin(matrix: Matrix, cannot: str, budget: Budget) -> Play:
    """A Latin square: every round has to be a transversal."""
    cells, order = matrix.triples, len(matrix.judges)
    group = _group(matrix)
    if group and group.has_no_transversal:
        return Play(
            order,
            False,
            f"the matrix has no transversal and {cannot}: {_why_none(group)}",
        )
    if group and (known := group.rounds()):
        numbers = [number for row in known for number in row]
        return Play(order, True, "", _schedule(cells, numbers))
    people = tuple(dict.fromkeys(name for cell in cells for name in cell))
    transversals: dict[int, tuple[Triple, ...]] = {}
    for found in exact_covers({cell: cell for cell in cells}, people, budget):
        transversals[len(transversals)] = found
        if len(transversals) > MAX_TRANSVERSALS:
            # Too many to choose among, so that the cells are better given rounds one by one.
            coloured = _colouring(cells, order, budget)
            reason = "" if coloured else f"the matrix {cannot} (all ways were tried)"
            return Play(order, coloured is not None, reason, coloured)
    if not transversals:
        return Play(
            order,
            False,
            f"the matrix has no transversal (all ways were tried) and {cannot}",
        )
    cover = next(exact_covers(transversals, cells, budget), None)
    if cover is None:
        return Play(
            order,
            False,
            f"the matrix {cannot}: it has {len(transversals)} "
            f"transversal{'s' * (len(transversals) > 1)}, but "
            f"its cells can't be parted into {order} of them (all ways were tried)",
        )
    rounds = {cell: k for k, chosen in enumerate(cover) for cell in transversals[chosen]}
    return Play(order, True, "", _schedule(cells, [rounds[cell] for cell in cells]))


def _why_none(group: GroupTable) -> str:
    order = group.order
    if not group.is_cyclic:
        return (
            f"it is the table of a group of order {order} whose 2-subgroups are cyclic, and no "
            "such table has one (Hall and Paige, 1955)"
        )
    return (
        f"it is the cyclic Latin square of order {order}, and none of even order has one (number "
        f"judges, entries and confederates from 0 so that in each cell the confederate is judge "
        f"plus entry modulo {order}: in a full round, judges and entries together add up to "
        f"{order * (order - 1) % order} modulo {order}, confederates to "
        f"{order * (order - 1) // 2 % order})"
    )


def _colouring(cells: Sequence[Triple], rounds: int, budget: Budget) -> Schedule | None:
    """Gives each cell a round so that nobody is in two places at once."""
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
    cover = next(exact_covers(options, must, budget), None)
    return None if cover is None else _schedule(cells, [dict(cover)[cell] for cell in cells])


def _schedule(cells: Sequence[Triple], numbers: Sequence[int]) -> Schedule:
    """The cells in their rounds; rounds in the order in which the cells first use them."""
    order = {number: k for k, number in enumerate(dict.fromkeys(numbers), 1)}
    return Schedule.of(
        Pairing(order[number], *cell) for cell, number in zip(cells, numbers, strict=True)
    )
