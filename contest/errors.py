"""The exceptions of this package, in families.

* `ContestError` -- the root
    * `WrongMoment` -- an order is not possible now; says why
    * `JournalFailed` -- a bug of ours: nothing is written to the record any more
    * `YoursToFix` -- what a person gave can't be used; says what, where, and what to do
        * `BadSettings` -- contest.toml
        * `NotAContest` -- a folder without a contest, or without a record
        * `LaterRecord` -- a record that a later version of this program made
        * `BadOrder` -- an order that does not exist
    * `Surroundings` -- the environment's fault: disk full, database locked
        * `InUse` -- another server runs the contest
        * `RecordTrouble` -- the record can't be read or written
* `Refusal` -- the answer to a console or link that asks for what it can't have

`exit_code` is what a command that meets the error exits with.
"""

from __future__ import annotations

from typing import ClassVar


class ContestError(Exception):
    """The root of this package's exceptions."""

    exit_code: ClassVar[int]


class WrongMoment(ContestError, RuntimeError):
    """An order is not possible now. The text is one line."""

    exit_code = 1


class JournalFailed(ContestError):
    """A bug of ours has ended the thread that writes the record: the server has to end, too."""

    exit_code = 1


class YoursToFix(ContestError):
    """What a person gave can't be used. The text is one line: what, where, what to do."""

    exit_code = 2


class BadSettings(YoursToFix):
    """A contest.toml that can't be used."""


class NotAContest(YoursToFix):
    """A folder that holds no contest, or no record yet."""


class LaterRecord(YoursToFix):
    """A record that a later version of this program made."""


class BadOrder(YoursToFix):
    """An order that does not exist: no such action, seat or entry."""


class Surroundings(ContestError):
    """The machine's trouble, nobody's fault at the keyboard."""

    exit_code = 1


class InUse(Surroundings):
    """Another server holds the contest."""


class RecordTrouble(Surroundings):
    """The record can't be read or written: disk full, locked, corrupt."""


class Refusal(Exception):
    """A console or link can't have what it asks for; the text is for a person.

    Attributes:
        code: stable, as docs/reference/wire.md and link.md have it.
        answers: the type of the frame that is refused; empty if there was none.
    """

    def __init__(self, code: str, message: str, answers: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.answers = answers
