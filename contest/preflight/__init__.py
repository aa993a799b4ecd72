"""The pre-flight of a contest: is all ready, and if not, what to do.

    report = run(look(folder, ask), CHECKS)

`CHECKS` is the table of what is looked at; docs/reference/check-setup.md explains each.
"""

from contest.preflight.checks import CHECKS
from contest.preflight.report import Check, Finding, Report, Serving, Site, look, run

__all__ = ["CHECKS", "Check", "Finding", "Report", "Serving", "Site", "look", "run"]
