"""What verifying a contest of a discipline finds."""

from __future__ import annotations

from pathlib import Path

from disciplines.verify import verify


def red(folder: Path) -> set[str]:
    """The names of the checks that fail."""
    return {check.name for check in verify(folder).checks if not check.ok}
