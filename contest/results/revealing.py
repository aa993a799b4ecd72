"""How the result is shown to the public, step by step, without any I/O.

The steps are `names` (who sat where), `table` (of the judges), then the places from the last to the
first, shared ones together, as `place 4`, `place 2`, `place 1`, and `prizes`. In a contest that an
organizer has in hand each step is shown when the organizer says so, the rest of them when the
contest is declared final; in one that plays by itself all of them are shown when it is closed.

For whoever shows a contest: of what belongs to a step show nothing before `shown` has it.
"""

from __future__ import annotations

from collections.abc import Iterable

from contest.history.views import ContestView
from contest.record.bodies import Result

NAMES, TABLE, PRIZES = "names", "table", "prizes"


def place(number: int) -> str:
    """The step that shows whoever has a place."""
    return f"place {number}"


def steps_of(result: Result) -> list[str]:
    """The steps in which a result is shown, in their order."""
    places = {each["place"] for each in result.entries}
    return [NAMES, TABLE, *map(place, sorted(places, reverse=True)), PRIZES]


def steps(view: ContestView) -> list[str]:
    """The steps in which the result of a contest is shown, in their order; none before its result
    is on record."""
    return [] if view.result is None else steps_of(view.result)


def shown(view: ContestView) -> set[str]:
    """The steps that the public may see by now."""
    return set(steps(view)) if view.is_closed else set(view.shown) & set(steps(view))


def left(steps: Iterable[str], shown: Iterable[str]) -> list[str]:
    """The steps that are not shown yet, in their order."""
    before = set(shown)
    return [step for step in steps if step not in before]
