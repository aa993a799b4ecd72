"""The exceptions of this package, in families.

A mistake by the other side is not an exception but data, a `Violation` (keypress.py), because the
talk goes on. Bugs in this package raise ordinary exceptions.
"""

from __future__ import annotations

from typing import ClassVar


class LPPError(Exception):
    """The base of this package's exceptions. A command that raises one exits with `exit_code`."""

    exit_code: ClassVar[int]


class UserError(LPPError):
    """The user can fix it. The message is one line: what is wrong, where, what to do."""

    exit_code = 2


class NotAKey(UserError):
    """A character that can't be sent as a key press."""


class BadDirectory(UserError):
    """A communications directory that is not a directory, or can't be read or written."""


class BadLog(UserError):
    """A file that can't be read as a recording: a log in the 2012 format, or an `events.jsonl`."""


class EnvironmentProblem(LPPError):
    """A problem of the environment that the user didn't cause, such as a full disk or a lost
    share."""

    exit_code = 1


class SequenceExhausted(EnvironmentProblem):
    """All ten-digit numbers are used up in this directory."""
