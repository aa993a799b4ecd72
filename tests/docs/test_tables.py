"""Tests the parts of pages that are generated from tables in the code."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import click
import pytest

from benchmarks.__main__ import BENCHMARKS
from bots.registry import BOTS
from contest.net.limits import Limits
from contest.organizer.orders import ORDERS, order_of
from contest.preflight.checks import CHECKS
from contest.record import bodies, season
from contest.rehearse.play import FAULTS
from contest.results.exports import tables
from contest.results.text import prose
from contest.screening.paper import RULES
from contest.scripted.people import FEATURES
from loebner.cli import cli
from lpp.conformance.cases import CASES
from scripts.tables import CODEBOOK, IN_SOURCE, PARTS, write

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The generated parts by name."""
    out = tmp_path_factory.mktemp("tables")
    write(out, (*PARTS, *IN_SOURCE))
    return {path.name: path.read_text("utf-8") for path in out.iterdir()}


def test_each_part_is_included_once(parts: dict[str, str]) -> None:
    pages = "".join(path.read_text("utf-8") for path in DOCS.rglob("*.md"))
    included = re.findall(
        r"^```\{include\} (?:\.\./\.\./build/tables|codebook)/(.*)$", pages, re.MULTILINE
    )
    assert sorted(included) == sorted(parts)


def test_the_codebook_in_the_source_is_up_to_date(parts: dict[str, str]) -> None:
    for path in CODEBOOK.iterdir():
        assert path.read_text("utf-8") == parts[path.name], "run python -m scripts.tables"


def test_cases_and_columns(parts: dict[str, str]) -> None:
    for case in CASES:
        assert f"### `{case.id}` {case.level.value}\n\n> {case.rule}\n" in parts["conformance.md"]
    for name, table in tables().items():
        assert f"### `{name}.csv`" in parts["columns.md"]
        for column, kind, meaning in table["columns"]:
            assert f"| `{column}` | {kind} | {meaning} |" in parts["columns.md"]


def test_the_first_column_has_the_names_of_the_code(parts: dict[str, str]) -> None:
    def first(part: str) -> list[str]:
        return re.findall(r"^\| `([a-z-]+)` \|", parts[part], re.MULTILINE)

    assert first("checks.md") == [check.id for check in CHECKS]
    numbers = [part.get("numbers", {}) for part in prose().values() if not isinstance(part, str)]
    assert set().union(*numbers) <= set(first("statistics.md"))
    assert first("benches.md") == list(BENCHMARKS)
    assert first("faults.md") == list(FAULTS)
    assert first("bundled_bots.md") == list(BOTS)
    assert first("question_rules.md") == list(RULES)
    assert first("weights.md") == list(FEATURES)
    assert first("limits.md") == [field.name for field in dataclasses.fields(Limits)]


def test_commands(parts: dict[str, str]) -> None:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        section = parts["commands.md"].partition(f"## `loebner {name}`\n")[2].partition("\n## ")[0]
        flags = {flag for each in command.params for flag in each.opts if flag.startswith("--")}
        assert all(flag in section for flag in flags), name


def test_kinds_and_orders(parts: dict[str, str]) -> None:
    kinds = parts["kinds.md"] + parts["season_kinds.md"]
    assert re.findall(r"^\| `([a-z-]+)` \|", parts["kinds.md"], re.MULTILINE)
    for kind, body in (bodies.KINDS | season.KINDS).items():
        row = re.search(rf"^\| `{kind}` \| .+ \| .*\|$", kinds, re.MULTILINE)
        assert row, kind
        assert all(f"`{name}`" in row[0] for name in set(body.__struct_fields__) - {"salt"})
    documents = re.findall(r"^\| `(\{.*\})` \|", parts["orders.md"], re.MULTILINE)
    assert [order_of(json.loads(each)).order for each in documents] == list(ORDERS.values())
