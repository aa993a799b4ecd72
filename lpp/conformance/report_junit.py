"""A check as JUnit XML, for build servers."""

from __future__ import annotations

from xml.etree import ElementTree

from lpp.conformance.outcome import Word
from lpp.conformance.run import Result
from lpp.conformance.verdict import excerpt


def junit(result: Result, bot: str) -> str:
    """The XML of a check: a case is a test case, `fail` a failure, `not-tested` a skip.

    Arguments:
        result: the check.
        bot: what was checked.
    """
    outcomes = result.outcomes
    counts = {
        "tests": str(len(outcomes)),
        "failures": str(sum(o.outcome is Word.FAIL for o in outcomes)),
        "errors": "0",
        "skipped": str(sum(o.outcome is Word.NOT_TESTED for o in outcomes)),
        "time": f"{result.seconds:.3f}",
    }
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": _xml(bot), **counts})
    for outcome in outcomes:
        part, _, name = outcome.id.partition("/")
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": f"lpp.{part}", "name": name, "time": "0"}
        )
        told = f"expected: {outcome.expected}\nobserved: {outcome.observed}"
        if outcome.outcome is Word.FAIL:
            log = "\n".join(excerpt(result.log, outcome))
            failure = ElementTree.SubElement(
                case, "failure", {"message": _xml(outcome.observed), "type": outcome.level.value}
            )
            failure.text = _xml(f"{outcome.rule}\n{told}\n{outcome.cause}\n{log}")
        elif outcome.outcome is Word.NOT_TESTED:
            ElementTree.SubElement(case, "skipped", {"message": _xml(outcome.observed)})
        else:
            ElementTree.SubElement(case, "system-out").text = _xml(
                f"{outcome.outcome.value}\n{told}"
            )
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _xml(text: str) -> str:
    return "".join(char if _carried(char) else "\ufffd" for char in text)


def _carried(char: str) -> bool:
    # XML 1.0 carries no control characters but these three, and no lone surrogates.
    if char in "\t\n\r":
        return True
    return char >= " " and not "\ud800" <= char <= "\udfff" and char not in "\ufffe\uffff"
