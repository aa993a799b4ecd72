"""Tests the table of cases: identifiers and levels of the contract, sentences of the rules, and the
choice of cases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lpp.conformance.cases import CASES, Case, UnknownCase, choose

ROOT = Path(__file__).parents[3]
SEED = ROOT.parent / "shared" / "seeds" / "004_4cc50eece247a533.txt"

CONTRACT = {
    "2.A.a/unique": "MUST",
    "2.A.a/lexical": "MUST",
    "2.A.a/numeric": "MUST",
    "2.A.a/width": "SHOULD",
    "2.A.b/name": "MUST",
    "2.A.c/extension": "MUST",
    "2.A.d/directory": "MUST",
    "2.A.e/spelling": "MUST",
    "2.B/removes": "MUST",
    "2.B/unknown": "INFO",
    "2.B/while-typing": "SHOULD",
    "2.B/prompt": "SHOULD",
    "2.B/only": "MUST",
    "2.B/keys": "MUST",
    "2.B/backspace": "SHOULD",
    "2.B/burst": "SHOULD",
    "2.B/slow": "SHOULD",
    "2/browse": "MUST",
    "3/waits": "MUST",
    "3/leftovers": "INFO",
    "3/answers": "MUST",
    "3/lives": "SHOULD",
    "3/restart": "SHOULD",
    "3/rhythm": "INFO",
}


def test_identifiers_and_levels_match_the_contract() -> None:
    assert {case.id: case.level.value for case in CASES} == CONTRACT


@pytest.mark.skipif(not SEED.exists(), reason="the rules' text is not at hand")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_each_quoted_sentence_is_in_the_rules(case: Case) -> None:
    assert case.rule in " ".join(SEED.read_text("utf-8").split())


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ((), len(CASES)),
        (("2.A",), 8),
        (("2.A.a",), 4),
        (("2.B",), 9),
        (("2",), 18),
        (("3",), 6),
        (("3/waits",), 1),
        (("3/waits", "2.B/burst", "3/waits"), 2),
        (("2.B/",), 9),
    ],
)
def test_cases_are_chosen_by_identifier_or_prefix(wanted: tuple[str, ...], chosen: int) -> None:
    assert len(choose(wanted)) == chosen


@pytest.mark.parametrize("wanted", ["2.C", "2.A.a/u", "", "3/", "waits", "2.b"])
def test_an_unknown_identifier_is_refused_by_name(wanted: str) -> None:
    if wanted == "3/":
        assert len(choose((wanted,))) == 6
        return
    with pytest.raises(UnknownCase, match=re.escape(repr(wanted))):
        choose((wanted,))
