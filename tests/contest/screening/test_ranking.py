"""Tests places, the cut and ties at it, published totals, and external tables."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import BadOrder
from contest.screening.ranking import Cut, Mark, Row, rank, read_table
from contest.screening.state import Decision
from scheduler.errors import BadInput


def row(entry: str, *marks: int, published: int | None = None) -> Row:
    items = {f"q{nth}": Mark(Fraction(mark)) for nth, mark in enumerate(marks)}
    return Row(entry, items, published_total=None if published is None else Fraction(published))


def totals(*numbers: int) -> list[Row]:
    return [row(f"E{nth}", total) for nth, total in enumerate(numbers, 1)]


@pytest.mark.parametrize(
    ("numbers", "finalists", "cut", "fates"),
    [
        # Places are shared as 1, 2, 2, 4.
        ((5, 7, 7, 9, 1, 0), "E4 E2 E3 E1", None, "yes yes yes yes no no"),
        # A tie at the cut is reported but not settled.
        (
            (9, 8, 7, 5, 5, 5, 1),
            *("E1 E2 E3", Cut(["E4", "E5", "E6"], 1), "yes yes yes tied tied tied no"),
        ),
        ((1, 1), "E1 E2", None, "yes yes"),
        ((0,) * 5, "", Cut(["E1", "E2", "E3", "E4", "E5"], 4), "tied tied tied tied tied"),
    ],
)
def test_the_highest_totals_go_through(
    numbers: tuple[int, ...], finalists: str, cut: Cut | None, fates: str
) -> None:
    found = rank(totals(*numbers), 4)
    assert (found.finalists, found.cut) == (finalists.split(), cut)
    assert [each.finalist for each in found.entries] == fates.split()
    assert found.open == (cut is not None)
    assert found.general_quality == (not any(numbers))
    # The order of the rows doesn't settle ties.
    assert rank(totals(*numbers)[::-1], 4) == found


def test_the_stated_rule_settles_a_tie_if_it_can() -> None:
    def entries() -> list[Row]:
        return [row("E1", 2, 2, 2), row("E2", 2, 0, 0), row("E3", 1, 1, 0), row("E4", 0, 2, 0)]

    # E2 and E4 have a full mark, E3 has none, so two remain for one place.
    found = rank(entries(), 2, tie_rule="full-marks")
    assert found.cut == Cut(["E2", "E4"], 1)
    fates = {each.entry: each.finalist for each in found.entries}
    assert fates == {"E1": "yes", "E2": "tied", "E3": "no", "E4": "tied"}
    assert rank(entries(), 2, tie_rule="most-items").finalists == ["E1", "E3"]
    found = rank(entries(), 3, tie_rule="full-marks")
    assert found.finalists == ["E1", "E2", "E4"]
    assert "more answers with the highest mark" in found.words[-1]
    with pytest.raises(BadOrder, match="there is no rule 'lot'"):
        rank(entries(), 2, tie_rule="lot")


def test_a_decision_settles_a_tie_if_it_fits() -> None:
    found = rank(totals(9, 8, 7, 5, 5), 4, decided=Decision(("E5",), "Ada", "drawn by lot"))
    assert found.finalists == ["E1", "E2", "E3", "E5"]
    assert "drawn by lot" in found.words[-1]
    for wrong in (["E1"], ["E4", "E5"], [], ["E4", "E4"]):
        with pytest.raises(BadOrder, match="tied at the cut are E4 and E5"):
            rank(totals(9, 8, 7, 5, 5), 4, decided=Decision(tuple(wrong), "Ada", "so"))
    with pytest.raises(BadOrder, match="no tie at the cut to decide"):
        rank(totals(4, 3, 2, 1), 4, decided=Decision(("E1",), "Ada", "so"))


@given(st.lists(st.integers(0, 6), min_size=1, max_size=20), st.integers(1, 6))
def test_properties_of_the_cut(numbers: list[int], finalists: int) -> None:
    found = rank(totals(*numbers), finalists)
    for each in found.entries:
        assert each.place == 1 + sum(other.total > each.total for other in found.entries)
        assert each.tied == (numbers.count(int(each.total)) > 1)
    room = found.cut.room if found.cut is not None else 0
    assert len(found.finalists) + room == min(finalists, len(numbers))
    if found.cut is not None:
        assert len(found.cut.tied) > room > 0


def table(rows: int = 19, items: int = 20) -> str:
    lines = [",".join(("entity", "published_total", *(f"q{nth}" for nth in range(1, items + 1))))]
    for nth in range(rows):
        marks = [(nth * item + item) % 3 for item in range(items)]
        published = sum(marks) + (50 if nth == 2 else 0)
        lines.append(",".join(map(str, (f"Program {nth}", published, *marks))))
    return "\n".join(lines) + "\n"


def test_nineteen_entities_by_twenty_questions() -> None:
    found = rank(read_table(table(), "t.csv"), 4)
    plain = found.as_json()
    assert (len(plain["entries"]), len(plain["items"])) == (19, 20)
    totals = [each["total"] for each in plain["entries"]]
    assert totals == sorted(totals, reverse=True)
    assert plain["entries"][0]["items"]["q1"] == {"mark": 0}
    # A wrong published total is reported with both places.
    (wrong,) = plain["wrong_totals"]
    assert (wrong["entry"], wrong["published_place"]) == ("Program 2", 1)
    assert wrong["published_total"] == wrong["total"] + 50
    assert wrong["place"] > 1
    assert f"{wrong['total']}; the place is {wrong['place']} by the items, 1 by" in found.words[0]
    again = found.as_csv().splitlines()
    assert again[0].startswith("place,entity,finalist,total,q1,")
    assert len(again) == 20
    assert "<strong>wrong</strong>, place 1 by" in found.as_html("2010")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("name,q1\nA,1\n", "line 1"),
        ("entity,q1\nA,x\n", "line 2, q1: 'x' is not a mark"),
        ("entity,q1\nA,-1\n", "line 2, q1"),
        ("entity,q1\nA,1\nA,2\n", "line 3: 'A' occurs twice"),
        ("entity,q1,q1\nA,1,2\n", "line 1: the column 'q1'"),
        ("entity,q1\nA,1,2\n", "line 2: 3 cells"),
        ("entity,published_total\nA,1\n", "1 to 1000 items"),
        ("entity,q1\n", "1 to 1000 entities"),
        ("entity,published_total,q1\nA,many,1\n", "published_total: 'many'"),
        ('entity,q1\n"A\n', "is not CSV"),
    ],
)
def test_a_faulty_table_is_refused_with_the_place(text: str, said: str) -> None:
    with pytest.raises((BadInput, BadOrder)) as caught:
        read_table(text, "t.csv")
    assert "t.csv" in str(caught.value)
    assert said in str(caught.value)


def test_marks_can_be_written_in_several_forms() -> None:
    (scored,) = read_table('entity,published_total,q1,q2,q3\nA,,"0,5",1/2,1.0\n', "t.csv")
    assert scored.total == 2
    assert scored.published_total is None
