"""What can go wrong, in families (design, rule 7).

* :class:`BadInput`: the user's to fix. It says what, where (file, line, field) and what to do.
* :class:`Refused`: understood, but not possible, such as a square that does not exist.
* :class:`ProofFailed`: ours to fix. A schedule of our own making did not pass our own check.

The first two are one line of text each, fit for standard error as they stand, and carry the exit
code of the command: 2 for unusable input, 1 for a refused request.
"""

from typing import ClassVar

from scheduler.texts import plain


class SchedulerError(Exception):
    """Anything that a caller of this package may want to catch at once."""


class BadInput(SchedulerError):
    """Input that can't be used until the user changes it.

    Arguments:
        problem: what is wrong and what to do, in one line, without the place.
        source: the file, or what else the input came from.
        line: the line in that file, from 1.
        field: the column, key or path inside the document.
    """

    exit_code: ClassVar[int] = 2

    def __init__(
        self, problem: str, *, source: str = "", line: int | None = None, field: str = ""
    ) -> None:
        self.problem = problem
        self.source = source
        self.line = line
        self.field = field
        super().__init__(
            f"{where}: {problem}" if (where := place(source, line, field)) else problem
        )


class Refused(SchedulerError):
    """A request that is clear but can't be fulfilled; the message says why and what could be."""

    exit_code: ClassVar[int] = 1


class ProofFailed(SchedulerError, AssertionError):
    """A schedule that we made is not what we promised: a bug of this package, please report it."""


def place(source: str = "", line: int | None = None, field: str = "") -> str:
    """Where something stands, in words.

    Arguments:
        source: the file, or what else the input came from.
        line: the line, from 1.
        field: the column, key or path.

    Returns:
        Such as ``verdicts.csv, line 3, field rank``; empty if nothing is known.
    """
    parts = [plain(source)] if source else []
    if line is not None:
        parts.append(f"line {line}")
    if field:
        parts.append(f"field {plain(field)}")
    return ", ".join(parts)
