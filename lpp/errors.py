"""The exceptions of this package, in families.

* `LPPError` -- the root
    * `YoursToFix` -- what a person gave can't be used; says what, where, and what to do
        * `NotAKey` -- a character that is no key press
        * `BadDirectory` -- a communications directory that is none, or can't be written
        * `BadLog` -- a file that is no log
    * `Surroundings` -- the machine's trouble: disk full, share gone
        * `SequenceExhausted` -- no number of ten digits is left in this directory

What the *other side* does wrong is no exception: it is data, a `Violation` (violations.py), for
one must go on listening. What is wrong in this package raises ordinary exceptions.

`exit_code` is what a command that meets the error exits with.
"""

from __future__ import annotations

from typing import ClassVar


class LPPError(Exception):
    """The root of this package's exceptions."""

    exit_code: ClassVar[int]


class YoursToFix(LPPError):
    """What a person gave can't be used. The text is one line: what, where, what to do."""

    exit_code = 2


class NotAKey(YoursToFix):
    """A character that can't be sent as a key press."""


class BadDirectory(YoursToFix):
    """A communications directory that is none, or can't be read or written."""


class BadLog(YoursToFix):
    """A file that is no log in the form of 2012."""


class Surroundings(LPPError):
    """The machine's trouble, nobody's fault at the keyboard: disk full, share gone."""

    exit_code = 1


class SequenceExhausted(Surroundings):
    """The numbers of ten digits are used up in this directory."""
