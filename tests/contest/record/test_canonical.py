"""Tests that the canonical JSON of events is that of RFC 8785, whichever code writes it."""

from __future__ import annotations

import enum
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from contest.record.events import canonical

LARGEST = 2**53 - 1

#: Everything that a body may hold, and more: non-integer numbers, and names in any script.
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-LARGEST, LARGEST)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(), inner, max_size=5)
        | st.dictionaries(st.text(alphabet="abcd_", max_size=4), inner, max_size=5)
    ),
    max_leaves=30,
)
EVERY_CHARACTER = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x11000)]))


@given(values)
@example(EVERY_CHARACTER)
@example({"b": [], "a": {}, "B": "", "": None, "aa": -0.0, "_": 1e21})
@example({"\uffff": 1, "\U0001f600": 2})  # in UTF-16, the second name sorts first
def test_canonical_equals_the_reference(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize("number", [LARGEST, -LARGEST])
def test_largest_integers_are_written_exactly(number: int) -> None:
    assert canonical({"n": [number]}) == b'{"n":[%d]}' % number


class _Number(enum.IntEnum):
    ONE = 1


@pytest.mark.parametrize(
    "value",
    [
        *(LARGEST + 1, -LARGEST - 1, 2**70, float("nan"), float("inf")),
        *("\ud800", "a\udfff", {"\ud800": 1}, {1: 2}, b"bytes", {1, 2}, object()),
    ],
)
def test_value_without_canonical_form_is_refused(value: Any) -> None:
    for whole in (value, {"body": [value]}):
        with pytest.raises(ValueError):
            canonical(whole)


@pytest.mark.parametrize("value", [(1, 2), _Number.ONE, {"a": (True,)}])
def test_tuples_and_enums_are_written_by_the_reference(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)
