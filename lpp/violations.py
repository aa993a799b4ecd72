"""What the other side does against the protocol: data, never an exception.

The rules' names are those of the conformance checks (docs/reference/lpp.md), so that the record of
a talk and the report of a check speak of the same things.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Rule(enum.Enum):
    """A rule of the protocol that a name, or its coming, can break."""

    UNIQUE = "2.A.a/unique"
    LEXICAL = "2.A.a/lexical"
    NUMERIC = "2.A.a/numeric"
    WIDTH = "2.A.a/width"
    NAME = "2.A.b/name"
    EXTENSION = "2.A.c/extension"
    DIRECTORY = "2.A.d/directory"
    REMOVES = "2.B/removes"
    WAITS = "3/waits"
    AFTER_END = "3/after-end"
    NOT_ON = "3/not-on"


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach.

    Attributes:
        rule: which rule.
        name: the name of the directory entry that shows it, as found.
        detail: what was seen, in words.
    """

    rule: Rule
    name: str
    detail: str
