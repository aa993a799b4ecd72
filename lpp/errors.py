"""The exceptions of this package, in families.

What the other side does wrong is not an exception but data, a `Violation` (violations.py), as the
talk goes on. Bugs of this package raise ordinary exceptions.
"""

from __future__ import annotations

from typing import ClassVar


class LPPError(Exception):
    """The root of this package's exceptions. A command that meets one exits with `exit_code`."""

    exit_code: ClassVar[int]


class YoursToFix(LPPError):
    """What a person gave can't be used. The text is one line: what, where, what to do."""

    exit_code = 2


class NotAKey(YoursToFix):
    """A character that can't be sent as a key press."""


class BadDirectory(YoursToFix):
    """A communications directory that is not a directory, or can't be read or written."""


class BadLog(YoursToFix):
    """A file that is not a log in the form of 2012."""


class Surroundings(LPPError):
    """The machine's trouble, nobody's fault at the keyboard: disk full, share gone."""

    exit_code = 1


class SequenceExhausted(Surroundings):
    """The numbers of ten digits are used up in this directory."""
