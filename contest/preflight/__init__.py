"""The pre-flight of a contest: checks whether everything is ready, and names remedies.

    report = run(look(folder, ask), CHECKS)

`CHECKS` is the table of checks; docs/reference/check-setup.md explains each.
"""

from contest.preflight.checks import CHECKS
from contest.preflight.report import Check, Finding, Report, Serving, Site, look, run

__all__ = ["CHECKS", "Check", "Finding", "Report", "Serving", "Site", "look", "run"]
