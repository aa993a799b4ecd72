"""Tests that levels are byte for byte those of the official converter, and can be read back."""

import json
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disciplines.chatgpt4pcg.editions import EDITIONS
from disciplines.chatgpt4pcg.level import BLOCK_LIMIT, BrokenProgram, build, read_xml, to_xml
from scheduler.errors import BadInput
from tests.disciplines.chatgpt4pcg.official import DATA, needs_data

EDITION = EDITIONS["2023"]


def program(words: str) -> str:
    """Such as `b11 4, b31 5`."""
    pairs = (pair.split() for pair in words.split(",") if pair.strip())
    return "".join(f"ab_drop('{name}',{column})\n" for name, column in pairs)


@needs_data
def test_the_official_levels() -> None:
    cases = json.loads((DATA / "xml.json").read_text("utf-8"))["cases"]
    for case in cases:
        assert to_xml(build(case["program"], EDITION)) == case["xml"]
    assert len(cases) == 60


@needs_data
def test_the_official_files_are_read_as_they_were_written() -> None:
    for case in json.loads((DATA / "xml.json").read_text("utf-8"))["cases"]:
        blocks = build(case["program"], EDITION).blocks
        assert read_xml(case["xml"].encode(), "level.xml") == blocks
    files = list((DATA / "levels").rglob("*.xml"))
    assert len(files) == 90
    assert all(read_xml(file.read_bytes(), file.name) for file in files)


def test_the_position_of_a_block() -> None:
    (block,) = build(program("b11 7"), EDITION).blocks
    assert (block.x, block.y) == (Decimal("2.12005"), Decimal("-3.37995"))
    low, high = build(program("b31 5, b13 5"), EDITION).blocks
    assert (low.x, high.x, high.rotation) == (Decimal("2.36015"), Decimal("2.36015"), Decimal(90))
    assert high.y - low.y == 2 * Decimal("0.2401")


HEIGHT, WIDTH = "Height boundary is intruded.", "Width boundary is intruded."


@pytest.mark.parametrize(
    ("words", "message", "line"),
    [
        ("b33 4", "BlockType does not exist.", 1),
        ("b11 4, b|1 4", "BlockType does not exist.", 2),
        *(("b11", HEIGHT, 1), ("b11 x", HEIGHT, 1), ("b11 -1", HEIGHT, 1), ("b11 20", HEIGHT, 1)),
        ("b11 " + "9" * 5000, HEIGHT, 1),
        *(("b31 0", WIDTH, 1), ("b31 19", WIDTH, 1), ("b31 20", HEIGHT, 1)),
        (", ".join(["b11 3"] * 17), HEIGHT, 17),
        (", ".join(["b13 3"] * 6), HEIGHT, 6),
        # Beside a full column, a wide block stays above the others, and blocks the next one.
        (", ".join(["b11 3"] * 16 + ["b31 4", "b11 4"]), HEIGHT, 18),
    ],
)
def test_programs_that_break_the_rules_are_refused(words: str, message: str, line: int) -> None:
    lines = "".join(
        f"ab_drop('{name}',{column})\n"
        for name, _, column in (pair.strip().partition(" ") for pair in words.split(","))
    )
    with pytest.raises(BrokenProgram) as caught:
        build(lines, EDITION)
    assert (caught.value.message, caught.value.line) == (message, line)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("line", "column"),
    [
        *(("ab_drop('b11', 3)", 3), ('AB_DROP("B11",3)', 3), ("ab_drop('b11',3.9)", 3)),
        *(("ab_drop('b11',+3)", 3), ("ab_drop('b11',3", 3), ("ab_drop('b11',0003x)\r", 3)),
        *(("ab_drop('b11',\ufeff3)", 3), ("ab_drop('b11',-0)", 0), ("ab_drop(xb11x,3)", 3)),
    ],
)
def test_numbers_as_javascript_reads_them(line: str, column: int) -> None:
    first, second = build(f"ab_drop('b11',0)\n{line}\n", EDITION).blocks
    assert second.x - first.x == column * Decimal("0.2401")


def test_lines_without_a_call_are_ignored() -> None:
    text = "# ab_drop('b11',1)\n ab_drop('b11',1)\ndrop_block('b11',1)\n\n"
    assert build(text, EDITION).blocks == ()
    assert to_xml(build(text, EDITION)).count("<Block ") == 0


@given(
    st.lists(st.tuples(st.sampled_from(["b11", "b13", "b31"]), st.integers(0, 19)), max_size=350)
)
def test_any_program_is_a_level_or_broken(calls: list[tuple[str, int]]) -> None:
    lines = "".join(f"ab_drop('{name}', {column})\n" for name, column in calls)
    try:
        level = build(lines, EDITION)
    except BrokenProgram:
        return
    assert len(level.blocks) == len(calls) <= BLOCK_LIMIT
    assert read_xml(to_xml(level).encode(), "level.xml") == level.blocks


GOOD = to_xml(build(program("b11 3, b31 3"), EDITION))
MANY = "<Level><GameObjects>" + '<Block type="SquareTiny" />' * 10_000 + "</GameObjects></Level>"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        *(("", "XML"), ("\x89PNG\r\n", "XML"), ("<Level>", "XML"), ("<a/>", "GameObjects")),
        *((MANY, "10,000 blocks"), ("<Level/>", "GameObjects")),
        (GOOD.replace("SquareTiny", "Circle"), "'Circle'"),
        (GOOD.replace("wood", "ice"), "'ice'"),
        (GOOD.replace("<Block ", "<TNT ", 1), "'TNT'"),
        (GOOD.replace('rotation="0"', 'rotation="nan"', 1), "block 1"),
        (GOOD.replace("2.36015", "1e9"), "'1e9'"),
        (GOOD.replace("2.36015", "99999"), "'99999'"),
        (GOOD.replace("<Level ", "<!DOCTYPE x [<!ENTITY a 'b'>]>\n<Level ", 1), "document type"),
        ("<a>" * 100_000, "XML"),
    ],
)
def test_files_that_arent_levels_are_refused(text: str, named: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_xml(text.encode("latin-1"), "L_1.xml")
    assert str(caught.value).startswith("L_1.xml")
    assert re.search(re.escape(named), str(caught.value))
    assert str(caught.value).isprintable()


def test_files_of_editors_are_read() -> None:
    blocks = read_xml(GOOD.encode(), "level.xml")
    assert read_xml(GOOD.encode("utf-16"), "level.xml") == blocks
    assert read_xml(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode(), "level.xml") == blocks
    commented = GOOD.replace("  <Birds>", "  <!-- birds -->\n  <Birds>")
    assert read_xml(commented.encode(), "level.xml") == blocks
