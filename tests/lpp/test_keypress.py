"""Key presses and the names of their directories: strict writing, liberal reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpp.keypress import KEY_LIMIT, WIDTH, KeyPress, Rule, Side, parse, printable
from lpp.names import NAMES

LETTERS_AND_DIGITS = [chr(code) for code in range(128) if chr(code).isalnum()]
strict_keys = st.sampled_from([*NAMES, *LETTERS_AND_DIGITS])
numbers = st.integers(0, 10**WIDTH - 1)
sides = st.sampled_from(list(Side))


def rules(name: str) -> list[Rule]:
    parsed = parse(name)
    assert parsed is not None
    return [violation.rule for violation in parsed[1]]


@given(numbers, strict_keys, sides)
def test_what_is_made_is_read_back_and_breaks_no_rule(number: int, key: str, side: Side) -> None:
    press = KeyPress.make(number, key, side)
    assert parse(press.raw) == (press, ())


@given(numbers, st.text(st.characters(exclude_categories=["Cs"]), min_size=1), sides)
def test_whatever_can_be_made_is_read_back(number: int, key: str, side: Side) -> None:
    try:
        press = KeyPress.make(number, key, side)
    except ValueError:
        return
    parsed = parse(press.raw)
    assert parsed is not None
    assert parsed[0] == press
    assert len(press.raw.encode()) <= 255


@given(st.lists(numbers, unique=True, min_size=2), sides)
def test_made_names_sort_as_their_numbers_do(some: list[int], side: Side) -> None:
    made = [KeyPress.make(number, "a", side) for number in some]
    assert [p.number for p in sorted(made, key=lambda p: p.raw)] == sorted(some)
    assert [p.number for p in sorted(made)] == sorted(some)


def test_the_form_of_a_made_name() -> None:
    assert KeyPress.make(123, "H", Side.OTHER).raw == "0000000123.H.other"
    assert KeyPress.make(0, "comma", Side.JUDGE).raw == "0000000000.comma.judge"
    assert KeyPress.make(5, "é", Side.OTHER).raw == "0000000005.é.other"


@pytest.mark.parametrize("number", [-1, 10**WIDTH, 10**18])
def test_a_number_that_does_not_fit_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="does not fit 10 digits"):
        KeyPress.make(number, "a", Side.OTHER)


@pytest.mark.parametrize(
    "key",
    [
        *("", "a/b", "/", "\\", "a\\b", "\n", "\x00", "\x1f", "\ud800", "\udce9"),
        *("a" * 201, "é" * 101, "🙂" * 51),
    ],
)
def test_a_key_name_that_can_not_stand_in_a_name_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="can't stand in the name of a directory"):
        KeyPress.make(1, key, Side.OTHER)


@pytest.mark.parametrize("key", ["a" * KEY_LIMIT, "é" * (KEY_LIMIT // 2), "🙂" * (KEY_LIMIT // 4)])
def test_the_longest_key_names_fit_a_file_system(key: str) -> None:
    assert len(KeyPress.make(1, key, Side.OTHER).raw.encode()) <= 255


def test_the_sides() -> None:
    assert Side.OTHER.value == "other"
    assert Side.JUDGE.value == "judge"
    assert Side.OTHER.opposite is Side.JUDGE
    assert Side.JUDGE.opposite is Side.OTHER


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
        # The bridge that does not pad.
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
        # Names that are none of the appendix.
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


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "other",
        ".other",
        "a.other",
        ".a.other",
        "1.other",
        "x1.a.other",
        "-1.a.other",
        "+1.a.other",
        " 1.a.other",
        "1_0.a.other",
        "1.5",
        "1.a.othe",
        "1.a.others",
        "1.a.other ",
        "1.a.other.tmp",
        "1.a.othér",
        "٣.a.other",  # digits, but none of ASCII's
        "1" * 41 + ".a.other",
        "Thumbs.db",
        ".DS_Store",
        "desktop.ini",
        "New folder",
    ],
)
def test_what_is_no_key_press(name: str) -> None:
    assert parse(name) is None


def test_a_name_that_is_no_text_is_read_and_shown_as_text() -> None:
    raw = b"0000000007.caf\xe9.other".decode("utf-8", "surrogateescape")
    parsed = parse(raw)
    assert parsed is not None
    press, (violation,) = parsed
    assert press.raw == raw
    assert press.key == "caf\\xe9"
    assert violation.rule is Rule.NAME
    assert violation.name == "0000000007.caf\\xe9.other"
    violation.detail.encode()


def test_half_of_a_surrogate_pair_is_read_too() -> None:
    """Windows lists names with them; nothing may raise into the reader."""
    parsed = parse("0000000007.\ud83d.other")
    assert parsed is not None
    assert parsed[0].key == "\\xed\\xa0\\xbd"
    assert printable("a\ud800\udcffb") == "a\\xed\\xa0\\x80\\xed\\xb3\\xbfb"


def test_a_name_as_long_as_a_file_system_takes_is_read() -> None:
    name = "0000000007." + "x" * (255 - 17) + ".other"
    assert len(name) == 255
    assert rules(name) == [Rule.NAME]


@given(st.text(st.characters(codec=None), max_size=260))
def test_any_name_can_be_read_and_shown(name: str) -> None:
    for candidate in (name, f"0000000001.{name}.other"):
        printable(candidate).encode("utf-8")
        parsed = parse(candidate)
        if parsed is not None:
            parsed[0].key.encode("utf-8")


@given(st.binary(max_size=40))
def test_any_bytes_in_a_key_name_are_read(data: bytes) -> None:
    name = f"0000000001.{data.decode('utf-8', 'surrogateescape')}.other"
    parsed = parse(name)
    assert parsed is not None
    assert parsed[0].key == data.decode("utf-8", "backslashreplace")


@pytest.mark.parametrize("key", ["con", "aux", "nul", "COM1", "lpt9", "a.", "a ", ".", " "])
def test_what_windows_keeps_to_itself_does_no_harm_between_dots(key: str) -> None:
    """Its device names count up to the first dot, which is the number here, and what it cuts off
    is at the end, which is the extension."""
    name = KeyPress.make(1, key, Side.OTHER).raw
    assert name.partition(".")[0] == "0000000001"
    assert name.endswith(".other")
    parsed = parse(name)
    assert parsed is not None
    assert parsed[0].key == key


@pytest.mark.parametrize("char", '<>:"/\\|?*')
def test_what_no_name_on_windows_may_hold_is_never_written(char: str) -> None:
    with pytest.raises(ValueError, match="can't stand"):
        KeyPress.make(1, f"a{char}b", Side.OTHER)
    assert parse(f"0000000001.{char}.other") is not None  # and read all the same
