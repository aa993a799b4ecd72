"""A rehearsal: the contest with scripted people and injected faults, on a clock that jumps.

    report = rehearse(folder, cast, choose(None), seed=1, program="loebner 0.1")

The server is the contest's own, without its sockets and threads (server.py); consoles and entries'
programs are handed in (cast.py). docs/explanation/rehearsal.md says what is rehearsed, and what is
not.
"""

from contest.rehearsal.cast import (
    Cast,
    Connect,
    Console,
    Keys,
    Program,
    SeatLine,
)
from contest.rehearsal.faults import FAULTS, Fault
from contest.rehearsal.planned import choose
from contest.rehearsal.play import Broken
from contest.rehearsal.report import Report, clock
from contest.rehearsal.run import rehearse
from contest.rehearsal.wires import Line, LineEnded, Unreachable

__all__ = [
    "FAULTS",
    "Broken",
    "Cast",
    "Connect",
    "Console",
    "Fault",
    "Keys",
    "Line",
    "LineEnded",
    "Program",
    "Report",
    "SeatLine",
    "Unreachable",
    "choose",
    "clock",
    "rehearse",
]
