"""The vocabulary: its sources, the forms of its words, and that papers keep to it."""

from __future__ import annotations

import tomllib
from importlib import resources

import pytest

from contest.screening.answers import data
from contest.screening.questions import Counts, make
from contest.screening.vocabulary import (
    irregular,
    known,
    names,
    outside,
    words,
)


def listed(name: str) -> list[str]:
    text = resources.files("contest.screening").joinpath("data", name).read_text("utf-8")
    return [word for line in text.splitlines() if not line.startswith("#") for word in line.split()]


def own() -> dict[str, list[str]]:
    file = resources.files("contest.screening").joinpath("data", "own.toml")
    groups = tomllib.loads(file.read_text("utf-8"))["group"]
    return {group["why"]: group["words"].split() for group in groups}


def test_the_two_lists_are_whole() -> None:
    # Ogden's 850 words; Dolch's 220 service words and 95 nouns without Santa Claus.
    assert len(listed("ogden.txt")) == len(set(listed("ogden.txt"))) == 850
    assert len(listed("dolch.txt")) == len(set(listed("dolch.txt"))) == 220 + 94


def test_each_group_of_our_own_has_a_reason_and_adds_only_what_is_missing() -> None:
    lists = {word.lower() for word in [*listed("ogden.txt"), *listed("dolch.txt")]}
    held = lists | set(irregular())
    added = [word for group in own().values() for word in group]
    assert all(len(why.split()) > 3 for why in own())
    assert len(added) == len(set(added))
    assert [word for word in added if word in held] == []
    # It stays an addition to the lists, not the other way round.
    assert len(added) < len(lists) * 0.6


def test_irregular_forms_are_of_words_that_are_there() -> None:
    assert {base for base in irregular().values() if base not in words()} == set()


@pytest.mark.parametrize(
    "text",
    [
        "The dogs' noses are running, and the babies cried.",
        "Which is the biggest of the knives and leaves?",
        "Harry's boxes stopped us. He tries, he's trying, we've hopped.",
        "Don't go; it isn't far, and I can't see what she'll do. I\u2019m here.",
        "It is 9:30 AM on 23 October 2010.",
        "A, B and C",
    ],
)
def test_forms_belong_to_their_words(text: str) -> None:
    assert outside(text) == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What is a carburetor, and what a CARBURETOR?", ["carburetor", "CARBURETOR"]),
        ("Explain photosynthesis to Wolfgang", ["Explain", "photosynthesis", "Wolfgang"]),
        ("a naïve idea", ["naïve"]),
        ("harry", ["harry"]),
        ("", []),
        ("the the xyzzy xyzzy", ["xyzzy"]),
    ],
)
def test_each_word_outside_is_named_once(text: str, named: list[str]) -> None:
    assert outside(text) == named


def test_every_word_of_many_papers_lies_in_the_vocabulary() -> None:
    counts = Counts(time=6, things=6, relations=6, memory=6)
    found: set[str] = set()
    for seed in range(200):
        for line in make(seed, counts).lines():
            found.update(outside(line))
    assert found == set()


def test_all_that_fills_the_templates_lies_in_the_vocabulary() -> None:
    # What the papers may not have drawn.
    lines: list[str] = []
    for name in ("time", "things", "relations"):
        for family in data(name)["family"].values():
            lines += [row[0] for key in ("asked", "rows") for row in family.get(key, ())]
            table = family.get("table", {})
            lines += table if isinstance(table, dict) else data(name)[table]
    lines += [text for told, *asks in data("memory")["statements"] for text in (told, *dict(asks))]
    lines += data("memory")["between"]
    assert {word for line in lines for word in outside(line)} == set()
    assert known("hammer")
    assert "Harry" in names()
