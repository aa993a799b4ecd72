"""Places, the cut and ties at it, published totals, and tables from elsewhere."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import BadOrder
from contest.screening.ranking import Ranking, Result, Scored, rank, read_table
from contest.screening.state import Decision


def totals(*numbers: int, **published: int) -> list[Scored]:
    return [
        Scored(
            f"E{nth}",
            {"q1": Fraction(total)},
            Fraction(published[f"E{nth}"]) if f"E{nth}" in published else None,
        )
        for nth, total in enumerate(numbers, 1)
    ]


def places(found: Ranking) -> dict[str, int]:
    return {row.entry: row.place for row in found.rows}


def test_places_are_shared_as_1_2_2_4() -> None:
    found = rank(totals(5, 7, 7, 9, 1, 0), 4)
    assert places(found) == {"E4": 1, "E2": 2, "E3": 2, "E1": 4, "E5": 5, "E6": 6}
    assert found.finalists == ("E4", "E2", "E3", "E1")
    assert found.cut is None
    assert not found.is_open


def test_a_tie_at_the_cut_is_shown_and_not_settled() -> None:
    found = rank(totals(9, 8, 7, 5, 5, 5, 1), 4)
    assert found.finalists == ("E1", "E2", "E3")
    assert found.cut is not None
    assert (found.cut.tied, found.cut.room) == (("E4", "E5", "E6"), 1)
    assert [row.finalist for row in found.rows] == [True, True, True, None, None, None, False]
    assert found.is_open
    assert "Tied at the cut: E4, E5 and E6" in found.words[-1]


def test_the_order_in_which_they_are_given_settles_nothing() -> None:
    entries = totals(9, 8, 7, 5, 5, 5, 1)
    assert rank(entries, 4) == rank(entries[::-1], 4)


def test_the_stated_rule_settles_as_far_as_it_goes() -> None:
    def marks(entry: str, *given: int) -> Scored:
        return Scored(entry, {f"q{nth}": Fraction(mark) for nth, mark in enumerate(given)})

    entries = [
        marks("E1", 2, 2, 2),
        marks("E2", 2, 0, 0),
        marks("E3", 1, 1, 0),
        marks("E4", 0, 2, 0),
    ]
    found = rank(entries, 2, tie_rule="full-marks")
    # E2 and E4 have a full mark, E3 has none: two are left for one place.
    assert found.cut is not None
    assert (found.cut.tied, found.cut.room, found.cut.settled_by) == (("E2", "E4"), 1, "")
    assert {row.entry: row.finalist for row in found.rows} == {
        "E1": True,
        "E2": None,
        "E3": False,
        "E4": None,
    }
    assert rank(entries, 2, tie_rule="most-items").finalists == ("E1", "E3")
    found = rank(entries, 3, tie_rule="full-marks")
    assert found.finalists == ("E1", "E2", "E4")
    assert "more answers with the highest mark" in found.words[-1]


def test_a_decision_settles_it_and_has_to_fit() -> None:
    entries = totals(9, 8, 7, 5, 5)
    found = rank(entries, 4, decided=Decision(["E5"], "Ada", "drawn by lot"))
    assert found.finalists == ("E1", "E2", "E3", "E5")
    assert "drawn by lot" in found.words[-1]
    for wrong in (["E1"], ["E4", "E5"], [], ["E4", "E4"]):
        with pytest.raises(BadOrder, match="tied at the cut are E4 and E5"):
            rank(entries, 4, decided=Decision(wrong, "Ada", "so"))
    with pytest.raises(BadOrder, match="nothing to decide"):
        rank(totals(4, 3, 2, 1), 4, decided=Decision(["E1"], "Ada", "so"))


def test_no_mark_at_all_opens_the_general_quality() -> None:
    found = rank(totals(0, 0, 0, 0, 0), 4)
    assert not found.answered
    assert "general quality of responses" in found.words[0]
    assert found.finalists == ()


def test_fewer_entries_than_finalists_all_go_on() -> None:
    assert rank(totals(1, 1), 4).finalists == ("E1", "E2")


@given(st.lists(st.integers(0, 6), min_size=1, max_size=20), st.integers(1, 6))
def test_the_cut_holds_for_any_totals(numbers: list[int], finalists: int) -> None:
    found = rank(totals(*numbers), finalists)
    for row in found.rows:
        assert row.place == 1 + sum(other.scored.total > row.scored.total for other in found.rows)
        assert len(row.tied) == numbers.count(int(row.scored.total)) - 1
    room = found.cut.room if found.cut is not None else 0
    assert len(found.finalists) + room == min(finalists, len(numbers))
    if found.cut is not None:
        assert len(found.cut.tied) > room > 0


def test_a_wrong_published_total_is_named_with_both_places() -> None:
    found = rank(totals(9, 8, 7, 6, 5, E1=9, E2=8, E3=7, E4=6, E5=10), 4)
    (wrong,) = [row for row in found.rows if row.wrong]
    assert (wrong.entry, wrong.place, wrong.published_place) == ("E5", 5, 1)
    assert (
        "published total is 10, its items add up to 5: place 5 by the items, place 1"
        in found.words[0]
    )
    document = Result(found).as_json()
    assert document["wrong_totals"] == [
        {"entry": "E5", "published_total": 10, "total": 5, "place": 5, "published_place": 1}
    ]


def table(rows: int = 19, items: int = 20) -> str:
    lines = [",".join(("entity", "published_total", *(f"q{nth}" for nth in range(1, items + 1))))]
    for row in range(rows):
        marks = [(row * nth + nth) % 3 for nth in range(items)]
        published = sum(marks) + (2 if row == 4 else 0)
        lines.append(",".join(map(str, (f"Program {row}", published, *marks))))
    return "\n".join(lines) + "\n"


def test_nineteen_entities_by_twenty_questions() -> None:
    scored = read_table(table(), "t.csv")
    found = rank(scored, 4)
    assert len(found.rows) == 19
    assert len(found.items) == 20
    assert [row.entry for row in found.rows if row.wrong] == ["Program 4"]
    document = Result(found).as_json()
    assert [each["total"] for each in document["entries"]] == sorted(
        (each["total"] for each in document["entries"]), reverse=True
    )
    assert document["entries"][0]["items"]["q1"] == {"mark": 0}
    again = Result(found).as_csv().splitlines()
    assert again[0].startswith("place,entity,finalist,total,q1,")
    assert len(again) == 20


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1"),
        ("name,q1\nA,1\n", "line 1"),
        ("entity,q1\nA,x\n", "line 2, q1: 'x' is not a mark"),
        ("entity,q1\nA,-1\n", "line 2, q1"),
        ("entity,q1\nA,1\nA,2\n", "line 3: 'A' is there twice"),
        ("entity,q1,q1\nA,1,2\n", "line 1: the column 'q1'"),
        ("entity,q1\nA,1,2\n", "line 2: 3 cells"),
        ("entity,published_total\nA,1\n", "1 to 1000 items"),
        ("entity,q1\n", "no entity"),
        ("entity,published_total,q1\nA,many,1\n", "published_total: 'many'"),
    ],
)
def test_a_table_that_can_t_be_used_says_where(text: str, said: str) -> None:
    with pytest.raises(BadOrder) as caught:
        read_table(text, "t.csv")
    assert "t.csv" in str(caught.value)
    assert said in str(caught.value)


def test_marks_as_people_write_them() -> None:
    (scored,) = read_table('entity,published_total,q1,q2,q3\nA,,"0,5",1/2,1.0\n', "t.csv")
    assert scored.total == 2
    assert scored.published is None
