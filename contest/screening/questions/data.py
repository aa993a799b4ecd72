"""The files with which templates are filled, beside this module."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any


def load(name: str) -> dict[str, Any]:
    """Reads one of them.

    Arguments:
        name: the file's.
    """
    file = resources.files("contest.screening.questions").joinpath(name)
    return tomllib.loads(file.read_text("utf-8"))
