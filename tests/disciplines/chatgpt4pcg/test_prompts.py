"""Tests words, characters and placeholder, against the official program."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disciplines.chatgpt4pcg.editions import EDITIONS
from disciplines.chatgpt4pcg.prompts import count_words, disallowed_characters, fill, qualify
from tests.disciplines.chatgpt4pcg.official import DATA, needs_data

#: Of chatgpt4pcg.md: the words of the public prompts of 2023.
WORDS = {
    "AdrienTeam": 778,
    "Back to the future": 722,
    "BirdBirdBird": 915,
    "BirdsTeam": 905,
    "For500": 871,
    "Harry Single Group": 518,
    "Hope": 61,
    "JUSTIN": 522,
    "Prompt_Wranglers": 835,
    "Saltyfish1884": 624,
    "Soda": 795,
    "Team Staciiaz": 555,
    "The Organizer": 553,
    "albatross": 808,
    "dereventsolve": 647,
    "hachi": 648,
    "pixelArt": 354,
    "zeilde": 168,
}
#: The disqualified prompts, and a part of the reason.
DISQUALIFIED = {"BirdBirdBird": "915 words", "BirdsTeam": "905 words", "pixelArt": "U+00B0"}


@needs_data
def test_the_official_words_and_characters() -> None:
    cases = json.loads((DATA / "text.json").read_text("utf-8"))["words"]
    for case in cases:
        assert count_words(case["text"]) == case["count"], case
        assert bool(disallowed_characters(case["text"])) == case["disallowed"], case
    assert len(cases) == 80


@needs_data
def test_the_prompts_of_2023() -> None:
    files = list((DATA / "2023" / "prompts").iterdir())
    found = {file.stem: qualify(file.read_bytes().decode(), EDITIONS["2023"]) for file in files}
    assert {name: each.words for name, each in found.items()} == WORDS
    out = {name: each.reason for name, each in found.items() if each.status == "disqualified"}
    assert set(out) == set(DISQUALIFIED)
    for name, words in DISQUALIFIED.items():
        assert words in out[name]
    assert all(not each.reason for each in found.values() if each.status == "qualified")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *(("", 0), (" \n\ufeff\u00a0", 0), ("b31", 2), ("ab_drop(x,y)", 2), ("Let's", 1)),
        *(("20x16", 3), ("=", 1), ("a - b", 3), ("<OBJECT>\u2014the", 1), ("foo\nbar", 2)),
        *(("\u4f60\u597d", 2), ("naïve", 1), ("\uff21\uff22", 0), ("=\n= =\n=", 3)),
    ],
)
def test_words(text: str, words: int) -> None:
    assert count_words(text) == words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        *(("", ""), ("{~}|` \u2018\u2019\u201c\u201d\u2014\t\r\n", ""), ("90°, 45°", "°")),
        *(("\ufeffa\u00a0", ""), ("é\ufeffü", "é\ufeffü"), ("\u0663", "\u0663"), ("\x00", "\x00")),
    ],
)
def test_characters(text: str, found: str) -> None:
    assert disallowed_characters(text) == found


def test_the_first_fault_is_the_reason() -> None:
    edition = EDITIONS["2023"]
    assert "901 words" in qualify("° " + "word " * 900, edition).reason
    assert "°" in qualify("90° ", edition).reason
    assert "<OBJECT>" in qualify("draw an <object>", edition).reason
    assert qualify("draw <OBJECT> " + "word " * 898, edition) == ("qualified", "", 900)


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("from chatgpt4pcg.competition import run_evaluation", "qualified"),
        ("\ufeffimport os, chatgpt4pcg.models", "qualified"),
        ("def f():\n    import chatgpt4pcg as c", "qualified"),
        ("import llms4pcg", "disqualified"),
        ("from . import chatgpt4pcg", "disqualified"),
        ("# import chatgpt4pcg", "disqualified"),
        ("draw an <OBJECT> of blocks", "disqualified"),
        ("x = '\0'", "disqualified"),
        ("(" * 10_000, "disqualified"),
    ],
)
def test_an_entry_of_2024_is_a_program_that_uses_the_package(program: str, status: str) -> None:
    found = qualify(program, EDITIONS["2024"])
    assert found.status == status
    assert bool(found.reason) == (status == "disqualified")


def test_the_letter_comes_in_double_quotes() -> None:
    assert fill("<OBJECT>, <object>, <OBJECT>", "A") == '"A", <object>, "A"'


@given(st.text())
def test_any_text_is_qualified_or_has_a_reason(text: str) -> None:
    for edition in EDITIONS.values():
        found = qualify(text, edition)
        assert (found.status == "qualified") == (found.reason == "")
        assert found.reason.isprintable()
        assert 0 <= found.words <= len(text)
