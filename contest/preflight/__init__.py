"""The pre-flight of a contest: is all ready, and if not, what to do.

    report = run(look(folder, ask))

`CHECKS` is the table of what is looked at; docs/reference/check-setup.md explains each.
"""

from contest.preflight.findings import Check, Finding, Ground, Level, Report, Running, Serving
from contest.preflight.machine import Machine
from contest.preflight.run import CHECKS, look, run

__all__ = [
    "CHECKS",
    "Check",
    "Finding",
    "Ground",
    "Level",
    "Machine",
    "Report",
    "Running",
    "Serving",
    "look",
    "run",
]
