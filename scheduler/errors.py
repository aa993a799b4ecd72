"""The exceptions of this package, in families (design, rule 7).

* :class:`BadInput`: the user must fix the input. The message says what is wrong, where (file, line,
  field) and what to do.
* :class:`Refused`: a valid request that is impossible, such as a square that does not exist.
* :class:`ProofFailed`: a bug. A schedule made by this package did not pass its own check.

The messages of the first two are one line each, ready for standard error. These exceptions carry
the exit code of the command: 2 for unusable input, 1 for a refused request.
"""

from typing import ClassVar

from scheduler.texts import Phrase, joined, plain


class SchedulerError(Exception):
    """The base of this package's exceptions."""


class BadInput(SchedulerError):
    """Input that can't be used until the user changes it.

    Arguments:
        problem: what is wrong and what to do, in one line, without the place.
        source: the file or other source of the input.
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
        where = place(source, line, field)
        whole = Phrase("{where}: {problem}", where=where, problem=problem) if where else problem
        super().__init__(whole)


class Refused(SchedulerError):
    """A valid request that can't be fulfilled; the message says why and what is possible."""

    exit_code: ClassVar[int] = 1


class ProofFailed(SchedulerError, AssertionError):
    """A schedule that this package made failed its own check: a bug; please report it."""


def place(source: str = "", line: int | None = None, field: str = "") -> str:
    """A place in the input, in words.

    Arguments:
        source: the file or other source of the input.
        line: the line, from 1.
        field: the column, key or path.

    Returns:
        Such as ``verdicts.csv, line 3, field rank``; empty if nothing is known.
    """
    parts = [plain(source)] if source else []
    if line is not None:
        parts.append(Phrase("line {line}", line=line))
    if field:
        parts.append(Phrase("field {field}", field=plain(field)))
    return joined(parts, ", ")
