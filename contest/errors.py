"""The exceptions of this package, in families.

* `ContestError` -- the root
    * `WrongMoment` -- an order is not possible now; says why
    * `JournalFailed` -- a bug of ours: nothing is written to the record any more
    * `UserError` -- the user can fix it: says what is wrong, where, and what to do
        * `BadSettings` -- contest.toml
        * `NotAContest` -- a folder without a contest, or without a record
        * `NewerRecord` -- a record that a newer version of this program made
        * `BadOrder` -- an order that can't be used, such as with an unknown seat
    * `EnvironmentProblem` -- the environment fails: disk full, database locked
        * `InUse` -- another server runs the contest
        * `RecordTrouble` -- the record can't be read or written
* `Refusal` -- the refusal of a console's or link's frame

`exit_code` is the exit code of a command that ends with the error.
"""

from __future__ import annotations

from typing import ClassVar

from lpp import errors


class ContestError(Exception):
    """The root of this package's exceptions."""

    exit_code: ClassVar[int]


class WrongMoment(ContestError, RuntimeError):
    """An order is not possible now. The text is one line."""

    exit_code = 1


class JournalFailed(ContestError):
    """A bug of ours has ended the thread that writes the record, so the server must end, too."""

    exit_code = 1


class UserError(ContestError, errors.UserError):
    """The user can fix it. The text is one line: what is wrong, where, what to do."""


class BadSettings(UserError):
    """A contest.toml that can't be used."""


class NotAContest(UserError):
    """A folder without a contest, or without a record yet."""


class NewerRecord(UserError):
    """A record that a newer version of this program made."""


class BadOrder(UserError):
    """An order that can't be used: an unknown action, seat or entry, or a bad value."""


class EnvironmentProblem(ContestError, errors.EnvironmentProblem):
    """The environment fails, not the user: disk full, share gone, address in use."""


class InUse(EnvironmentProblem):
    """Another server runs the contest."""


class RecordTrouble(EnvironmentProblem):
    """The record can't be read or written: disk full, locked, corrupt."""


class Refusal(Exception):
    """A frame of a console or link is refused; the text is for a person.

    Attributes:
        code: a stable code, listed in docs/reference/wire.md and link.md.
        answers: the type of the refused frame; empty if there was none.
    """

    def __init__(self, code: str, message: str, answers: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.answers = answers
