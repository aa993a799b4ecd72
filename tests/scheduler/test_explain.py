"""Results in words."""

from fractions import Fraction

import pytest

from scheduler import (
    Pairing,
    Roster,
    Schedule,
    Silver,
    Standing,
    Tally,
    bundled,
    check,
    explain_made,
    explain_places,
    explain_prizes,
    explain_report,
    explain_silver,
    make,
)
from scheduler.numbers import number, ordinal

ROSTER = Roster(("J1",), ("E1", "E2", "E3", "E4"), ("C1",))


def result(*entries: tuple[str, int, str | None, int, bool], silver: str = "") -> Tally:
    return Tally(
        ROSTER,
        {},
        tuple(
            Standing(entry, score, None if mean is None else Fraction(mean), place, tied)
            for entry, score, mean, place, tied in entries
        ),
        tuple(Silver(entry, ("J1", "J3"), ("C2", "C4")) for entry in silver.split()),
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
                "E1 and E2 have 1 each; no ballot ranks E2, so the rankings can't settle it; E1 "
                "and E2 stay tied and share the first place."
            ],
        ),
    ],
)
def test_each_place_is_explained(
    entries: list[tuple[str, int, str | None, int, bool]], says: list[str]
) -> None:
    assert explain_places(result(*entries)) == says


def test_the_silver_medal_is_explained_with_its_evidence_and_what_follows() -> None:
    won = explain_silver(result(("E1", 2, None, 1, False), silver="E1"))
    assert won == [
        "Silver medal: E1 was taken for the human by J1 and J3, who compared it with C2 and C4.",
        "The contest goes on to the audio-visual gold medal (US$ 100,000).",
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
        "E2: US$ 875 (its share of the prizes of the places tied)",
        "E3: US$ 875 (its share of the prizes of the places tied)",
        "E4: US$ 250",
    ]
    third = [(f"E{i}", 0, "1", 1, True) for i in (1, 2, 3)]
    assert explain_prizes(result(*third))[0] == (
        "E1: US$ 1,583.33 (its share of the prizes of the places tied) "
        "and the bronze medal (shared)"
    )
    fifth = [("E1", 1, None, 5, False)]
    assert explain_prizes(result(*fifth)) == ["E1: no prize"]


def test_a_report_names_each_pair() -> None:
    assert explain_report(check(bundled("2010-published-list"))) == [
        "4 judges, 4 entries, 4 confederates",
        "judge with entry: 12 of 16; repeated: J1E1, J2E4, J3E3, J4E2; "
        "missing: J1E4, J2E1, J3E2, J4E3",
        "judge with confederate: 16 of 16; none repeated; none missing",
        "entry with confederate: 16 of 16; none repeated; none missing",
        "nobody is in two places at once",
    ]
    assert "has no transversal" in explain_report(check(bundled("2010-published-matrix")))[-1]


def test_a_report_on_one_of_each_with_names_of_any_kind() -> None:
    schedule = Schedule.of([Pairing(1, "Ann", "Eliza", "Bob")], confederates=["Cy"])
    said = explain_report(check(schedule))
    assert said[0] == "1 judge, 1 entry, 2 confederates"
    assert said[2] == "judge with confederate: 1 of 2; none repeated; missing: Ann with Cy"


def test_a_made_schedule_is_explained() -> None:
    assert explain_made(make(3, 3, 3))[-1] == "everybody plays in each round"
    assert explain_made(make(3, 3, 3, 2))[-1] == (
        "optimal: what is missing has no room in 2 rounds, and nothing is repeated"
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (2, "2"),
        (0, "0"),
        (-1, "-1"),
        ("2.25", "2.25"),
        ("-0.5", "-0.5"),
        ("9.5", "9.5"),
        ("1/16", "0.0625"),
        ("7/3", "2.33 (7/3)"),
        ("1/32", "0.03 (1/32)"),
    ],
)
def test_numbers_are_said_exactly(value: int | str, said: str) -> None:
    assert number(Fraction(value)) == said


def test_places_have_names() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 8, 9, 11, 12, 13, 21, 22, 23, 100, 111)] == [
        *("first", "second", "third", "eighth", "9th", "11th", "12th", "13th", "21st", "22nd"),
        *("23rd", "100th", "111th"),
    ]
