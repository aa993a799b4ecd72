"""The pre-flight of a contest: checks whether everything is ready, and names remedies.

    report = run(inspect_site(folder, ask), CHECKS)

`CHECKS` is the table of checks; docs/reference/check-setup.md explains each.
"""

from contest.preflight.checks import CHECKS
from contest.preflight.report import (
    Finding,
    PreflightCheck,
    PreflightReport,
    ServeOptions,
    Site,
    inspect_site,
    run,
)

__all__ = [
    "CHECKS",
    "Finding",
    "PreflightCheck",
    "PreflightReport",
    "ServeOptions",
    "Site",
    "inspect_site",
    "run",
]
