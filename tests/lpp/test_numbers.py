"""Tests how sequence numbers are remembered: across restarts, between processes, and on an
unwritable disk."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from lpp.keypress import Side
from lpp.numbers import BLOCK, Numbers, StoredNumbers


def claim(numbers: Numbers, count: int) -> list[int]:
    """Claims the next numbers, as a channel does."""
    claimed: list[int] = []
    last = numbers.last()
    for _ in range(count):
        last = numbers.claim(last + 1)
        claimed.append(last)
    return claimed


def test_numbers_begin_at_1_and_are_consecutive(tmp_path: Path) -> None:
    place = tmp_path / "not yet" / "made"
    assert StoredNumbers(place).last() == 0
    assert not place.exists()  # nothing is written before a number is used
    assert claim(StoredNumbers(place), 2 * BLOCK + 1) == list(range(1, 2 * BLOCK + 2))


def test_two_processes_never_get_the_same_number(tmp_path: Path) -> None:
    first, second = StoredNumbers(tmp_path), StoredNumbers(tmp_path)
    claimed = []
    last = {first: -1, second: -1}
    for _ in range(2 * BLOCK + 10):
        for numbers in (first, second):
            last[numbers] = numbers.claim(last[numbers] + 1)
            claimed.append(last[numbers])
    assert len(set(claimed)) == len(claimed)


def test_a_slow_process_does_not_get_a_used_block(tmp_path: Path) -> None:
    """It listed the blocks before two other processes claimed some, and one of those was
    removed."""
    slow = StoredNumbers(tmp_path)
    claimed = [claim(StoredNumbers(tmp_path), 1)[0] for _ in range(2)]
    claimed.append(slow.claim(0))
    assert len(set(claimed)) == 3
    assert claimed[2] > max(claimed[:2])


def test_an_unwritable_store_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    numbers = StoredNumbers(tmp_path / "file" / "numbers")
    with caplog.at_level(logging.WARNING):
        assert claim(numbers, 2 * BLOCK) == list(range(1, 2 * BLOCK + 1))
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_each_side_of_each_directory_has_its_own_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "room").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "room")
    room, link = str(tmp_path / "room"), str(tmp_path / "link")
    assert claim(StoredNumbers.of(room, Side.OTHER), 1) == [1]
    assert claim(StoredNumbers.of(room, Side.JUDGE), 1) == [1]
    assert claim(StoredNumbers.of(str(tmp_path / "room 2"), Side.OTHER), 1) == [1]
    assert claim(StoredNumbers.of(link, Side.OTHER), 1) == [BLOCK]  # the same directory
    assert claim(StoredNumbers.of(str(tmp_path / "\udcff"), Side.OTHER), 1) == [1]
