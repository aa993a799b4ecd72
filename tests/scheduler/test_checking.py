"""Tests the checker: the three schedules of 2010, and faults planted in them."""

import functools

from hypothesis import given
from hypothesis import strategies as st

from scheduler import Pairing, Schedule, bundled, check, make, schedule_2010
from scheduler.checking import KINDS

VALID = {"covered": 16, "of": 16, "repeated": [], "missing": []}


def test_the_schedule_of_2010_passes() -> None:
    assert check(schedule_2010()).as_json() == {
        "valid": True,
        "pairs": dict.fromkeys(KINDS, VALID),
        "rounds": {"clashes": []},
        "schedulable": True,
        "reason": "",
    }


def test_the_printed_list_repeats_four_pairs_and_lacks_four() -> None:
    report = check(bundled("2010-published-list")).as_json()
    assert report["valid"] is False
    assert report["schedulable"] is True
    assert report["pairs"] == {
        "judge_entry": {
            "covered": 12,
            "of": 16,
            "repeated": ["J1E1", "J2E4", "J3E3", "J4E2"],
            "missing": ["J1E4", "J2E1", "J3E2", "J4E3"],
        },
        "judge_confederate": VALID,
        "entry_confederate": VALID,
    }


def test_the_printed_matrix_has_no_transversal() -> None:
    report = check(bundled("2010-published-matrix"))
    assert not report.valid
    assert report.schedulable is False
    assert report.complete
    assert report.reason.startswith(
        "the matrix has no transversal and can't be played in 4 parallel rounds: no 4 of its cells"
    )
    assert report.as_json()["pairs"] == dict.fromkeys(KINDS, VALID)


def renamed(pairing: Pairing, kind: str, name: str) -> Pairing:
    """The pairing with another judge, entry or confederate."""
    people = {k: getattr(pairing, k) for k in ("judge", "entry", "confederate")}
    return Pairing(pairing.round, **{**people, kind: name})


@functools.cache
def square(order: int) -> tuple[Pairing, ...]:
    """The pairings of a complete schedule."""
    return make(order, order, order).schedule.pairings


@given(st.sampled_from([3, 4, 5, 7]), st.data())
def test_every_swap_of_two_people_is_found(order: int, data: st.DataObject) -> None:
    """Two people of one kind swap places in a round: the pairs with both other kinds become
    faulty."""
    pairings = list(square(order))
    number = data.draw(st.integers(1, order))
    play = [i for i, p in enumerate(pairings) if p.round == number]
    i, k = data.draw(st.lists(st.sampled_from(play), min_size=2, max_size=2, unique=True))
    kind = data.draw(st.sampled_from(["judge", "entry", "confederate"]))
    a, b = pairings[i], pairings[k]
    pairings[i] = renamed(a, kind, getattr(b, kind))
    pairings[k] = renamed(b, kind, getattr(a, kind))
    report = check(Schedule.of(pairings))
    assert not report.valid
    assert report.schedulable is True
    assert report.reason
    for key, pairs in report.pairs.items():
        touched = 2 if kind in key.split("_") else 0
        assert len(pairs.repeated) == len(pairs.missing) == touched


def test_a_clash_is_named_with_round_and_pairings() -> None:
    schedule = Schedule.of([Pairing(2, "J1", "E1", "C1"), Pairing(2, "J1", "E2", "C2")])
    report = check(schedule)
    assert report.as_json()["rounds"] == {"clashes": ["Round 2: J1 in J1E1C1 and J1E2C2"]}
    assert report.schedulable is False
    assert "in two places at once" in report.reason
