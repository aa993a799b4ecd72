"""The checker: the three schedules of 2010, and every fault that can be planted."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler import Pairing, Report, Schedule, bundled, check, make, schedule_2010
from scheduler.checking import KINDS

SOUND = {"covered": 16, "of": 16, "repeated": [], "missing": []}


def test_the_schedule_of_2010_passes() -> None:
    assert check(schedule_2010()).as_json() == {
        "valid": True,
        "pairs": dict.fromkeys(KINDS, SOUND),
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
        "judge_confederate": SOUND,
        "entry_confederate": SOUND,
    }


def test_the_printed_matrix_has_no_transversal() -> None:
    report = check(bundled("2010-published-matrix"))
    assert not report.valid
    assert report.schedulable is False
    assert report.complete
    assert report.reason.startswith(
        "the matrix has no transversal and can't be played in 4 parallel rounds: it is the cyclic"
    )
    assert report.as_json()["pairs"] == dict.fromkeys(KINDS, SOUND)


def test_rounds_1_and_2_as_printed_have_one_completion_up_to_the_order_of_the_last_two() -> None:
    printed = [p for p in schedule_2010().pairings if p.round < 3]
    faces = {(p.judge, p.entry) for p in printed} | {(p.judge, p.confederate) for p in printed}
    faces |= {(p.entry, p.confederate) for p in printed}
    people = [[f"{kind}{i}" for i in range(1, 5)] for kind in "JEC"]
    free = [
        (j, e, c)
        for j in people[0]
        for e in people[1]
        for c in people[2]
        if not faces & {(j, e), (j, c), (e, c)}
    ]

    def plays(open_: list[tuple[str, str, str]]) -> list[frozenset[tuple[str, str, str]]]:
        found = []

        def extend(play: list[tuple[str, str, str]]) -> None:
            if len(play) == 4:
                found.append(frozenset(play))
                return
            for triple in open_:
                if triple[0] == people[0][len(play)] and not set(triple) & {
                    name for chosen in play for name in chosen
                }:
                    extend([*play, triple])

        extend([])
        return found

    completions = {
        frozenset({third, fourth})
        for third in plays(free)
        for fourth in plays(free)
        if not {pair for triple in third for pair in combinations(triple, 2)}
        & {pair for triple in fourth for pair in combinations(triple, 2)}
    }
    shipped = [
        frozenset((p.judge, p.entry, p.confederate) for p in play)
        for play in schedule_2010().rounds[2:]
    ]
    assert completions == {frozenset(shipped)}


def faults(report: Report) -> int:
    """How many pairs are repeated or missing."""
    return sum(len(p.repeated) + len(p.missing) for p in report.pairs.values())


def renamed(pairing: Pairing, kind: str, name: str) -> Pairing:
    """The pairing with another judge, entry or confederate."""
    people = {k: getattr(pairing, k) for k in ("judge", "entry", "confederate")}
    return Pairing(pairing.round, **{**people, kind: name})


@given(st.sampled_from([3, 4, 5, 7]), st.data())
def test_every_planted_swap_is_found(order: int, data: st.DataObject) -> None:
    """Two people of one kind change places in a round: both kinds of their pairs fail."""
    pairings = list(make(order, order, order).schedule.pairings)
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


@given(st.sampled_from([3, 4, 5, 7]), st.data())
def test_every_planted_replacement_is_found(order: int, data: st.DataObject) -> None:
    """One name is written in place of another: a clash in the round, and pairs lost."""
    pairings = list(make(order, order, order).schedule.pairings)
    i = data.draw(st.integers(0, len(pairings) - 1))
    kind = data.draw(st.sampled_from(["judge", "entry", "confederate"]))
    old = getattr(pairings[i], kind)
    new = data.draw(st.sampled_from([f"{old[0]}{n}" for n in range(1, order + 1)]))
    if new == old:
        return
    pairings[i] = renamed(pairings[i], kind, new)
    report = check(Schedule.of(pairings))
    assert not report.valid
    assert report.schedulable is False
    assert [(c.round, c.name) for c in report.clashes] == [(pairings[i].round, new)]
    assert new in report.as_json()["reason"]  # type: ignore[operator]


@given(st.sampled_from([3, 4, 5, 7]), st.data())
def test_every_dropped_pairing_is_found(order: int, data: st.DataObject) -> None:
    pairings = list(make(order, order, order).schedule.pairings)
    gone = pairings.pop(data.draw(st.integers(0, len(pairings) - 1)))
    report = check(Schedule.of(pairings))
    assert not report.valid
    assert report.pairs["judge_entry"].missing == ((gone.judge, gone.entry),)
    assert report.pairs["judge_confederate"].missing == ((gone.judge, gone.confederate),)
    assert report.pairs["entry_confederate"].missing == ((gone.entry, gone.confederate),)


@given(st.permutations(range(1, 5)), st.permutations(range(1, 5)), st.permutations(range(1, 5)))
def test_other_names_change_nothing_but_names(
    judges: list[int], entries: list[int], confederates: list[int]
) -> None:
    printed = bundled("2010-published-list")
    assert isinstance(printed, Schedule)

    def other(pairing: Pairing) -> Pairing:
        return Pairing(
            pairing.round,
            f"J{judges[int(pairing.judge[1:]) - 1]}",
            f"E{entries[int(pairing.entry[1:]) - 1]}",
            f"C{confederates[int(pairing.confederate[1:]) - 1]}",
        )

    before = check(printed)
    after = check(Schedule.of(map(other, printed.pairings)))
    assert faults(before) == faults(after) == 8
    names = {
        "J": dict(zip("1234", judges, strict=True)),
        "E": dict(zip("1234", entries, strict=True)),
    }
    assert set(after.pairs["judge_entry"].missing) == {
        tuple(f"{name[0]}{names[name[0]][name[1]]}" for name in pair)
        for pair in before.pairs["judge_entry"].missing
    }


def test_somebody_in_two_places_is_named_with_round_and_pairings() -> None:
    schedule = Schedule.of([Pairing(2, "J1", "E1", "C1"), Pairing(2, "J1", "E2", "C2")])
    report = check(schedule)
    assert report.as_json()["rounds"] == {"clashes": ["Round 2: J1 in J1E1C1 and J1E2C2"]}
    assert report.schedulable is False
    assert "in two places at once" in report.reason


def test_who_is_there_without_playing_misses_everybody() -> None:
    schedule = Schedule.of([Pairing(1, "J1", "E1", "C1")], confederates=["C2"])
    report = check(schedule)
    assert report.pairs["judge_confederate"].missing == (("J1", "C2"),)
    assert not report.valid


@pytest.mark.parametrize("order", [1, 3, 10])
def test_names_come_in_natural_order(order: int) -> None:
    schedule = Schedule.of([Pairing(1, f"J{i}", f"E{i}", f"C{i}") for i in range(order, 0, -1)])
    assert check(schedule).roster.judges == tuple(f"J{i}" for i in range(1, order + 1))


def test_a_reason_stays_a_sentence_when_much_is_missing() -> None:
    reason = check(make(9, 9, 9, 1).schedule).reason
    assert "and 60 more" in reason
    assert len(reason) < 400
