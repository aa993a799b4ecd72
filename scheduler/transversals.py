"""Whether a matrix can be played in parallel rounds.

A *transversal* of a square matrix is a choice of cells that takes each judge, each entry and each
confederate exactly once: a round in which everybody plays. A matrix of order n can be played in n
rounds just when its cells can be parted into n transversals.

For a Latin square that is the table of a group, these are known without a search:

* Odd order: the cell of row g and column h goes into round g·h², which parts it into transversals.
* An element whose order holds the whole power of two in an even order: no transversal. Cyclic
  squares (Euler, 1782) are of this kind; for groups in general, Hall and Paige (1955).
* Every element its own inverse (the finite fields of order 2^k): round g + x·h in the field.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scheduler.exact_cover import Budget, Undecided, exact_covers
from scheduler.schedule import Matrix, Pairing, Schedule
from scheduler.squares import Field, prime_power

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


def play(matrix: Matrix, max_work: int = MAX_WORK) -> Play:
    """Parts a matrix into as many rounds as its busiest judge or entry has talks.

    Arguments:
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
        reason = f"the matrix {cannot}: {over[0]} stands in {load[over[0]]} cells"
        return Play(rounds, False, reason)
    budget = Budget(max_work)
    try:
        if is_latin(matrix):
            numbers, reason = _latin(matrix, cannot, budget)
        else:
            numbers, reason = _colouring(cells, rounds, cannot, budget)
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


def is_latin(matrix: Matrix) -> bool:
    """Whether each judge and each entry meets each confederate exactly once in the matrix."""
    order = len(matrix.judges)
    return len(matrix.entries) == len(matrix.roster.confederates) == order and all(
        None not in line and len(set(line)) == order
        for line in (*matrix.cells, *zip(*matrix.cells, strict=True))
    )


def _latin(matrix: Matrix, cannot: str, budget: Budget) -> tuple[list[int], str]:
    """The round of each cell of a Latin square, where every round has to be a transversal; or none,
    and why."""
    cells, order = matrix.triples, len(matrix.judges)
    group = _group(matrix)
    if group and group.has_no_transversal:
        return [], f"the matrix has no transversal and {cannot}: {_why_none(group)}"
    if group and (known := group.rounds()):
        return known, ""
    people = tuple(dict.fromkeys(name for cell in cells for name in cell))
    transversals: dict[int, tuple[Triple, ...]] = {}
    for found in exact_covers({cell: cell for cell in cells}, people, budget):
        transversals[len(transversals)] = found
        if len(transversals) > MAX_TRANSVERSALS:
            # Too many to choose among, so that the cells are better given rounds one by one.
            return _colouring(cells, order, cannot, budget)
    if not transversals:
        return [], f"the matrix has no transversal (all ways were tried) and {cannot}"
    cover = next(exact_covers(transversals, cells, budget), None)
    if cover is None:
        return [], (
            f"the matrix {cannot}: it has {len(transversals)} "
            f"transversal{'s' * (len(transversals) > 1)}, but "
            f"its cells can't be parted into {order} of them (all ways were tried)"
        )
    rounds = {cell: k for k, chosen in enumerate(cover) for cell in transversals[chosen]}
    return [rounds[cell] for cell in cells], ""


def _colouring(
    cells: Sequence[Triple], rounds: int, cannot: str, budget: Budget
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
    cover = next(exact_covers(options, must, budget), None)
    if cover is None:
        return [], f"the matrix {cannot} (all ways were tried)"
    return [dict(cover)[cell] for cell in cells], ""


# Tables of groups.


@dataclass(frozen=True, slots=True)
class Group:
    """A Latin square L[i][k] = row[i] · column[k] in a group on the numbers from 0.

    Arguments:
        product: the group's own table.
        one: its neutral element.
        row: the element that stands for each row.
        column: the element that stands for each column.
    """

    product: tuple[tuple[int, ...], ...]
    one: int
    row: tuple[int, ...]
    column: tuple[int, ...]

    @property
    def is_cyclic(self) -> bool:
        """Whether the powers of one element are all elements."""
        return len(self.product) in self._orders()

    @property
    def has_no_transversal(self) -> bool:
        """Whether theory rules out that there is one."""
        twos = len(self.product) & -len(self.product)
        return twos > 1 and any(order % twos == 0 for order in self._orders())

    def rounds(self) -> list[int] | None:
        """A parting into transversals: row by row the round of each cell, or None where theory here
        has no answer."""
        product, order = self.product, len(self.product)
        if order % 2:
            return [product[g][product[h][h]] for g in self.row for h in self.column]
        if order < 4 or set(self._orders()) != {1, 2} or not prime_power(order):
            return None
        field = Field.of(order)
        vector = {self.one: 0}
        for element in range(order):
            if element not in vector:
                unit = len(vector)
                vector |= {product[k][element]: v + unit for k, v in vector.items()}
        return [
            field.add(vector[g], field.multiply(2, vector[h]))
            for g in self.row
            for h in self.column
        ]

    def _orders(self) -> list[int]:
        """The order of each element."""
        orders = []
        for element in range(len(self.product)):
            power, count = element, 1
            while power != self.one:
                power, count = self.product[power][element], count + 1
            orders.append(count)
        return orders


def group_of(square: Sequence[Sequence[int]]) -> Group | None:
    """The group whose table a Latin square is, but for the order of rows and columns.

    Arguments:
        square: a Latin square on the numbers from 0.

    Returns:
        The group, or None if the square is no group's table.
    """
    column = tuple(square[0])
    # Each row, as the permutation that leads to it from the first row, stands for an element;
    # its first entry is that element's name.
    product: list[tuple[int, ...]] = [()] * len(square)
    for line in square:
        images = dict(zip(column, line, strict=True))
        product[line[0]] = tuple(images[symbol] for symbol in range(len(square)))
    table = Group(tuple(product), column[0], tuple(line[0] for line in square), column)
    return table if _associative(table) else None


def _associative(table: Group) -> bool:
    """Light's test: (x·g)·y = x·(g·y) for all x and y, and all g of a generating set."""
    product = table.product
    reached = {table.one}
    for generator in range(len(product)):
        if generator in reached:
            continue
        for x in product:
            through = product[x[generator]]
            if any(through[y] != x[image] for y, image in enumerate(product[generator])):
                return False
        # All known elements times the powers of the new one, until nothing new comes.
        fresh = reached | {generator}
        while fresh - reached:
            reached |= fresh
            fresh = {product[a][generator] for a in reached} | {
                product[generator][a] for a in reached
            }
    return True


def _group(matrix: Matrix) -> Group | None:
    if not is_latin(matrix):
        return None
    number = {name: i for i, name in enumerate(matrix.roster.confederates)}
    return group_of([[number[c] for c in row if c is not None] for row in matrix.cells])


def _why_none(group: Group) -> str:
    order = len(group.product)
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
