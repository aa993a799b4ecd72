"""Whether another project's package is found under one of our names.

Other projects on the package index have packages called `bots`, `scheduler` and `contest`. Where
one of them is installed beside ours, the files of both are mixed.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

#: All packages of this project.
PACKAGES = ("lpp", "scheduler", "bots", "judge_console", "contest", "loebner")
#: What each of their `__init__.py` says.
MARK = "Part of loebner."


def other_projects_package() -> str | None:
    """Looks where our packages would be imported from, without importing them.

    Returns:
        What is wrong and what to do; None if all is well.
    """
    if getattr(sys, "frozen", False):  # a folder of its own, without sources
        return None
    for name in PACKAGES:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            return f"our package {name!r} is not found; {_REMEDY}"
        try:
            is_ours = MARK in Path(spec.origin).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # in an archive: importing it will say what is wrong
        if not is_ours:
            return f"{spec.origin} is another project's, and hides our package {name!r}; {_REMEDY}"
    return None


_REMEDY = (
    "install loebner in an environment of its own (pipx install ., or a new venv), "
    "and start it from another folder if the package is in this one"
)
