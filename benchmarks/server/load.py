"""How busy the machine is with others' work, to be said beside each number."""

from __future__ import annotations

import os


def load() -> str:
    """The machine's load average of the last minute; a dash where none is to be had."""
    try:
        return f"{os.getloadavg()[0]:.2f}"
    except OSError:
        return "-"
