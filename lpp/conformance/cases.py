"""The conformance cases and their results: applies the table `cases.toml` to a log."""

from __future__ import annotations

import enum
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import NamedTuple

from lpp.conformance import judging
from lpp.conformance.judging import Finding
from lpp.conformance.log import Kind, Log
from lpp.errors import UserError


class Level(enum.Enum):
    """How binding a case is."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    INFO = "INFO"


class Outcome(enum.Enum):
    """The outcome of a case."""

    PASS = "pass"
    FAIL = "fail"
    NON_STRICT = "non-strict"
    INFO = "info"
    NOT_TESTED = "not-tested"


class Case(NamedTuple):
    """One case.

    Attributes:
        id: its identifier; a contract.
        level: how binding it is.
        rule: the sentence of the rules.
        expected: what is expected, in words.
        does, accepts: what the check does, and what it accepts, in words.
        cause: the likely cause of a fault and the remedy, unless the finding gives another.
        acts: the acts played for it (`lpp.conformance.acts`).
        early: whether these acts alone decide it, so that its result is reported right after them.
            The other cases are judged at the end, by everything that was observed.
    """

    id: str
    level: Level
    rule: str
    expected: str
    does: str
    accepts: str
    acts: tuple[str, ...]
    early: bool = False
    cause: str = ""

    def judge(self, log: Log, strict: bool = False) -> CaseResult:
        """Judges the case.

        Arguments:
            log: what was observed.
            strict: whether a SHOULD counts as a MUST.
        """
        found: Finding = getattr(judging, self.id.partition("/")[2].replace("-", "_"))(log)
        if self.level is Level.INFO:
            outcome = Outcome.INFO
        elif found.good is None:
            outcome = Outcome.NOT_TESTED
        elif found.good:
            outcome = Outcome.PASS
        else:
            outcome = Outcome.FAIL if self.level is Level.MUST or strict else Outcome.NON_STRICT
        observed = found.observed
        if found.good is None and log.trouble and self.acts:
            observed = f"{observed}; {log.trouble}"
        faulty = outcome in (Outcome.FAIL, Outcome.NON_STRICT)
        cause = (found.cause or self.cause) if faulty else ""
        return CaseResult(self, outcome, observed, cause, found.evidence)


def _read_table() -> tuple[Case, ...]:
    text = resources.files("lpp.conformance").joinpath("cases.toml").read_text("utf-8")
    return tuple(
        Case(**{**row, "level": Level(row["level"]), "acts": tuple(row["acts"])})
        for row in tomllib.loads(text)["case"]
    )


#: The table (cases.toml).
CASES: tuple[Case, ...] = _read_table()


class UnknownCase(UserError):
    """No case has this identifier."""


def choose(wanted: tuple[str, ...]) -> tuple[Case, ...]:
    """Selects cases by identifiers or prefixes, in the table's order.

    Arguments:
        wanted: identifiers such as `2.B/burst`, or `2.A` for all cases of that part; if empty, all
            cases are selected.

    Raises:
        UnknownCase: if one of them matches no case.
    """
    for text in wanted:
        if not any(_fits(case, text) for case in CASES):
            raise UnknownCase(f"there is no case {text!r}; `check-bot --list` lists them all")
    return tuple(c for c in CASES if not wanted or any(_fits(c, text) for text in wanted))


def _fits(case: Case, text: str) -> bool:
    # A prefix must end at the end of a part: `2.A` matches `2.A.a/unique`, `2.A.a/u` doesn't.
    begins = text != "" and case.id.startswith(text) and case.id[len(text) :][:1] in ("", ".", "/")
    return begins or (text.endswith("/") and case.id.startswith(text))


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of one case.

    Attributes:
        case: the case.
        outcome: its outcome.
        observed, cause, evidence: as in `judging.Finding`.
    """

    case: Case
    outcome: Outcome
    observed: str
    cause: str = ""
    evidence: tuple[int, ...] = ()

    @property
    def is_faulty(self) -> bool:
        """Whether it reports a fault."""
        return self.outcome in (Outcome.FAIL, Outcome.NON_STRICT)

    def document(self) -> dict[str, str]:
        """As `check-bot --json` gives it."""
        return {
            "id": self.case.id,
            "level": self.case.level.value,
            "outcome": self.outcome.value,
            "rule": self.case.rule,
            "expected": self.case.expected,
            "observed": self.observed,
        }


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a whole check.

    Attributes:
        cases: one result per case, in the table's order.
        log: what was observed.
        output: the end of the program's output.
        seconds: how long it took.
    """

    cases: tuple[CaseResult, ...]
    log: Log
    output: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return not any(case.outcome is Outcome.FAIL for case in self.cases)

    @property
    def shows_output(self) -> bool:
        """Whether the program's output belongs in a report, because it may explain a failure or
        why the program ended."""
        ended = self.log.trouble or self.log.of(Kind.EXITED)
        return bool(self.output and (ended or not self.passed))

    def document(self) -> dict[str, object]:
        """As `check-bot --json` gives it."""
        return {"cases": [case.document() for case in self.cases], "passed": self.passed}
