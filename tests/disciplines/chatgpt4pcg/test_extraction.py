"""Tests the extraction of programs from responses, against the official program."""

import json
import time

import pytest

from disciplines.chatgpt4pcg.editions import EDITIONS
from disciplines.chatgpt4pcg.extraction import extract
from tests.disciplines.chatgpt4pcg.official import DATA, needs_data

EDITION = EDITIONS["2023"]


@needs_data
def test_the_official_programs() -> None:
    cases = json.loads((DATA / "text.json").read_text("utf-8"))["extract_ab_drop"]
    for case in cases:
        assert extract(case["text"], EDITION).code == case["code"], case
    assert len(cases) == 70


@pytest.mark.parametrize(
    ("response", "code"),
    [
        ("```ab_drop('b11',4)```", "ab_drop('b11',4)\n"),
        ('```ab_drop("b31",   19)```', "ab_drop('b31',   19)\n"),
        ("```ab_drop('b11',1)``` ```ab_drop('b13',2)```", "ab_drop('b13',2)\n"),
        ("```# ab_drop('b11',4) ab_drop('b13',5)```", "ab_drop('b11',4)\nab_drop('b13',5)\n"),
        ("```ab_drop('b33',)```", "ab_drop('b33',)\n"),
        ("```ab_drop(|b|1|,7)```", "ab_drop(|b|1|,7)\n"),
        ("```for i in x:\n ab_drop('b11', 3)```", "ab_drop('b11', 3)\n"),
        ("```ab_drop('b11', 3)`x` ```ab_drop('b13', 4)```", "ab_drop('b13', 4)\n"),
        *(("```ab_drop( 'b11',4)```", None), ("```ab_drop('b11' ,4)```", None)),
        *(("```ab_drop('b11',-4)```", None), ("```ab_drop('b11',x)```", None)),
        *(("```ab_drop('b11',\u0664)```", None), ("```AB_DROP('b11',4)```", None)),
        *(("``````", None), ("```", None), ("", None), ("ab_drop('b11',4)", None)),
        ("```drop_block('b11',4)```", None),
    ],
)
def test_programs(response: str, code: str | None) -> None:
    found = extract(response, EDITION)
    assert found.code == code
    assert bool(found.reason) == (code is None)


def test_each_edition_has_its_function() -> None:
    response = "```ab_drop('b11',4)\ndrop_block('b13',5)```"
    assert extract(response, EDITIONS["2025"]).code == "drop_block('b13',5)\n"


@pytest.mark.parametrize("piece", ["```", "```x", "``", "ab_drop('b11',", "```ab_drop('b11',1)"])
def test_ten_megabytes_take_no_longer_than_reading_them(piece: str) -> None:
    before = time.process_time()
    extract(piece * (10_000_000 // len(piece)), EDITION)
    assert time.process_time() - before < 10
