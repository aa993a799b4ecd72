"""Tests the pictures of README and docs: each exists, has a description, and is small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
#: The most bytes that all pictures together may have.
LIMIT = 1_000_000

_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
SHOWN = [
    (page, words, target)
    for page in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    for words, target in _PICTURE.findall(page.read_text(encoding="utf-8"))
]


def test_there_are_some() -> None:
    assert {page.name for page, _, _ in SHOWN} >= {"README.md", "judge.md", "join.md", "replay.md"}


@pytest.mark.parametrize(("page", "words", "target"), SHOWN, ids=lambda part: Path(part).name)
def test_each_exists_and_has_a_description(page: Path, words: str, target: str) -> None:
    assert (page.parent / target).resolve().parent == PICTURES
    assert (page.parent / target).is_file()
    assert len(words.split()) >= 8, "describe the picture for readers who can't see it"


def test_they_are_small() -> None:
    assert sum(file.stat().st_size for file in PICTURES.glob("*.png")) < LIMIT
