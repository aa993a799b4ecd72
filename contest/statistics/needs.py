"""Numpy, scipy and matplotlib, where they are used: they come with the extra `science`, and a
contest is held, tallied and published without them.
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


def module(name: str) -> Any:
    """A module of numpy, scipy or matplotlib.

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
