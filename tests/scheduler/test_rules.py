"""Tests the rules of other years with the published tables of real contests, and unknown names.

The ballots of these contests were not published; those below give the same tables.
"""

from collections.abc import Mapping, Sequence

import pytest

from scheduler import (
    RULES_2010,
    BadInput,
    Ballot,
    Choice,
    Pairing,
    Rules,
    Schedule,
    Tally,
    Verdict,
    rules_of,
    schedule_2010,
    tally,
)

#: The rules from 2014 on, and those of 2017.
BY_RANK, BY_POINTS = rules_of(["mean-rank"], "half"), rules_of(["points"], "half")
FOUR = ("E1", "E2", "E3", "E4")
#: Brighton, 6 September 2009: three entries, three humans, four judges.
SCHEDULE_2009 = Schedule.of(
    Pairing(1 + (e + c) % 3, f"J{1 + (e * c) % 4}", f"E{e}", f"C{c}")
    for e in (1, 2, 3)
    for c in (1, 2, 3)
)


def nobody_fooled(
    ballots: Sequence[Mapping[str, float]], rules: Rules, schedule: Schedule | None = None
) -> Tally:
    schedule = schedule or schedule_2010()
    verdicts = [Verdict(pairing, Choice.CONFEDERATE) for pairing in schedule.pairings]
    judges = schedule.roster.judges
    given = [Ballot.of(judge, each) for judge, each in zip(judges, ballots, strict=False)]
    return tally(verdicts, given, schedule, rules)


def of_four(*ballots: tuple[int, ...]) -> list[dict[str, float]]:
    return [dict(zip(FOUR, ranks, strict=True)) for ranks in ballots]


def places(result: Tally) -> list[tuple[str, int, bool]]:
    return [(each.entry, each.place, each.tied) for each in result.entries]


# loebner.net, page of the contest of 2009: average ranks 4.5, 5 and 5.5, of programs among six
# participants; nobody was fooled, and "victory was determined by rankings".
@pytest.mark.parametrize("rules", [RULES_2010, BY_RANK])
def test_2009_mean_ranks_of_entries_among_six(rules: Rules) -> None:
    six = ("C1", "C2", "C3", "E1", "E2", "E3")
    orders = [(1, 2, 3, 4, 6, 5), (3, 1, 2, 5, 4, 6), (2, 3, 1, 4, 5, 6), (1, 3, 2, 5, 5, 5)]
    result = nobody_fooled(
        [dict(zip(six, ranks, strict=True)) for ranks in orders], rules, SCHEDULE_2009
    )
    assert [each.mean_rank for each in result.entries] == [4.5, 5, 5.5]
    assert places(result) == [("E1", 1, False), ("E2", 2, False), ("E3", 3, False)]


# aisb.org.uk, page of the contest of 2015: 1.5, 2.0, and two third places with 3.25.
@pytest.mark.parametrize("rules", [RULES_2010, BY_RANK])
def test_2015_mean_ranks_with_two_third_places(rules: Rules) -> None:
    result = nobody_fooled(of_four((1, 2, 3, 4), (1, 2, 4, 3), (1, 3, 2, 4), (3, 1, 4, 2)), rules)
    assert [each.mean_rank for each in result.entries] == [1.5, 2, 3.25, 3.25]
    assert places(result) == [
        *(("E1", 1, False), ("E2", 2, False), ("E3", 3, True), ("E4", 3, True))
    ]


# aisb.org.uk, page of the contest of 2017: 13, 12, 8 and 7 points; each judge "awarded the most
# human-like bot 4 points with the runners-up being awarded 3, 2, and 1".
def test_2017_points_by_the_order_of_the_entries() -> None:
    ballots = of_four((1, 2, 3, 4), (1, 3, 4, 2), (2, 1, 4, 3), (3, 2, 1, 4))
    result = nobody_fooled(ballots, BY_POINTS)
    assert [dict(each.values) for each in result.entries] == [
        {"points": 13},
        {"points": 12},
        {"points": 8},
        {"points": 7},
    ]
    assert places(result) == [(entry, i, False) for i, entry in enumerate(FOUR, 1)]


def test_an_excluded_ballot_has_no_effect() -> None:
    verdicts = [Verdict(pairing, Choice.CONFEDERATE) for pairing in schedule_2010().pairings]
    counted = Ballot.of("J1", {"E1": 1, "E2": 2, "E3": 3, "E4": 4})
    impossible = Ballot.of("J2", {"E4": -3, "E77": 900}, "filled in by somebody else")
    result = tally(verdicts, [impossible, counted], schedule_2010())
    assert places(result) == places(tally(verdicts, [counted], schedule_2010()))
    assert result.warnings[0] == ("The ballot of J2 does not count: filled in by somebody else")
    assert "There is no ballot from J3 and J4" in result.warnings
    assert [(each.judge, str(each.status)) for each in result.ballots] == [
        *(("J1", "counted"), ("J2", "excluded"))
    ]
    document = result.as_json()
    assert document["ballots"] == [
        {"judge": "J1", "status": "counted", "reason": "", "lacking": ["C1", "C2", "C3", "C4"]},
        {
            "judge": "J2",
            "status": "excluded",
            "reason": "filled in by somebody else",
            "lacking": ["E1", "E2", "E3", "C1", "C2", "C3", "C4"],
        },
    ]


@pytest.mark.parametrize(
    ("steps", "silver", "says"),
    [
        ([], "half", "no step decides the places"),
        (["point"], "half", "there is no step 'point' in a tally; did you mean points?"),
        (["points", "share", "points"], "half", "the step points appears twice"),
        (
            ["points"],
            "halves",
            "there is no rule 'halves' for the silver medal; did you mean half?",
        ),
    ],
)
def test_invalid_rules_are_refused(steps: list[str], silver: str, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        rules_of(steps, silver, "contest.toml")
    assert str(caught.value).startswith("contest.toml: ")
    assert says in str(caught.value)
