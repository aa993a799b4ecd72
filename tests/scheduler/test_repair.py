"""Tests plans for the rest of a contest against all possible plans."""

import functools
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

import pytest

from scheduler import BadInput, Pairing, Refused, check, schedule_2010
from scheduler.planning.wishes import Wishes
from scheduler.repair import Repair, compare, introduction, pairings_of, reasons, repair

PLAN = schedule_2010()
KINDS = ((0, 1), (0, 2), (1, 2))


def remaining_people(gone: Sequence[str]) -> list[list[str]]:
    """Judges, entries and confederates of 2010 without those who are gone."""
    return [[f"{kind}{n}" for n in range(1, 5) if f"{kind}{n}" not in gone] for kind in "JEC"]


def full_rounds(people: Sequence[Sequence[str]]) -> Iterator[list[tuple[str, str, str]]]:
    """Yields all rounds with as many pairings as possible; more pairings never lose more pairs."""
    fewest = min(map(len, people))
    for judges in combinations(people[0], fewest):
        for entries in permutations(people[1], fewest):
            for confederates in permutations(people[2], fewest):
                yield list(zip(judges, entries, confederates, strict=True))


def fewest_lost(gone: Sequence[str], counted: Sequence[Pairing], rounds: int) -> int:
    """The fewest lost pairs of those present, found by trying all plans without the package."""
    people = remaining_people(gone)
    pairs = [pair for one, other in KINDS for pair in product(people[one], people[other])]
    bit = {pair: 1 << i for i, pair in enumerate(pairs)}

    def met(triples: Sequence[tuple[str, str, str]]) -> int:
        mask = 0
        for triple in triples:
            for one, other in KINDS:
                mask |= bit.get((triple[one], triple[other]), 0)
        return mask

    reached = {met([(p.judge, p.entry, p.confederate) for p in counted])}
    masks = {met(way) for way in full_rounds(people)}
    for _ in range(rounds):
        reached = {before | mask for before in reached for mask in masks}
    return len(pairs) - max(mask.bit_count() for mask in reached)


def lost(found: Repair, gone: Sequence[str], counted: Sequence[Pairing]) -> int:
    """The lost pairs of the repaired plan, counted independently."""
    rest = [p for p in found.repaired.schedule.pairings if p.round > found.played]
    met = {
        (triple[one], triple[other])
        for p in (*counted, *rest)
        for triple in ((p.judge, p.entry, p.confederate),)
        for one, other in KINDS
    }
    people = remaining_people(gone)
    return sum(
        pair not in met for one, other in KINDS for pair in product(people[one], people[other])
    )


@functools.cache
def after_two(gone: tuple[str, ...]) -> Repair:
    """Repairs the contest of 2010 after its second round, without some people."""
    return repair(PLAN, 2, gone)


GONE = [
    *((), ("C1",), ("C2",), ("J1",), ("J3",), ("E1",), ("E3",), ("J1", "C2"), ("J1", "J2")),
]


@pytest.mark.parametrize("gone", GONE, ids=" ".join)
def test_no_plan_after_round_2_of_2010_loses_fewer_pairs(gone: tuple[str, ...]) -> None:
    found = after_two(gone)
    played = [p for p in PLAN.pairings if p.round <= 2]
    best = fewest_lost(gone, played, rounds=2)
    assert found.repaired.lost == lost(found, gone, played) == best
    assert found.plan.proved
    assert found.as_it_stands.lost >= best
    assert found.repaired.schedule.rounds[:2] == PLAN.rounds[:2]
    assert not check(found.repaired.schedule).clashes
    rest = [p for p in found.repaired.schedule.pairings if p.round > 2]
    assert not set(gone) & {name for p in rest for name in (p.judge, p.entry, p.confederate)}


def test_the_old_plan_stays_if_no_plan_is_better() -> None:
    for gone in ([], ["C2"]):
        found = repair(PLAN, 2, gone)
        assert found.repaired == found.as_it_stands
        assert found.plan.optimal
    assert repair(PLAN, 2).repaired.schedule == PLAN
    assert repair(PLAN, 2).repaired.lost == 0


def test_a_void_round_is_planned_again() -> None:
    void = pairings_of(PLAN, [2])
    found = repair(PLAN, 2, void=void)
    counted = [p for p in PLAN.pairings if p.round == 1]
    best = fewest_lost((), counted, rounds=2)
    assert found.repaired.lost == lost(found, (), counted) == best == 12
    assert found.void == tuple(sorted(void))
    # One more round makes up for it.
    more = repair(PLAN, 2, void=void, rounds=5)
    assert len(more.repaired.schedule.rounds) == 5
    assert more.repaired.lost == 0


def test_the_document_has_both_plans() -> None:
    document = after_two(("J1", "C2")).as_json()
    assert document["gone"] == ["J1", "C2"]
    assert (document["played"], document["void"], document["optimal"]) == (2, [], True)
    before, after = (document[name] for name in ("as_it_stands", "repaired"))
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert (before["lost"], after["lost"]) == (4, 2)
    assert before["rounds"][:2] == after["rounds"][:2]
    assert before["pairs"]["judge_entry"] == {
        "covered": 10,
        "of": 12,
        "repeated": [],
        "missing": ["J3E4", "J4E1"],
    }


@pytest.mark.parametrize(
    ("args", "error", "says"),
    [
        ({"played": 5}, BadInput, "5 of 4 rounds can't have been played; give 0 to 4"),
        ({"played": -1}, BadInput, "can't have been played"),
        ({"played": 2, "rounds": 0}, BadInput, "not 0"),
        ({"played": 2, "rounds": 10**9}, BadInput, "rounds must be between"),
        ({"played": 4}, Refused, "all 4 rounds have been played"),
        ({"played": 2, "rounds": 2}, Refused, "there is nothing left"),
        ({"played": 2, "gone": ["C9"]}, BadInput, "nobody has the id 'C9'; known: J1"),
        ({"played": 2, "gone": ["c2"]}, BadInput, "did you mean C2?"),
        ({"played": 2, "gone": ["C1", "C2", "C3", "C4"]}, Refused, "no confederate is left"),
        (
            {"played": 2, "void": [PLAN.pairings[-1]]},
            BadInput,
            "round 4, J1E2C4, was not played, so it can't be void",
        ),
        ({"played": 4, "rounds": 5}, Refused, "all who can still meet have met"),
    ],
)
def test_impossible_repairs_are_refused(
    args: dict[str, int], error: type[Exception], says: str
) -> None:
    with pytest.raises(error) as caught:
        repair(PLAN, **args)  # type: ignore[arg-type]
    assert says in str(caught.value)


def test_people_who_must_not_meet_do_not_meet_and_are_not_lost() -> None:
    # In the plan of 2010, J1 meets E4 in round 3.
    found = repair(PLAN, 2, ["C2"], wishes=Wishes(conflicts=(("J1", "E4"), ("C2", "J4"))))
    rest = [p for p in found.repaired.schedule.pairings if p.round > 2]
    assert ("J1", "E4") not in {(p.judge, p.entry) for p in rest}
    assert found.breach == "round 3, J1E4C3: J1 and E4 must not meet"
    assert found.repaired != found.as_it_stands
    for plan in (found.repaired, found.as_it_stands):
        assert plan.pairs["judge_entry"].of == 15
        assert ("J1", "E4") not in plan.pairs["judge_entry"].missing
        assert not any(("J1", "E4") in lost.pairs for lost in plan.reasons)
    assert "breaks a wish: round 3, J1E4C3" in introduction(found)[-1]
    assert compare(found).startswith("The repaired plan respects the wishes")


@pytest.mark.parametrize("gone", GONE, ids=" ".join)
def test_each_lost_pair_has_one_reason(gone: tuple[str, ...]) -> None:
    plan = after_two(gone).repaired
    named = [(each.kind, pair) for each in plan.reasons for pair in each.pairs]
    missing = [(kind, pair) for kind, pairs in plan.pairs.items() for pair in pairs.missing]
    assert sorted(named) == sorted(missing)
    assert all(each.reason for each in plan.reasons)
    assert len(reasons(plan)) == len(plan.reasons)
