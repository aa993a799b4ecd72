"""Tests the tally: real contests, cases from the rules, warnings, refusals, and general
properties."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

import pytest

from scheduler import (
    BadInput,
    Ballot,
    Choice,
    Pairing,
    Schedule,
    Tally,
    Verdict,
    schedule_2010,
    tally,
)
from scheduler.verdicts import Rank

ENTRIES = ("E1", "E2", "E3", "E4")
JUDGES = ("J1", "J2", "J3", "J4")


def verdicts_for(
    favour: Mapping[str, int] | Iterable[str], schedule: Schedule | None = None
) -> list[Verdict]:
    """Verdicts that took entries for the human: a number for each entry, or pairings such as
    J1E1C1."""
    schedule = schedule or schedule_2010()
    left = dict(favour) if isinstance(favour, Mapping) else {}
    labels = set() if isinstance(favour, Mapping) else set(favour)
    verdicts = []
    for pairing in schedule.pairings:
        chosen = pairing.label in labels
        if left.get(pairing.entry, 0):
            left[pairing.entry] -= 1
            chosen = True
        verdicts.append(Verdict(pairing, Choice.ENTRY if chosen else Choice.CONFEDERATE))
    return verdicts


def ballots_of(*ranks: tuple[float, ...], names: tuple[str, ...] = ENTRIES) -> list[Ballot]:
    """Ballots of J1, J2 and so on, each with the ranks of the names."""
    return [
        Ballot.of(f"J{i}", dict(zip(names, given, strict=True))) for i, given in enumerate(ranks, 1)
    ]


def places(result: Tally) -> dict[str, tuple[int, bool]]:
    return {standing.entry: (standing.place, standing.tied) for standing in result.entries}


def means(result: Tally) -> dict[str, Fraction | None]:
    return {standing.entry: standing.mean_rank for standing in result.entries}


def test_the_json_document_follows_the_contract() -> None:
    verdicts = verdicts_for(["J1E1C1", "J3E1C4", "J2E4C1"])
    names = (*ENTRIES, "C1", "C2", "C3", "C4")
    ballots = ballots_of((5, 6, 7, 8, 1, 2, 3, 4), (8, 6, 7, 5, 1, 2, 3, 4), names=names)
    document = tally(verdicts, ballots, schedule_2010()).as_json()
    assert document == {
        "table": {
            "J1": {"E1": 1, "E2": 0, "E3": 0, "E4": 0},
            "J2": {"E1": 0, "E2": 0, "E3": 0, "E4": 1},
            "J3": {"E1": 1, "E2": 0, "E3": 0, "E4": 0},
            "J4": {"E1": 0, "E2": 0, "E3": 0, "E4": 0},
        },
        "entries": [
            {"entry": "E1", "score": 2, "mean_rank": 6.5, "place": 1, "tied": False},
            {"entry": "E4", "score": 1, "mean_rank": 6.5, "place": 2, "tied": False},
            {"entry": "E2", "score": 0, "mean_rank": 6.0, "place": 3, "tied": False},
            {"entry": "E3", "score": 0, "mean_rank": 7.0, "place": 4, "tied": False},
        ],
        "winners": ["E1"],
        "silver": [{"entry": "E1", "judges": ["J1", "J3"], "confederates": ["C1", "C4"]}],
        "warnings": ["There is no ballot from J3 and J4"],
    }


@pytest.mark.parametrize("left_out", [True, False])
def test_a_pairing_without_verdict_counts_0_with_a_warning(left_out: bool) -> None:
    verdicts = verdicts_for({"E1": 4})
    rest = verdicts[1:] if left_out else [Verdict(verdicts[0].pairing, None), *verdicts[1:]]
    result = tally(rest, (), schedule_2010())
    assert result.table["J1"]["E1"] is None
    assert result.entries[0].score == 3
    assert "J1E1C1" in result.warnings[0]
    assert result.open == (verdicts[0].pairing,)


@pytest.mark.parametrize(
    ("favour", "evidence"),
    [
        ([], None),
        (["J1E1C1"], None),
        (["J1E1C1", "J3E1C4"], (("J1", "J3"), ("C1", "C4"))),
        (["J1E1C1", "J2E1C3", "J4E1C2"], (("J1", "J2", "J4"), ("C1", "C2", "C3"))),
    ],
)
def test_the_silver_medal_needs_two_judges_and_two_humans(
    favour: list[str], evidence: tuple[tuple[str, ...], tuple[str, ...]] | None
) -> None:
    silver = tally(verdicts_for(favour)).silver
    assert [(medal.judges, medal.confederates) for medal in silver] == ([evidence] * bool(evidence))


FULL = {name: i for i, name in enumerate((*ENTRIES, "C1", "C2", "C3", "C4"), 1)}


@pytest.mark.parametrize(
    ("changed", "warning"),
    [
        ({}, None),
        ({"E1": 1.5, "E2": 1.5}, None),
        ({"E2": 1}, "The ballot of J1 adds up to 35 instead of 36 for its 8 participants"),
        ({"E2": 2.5}, "The ballot of J1 adds up to 36.5 instead of 36 for its 8 participants"),
        ({"E4": None}, "The ballot of J1 lacks E4"),
        ({"C1": None, "C4": None}, "The ballot of J1 lacks C1 and C4"),
    ],
)
def test_an_odd_ballot_counts_as_given_with_a_warning(
    changed: dict[str, float | None], warning: str | None
) -> None:
    ranks = {name: rank for name, rank in {**FULL, **changed}.items() if rank is not None}
    ballots = [Ballot.of("J1", ranks), *(Ballot.of(judge, FULL) for judge in JUDGES[1:])]
    result = tally(verdicts_for({}), ballots)
    assert (warning is None and not result.warnings) or warning in result.warnings
    e2 = [Fraction(2)] * 3 + [Fraction(ranks["E2"])]
    assert means(result)["E2"] == sum(e2) / 4


@pytest.mark.parametrize(
    ("verdict", "says"),
    [
        (
            Pairing(1, "J1", "E1", "C2"),
            "J1E1C2 is not in the schedule, which has J1E1C1 there",
        ),
        (Pairing(9, "J1", "E2", "C3"), "round 9, J1E2C3 is not in the schedule"),
    ],
)
def test_a_verdict_that_is_not_in_the_schedule_is_refused(verdict: Pairing, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        tally([Verdict(verdict, Choice.ENTRY, "v.csv, line 7")], (), schedule_2010())
    assert str(caught.value).startswith("v.csv, line 7: round ")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("judge", "ranks", "says"),
    [
        ("J9", [("E1", 1)], "judge 'J9' is in no pairing; known: J1, J2, J3 and J4"),
        ("E1", [("E1", 1)], "judge 'E1' is in no pairing"),
        ("J1", [("e1", 1)], "participant 'e1' is in no pairing; did you mean E1?"),
        ("J1", [("J2", 1)], "participant 'J2' is in no pairing"),
        ("J1", [("E1", 1), ("E1", 1)], "E1 is on the ballot of J1 twice"),
        ("J1", [("E1", 0)], "the rank 0 of E1 is out of range; ranks go from 1 to 8"),
        ("J1", [("E1", 0.5)], "the rank 0.5 of E1 is out of range"),
        ("J1", [("E1", -1)], "the rank -1 of E1 is out of range"),
        ("J1", [("E1", 9)], "the rank 9 of E1 is out of range"),
        ("J1", [("E1", 8.5)], "the rank 8.5 of E1 is out of range"),
    ],
)
def test_impossible_ballots_are_refused(
    judge: str, ranks: list[tuple[str, float]], says: str
) -> None:
    ballot = Ballot(judge, tuple(Rank(n, Fraction(v), "r.csv, line 2") for n, v in ranks))
    with pytest.raises(BadInput) as caught:
        tally(verdicts_for({}), [ballot])
    assert str(caught.value).startswith("r.csv, line 2: ")
    assert says in str(caught.value)
    assert caught.value.exit_code == 2


def test_two_verdicts_for_one_pairing_are_refused_even_if_they_agree() -> None:
    pairing = Pairing(1, "J1", "E1", "C1")
    twice = [Verdict(pairing, Choice.ENTRY, f"v.csv, line {n}") for n in (2, 5)]
    with pytest.raises(BadInput) as caught:
        tally(twice)
    assert str(caught.value) == (
        "v.csv, line 5: a second verdict for round 1, J1E1C1 (the first: v.csv, line 2); "
        "keep only one"
    )


def test_two_ballots_by_one_judge_are_refused() -> None:
    with pytest.raises(BadInput, match="a second ballot of J1; keep only one"):
        tally(verdicts_for({}), [Ballot.of("J1", {"E1": 1}), Ballot.of("J1", {"E2": 1})])
