"""The 2010 contest's schedule, and what its rules printed instead.

Source: rules of the Loebner Prize 2010, section 3. The printed list and matrix are kept as
published, faults and all; :func:`scheduler.check` names the faults.
"""

from scheduler.formats import read_rounds, read_schedule
from scheduler.schedule import Matrix, Schedule

PRINTED_LIST = """\
Round 1 J1E1C1
J2E2C2 J3E3C3 J4E4C4
Round 2 J2E4C1
J1E3C2 J4E2C3 J3E1C4
Round 3 J3E3C1
J4E1C2 J2E4C3 J1E2C4
Round 4 J4E2C1
J3E4C2 J1E1C3 J2E3C4
"""
"""As printed: J1E1, J2E4, J3E3, J4E2 twice; J1E4, J2E1, J3E2, J4E3 never. Rounds 1, 2 are sound."""

PRINTED_MATRIX = """\
,E1,E2,E3,E4
J1,C1,C2,C3,C4
J2,C4,C1,C2,C3
J3,C3,C4,C1,C2
J4,C2,C3,C4,C1
"""
"""The cyclic Latin square of order 4, which has no transversal."""

COMPLETED_2010 = """\
Round 1 J1E1C1 J2E2C2 J3E3C3 J4E4C4
Round 2 J2E4C1 J1E3C2 J4E2C3 J3E1C4
Round 3 J3E2C1 J4E1C2 J1E4C3 J2E3C4
Round 4 J4E3C1 J3E4C2 J2E1C3 J1E2C4
"""
"""Rounds 1 and 2 as printed, completed in the only way there is (but for the order of 3, 4)."""

_TEXTS = {
    "2010": COMPLETED_2010,
    "2010-published-list": PRINTED_LIST,
    "2010-published-matrix": PRINTED_MATRIX,
}

NAMES = tuple(_TEXTS)
"""The names by which :func:`bundled` knows them."""


def bundled(name: str) -> Schedule | Matrix:
    """A schedule that comes with the package.

    Arguments:
        name: one of :data:`NAMES`; a KeyError if it is another.
    """
    return read_schedule(_TEXTS[name], name)


def schedule_2010() -> Schedule:
    """The schedule of four rounds that the rules of 2010 meant; all three kinds of pair come out 16
    of 16."""
    return read_rounds(COMPLETED_2010, "2010")
