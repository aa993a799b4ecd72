"""Tests that file names are valid on every system, and that harmless texts stay unchanged."""

from __future__ import annotations

from pathlib import PureWindowsPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contest.setup.filenames import LIMIT, is_device, safe_name

RESERVED = [
    *("CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"),
    *(f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789¹²³"),
]

nasty = st.text() | st.sampled_from(RESERVED).flatmap(
    lambda name: st.sampled_from([name, name.lower(), f"{name}.txt", f" {name} .x", f"{name}/"])
)


@given(nasty | st.text(min_size=LIMIT // 2))
@example("CON")
@example("COM¹")
@example("con." + LIMIT * "x")
@example("e\u0301" * 200)
@example("\ud800")
@example("CONIN$")
def test_every_name_is_valid_on_every_system(text: str) -> None:
    name = safe_name(text)
    assert name
    assert len(name.encode("utf-8")) <= LIMIT
    assert name[0] not in " .-"
    assert name[-1] not in " ."
    assert not set(name) & set('<>:"/\\|?*')
    assert all(ord(char) >= 32 for char in name)
    for stands in (name, f"{name}.log"):
        assert not _reserved(stands)
        assert PureWindowsPath(stands).parts == (stands,)
    assert safe_name(name) == name


def _reserved(name: str) -> bool:
    return name.split(".")[0].strip().upper() in RESERVED


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Round 1, judge J1", "Round 1, judge J1"),
        ("Zoë O'Brien (J2)", "Zoë O'Brien (J2)"),
        ("2010-10-23T09:30:00", "2010-10-23T09_30_00"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("C:\\Windows\\x", "C_Windows_x"),
        ("a\0b\nc", "a_b_c"),
        ("-rf", "rf"),
        ("nul.txt", "_nul.txt"),
        ("console", "console"),
        ("", "_"),
        ("...", "_"),
        ("判事", "判事"),
    ],
)
def test_examples_of_names(text: str, name: str) -> None:
    assert safe_name(text) == name


@pytest.mark.parametrize("name", RESERVED)
def test_devices_are_recognized_in_any_spelling(name: str) -> None:
    for each in (name, name.lower(), f"{name}.txt", f"{name} .x", name.capitalize()):
        assert is_device(each), each
