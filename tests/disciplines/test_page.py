"""Tests a discipline's pages and tables: text is escaped, and nothing is loaded from outside."""

from __future__ import annotations

import csv
import io
import re

import pytest

from disciplines import page

CONTEXT = {
    "title": "A <b>title</b>\u202e",
    "program": "loebner 1",
    "notices": ["not <official>"],
}


def test_a_page_is_self_contained_and_shows_text_as_text() -> None:
    text = page.render("disciplines/results.html", CONTEXT)
    assert "<b>title" not in text
    assert "\u202e" not in text
    assert "not &lt;official&gt;" in text
    assert not re.search(r"<script|<link|(src|href)=\"(?!#)", text)
    assert "default-src &#39;none&#39;" in text


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-0.5", "-0.5"),
        ("-2+3", "'-2+3"),
        (-1, "-1"),
        (None, ""),
        ('a "quote", and\na line', 'a "quote", and\na line'),
    ],
)
def test_a_csv_cell_is_never_a_formula(cell: object, expected: str) -> None:
    text = page.csv_text(["a"], [[cell]])
    assert list(csv.reader(io.StringIO(text))) == [["a"], [expected] if expected else []] or (
        list(csv.reader(io.StringIO(text)))[1] == [expected]
    )
