"""Tests results in words."""

from fractions import Fraction

import pytest

from scheduler import (
    Roster,
    Standing,
    Tally,
    explain_places,
    explain_prizes,
    explain_silver,
)
from scheduler.tallying import SilverMedal

ROSTER = Roster(("J1",), ("E1", "E2", "E3", "E4"), ("C1",))


def result(*entries: tuple[str, int, str | None, int, bool], silver: str = "") -> Tally:
    return Tally(
        ROSTER,
        {},
        tuple(
            Standing(entry, score, None if mean is None else Fraction(mean), place, tied)
            for entry, score, mean, place, tied in entries
        ),
        tuple(SilverMedal(entry, ("J1", "J3"), ("C2", "C4")) for entry in silver.split()),
        (),
    )


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        (
            [("E1", 3, "1.5", 1, False), ("E2", 2, "2.25", 2, False), ("E3", 2, "2.75", 3, False)],
            [
                "E1 has 3; E1 is first.",
                "E2 and E3 have 2 each; mean ranks 2.25 and 2.75; E2 is second, E3 is third.",
            ],
        ),
        (
            [("E1", 0, "3.25", 1, True), ("E2", 0, "3.25", 1, True)],
            [
                "E1 and E2 have 0 each; the mean rank of each is 3.25; E1 and E2 stay tied and "
                "share the first place."
            ],
        ),
        (
            [("E1", 1, "7/3", 1, False), ("E2", 1, "4", 2, True), ("E3", 1, "4", 2, True)],
            [
                "E1, E2 and E3 have 1 each; mean ranks 2.33 (7/3), 4 and 4; E1 is first, E2 and "
                "E3 stay tied and share the second place."
            ],
        ),
        (
            [("E1", 1, None, 1, True), ("E2", 1, None, 1, True)],
            [
                "E1 and E2 have 1 each; no ballot ranks them; E1 and E2 stay tied and share the "
                "first place."
            ],
        ),
        (
            [("E1", 1, "1", 1, True), ("E2", 1, None, 1, True)],
            [
                "E1 and E2 have 1 each; no ballot ranks E2, so the rankings can't decide it; E1 "
                "and E2 stay tied and share the first place."
            ],
        ),
    ],
)
def test_each_place_is_explained(
    entries: list[tuple[str, int, str | None, int, bool]], says: list[str]
) -> None:
    assert explain_places(result(*entries)) == says


def test_the_silver_medal_is_explained_with_evidence_and_consequence() -> None:
    won = explain_silver(result(("E1", 2, None, 1, False), silver="E1"))
    assert won == [
        "Silver medal: E1 was taken for the human by J1 and J3, who compared it with C2 and C4.",
        "The contest continues with the audio-visual gold medal (US$ 100,000).",
    ]
    assert "The rules do not say how several" in explain_silver(result(silver="E1 E2"))[2]
    assert explain_silver(result())[0].startswith("Silver medal: not won; no entry was taken")


def test_prizes_are_explained() -> None:
    entries = [
        ("E1", 2, None, 1, False),
        ("E2", 0, "1", 2, True),
        ("E3", 0, "1", 2, True),
        ("E4", 0, "4", 4, False),
    ]
    assert explain_prizes(result(*entries, silver="E1")) == [
        "E1: US$ 3,000, the bronze medal and the silver medal and US$ 25,000",
        "E2: US$ 875 (its share of the prizes of the tied places)",
        "E3: US$ 875 (its share of the prizes of the tied places)",
        "E4: US$ 250",
    ]
    third = [(f"E{i}", 0, "1", 1, True) for i in (1, 2, 3)]
    assert explain_prizes(result(*third))[0] == (
        "E1: US$ 1,583.33 (its share of the prizes of the tied places) "
        "and the bronze medal (shared)"
    )
    fifth = [("E1", 1, None, 5, False)]
    assert explain_prizes(result(*fifth)) == ["E1: no prize"]
