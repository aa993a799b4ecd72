"""The exceptions of this package, in families.

A mistake by the other side is not an exception but data, a `Violation` (keypress.py), because the
talk goes on. Bugs in this package raise ordinary exceptions.
"""

from __future__ import annotations

from typing import ClassVar


class LPPError(Exception):
    """The base of this package's exceptions. A command that raises one exits with `exit_code`."""

    exit_code: ClassVar[int]


class YoursToFix(LPPError):
    """The user's input can't be used. The message is one line: what is wrong, where, what to do."""

    exit_code = 2


class NotAKey(YoursToFix):
    """A character that can't be sent as a key press."""


class BadDirectory(YoursToFix):
    """A communications directory that is not a directory, or can't be read or written."""


class BadLog(YoursToFix):
    """A file that is not a log in the 2012 format."""


class Surroundings(LPPError):
    """A fault of the machine, not of its user: disk full, share gone."""

    exit_code = 1


class SequenceExhausted(Surroundings):
    """All ten-digit numbers are used up in this directory."""
