"""Made schedules, proved by a check that shares nothing with the package's own."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler import BadInput, Refused, Schedule, make, schedule_2010
from scheduler.squares import constructible, rounds

MADE = [1, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]


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
def test_every_prime_power_up_to_32_is_made(order: int) -> None:
    made = make(order, order, order)
    meets_once(made.schedule, order, order)
    assert made.report.valid
    assert made.optimal


@pytest.mark.parametrize("order", range(1, 33))
def test_exactly_these_orders_can_be_made(order: int) -> None:
    assert constructible(order) == (order in MADE)


@given(st.sampled_from(MADE[:8]), st.data())
def test_drawn_names_and_fewer_rounds_stay_sound(order: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, order))
    seed = data.draw(st.integers(0, 2**64))
    made = make(order, order, order, count, seed)
    meets_once(made.schedule, order, count)
    assert made == make(order, order, order, count, seed)
    assert made.report.complete == (count == order)
    missing = [len(pairs.missing) for pairs in made.report.pairs.values()]
    assert missing == [order * (order - count)] * 3


def test_four_gives_the_schedule_of_2010() -> None:
    assert make(4, 4, 4).schedule == schedule_2010()


def test_a_seed_draws_something_else() -> None:
    assert len({make(5, 5, 5, seed=seed).schedule.pairings for seed in range(5)}) == 5


def test_a_drawn_schedule_stays_the_same_for_ever() -> None:
    # Somebody may have printed it: a change of these names is a break, not an improvement.
    drawn = make(3, 3, 3, 1, 2010).schedule.pairings
    assert [p.label for p in drawn] == ["J1E3C1", "J3E2C2", "J2E1C3"]


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ((2, 2, 2), "there is no Graeco-Latin square of order 2; the nearest"),
        ((6, 6, 6), "there is no Graeco-Latin square of order 6 (Tarry, 1900); the nearest"),
        ((10, 10, 10), "order 10 exists, but not by finite fields"),
        ((12, 12, 12), "can be made are 11 and 13"),
        ((1000, 1000, 1000), "can be made are 997 and 1009"),
        ((4, 5, 4), "unequal numbers can't be made yet"),
        ((4, 4, 4, 5), "take 4 rounds or fewer"),
        ((1, 1, 1, 2), "everybody has met"),
    ],
)
def test_what_cannot_be_had_is_refused_with_the_reason(numbers: tuple[int, ...], says: str) -> None:
    with pytest.raises(Refused) as caught:
        make(*numbers)
    assert says in str(caught.value)
    assert caught.value.exit_code == 1
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "numbers",
    [(0, 4, 4), (4, -1, 4), (4, 4, 1001), (4, 4, 4, 0), (4, 4, 4, -3), (4, 4, 4, 2000)],
)
def test_numbers_of_no_contest_are_unusable(numbers: tuple[int, ...]) -> None:
    with pytest.raises(BadInput, match="1 to 1000"):
        make(*numbers)


def test_a_negative_seed_is_unusable() -> None:
    with pytest.raises(BadInput, match="-1 is no seed"):
        make(4, 4, 4, seed=-1)


def test_a_refusal_comes_at_once() -> None:
    with pytest.raises(Refused):
        rounds(6)
