"""Words of a check: levels, outcomes, and one case's result."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace


class Level(enum.Enum):
    """How binding a case is."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    INFO = "INFO"


class Word(enum.Enum):
    """What came out of a case."""

    PASS = "pass"
    FAIL = "fail"
    NON_STRICT = "non-strict"
    INFO = "info"
    NOT_TESTED = "not-tested"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case's result.

    Attributes:
        id: the case's identifier.
        level: how binding it is.
        outcome: what came out.
        rule: the sentence of the rules that it rests on.
        expected: what was expected, in words.
        observed: what was seen, in words.
        cause: the likely cause of a fault and the remedy, for an entrant; "" if there is none.
        evidence: numbers of entries of the wire log that show it.
    """

    id: str
    level: Level
    outcome: Word
    rule: str
    expected: str
    observed: str
    cause: str = ""
    evidence: tuple[int, ...] = ()

    @property
    def faulty(self) -> bool:
        """Whether it tells of a fault."""
        return self.outcome in (Word.FAIL, Word.NON_STRICT)

    def strictly(self) -> Outcome:
        """The same where a SHOULD counts as a MUST."""
        if self.outcome is Word.NON_STRICT:
            return replace(self, outcome=Word.FAIL)
        return self

    def document(self) -> dict[str, str]:
        """As `check-bot --json` gives it."""
        return {
            "id": self.id,
            "level": self.level.value,
            "outcome": self.outcome.value,
            "rule": self.rule,
            "expected": self.expected,
            "observed": self.observed,
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """What a judgement says; with its case it becomes an `Outcome`.

    Attributes:
        good: True kept, False broken, None not to be told.
        observed, cause, evidence: as in `Outcome`.
    """

    good: bool | None
    observed: str
    cause: str = ""
    evidence: tuple[int, ...] = ()
