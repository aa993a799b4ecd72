"""Sides are sealed so that nobody can change them; codes open their own seat only."""

from __future__ import annotations

import hashlib
import itertools
import random
import stat
import sys
from pathlib import Path

import pytest

from contest.history import sides
from contest.net import codes


def test_a_seal_is_the_hash_of_side_and_bits() -> None:
    sealed = sides.draw()
    assert len(bytes.fromhex(sealed.nonce)) * 8 == 128
    assert sealed.seal == hashlib.sha256(f"{sealed.human}:{sealed.nonce}".encode()).hexdigest()
    assert {sealed.human, sealed.program} == {"left", "right"}


def test_a_seal_does_not_tell_its_side() -> None:
    rng = random.Random(1)
    seals = {sides.draw(rng).seal for _ in range(200)}
    assert len(seals) == 200


def test_sides_are_drawn_each_on_its_own() -> None:
    rng = random.Random(2010)
    drawn = [sides.draw(rng).human for _ in range(2000)]
    assert 900 < drawn.count("left") < 1100
    same_as_before = sum(a == b for a, b in itertools.pairwise(drawn))
    assert 900 < same_as_before < 1100


def test_a_code_opens_its_seat_only() -> None:
    issued = codes.issue(["J1", "J11", "C1"])
    table = codes.CodeTable(issued)
    hashes = {seat: codes.hashed(code) for seat, code in issued.items()}
    for seat, code in issued.items():
        for typed in (code, f"  {code.lower()} "):
            assert table.find(typed) == seat
            assert [name for name in hashes if codes.fits(typed, hashes[name])] == [seat]
        assert code not in repr(hashes)
    other = "J1" + issued["C1"][2:]
    for wrong in ("", "J1", "J1-", other, issued["J1"][:-1], "é" * 100, "\ud800", "x" * 60_000):
        assert table.find(wrong) is None
    for wrong in ("", other, issued["J1"][:-1]):
        assert not codes.fits(wrong, hashes["J1"])


def test_a_new_code_takes_the_place_of_the_old_one() -> None:
    issued = codes.issue(["J1", "C1"])
    table = codes.CodeTable(issued)
    new = codes.issue(["J1"])["J1"]
    table.replace("J1", new)
    assert [table.find(code) for code in (issued["J1"], new, issued["C1"])] == [None, "J1", "C1"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps permissions in another way")
def test_codes_are_written_once_for_their_owner_only(tmp_path: Path) -> None:
    file = tmp_path / codes.FILE_NAME
    issued = codes.issue(["J1"])
    codes.write_file(issued, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert issued["J1"] in file.read_text()
    with pytest.raises(FileExistsError):
        codes.write_file(issued, file)
