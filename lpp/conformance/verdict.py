"""From a log to outcomes: every case with its judgement. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lpp.conformance import judging_lines, judging_names, judging_reading, judging_talk
from lpp.conformance.cases import Case
from lpp.conformance.log import Log
from lpp.conformance.outcome import Finding, Level, Outcome, Word


@dataclass(frozen=True, slots=True)
class Facts:
    """What judgements need beside the log.

    Attributes:
        attested: names of what a person attested: "browse".
        restartable: whether the program was started by us.
        trouble: what ended the check before its time, in words; "" if nothing did.
        strict: whether a SHOULD counts as a MUST.
    """

    attested: frozenset[str] = frozenset()
    restartable: bool = True
    trouble: str = ""
    strict: bool = False


_JUDGEMENTS: dict[str, Callable[[Log], Finding]] = {
    "2.A.a/unique": judging_names.unique,
    "2.A.a/lexical": judging_names.lexical,
    "2.A.a/numeric": judging_names.numeric,
    "2.A.a/width": judging_names.width,
    "2.A.b/name": judging_names.key_name,
    "2.A.c/extension": judging_names.extension,
    "2.A.d/directory": judging_names.directory,
    "2.A.e/spelling": judging_lines.spelling,
    "2.B/removes": judging_reading.removes,
    "2.B/unknown": judging_reading.unknown,
    "2.B/while-typing": judging_reading.while_typing,
    "2.B/prompt": judging_reading.prompt,
    "2.B/only": judging_reading.only,
    "2.B/keys": judging_lines.keys,
    "2.B/backspace": judging_lines.backspace,
    "2.B/burst": judging_lines.burst,
    "2.B/slow": judging_lines.slow,
    "3/waits": judging_talk.waits,
    "3/leftovers": judging_talk.leftovers,
    "3/lives": judging_talk.lives,
    "3/restart": judging_names.restart,
    "3/rhythm": judging_talk.rhythm,
}


def judge(case: Case, log: Log, facts: Facts) -> Outcome:
    """Judges one case.

    Arguments:
        case: the case.
        log: what was seen.
        facts: what else is known.
    """
    finding = _finding(case, log, facts)
    if case.level is Level.INFO:
        word = Word.INFO
    elif finding.good is None:
        word = Word.NOT_TESTED
    elif finding.good:
        word = Word.PASS
    else:
        word = Word.FAIL if case.level is Level.MUST else Word.NON_STRICT
    observed = finding.observed
    if finding.good is None and facts.trouble and case.id != "2/browse":
        observed = f"{observed}; {facts.trouble}"
    outcome = Outcome(
        case.id,
        case.level,
        word,
        case.rule,
        case.expected,
        observed,
        finding.cause if word in (Word.FAIL, Word.NON_STRICT) else "",
        finding.evidence,
    )
    return outcome.strictly() if facts.strict else outcome


def _finding(case: Case, log: Log, facts: Facts) -> Finding:
    if case.id == "2/browse":
        if "browse" in facts.attested:
            return Finding(True, "attested by the person who ran the check")
        return Finding(None, "only a person can see it: start the program without a directory")
    if case.id == "3/answers":
        return judging_talk.answers(log)
    if case.id == "3/restart" and not facts.restartable:
        return Finding(None, "the program was running already, and is not ours to restart")
    return _JUDGEMENTS[case.id](log)


def judge_all(cases: Iterable[Case], log: Log, facts: Facts) -> list[Outcome]:
    """Judges cases, in their order."""
    return [judge(case, log, facts) for case in cases]


def passed(outcomes: Iterable[Outcome]) -> bool:
    """Whether nothing failed."""
    return all(outcome.outcome is not Word.FAIL for outcome in outcomes)


def excerpt(log: Log, outcome: Outcome, before: int = 6, after: int = 4) -> list[str]:
    """The lines of the wire log around what an outcome rests on; gaps are told.

    Arguments:
        log: the log.
        outcome: of one of its cases.
        before, after: entries to show around each piece of evidence.
    """
    wanted = sorted(
        {
            number
            for place in outcome.evidence
            for number in range(place - before, place + after + 1)
            if 1 <= number <= len(log.events)
        }
    )
    lines: list[str] = []
    for index, number in enumerate(wanted):
        if index and number != wanted[index - 1] + 1:
            lines.append("      ...")
        lines.append(log.events[number - 1].line)
    return lines
