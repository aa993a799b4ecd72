"""A check as lines for a terminal, and what the entrant is told of a fault."""

from __future__ import annotations

import textwrap

from lpp.conformance.log import Log
from lpp.conformance.outcome import Outcome
from lpp.conformance.run import Result
from lpp.conformance.verdict import excerpt

#: Characters of an expectation or observation that a line of text shows; JSON has it whole.
SHOWN = 400


def line_of(outcome: Outcome) -> str:
    """A case's line: identifier, level, outcome in words."""
    return f"{outcome.id:16}  {outcome.level.value:6}  {outcome.outcome.value:10}"


def short(text: str, limit: int = SHOWN) -> str:
    """A text cut to a limit."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def details(outcome: Outcome, log: Log) -> list[str]:
    """What is told of a fault: rule, expected, observed, likely cause, and the wire log."""
    lines = _wrapped("rule:     ", outcome.rule)
    lines += _wrapped("expected: ", outcome.expected)
    lines += _wrapped("observed: ", short(outcome.observed))
    if outcome.cause:
        lines += _wrapped("likely:   ", outcome.cause)
    shown = excerpt(log, outcome)
    if shown:
        lines.append("    wire log (number, time, who made --> or removed x what):")
        lines += [f"    {short(line, 120)}" for line in shown]
    return lines


def closing(result: Result) -> list[str]:
    """The last lines: how many came out how, and what kept the check from its end."""
    words = [outcome.outcome.value for outcome in result.outcomes]
    counts = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(sorted(words)))
    lines = [""]
    if result.trouble:
        lines.append(f"The check was not brought to its end: {result.trouble}.")
    if result.output and (result.trouble or not result.passed):
        lines.append("What the program wrote at the end:")
        lines += [f"    {line}" for line in result.output.splitlines()[-15:]]
    verdict = "passed" if result.passed else "FAILED"
    lines.append(f"{verdict} in {result.seconds:.0f} s: {counts}")
    return lines


def _wrapped(label: str, text: str) -> list[str]:
    return textwrap.wrap(
        " ".join(text.split()),
        96,
        initial_indent=f"    {label} ",
        subsequent_indent=" " * 15,
        break_long_words=True,
    )
