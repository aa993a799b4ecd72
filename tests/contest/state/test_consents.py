"""Tests pseudonyms: which are accepted, and which could be mistaken for another person or a
label."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.state.consents import LENGTH, BadPseudonym, check_pseudonym

NAMES = {"J1": "Harriet Smith", "J2": "", "C1": "Ben", "C2": "Lucía", "E1": "Tea Pot"}


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        ("", ""),
        ("  \t ", ""),
        ("Heron", "Heron"),
        ("  Grey   Heron ", "Grey Heron"),
        ("Lu\u0301c", "Lúc"),
        ("x" * LENGTH, "x" * LENGTH),
        ("Leftfield", "Leftfield"),
        ("Human Kind", "Human Kind"),
        ("Judgement", "Judgement"),
        ("Agent 99", "Agent 99"),
        ("鷺", "鷺"),
        ("Harriet Smith", "Harriet Smith"),  # a person's own name is available
    ],
)
def test_accepted_pseudonyms(wanted: str, kept: str) -> None:
    assert check_pseudonym(wanted, "J1", NAMES, {"C1": "Owl"}) == kept


@pytest.mark.parametrize(
    "wanted",
    [
        "x" * (LENGTH + 1),
        *("a\x00b", "a\u202eb", "a\u200bb", "\ud800", "...", "\u0301"),
        *("Ben", "BEN", " ben ", "Ｂｅｎ", "lucía", "LUCI\u0301A", "tea  pot"),
        *("J2", "c2", "E1", "owl", "OWL"),
        *("left", "Right", "the human", "Human 2", "a program", "Judge 1", "judge", "entry #3"),
        *("confederate", "Participant 4", "1 left", "2 Right", "P1", "E 12", "J-3", "organizer"),
        *("withheld", "left side", "the chat bot", "entity"),
    ],
)
def test_refused_pseudonyms(wanted: str) -> None:
    with pytest.raises(BadPseudonym) as refused:
        check_pseudonym(wanted, "J1", NAMES, {"C1": "Owl", "J1": ""})
    for secret in ("Ben", "Harriet", "Lucía", "C1"):
        assert secret not in str(refused.value), "the message doesn't say who has it"


def test_own_pseudonym_can_be_chosen_again() -> None:
    assert check_pseudonym("owl", "C1", NAMES, {"C1": "Owl"}) == "owl"


@given(st.text(max_size=60))
def test_accepted_pseudonym_is_short_printable_and_stable(wanted: str) -> None:
    try:
        kept = check_pseudonym(wanted, "J1", NAMES, {})
    except BadPseudonym:
        return
    assert len(kept) <= LENGTH
    assert kept.isprintable()
    assert kept == kept.strip()
    assert check_pseudonym(kept, "J1", NAMES, {}) == kept
