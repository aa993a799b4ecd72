"""What the numbers of a contest say, beside the official result and never in its place.

    found = statistics_of(view, counted)  # `summary`: of a contest, as it may be published
    for part in parts_of(found): ...      # `text`: in words, each with its method and assumptions
    as_text(found)                        # `text`: the same as lines for a terminal

What is said of judges' decisions needs numpy and scipy (the extra `science`); without them it is
left out, and the output says so. How people typed needs nothing. A contest is held, tallied and
published without the extra. docs/explanation/what-the-numbers-say.md explains all of it.
"""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

from contest.errors import YoursToFix


class ScienceMissing(YoursToFix):
    """What the extra `science` brings is not installed.

    Attributes:
        extra: its name; the command says how to install it.
    """

    extra: ClassVar[str] = "science"


def import_science(name: str) -> Any:
    """Imports a module of numpy, scipy or matplotlib when it is needed.

    Arguments:
        name: its full name, such as `scipy.stats`.

    Raises:
        ScienceMissing: if it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as exc:
        package = name.partition(".")[0]
        raise ScienceMissing(
            f"this needs the extra 'science' ({exc.name or package} is not installed)"
        ) from exc
