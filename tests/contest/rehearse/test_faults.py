"""Tests the choice of faults, and when they happen."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import UserError
from contest.rehearse.play import FAULTS, parse_faults, plan


def test_faults_are_chosen_by_name() -> None:
    assert parse_faults(None) == tuple(FAULTS)
    assert parse_faults("none") == ()
    twice = parse_faults("disk-full, server-stops,disk-full")
    assert list(twice) == ["disk-full", "server-stops", "disk-full"]
    with pytest.raises(UserError, match="'earthquake'; choose from entry-dies, "):
        parse_faults("entry-dies,earthquake")


@given(st.lists(st.sampled_from(list(FAULTS)), max_size=15), st.integers(1, 6), st.integers())
def test_faults_are_distributed_evenly_and_in_order(
    names: list[str], rounds: int, seed: int
) -> None:
    planned = plan(tuple(names), rounds, random.Random(seed))
    assert sorted(each.fault for each in planned) == sorted(names)
    by_round = [[p.at for p in planned if p.round == number] for number in range(1, rounds + 1)]
    assert sum(map(len, by_round)) == len(names)
    assert max(map(len, by_round)) - min(map(len, by_round)) <= 1
    for moments in by_round:
        assert moments == sorted(moments)
        assert all(0 < at < 0.9 for at in moments)
