"""Tests ranks, ties, winners and intervals, which all disciplines share."""

from decimal import Decimal
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disciplines.standing import Entrant, Status, bootstrap, standing

NAMES = "abcdefgh"


@pytest.mark.parametrize(
    ("entrants", "scores", "ties", "must_beat", "ranks", "winners"),
    [
        ("a b c", "3 2 1", "", "", "1 2 3", "a"),
        ("a b c d", "3 2 2 1", "", "", "1 2 2 4", "a"),
        ("a b", "2 2", "", "", "1 1", "ab"),
        ("a b c", "2 2 1", "9 5 1", "", "2 1 3", "b"),
        ("a b", "2 2", "5 5", "", "1 1", "ab"),
        ("a! b c", "3 2 2", "", "", "1 2 2", "bc"),
        ("a- b", "3 2", "", "", "- 1", "b"),
        ("a b c-", "3 1 2", "", "c", "1 2 -", "a"),
        ("a b c-", "2 1 3", "", "c", "1 2 -", ""),
        ("a b c-", "2 1 2", "", "c", "1 2 -", ""),
        ("a b", "2 1", "", "nobody", "1 2", "a"),
        ("a", "0", "", "", "1", ""),
        ("", "", "", "", "", ""),
    ],
)
def test_places(
    entrants: str, scores: str, ties: str, must_beat: str, ranks: str, winners: str
) -> None:
    kinds = {"!": "ineligible", "-": "baseline"}
    everyone = [Entrant(word[0], kinds.get(word[1:], "ranked")) for word in entrants.split()]  # type: ignore[arg-type]
    names = [each.name for each in everyone]
    points = dict(zip(names, map(Decimal, scores.split()), strict=True))
    words = dict(zip(names, map(int, ties.split()), strict=True)) if ties else None
    found = {place.name: place for place in standing(everyone, points, words, must_beat)}
    assert [str(found[name].rank or "-") for name in names] == ranks.split()
    assert {name for name in names if found[name].wins} == set(winners)


def test_broken_and_unbroken_ties_are_distinguished() -> None:
    entrants = [Entrant(name) for name in "abcd"]
    scores = {"a": 2.0, "b": 2.0, "c": 1.0, "d": 1.0}
    found = standing(entrants, scores, {"a": 1, "b": 2, "c": 3, "d": 3})
    assert [(each.tied, each.by_tie_break) for each in found] == [
        (False, True),
        (False, True),
        (True, False),
        (True, False),
    ]


def test_disqualified_entrants_come_last_with_their_reason_and_need_no_score() -> None:
    found = standing([Entrant("a", "disqualified", "915 words"), Entrant("b")], {"b": 0.0})
    assert [(each.name, each.reason, each.score, each.rank) for each in found] == [
        ("b", "", 0.0, 1),
        ("a", "915 words", None, None),
    ]


@given(
    st.lists(
        st.tuples(st.sampled_from(get_args(Status)), st.integers(0, 3), st.integers(0, 2)),
        max_size=8,
    )
)
def test_a_rank_counts_the_better_entrants(
    given_: list[tuple[str, int, int]],
) -> None:
    entrants = [Entrant(NAMES[i], each[0]) for i, each in enumerate(given_)]  # type: ignore[arg-type]
    scores = {NAMES[i]: float(each[1]) for i, each in enumerate(given_)}
    words = {NAMES[i]: each[2] for i, each in enumerate(given_)}
    found = standing(entrants, scores, words)
    assert {each.name for each in found} == {each.name for each in entrants}
    ranked = [each for each in found if each.rank is not None]
    assert {each.status for each in ranked} <= {"ranked", "ineligible"}
    for place in ranked:
        own = (-scores[place.name], words[place.name])
        better = sum((-scores[each.name], words[each.name]) < own for each in ranked)
        assert place.rank == 1 + better
    assert all(each.status == "ranked" for each in found if each.wins)
    able = any(each.status == "ranked" and each.score for each in found)
    assert any(each.wins for each in found) == able


def test_intervals_say_whether_the_place_would_change() -> None:
    places = standing([Entrant(name) for name in "abc"] + [Entrant("base", "baseline")], SURE)

    def draw(random: Random) -> dict[str, float]:
        return {"a": 10.0, "b": 5 + random.random(), "c": 5 + random.random(), "base": 1.0}

    found = bootstrap(draw, places, draws=200)
    assert found == bootstrap(draw, places, draws=200)
    assert found["a"] == (10.0, 10.0, 1, 1, 1.0, 1.0)
    assert 0.3 < found["b"].same_rank < 0.7
    assert (found["b"].best, found["b"].worst, found["b"].first) == (2, 3, 0.0)
    assert 5 <= found["b"].low < 5.1 < 5.9 < found["b"].high <= 6
    assert found["base"][2:] == (None, None, 0.0, 0.0)


SURE = {"a": 10.0, "b": 6.0, "c": 5.0, "base": 1.0}
