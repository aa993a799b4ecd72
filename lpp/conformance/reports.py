"""Reports of a check: lines for a terminal, JUnit XML for build servers, and HTML pages."""

from __future__ import annotations

import datetime
import importlib
import json
import textwrap
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from lpp.conformance.cases import CASES, CaseResult, CheckResult, Outcome
from lpp.conformance.log import Log
from lpp.errors import UserError

#: The maximum number of characters of an observation in the terminal; JSON has the whole text.
SHOWN = 400
#: The maximum number of lines of the log that a page shows for a case.
LINES = 200

_SIGNS = {"pass": "✓", "fail": "✗", "non-strict": "!", "info": "i", "not-tested": "–"}


def excerpt(log: Log, result: CaseResult, before: int = 6, after: int = 4) -> list[str]:
    """The lines of the log around the evidence for a result; "..." stands for gaps.

    Arguments:
        log: the log.
        result: the result of one case.
        before, after: entries to show around each piece of evidence.
    """
    wanted = {n for place in result.evidence for n in range(place - before, place + after + 1)}
    lines: list[str] = []
    for event in log.events:
        if event.number in wanted:
            if lines and event.number - 1 not in wanted:
                lines.append("      ...")
            lines.append(event.line)
    return lines


# Terminal


def line_of(result: CaseResult) -> str:
    """The line of a case: identifier, level and outcome."""
    return f"{result.case.id:16}  {result.case.level.value:6}  {result.outcome.value:10}"


def short(text: str, limit: int = SHOWN) -> str:
    """A text cut to a limit."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def details(result: CaseResult, log: Log) -> list[str]:
    """The details of a fault for the entrant: rule, expected, observed, likely cause, and log."""
    fields = [
        ("rule:", result.case.rule),
        ("expected:", result.case.expected),
        ("observed:", short(result.observed)),
        ("likely:", result.cause),
    ]
    lines = []
    for label, text in fields:
        indent = f"    {label:10} "
        lines += textwrap.wrap(
            " ".join(text.split()), 96, initial_indent=indent, subsequent_indent=" " * 15
        )
    if shown := excerpt(log, result):
        lines.append("    wire log (number, time, who created --> or removed x what):")
        lines += [f"    {short(line, 120)}" for line in shown]
    return lines


def closing(result: CheckResult) -> list[str]:
    """The last lines: the number of cases for each outcome, and why the check ended early."""
    words = sorted(case.outcome.value for case in result.cases)
    counts = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
    lines = [""]
    if result.log.trouble:
        lines.append(f"The check was not completed: {result.log.trouble}.")
    if result.shows_output:
        lines.append("The end of the program's output:")
        lines += [f"    {line}" for line in result.output.splitlines()[-15:]]
    verdict = "passed" if result.passed else "FAILED"
    lines.append(f"{verdict} in {result.seconds:.0f} s: {counts}")
    return lines


# JUnit


def junit(result: CheckResult, bot: str) -> str:
    """The XML of a check: each case is a test case, `fail` a failure, `not-tested` a skip.

    Arguments:
        result: the check.
        bot: the name of the checked program.
    """
    outcomes = [case.outcome for case in result.cases]
    counts = {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count(Outcome.FAIL)),
        "errors": "0",
        "skipped": str(outcomes.count(Outcome.NOT_TESTED)),
        "time": f"{result.seconds:.3f}",
    }
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": _clean(bot), **counts})
    for found in result.cases:
        part, _, name = found.case.id.partition("/")
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": f"lpp.{part}", "name": name, "time": "0"}
        )
        message = _clean(found.observed)
        summary = f"expected: {found.case.expected}\nobserved: {message}"
        if found.outcome is Outcome.FAIL:
            log = "\n".join(excerpt(result.log, found))
            kind = {"message": message, "type": found.case.level.value}
            failure = ElementTree.SubElement(case, "failure", kind)
            failure.text = _clean(f"{found.case.rule}\n{summary}\n{found.cause}\n{log}")
        elif found.outcome is Outcome.NOT_TESTED:
            ElementTree.SubElement(case, "skipped", {"message": message})
        else:
            ElementTree.SubElement(case, "system-out").text = f"{found.outcome.value}\n{summary}"
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _clean(value: Any) -> Any:
    # A program's output may contain control characters or lone surrogates; pages and XML may not.
    if not isinstance(value, str):
        return value
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in value)


# Pages: a table of all checks, and a page for each check. A bot's output is escaped, never treated
# as markup.


class BadReport(UserError):
    """The report can't be written, or the directory contains something else."""


def require_jinja2() -> None:
    """Raises ModuleNotFoundError before the check, not after it, if Jinja2 is not installed."""
    importlib.import_module("jinja2")


def write_page(out: Path, result: CheckResult, bot: str) -> Path:
    """Adds a check to a report: a page, and a column in the table of all checks.

    Arguments:
        out: the report's directory; created if necessary.
        result: the check.
        bot: the name of the checked program.

    Returns:
        The path of the table, `index.html` in the directory.

    Raises:
        BadReport: if it can't be written.
        ModuleNotFoundError: if Jinja2 is not installed.
    """
    import jinja2

    files = resources.files("lpp.conformance")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: files.joinpath(name).read_text("utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_clean,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"signs": _SIGNS, "cases": CASES}
    moment = datetime.datetime.now(datetime.UTC)
    run = {
        "bot": bot,
        "at": f"{moment:%Y-%m-%d %H:%M:%S} UTC",
        "seconds": round(result.seconds, 1),
        "passed": result.passed,
        "outcomes": {found.case.id: found.outcome.value for found in result.cases},
    }
    found = [(case, excerpt(result.log, case, 12, 8)[:LINES]) for case in result.cases]
    page = environment.get_template("report.html").render(run=run, result=result, found=found)
    try:
        out.mkdir(parents=True, exist_ok=True)
        name = f"check-{moment:%Y%m%dT%H%M%S%fZ}"
        (out / f"{name}.html").write_text(page, encoding="utf-8")
        (out / f"{name}.json").write_text(json.dumps(run, indent=1), encoding="utf-8")
        runs = [
            json.loads(file.read_text("utf-8")) | {"page": file.with_suffix(".html").name}
            for file in sorted(out.glob("check-*.json"))
        ]
        table = environment.get_template("report_table.html").render(runs=runs)
        (out / "index.html").write_text(table, encoding="utf-8")
    except (OSError, ValueError, TypeError, jinja2.UndefinedError) as exc:
        words = getattr(exc, "strerror", None) or exc
        raise BadReport(
            f"the report can't be written to {out} ({words}); give another directory"
        ) from exc
    return out / "index.html"
