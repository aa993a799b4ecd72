"""Tests the data package: all columns of each table are described, and no table has
withheld data."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contest.record import bodies
from contest.record.bodies import Author
from contest.record.events import Event
from contest.record.reading import ListLog
from contest.results.exports import export, tables
from contest.results.rhythm import rhythm_of
from contest.results.statistics import ScienceMissing, interval
from tests.contest.build import Builder, brief, contest, exported, save, small

TYPES: dict[str, Callable[[str], object]] = {
    "string": str,
    "integer": int,
    "number": float,
    "datetime": dt.datetime.fromisoformat,
    "boolean": lambda text: {"1": True, "0": False}[text],
}


def made(b: Builder, form: str) -> dict[str, bytes]:
    return exported(b.log(), form)


@pytest.fixture(scope="module")
def package() -> dict[str, bytes]:
    """The files of the whole contest."""
    return made(contest(), "csv")


def descriptor(files: dict[str, bytes]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files["datapackage.json"])
    return found


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def test_exactly_the_tables_are_described(package: dict[str, bytes]) -> None:
    found = descriptor(package)
    assert re.fullmatch("[a-z0-9-]+", found["name"])
    paths = [each["path"] for each in found["resources"]]
    assert [*paths, "datapackage.json"] == list(package)
    assert set(paths) == {f"{name}.csv" for name in tables()} - {"withheld.csv"}


def test_columns_are_described_and_values_have_their_types(
    package: dict[str, bytes],
) -> None:
    for resource in descriptor(package)["resources"]:
        fields = resource["schema"]["fields"]
        head = package[resource["path"]].decode().splitlines()[0].split(",")
        assert [field["name"] for field in fields] == head
        assert all(len(field["description"]) > 5 for field in fields)
        held = rows(package[resource["path"]])
        assert held
        for row in held:
            for field in fields:
                if row[field["name"]]:
                    TYPES[field["type"]](row[field["name"]])


def test_rhythm_has_all_measurements() -> None:
    measured = rhythm_of([], "judge").keys()
    assert measured < {column for column, *_ in tables()["rhythm"]["columns"]}


def test_statistics_are_numbers_with_their_methods(package: dict[str, bytes]) -> None:
    held = rows(package["statistics.csv"])
    (wilson,) = (
        row
        for row in held
        if (row["statistic"], row["of"]) == ("entry-taken-for-human", "E4")
        and row["method"] == "Wilson"
    )
    assert (wilson["taken"], wilson["out_of"], wilson["value"]) == ("3", "4", "0.75")
    assert float(wilson["low"]) == pytest.approx(0.3006, abs=1e-4)
    assert {row["statistic"] for row in held} == {
        *("programs-taken-for-human", "entry-taken-for-human", "judge-recognized-human"),
        *("confederate-recognized", "guessing-total-as-low", "guessing-total-as-high"),
        *("guessing-score-as-high", "guessing-best-as-high", "alike-best-as-high"),
        *("strength-log-odds", "strength-chance", "agreement-verdicts", "agreement-rankings"),
        *("agreement-rankings-by-chance", "entries-differ"),
    }
    assert all(row["method"] for row in held)
    (own,) = (
        row for row in held if (row["statistic"], row["of"]) == ("guessing-score-as-high", "E4")
    )
    # Three or four heads of four coins.
    assert (own["taken"], own["out_of"], own["value"]) == ("3", "4", "0.3125")


def test_an_unfinished_contest_has_tables() -> None:
    files = made(small(close=False), "csv")
    assert [each["path"] for each in descriptor(files)["resources"]] == [
        name for name in files if name != "datapackage.json"
    ]


# Withheld data


def secret(text: str) -> list[Event]:
    """A contest in which the human of a talk types a text and withholds it."""

    def play(b: Builder, talks: dict[str, str]) -> None:
        judge: Author = "judge"
        b.type(talks["E1"], judge, "J1", "Hello?\n")
        b.type(talks["E1"], "entity", "E1", "Hi.\n")
        b.now_ns = 60 * 10**9
        b.type(talks["C1"], judge, "J1", text)
        b.type(talks["C1"], "entity", "C1", text)
        b.now_ns = 200 * 10**9

    b = small(play)
    b.write(bodies.ConsentGiven("C1", False, 1), actor="C1")
    return b.events


# Pictures are drawn from the numbers in `statistics.json` and the tally alone.
@pytest.mark.parametrize("form", ["csv", "json", "text", "html"])
def test_exports_contain_nothing_of_a_withheld_talk(form: str) -> None:
    # The same contest with another text in the talk that is left out: heads of chains differ,
    # and how many events there are, and nothing else.
    one, other = (exported(ListLog(secret(text)), form) for text in ("abc\b\b\n", "Zq, zq zq!\nZ"))
    assert list(one) == list(other)
    known = {"events.jsonl", "downloads/events.jsonl"}
    hashes = re.compile(rb"[0-9a-f]{64}|\b[0-9]+ events\b|\"(events|seq)\": [0-9]+")
    for name in set(one) - known:
        assert hashes.sub(b"", one[name]) == hashes.sub(b"", other[name]), name


def test_a_text_says_that_a_talk_is_withheld() -> None:
    text = exported(ListLog(secret("abc\n")), "text")["statistics.txt"].decode()
    assert "1 talk left out at the request of a participant." in text


# Without the extra, and for commands


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if numpy, scipy and matplotlib were not installed."""
    interval.cache_clear()
    for name in ("numpy", "scipy.stats", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("bare")
def test_without_the_extra_tables_are_left_out_and_it_says_so() -> None:
    files = made(brief(), "csv")
    assert "rhythm.csv" in files
    assert "statistics.csv" not in files
    said = descriptor(files)["description"]
    assert "statistics.csv and separations.csv are left out" in said
    assert "the extra 'science'" in said
    assert json.loads(made(brief(), "json")["statistics.json"])["numbers"] == []
    text = made(brief(), "text")["statistics.txt"].decode()
    assert "the extra 'science'" in " ".join(text.split())


@pytest.mark.usefixtures("bare")
def test_without_the_extra_pictures_are_refused_in_one_line(tmp_path: Path) -> None:
    folder = save(tmp_path / "c", brief())
    with pytest.raises(ScienceMissing) as refused:
        export(folder, "pictures", tmp_path / "out")
    assert refused.value.exit_code == 2
    assert "\n" not in str(refused.value)
    assert not list((tmp_path / "out").glob("*"))
