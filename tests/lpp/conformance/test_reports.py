"""Tests the reports: HTML pages with escaped text, valid XML, and lines for the terminal."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lpp.conformance.cases import CASES, CaseResult, CheckResult, Outcome, choose
from lpp.conformance.log import Log
from lpp.conformance.reports import BadReport, closing, details, junit, line_of, write_page
from tests.mutants.memory import check_mutant

HOSTILE = '<script>alert(1)</script> & "quotes" \x00\x1b[31m \udcff ]]>'


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "href") and value:
                self.links.append(value)
            if name == "id" and value:
                self.ids.append(value)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(file: Path) -> Reader:
    reader = Reader()
    reader.feed(file.read_text("utf-8"))
    assert reader.open == []
    return reader


def hostile() -> CheckResult:
    (case,) = choose(("2.A.b/name",))
    return CheckResult(
        (CaseResult(case, Outcome.FAIL, HOSTILE, HOSTILE, (1,)),), Log(), HOSTILE, 1.0
    )


def test_checks_of_several_bots_share_a_table_that_links_to_their_details(
    tmp_path: Path,
) -> None:
    out = tmp_path / "report"
    write_page(out, check_mutant("none"), "right")
    write_page(out, check_mutant("quotedble"), "wrong <b>")
    index = write_page(out, check_mutant("none"), "right")
    table, text = read(index), index.read_text("utf-8")
    assert (text.count("✓ passed"), text.count("✗ failed")) == (2, 1)
    assert "wrong &lt;b&gt;" in text
    assert len({link.partition("#")[0] for link in table.links} - {""}) == 3
    assert {link.partition("#")[2] for link in table.links} >= {case.id for case in CASES}
    pages = {file.name: read(file) for file in out.glob("check-*.html")} | {"": table}
    for link in table.links:
        file, _, anchor = link.partition("#")
        assert not anchor or anchor in pages[file].ids
    (wrong,) = [file for file in out.glob("check-*.html") if "✗ failed" in file.read_text("utf-8")]
    assert "Wire log" in wrong.read_text("utf-8")
    assert "quotedble" in wrong.read_text("utf-8")


def test_a_bots_output_is_escaped(tmp_path: Path) -> None:
    write_page(tmp_path, hostile(), HOSTILE)
    for file in tmp_path.glob("*.html"):
        page = read(file)
        assert "script" not in page.tags
        assert all(link.startswith(("#", "check-", "index.html")) for link in page.links)


@pytest.mark.parametrize("found", ["no JSON", "[]", "{}"])
def test_a_directory_with_other_files_is_refused_in_one_line(found: str, tmp_path: Path) -> None:
    (tmp_path / "check-1.json").write_text(found)
    with pytest.raises(BadReport, match="give another directory"):
        write_page(tmp_path, hostile(), "bot")


def test_an_unwritable_report_is_refused_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(BadReport, match="give another directory"):
        write_page(file, hostile(), "bot")


@pytest.mark.parametrize("fault", ["none", "quotedble", "ends-at-once"])
def test_junit_counts_match_its_cases(fault: str) -> None:
    result = check_mutant(fault)
    root = ElementTree.fromstring(junit(result, fault).partition("\n")[2])
    (suite,) = root
    cases = suite.findall("testcase")
    names = [f"{c.get('classname', '').removeprefix('lpp.')}/{c.get('name')}" for c in cases]
    assert names == [case.id for case in CASES]
    assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
    assert suite.get("skipped") == str(len(suite.findall("testcase/skipped")))
    assert (suite.get("failures") == "0") is result.passed


def test_details_show_outcome_rule_cause_and_wire_log() -> None:
    result = check_mutant("minus-as-word")
    (fault,) = [case for case in result.cases if case.is_faulty]
    text = "\n".join([line_of(fault), *details(fault, result.log), *closing(result)])
    for part in (
        "2.A.e/spelling",
        "MUST",
        "fail",
        fault.case.rule,
        "was inserted as a word",
        "asked",
    ):
        assert part in text
    assert "FAILED" in text
    assert "passed in" in "\n".join(closing(check_mutant("none")))
