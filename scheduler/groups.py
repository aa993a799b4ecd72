"""Latin squares that are tables of groups: their transversals are known without a search.

* Odd order: the cell of row g and column h goes into round g·h², which parts it into transversals.
* An element whose order holds the whole power of two in an even order: no transversal. Cyclic
  squares (Euler, 1782) are of this kind; for groups in general, Hall and Paige (1955).
* Every element its own inverse (the finite fields of order 2^k): round g + x·h in the field.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scheduler.fields import Field, prime_power


@dataclass(frozen=True, slots=True)
class GroupTable:
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
    def order(self) -> int:
        """How many elements there are."""
        return len(self.product)

    @property
    def is_cyclic(self) -> bool:
        """Whether one element's powers are all elements."""
        return any(self._order_of(element) == self.order for element in range(self.order))

    @property
    def has_no_transversal(self) -> bool:
        """Whether theory rules out that there is one."""
        if self.order % 2:
            return False
        twos = self.order & -self.order
        return any(self._order_of(element) % twos == 0 for element in range(self.order))

    def rounds(self) -> list[list[int]] | None:
        """A parting into transversals.

        Returns:
            For each row and column the number of the transversal, or None where theory here has
            no answer.
        """
        product = self.product
        if self.order % 2:
            return [[product[g][product[h][h]] for h in self.column] for g in self.row]
        found = prime_power(self.order)
        if self.order < 4 or any(product[g][g] != self.one for g in range(self.order)) or not found:
            return None
        field = Field(*found)
        vector = self._vectors()
        return [
            [field.add(vector[g], field.multiply(2, vector[h])) for h in self.column]
            for g in self.row
        ]

    def _order_of(self, element: int) -> int:
        power, count = element, 1
        while power != self.one:
            power, count = self.product[power][element], count + 1
        return count

    def _vectors(self) -> dict[int, int]:
        """Coordinates over GF(2), for a group in which every element is its own inverse."""
        vectors = {self.one: 0}
        for element in range(self.order):
            if element not in vectors:
                unit = len(vectors)
                vectors |= {self.product[k][element]: v + unit for k, v in vectors.items()}
        return vectors


def group_table(square: Sequence[Sequence[int]]) -> GroupTable | None:
    """The group whose table a Latin square is, but for the order of rows and columns.

    Arguments:
        square: a Latin square on the numbers from 0.

    Returns:
        The group, or None if the square is no group's table.
    """
    order = len(square)
    column = tuple(square[0])
    one = column[0]
    # Each row, as the permutation that leads to it from the first row, stands for an element;
    # its first entry is that element's name.
    row = tuple(line[0] for line in square)
    product: list[tuple[int, ...]] = [()] * order
    for line in square:
        images = dict(zip(column, line, strict=True))
        product[line[0]] = tuple(images[symbol] for symbol in range(order))
    table = GroupTable(tuple(product), one, row, column)
    return table if _associative(table.product, one) else None


def _associative(product: tuple[tuple[int, ...], ...], one: int) -> bool:
    """Light's test: (x·g)·y = x·(g·y) for all x and y, and all g of a generating set."""
    reached = {one}
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
