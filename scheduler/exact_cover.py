"""Exact cover by Knuth's Algorithm X, with a bound on its work.

Items are to be covered exactly once by options, each a set of items. The search takes the item
with the fewest options left, so that a dead end shows early. It is exact: unless the bound is
reached, what it does not find does not exist.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)
Option = TypeVar("Option", bound=Hashable)


class Undecided(Exception):
    """The bound was reached before the search came to its end."""


class Budget:
    """Comparisons that searches may still make, shared among them.

    Arguments:
        comparisons: how many, in all; time goes with them, whatever the size of the problem.
    """

    def __init__(self, comparisons: int) -> None:
        self.left = comparisons

    def spend(self, comparisons: int) -> None:
        """Takes some.

        Arguments:
            comparisons: how many.

        Raises:
            Undecided: so many are not left.
        """
        self.left -= comparisons
        if self.left < 0:
            raise Undecided


def exact_covers(
    options: Mapping[Option, Collection[Item]], items: Collection[Item], budget: Budget
) -> Iterator[tuple[Option, ...]]:
    """All sets of options that hold each item exactly once.

    Arguments:
        options: for each option what it covers. Items beyond `items` may be covered once or not.
        items: what has to be covered.
        budget: how much work may be done; the same object may serve several searches.

    Returns:
        The covers, one after the other, each as its options.

    Raises:
        Undecided: the budget was used up first.
    """
    # Dictionaries as ordered sets, so that the first cover found is the same in every run.
    holders: dict[Item, dict[Option, None]] = {item: {} for item in items}
    for option, covered in options.items():
        for item in covered:
            holders.setdefault(item, {})[option] = None
    wanted = frozenset(items)
    must = dict.fromkeys(items)
    chosen: list[Option] = []
    removed: list[list[tuple[Item, dict[Option, None]]]] = []

    def select(option: Option) -> None:
        undo = []
        for item in options[option]:
            budget.spend(len(holders[item]))
            for clashing in holders[item]:
                for other in options[clashing]:
                    if other != item:
                        del holders[other][clashing]
            undo.append((item, holders.pop(item)))
            must.pop(item, None)
        chosen.append(option)
        removed.append(undo)

    def deselect() -> None:
        chosen.pop()
        for item, held in reversed(removed.pop()):
            holders[item] = held
            if item in wanted:
                must[item] = None
            for clashing in held:
                for other in options[clashing]:
                    if other != item:
                        holders[other][clashing] = None

    def branches() -> Iterator[Option]:
        budget.spend(len(must))
        item = min(must, key=lambda i: len(holders[i]))
        # As a list: what holds the item changes while the search goes deeper.
        return iter(list(holders[item]))

    # An own stack: a schedule of some hundred talks would exceed Python's.
    if not must:
        yield ()
        return
    stack = [branches()]
    while stack:
        try:
            option = next(stack[-1])
        except StopIteration:
            stack.pop()
            if chosen:
                deselect()
            continue
        select(option)
        if must:
            stack.append(branches())
        else:
            yield tuple(chosen)
            deselect()
