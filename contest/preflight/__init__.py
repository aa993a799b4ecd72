"""The pre-flight of a contest: is all ready, and if not, what to do.

    report = run(look(folder, ask))

`CHECKS` is the list of what is looked at; docs/reference/check-setup.md tells each.
"""

from contest.preflight.finding import Check, Finding, Level
from contest.preflight.ground import Ground, Running, Serving
from contest.preflight.machine import Machine
from contest.preflight.run import CHECKS, Report, look, run

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
