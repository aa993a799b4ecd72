"""Tests schedules in words."""

from scheduler import (
    bundled,
    check,
    explain_plan,
    explain_report,
    make,
)


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


def test_a_plan_is_explained() -> None:
    assert explain_plan(make(3, 3, 3))[-1] == "everybody plays in each round"
    said = explain_plan(make(3, 3, 3, 2))
    assert said[-2] == (
        "E1C2, E2C3, E3C1 never meet: the number of pairings possible in 2 rounds with 3 judges is "
        "6; at least 3 of 9 pairs can't meet"
    )
    assert said[-1].startswith("optimal: no schedule has fewer missing pairs")
