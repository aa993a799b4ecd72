"""Salts are whole, and each is given once."""

from __future__ import annotations

import re

from contest.record.salts import SIZE, Salts


def test_each_is_given_once_and_none_of_the_drawn_bits_is_left_out() -> None:
    drawn: list[bytes] = []

    def draw(count: int) -> bytes:
        drawn.append(bytes((len(drawn) * count + at) % 256 for at in range(count)))
        return drawn[-1]

    salts = Salts(draw, many=4)
    given = [salts.next() for _ in range(12)]
    assert [len(each) for each in drawn] == [4 * SIZE] * 3
    assert {bytes.fromhex(salt) for salt in given} == {
        each[at : at + SIZE] for each in drawn for at in range(0, 4 * SIZE, SIZE)
    }
    assert len(set(given)) == 12


def test_by_default_they_are_the_systems() -> None:
    salts = Salts()
    given = {salts.next() for _ in range(1000)}
    assert len(given) == 1000
    assert all(re.fullmatch("[0-9a-f]{32}", salt) for salt in given)
