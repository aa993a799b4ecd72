"""Numpy, scipy and matplotlib, where they are used: they come with the extra `science`, and a
contest is held, tallied and published without them.
"""

from __future__ import annotations

import importlib
from typing import Any

from contest.errors import YoursToFix


class ScienceMissing(YoursToFix):
    """What the extra `science` brings is not installed. The text says what to do."""


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
            f"this needs the extra 'science' ({exc.name or package} is not installed); "
            "install it with: pip install 'loebner[science]'"
        ) from exc
