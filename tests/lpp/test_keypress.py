"""Tests key presses and the names of their directories: strict writing, liberal reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpp.keypress import WIDTH, KeyPress, Rule, Side, parse

numbers = st.integers(0, 10**WIDTH - 1)
sides = st.sampled_from(list(Side))


@given(numbers, st.text(st.characters(exclude_categories=["Cs"]), min_size=1), sides)
def test_a_written_name_is_read_back_equal(number: int, key: str, side: Side) -> None:
    try:
        press = KeyPress.make(number, key, side)
    except ValueError:
        return
    parsed = parse(press.raw)
    assert parsed is not None
    assert parsed[0] == press
    assert len(press.raw.encode()) <= 255


@pytest.mark.parametrize(
    "key",
    [
        *("", "a/b", "/", "\\", "a\\b", "\n", "\x00", "\x1f", "\ud800", "\udce9"),
        *("a" * 201, "é" * 101, "🙂" * 51),
    ],
)
def test_a_key_name_that_no_directory_can_have_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="can't be part of a directory's name"):
        KeyPress.make(1, key, Side.OTHER)


@pytest.mark.parametrize(
    ("name", "number", "key", "side", "broken"),
    [
        ("0000000123.H.other", 123, "H", Side.OTHER, []),
        ("0000000123.H.judge", 123, "H", Side.JUDGE, []),
        ("0000001234.comma.other", 1234, "comma", Side.OTHER, []),
        ("0000000007.7.other", 7, "7", Side.OTHER, []),
        ("0000000007.é.other", 7, "é", Side.OTHER, []),
        ("0000000007.🙂.other", 7, "🙂", Side.OTHER, []),
        # The official judge program's own width.
        ("013370845270900515.H.judge", 13370845270900515, "H", Side.JUDGE, []),
        # A bridge that doesn't pad.
        ("9.x.other", 9, "x", Side.OTHER, [Rule.WIDTH]),
        ("10.x.other", 10, "x", Side.OTHER, [Rule.WIDTH]),
        ("0.x.other", 0, "x", Side.OTHER, [Rule.WIDTH]),
        (
            "00000000000000000000000000000000000000042.x.other"[1:],
            42,
            "x",
            Side.OTHER,
            [Rule.WIDTH],
        ),
        # Names that are not in the appendix.
        ("0000000007.apostrophe.other", 7, "apostrophe", Side.OTHER, [Rule.NAME]),
        ("0000000007.quotedble.other", 7, "quotedble", Side.OTHER, [Rule.NAME]),
        ("0000000007.Shift_L.other", 7, "Shift_L", Side.OTHER, [Rule.NAME]),
        ("0000000007. .other", 7, " ", Side.OTHER, [Rule.NAME]),
        ("0000000007...other", 7, ".", Side.OTHER, [Rule.NAME]),
        ("0000000007..other", 7, "", Side.OTHER, [Rule.NAME]),
        ("0000000007.a.b.other", 7, "a.b", Side.OTHER, [Rule.NAME]),
        ("0000000007.other.other", 7, "other", Side.OTHER, [Rule.NAME]),
        ("0000000007.judge.other", 7, "judge", Side.OTHER, [Rule.NAME]),
        ("0000000007.e\u0301.other", 7, "e\u0301", Side.OTHER, [Rule.NAME]),
        ("0000000007.\n.other", 7, "\n", Side.OTHER, [Rule.NAME]),
        # Any case of the extension.
        ("0000000007.a.Other", 7, "a", Side.OTHER, [Rule.EXTENSION]),
        ("0000000007.a.JUDGE", 7, "a", Side.JUDGE, [Rule.EXTENSION]),
        ("7.bad name.OTHER", 7, "bad name", Side.OTHER, [Rule.WIDTH, Rule.NAME, Rule.EXTENSION]),
    ],
)
def test_liberal_reading(name: str, number: int, key: str, side: Side, broken: list[Rule]) -> None:
    parsed = parse(name)
    assert parsed is not None
    assert parsed[0] == KeyPress(number, name, key, side)
    assert [violation.rule for violation in parsed[1]] == broken
    assert all(violation.name == name and violation.detail for violation in parsed[1])


def test_a_name_that_is_not_valid_text_is_read_and_escaped() -> None:
    raw = b"0000000007.caf\xe9.other".decode("utf-8", "surrogateescape")
    parsed = parse(raw)
    assert parsed is not None
    press, (violation,) = parsed
    assert press.raw == raw
    assert press.key == "caf\\xe9"
    assert violation.rule is Rule.NAME
    assert violation.name == "0000000007.caf\\xe9.other"
    violation.detail.encode()
