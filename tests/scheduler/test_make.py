"""Tests `make` with a check that shares no code with the package's own."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler import BadInput, NoValidSchedule, Refused, Schedule, make, schedule_2010
from scheduler.planning.wishes import Wishes

MADE = [1, 3, 4, 5, 7, 8, 9, 10, 12, 14, 18, 32]


def meets_once(schedule: Schedule, order: int, count: int) -> None:
    """Everybody plays once a round, and no two people meet twice."""
    plays = schedule.rounds
    assert len(plays) == count
    names = [{f"{kind}{i}" for i in range(1, order + 1)} for kind in "JEC"]
    met = set()
    for play in plays:
        triples = [(p.judge, p.entry, p.confederate) for p in play]
        assert [set(kind) for kind in zip(*triples, strict=True)] == names
        assert len(triples) == order
        for triple in triples:
            for pair in combinations(triple, 2):
                assert pair not in met
                met.add(pair)
    assert len(met) == 3 * order * count


@pytest.mark.parametrize("order", MADE)
def test_squares_are_made_by_each_construction(order: int) -> None:
    made = make(order, order, order)
    meets_once(made.schedule, order, order)
    assert made.report.valid
    assert made.optimal


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(MADE[:8]), st.data())
def test_shuffled_names_and_fewer_rounds_stay_valid(order: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, order))
    seed = data.draw(st.integers(0, 2**64))
    made = make(order, order, order, count, seed)
    meets_once(made.schedule, order, count)
    assert made == make(order, order, order, count, seed)
    assert made.report.complete == (count == order)
    missing = [len(pairs.missing) for pairs in made.report.pairs.values()]
    assert missing == [order * (order - count)] * 3


def test_order_four_gives_the_schedule_of_2010() -> None:
    assert make(4, 4, 4).schedule == schedule_2010()


def test_a_seed_always_gives_the_same_schedule() -> None:
    # Somebody may have printed the schedule, so these names must never change.
    drawn = make(3, 3, 3, seed=2010).schedule.pairings
    assert [p.label for p in drawn[:3]] == ["J1E3C1", "J3E2C2", "J2E1C3"]


@pytest.mark.parametrize(
    ("numbers", "says", "lost"),
    [
        ((2, 2, 2), "there is no Graeco-Latin square of order 2; the nearest", "E1C2, E2C1"),
        (
            (6, 6, 6),
            "there is no Graeco-Latin square of order 6 (Tarry, 1900); the nearest",
            "E5C6, E6C5",
        ),
    ],
)
def test_without_a_square_the_refusal_contains_the_best_schedule(
    numbers: tuple[int, int, int], says: str, lost: str
) -> None:
    with pytest.raises(NoValidSchedule) as caught:
        make(*numbers, numbers[0])
    message = str(caught.value)
    assert says in message
    assert message.endswith(f" rounds lacks entry with confederate {lost}")
    assert caught.value.exit_code == 1
    best = caught.value.best
    assert best.optimal
    assert best.report.clashes == ()
    assert [len(pairs.missing) for pairs in best.report.pairs.values()] == [0, 0, 2]
    assert len(best.schedule.pairings) == numbers[0] ** 2
    # With one round fewer there are no repeats.
    order = numbers[0]
    meets_once(make(*numbers, order - 1).schedule, order, order - 1)
    meets_once(make(*numbers, order - 1, 5).schedule, order, order - 1)


@pytest.mark.parametrize(
    "numbers",
    [
        *((4, 3, 3), (3, 3, 4), (3, 4, 3), (2, 2, 2), (2, 2, 3), (1, 2, 1), (4, 4, 2)),
    ],
)
def test_the_default_number_of_rounds_lets_all_people_meet(numbers: tuple[int, int, int]) -> None:
    made = make(*numbers, seconds=0.5)
    assert not any(pairs.missing for pairs in made.report.pairs.values())
    assert made.report.clashes == ()


@pytest.mark.parametrize(
    ("order", "short"), [(3, 0), (4, 1), (5, 2), (10, 0), (12, 1), (16, 2), (20, 0), (30, 1)]
)
def test_with_one_person_missing_two_extra_rounds_let_all_people_meet(
    order: int, short: int
) -> None:
    numbers = [order] * 3
    numbers[short] -= 1
    made = make(*numbers)
    assert len(made.schedule.rounds) == order + 2
    assert made.optimal
    assert not any(pairs.missing for pairs in made.report.pairs.values())


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ((1, 1, 1, 2), "met after 1 pairing, .* use 1 round or fewer"),
        ((3, 3, 3, 10), "10 rounds are too many: .* after 9 pairings"),
    ],
)
def test_empty_rounds_are_refused(numbers: tuple[int, ...], says: str) -> None:
    with pytest.raises(Refused, match=says):
        make(*numbers)


@pytest.mark.parametrize("count", [5, 6, 8])
def test_more_rounds_than_people_give_byes_and_no_repeats(count: int) -> None:
    made = make(4, 4, 4, count)
    assert made.report.valid
    assert made.optimal
    sizes = [len(play) for play in made.schedule.rounds]
    assert sum(sizes) == 16
    assert max(sizes) - min(sizes) <= 1
    for play, idle in zip(made.schedule.rounds, made.idle, strict=True):
        assert len(idle) == 12 - 3 * len(play)
    document = made.as_json()
    assert document["idle"] == [list(names) for names in made.idle]


def test_the_refusal_of_a_hard_wish_contains_the_best_schedule_without_it() -> None:
    with pytest.raises(NoValidSchedule) as caught:
        make(4, 5, 3, 5, wishes=Wishes(hard=("b",)))
    assert "at least 5 of 20 pairs are lost" in str(caught.value)
    assert "of 5 rounds lacks judge with entry J" in str(caught.value)
    assert len(caught.value.best.report.pairs["judge_entry"].missing) == 5


@pytest.mark.parametrize(
    "numbers",
    [(0, 4, 4), (4, -1, 4), (4, 4, 1001), (4, 4, 4, 0), (4, 4, 4, -3), (4, 4, 4, 2000)],
)
def test_invalid_numbers_are_refused(numbers: tuple[int, ...]) -> None:
    with pytest.raises(BadInput, match="between 1 and 1000"):
        make(*numbers)
